package bounds

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
)

func read(t *testing.T, text string) *cfg.Graph {
	t.Helper()
	g, found := spec.Load("g.graph.yaml", []byte(text))
	if len(found) > 0 {
		t.Fatal(found)
	}
	return cfg.Of(g)
}

// chained is a graph of nodes behind one another; of pairs, the second leads back to the first.
func chained(nodes int, pairs bool) string {
	var b, edges strings.Builder
	b.WriteString("graph: g\nentry: n0\nlimits: {max_steps: 1000000}\nnodes:\n")
	edges.WriteString("edges:\n")
	for i := range nodes {
		fmt.Fprintf(&b, "  n%d: {}\n", i)
		if pairs && i%2 == 1 {
			fmt.Fprintf(&edges, "  - {from: n%d, to: n%d, if: res.Visit < 3, max_iterations: 3}\n", i, i-1)
		}
		to := fmt.Sprint("n", i+1)
		if i == nodes-1 {
			to = "end"
		}
		fmt.Fprintf(&edges, "  - {from: n%d, to: %s}\n", i, to)
	}
	return b.String() + edges.String()
}

// sought is how many arcs are looked at to find the most visits and follows of a graph.
func sought(t *testing.T, text string) int {
	graph := read(t, text)
	m := newModel(graph)
	m.net.effort = &effort{1 << 40}
	b := &Bounds{Graph: graph, Visits: make([]Bound, len(graph.Nodes)), Follows: make([]Bound, len(graph.Transitions))}
	for i, most := range m.tighten() {
		b.Visits[i].Most = most
	}
	b.follows(m)
	return 1<<40 - m.net.effort.left + maxBoundWork - m.effort.left
}

// meshed is a graph of one part, in which edges with and without a bound lead from each node to others.
func meshed(nodes int) string {
	var b, edges strings.Builder
	b.WriteString("graph: g\nentry: n0\nlimits: {max_steps: 20000}\nstate: {n: int}\ninput: n\nnodes:\n")
	edges.WriteString("edges:\n")
	for i := range nodes {
		to := fmt.Sprint("n", i+1)
		if i == nodes-1 {
			to = "end"
		}
		fmt.Fprintf(&b, "  n%d: {reads: n, max_visits: 5}\n", i)
		fmt.Fprintf(&edges,
			"  - {from: n%[1]d, to: n%[2]d, if: state.N > %[1]d, max_iterations: 2}\n  - {from: n%[1]d, to: n%[3]d, if: state.N < "+
				"%[1]d}\n  - {from: n%[1]d, to: %[4]s}\n",
			i, i*7919%nodes, i*104729%nodes, to)
	}
	return b.String() + edges.String()
}

// Of a mesh all searches look at the whole graph: the effort is bounded.
func TestSearchesOfAMesh(t *testing.T) {
	effort := func(nodes int) (made, spent int) {
		m := newModel(read(t, meshed(nodes)))
		made = m.effort.left
		m.tighten()
		return made, made - m.effort.left
	}
	if made, _ := effort(1000); made != maxBoundWork {
		t.Errorf("of 1,000 nodes %d arcs are looked at, want %d", made, maxBoundWork)
	}
	if _, spent := effort(5000); spent > maxBoundWork/3 {
		t.Errorf("of 5,000 nodes %d arcs are looked at, want a third of %d", spent, maxBoundWork)
	}
}

func TestSearchesGrowAsTheGraphDoes(t *testing.T) {
	for name, pairs := range map[string]bool{"a chain": false, "a chain of loops": true} {
		t.Run(name, func(t *testing.T) {
			few, many := sought(t, chained(200, pairs)), sought(t, chained(2000, pairs))
			if few == 0 || many > 12*few {
				t.Errorf("%d arcs are looked at for 200 nodes, %d for 2000", few, many)
			}
		})
	}
}

// roomed is how many arcs are looked at to find what steps are left within the nodes of a graph
// that run others.
func roomed(t *testing.T, text string) int {
	m := newModel(read(t, text))
	visits := m.tighten()
	m.net.effort, m.roomWork = &effort{1 << 40}, &effort{1 << 40}
	m.children(visits)
	return 2<<40 - m.net.effort.left - m.roomWork.left
}

func TestRoomsGrowAsTheGraphDoes(t *testing.T) {
	hosts := func(n int, back string) string {
		var b strings.Builder
		b.WriteString("graph: g\nentry: l0\nlimits: {max_steps: 1000000}\nstate: {n: int}\ninput: n\nnodes:\n")
		for i := range n {
			to := fmt.Sprint("l", i+1)
			if i == n-1 {
				to = "end"
			}
			fmt.Fprintf(&b, "  l%d: {kind: loop, body: n%d, until: state.N > 1, max_iterations: 3, next: %s%s}\n  n%d: {reads: n}\n",
				i, i, to, strings.ReplaceAll(back, "$n", fmt.Sprint(i)), i)
		}
		return b.String()
	}
	for name, back := range map[string]string{"a chain": "", "loops of their own": ", transitions: {error: l$n}"} {
		t.Run(name, func(t *testing.T) {
			few, many := roomed(t, hosts(100, back)), roomed(t, hosts(1000, back))
			if many > 12*max(1, few) {
				t.Errorf("%d arcs are looked at for 100 nodes, %d for 1000", few, many)
			}
		})
	}
}

// What is found in the parts of a graph is what is found in all of it.
func TestPartsSayWhatTheWholeSays(t *testing.T) {
	text := chained(40, true)
	m := newModel(read(t, strings.Replace(text, "1000000", "90", 1)))
	m.tighten()
	for _, n := range m.graph.Running {
		i := n.Index
		if got, want := m.bound(m.visiting(i), 90), m.most(m.visiting(i), 90); got != want {
			t.Errorf("visits of %s: %d, want %d", n.Name(), got, want)
		}
	}
	for _, w := range m.graph.Taken {
		i := w.Index
		if m.arcOf[i] < 0 || w == m.graph.Entry {
			continue
		}
		if got, want := m.bound(m.following(w), 90), m.most(m.following(w), 90); got != want {
			t.Errorf("follows of way %d: %d, want %d", i, got, want)
		}
	}
}

func TestRoundsAreNotWalkedOneByOne(t *testing.T) {
	const times = 100_000_000
	for name, text := range map[string]string{
		"a loop": fmt.Sprintf("graph: g\nentry: l\nlimits: {max_steps: %d}\nstate: {n: int}\ninput: n\nnodes:\n  l: {kind: "+
			"loop, body: [a, b], max_iterations: %d, until: state.N > 1}\n  a: {reads: n}\n  b: {reads: n}\n", 2*times+1, times),
		"edges": fmt.Sprintf("graph: g\nentry: a\nlimits: {max_steps: %d}\nnodes:\n  a: {max_visits: %[2]d, next: b}\n  b: "+
			"{max_visits: %[2]d}\nedges:\n  - {from: b, to: a, if: res.Visit > 1}\n  - {from: b, to: end}\n", 2*times, times),
		"bounded too": fmt.Sprintf("graph: g\nentry: a\nlimits: {max_steps: %d}\nnodes:\n  a: {max_visits: %[2]d, next: b}\n  b: "+
			"{max_visits: %[2]d}\nedges:\n  - {from: b, to: a, if: res.Visit > 1, max_iterations: %[3]d}\n  - {from: b, to: end}\n", 3*times, times, times-1),
	} {
		t.Run(name, func(t *testing.T) {
			b := Of(read(t, text))
			if b.Steps.Most < 2*times || !b.Steps.Exact() {
				t.Errorf("%d steps, %d reached", b.Steps.Most, b.Steps.Reached)
			}
			if len(b.Steps.Path) > 1000 || len(b.Steps.Path.String()) > 1000 {
				t.Errorf("a path of %d legs: %.200s", len(b.Steps.Path), b.Steps.Path)
			}
			for _, n := range b.Graph.Running {
				i := n.Index
				if v := b.Visits[i]; !v.Exact() {
					t.Errorf("visits of %s: %d, %d reached", n.Name(), v.Most, v.Reached)
				}
			}
		})
	}
}
