package engine

import (
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
)

// unfit returns why runs of the graph cannot have the settings.
func (g *Graph) unfit(s *optionset.Settings) error {
	wrong := s.Invalid
	if wrong == nil && s.Named != nil {
		wrong = s.Named.Check(g.Named, func(name string) bool { return g.Mutable != nil || g.named(name, End) != End }, g.runsGraph)
	}
	if wrong == nil && s.Prompts != nil {
		wrong = s.Prompts.Check(g.Prompts, g.runsGraph)
	}
	if wrong == nil {
		wrong = g.uninterruptible(s)
	}
	if wrong == nil {
		return nil
	}
	return &graphgen.ConfigError{Graph: g.Name, Option: wrong.Option, Name: wrong.Name, Why: wrong.Why}
}

// uninterruptible returns the option with an interrupt that runs cannot have: the graph has no such node, or cannot be interrupted.
func (g *Graph) uninterruptible(s *optionset.Settings) *option.Invalid {
	for _, o := range [...]struct {
		name  string
		nodes []string
	}{{"graphgen.WithInterruptBefore", s.InterruptBefore}, {"graphgen.WithInterruptAfter", s.InterruptAfter}} {
		for _, name := range o.nodes {
			n := g.named(name, End)
			switch {
			case n == End || int(n) >= len(g.Nodes):
				return &option.Invalid{Option: o.name, Name: name, Why: "the graph has no such node: name one that it has"}
			case !g.Interruptible:
				return &option.Invalid{Option: o.name, Name: name, Why: "the graph cannot be interrupted: write interrupt_before: [] in its spec"}
			}
		}
	}
	return nil
}

// unserved returns an error for the first server of the graph whose tools no toolbox has.
func (g *Graph) unserved(run *Settings) error {
	for _, s := range g.Servers {
		if !slices.ContainsFunc(run.Toolboxes, func(box chat.Toolbox) bool {
			servers, ok := box.(chat.Servers)
			return ok && servers.Serves(s.Name)
		}) {
			return &graphgen.ConfigError{Graph: g.Name, Option: "server", Name: s.Name,
				Why: "no toolbox of the run serves it: start the servers of the graph, and pass them by WithToolbox"}
		}
	}
	return nil
}
