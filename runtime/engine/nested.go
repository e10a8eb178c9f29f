package engine

import (
	"strconv"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/origin"
)

// A node of a subgraph runs another machine in a child run. It has a record, steps and limits
// of its own. It shares its parent's limits, budget and observers: its usage counts for both.

// Nested returns the option for a run of another machine that the current node starts. The
// models, tools and wrappers given to r apply to it too. They take precedence over those
// of its machine.
func (r *Run) Nested() graphgen.RunOption {
	n := newNesting(r, 0)
	return option.ForRun[optionset.Settings](func(s *optionset.Settings) {
		if given := r.settings.since(0); given != nil {
			take(s, given)
		}
		s.Prompts = pass(n.prefix(), r.settings.Prompts, s.Prompts)
		s.Timings = s.Timings || r.settings.Timings
		s.Parent, s.RunID = origin.To(n), ""
	})
}

// Again is Nested for a run of the same machine, which has its options already. It returns a
// LimitError if the run would be deeper than most.
func (r *Run) Again(most int) (graphgen.RunOption, error) {
	depth := 1
	if r.settings.nesting != nil {
		depth += r.settings.nesting.depth
	}
	if depth > most {
		return nil, &graphgen.LimitError{Limit: graphgen.LimitDepth, Max: float64(most)}
	}
	n := newNesting(r, depth)
	return option.ForRun[optionset.Settings](func(s *optionset.Settings) {
		*s = r.settings.Settings
		s.Observers, s.Hooks, s.Report, s.FinalState, s.Stopper = nil, nil, nil, nil, nil
		s.Parent, s.RunID = origin.To(n), ""
	}), nil
}

// newNesting describes the current node of r as the parent of a child run.
func newNesting(r *Run, depth int) *nesting {
	at := r.here()
	n := &nesting{
		run: r, node: r.Graph().NodeName(at), branch: r.related.branch, step: r.path.Step(), visit: r.path.visit(at), attempt: r.Execution().Attempt(),
		given: len(r.settings.given), depth: depth, watched: r.settings.isWatched(), observed: r.settings.Observed(),
	}
	n.path = n.node
	if r.settings.nesting != nil {
		n.path = r.settings.nesting.path + "/" + n.node
	}
	return n
}

// gifts returns what calls have given the parent, as the child run has it.
func (n *nesting) gifts() []*gift {
	g := n.run.settings.since(0)
	if g == nil {
		return nil
	}
	return []*gift{g.passed(n.prefix())}
}

// addReport records the report of a child run that the parent's current node started.
func (n *nesting) addReport(report *graphgen.Report) {
	if b, d := n.run.more.get().details, report.Detail; b != nil && d != nil {
		b.addTimes(&n.run.path, n.run.here(), d.ModelTime, d.ToolTime)
	}
	n.run.tally().addNested(graphgen.NestedReport{Node: n.node, Branch: n.branch, Visit: n.visit, Attempt: n.attempt, Report: report})
}

// name returns the name of the run in idempotency keys. It stays the same when the step of the
// parent is executed again.
func (n *nesting) name() string {
	name := n.run.related.name()
	if n.branch != "" {
		name += "/" + n.branch
	}
	return name + "/" + strconv.Itoa(n.step) + "." + n.node
}

// reserveCall reserves a model call in the budgets of all parents.
func (n *nesting) reserveCall() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.run
	if r.settings.nesting != nil {
		if err := r.settings.nesting.reserveCall(); err != nil {
			return err
		}
	}
	if err := r.Agent().checkCall(n.asks); err != nil {
		if r.settings.nesting != nil {
			r.settings.nesting.releaseCall()
		}
		return bound(err, r)
	}
	n.asks++
	return nil
}

// releaseCall releases the reserved model call in the budgets of all parents.
func (n *nesting) releaseCall() {
	n.mu.Lock()
	n.asks--
	n.mu.Unlock()
	if p := n.run.related.ledger; p != nil {
		p.releaseCall()
	}
	if outer := n.run.settings.nesting; outer != nil {
		outer.releaseCall()
	}
}

// countCall counts a call of a model.
func (n *nesting) countCall(u chat.Usage) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asks = max(0, n.asks-1)
	n.run.Agent().addCall(&u)
}

// reserveTools reserves the tool calls of a turn in the budgets of all parents.
func (n *nesting) reserveTools(calls int) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.run
	if r.settings.nesting != nil {
		if err := r.settings.nesting.reserveTools(calls); err != nil {
			return err
		}
	}
	var err error
	if p := r.related.ledger; p != nil {
		err = p.reserveTools(&r.settings.Budgets, calls)
	} else if err = mayCall(&r.settings.Budgets, r.Agent().tools.Made+n.calls, calls); err == nil {
		n.calls += calls
	}
	if err == nil {
		return nil
	}
	if r.settings.nesting != nil {
		r.settings.nesting.countTools(calls, graphgen.ToolCount{})
	}
	return bound(err, r)
}

// countTools counts tool calls, and releases the held ones that were reserved for them.
func (n *nesting) countTools(held int, c graphgen.ToolCount) {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.run
	if r.related.ledger != nil {
		r.Agent().held += held // given back with what was used
	} else {
		n.calls -= held
	}
	r.Agent().addTools(c)
	if r.settings.nesting != nil {
		r.settings.nesting.countTools(held, c)
	}
}
