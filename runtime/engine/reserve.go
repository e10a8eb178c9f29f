package engine

import (
	"context"
	"math"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/origin"
)

// isUnlimited reports whether no option and no run around this one limits or shares what the run uses.
func (a *Agent) isUnlimited() bool {
	return a.run.settings == &noSettings && a.run.related.ledger == nil
}

// ReserveCall returns an error when the budget has no further call of a model, or a stop ends the run with this step. A call whose answer is saved was
// counted by the ledgers that runs share when it was made.
func (a *Agent) ReserveCall(saved bool) error {
	if stop, ok := a.overdrawn.(*graphgen.StopError); ok {
		return stop // the run ends with this step: no model judges its edges
	}
	if a.isUnlimited() {
		return nil
	}
	shared := sharedBy(a.run)
	if saved {
		shared = nil
	}
	if err := shared.reserveCall(a.run); err != nil {
		return err
	}
	err := a.reserveOwn()
	if err != nil {
		shared.releaseCall()
	}
	return err
}

// reserveOwn reserves a call of a model in the budgets of the run and of its parents.
func (a *Agent) reserveOwn() error {
	if a.run.settings.nesting == nil {
		return a.checkCall(0)
	}
	if err := a.run.settings.nesting.reserveCall(); err != nil {
		return err
	}
	err := a.checkCall(0)
	if err != nil {
		a.run.settings.nesting.releaseCall()
	}
	return err
}

// HoldCall reserves a call of a model that was made elsewhere, whether or not the budget has it: what it has used was paid for.
func (a *Agent) HoldCall() {
	if a.isUnlimited() {
		return
	}
	sharedBy(a.run).holdCall()
	a.holdCall()
}

// holdCall holds a call that was made in the budgets of the run and of its parents.
func (a *Agent) holdCall() {
	if n := a.run.settings.nesting; n != nil {
		n.holdCall()
	}
	if l := a.run.related.ledger; l != nil && a.run.settings.Budgets != (graphgen.Budgets{}) {
		l.holdCall()
	}
}

// holdCall holds a call that was made in the budgets of all parents.
func (n *nesting) holdCall() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.run.Agent().holdCall()
	n.asks++
}

// paidKey is the key of a context for calls of models that were made.
type paidKey struct{}

// PaidFor returns a context with which a Caller counts calls of models as HoldCall does: they were made elsewhere, and their answers are repeated.
func PaidFor(ctx context.Context) context.Context { return context.WithValue(ctx, paidKey{}, true) }

// IsPaidFor reports whether a context is one of PaidFor.
func IsPaidFor(ctx context.Context) bool { return ctx.Value(paidKey{}) != nil }

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

// checkCall returns an error when the budget of this run has no model call left besides those that
// child runs have reserved.
func (a *Agent) checkCall(besides int) error {
	switch {
	case a.run.related.ledger == nil:
		return mayAsk(&a.run.settings.Budgets, a.modelCalls+besides, &a.usage)
	case a.run.settings.Budgets == (graphgen.Budgets{}):
		return nil
	}
	return a.run.related.ledger.reserveCall(&a.run.settings.Budgets)
}

// Unspent returns what the budgets of the run that ctx belongs to, and of its parents, have left for the call of a model that is under way and for those that
// may follow it; 0: there is no bound. The ledgers that runs share are not asked.
func Unspent(ctx context.Context) (left graphgen.Budgets) {
	of, ok := ctx.Value(origin.RunKey{}).(source)
	if !ok {
		return left
	}
	left = of.run.unspent(0)
	for n := of.run.settings.nesting; n != nil; n = n.run.settings.nesting {
		left = left.Lower(n.unspent())
	}
	return left
}

// unspent returns what the budgets of the parent have left.
func (n *nesting) unspent() graphgen.Budgets {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.run.unspent(n.asks - 1)
}

// unspent returns what the budgets of this run have left, besides the calls that child runs have reserved.
func (r *Run) unspent(besides int) (left graphgen.Budgets) {
	a, b := r.Agent(), &r.settings.Budgets
	calls, used := a.modelCalls+besides, a.usage
	if l := r.related.ledger; l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		calls, used = l.modelCalls-1, l.usage
	}
	if b.ModelCalls != 0 {
		left.ModelCalls = max(b.ModelCalls-calls, 1)
	}
	if b.Tokens != 0 {
		left.Tokens = max(b.Tokens-used.Tokens(), 1)
	}
	if b.Cost != 0 && !math.IsInf(b.Cost, 1) { // which no JSON has
		left.Cost = max(b.Cost-used.Cost, math.SmallestNonzeroFloat64)
	}
	return left
}

// CountCall counts a call of a model, and reduces what it used to what is plausible.
func (a *Agent) CountCall(u *chat.Usage, saved bool) {
	plausible(u)
	if !saved {
		sharedBy(a.run).countCall(*u)
	}
	a.addCall(u)
}

// addCall counts a call of a model for the run and its parents.
func (a *Agent) addCall(u *chat.Usage) {
	a.enterNode()
	a.modelCalls++
	a.since.modelCalls++
	if ledger := a.run.related.ledger; ledger != nil {
		ledger.addUsage(*u)
	}
	if a.run.settings.nesting != nil {
		a.run.settings.nesting.countCall(*u)
	}
	addUsage(&a.usage, u)
	addUsage(&a.since.usage, u)
	if b := a.run.more.details; b != nil {
		s := b.ofStep(&a.run.path)
		s.ModelCalls++
		addUsage(&s.Usage, u)
	}
}

// countCall counts a call of a model.
func (n *nesting) countCall(u chat.Usage) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asks = max(0, n.asks-1)
	n.run.Agent().addCall(&u)
}

// ReserveTools returns an error when the budget has fewer than calls tool calls left. Some of the calls have saved results: as calls of models with saved
// answers.
func (a *Agent) ReserveTools(calls, saved int) error {
	if a.isUnlimited() || calls == 0 {
		return nil
	}
	shared := sharedBy(a.run)
	if calls == saved {
		shared = nil // others may have used more than there is
	}
	if err := shared.reserveTools(a.run, calls-saved); err != nil {
		return err
	}
	if err := a.reserveOwnTools(calls); err != nil {
		shared.countTools(calls-saved, 0)
		return err
	}
	if shared != nil {
		a.heldShared += calls - saved
	}
	return nil
}

// reserveOwnTools reserves calls of tools in the budgets of the run and of its parents.
func (a *Agent) reserveOwnTools(calls int) error {
	if a.run.settings.nesting != nil {
		if err := a.run.settings.nesting.reserveTools(calls); err != nil {
			return err
		}
		a.heldOutside += calls
	}
	if a.run.related.ledger != nil {
		return a.holdTools(calls)
	}
	return mayCall(&a.run.settings.Budgets, a.tools.Made, calls)
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

// CountTools counts calls of tools, some of which have saved results: as calls of models with saved answers.
func (a *Agent) CountTools(c graphgen.ToolCount, saved int) {
	if !a.isUnlimited() {
		sharedBy(a.run).countTools(a.heldShared, c.Made-saved)
		if a.run.settings.nesting != nil {
			a.run.settings.nesting.countTools(a.heldOutside, c)
		}
		a.heldShared, a.heldOutside = 0, 0
	}
	a.addTools(c)
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
