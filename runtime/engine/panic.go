package engine

import (
	"runtime"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/errtree"
)

// newPanicError describes a panic while its frames are still on the stack. A frame
// whose position a line directive put into the spec is the condition that panicked.
func newPanicError(v any, g *Graph) *graphgen.PanicError {
	buf := make([]byte, 16<<10)
	buf = buf[:runtime.Stack(buf, false)]
	if err, is := v.(error); is {
		v = errtree.Sound(err)
	}
	e := &graphgen.PanicError{Value: v, Stack: string(buf)}
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		frame, more := frames.Next()
		if baseName(frame.File) == baseName(g.File) {
			e.Pos = graphgen.Position{File: g.File, Line: frame.Line, Col: g.column(frame.Line)}
			return e
		}
		if !more {
			return e
		}
	}
}

// baseName returns the last element of a path, of any system.
func baseName(path string) string {
	return path[max(strings.LastIndexByte(path, '/'), strings.LastIndexByte(path, '\\'))+1:]
}

// column returns the column of a transition's condition in a line of the spec: a stack frame
// has no columns.
func (g *Graph) column(line int) int {
	for i := range g.Transitions {
		if g.Transitions[i].Line == line {
			return g.Transitions[i].Col
		}
	}
	return 1
}

// Caught turns a recovered value into the error of an execution, or of a call of a tool.
func (g *Graph) Caught(v any, err *error) {
	if v != nil {
		*err = newPanicError(v, g)
	}
}

// caughtIn returns the error of a recovered value, nil of nil.
func caughtIn(v any, g *Graph) error {
	if v == nil {
		return nil
	}
	return newPanicError(v, g)
}
