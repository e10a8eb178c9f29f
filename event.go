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
	RouteRejected                  // an output named a node that has no transition from here
	Retry                          // an execution failed, another follows
	Progress                       // a loop begins an iteration, or a prompt is cut
	Token                          // a piece of a model's answer
	ModelStart                     // a model is called, over the wire
	ModelEnd                       // it has answered, or failed
	ToolStart                      // a tool is called
	ToolEnd                        // it has answered, or failed
	CacheHit                       // the cache has the output
	OverBudget                     // a budget is spent: the run ends, or takes an on: budget edge
	Mutated                        // the node requested a change of its run's graph
	Say                            // a node of kind say has a message
	Interrupt                      // the run pauses for a person
	RunEnd                         // after the last step, and at a pause
)

// String returns the kind's name.
func (k EventKind) String() string {
	return [...]string{
		"run_start", "node_start", "node_end", "node_error", "route", "route_rejected", "retry", "progress",
		"token", "model_start", "model_end", "tool_start", "tool_end", "cache_hit", "budget", "mutation", "say", "interrupt", "run_end",
	}[k]
}

// An Event is something that happened in a run. The order of events is in docs/reference/events-and-errors.md. The fields are what events of any
// kind have. What an event of one kind has besides, a method returns: Took, Answer, Route, Rejected, Retry, Progress, Token, Model, Sent, Received,
// Tool, Mutation, Message, Request or Report. For an event of another kind the method returns the zero value.
type Event struct {
	Kind    EventKind
	Skipped bool // of NodeEnd: the node was not executed
	Dynamic bool // the node is one that its run has added: the spec does not have its name
	Resumed bool // of RunStart: the run continues after a pause, or after what a thread has saved of it

	Line, Col int32 // of the node in the spec; of Routed: of the transition taken; 0: it has none

	// N numbers the events of a call of Run, Stream, Resume or of the verb of a thread, from 1, with the events of its branches and child runs.
	// Each observer of a run gets the same number. The events that a hook gets have 0.
	N int

	// Record is the number of the last record that the run's thread had made before the event; 0: none, or the run is in no thread. A step is in
	// the first record after its NodeEnd or NodeFailed event.
	Record int

	// NodeStart reads the clock, and so does the end of a step: Routed has the time of NodeEnd, or of RunStart where it
	// enters the graph
	Time     time.Time
	Run      *RunInfo // the run, or branch of it, at which it happened; its events share it
	Node     string   // the node at which it happened; empty for RunStart and for the Routed event that enters the graph
	NodeKind string   // func, prompt, parallel, …
	Step     int      // counts from 1 in the run, or in the branch, which continues the steps of its run
	Visit    int      // counts from 1

	// Err is why the step, the attempt or the call failed: of NodeFailed, Retry, RouteRejected, ModelEnd, ToolEnd, OverBudget and RunEnd; of Say
	// why a part of the message is missing.
	Err error

	Details origin.Details `json:"-"` // what the methods return
}

// Pos returns the place of the node in the spec; of Routed, the place of the transition taken.
func (e *Event) Pos() Position {
	if e.Run == nil || e.Line == 0 {
		return Position{}
	}
	return Position{File: e.Run.File, Line: int(e.Line), Col: int(e.Col)}
}

// Took returns the time from NodeStart to this NodeEnd or NodeFailed event, with the time of a pause.
func (e *Event) Took() time.Duration {
	if e.Kind == NodeEnd || e.Kind == NodeFailed {
		return e.Details.Wait
	}
	return 0
}

// Answer returns the answer of the model of a verbose node, of NodeEnd.
func (e *Event) Answer() string { return e.text(NodeEnd) }

// Written returns the fields of the state that the step of a NodeEnd event changed, and all that a RunStart event begins with, of a graph with
// serve: true in a run with WithExchanges. Private fields are not among them, and a graph with secret fields has none.
func (e *Event) Written() (list []struct {
	Name  string
	JSON  []byte
	Added bool // JSON has what was added to a list
},
) {
	if fields, ok := e.Details.More.(origin.Fields); ok {
		for _, f := range fields.List() {
			list = append(list, f)
		}
	}
	return list
}

// Rejected returns what the output of a RouteRejected event named.
func (e *Event) Rejected() string { return e.text(RouteRejected) }

// Message returns the message of a Say event. Payload returns its data.
func (e *Event) Message() string { return e.text(Say) }

func (e *Event) text(of EventKind) string {
	if e.Kind != of {
		return ""
	}
	return e.Details.Text
}

// Route returns the choice of a Routed event.
func (e *Event) Route() Route {
	if r, ok := e.Details.More.(*Route); ok {
		return *r
	}
	return Route{}
}

// Retry returns the number of the execution that failed, from 1, and the time until the next one, of a Retry event.
func (e *Event) Retry() (attempt int, wait time.Duration) {
	if e.Kind != Retry {
		return 0, 0
	}
	return e.Details.Number, e.Details.Wait
}

// Progress returns what happens, of a Progress event: an iteration begins, a block of a prompt is left out, a criterion does not hold. The text is
// an observable prompt, its answer, or what a judge wrote; else it is empty.
func (e *Event) Progress() (what, text string) {
	if e.Kind != Progress {
		return "", ""
	}
	what, _ = e.Details.More.(string)
	return what, e.Details.Text
}

// Token returns the piece of a model's answer of a Token event. The call that it belongs to is Model().Call.
func (e *Event) Token() chat.Delta {
	if e.Kind != Token {
		return chat.Delta{}
	}
	switch d := e.Details.More.(type) {
	case *chat.Delta:
		return *d
	case origin.Reasoning:
		return chat.Delta{Reasoning: e.Details.Text}
	}
	return chat.Delta{Text: e.Details.Text}
}

// Model returns the call of a ModelStart or ModelEnd event. Of a Token event, it has the number of the call alone.
func (e *Event) Model() ModelEvent {
	if m, ok := e.Details.More.(*ModelEvent); ok {
		return *m
	}
	if e.Kind == Token {
		return ModelEvent{Call: e.Details.Number}
	}
	return ModelEvent{}
}

// Sent returns the request of a ModelStart event of a run with WithExchanges, else nil. It must not be changed.
func (e *Event) Sent() *chat.Request {
	sent, _ := origin.Of(e.Model().Origin).(*chat.Request)
	return sent
}

// Received returns the answer of a ModelEnd event of a run with WithExchanges, else nil. It must not be changed.
func (e *Event) Received() *chat.Response {
	received, _ := origin.Of(e.Model().Origin).(*chat.Response)
	return received
}

// Tool returns the call of a ToolStart or ToolEnd event.
func (e *Event) Tool() ToolEvent {
	if t, ok := e.Details.More.(*ToolEvent); ok {
		return *t
	}
	return ToolEvent{}
}

// Request returns what an Interrupt event asks a person.
func (e *Event) Request() Request {
	if q, ok := e.Details.More.(*Request); ok {
		return *q
	}
	return Request{}
}

// Mutation returns the change that a Mutated event's node requested, and why it was refused; empty: it was made.
func (e *Event) Mutation() (change, refused string) {
	if e.Kind != Mutated {
		return "", ""
	}
	refused, _ = e.Details.More.(string)
	return e.Details.Text, refused
}

// Report returns the report of a RunEnd event, nil of others. It is made when it is first asked for; observers share it.
func (e *Event) Report() *Report {
	if e.Kind != RunEnd {
		return nil
	}
	r, ok := origin.Of(e.Details.Of).(interface{ Report() *Report })
	if !ok {
		return nil
	}
	return r.Report()
}

// RunInfo identifies a run, or a branch of it. It never changes.
type RunInfo struct {
	ID     string // as WithRunID sets it, or random; the ID of a child run begins with its parent's
	Thread string // the durable series of runs that it belongs to; empty: none
	Graph  string
	Shape  string // of a durable graph: the hash of its shape, by which threads know its version
	File   string // the spec
	Within string // of a child run of a subgraph: the path of the parents' nodes that started it, joined by /; empty elsewhere
	Branch string // of composite nodes: names, and indices of elements from 0, outermost first, as in each/3; empty outside of branches
}

// A Route is the choice of the next node.
type Route struct {
	To         string // the next node
	Rule       Rule
	Reason     string // the condition, or why no transition was left
	Label      string // of the edge
	Transition int    // the number of the transition in the spec, from 1; 0: the spec does not have it
}

// A ModelEvent is a call of a model, at its start or at its end.
type ModelEvent struct {
	Call    int    // counts the calls of a run from 1, with its branches and child runs, and the calls that its thread has saved
	Name    string // at the start the model that is requested, empty for the provider's default; at the end the model that answered
	Purpose chat.Purpose
	Prompt  string // the version of the prompt: a hash of what its author wrote; empty: the call has no text of an author
	Attempt int    // counts from 1 the calls for one answer: by chat.Retry and chat.Fallback

	// At the start, with WithExchanges:
	Continues int // the Call of an earlier request with the same settings, which begins with the same messages; 0: none
	Same      int // how many messages they have in common

	// At the end:
	ID      string // of the answer, by its provider
	Finish  chat.Finish
	Usage   chat.Usage
	Latency time.Duration

	Origin origin.Ref `json:"-"` // the request or the answer, for Sent and Received
}

// A ToolEvent is a call of a tool, at its start or at its end.
type ToolEvent struct {
	ID        string // in the conversation, as the model gave it
	By        int    // the Call of the ModelEvent whose answer asked for it; 0: no model did
	Name      string
	Arguments string // in JSON

	// At the end:
	Result  string // its text; empty where the event has an Err
	Latency time.Duration
	Again   bool // it was not made, because the same call of a pure tool was answered before
}

// State returns the run's state as it is committed at the event, nil unless S is the
// graph's state type. It may be read until the observer returns, and must not be changed.
func State[S any](e Event) *S {
	r, ok := origin.Of(e.Details.Of).(interface{ CommittedState() any })
	if !ok {
		return nil
	}
	s, _ := r.CommittedState().(*S)
	return s
}

// Payload returns the payload of a Say event. T is the struct that is generated for its node, such as
// ResearchTellPayload, or any. It shares lists and maps with the state: they must not be changed.
func Payload[T any](e Event) (T, bool) {
	var none T
	m, ok := origin.Of(e.Details.Of).(interface{ Payload() any })
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
	// NodeStart event, and has returned before After is called. The first hook is the outermost; the hooks
	// of a parent are around the hooks of its child runs.
	//
	// It calls next once, on its own goroutine, with its context or one made from it: handlers, models and
	// tools get that one, and the steps of the branches and child runs of the node are in it. next returns
	// the failure of the step, or the *InterruptedError that pauses it: a pause ends the scope. A node whose
	// branches or child runs continue is wrapped again. The rest of a node that has itself asked is not, nor is a
	// skipped node.
	//
	// When the step has failed, what Around returns is ignored: a hook does not change the failure of a
	// node. An error after a step that succeeded is the hook's. So is not calling next, or calling it again;
	// the step is executed without the hook, unless the hook is Governing.
	//
	// Before and After are called one after the other, Around is called on the goroutine of each branch.
	Around func(ctx context.Context, e Event, next func(context.Context) error) error

	Governing bool
}
