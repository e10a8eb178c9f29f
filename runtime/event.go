package graphrt

import (
	"context"
	"errors"
	"time"

	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/internal/origin"
)

// EventKind is the kind of an Event.
type EventKind uint8

const (
	RunStart      EventKind = iota // before the first step, and after a pause
	NodeStart                      // a step begins
	NodeEnd                        // its node succeeded, its writes are committed
	NodeFailed                     // its node failed
	Routed                         // the next node was chosen
	RouteRejected                  // an output named a node that has no transition from here: Text
	Retry                          // an execution failed, another follows after Wait
	Progress                       // a loop begins an iteration, or a prompt is cut; the detail is in Reason
	Token                          // a piece of a model's answer: Text, Reasoning, or the Tool it will call
	ModelStart                     // a model is called, over the wire
	ModelEnd                       // it has answered, or failed: Err
	ToolStart                      // a tool is called
	ToolEnd                        // it has answered, or failed: Err
	CacheHit                       // the cache has the output
	OverBudget                     // a governing hook found a budget spent, and ends the run
	Mutated                        // the node requested a change of its run's graph: Text; Reason is why it was refused
	Interrupt                      // the run pauses for a person; Text is the question
	RunEnd                         // after the last step, and at a pause; Report is set
)

// String returns the kind's name.
func (k EventKind) String() string {
	return [...]string{
		"run_start", "node_start", "node_end", "node_error", "route", "route_rejected", "retry", "progress",
		"token", "model_start", "model_end", "tool_start", "tool_end", "cache_hit", "budget", "mutation", "interrupt", "run_end",
	}[k]
}

// An Event is something that happened in a run, in the order of SEMANTICS section 10.
type Event struct {
	Kind    EventKind
	Skipped bool // of NodeEnd: the node was not executed

	Line, Col int32 // of the node in the spec; of Routed: of the transition taken; 0: it has none

	Time     time.Time // NodeStart reads the clock, and so does the end of a step: Routed has the time of NodeEnd
	Run      *RunInfo  // the run, or branch of it, at which it happened; its events share it
	Node     string    // the node at which it happened; empty for RunStart and for the Routed event that enters the graph
	NodeKind string    // func, prompt, parallel, …
	Step     int       // counts from 1
	Visit    int       // counts from 1
	Attempt  int       // of Retry: the execution that failed

	Text      string // of Token; of ToolStart: the arguments; of ToolEnd: the result; of NodeEnd: the answer of a verbose node; of RouteRejected: what the output named; of Interrupt: the question; of Mutated: the request
	Reasoning string // of Token
	Reason    string // of Progress: what happens; of Mutated: why it was refused

	Wait time.Duration // of Retry
	Err  error         // of NodeFailed, Retry, RouteRejected, ModelEnd, ToolEnd, OverBudget and RunEnd

	Route  *Route  // of Routed
	Call   *Call   // of ModelStart, ModelEnd, ToolStart and ToolEnd; of Token: the tool that the model begins to call
	Report *Report // of RunEnd

	Origin origin.Ref `json:"-"` // the run, for State and Output
}

// Pos returns the place of the node in the spec; of Routed, that of the transition taken.
func (e *Event) Pos() Position {
	if e.Run == nil || e.Line == 0 {
		return Position{}
	}
	return Position{File: e.Run.File, Line: int(e.Line), Col: int(e.Col)}
}

// RunInfo identifies a run, or a branch of it. It never changes.
type RunInfo struct {
	ID     string // as WithRunID sets it, or random; that of a child run of a subgraph begins with its parent's
	Thread string // the durable series of runs that it belongs to; empty: none
	Graph  string
	File   string // the spec
	Within string // of a child run of a subgraph: the path of the parents' nodes that started it, joined by /; empty elsewhere
	Branch string // of composite nodes: names, and indices of elements from 0, outermost first, as in each/3; empty outside of branches
}

// A Route is the choice of the next node.
type Route struct {
	To     string // the next node
	Rule   Rule
	Reason string // the condition, or why no transition was left
	Label  string // of the edge
}

// A Call is a call of a model, or of a tool.
type Call struct {
	Name    string        // the tool, or the model: at its start the one that is asked for, empty for the provider's default; at its end the one that answered
	ID      string        // of a tool: its ID in the conversation; of ModelEnd: the provider's
	Latency time.Duration // of ModelEnd and ToolEnd
	Again   bool          // of a tool: not made, because the same call of a pure tool was answered before

	// Of models:
	Purpose chat.Purpose
	Attempt int         // counts from 1 the calls for one answer: those of chat.Retry and chat.Fallback
	Usage   chat.Usage  // of ModelEnd
	Finish  chat.Finish // of ModelEnd
}

// State returns the run's state as it is committed at the event, nil unless S is the
// graph's state type. It may be read until the observer returns, and must not be changed.
func State[S any](e Event) *S {
	r, ok := origin.Of(e.Origin).(interface{ CommittedState() any })
	if !ok {
		return nil
	}
	s, _ := r.CommittedState().(*S)
	return s
}

// Output returns the run's output, in a RunEnd event. O is the graph's output type.
func Output[O any](e Event) (O, bool) {
	var none O
	r, ok := origin.Of(e.Origin).(interface{ FinalOutput() any })
	if !ok || e.Kind != RunEnd {
		return none, false
	}
	o, ok := r.FinalOutput().(*O)
	if !ok {
		return none, false
	}
	return *o, true
}

// A Hook is called before, after and around every step. Its error is counted and
// otherwise ignored, unless it is Governing: then an error ends the run, with the reason
// budget if the error is a BudgetError, else failed. A panic is an error.
type Hook struct {
	Name   string
	Before func(context.Context, Event) error // a NodeStart event
	After  func(context.Context, Event) error // a NodeEnd or NodeFailed event

	// Around wraps the step, for spans, transactions and log scopes: what node does with all its
	// attempts, its writes, and the choice of the next node. It is called after Before, with the same
	// NodeStart event, and has returned before After is called. The first hook is the outermost; those of
	// a parent are around those of its child runs.
	//
	// It calls next once, on its own goroutine, with its context or one made from it: handlers, models and
	// tools get that one, and the steps of the branches and child runs of the node are in it. next returns
	// the failure of the step, or the *InterruptedError that pauses the run: a pause ends the scope, and the
	// rest of a resumed step is not wrapped. A node that is skipped is not wrapped either.
	//
	// When the step has failed, what Around returns is ignored: a hook does not change the failure of a
	// node. An error after a step that succeeded is the hook's. So is not calling next, or calling it again;
	// the step is executed without the hook, unless the hook is Governing.
	//
	// Before and After are called one after the other, Around is called on the goroutine of each branch.
	Around func(ctx context.Context, e Event, next func(context.Context) error) error

	Governing bool
}

// watched reports whether observers, hooks or timings need the steps.
func (r *Run) watched() bool {
	return len(r.settings.Observers) > 0 || len(r.settings.Hooks) > 0 || r.settings.Timings || r.settings.outer != nil && r.settings.outer.watched
}

// where describes a node of the run at this moment.
func (r *Run) where(n NodeID) Where {
	w := Where{Graph: r.graph.Name, Branch: r.relations().branch, Node: r.graph.NodeName(n), Pos: r.graph.nodePosition(n)}
	if n == r.here() {
		w.Step, w.Visit = r.step(), r.visit(n)
	}
	return w
}

// notify passes a copy of an event to each observer. It counts an observer's panic, and otherwise
// ignores it.
func (r *Run) notify(e *Event) {
	if !r.Observed() {
		return
	}
	if e.Run == nil {
		r.describe(e)
	}
	r.pass(e)
}

// named returns the node with a name, most likely the one given. It returns End where there is none.
func (g *Graph) named(name string, likely NodeID) NodeID {
	if g.NodeName(likely) == name {
		return likely
	}
	for n := range len(g.Nodes) + len(g.addedNodes) {
		if g.node(NodeID(n)).Name == name {
			return NodeID(n)
		}
	}
	return End
}

// location returns the names of the parents' nodes that started the run.
func (r *Run) location() string {
	if r.settings.outer == nil {
		return ""
	}
	return r.settings.outer.path
}

// pass delivers an event of this run or of a child run.
func (r *Run) pass(e *Event) {
	if r.host() != nil && r.Observed() {
		r.passOutside(*e)
		return
	}
	r.show(e)
}

// passOutside delivers an event of a branch on the goroutine of the run around it.
func (r *Run) passOutside(e Event) { r.outside(func() { r.show(&e) }) }

// show calls the observers, those of parents last.
func (r *Run) show(e *Event) {
	for i := 0; i < len(r.settings.Observers); {
		i = r.observe(i, e)
	}
	if r.settings.outer != nil {
		r.settings.outer.run.pass(e)
	}
}

// observe calls the observers from the number next on, and returns the number of the one to go on with: a
// panic ends the call.
func (r *Run) observe(next int, e *Event) (after int) {
	after = next
	defer func() {
		if recover() != nil {
			r.withExtra().hookFailures++
			after++
		}
	}()
	for ; after < len(r.settings.Observers); after++ {
		r.settings.Observers[after](*e)
	}
	return after
}

// enter reports the start of a step and returns true. It returns false when a governing hook ends the run.
func (r *Run) enter(n NodeID) bool {
	return !r.watched() || r.begins(n)
}

// begins is the part of enter for watched runs. It is a function of its own because events are
// large and runs without observers need small stacks.
//
//go:noinline
func (r *Run) begins(n NodeID) bool {
	x, now := r.withExtra(), r.now()
	e := r.stepEvent(NodeStart, now, r.graph.node(n), r.step(), r.visit(n))
	r.notify(&e)
	x.started, x.begun = true, now
	if !r.governed() {
		return true
	}
	if err := r.judge(&e, true); err != nil {
		r.retract()
		r.ruled(err)
		return false
	}
	r.wraps(n, &e)
	return true
}

// leave reports how the step ended and which transition the run takes.
func (r *Run) leave(way Way) {
	x := r.extra()
	first := r.At == End && x.passedOver == End // the run, or one within it, begins
	switch {
	case r.watched():
		if !r.leaves(way, first) {
			return
		}
	case x.overdrawn != nil:
		r.endBy(x.overdrawn)
		return
	}
	if !first {
		r.settle(way)
	}
	if r.related != nil {
		r.related.behind = 0
	}
	if x := r.more; x != nil {
		if x.feedback != nil && x.outcome != failedGuards {
			x.feedback = nil
		}
		if x.soft != nil {
			x.soft = nil
		}
		x.outcome, x.attempts, x.cached, x.passedOver = succeeded, 0, false, End
	}
}

// leaves is the part of leave for watched runs. It returns false when the run is over.
//
//go:noinline
func (r *Run) leaves(way Way, first bool) bool {
	x, at := r.withExtra(), r.here()
	ended := !first && x.passedOver == End
	if x.passedOver != End {
		at = x.passedOver
	}
	e := r.stepEvent(NodeEnd, r.now(), r.graph.node(at), r.step(), r.visit(at))
	if ended {
		if r.tellEnd(&e, at); r.over {
			return false
		}
	}
	if x.overdrawn != nil {
		r.endBy(x.overdrawn)
		return false
	}
	if !r.Observed() {
		return true
	}
	e.Kind, e.Skipped, e.Text, e.Err, e.Route = Routed, false, "", nil, r.route(way)
	if at == End {
		e.Node, e.NodeKind = "", ""
	}
	if way < firstCommon {
		w := r.graph.way(way)
		e.Line, e.Col = int32(w.Line), int32(w.Col)
		if at == End {
			e.Node, e.NodeKind = r.graph.leaving(w.From), r.graph.node(w.From).Kind // of a transition into the node's region
		}
	}
	r.notify(&e)
	return true
}

// tellDry reports the end of the last step of a dry run.
func (r *Run) tellDry(at NodeID) {
	e := r.stepEvent(NodeEnd, r.now(), r.graph.node(at), r.step(), r.visit(at))
	r.tellEnd(&e, at)
}

// tellEnd reports the end of a step.
func (r *Run) tellEnd(e *Event, at NodeID) {
	x := r.withExtra()
	e.Skipped = x.outcome == skipped
	if x.said != "" {
		e.Text, x.said = x.said, ""
	}
	if x.outcome == failed || x.outcome == failedSoft {
		e.Kind, e.Err = NodeFailed, x.failures[len(x.failures)-1].Err
	} else if x.started {
		r.stopWatch(e.Time)
		r.notify(e)
	}
	x.started = false
	if x.tellAll != nil {
		x.tellAll(r, at)
	}
	var err *HookError
	if r.governed() {
		err = r.judge(e, false)
	}
	if x.wrap != nil {
		if err == nil {
			err = x.wrap.verdict
		}
		x.wrap = nil
	}
	if err != nil {
		r.ruled(err)
	}
}

// governed reports whether the run or a parent has hooks.
func (r *Run) governed() bool {
	return len(r.settings.Hooks) > 0 || r.settings.outer != nil && r.settings.outer.run.governed()
}

// judge calls the hooks for a step of this run or of a child run, and returns the verdict of the first
// governing one.
func (r *Run) judge(e *Event, before bool) *HookError {
	if r.host() != nil && r.watched() {
		return r.judgeOutside(*e, before)
	}
	return r.verdict(e, before)
}

// judgeOutside calls the hooks for a step of a branch on the goroutine of the run around it.
func (r *Run) judgeOutside(e Event, before bool) (verdict *HookError) {
	r.outside(func() { verdict = r.verdict(&e, before) })
	return verdict
}

func (r *Run) verdict(e *Event, before bool) *HookError {
	var verdict *HookError
	for i := range r.settings.Hooks {
		h := &r.settings.Hooks[i]
		f := h.After
		if before {
			f = h.Before
		}
		if f == nil {
			continue
		}
		err := r.call(f, e)
		switch {
		case err == nil:
		case !h.Governing:
			r.withExtra().hookFailures++
		case verdict == nil:
			at := Where{Graph: e.Run.Graph, Branch: e.Run.Branch, Node: e.Node, Step: e.Step, Visit: e.Visit, Pos: e.Pos()}
			verdict = &HookError{Where: at, Hook: h.Name, Err: err}
		}
	}
	if r.settings.outer != nil && r.settings.outer.watched {
		if err := r.settings.outer.run.judge(e, before); err != nil && verdict == nil {
			if verdict = err; err.Origin == (origin.Ref{}) {
				err.Origin = origin.To(r.settings.outer.run)
			}
		}
	}
	return verdict
}

func (r *Run) call(f func(context.Context, Event) error, e *Event) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = newPanicError(v, r.graph)
		}
	}()
	return f(r.Context(), *e)
}

// ruled ends the run by the verdict of a governing hook.
func (r *Run) ruled(err *HookError) {
	reason := Failed
	if _, ok := errors.AsType[*BudgetError](err); ok {
		reason = Budget
		at := err.Where
		r.notify(&Event{Kind: OverBudget, Node: at.Node, Step: at.Step, Visit: at.Visit, Err: err})
	}
	r.end(reason, err)
}

// stopWatch adds the time from the start of the step to its end to that of its node.
func (r *Run) stopWatch(end time.Time) {
	x, at := r.withExtra(), int(r.here())
	if at >= len(x.timings) {
		x.timings = grown(x.timings, max(at, len(r.graph.Nodes)-1))
	}
	if x.started {
		x.timings[at] += end.Sub(x.begun)
	}
}
