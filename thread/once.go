package thread

import (
	"context"

	"github.com/graphgen/graphgen/internal/origin"
)

// Once calls fn, which changes something outside, and saves what it returns: if the process ends before its step is saved,
// the step is executed again, and Once returns what was saved. So it does in a second attempt at the step. The name
// distinguishes the calls of one handler or tool in a step. An error is not saved. If the process ends between the return of
// fn and its record, fn is called again: let it use the graphgen.IdempotencyKey of ctx.
//
// Outside of a thread Once calls fn. The error is the error of fn, or a StoreError if its result was not saved, which ends the run.
func Once(ctx context.Context, name string, fn func(context.Context) ([]byte, error)) ([]byte, error) {
	run, ok := ctx.Value(origin.RunKey{}).(interface {
		Once(context.Context, string, func(context.Context) ([]byte, error)) ([]byte, error)
	})
	if !ok {
		return fn(ctx)
	}
	return run.Once(ctx, name, fn)
}
