package bounds_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/randomgraph"
	"github.com/graphgen/graphgen/internal/testing/refmodel"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/explore"
)

// walksPerGraph is how many walks go through one random graph.
const walksPerGraph = 50

// TestWalksWithinBounds walks random graphs with refmodel. The walk
// that a bound comes with is walked too: each of its ways must be allowed, and it must
// reach what it is said to reach.
func TestWalksWithinBounds(t *testing.T) {
	total := &costBound{}
	walks := tier.Pick(1000, 4000, 20_000)
	for d := range tier.Draws(t, tier.Endless) {
		r, number := d.Rand(), int(d.Number)
		text := some(r, number)
		g := valid(text)
		if number%3 == 2 {
			text = randomgraph.Inside(r, "g")
			g = readable(t, text)
		}
		if g == nil {
			continue
		}
		if hunted(t, r, g, text, d, number%3 == 2, total); t.Failed() || total.walks >= walks {
			break
		}
	}
	t.Log(total)
}

// TestWalksPastSkippedNodesWithinBounds does so with routers in regions. Some of the walks skip nodes, and the bounds of
// their routes are reached.
func TestWalksPastSkippedNodesWithinBounds(t *testing.T) {
	total, routes, exact := &costBound{}, 0, 0
	for d := range tier.Draws(t, tier.Pick(10, 60, 200)) {
		r := d.Rand()
		text := randomgraph.Routed(r, "g")
		b := hunted(t, r, readable(t, text), text, d, true, total)
		if t.Failed() {
			return
		}
		for _, w := range b.RegionTransitions {
			if w.Rule == spec.RuleGoto {
				routes++
				if w.Follows.Exact() {
					exact++
				}
			}
		}
	}
	t.Log(total, "; exact:", exact, "of", routes, "routes in regions")
	if !tier.Alone() && routes < tier.Pick(1, 20, 20) || exact < routes*2/3 {
		t.Errorf("%d of %d routes have exact bounds", exact, routes)
	}
}

// hunted looks for walks beyond the bounds of a graph.
func hunted(t *testing.T, r *rand.Rand, g *cfg.Graph, text string, d tier.Draw, inside bool, total *costBound) *bounds.Bounds {
	b := bounds.Of(g)
	hunt := hunt{t: t, a: refmodel.Of(g.Spec), b: b, text: text, draw: d, inside: inside, done: map[*bounds.Segment][]*refmodel.Walk{}}
	for range walksPerGraph {
		hunt.walk(r)
	}
	hunt.attain()
	total.add(b, hunt.inside)
	return b
}

// some makes a random graph; every second one has prompts and edges that a model judges, and some
// have branch tables that look at outputs.
func some(r *rand.Rand, number int) string {
	switch {
	case number%5 == 0 && number%3 != 2:
		return randomgraph.Tables(r, "g", number%2 == 1, false)
	case number%2 == 1:
		return randomgraph.Agents(r, "g")
	}
	return randomgraph.YAML(r, "g")
}

// valid reads and checks a graph; one with mistakes is nil.
func valid(text string) *cfg.Graph {
	g, found := spec.Load("g.graph.yaml", []byte(text))
	if len(found) > 0 || diag.HasErrors(check.Run(cfg.Of(g))) {
		return nil
	}
	return cfg.Of(g)
}

// readable reads a graph, whether or not the checks accept it.
func readable(t *testing.T, text string) *cfg.Graph {
	t.Helper()
	g, found := spec.Load("g.graph.yaml", []byte(text))
	if len(found) > 0 {
		t.Fatal(found)
	}
	return cfg.Of(g)
}

// A costBound counts what was tried, and how many bounds are exact.
type costBound struct {
	graphs, walks, steps, bounds, exact int
	models, calls, turns                int

	composed, composedSteps, children, exactChildren int
}

func (l *costBound) add(b *bounds.Bounds, inside bool) {
	l.walks += walksPerGraph
	if inside {
		l.composed++
		if b.Steps.Exact() {
			l.composedSteps++
		}
		for _, x := range b.Visits {
			l.children++
			if x.Exact() {
				l.exactChildren++
			}
		}
		return
	}
	l.graphs++
	if b.Steps.Exact() {
		l.steps++
	}
	if b.ModelCalls.Most > 0 {
		l.models++
		if b.ModelCalls.Exact() {
			l.calls++
		}
		if b.ToolTurns.Exact() {
			l.turns++
		}
	}
	for _, x := range slices.Concat(b.Visits, b.Follows) {
		l.bounds++
		if x.Exact() {
			l.exact++
		}
	}
}

func (l *costBound) String() string {
	share := func(n, of int) float64 { return 100 * float64(n) / float64(of) }
	return fmt.Sprintf("%d walks on %d graphs; exact: the steps of %.1f %% of the graphs, %.1f %% of %d other bounds; of %d graphs "+
		"with models the calls of %.1f %%, the turns that call tools of %.1f %%; of %d graphs with nodes within nodes the steps "+
		"of %.1f %%, and %.1f %% of %d bounds of visits",
		l.walks, l.graphs, share(l.steps, l.graphs), share(l.exact, l.bounds), l.bounds, l.models, share(l.calls, l.models),
		share(l.turns, l.models), l.composed, share(l.composedSteps, l.composed), share(l.exactChildren, l.children), l.children)
}

// A hunt looks for walks beyond the bounds of a graph.
type hunt struct {
	t      *testing.T
	a      *refmodel.Graph
	b      *bounds.Bounds
	text   string
	draw   tier.Draw
	inside bool                                 // most nodes run others
	done   map[*bounds.Segment][]*refmodel.Walk // walks that were followed: bounds share them
}

func key(w *explore.Transition) string {
	o := refmodel.Option{To: spec.End, Rule: w.Rule.String(), Text: w.Text}
	if w.From != nil {
		o.From = w.From.Name
	}
	if w.To != nil {
		o.To = w.To.Name
	}
	return o.Key()
}

// walk makes one walk and compares what it did with the bounds.
func (h *hunt) walk(r *rand.Rand) {
	v := h.a.Start()
	liking := map[string]int{}
	for v.At != nil {
		if v.RunInside(r); v.At != nil {
			v.Take(v.Choose(r, liking))
		}
	}
	h.compare(v)
}

func (h *hunt) compare(v *refmodel.Walk) {
	exceeds := func(what string, have, most int) {
		if have > most {
			h.t.Errorf("draw %v: %s: %d, and the bound is %d\n%s", h.draw, what, have, most, h.text)
		}
	}
	exceeds("steps", v.Steps, h.b.Steps.Most)
	calls, turns := spent(v)
	exceeds("model calls", calls, h.b.ModelCalls.Most)
	exceeds("turns that call tools", turns, h.b.ToolTurns.Most)
	for i, n := range h.b.Graph.Nodes {
		exceeds("visits of "+n.Name, v.Visits[n.Name], h.b.Visits[i].Most)
	}
	within := map[[2]string]int{}
	for _, w := range h.b.RegionTransitions {
		to := spec.End
		if w.To != nil {
			to = w.To.Name
		}
		if w.From != w.Composite && w.From != w.To {
			within[[2]string{w.From.Name, to}] += w.Follows.Most
		}
	}
	for k, n := range v.Within {
		if _, bounded := within[k]; bounded || k[1] != spec.End { // that from the last node has no bound
			exceeds(k[0]+" to "+k[1]+" within a node", n, within[k])
		}
	}
	most := map[string]int{}
	for i, w := range h.b.Graph.Transitions {
		most[key(w)] += h.b.Follows[i].Most
	}
	for k, n := range v.Follows {
		if _, known := most[k]; !known {
			h.t.Errorf("draw %v: the way %s has no bound\n%s", h.draw, k, h.text)
		}
		exceeds("follows of "+k, n, most[k])
	}
}

// spent is what a walk has spent at most, whatever it does at the node where it is.
func spent(v *refmodel.Walk) (modelCalls, toolTurns int) {
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
	reach := func(what string, b bounds.Bound, done func(*refmodel.Walk) int) {
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
	reach("steps", h.b.Steps, func(v *refmodel.Walk) int { return v.Steps })
	if !h.inside { // what is asked within a node is not told by its path
		reach("model calls", h.b.ModelCalls, func(v *refmodel.Walk) int { calls, _ := spent(v); return calls })
		reach("turns that call tools", h.b.ToolTurns, func(v *refmodel.Walk) int { _, turns := spent(v); return turns })
	}
	for i, n := range h.b.Graph.Nodes {
		reach("visits of "+n.Name, h.b.Visits[i], func(v *refmodel.Walk) int { return v.Visits[n.Name] })
	}
	for _, w := range h.b.RegionTransitions {
		if w.Rule == spec.RuleGoto {
			reach(w.Text+" within "+w.Composite.Name, w.Follows, func(*refmodel.Walk) int { return w.Follows.Reached })
		}
	}
	for i, w := range h.b.Graph.Transitions {
		reach("follows of "+key(w), h.b.Follows[i], func(v *refmodel.Walk) int { return v.Follows[key(w)] })
	}
}

// follow walks along ways. A node may come to the same way with and without a failure, and
// round different nodes: all the adventures that are possible go on.
func (h *hunt) follow(what string, written bounds.Path) []*refmodel.Walk {
	path := slices.Collect(written.Segments())
	if v := h.done[&written[0]]; v != nil {
		return v
	}
	possible := h.a.Start().Accept(componentFlow(path[0]), len(path) == 1)
	for i, leg := range path[1:] {
		w := leg.Transition
		var next []*refmodel.Walk
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
func accepted(v *refmodel.Walk, leg bounds.Segment, last bool) []*refmodel.Walk {
	if v.At == nil {
		return []*refmodel.Walk{v}
	}
	return v.Accept(componentFlow(leg), last)
}

func componentFlow(leg bounds.Segment) []string {
	var names []string
	if leg.Regions == nil {
		return nil
	}
	for n := range leg.Regions.Visits() {
		names = append(names, n.Name)
	}
	return names
}

// last reports whether the way was the one followed since before.
func last(v, before *refmodel.Walk, key string) bool {
	return v.Follows[key] == before.Follows[key]+1
}
