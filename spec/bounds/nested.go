package bounds

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/explore"
	"github.com/graphgen/graphgen/spec/resolve"
)

func newCostEstimator(graph *cfg.Graph, from *resolve.Graph, prices *Prices) *costEstimator {
	return &costEstimator{graph: graph, from: from, nested: map[*cfg.Node]usage{}, uses: map[*spec.Graph]usage{}, prices: prices}
}

// estimateNested computes the usage of child runs of other graphs, and of the graph itself down to
// max_depth.
func (w *costEstimator) estimateNested() {
	if w.enclosing == nil {
		w.enclosing = map[*spec.Graph]bool{}
	}
	w.enclosing[w.from.Spec] = true
	depth, own := 0, []*cfg.Node(nil)
	for _, n := range w.graph.Running {
		if n.Spec.Kind.By != spec.ByGraph {
			continue
		}
		switch used := n.Spec.Sub; {
		case used == nil:
		case n.Spec.Itself():
			own = append(own, n)
			depth = max(depth, n.Spec.Spec.MaxDepth.V)
			w.nested[n] = usage{}
		case w.enclosing[used.Spec]: // the checks refuse it
			w.nested[n] = unboundedUsage
		default:
			w.nested[n] = w.use(used)
		}
	}
	for range depth {
		if len(own) == 0 {
			break
		}
		deeper := w.bounds().usage()
		before := w.nested[own[0]]
		for _, n := range own {
			w.nested[n] = deeper
		}
		if deeper.same(before) {
			break
		}
	}
	delete(w.enclosing, w.from.Spec)
}

// use returns the usage of a run of another graph.
func (w *costEstimator) use(from *resolve.Graph) usage {
	if known, ok := w.uses[from.Spec]; ok {
		return known
	}
	graph := cfg.Build(from)
	if graph.Entry == nil {
		return usage{}
	}
	inner := newCostEstimator(graph, from, w.prices)
	inner.enclosing, inner.uses = w.enclosing, w.uses
	inner.estimateNested()
	used := inner.bounds().usage()
	w.uses[from.Spec] = used
	return used
}

func (b *Bounds) usage() usage {
	u := usage{calls: b.ModelCalls, turns: b.ToolTurns, loose: b.loose}
	if b.Cost != nil {
		u.dollars = b.Cost.money
	}
	return u
}

func (u usage) same(v usage) bool {
	return u.calls.Most == v.calls.Most && u.turns.Most == v.turns.Most && u.dollars.most == v.dollars.most
}

// worstAdded returns the highest cost of a visit of a node that a mutation may add: a template, a
// child of a template, or a kind.
func (w *costEstimator) worstAdded(take func(*resolve.Node) int) int {
	if !mutable(w.from) || !w.from.Mutations.Allows("add_node") {
		return 0
	}
	worst := 0
	for _, t := range w.from.Templates {
		for _, n := range append(t.Children(), t) {
			worst = max(worst, take(n))
		}
	}
	tools := w.from.Mutations.Tools
	for _, kind := range w.from.Mutations.Kinds {
		worst = max(worst, take(&resolve.Node{Spec: &spec.Node{}, Kind: spec.KindOf(kind), Asks: true, Tools: tools, Loops: len(tools) > 0}))
	}
	return worst
}

// addedCalls returns the model calls of a visit of a dynamic node: answers, guards, judges of it and of its edges, and its pick in
// a pool.
func (w *costEstimator) addedCalls(n *resolve.Node) int {
	shown, answer := n.Summaries()
	calls := shown + asks(n) + answer + gates(n)
	if n.Kind.Picks() || n.Parent != nil && n.Parent.Kind.Picks() {
		calls += callsOfPick
	}
	if n.Kind.By == spec.ByGraph {
		calls += w.addedRun(n).calls.Most
	}
	calls = times(calls, cfg.Executions(n)+n.Spec.GuardRetries.V) + judged(n)
	if slices.ContainsFunc(n.Leaving, (*resolve.Edge).Judged) {
		calls++
	}
	return calls
}

// addedRun returns the usage of a child run that a node of a template starts. A run of the graph
// itself may add nodes again, so its usage is unbounded.
func (w *costEstimator) addedRun(n *resolve.Node) usage {
	switch {
	case n.Sub == nil:
		return usage{}
	case n.Itself(), w.enclosing[n.Sub.Spec]:
		return unboundedUsage
	}
	return w.use(n.Sub)
}

// unboundedUsage is the usage of a run of which nothing is known.
var unboundedUsage = usage{calls: Bound{Most: explore.Unbounded}, turns: Bound{Most: explore.Unbounded}, loose: true, dollars: money{most: explore.Unbounded}}
