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
	RouteRejected                  // an output named a node that has no transition from here
	Retry                          // an execution failed, another follows after Wait
	Progress                       // a loop begins an iteration, or a prompt is cut; the detail is in Reason
	Token                          // a piece of a model's answer: Text, Reasoning, or the Tool it will call
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
		"token", "tool_start", "tool_end", "cache_hit", "budget", "mutation", "interrupt", "run_end",
	}[k]
}

// An Event is something that happened in a run, in the order of SEMANTICS section 10.
type Event struct {
	Kind    EventKind
	Graph   string
	Within  string // of a child run: the path of the parents' nodes that started it, joined by /; empty elsewhere
	Branch  string // of composite nodes: names, and indices of elements from 0, outermost first, as in each/3; empty outside of branches
	Node    string // the node it happened at; empty for RunStart and for the Routed event that enters the graph
	Step    int    // counts from 1
	Visit   int    // counts from 1
	Attempt int    // of Retry: the execution that failed
	Skipped bool   // of NodeEnd: the node was not executed

	To     string   // of Routed: the next node; of RouteRejected: what the output named
	Rule   Rule     // of Routed
	Reason string   // of Routed: the condition, or why no transition was left
	Label  string   // of Routed: the label of the edge
	Pos    Position // of the node; of Routed: of the transition taken

	Text      string // of Token; of ToolStart: the arguments; of ToolEnd: the result; of NodeEnd: the answer of a verbose node; of Interrupt: the question
	Reasoning string // of Token
	Tool      string // of Token, ToolStart and ToolEnd: its name
	Call      string // of ToolStart and ToolEnd: the call's ID

	Usage chat.Usage // of Progress that reports an answer

	Wait   time.Duration // of Retry
	Err    error         // of NodeFailed, Retry, ToolEnd, OverBudget and RunEnd
	Report *Report       // of RunEnd

	Origin origin.Ref `json:"-"` // the run, for State and Output
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

// A Hook is called before and after every step. Its error is counted and
// otherwise ignored, unless it is Governing: then an error ends the run, with the reason
// budget if the error is a BudgetError, else failed.
type Hook struct {
	Name      string
	Before    func(context.Context, Event) error // a NodeStart event
	After     func(context.Context, Event) error // a NodeEnd or NodeFailed event
	Governing bool
}

// watched reports whether observers, hooks or timings need the steps.
func (r *Run) watched() bool {
	return len(r.Observers) > 0 || len(r.Hooks) > 0 || r.Timings || r.outer != nil && r.outer.watched
}

// where describes a node of the run at this moment.
func (r *Run) where(n NodeID) Where {
	w := Where{Graph: r.graph.Name, Branch: r.branch, Node: r.graph.NodeName(n), Pos: r.graph.nodePosition(n)}
	if n == r.here() {
		w.Step, w.Visit = r.step(), r.visit(n)
	}
	return w
}

// notify passes a copy of an event to each observer. It counts an observer's panic, and otherwise
// ignores it.
func (r *Run) notify(e *Event) {
	e.Graph, e.Within, e.Branch, e.Origin = r.graph.Name, r.location(), r.branch, origin.To(source{r})
	if e.Node != "" && e.Step == 0 {
		at := r.here()
		e.Step, e.Visit = r.step(), r.visit(at)
		if e.Pos.Line == 0 {
			e.Pos = r.graph.nodePosition(at)
		}
	}
	r.pass(e)
}

// location returns the names of the parents' nodes that started the run.
func (r *Run) location() string {
	if r.outer == nil {
		return ""
	}
	return r.outer.path
}

// pass delivers an event of this run or of a child run.
func (r *Run) pass(e *Event) {
	if r.host != nil && r.Observed() {
		told := *e
		r.outside(func() { r.show(&told) })
		return
	}
	r.show(e)
}

func (r *Run) show(e *Event) {
	for _, observe := range r.Observers {
		r.observe(observe, e)
	}
	if r.outer != nil {
		r.outer.run.pass(e)
	}
}

func (r *Run) observe(observe func(Event), e *Event) {
	defer func() {
		if recover() != nil {
			r.hookFailures++
		}
	}()
	observe(*e)
}

// enter reports the start of a step and returns true. It returns false when a governing hook ends the run.
func (r *Run) enter(n NodeID) bool {
	return !r.watched() || r.begins(n)
}

// begins is the part of enter for watched runs. It is a function of its own because events are
// large and runs without observers need small stacks.
func (r *Run) begins(n NodeID) bool {
	e := Event{Kind: NodeStart, Node: r.graph.NodeName(n), Step: r.step(), Visit: r.visit(n), Pos: r.graph.nodePosition(n)}
	r.notify(&e)
	r.started, r.begun = true, time.Now()
	if err := r.govern(&e, true); err != nil {
		r.retract()
		r.ruled(err)
		return false
	}
	return true
}

// leave reports how the step ended and which transition the run takes.
func (r *Run) leave(way Way) {
	first := r.At == End && r.passedOver == End // the run, or one within it, begins
	at := r.here()
	if r.watched() && !first && r.passedOver == End {
		r.tellEnd(at)
		if r.over {
			return
		}
	}
	if r.overdrawn != nil {
		r.endBy(r.overdrawn)
		return
	}
	if r.passedOver != End {
		at = r.passedOver
	}
	if r.watched() {
		r.tellRoute(at, way)
	}
	if !first {
		r.settle(way)
	}
	if r.outcome != failedGuards {
		r.feedback = nil
	}
	r.outcome, r.attempts, r.cached, r.soft, r.passedOver, r.behind = succeeded, 0, false, nil, End, 0
}

//go:noinline
func (r *Run) tellRoute(at NodeID, way Way) {
	e := r.routed(at, way)
	r.notify(&e)
}

func (r *Run) tellEnd(at NodeID) {
	e := Event{Kind: NodeEnd, Node: r.graph.NodeName(at), Step: r.step(), Visit: r.visit(at), Pos: r.graph.nodePosition(at)}
	e.Skipped, e.Text = r.outcome == skipped, r.said
	r.said = ""
	if r.outcome == failed || r.outcome == failedSoft {
		e.Kind, e.Err = NodeFailed, r.failures[len(r.failures)-1].Err
	} else if r.started {
		r.stopWatch()
		r.notify(&e)
	}
	r.started = false
	if r.tellAll != nil {
		r.tellAll(r, at)
	}
	if err := r.govern(&e, false); err != nil {
		r.ruled(err)
	}
}

func (r *Run) routed(at NodeID, way Way) Event {
	e := Event{Kind: Routed, Node: r.graph.leaving(at), To: r.graph.NodeName(r.graph.to(way)), Step: r.step(), Visit: r.visit(at)}
	e.Pos = r.graph.nodePosition(at)
	switch way {
	case Terminal:
		e.Rule, e.Reason = RuleTerminal, "no transition"
	case Exhausted:
		e.Rule, e.Reason = RuleTerminal, "every edge is used up"
	case NoRoute:
		e.Rule, e.Reason = RuleNoMatch, "no way matched"
	case Aborted:
		e.Rule, e.Reason = RuleError, "no failure route"
	default:
		w := r.graph.way(way)
		e.Rule, e.Reason, e.Label, e.Pos = w.Rule, w.Text, w.Label, r.graph.wayPosition(w)
		if at == End {
			e.Node = r.graph.leaving(w.From) // of a transition into the node's region
		}
	}
	return e
}

// govern calls the hooks and returns the verdict of the first governing one.
func (r *Run) govern(e *Event, before bool) (verdict *HookError) {
	e.Graph, e.Within, e.Branch, e.Origin = r.graph.Name, r.location(), r.branch, origin.To(source{r})
	return r.judge(e, before)
}

// judge calls the hooks for a step of this run or of a child run.
func (r *Run) judge(e *Event, before bool) (verdict *HookError) {
	if r.host != nil && r.watched() {
		judged := *e
		r.outside(func() { verdict = r.verdict(&judged, before) })
		return verdict
	}
	return r.verdict(e, before)
}

func (r *Run) verdict(e *Event, before bool) *HookError {
	var verdict *HookError
	for i := range r.Hooks {
		h := &r.Hooks[i]
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
			r.hookFailures++
		case verdict == nil:
			at := Where{Graph: e.Graph, Branch: e.Branch, Node: e.Node, Step: e.Step, Visit: e.Visit, Pos: e.Pos}
			verdict = &HookError{Where: at, Hook: h.Name, Err: err}
		}
	}
	if r.outer != nil && r.outer.watched {
		if err := r.outer.run.judge(e, before); err != nil && verdict == nil {
			if verdict = err; err.Origin == (origin.Ref{}) {
				err.Origin = origin.To(r.outer.run)
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
		r.notify(&Event{Kind: OverBudget, Node: at.Node, Step: at.Step, Visit: at.Visit, Pos: at.Pos, Err: err})
	}
	r.end(reason, err)
}

// stopWatch adds the time since the step began to its node's.
func (r *Run) stopWatch() {
	if r.timings == nil {
		r.timings = make([]time.Duration, len(r.graph.Nodes))
	}
	r.timings = grown(r.timings, int(r.here()))
	if r.started {
		r.timings[r.here()] += time.Since(r.begun)
	}
}
