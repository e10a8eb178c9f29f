package graphrt

import "context"

// RunOf returns the run that the context of a handler belongs to.
func RunOf(ctx context.Context) *Run { return ctx.Value(runKey{}).(*Run) }
