package graphgen

import "github.com/graphgen/graphgen/internal/errtree"

// A PanicError is a panic of a handler or of a condition.
type PanicError struct {
	Value any
	Stack string // of the goroutine at the panic

	Pos Position // of the condition that panicked; zero: a handler did
}

func (e *PanicError) Error() string { return "panic: " + errtree.PanicText(e.Value) }

// Unwrap returns the panic's value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
