package engine

import (
	"context"

	"github.com/graphgen/graphgen/internal/origin"
)

// The defaults of the kernel.
const (
	DefaultVisits = defaultVisits
	DefaultFactor = defaultFactor
	ShortPath     = shortPath
)

// RunOf returns the run that the context of a handler belongs to.
func RunOf(ctx context.Context) *Run { return ctx.Value(origin.RunKey{}).(source).run }
