package hooks

import (
	"context"
	"sync"
	"time"

	"github.com/graphgen/graphgen"
)

// A Timing sums the time of nodes over any number of runs, and compares it with budgets. The zero Timing has no
// budgets.
type Timing struct {
	// Budgets has the longest time of one step, by node. A node of a child run has its path.
	Budgets map[string]time.Duration
	// Exceeded is called with the event that ends a step which took longer; nil: nothing is.
	Exceeded func(e graphgen.Event, budget time.Duration)
	// Governing ends a run after a step that took longer, with the reason budget.
	Governing bool

	mu    sync.Mutex // of what follows
	nodes map[string]NodeTime
}

// A NodeTime is the time of a node.
type NodeTime struct {
	Steps    int
	Total    time.Duration
	Longest  time.Duration
	Exceeded int // steps that took longer than the budget
}

// Option measures the steps of some nodes, or of all.
func (t *Timing) Option(nodes ...string) graphgen.Option {
	if t == nil {
		return graphgen.Invalid("hooks.Timing.Option", "the timing is nil: leave it out")
	}
	only := selection(nodes)
	return watching("hooks.Timing.Option", only,
		graphgen.WithHook(graphgen.Hook{Name: "timing", Governing: t.Governing, After: func(_ context.Context, e graphgen.Event) error {
			if e.Skipped || e.Dynamic || !only.has(&e) {
				return nil
			}
			return t.add(&e)
		}}))
}

// add counts a step. It returns a LimitError if the step took longer than its budget.
func (t *Timing) add(e *graphgen.Event) error {
	path := pathOf(e)
	budget, bounded := t.Budgets[path]
	took := e.Took()
	over := bounded && took > budget
	t.mu.Lock()
	if t.nodes == nil {
		t.nodes = map[string]NodeTime{}
	}
	n := t.nodes[path]
	n.Steps++
	n.Total += took
	n.Longest = max(n.Longest, took)
	if over {
		n.Exceeded++
	}
	t.nodes[path] = n
	t.mu.Unlock()
	if !over {
		return nil
	}
	if t.Exceeded != nil {
		t.Exceeded(*e, budget)
	}
	if !t.Governing {
		return nil
	}
	return &graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "seconds of node " + path, Max: budget.Seconds(), Used: took.Seconds()}
}

// Nodes returns the time of each node that was executed. Dynamic nodes are not in it: runs make their names.
func (t *Timing) Nodes() map[string]NodeTime {
	t.mu.Lock()
	defer t.mu.Unlock()
	nodes := make(map[string]NodeTime, len(t.nodes))
	for path, n := range t.nodes {
		nodes[path] = n
	}
	return nodes
}
