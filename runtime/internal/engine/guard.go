package engine

import (
	"errors"

	graphrt "github.com/graphgen/graphgen/runtime"
)

// A Guard is the name of a guard and its result.
type Guard struct {
	Name string
	Err  error
}

// Guarded combines the results of guards: nil, a GuardsError with every rejection, or
// the first other error.
func Guarded(guards ...Guard) error {
	var failed []graphrt.GuardFailure
	for _, g := range guards {
		if g.Err == nil {
			continue
		}
		rejected, ok := errors.AsType[interface {
			error
			Rejection() string
		}](g.Err)
		if !ok {
			return g.Err
		}
		failed = append(failed, graphrt.GuardFailure{Guard: g.Name, Message: rejected.Rejection()})
	}
	if len(failed) == 0 {
		return nil
	}
	return &graphrt.GuardsError{Failed: failed}
}

// IsGuardFailure reports whether err is the verdict of guards, not a failure.
func IsGuardFailure(err error) bool {
	_, ok := ownError[*graphrt.GuardsError](err)
	return ok
}
