package temporal

import (
	"context"

	"github.com/graphgen/graphgen"
)

// quietObserver returns an observer that is called only while live returns true.
func quietObserver(live func() bool, observe func(graphgen.Event)) func(graphgen.Event) {
	return func(e graphgen.Event) {
		if live() {
			observe(e)
		}
	}
}

// quietHook returns a hook that is called only while live returns true. A scope that is not opened is not closed either.
func quietHook(live func() bool, h graphgen.Hook) graphgen.Hook {
	step := func(f func(context.Context, graphgen.Event) error) func(context.Context, graphgen.Event) error {
		if f == nil {
			return nil
		}
		return func(ctx context.Context, e graphgen.Event) error {
			if !live() {
				return nil
			}
			return f(ctx, e)
		}
	}
	begin, around := h.Begin, h.Around
	h.Before, h.After = step(h.Before), step(h.After)
	if begin != nil {
		h.Begin = func(ctx context.Context, e graphgen.Event) (context.Context, func(graphgen.Event)) {
			if !live() {
				return ctx, nil
			}
			return begin(ctx, e)
		}
	}
	if around != nil {
		h.Around = func(ctx context.Context, e graphgen.Event, next func(context.Context) error) error {
			if !live() {
				return next(ctx)
			}
			return around(ctx, e, next)
		}
	}
	return h
}
