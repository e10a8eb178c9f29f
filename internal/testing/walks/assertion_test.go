package walks

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/assertion"
	"github.com/graphgen/graphgen/spec/cfg"
)

// A visited is what a walk has done at a node.
type visited struct {
	node string
	run  bool // the node was executed
}

// A monitor watches a run for what an assertion forbids; of "X is reachable", for what it
// wants.
type monitor struct {
	from, to, without string
	most              int
	underWay, over    bool
	visits            int
	broken            bool
}

func watch(a *assertion.Assertion) monitor {
	name := func(i int) string { return a.Names[i].V }
	switch a.Kind {
	case assertion.Passes:
		return monitor{to: name(0), without: name(1), underWay: true}
	case assertion.Without:
		return monitor{from: name(0), to: name(1), without: name(2)}
	case assertion.AtMost:
		return monitor{to: name(0), most: a.Most, over: true}
	}
	return monitor{to: name(0), underWay: true}
}

// visit is told of a visit.
func (m *monitor) visit(v visited) {
	if v.node == m.to {
		m.visits++
		m.broken = m.broken || m.underWay || m.over && m.visits > m.most
	}
	if v.node == m.from {
		m.underWay = true
	}
	if v.node == m.without && v.run {
		m.underWay = false
	}
}

// end is told of the end of a run that has not failed, and its name.
func (m *monitor) end(name string) {
	m.broken = m.broken || m.underWay && (m.to == spec.End || name != "" && m.to == name)
}

// violates reports whether a run does what the monitor of the assertion watches for.
func violates(a *assertion.Assertion, done []visited, ended bool, end string) bool {
	m := watch(a)
	for _, v := range done {
		m.visit(v)
	}
	if ended {
		m.end(end)
	}
	return m.broken
}

// prove proves random assertions, and counts the results. The path of one that fails is one that it forbids; where its nodes run no others, a run
// can take it.
func (h *hunt) prove(r *rand.Rand, results map[string]int) {
	p := assertion.NewProver(h.b.Graph)
	for range assertionsPerGraph {
		x := random(h.t, r, h.b.Graph)
		v := p.Prove(x)
		h.assertions, h.verdicts = append(h.assertions, x), append(h.verdicts, v)
		results[fmt.Sprint(x.Kind, ": ", [...]string{"holds", "fails", "open", "nothing"}[v.Result])]++
		switch {
		case v.Result != assertion.Fails || x.Kind == assertion.Reachable:
		case h.inside && !violates(x, visitsOf(v.Path), v.Path[len(v.Path)-1].Node == nil, ""):
			h.t.Errorf("draw %v: %s: the path is none that it forbids\n%v\n%s", h.draw, x.Text.V, visitsOf(v.Path), h.text)
		case !h.inside && !taken(h.a, x, v.Path):
			h.t.Errorf("draw %v: %s: no run takes the path\n%v\n%s", h.draw, x.Text.V, v.Path, h.text)
		}
	}
}

// breaks compares what a walk did with the results of the assertions.
func (h *hunt) breaks(v *Walk, done []visited) {
	for i, x := range h.assertions {
		result := h.verdicts[i].Result
		forbidden := result == assertion.Holds && x.Kind != assertion.Reachable ||
			result == assertion.Fails && x.Kind == assertion.Reachable || result == assertion.Vacuous
		if forbidden && violates(x, done, v.Ended, v.End) {
			h.t.Errorf("draw %v: %s: %v, and a run goes %v\n%s", h.draw, x.Text.V, result, done, h.text)
		}
	}
}

// random makes an assertion about nodes of the graph.
func random(t *testing.T, r *rand.Rand, g *cfg.Graph) *assertion.Assertion {
	t.Helper()
	for {
		node := func() string { return g.Running[r.IntN(len(g.Running))].Name() }
		goal := node()
		if r.IntN(4) == 0 {
			goal = spec.End
			if ends := g.Spec.Spec.Ends; len(ends) > 0 && r.IntN(3) > 0 {
				goal = ends[r.IntN(len(ends))].V
			}
		}
		text := [...]string{
			fmt.Sprintf("every path to %s passes %s", goal, node()),
			fmt.Sprintf("no path from %s to %s without %s", node(), goal, node()),
			fmt.Sprintf("%s is reachable", goal),
			fmt.Sprintf("%s runs at most %d times", node(), r.IntN(8)),
		}[r.IntN(4)]
		a, wrong := assertion.Parse(spec.String{V: text, Pos: spec.Pos{Line: 1, Col: 1}})
		if wrong != nil {
			t.Fatal(text, wrong)
		}
		if _, same := a.Same(); !same {
			return a
		}
	}
}

// visitsOf lists the visits of a path.
func visitsOf(path []assertion.Step) []visited {
	var out []visited
	for _, s := range path {
		if s.Node != nil {
			out = append(out, visited{s.Node.Name(), s.Outcome != cfg.Skipped})
		}
		out = append(out, visitsOf(s.Regions)...)
	}
	return out
}

// taken reports whether a run can take the path, and breaks the assertion.
func taken(a *Graph, x *assertion.Assertion, path []assertion.Step) bool {
	type run struct {
		*Walk
		monitor
	}
	possible := []run{{a.Start(), watch(x)}}
	for i, s := range path[1 : len(path)-1] {
		var next []run
		seen := map[string]bool{}
		for _, v := range possible {
			for _, o := range v.Options() {
				c := run{v.Clone(), v.monitor}
				c.visit(visited{v.At.Spec.Name.V, !o.Unrun})
				c.Take(o)
				to := path[i+2].Node
				arrived := to == nil && c.Ended || to != nil && c.At != nil && c.At.Spec.Name.V == to.Name()
				followed := s.Transition == nil || c.Follows[key(s.Transition)] > v.Follows[key(s.Transition)]
				if state := fmt.Sprint(c.State(), c.End, c.monitor); arrived && followed && !seen[state] {
					seen[state] = true
					next = append(next, c)
				}
			}
		}
		possible = next
	}
	for _, v := range possible {
		if v.At != nil {
			v.visit(visited{v.At.Spec.Name.V, true})
		} else {
			v.end(v.End)
		}
		if v.broken {
			return true
		}
	}
	return false
}
