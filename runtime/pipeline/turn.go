package pipeline

import (
	"context"

	"github.com/graphgen/graphgen/runtime/codec"
)

// AskFor makes the turn of a transcript, as its Ask does, and returns the answer.
func AskFor[T any, P interface {
	*T
	codec.Unmarshaler
}](ctx context.Context, tr *Transcript, tools Caller, after ...Filter) (T, error) {
	var out T
	err := tr.Ask(ctx, tools, P(&out), after...)
	return out, err
}
