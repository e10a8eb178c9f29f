package engine

import (
	"sync"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/origin"
)

// A node of a subgraph runs another machine in a child run. It has a record, steps and limits
// of its own. It shares its parent's limits, budget and observers: its usage counts for both.

// A nesting links a child run to the node of its parent that started it.
type nesting struct {
	run            *Run // the parent
	node           string
	branch         string
	step           int
	visit, attempt int
	path           string // the names of the nodes outside, joined by /
	depth          int    // runs of the same graph around it, each made by the one before
	given          int    // how many gifts the parent has passed on
	watched        bool   // the parent's steps are observed
	observed       bool

	mu    sync.Mutex // branches of the run may ask concurrently
	asks  int        // calls of models that were allowed, and are not counted yet
	calls int        // calls of tools
}

// Nested returns the option for a run of another machine that the current node starts. The
// models, tools and wrappers given to r apply to it too. They take precedence over those
// of its machine.
func (r *Run) Nested() graphgen.RunOption { return newNesting(r).option() }

func (n *nesting) option() graphgen.RunOption {
	r := n.run
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
	n := newNesting(r)
	if err := n.deepen(most); err != nil {
		return nil, err
	}
	return n.again(), nil
}

func (n *nesting) again() graphgen.RunOption {
	r := n.run
	return option.ForRun[optionset.Settings](func(s *optionset.Settings) {
		*s = r.settings.Settings
		s.Observers, s.Hooks, s.Report, s.FinalState, s.Stopper = nil, nil, nil, nil, nil
		s.Parent, s.RunID, s.TakesBack = origin.To(n), "", false
	})
}

// deepen makes the child run one of the same machine. It returns a LimitError if more than most of its runs are around it.
func (n *nesting) deepen(most int) error {
	n.depth = 1
	if outer := n.run.settings.nesting; outer != nil {
		n.depth += outer.depth
	}
	if n.depth > most {
		return &graphgen.LimitError{Limit: graphgen.LimitDepth, Max: float64(most)}
	}
	return nil
}

// newNesting describes the current node of r as the parent of a child run.
func newNesting(r *Run) *nesting {
	at := r.here()
	n := &nesting{
		run: r, node: r.Graph().NodeName(at), branch: r.related.branch, step: r.path.Step(), visit: r.path.visit(at), attempt: r.Execution().Attempt(),
		given: len(r.settings.given), watched: r.settings.isWatched(), observed: r.settings.Observed(),
	}
	n.path = n.node
	if r.settings.nesting != nil {
		n.path = r.settings.nesting.path + "/" + n.node
	}
	return n
}

// addReport records the report of a child run that the node at has started, in the parent or in a copy of it.
func (n *nesting) addReport(to *Run, at NodeID, report *graphgen.Report) {
	if b, d := to.more.get().details, report.Detail; b != nil && d != nil {
		b.addTimes(&to.path, at, d.ModelTime, d.ToolTime)
	}
	to.tally().addNested(graphgen.NestedReport{Node: n.node, Branch: n.branch, Visit: n.visit, Attempt: n.attempt, Report: report})
}
