package graphgen

import (
	"errors"
	"strconv"
	"time"

	"github.com/graphgen/graphgen/internal/origin"
)

// A RequestKind is what a run waits for.
type RequestKind string

const (
	RequestDecision RequestKind = "decision" // yes or no, of a human node without an output
	RequestReply    RequestKind = "reply"    // the output of a human node

	RequestToolApproval RequestKind = "tool_approval" // whether a call of a tool is made, and with which arguments

	RequestClientTool RequestKind = "client_tool" // the result of a call of a tool that the caller of the machine runs

	RequestInterrupt RequestKind = "interrupt" // to continue a run that paused before or behind a node
)

// A Request is one question of a paused run. A run that pauses in branches may have several.
type Request struct {
	// ID is the identity of the request in its run. No other request of the run has it, an earlier one
	// neither. It is the same in each run of the graph that gets there.
	ID string
	Where
	// Within has the names of the nodes around the one that asks which run other graphs, joined by slashes,
	// where the node is of such a graph.
	Within string
	Kind   RequestKind
	Tool   string // of a request about a call of a tool: its name

	Arguments string // of the call, in JSON
	Args      any    `json:"-"` // the same, a value of the generated struct of the tool; nil: the tool is not of the spec

	Question string
	Shown    []Shown   // what the node reads that is not part of the question
	Choices  []string  // the possible answers; nil: a text, or what Schema describes
	Schema   string    // of an answer that is a struct: its JSON Schema
	Deadline time.Time // a later answer is refused as late; zero: no answer is too late
}

// Shown is a value that a person is shown with a question.
type Shown struct {
	Name string
	Text string
	JSON bool // Text is JSON; else it is the value as it is
}

// An InterruptedError reports that a run paused, because no node of it can go on before a person has
// answered. The RunError of Run and Stream wraps it. It holds the run in memory. To answer a request
// continues the run: by the method of the machine that is called Resume and the node's name, or by its method
// Answer. A pause that is never resumed costs only its memory.
type InterruptedError struct {
	Request            // the first one
	Requests []Request // all that were open when the run paused, in the order of the spec

	Origin origin.Ref `json:"-"` // the run in memory, for the methods that answer
}

// For returns the pause with the request of that ID alone, nil if it has no such request. It is needed for answers
// where several requests of one node are open, as in the branches of a map.
func (e *InterruptedError) For(id string) *InterruptedError {
	for _, q := range e.Requests {
		if q.ID == id {
			return &InterruptedError{Request: q, Requests: []Request{q}, Origin: e.Origin}
		}
	}
	return nil
}

func (e *InterruptedError) Error() string {
	text := e.Where.String() + ": waits for a person: " + e.Question
	if e.Kind == RequestClientTool {
		text = e.Where.String() + ": waits for its caller: " + e.Question
	}
	if others := len(e.Requests) - 1; others > 0 {
		text += " (and " + strconv.Itoa(others) + " more)"
	}
	return text
}

// MarshalJSON returns ErrNotStored: a decoded InterruptedError could not be resumed.
func (e InterruptedError) MarshalJSON() ([]byte, error) { return nil, ErrNotStored }

// UnmarshalJSON returns ErrNotStored.
func (e *InterruptedError) UnmarshalJSON([]byte) error { return ErrNotStored }

// GobEncode returns ErrNotStored.
func (e InterruptedError) GobEncode() ([]byte, error) { return nil, ErrNotStored }

// GobDecode returns ErrNotStored.
func (e *InterruptedError) GobDecode([]byte) error { return ErrNotStored }

// A DeniedError is the failure of a node that a person denied, if the spec has no transition for that.
type DeniedError struct{}

func (e *DeniedError) Error() string { return "the person denied it" }

// A LateError is the failure of a node whose answer arrived after its deadline, if the spec has no
// transition for that.
type LateError struct {
	Deadline time.Time
	By       time.Duration // how much later
}

func (e *LateError) Error() string { return "the answer came " + e.By.String() + " too late" }

// An InterruptOptionError reports that an option names a node for an interrupt that the run cannot have: no node ran.
type InterruptOptionError struct {
	Graph, Node string
	Known       bool // the graph has the node, and its machine no method Continue
}

func (e *InterruptOptionError) Error() string {
	if e.Known {
		return "graph " + e.Graph + " cannot be interrupted: write interrupt_before: [] in its spec"
	}
	return "interrupt: graph " + e.Graph + " has no node " + e.Node
}

// A ResumeError is the reason why a run is not resumed. Nothing has changed: the pause can
// be resumed as before, if it could. Err is one of the errors below, an AnswerError, the
// error of an option that does not fit, or the cause of a context that had ended.
type ResumeError struct {
	Where Where // of the pause, if there is one
	Err   error
}

func (e *ResumeError) Error() string {
	if e.Where.Graph == "" {
		return "not resumed: " + e.Err.Error()
	}
	return e.Where.String() + ": not resumed: " + e.Err.Error()
}

// Unwrap returns Err.
func (e *ResumeError) Unwrap() error { return e.Err }

var (
	// ErrNoPause reports that there is no pause, or one that no run created.
	ErrNoPause = errors.New("it is no pause of a run")
	// ErrOtherMachine reports that the pause belongs to a run of another machine.
	ErrOtherMachine = errors.New("the pause is of another machine")
	// ErrOtherNode reports that no request of the pause is of that node, or has that ID.
	ErrOtherNode = errors.New("the pause has no request of that node or ID")
	// ErrResumed reports that the request was answered before, or is no longer open because the run went
	// on without the answer.
	ErrResumed = errors.New("the request was answered before, or is no longer open")
	// ErrSeveral reports that several requests of the node are open: For chooses one of them by its ID.
	ErrSeveral = errors.New("several requests of the node are open, and none was chosen by its ID")
	// ErrNotStored is the error of encoding an InterruptedError: it holds its run in memory.
	ErrNotStored = errors.New("graphgen: an InterruptedError holds its run in memory, and cannot be stored: keep the value, and " +
		"send the fields that a person needs")
)

// An AnswerError reports that a person's answer is not valid for the question.
type AnswerError struct{ Err error }

func (e *AnswerError) Error() string { return "no answer: " + e.Err.Error() }

// Unwrap returns Err.
func (e *AnswerError) Unwrap() error { return e.Err }
