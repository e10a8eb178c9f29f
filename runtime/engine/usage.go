package engine

import (
	"math"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/incomparable"
)

type nodeUsage struct {
	_ incomparable.Struct

	node       NodeID
	usage      chat.Usage
	modelCalls int
	tools      graphgen.ToolCount
	confidence float64
}

// unlimited reports whether no option and no run around this one limits or shares what the run uses.
func (r *Run) unlimited() bool { return r.settings == &noSettings && r.related == nil }

// Asking returns an error when the budget has no further call of a model, or a stop ends the run with this step.
func (r *Run) Asking() error {
	if stop, ok := r.activity().overdrawn.(*graphgen.StopError); ok {
		return stop // the run ends with this step: no model judges its edges
	}
	if r.unlimited() {
		return nil
	}
	shared := r.sharing()
	if shared != nil {
		if err := shared.ask(r); err != nil {
			return err
		}
	}
	err := r.reserve()
	if err != nil && shared != nil {
		shared.giveBack(r)
	}
	return err
}

// reserve reserves a call of a model in the budgets of the run and of its parents.
func (r *Run) reserve() error {
	if r.settings.nesting == nil {
		return r.room(0)
	}
	if err := r.settings.nesting.parents.ask(); err != nil {
		return err
	}
	err := r.room(0)
	if err != nil {
		r.settings.nesting.parents.giveBack()
	}
	return err
}

// room returns an error when the budget of this run has no model call left besides those that
// child runs have reserved.
func (r *Run) room(besides int) error {
	switch {
	case r.relations().ledger == nil:
		return mayAsk(&r.settings.Budgets, r.activity().modelCalls+besides, &r.activity().usage)
	case r.settings.Budgets == (graphgen.Budgets{}):
		return nil
	}
	return r.relations().ledger.ask(&r.settings.Budgets)
}

// mayAsk returns an error when what was used of a budget leaves no call of a model.
func mayAsk(b *graphgen.Budgets, calls int, used *chat.Usage) error {
	switch {
	case b.ModelCalls != 0 && calls >= b.ModelCalls:
		return overspent("model calls", float64(b.ModelCalls), float64(calls))
	case b.Tokens != 0 && used.Tokens() >= b.Tokens:
		return overspent("tokens", float64(b.Tokens), float64(used.Tokens()))
	case b.Cost != 0 && used.Cost >= b.Cost:
		return overspent("US dollars", b.Cost, used.Cost)
	}
	return nil
}

// Asked counts a call of a model, and reduces what it used to what is plausible.
func (r *Run) Asked(u *chat.Usage) {
	plausible(u)
	if shared := r.sharing(); shared != nil {
		shared.asked(r, *u)
	}
	r.countCall(u)
}

// countCall counts a call of a model for the run and its parents.
func (r *Run) countCall(u *chat.Usage) {
	a := r.counting()
	a.modelCalls++
	a.since.modelCalls++
	if ledger := r.relations().ledger; ledger != nil {
		ledger.spend(*u)
	}
	if r.settings.nesting != nil {
		r.settings.nesting.parents.asked(*u)
	}
	addUsage(&a.usage, u)
	addUsage(&a.since.usage, u)
	if b := r.more.book; b != nil {
		s := b.now(r)
		s.ModelCalls++
		addUsage(&s.Usage, u)
	}
}

// addUsage adds what a call has used to a sum. It is as Usage.Add, and copies neither.
func addUsage(sum, u *chat.Usage) {
	sum.Input += u.Input
	sum.Output += u.Output
	sum.Reasoning += u.Reasoning
	sum.CacheRead += u.CacheRead
	sum.CacheWrite += u.CacheWrite
	sum.Cost += u.Cost
}

// plausible replaces values that are negative, out of all proportion, or no number: a budget must
// not grow by use.
func plausible(u *chat.Usage) {
	const most = math.MaxInt >> 23 // tokens of a call: sums of these do not overflow
	if uint(u.Input|u.Output|u.Reasoning|u.CacheRead|u.CacheWrite) <= most && u.Cost >= 0 {
		return
	}
	u.Input, u.Output = min(max(u.Input, 0), most), min(max(u.Output, 0), most)
	u.Reasoning = min(max(u.Reasoning, 0), most)
	u.CacheRead, u.CacheWrite = min(max(u.CacheRead, 0), most), min(max(u.CacheWrite, 0), most)
	if !(u.Cost >= 0) {
		u.Cost = 0
	}
}

// Calling returns an error when the budget has fewer than calls tool calls left.
func (r *Run) Calling(calls int) error {
	if r.unlimited() {
		return nil
	}
	shared := r.sharing()
	if shared != nil {
		if err := shared.hold(r, calls); err != nil {
			return err
		}
	}
	err := r.holdCalls(calls)
	switch {
	case shared == nil:
	case err != nil:
		shared.called(r, calls, 0)
	case r.settings.nesting == nil:
		r.withActivity().heldOutside += calls
	}
	return err
}

// holdCalls reserves calls of tools in the budgets of the run and of its parents.
func (r *Run) holdCalls(calls int) error {
	if r.settings.nesting != nil {
		if err := r.settings.nesting.parents.hold(calls); err != nil {
			return err
		}
		r.withActivity().heldOutside += calls
	}
	if r.relations().ledger != nil {
		return r.hold(calls)
	}
	return mayCall(&r.settings.Budgets, r.activity().tools.Made, calls)
}

// mayCall returns an error when fewer than calls tool calls are left of a budget.
func mayCall(b *graphgen.Budgets, made, calls int) error {
	if most := b.ToolCalls; most != 0 && made+calls > most {
		return overspent("tool calls", float64(most), float64(made))
	}
	return nil
}

// Called counts calls of tools.
func (r *Run) Called(c graphgen.ToolCount) {
	if !r.unlimited() {
		held := r.activity().heldOutside
		if shared := r.sharing(); shared != nil {
			shared.called(r, held, c.Made)
		}
		if r.settings.nesting != nil {
			r.settings.nesting.parents.called(held, c)
		}
		if held > 0 {
			r.more.active.heldOutside = 0
		}
	}
	r.countCalls(c)
}

func (r *Run) countCalls(c graphgen.ToolCount) {
	a := r.counting()
	a.tools, a.since.tools = a.tools.Add(c), a.since.tools.Add(c)
	if r.relations().ledger != nil {
		r.release(c.Made)
	}
	if b := r.more.book; b != nil {
		s := b.now(r)
		s.ToolCalls, s.ToolFailures, s.Deduplicated = s.ToolCalls+c.Made, s.ToolFailures+c.Failed, s.Deduplicated+c.Deduplicated
	}
}

// counting returns what the run has used: since has what the current node has used since its prompt was written, or since the
// run entered it.
func (r *Run) counting() *activity {
	a := r.withActivity()
	if at := r.here(); a.since.node != at {
		r.tallyUp()
		a.since.node = at
	}
	return a
}

// tallyUp adds what was counted to its node's.
func (r *Run) tallyUp() {
	if r.extra().active == nil {
		return
	}
	since := &r.more.active.since
	if since.modelCalls > 0 || since.tools != (graphgen.ToolCount{}) {
		r.use(since.node, since)
	}
	*since = nodeUsage{node: since.node}
}

// use adds what was used at a node to its sum.
func (r *Run) use(n NodeID, u *nodeUsage) {
	a := r.withActivity()
	if a.usages == nil {
		a.usages = make([]nodeUsage, len(r.graph.Nodes))
	}
	a.usages = grown(a.usages, int(n))
	sum := &a.usages[n]
	sum.usage = sum.usage.Add(u.usage)
	sum.modelCalls += u.modelCalls
	sum.tools = sum.tools.Add(u.tools)
}

// overspent returns the error of a budget, of which more is used than it has.
func overspent(of string, most, used float64) error {
	return &graphgen.LimitError{Limit: graphgen.LimitBudget, Of: of, Max: most, Used: used}
}
