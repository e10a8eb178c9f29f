// Package desk is a graph for tests of what is exported of runs.
package desk

import (
	"context"
	"errors"

	"github.com/graphgen/graphgen"
)

//go:generate go run ../../../../cmd/graphgen

// Work does what the nodes and tools of the graph do. Fails is how often Plan fails.
type Work struct {
	Secret string // in whatever it writes
	Fails  int
}

// Plan fails at first.
func (w *Work) Plan(ctx context.Context, _ DeskPlanIn) (DeskPlanOut, error) {
	if graphgen.Info(ctx).Attempt <= w.Fails {
		return DeskPlanOut{}, graphgen.Transient(errors.New("no plan: " + w.Secret))
	}
	return DeskPlanOut{Plan: w.Secret}, nil
}

// FirstPart is one of two branches.
func (w *Work) FirstPart(context.Context, DeskFirstPartIn) (DeskFirstPartOut, error) {
	return DeskFirstPartOut{First: w.Secret}, nil
}

// SecondPart is the other branch.
func (w *Work) SecondPart(context.Context, DeskSecondPartIn) (DeskSecondPartOut, error) {
	return DeskSecondPartOut{Second: w.Secret}, nil
}

// Send ends the run.
func (w *Work) Send(context.Context, DeskSendIn) error { return nil }

// Look looks a word up.
func (w *Work) Look(context.Context, DeskLookArgs) (string, error) { return w.Secret, nil }
