package durable

import (
	"errors"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/thread"
)

// savedError returns what is saved of an error.
func savedError(err error) *thread.SavedError {
	if e, ok := err.(*thread.SavedError); ok {
		return e
	}
	e := &thread.SavedError{Text: err.Error(), WasTransient: graphgen.IsTransient(err), WasPermanent: engine.IsPermanent(err)}
	if w, ok := errors.AsType[interface {
		error
		RetryAfter() time.Duration
	}](err); ok {
		e.Wait = w.RetryAfter()
	}
	return e
}
