package engine

import (
	"errors"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/errtree"
)

// ErrVisitsExhausted is passed to Fail when the visits of a node are used up. Users see a
// LimitError.
var ErrVisitsExhausted = errors.New("visits exhausted")

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

// IsPermanent reports whether a retry is pointless under any policy.
func IsPermanent(err error) bool {
	_, panicked := errors.AsType[*graphgen.PanicError](err)
	_, guards := errors.AsType[*graphgen.GuardsError](err)
	_, choice := errors.AsType[*graphgen.InvalidChoiceError](err)
	return panicked || guards || choice || errtree.Permanent(err) || err == errEnded || IsOverBudget(err) || endsRun(err)
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
