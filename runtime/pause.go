package graphrt

import (
	"errors"
	"time"

	"github.com/graphgen/graphgen/runtime/internal/origin"
)

// A Decision is a person's answer to a yes-or-no question. The zero Decision is neither
// Approve nor Deny.
type Decision uint8

const (
	Approve Decision = iota + 1
	Deny
)

// String returns approve or deny, and an empty string for other values.
func (d Decision) String() string {
	switch d {
	case Approve:
		return "approve"
	case Deny:
		return "deny"
	}
	return ""
}

// An InterruptedError reports that a run paused, because a human node of it waits for an answer. The
// RunError of Run and Stream wraps it. It holds the run in memory; the method of the machine
// that is called Resume and the node's name continues the run. A pause that is never resumed
// costs only its memory.
type InterruptedError struct {
	Where
	Question string
	Shown    []Shown   // what the node reads that is not part of the question
	Choices  []string  // the possible answers; nil: a text, or what Schema describes
	Schema   string    // of an answer that is a struct: its JSON Schema
	Deadline time.Time // a later answer is refused as late; zero: no answer is too late

	Origin origin.Ref `json:"-"` // the run in memory, for the Resume methods
}

// Shown is a value that a person is shown with a question.
type Shown struct {
	Name string
	Text string
	JSON bool // Text is JSON; else it is the value as it is
}

func (e *InterruptedError) Error() string {
	return e.Where.String() + ": waits for a person: " + e.Question
}

// ErrNotStored is the error of encoding an InterruptedError: it holds its run in memory.
var ErrNotStored = errors.New("graphrt: an InterruptedError holds its run in memory, and cannot be stored: keep the value, and send the fields that a person needs")

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

// A ResumeError is the reason why a run is not resumed. Nothing has changed: the pause can
// be resumed as before, if it could. Err is one of the errors below, an AnswerError, or the
// cause of a context that had ended.
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
	// ErrOtherNode reports that the run waits at another node.
	ErrOtherNode = errors.New("the run waits at another node")
	// ErrResumed reports that the run was already resumed.
	ErrResumed = errors.New("the run was resumed before")
)

// An AnswerError reports that a person's answer is not valid for the question.
type AnswerError struct{ Err error }

func (e *AnswerError) Error() string { return "no answer: " + e.Err.Error() }

// Unwrap returns Err.
func (e *AnswerError) Unwrap() error { return e.Err }
