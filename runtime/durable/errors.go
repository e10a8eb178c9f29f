package durable

import (
	"errors"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/internal/quote"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/thread"
)

// savedError returns what is saved of an error.
func savedError(err error) *thread.SavedError {
	if e, ok := err.(*thread.SavedError); ok {
		return e
	}
	return &thread.SavedError{
		Text: err.Error(), WasTransient: graphgen.IsTransient(err), Decided: errtree.DecidesTransient(err), WasPermanent: engine.IsPermanent(err),
		Wait: errtree.RetryAfter(err),
	}
}

// refuse returns the error of a thread that is not as a call needs it.
func refuse(id, why string) error { return &thread.StateError{Thread: id, Err: errors.New(why)} }

// missing returns the error of a saved run that is at something which the graph does not have.
func missing(what, name string) error {
	return errors.New("the graph has no " + what + " " + quote.Text(name))
}

// isDecided reports whether a store has refused a call for a reason that stays.
func isDecided(err error) bool {
	return is[*thread.LostError](err) || is[*thread.SeqError](err) || is[*thread.InvalidError](err) || is[*thread.CorruptError](err) ||
		is[*thread.NotFoundError](err)
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
