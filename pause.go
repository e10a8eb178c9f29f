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

	RequestInterrupt RequestKind = "interrupt" // to continue a run that paused before or after a node
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

// A Pause is a run that waits, because no node of it can continue before a request is answered. The method Resume of its machine answers one. A
// Pause holds the run in memory: it cannot be stored, and a pause that is never resumed costs only its memory. The pause of a thread is read from the
// store when it is answered.
type Pause struct {
	// Requests were open when the run paused, in the order of the spec. Resume takes answers to these alone.
	Requests []Request

	Origin origin.Ref `json:"-"` // the run
}

// AsPause returns the pause of the error of a call, nil if the error is another one: a run that failed, as a handler has returned the pause of
// another run, does not wait.
func AsPause(err error) *Pause {
	if paused := interruptedIn(err); paused != nil {
		return paused.Pause
	}
	return nil
}

// interruptedIn returns the first InterruptedError of a tree of errors, nil if it has none, and looks at nothing that a run which failed wraps.
func interruptedIn(err error) *InterruptedError {
	for err != nil {
		switch e := err.(type) {
		case *InterruptedError:
			return e
		case *RunError:
			if e.Reason != Paused {
				return nil
			}
		}
		var given *InterruptedError
		if x, ok := err.(interface{ As(any) bool }); ok && x.As(&given) {
			return given
		}
		switch x := err.(type) {
		case interface{ Unwrap() error }:
			err = x.Unwrap()
		case interface{ Unwrap() []error }:
			for _, part := range x.Unwrap() {
				if paused := interruptedIn(part); paused != nil {
					return paused
				}
			}
			return nil
		default:
			return nil
		}
	}
	return nil
}

// An InterruptedError reports that a run has paused. The RunError of a call wraps it; AsPause returns its Pause.
type InterruptedError struct{ Pause *Pause }

func (e *InterruptedError) Error() string {
	if len(e.Pause.Requests) == 0 {
		return "the run waits"
	}
	first := &e.Pause.Requests[0]
	text := first.Where.String() + ": waits for a person: " + first.Question
	if first.Kind == RequestClientTool {
		text = first.Where.String() + ": waits for its caller: " + first.Question
	}
	if others := len(e.Pause.Requests) - 1; others > 0 {
		text += " (and " + strconv.Itoa(others) + " more)"
	}
	return text
}

// MarshalJSON returns ErrNotStored: a decoded Pause could not be resumed.
func (p Pause) MarshalJSON() ([]byte, error) { return nil, ErrNotStored }

// UnmarshalJSON returns ErrNotStored.
func (p *Pause) UnmarshalJSON([]byte) error { return ErrNotStored }

// GobEncode returns ErrNotStored.
func (p Pause) GobEncode() ([]byte, error) { return nil, ErrNotStored }

// GobDecode returns ErrNotStored.
func (p *Pause) GobDecode([]byte) error { return ErrNotStored }

// A DeniedError is the failure of a node that a person denied, if the spec has no transition for that.
type DeniedError struct{}

func (e *DeniedError) Error() string { return "denied by a person" }

// A LateError is the failure of a node whose answer arrived after its deadline, if the spec has no
// transition for that.
type LateError struct {
	Deadline time.Time
	By       time.Duration // how much later
}

func (e *LateError) Error() string { return "the answer came " + e.By.String() + " too late" }

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
	// ErrNoPause reports that the pause is missing, or that no run created it.
	ErrNoPause = errors.New("not a pause of a run")
	// ErrOtherMachine reports that the pause belongs to a run of another machine.
	ErrOtherMachine = errors.New("the pause belongs to another machine")
	// ErrOtherNode reports that no request of the pause is of that node, or has that ID.
	ErrOtherNode = errors.New("the pause has no request of that node or ID")
	// ErrResumed reports that the request was answered before, or is closed, because the run continued
	// without the answer.
	ErrResumed = errors.New("the request was answered before, or is no longer open")
	// ErrSeveral reports that the answer fits several open requests: its method For selects one by its ID.
	ErrSeveral = errors.New("the answer fits several open requests: select one by its ID")
	// ErrNotStored is the error of encoding a Pause: it holds its run in memory.
	ErrNotStored = errors.New("graphgen: a Pause holds its run in memory, and cannot be stored: keep the value, and send its requests")
)

// An AnswerError reports that a person's answer is not valid for the question.
type AnswerError struct{ Err error }

func (e *AnswerError) Error() string { return "invalid answer: " + e.Err.Error() }

// Unwrap returns Err.
func (e *AnswerError) Unwrap() error { return e.Err }
