package graphotel

import (
	"context"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/origin"
)

// Kept returns how many runs an observer keeps something of.
func Kept(o *Observer) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.live) + len(o.paused)
}

// Step returns a function that makes the span of a step in a run, as the hook does.
func Step(o *Observer) func() {
	w := &watch{Observer: o, made: &o.made}
	run := &graphgen.RunInfo{ID: "r", Graph: "desk", File: "desk.graph.yaml"}
	ctx, _ := w.begin(context.Background(), graphgen.Event{Kind: graphgen.RunStart, Run: run})
	e := graphgen.Event{Kind: graphgen.NodeStart, Run: run, Node: "plan", NodeKind: "func", Line: 17, Visit: 1}
	routed := graphgen.Event{Kind: graphgen.Routed, Run: run, Node: "plan",
		Details: origin.Details{More: &graphgen.Route{To: "plan", Rule: graphgen.RuleNext}}}
	next := func(context.Context) error { return nil }
	return func() {
		e.Step++
		_ = w.around(ctx, e, next)
		w.observe(routed)
	}
}

// Classes returns the values of error.type.
func Classes() []string {
	list := []string{other}
	for _, c := range classes {
		list = append(list, c.name)
	}
	return list
}
