package record

import (
	"context"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat"
)

// Run has a run of a machine recorded or replayed: what it says to the model, and what its
// tools do. The model is the one that the machine asks; for a replay it may be nil. Other models,
// and toolboxes, are given wrapped: graphrt.WithLightModel(tape.Model(small)).
//
//	out, err := m.Run(ctx, in, record.Run(tape, model))
func Run(tape Tape, model chat.Model) graphrt.Option {
	return graphrt.Options(graphrt.WithModel(tape.Model(model)), Tools(tape))
}

// Tools is the part of Run that concerns the calls of tools. It tells who calls by the nodes
// of the run, from here on.
func Tools(tape Tape) graphrt.Option {
	node := func(ctx context.Context) string { return graphrt.Info(ctx).Node }
	switch t := tape.(type) {
	case *Recorder:
		t.By = node
	case *Player:
		t.By = node
	}
	return graphrt.AroundTools(func(next graphrt.ToolCaller) graphrt.ToolCaller {
		return func(ctx context.Context, call *chat.ToolCall) (chat.ToolResult, error) {
			return tape.Call(ctx, call.Name, call.Arguments, func(ctx context.Context) (chat.ToolResult, error) { return next(ctx, call) })
		}
	})
}
