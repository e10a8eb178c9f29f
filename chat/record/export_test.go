package record

import (
	"context"

	"github.com/graphgen/graphgen/chat"
)

type who struct{}

// Replay makes all calls that a player has, one after the other, and records them.
func Replay(p *Player, r *Recorder) {
	by := func(ctx context.Context) string { return ctx.Value(who{}).(string) }
	p.By, r.By = by, by
	for _, e := range p.entries {
		ctx := context.WithValue(context.Background(), who{}, e.by)
		switch {
		case e.model != nil:
			req := p.book.settings[e.model.settings-1]
			req.Purpose, req.Messages = e.model.purpose, e.at.conversation()
			var stream func(chat.Delta)
			if e.model.deltas != nil {
				stream = func(chat.Delta) {}
			}
			_, _ = r.Model(p.Model(nil)).Generate(ctx, &req, stream)
		case e.tool != nil:
			call := func(ctx context.Context) (chat.ToolResult, error) { return p.Call(ctx, e.name, e.tool.arguments, nil) }
			func() {
				defer func() { _ = recover() }()
				_, _ = r.Call(ctx, e.name, e.tool.arguments, call)
			}()
		default:
			_, _ = r.Toolbox(p.Toolbox(nil)).Tools(ctx)
		}
	}
}
