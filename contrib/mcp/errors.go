package mcp

import (
	"context"
	"errors"
	"strconv"

	"github.com/graphgen/graphgen/chat"
)

// ErrClosed is the error of using a server after its Close.
var ErrClosed = errors.New("the server is closed")

// A ToolError is a result that the tool itself calls an error. Its text is the tool's, for
// the model to read.
type ToolError struct {
	Server, Tool string
	Text         string
	Media        []chat.Media // other content of the tool's error
}

func (e *ToolError) Error() string {
	if e.Text == "" {
		return "tool " + strconv.Quote(e.Tool) + " reported an error without a text"
	}
	return e.Text
}

// A CallError reports that a server is reachable, but that a call of it has no result. The server
// did not accept the call, or its answer is not one.
type CallError struct {
	Server, Tool string // Tool is empty for a call that is of no tool
	Code         int64  // of JSON-RPC; 0: none
	Message      string
}

func (e *CallError) Error() string { return where(e.Server, e.Tool) + ": " + e.Message }

// A TooLargeError reports that an answer is above the limit. The answer is discarded while it is read.
type TooLargeError struct {
	Server, Tool string
	Limit        int // bytes
}

func (e *TooLargeError) Error() string {
	return where(e.Server, e.Tool) + ": the answer is larger than " + strconv.Itoa(e.Limit) + " bytes"
}

// A DownError reports that a server is gone, or cannot be reached, or that its connection had
// to be ended. The next use starts or connects it again, as often as Restarts allows.
type DownError struct {
	Server, Tool string // Tool is empty when no call of one was under way
	Status       string // how the process ended: "exit status 3", "signal: killed"; empty: no process, or it has not ended
	Stderr       string // the last that the process wrote to its standard error, without secrets
	Err          error  // why; may be nil
}

func (e *DownError) Error() string {
	s := where(e.Server, e.Tool) + ": the server is down"
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Status != "" {
		s += " (" + e.Status + ")"
	}
	if e.Stderr != "" {
		s += "; its standard error ends with:\n" + e.Stderr
	}
	return s
}

// Unwrap returns the cause.
func (e *DownError) Unwrap() error { return e.Err }

// Transient reports whether to try again does no harm: that no call was under way, which may
// have had its effects.
func (e *DownError) Transient() bool { return e.Tool == "" }

// A NameError reports that two tools have the same name once the names are adapted to what models accept.
type NameError struct {
	Name   string
	First  string // the one that had it, as its server names it
	Second string // the one that would have it too
}

func (e *NameError) Error() string {
	return "tools " + strconv.Quote(e.First) + " and " + strconv.Quote(e.Second) + " would both be named " +
		strconv.Quote(e.Name) + ": a prefix keeps them apart"
}

// A DescriptionError reports that a server describes a tool which no model accepts: its name is
// empty or absurd, or the schema of its arguments is broken. Providers would refuse every request with it.
type DescriptionError struct {
	Server, Tool string // the name of the tool may be cut
	Message      string
}

func (e *DescriptionError) Error() string {
	s := where(e.Server, e.Tool)
	if e.Tool == "" {
		s += ", a tool"
	}
	return s + ": " + e.Message + "; with LeaveOut the others can be used"
}

func where(server, tool string) string {
	s := "mcp server " + strconv.Quote(server)
	if tool != "" {
		s += ", tool " + strconv.Quote(tool)
	}
	return s
}

// An endedError is a call that its context ended.
type endedError struct {
	server, tool string
	cause        error
}

func (e *endedError) Error() string { return where(e.server, e.tool) + ": " + e.cause.Error() }
func (e *endedError) Unwrap() error { return e.cause }

// ended returns the error of a call whose context is done. It is the context's error too
// where its cause is another.
func ended(ctx context.Context, server, tool string) error {
	cause := context.Cause(ctx)
	if cause != nil && !errors.Is(cause, ctx.Err()) && !errors.Is(cause, ErrClosed) {
		cause = errors.Join(cause, ctx.Err())
	}
	return &endedError{server, tool, cause}
}
