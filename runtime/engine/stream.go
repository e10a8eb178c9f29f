package engine

import (
	"context"

	"github.com/graphgen/graphgen"
)

// Stream returns the stream of the method Run of a machine.
func Stream[In, Out any](ctx context.Context, run func(context.Context, In, ...graphgen.RunOption) (Out, error), in In,
	opts []graphgen.RunOption) *graphgen.Stream[Out] {
	return graphgen.NewStream(ctx, func(ctx context.Context, events graphgen.Option) (Out, error) {
		return run(ctx, in, append([]graphgen.RunOption{events}, opts...)...)
	})
}
