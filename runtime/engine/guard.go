package engine

import (
	"errors"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/errtree"
)

// A Guard is the name of a guard and its result.
type Guard struct {
	Name string
	Err  error
}

// Guarded is the function Guarded for the guards of the current node, whose verdicts are in the details of the report.
func (r *Run) Guarded(guards ...Guard) error {
	if b := r.more.get().details; b != nil {
		node := r.Graph().NodeName(r.here())
		for _, g := range guards {
			switch {
			case g.Err == nil:
				b.countVerdict(node, g.Name, 1, 0)
			case isRejection(g.Err):
				b.countVerdict(node, g.Name, 0, 1)
			}
		}
	}
	return Guarded(guards...)
}

// isRejection reports whether the error of a guard is its verdict.
func isRejection(err error) bool {
	_, ok := errors.AsType[rejection](errtree.Sound(err))
	return ok
}

// A rejection is the error with which a guard refuses a value.
type rejection interface {
	error
	Rejection() string
}

// Guarded combines the results of guards: nil, a GuardsError with every rejection, or
// the first other error.
func Guarded(guards ...Guard) error {
	var failed []graphgen.GuardFailure
	for _, g := range guards {
		if g.Err == nil {
			continue
		}
		err := errtree.Sound(g.Err)
		rejected, ok := errors.AsType[rejection](err)
		if !ok {
			return err
		}
		failed = append(failed, graphgen.GuardFailure{Guard: g.Name, Message: rejected.Rejection()})
	}
	if len(failed) == 0 {
		return nil
	}
	return &graphgen.GuardsError{Failed: failed}
}

// IsGuardFailure reports whether err is the verdict of guards, not a failure.
func IsGuardFailure(err error) bool {
	_, ok := ownError[*graphgen.GuardsError](err)
	return ok
}
