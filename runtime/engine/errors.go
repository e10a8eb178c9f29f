package engine

import (
	"errors"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/errtree"
)

// ErrVisitsExhausted is passed to Fail when the visits of a node are used up. Users see a
// LimitError.
var ErrVisitsExhausted = errors.New("visits exhausted")

// Late returns the error of a node, a run or a tool that took longer than its timeout.
func Late(of string, limit time.Duration) *graphgen.LimitError {
	return &graphgen.LimitError{Limit: graphgen.LimitTimeout, Of: of, Max: limit.Seconds()}
}

// CheckChoice returns an InvalidChoiceError unless low ≤ value ≤ high.
func CheckChoice(what string, value, low, high int) error {
	if value < low || value > high {
		return &graphgen.InvalidChoiceError{What: what, Value: value}
	}
	return nil
}

// endsRun reports whether an error in err's chain ends the run and its parents without regard to
// failure routes: its method EndsRun returns true. The divergence of a replay is one.
func endsRun(err error) bool {
	var e ender
	return errtree.As(err, &e, func(err error) (ok bool) { e, ok = err.(ender); return ok }) && e.EndsRun()
}

type ender = interface {
	error
	EndsRun() bool
}

// ownError finds an error of a type in the chain of an error. It skips errors of nodes that the
// failed node runs, and of child runs.
func ownError[E error](err error) (found E, ok bool) {
	if e, is := err.(E); is {
		return e, true
	}
	switch e := err.(type) {
	case *graphgen.RunError, *graphgen.NodeError:
	case interface{ Unwrap() error }:
		return ownError[E](e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			if found, ok = ownError[E](part); ok {
				return found, true
			}
		}
	}
	return found, false
}

// caughtIn returns the error of a recovered value, nil of nil.
func caughtIn(v any, g *Graph) error {
	if v == nil {
		return nil
	}
	return newPanicError(v, g)
}
