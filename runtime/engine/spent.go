package engine

import "github.com/graphgen/graphgen"

// A node that finds a budget spent takes its first open on: budget edge. If none is open, its run ends; then the node around it that executes the run
// has found the budget spent, and so on. The outermost run ends over its budget.

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

// spentRoute returns the budget edge that the current node takes with a failure. It returns Aborted if none is open, and for a failure that is not
// about a spent budget.
func (e *Ending) spentRoute(err error) TransitionID {
	r := e.run
	transition := r.path.budgetRoute(r.At, r.IsCancelled())
	if transition != Aborted && e.spentBy(err) == nil {
		return Aborted
	}
	return transition
}

// verdictRoute is spentRoute after a step in which a judge found a budget spent, or a node that has failed softly. If it returns an edge, the run does
// not end with the step.
func (e *Ending) verdictRoute() TransitionID {
	x := e.run.more.get()
	over := x.agent.verdict()
	if over == nil {
		return Aborted
	}
	transition := e.spentRoute(over)
	if transition == Aborted {
		return Aborted
	}
	x.agent.overdrawn = nil
	if soft, ok := x.soft.(*graphgen.NodeError); ok && over == error(overBudget(soft)) {
		over = soft.Err
	}
	e.emitSpent(over)
	return transition
}

// emitSpent reports that the current node has found a budget spent, and that the run continues. Where a run within it has found that, that run has
// reported it.
func (e *Ending) emitSpent(err error) {
	switch err.(type) {
	case *graphgen.NodeError, *graphgen.BranchesError:
		return
	}
	e.run.notify(&graphgen.Event{Kind: graphgen.OverBudget, Node: e.run.NodeName(), Err: e.spentBy(err)})
}

// handSpent returns the failure of the parent's node after a spent budget has ended this run, if the node has an open budget edge. Else it returns
// nil: the budget ends the parent, too.
func (e *Ending) handSpent(parent *Run) error {
	spent := e.run.more.get().spent
	switch {
	case spent == nil:
		return nil
	case parent.path.budgetRoute(parent.At, parent.IsCancelled()) == Aborted:
		parent.more.make().spent = spent
		return nil
	}
	e.set(graphgen.Failed, spent)
	e.byChild = false
	return spent
}
