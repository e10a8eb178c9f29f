package chat

import (
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/internal/quote"
)

// A ToolErrorKind is the kind of a ToolError.
type ToolErrorKind uint8

const (
	UnknownTool    ToolErrorKind = iota + 1 // no tool has the name
	BadArguments                            // the arguments do not fit the tool
	ToolPanicked                            // the tool panicked
	ResultTooLarge                          // the result has more bytes than the spec allows
	ClientFailed                            // the caller of the machine, which runs the tool, gave no result
	CallDenied                              // a person denied the call, or its approval was late
)

// String returns unknown_tool, arguments, panic, result_too_large, client or denied.
func (k ToolErrorKind) String() string {
	return [...]string{"", "unknown_tool", "arguments", "panic", "result_too_large", "client", "denied"}[k]
}

// A ToolError reports why a call of a tool has no result. Its text is sent to the model. Most fields are for some kinds only.
type ToolError struct {
	Kind  ToolErrorKind
	Name  string   // UnknownTool: what was called
	Known []string // UnknownTool: the tools, if they are known
	Size  int      // ResultTooLarge: the bytes of the result
	Limit int      // ResultTooLarge: the most bytes
	Text  string   // ClientFailed: of the caller. CallDenied: the reason of the person; empty: there was none
	Late  bool     // ClientFailed, CallDenied: there was no result or approval in time
	Err   error    // BadArguments: what is wrong. ToolPanicked: a *graphgen.PanicError
}

func (e *ToolError) Error() string {
	switch e.Kind {
	case UnknownTool:
		return e.unknown()
	case BadArguments:
		return "the arguments do not fit: " + e.Err.Error()
	case ToolPanicked:
		return "the tool failed: " + e.Err.Error()
	case ResultTooLarge:
		size := strconv.Itoa(e.Size) + " bytes"
		if e.Size == 1 {
			size = "1 byte"
		}
		return "the result has " + size + ", the limit is " + strconv.Itoa(e.Limit) + ": ask for less"
	case ClientFailed:
		if e.Late {
			return "the tool gave no result in time"
		}
		return e.Text
	}
	if e.Late {
		return "the call was not approved in time, and is not made"
	}
	return "a person denied the call" + said(e.Text)
}

func (e *ToolError) unknown() string {
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

// Unwrap returns Err.
func (e *ToolError) Unwrap() error { return e.Err }
