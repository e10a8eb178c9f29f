package walks

import (
	"fmt"
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/cfg"
)

// key names a transition as the model does.
func key(w *cfg.Transition) string {
	o := Option{To: spec.End, Rule: w.Rule.String(), Text: w.Text()}
	if w.From != nil {
		o.From = w.From.Name()
	}
	if w.To != nil {
		o.To = w.To.Name()
	}
	return o.Key()
}

// compare compares what a walk did with the bounds.
func (h *hunt) compare(v *Walk) {
	exceeds := func(what string, have, most int) {
		if have > most {
			h.t.Errorf("draw %v: %s: %d, and the bound is %d\n%s", h.draw, what, have, most, h.text)
		}
	}
	exceeds("steps", v.Steps, h.b.Steps.Most)
	calls, turns := mostSpent(v)
	exceeds("model calls", calls, h.b.ModelCalls.Most)
	exceeds("turns that call tools", turns, h.b.ToolTurns.Most)
	for _, n := range h.b.Graph.Running {
		exceeds("visits of "+n.Name(), v.Visits[n.Name()], h.b.Visits[n.Index].Most)
	}
	within := map[[2]string]int{}
	for _, w := range h.b.RegionTransitions {
		to := spec.End
		if w.To != nil {
			to = w.To.Name()
		}
		if w.From != w.Composite && w.From != w.To {
			within[[2]string{w.From.Name(), to}] += w.Follows.Most
		}
	}
	for k, n := range v.Within {
		if _, bounded := within[k]; bounded || k[1] != spec.End { // that from the last node has no bound
			exceeds(k[0]+" to "+k[1]+" within a node", n, within[k])
		}
	}
	most := map[string]int{}
	for _, w := range h.b.Graph.Taken {
		most[key(w)] += h.b.Follows[w.Index].Most
	}
	for k, n := range v.Follows {
		if _, known := most[k]; !known {
			h.t.Errorf("draw %v: the way %s has no bound\n%s", h.draw, k, h.text)
		}
		exceeds("follows of "+k, n, most[k])
	}
}

// mostSpent is what a walk has spent at most, whatever it does at the node where it is.
func mostSpent(v *Walk) (modelCalls, toolTurns int) {
	if v.At == nil {
		return v.ModelCalls, v.ToolTurns
	}
	for _, o := range v.Options() {
		calls, turns := v.Spent(o)
		modelCalls, toolTurns = max(modelCalls, calls), max(toolTurns, turns)
	}
	return modelCalls, toolTurns
}

// attain walks the walks that bounds come with.
func (h *hunt) attain() {
	reach := func(what string, b bounds.Bound, done func(*Walk) int) {
		if b.Reached > b.Most {
			h.t.Errorf("draw %v: %s: reached %d, and the bound is %d: %v\n%s", h.draw, what, b.Reached, b.Most, b.Path, h.text)
		}
		if b.Reached == 0 {
			return
		}
		got := 0
		for _, v := range h.follow(what, b.Path) {
			got = max(got, done(v))
		}
		if got < b.Reached {
			h.t.Errorf("draw %v: %s: the walk reaches %d, not %d: %v\n%s", h.draw, what, got, b.Reached, b.Path, h.text)
		}
	}
	reach("steps", h.b.Steps, func(v *Walk) int { return v.Steps })
	if !h.inside { // what is asked within a node is not told by its path
		reach("model calls", h.b.ModelCalls, func(v *Walk) int { calls, _ := mostSpent(v); return calls })
		reach("turns that call tools", h.b.ToolTurns, func(v *Walk) int { _, turns := mostSpent(v); return turns })
	}
	for _, n := range h.b.Graph.Running {
		reach("visits of "+n.Name(), h.b.Visits[n.Index], func(v *Walk) int { return v.Visits[n.Name()] })
	}
	for _, w := range h.b.RegionTransitions {
		if w.Rule == spec.RuleGoto {
			reach(w.Text+" within "+w.Composite.Name(), w.Follows, func(*Walk) int { return w.Follows.Reached })
		}
	}
	for _, w := range h.b.Graph.Taken {
		reach("follows of "+key(w), h.b.Follows[w.Index], func(v *Walk) int { return v.Follows[key(w)] })
	}
}

// follow walks along ways. A node may come to the same way with and without a failure, and
// round different nodes: all the adventures that are possible go on.
func (h *hunt) follow(what string, written bounds.Path) []*Walk {
	path := slices.Collect(written.Segments())
	if v := h.done[&written[0]]; v != nil {
		return v
	}
	possible := h.a.Start().Accept(componentFlow(path[0]), len(path) == 1)
	for i, leg := range path[1:] {
		w := leg.Transition
		var next []*Walk
		seen := map[string]bool{}
		for _, v := range possible {
			for _, o := range v.Options() {
				c := v.Clone()
				c.Take(o)
				if !last(c, v, key(w)) {
					continue
				}
				for _, c := range accepted(c, leg, i == len(path)-2) {
					if state := fmt.Sprint(c.State(), c.ModelCalls, c.ToolTurns); !seen[state] {
						seen[state] = true
						next = append(next, c)
					}
				}
			}
		}
		if len(next) == 0 {
			h.t.Fatalf("draw %v: %s: step %d cannot go by %s: %v\n%s", h.draw, what, i+1, key(w), written, h.text)
		}
		possible = next
	}
	h.done[&written[0]] = possible
	return possible
}

// accepted are the walks that go on from a leg.
func accepted(v *Walk, leg bounds.Segment, last bool) []*Walk {
	if v.At == nil {
		return []*Walk{v}
	}
	return v.Accept(componentFlow(leg), last)
}

func componentFlow(leg bounds.Segment) []string {
	var names []string
	if leg.Regions == nil {
		return nil
	}
	for n := range leg.Regions.Visits() {
		names = append(names, n.Name())
	}
	return names
}

// last reports whether the way was the one followed since before.
func last(v, before *Walk, key string) bool {
	return v.Follows[key] == before.Follows[key]+1
}
