package engine

import (
	"github.com/graphgen/graphgen"
)

// A node that finds a budget spent takes its on: budget edge. Where it has none, the run ends; if that is a child run, its parent's node takes
// its own edge. The budget stays spent: calls that draw on it are refused from then on.

// budgetRoute returns the first open on: budget edge of the current node. It returns Aborted if there is none, or the node is cut short in
// its region.
func (r *Run) budgetRoute() TransitionID {
	g := r.Graph()
	if int(r.At) >= len(g.Nodes) { // an added prompt has no row
		return Aborted
	}
	n := &g.Nodes[r.At]
	if len(n.OnBudget) == 0 || n.Parent != End && r.IsCancelled() {
		return Aborted
	}
	for _, transition := range n.OnBudget {
		if !r.path.isUsedUp(g.transition(transition)) {
			return transition
		}
	}
	return Aborted
}

// routeOf is budgetRoute for a failure. It returns Aborted for one that is not about a spent budget.
func (r *Run) routeOf(err error) TransitionID {
	transition := r.budgetRoute()
	if transition != Aborted && r.ending.spentBy(err) == nil {
		return Aborted
	}
	return transition
}

// routeOfVerdict is budgetRoute after a step in which a judge, or a node that has failed softly, found a budget spent. The step has then nothing
// that ends the run.
func (r *Run) routeOfVerdict() TransitionID {
	a := r.more.get().agent
	spent, _ := a.verdict().(*graphgen.LimitError)
	if spent == nil || spent.Unpriced != "" {
		return Aborted
	}
	transition := r.budgetRoute()
	if transition != Aborted {
		a.overdrawn = nil
		r.emitSpent(spent)
	}
	return transition
}

// emitSpent reports that the current node has found a budget spent, and that the run continues.
func (r *Run) emitSpent(err error) {
	r.notify(&graphgen.Event{Kind: graphgen.OverBudget, Node: r.NodeName(), Err: err})
}

// spentBy returns the budget that a failure of the current node is about: of the run, of one around it, or shared with others. It is nil
// for another failure, and where a budget cannot be enforced.
func (e *Ending) spentBy(err error) *graphgen.LimitError {
	part := e.part(err)
	spent, _ := part.(*graphgen.LimitError)
	if part == nil {
		spent = overBudget(err)
	}
	if spent == nil || budgetOf(spent) == nil || spent.Unpriced != "" {
		return nil
	}
	return spent
}

// bySpent ends the run at its current node: a budget is spent, and the node has no edge for that.
func (e *Ending) bySpent(spent *graphgen.LimitError) {
	at := e.run.where(e.run.here())
	e.byVerdict(&graphgen.HookError{Where: at, Hook: "budget", Err: spent})
	if e.run.related.parent != nil && spent.Unpriced == "" {
		e.run.more.make().spent = &graphgen.NodeError{Where: at, Attempt: e.run.Execution().Attempt(), Err: spent}
	}
}

// handSpent hands the end of a child run, because a budget is spent, to its parent's node. It returns the failure of that node, if that has an edge
// for it, else nil.
func (e *Ending) handSpent(parent *Run) error {
	spent := e.run.more.get().spent
	switch {
	case spent == nil:
		return nil
	case parent.budgetRoute() == Aborted:
		parent.more.make().spent = spent
		return nil
	}
	e.set(graphgen.Failed, spent)
	e.byChild = false
	return spent
}
