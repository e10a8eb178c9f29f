package record

import (
	"context"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat"
)

// Run returns the option that records or replays a run of a machine: its calls of the model and
// of tools. model is the one that the machine calls; for a replay it may be nil. Pass other
// models, and toolboxes, wrapped: graphrt.WithLightModel(tape.Model(small)).
//
//	out, err := m.Run(ctx, in, record.Run(tape, model))
func Run(tape Tape, model chat.Model) graphrt.Option {
	return graphrt.Options(graphrt.WithModel(tape.Model(model)), Tools(tape))
}

// Tools is the part of Run for the calls of tools. It sets the tape's By to the name of the
// current node.
func Tools(tape Tape) graphrt.Option {
	node := func(ctx context.Context) string { return graphrt.Info(ctx).Node }
	switch t := tape.(type) {
	case *Recorder:
		t.By = node
	case *Player:
		t.By = node
	}
	return graphrt.WithToolWrapper(func(next chat.ToolFunc) chat.ToolFunc {
		return func(ctx context.Context, call *chat.ToolCall) (chat.ToolResult, error) {
			return tape.Call(ctx, call.Name, call.Arguments, func(ctx context.Context) (chat.ToolResult, error) { return next(ctx, call) })
		}
	})
}
