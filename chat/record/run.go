package record

import (
	"context"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/absent"
)

// Run returns the option that records or replays a run of a machine: its calls of the model and
// of tools. model is the one that the machine calls; for a replay it may be nil. Pass other
// models, and toolboxes, wrapped: graphgen.WithLightModel(tape.Model(small)).
//
//	out, err := m.Run(ctx, in, record.Run(tape, model))
func Run(tape Tape, model chat.Model) graphgen.Option {
	if absent.Is(tape) {
		return graphgen.Invalid("record.Run", noTape)
	}
	if _, records := tape.(*Recorder); records && absent.Is(model) {
		return graphgen.Invalid("record.Run", "the model is nil: a recorder calls it, so give it one, or use record.Tools")
	}
	return graphgen.Options(graphgen.WithModel(tape.Model(model)), Tools(tape))
}

const noTape = "the tape is nil: leave it out"

// Tools is the part of Run for the calls of tools. It sets the tape's By to the name of the
// current node.
func Tools(tape Tape) graphgen.Option {
	if absent.Is(tape) {
		return graphgen.Invalid("record.Tools", noTape)
	}
	node := func(ctx context.Context) string { return graphgen.Info(ctx).Node }
	switch t := tape.(type) {
	case *Recorder:
		t.By = node
	case *Player:
		t.By = node
	}
	return graphgen.WithToolWrapper(func(next chat.ToolFunc) chat.ToolFunc {
		return func(ctx context.Context, call *chat.ToolCall) (chat.ToolResult, error) {
			return tape.Call(ctx, call.Name, call.Arguments, func(ctx context.Context) (chat.ToolResult, error) { return next(ctx, call) })
		}
	})
}
