package graphrt

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/graphgen/graphgen/runtime/chat"
)

// Budgets bounds what models and tools may do in a run. A field that is 0 has no bound; below 0
// nothing is left. A run that has used up one of them ends, with the reason budget, before
// the next call. The tokens and the cost of the call that uses up a budget are known only
// after it.
type Budgets struct {
	Tokens     int     // in and out
	Cost       float64 // US dollars, where the models' prices are known
	ModelCalls int
	ToolCalls  int
}

// lower returns the lower bound of each.
func (b Budgets) lower(c Budgets) Budgets {
	return Budgets{least(b.Tokens, c.Tokens), least(b.Cost, c.Cost), least(b.ModelCalls, c.ModelCalls), least(b.ToolCalls, c.ToolCalls)}
}

func least[N int | float64](a, b N) N {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// A ToolCaller runs a tool's call.
type ToolCaller func(ctx context.Context, call *chat.ToolCall) (chat.ToolResult, error)

// agents holds the settings of models and tools.
type agents struct {
	model, light chat.Model
	named        map[string]chat.Model
	boxes        []chat.Toolbox
	around       []func(ToolCaller) ToolCaller
	aroundModels []func(chat.Model) chat.Model
	budget       Budgets
	turnCalls    int // of tools, in one turn; 0: DefaultTurnCalls
	dry          bool
	id           string
}

// WithModel replaces the model of the machine.
func WithModel(m chat.Model) Option { return func(s *settings) { s.model = m } }

// WithLightModel sets the light model, for nodes with the flag lightweight. Without it they use the
// machine's model.
func WithLightModel(m chat.Model) Option { return func(s *settings) { s.light = m } }

// WithNamedModel sets the model that nodes of the spec name. A name without this option
// is passed to the machine's model, whose provider looks up the model of that name.
func WithNamedModel(name string, m chat.Model) Option {
	return func(s *settings) {
		if s.named == nil {
			s.named = map[string]chat.Model{}
		}
		s.named[name] = m
	}
}

// WithToolbox gives tools that are known only at run time to the nodes with the flag
// inject_tools. Several add up.
func WithToolbox(t chat.Toolbox) Option {
	return func(s *settings) { s.boxes = append(s.boxes, t) }
}

// AroundTools wraps every tool call with around, as middleware: to log, to ask for
// permission, to record. around gets the caller that it wraps.
func AroundTools(around func(ToolCaller) ToolCaller) Option {
	return func(s *settings) { s.around = append(s.around, around) }
}

// AroundModels wraps every model that a node asks with around, as middleware: to trace, to log, to
// change requests. around gets the model that it wraps. A call of it is one answer of the node: the
// calls that chat.Retry and chat.Fallback make for it are within. It may answer itself; that counts
// as no call. An answer that it gives is not priced: see chat.Priced.
func AroundModels(around func(chat.Model) chat.Model) Option {
	return func(s *settings) { s.aroundModels = append(s.aroundModels, around) }
}

// WithBudgets bounds what models and tools may do in a run. The lowest of several bounds holds,
// including those of the spec.
func WithBudgets(b Budgets) Option { return func(s *settings) { s.budget = s.budget.lower(b) } }

// DefaultTurnCalls is the number of tools that a model may call in one turn unless an option sets it.
const DefaultTurnCalls = 1000

// WithTurnCalls bounds how many tools a model may call in one turn, in place of
// DefaultTurnCalls. An answer with more calls is sent back to the model as invalid: none of its
// calls is made. A provider may have a lower bound of its own.
func WithTurnCalls(most int) Option { return func(s *settings) { s.turnCalls = most } }

// DryRun stops runs, with the reason stopped and no error, before they leave the first node
// whose edges have conditions.
func DryRun() Option { return func(s *settings) { s.dry = true } }

// WithRunID sets the run's name in idempotency keys, in place of a random one.
func WithRunID(id string) Option { return func(s *settings) { s.id = id } }

// spending is what the models and tools of a run have used.
type spending struct {
	usage       chat.Usage
	usages      []nodeUsage // by node
	since       nodeUsage   // of one node, since its prompt was written
	overdrawn   ending      // of a judge or a fail_soft node: the run ends with this step
	modelCalls  int
	tools       ToolCount
	heldOutside int    // calls of tools that the runs around this one hold for this turn
	said        string // the answer of the current node, for the event that ends its step
}

type nodeUsage struct {
	node       Node
	usage      chat.Usage
	modelCalls int
	tools      ToolCount
	confidence float64
}

// A ToolCount counts calls of tools.
type ToolCount struct {
	Made         int // those deduplicated not among them
	Failed       int // of the made ones
	Deduplicated int // calls of pure tools that were answered from an earlier one
}

func (c *ToolCount) add(d ToolCount) {
	c.Made += d.Made
	c.Failed += d.Failed
	c.Deduplicated += d.Deduplicated
}

// Model returns the model of a node: the named one, or the light one, or the machine's. override
// is the name of another model for the provider to use. The error is a BudgetExceeded if there is a
// budget of money and the model has no price.
func (r *Run) Model(own chat.Model, name string, light bool) (model chat.Model, override string, err error) {
	if m, ok := r.named[name]; ok && name != "" {
		return m, "", r.priced(m, "the model named "+strconv.Quote(name), "")
	}
	model, is := own, "the model of graph "+r.graph.Name
	if r.model != nil {
		model = r.model
	}
	if light && r.light != nil {
		model, is = r.light, "the smaller model of graph "+r.graph.Name
	}
	return model, name, r.priced(model, is, name)
}

// TurnCalls returns how many tools a model may call in one turn.
func (r *Run) TurnCalls() int {
	if r.turnCalls <= 0 {
		return DefaultTurnCalls
	}
	return r.turnCalls
}

// A ModelUse identifies a model that a graph calls: by its name, as the light model, or, if it
// is zero, the machine's own.
type ModelUse struct {
	Name  string
	Light bool
}

// affordable ends the run before its first node, and returns false, if it has a budget of money and
// one of its nodes' models has no price. own is the machine's model.
func (r *Run) affordable(own chat.Model) bool {
	for _, use := range r.graph.Models {
		if _, _, err := r.Model(own, use.Name, use.Light); err != nil {
			r.At = r.graph.to(entry)
			r.ruled(&HookError{Where: r.where(r.At), Hook: "budget", Err: err})
			r.At = End
			return false
		}
	}
	return true
}

// priced returns an error when the run, or a parent, has a budget of money and the model has
// no price: the budget could not be enforced. is describes which of the machine's models it
// is; name is the Model of the request.
func (r *Run) priced(model chat.Model, is, name string) error {
	at := r
	for at.budget.Cost == 0 {
		if at.outer == nil {
			return nil
		}
		at = at.outer.run
	}
	part := chat.Unpriced(model, name)
	switch part {
	case "":
		return nil
	case chat.NoPrice:
		part = is
	default:
		part += " of " + is
	}
	spent := &BudgetExceeded{What: "US dollars", Limit: at.budget.Cost, Unpriced: part}
	if at != r {
		spent.of = at
	}
	return spent
}

// Toolboxes returns the tools known only at run time.
func (r *Run) Toolboxes() []chat.Toolbox { return r.boxes }

// CallTool calls a tool by c, through the tool wrappers of the run.
func (r *Run) CallTool(ctx context.Context, call *chat.ToolCall, c interface {
	CallTool(context.Context, *chat.ToolCall) (chat.ToolResult, error)
}) (chat.ToolResult, error) {
	if len(r.around) == 0 {
		return c.CallTool(ctx, call)
	}
	caller := ToolCaller(c.CallTool)
	for _, around := range slices.Backward(r.around) {
		caller = around(caller)
	}
	return caller(ctx, call)
}

// WrapsModels reports whether the run has wrappers of models.
func (r *Run) WrapsModels() bool { return len(r.aroundModels) > 0 }

// WrapModel returns a model within the wrappers of the run.
func (r *Run) WrapModel(m chat.Model) chat.Model {
	for _, around := range slices.Backward(r.aroundModels) {
		m = around(m)
	}
	return m
}

// Asking returns an error when the budget has no further call of a model, or a stop ends the run with this step.
func (r *Run) Asking() error {
	if stop, ok := r.overdrawn.(*StopError); ok {
		return stop // the run ends with this step: no model judges its edges
	}
	if r.outer == nil {
		return r.room(0)
	}
	if err := r.outer.ask(); err != nil {
		return err
	}
	err := r.room(0)
	if err != nil {
		r.giveBack()
	}
	return err
}

// room returns an error when the budget of this run has no model call left besides those that
// child runs have reserved.
func (r *Run) room(besides int) error {
	switch {
	case r.budget == (Budgets{}):
		return nil
	case r.purse != nil:
		return r.purse.ask(&r.budget)
	}
	return r.budget.asking(r.modelCalls+besides, &r.usage)
}

// asking returns an error when what was used leaves no call of a model.
func (b *Budgets) asking(calls int, used *chat.Usage) error {
	switch {
	case b.ModelCalls != 0 && calls >= b.ModelCalls:
		return &BudgetExceeded{What: "model calls", Limit: float64(b.ModelCalls), Used: float64(calls)}
	case b.Tokens != 0 && used.Tokens() >= b.Tokens:
		return &BudgetExceeded{What: "tokens", Limit: float64(b.Tokens), Used: float64(used.Tokens())}
	case b.Cost != 0 && used.Cost >= b.Cost:
		return &BudgetExceeded{What: "US dollars", Limit: b.Cost, Used: used.Cost}
	}
	return nil
}

// Asked counts a call of a model, and returns what it used, as far as that is plausible.
func (r *Run) Asked(u chat.Usage) chat.Usage {
	u = plausible(u)
	since := r.counting()
	r.modelCalls++
	since.modelCalls++
	if r.purse != nil {
		r.purse.spend(u)
	}
	if r.outer != nil {
		r.outer.asked(u)
	}
	if u != (chat.Usage{}) {
		r.usage = r.usage.Add(u)
		since.usage = since.usage.Add(u)
	}
	return u
}

// plausible returns the usage without values that are negative, out of all proportion, or no
// number: a budget must not grow by use.
func plausible(u chat.Usage) chat.Usage {
	const most = math.MaxInt >> 23 // tokens of a call: sums of these do not overflow
	for _, n := range []*int{&u.Input, &u.Output, &u.Reasoning, &u.CacheRead, &u.CacheWrite} {
		*n = min(max(*n, 0), most)
	}
	if !(u.Cost >= 0) {
		u.Cost = 0
	}
	return u
}

// Calling returns an error when the budget has fewer than calls tool calls left.
func (r *Run) Calling(calls int) error {
	if r.outer != nil {
		if err := r.outer.hold(calls); err != nil {
			return err
		}
		r.heldOutside += calls
	}
	if r.purse != nil {
		return r.hold(calls)
	}
	return r.budget.calling(r.tools.Made, calls)
}

func (b *Budgets) calling(made, calls int) error {
	if most := b.ToolCalls; most != 0 && made+calls > most {
		return &BudgetExceeded{What: "tool calls", Limit: float64(most), Used: float64(made)}
	}
	return nil
}

// Called counts calls of tools.
func (r *Run) Called(c ToolCount) {
	if r.outer != nil {
		r.outer.called(r.heldOutside, c)
		r.heldOutside = 0
	}
	r.countCalls(c)
}

func (r *Run) countCalls(c ToolCount) {
	r.tools.add(c)
	if r.purse != nil {
		r.release(c.Made)
	}
	r.counting().tools.add(c)
}

// counting returns the usage of the current node since its prompt was written, or since the
// run entered it.
func (r *Run) counting() *nodeUsage {
	if at := r.here(); r.since.node != at {
		r.tallyUp()
		r.since.node = at
	}
	return &r.since
}

// tallyUp adds what was counted to its node's.
func (r *Run) tallyUp() {
	since := &r.since
	if since.modelCalls > 0 || since.tools != (ToolCount{}) {
		r.use(since.node, since)
	}
	*since = nodeUsage{node: since.node}
}

// use adds what was used at a node to its sum.
func (r *Run) use(n Node, u *nodeUsage) {
	if r.usages == nil {
		r.usages = make([]nodeUsage, len(r.graph.Nodes))
	}
	r.usages = grown(r.usages, int(n))
	sum := &r.usages[n]
	sum.usage = sum.usage.Add(u.usage)
	sum.modelCalls += u.modelCalls
	sum.tools.add(u.tools)
}

// Opened marks the start of a prompt: the usage of models and tools counts from there.
func (r *Run) Opened() {
	r.counting()
	r.tallyUp()
}

// Said records the answer for the event that ends the step.
func (r *Run) Said(answer string) {
	if r.watched() {
		r.said = answer
	}
}

// Confident records the confidence of the current node's answer, from 0 to 1.
func (r *Run) Confident(confidence float64) { r.counting().confidence = confidence }

// Attempt returns the number of the current execution of the step, from 1.
func (r *Run) Attempt() int { return max(1, r.attempts) }

// Visit returns the number of the current visit of the current node, from 1.
func (r *Run) Visit() int {
	return r.visit(r.here())
}

// Refused reports whether guards have refused the attempt before this one.
func (r *Run) Refused() bool { return r.declined }

// FromCache reports whether the current node was not executed because its output is in the
// cache.
func (r *Run) FromCache() bool { return r.cached }

// Feedback returns the messages of the guards that refused the attempt before this one or,
// after an on: guard_fail edge, the output of the node before.
func (r *Run) Feedback() []string { return r.feedback }

// Observed reports whether the run or a parent has observers.
func (r *Run) Observed() bool { return len(r.observers) > 0 || r.outer != nil && r.outer.observed }

// Tell sends an event of the current node to the observers.
func (r *Run) Tell(e Event) {
	if !r.Observed() {
		return
	}
	e.Node = r.graph.NodeName(r.here())
	r.notify(&e)
}

// Tokens returns the function that receives the deltas of a streaming model, or nil if the run has no observers.
func (r *Run) Tokens() func(chat.Delta) {
	if !r.Observed() {
		return nil
	}
	return func(d chat.Delta) {
		e := Event{Kind: Token, Text: d.Text, Reasoning: d.Reasoning}
		if d.Tool != "" {
			e.Call = &Call{Name: d.Tool}
		}
		r.Tell(e)
	}
}

// Dry reports whether the run is a dry one, in which no model judges edges.
func (r *Run) Dry() bool { return r.dry }

// stopDry ends a dry run before it leaves a node whose edges have conditions.
func (r *Run) stopDry(from Node) bool {
	if !r.dry || from == End {
		return false
	}
	for i := range r.graph.Ways {
		w := &r.graph.Ways[i]
		if w.From == from && w.Rule == RuleEdge && w.Text != "" {
			r.end(Stopped, nil)
			return true
		}
	}
	return false
}

// A callContext is the context of one call of a tool.
type callContext struct {
	context.Context
	run          *Run
	step, number int
}

type callKey struct{}

func (c *callContext) Value(key any) any {
	if key == (callKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// Step returns the number of the current step of the run, from 1.
func (r *Run) Step() int {
	return r.step()
}

// CallContext returns the context for the call of that number in a step.
func (r *Run) CallContext(ctx context.Context, step, number int) context.Context {
	return &callContext{ctx, r, step, number}
}

// IdempotencyKey returns a key for external effects of a handler or a tool. It is the same when a
// step is executed again, and differs for every other step or call. It is empty outside of a run.
func IdempotencyKey(ctx context.Context) string {
	r, _ := ctx.Value(runKey{}).(*Run)
	if r == nil {
		return ""
	}
	of := r.outermost().name()
	if r.branch != "" {
		of += "/" + r.branch
	}
	r.asking.Lock()
	defer r.asking.Unlock()
	if c, ok := ctx.Value(callKey{}).(*callContext); ok && c.run == r {
		return of + "/" + strconv.Itoa(c.step) + "/" + strconv.Itoa(c.number)
	}
	return of + "/" + strconv.Itoa(r.Step())
}

// name returns the run's name in idempotency keys.
func (r *Run) name() string {
	if r.outer != nil {
		return r.outer.name()
	}
	r.asking.Lock()
	defer r.asking.Unlock()
	if r.id == "" {
		r.id = strconv.FormatUint(rand.Uint64(), 36) + strconv.FormatUint(rand.Uint64(), 36)
	}
	return r.id
}

// IsOverBudget reports whether an error is that the budget of the run in which it occurred is
// spent or cannot be enforced. The same error of another run, which a handler or a tool
// started, does not count.
func IsOverBudget(err error) bool { return overBudget(err) != nil }

func overBudget(err error) *BudgetExceeded {
	switch e := err.(type) {
	case *BudgetExceeded:
		return e
	case *RunError:
		return nil
	case interface{ Unwrap() error }:
		return overBudget(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			if spent := overBudget(part); spent != nil {
				return spent
			}
		}
	}
	return nil
}

// overBudget ends the run if a failure is that its budget is spent, or an error of a child run
// that ends it too. It reports whether it did.
func (r *Run) overBudget(err error) bool {
	if e := r.endingOf(err); e != nil && !r.over {
		r.endBy(e)
		return true
	}
	spent := overBudget(err)
	if spent == nil || r.over {
		return spent != nil
	}
	r.ruled(&HookError{Where: r.where(r.here()), Hook: "budget", Err: spent})
	return true
}
