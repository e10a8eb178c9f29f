package graphgen

import (
	"context"
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/origin"
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
	Say                            // a node of kind say has a message: Text; Payload returns its data
	Interrupt                      // the run pauses for a person; Text is the question
	RunEnd                         // after the last step, and at a pause; Report returns the report
)

// String returns the kind's name.
func (k EventKind) String() string {
	return [...]string{
		"run_start", "node_start", "node_end", "node_error", "route", "route_rejected", "retry", "progress",
		"token", "model_start", "model_end", "tool_start", "tool_end", "cache_hit", "budget", "mutation", "say", "interrupt", "run_end",
	}[k]
}

// An Event is something that happened in a run, in the order of SEMANTICS section 10.
type Event struct {
	Kind    EventKind
	Skipped bool // of NodeEnd: the node was not executed
	Dynamic bool // the node is one that its run has added: the spec does not have its name

	Line, Col int32 // of the node in the spec; of Routed: of the transition taken; 0: it has none

	// NodeStart reads the clock, and so does the end of a step: Routed has the time of NodeEnd, or of RunStart where it
	// enters the graph
	Time     time.Time
	Run      *RunInfo // the run, or branch of it, at which it happened; its events share it
	Node     string   // the node at which it happened; empty for RunStart and for the Routed event that enters the graph
	NodeKind string   // func, prompt, parallel, …
	Step     int      // counts from 1
	Visit    int      // counts from 1
	Attempt  int      // of Retry: the execution that failed

	// of Token; of ToolStart: the arguments; of ToolEnd: the result; of NodeEnd: the answer of a verbose node; of
	// RouteRejected: what the output named; of Say: the message; of Interrupt: the question; of Mutated: the request
	Text      string
	Reasoning string // of Token
	Reason    string // of Progress: what happens; of Mutated: why it was refused

	Wait time.Duration // of Retry: until the next execution; of NodeEnd and NodeFailed: see Took
	Err  error         // of NodeFailed, Retry, RouteRejected, ModelEnd, ToolEnd, OverBudget and RunEnd; of Say: why a part of the message is missing

	Route *Route // of Routed
	Call  *Call  // of ModelStart, ModelEnd, ToolStart and ToolEnd; of Token: the tool that the model begins to call

	Origin origin.Ref `json:"-"` // the run, for Report and State
}

// Pos returns the place of the node in the spec; of Routed, that of the transition taken.
func (e *Event) Pos() Position {
	if e.Run == nil || e.Line == 0 {
		return Position{}
	}
	return Position{File: e.Run.File, Line: int(e.Line), Col: int(e.Col)}
}

// Took returns the time from NodeStart to this NodeEnd or NodeFailed event, with that of a pause; 0 for others.
func (e *Event) Took() time.Duration {
	if e.Kind == NodeEnd || e.Kind == NodeFailed {
		return e.Wait
	}
	return 0
}

// Report returns the report of a RunEnd event, nil of others. It is made when it is first asked for; observers share it.
func (e *Event) Report() *Report {
	if e.Kind != RunEnd {
		return nil
	}
	r, ok := origin.Of(e.Origin).(interface{ Report() *Report })
	if !ok {
		return nil
	}
	return r.Report()
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

// A Route is the choice of the next node. Events of a run share it: it never changes.
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
	Prompt  string      // the version of the prompt: a hash of what its author wrote; empty: the call has no text of an author
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

// Payload returns the payload of a Say event. T is the struct that is generated for its node, such as
// ResearchTellPayload, or any. Its lists and maps are those of the state: they must not be changed.
func Payload[T any](e Event) (T, bool) {
	var none T
	m, ok := origin.Of(e.Origin).(interface{ Payload() any })
	if !ok {
		return none, false
	}
	p, ok := m.Payload().(T)
	return p, ok
}

// A Hook is called before, after and around every step, and around every run. Its error is counted and
// otherwise ignored, unless it is Governing: then an error ends the run, with the reason
// budget if the error is a LimitError of a budget, else failed. A panic is an error.
type Hook struct {
	Name string

	// Begin opens the scope of a run, for spans and log scopes. It is called with the RunStart event, on
	// the goroutine of the run: before the first step, when a paused run is resumed, and when a child run
	// begins, with the hooks of parents first. The steps get the context that it returns, ctx or one made
	// from it. The function that it returns, unless nil, is called with the RunEnd event.
	Begin func(ctx context.Context, e Event) (context.Context, func(Event))

	Before func(context.Context, Event) error // a NodeStart event
	After  func(context.Context, Event) error // a NodeEnd or NodeFailed event

	// Around wraps the step, for spans, transactions and log scopes: what node does with all its
	// attempts, its writes, and the choice of the next node. It is called after Before, with the same
	// NodeStart event, and has returned before After is called. The first hook is the outermost; those of
	// a parent are around those of its child runs.
	//
	// It calls next once, on its own goroutine, with its context or one made from it: handlers, models and
	// tools get that one, and the steps of the branches and child runs of the node are in it. next returns
	// the failure of the step, or the *InterruptedError that pauses it: a pause ends the scope. A node whose
	// branches or child runs go on is wrapped again, the rest of one that has asked itself is not. Nor is a node
	// that is skipped.
	//
	// When the step has failed, what Around returns is ignored: a hook does not change the failure of a
	// node. An error after a step that succeeded is the hook's. So is not calling next, or calling it again;
	// the step is executed without the hook, unless the hook is Governing.
	//
	// Before and After are called one after the other, Around is called on the goroutine of each branch.
	Around func(ctx context.Context, e Event, next func(context.Context) error) error

	Governing bool
}
