// Package step has a loop of three nodes, to be measured a step at a time beside the same loop written by hand.
package step

import (
	"context"
	"errors"
)

// Work counts up to a limit. Its methods are kept from being inlined, as no handler that does
// anything is.
type Work struct{ Limit int }

var errLimit = errors.New("limit")

//go:noinline
func (w *Work) Fetch(_ context.Context, in LoopFetchIn) (LoopFetchOut, error) {
	if in.Count >= w.Limit {
		return LoopFetchOut{}, errLimit
	}
	return LoopFetchOut{Count: in.Count + 1}, nil
}

//go:noinline
func (w *Work) Check(_ context.Context, in LoopCheckIn) (LoopCheckOut, error) {
	if in.Count > w.Limit {
		return LoopCheckOut{}, errLimit
	}
	return LoopCheckOut{Count: in.Count + 1}, nil
}

//go:noinline
func (w *Work) Store(_ context.Context, in LoopStoreIn) (LoopStoreOut, error) {
	if in.Count > w.Limit {
		return LoopStoreOut{}, errLimit
	}
	return LoopStoreOut{Count: in.Count + 1}, nil
}
