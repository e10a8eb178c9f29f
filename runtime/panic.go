package graphrt

import (
	"errors"
	"path"
	"runtime"
	"strconv"
	"strings"
)

// A PanicError is a panic of a handler or of a condition.
type PanicError struct {
	Value any
	Stack string // of the goroutine at the panic

	Pos Position // of the condition that panicked; zero: a handler did
}

func (e *PanicError) Error() string { return "panic: " + panicText(e.Value) }

// Unwrap returns the panic's value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

func panicText(v any) string {
	switch v := v.(type) {
	case error:
		return v.Error()
	case string:
		return v
	case interface{ String() string }:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return "a value that is no error and no text"
}

// newPanicError describes a panic while its frames are still on the stack. A frame
// whose position a line directive put into the spec is the condition that panicked.
func newPanicError(v any, g *Graph) *PanicError {
	buf := make([]byte, 16<<10)
	buf = buf[:runtime.Stack(buf, false)]
	e := &PanicError{Value: v, Stack: string(buf)}
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		frame, more := frames.Next()
		if path.Base(strings.ReplaceAll(frame.File, `\`, "/")) == path.Base(g.File) {
			e.Pos = Position{File: g.File, Line: frame.Line, Col: g.column(frame.Line)}
			return e
		}
		if !more {
			return e
		}
	}
}

// column returns the column of a transition's condition in a line of the spec: a stack frame
// has no columns.
func (g *Graph) column(line int) int {
	for i := range g.Ways {
		if g.Ways[i].Line == line {
			return g.Ways[i].Col
		}
	}
	return 1
}

// Caught turns a recovered value into the error of an execution, or of a call of a tool.
func (r *Run) Caught(v any, err *error) {
	if v != nil {
		*err = newPanicError(v, r.graph)
	}
}

// isPermanent reports whether a retry is pointless under any policy.
func isPermanent(err error) bool {
	_, panicked := errors.AsType[*PanicError](err)
	_, guards := errors.AsType[*GuardsError](err)
	_, choice := errors.AsType[*InvalidChoiceError](err)
	return panicked || guards || choice || err == errEnded || IsOverBudget(err) || endsRun(err)
}
