package peers

import (
	"context"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/compose"
)

// newEino returns the invocation of a graph of lambda nodes, which is compiled once.
func newEino(ctx context.Context, opts ...compose.Option) (program, error) {
	graph := compose.NewGraph[int, int]()
	last := compose.START
	for i := range nodes {
		if err := graph.AddLambdaNode(name(i), compose.InvokableLambda(add)); err != nil {
			return nil, err
		}
		if err := graph.AddEdge(last, name(i)); err != nil {
			return nil, err
		}
		last = name(i)
	}
	if err := graph.AddEdge(last, compose.END); err != nil {
		return nil, err
	}
	runnable, err := graph.Compile(ctx)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, count int) (int, error) { return runnable.Invoke(ctx, count, opts...) }, nil
}

// observed is the option of callbacks that do nothing but count the nodes.
func observed(starts, ends *int) compose.Option {
	handler := callbacks.NewHandlerBuilder().
		OnStartFn(func(ctx context.Context, _ *callbacks.RunInfo, _ callbacks.CallbackInput) context.Context {
			*starts++
			return ctx
		}).
		OnEndFn(func(ctx context.Context, _ *callbacks.RunInfo, _ callbacks.CallbackOutput) context.Context {
			*ends++
			return ctx
		}).
		Build()
	return compose.WithCallbacks(handler)
}
