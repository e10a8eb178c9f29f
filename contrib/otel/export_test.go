package graphotel

import (
	"context"

	graphrt "github.com/graphgen/graphgen/runtime"
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
	run := &graphrt.RunInfo{ID: "r", Graph: "desk", File: "desk.graph.yaml"}
	ctx, _ := w.begin(context.Background(), graphrt.Event{Kind: graphrt.RunStart, Run: run})
	e := graphrt.Event{Kind: graphrt.NodeStart, Run: run, Node: "plan", NodeKind: "func", Line: 17, Visit: 1}
	routed := graphrt.Event{Kind: graphrt.Routed, Run: run, Node: "plan", Route: &graphrt.Route{To: "plan", Rule: graphrt.RuleNext}}
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
