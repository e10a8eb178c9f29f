// Package hooks has options that watch runs: a log, the time of nodes, a search for cycles that lead nowhere, a
// lower bound of steps, and a budget that runs share. None of them uses reflection.
//
//	tenant := hooks.NewBudget(graphgen.Budgets{Cost: 5})
//	m, err := review.NewReview(handlers, model, hooks.Log(os.Stderr))
//	out, err := m.Run(ctx, in, tenant.Option(), hooks.Cycles(3))
//
// Where an option takes nodes, it watches these only; without any it watches all. A node of a child run has the path
// of the nodes around it, as in background/answer. A graph without such a node, to which no run can add one, refuses the option.
package hooks

import (
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/origin"
)

// MaxSteps lowers the max_steps of the spec for runs, to at least 1. A bound that is not lower changes nothing.
func MaxSteps(most int) graphgen.Option {
	if most < 1 {
		return graphgen.Invalid("hooks.MaxSteps", "it is below 1: leave it out for the bound of the spec")
	}
	return limit(func(l *origin.Limits) {
		if l.MaxSteps == 0 || most < l.MaxSteps {
			l.MaxSteps = most
		}
	})
}

// limit returns an option that changes the limits of runs.
func limit(change func(*origin.Limits)) graphgen.Option {
	return optionset.Option(func(s *optionset.Settings) {
		var limits origin.Limits
		if s.Limits != nil {
			limits = *s.Limits
		}
		change(&limits)
		s.Limits = &limits
	})
}

// watching returns an option that names nodes, which the graph is to have.
func watching(name string, nodes selection, o graphgen.Option) graphgen.Option {
	return graphgen.Options(optionset.Option(func(s *optionset.Settings) {
		for _, n := range nodes {
			s.NameNode(name, n)
		}
	}), o)
}

// A selection has the nodes that an option watches; empty: all.
type selection []string

// has reports whether the node of an event is watched.
func (s selection) has(e *graphgen.Event) bool { return len(s) == 0 || slices.Contains(s, pathOf(e)) }

// pathOf returns the name of the node of an event, after the names of the nodes around a child run.
func pathOf(e *graphgen.Event) string {
	if e.Run == nil || e.Run.Within == "" {
		return e.Node
	}
	return e.Run.Within + "/" + e.Node
}
