package pipeline

import (
	"errors"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/internal/quote"
)

// errNoReturn is the end of a tool that has ended its goroutine, as a test's FailNow does.
var errNoReturn = errors.New("the tool ended without an answer")

// An UnknownToolError reports a call of a tool that does not exist. It is sent to the model.
type UnknownToolError struct {
	Name  string
	Known []string
}

func (e *UnknownToolError) Error() string {
	const most = 100 // characters of a name that may be anything
	name := e.Name
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "") + "…"
	}
	s := "there is no tool " + quote.Text(name)
	if len(e.Known) > 0 {
		s += "; the tools are " + strings.Join(e.Known, ", ")
	}
	return s
}

// An ArgumentsError reports that the arguments of a call do not fit the tool. It is sent to
// the model.
type ArgumentsError struct{ Err error }

func (e *ArgumentsError) Error() string { return "the arguments do not fit: " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *ArgumentsError) Unwrap() error { return e.Err }

// A PanicError reports that a tool panicked. The model receives its message.
type PanicError struct{ Err error } // Err is a *graphgen.PanicError

func (e *PanicError) Error() string { return "the tool failed: " + e.Err.Error() }

// Unwrap returns the panic.
func (e *PanicError) Unwrap() error { return e.Err }

// A ResultTooLargeError reports that a result has more bytes than the spec allows. It is sent
// to the model.
type ResultTooLargeError struct{ Size, Limit int }

func (e *ResultTooLargeError) Error() string {
	return "the result has " + count(e.Size, "byte") + ", the limit is " + strconv.Itoa(e.Limit) + ": ask for less"
}

// A ClientToolError is the result of a call of a tool that the caller of the machine runs, and that failed. The model
// gets its text.
type ClientToolError struct {
	Text string // of the caller
	Late bool   // there was no result in time
}

func (e *ClientToolError) Error() string {
	if e.Late {
		return "the tool gave no result in time"
	}
	return e.Text
}

// A CallDeniedError is the result of a call of a tool that a person denied, or whose approval was late. The
// model gets its text.
type CallDeniedError struct {
	Reason string // of the person; empty: none was given
	Late   bool
}

func (e *CallDeniedError) Error() string {
	switch {
	case e.Late:
		return "the call was not approved in time, and is not made"
	case e.Reason == "":
		return "a person denied the call"
	}
	return "a person denied the call: " + e.Reason
}
