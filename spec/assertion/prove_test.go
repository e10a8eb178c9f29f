package assertion_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/randomgraph"
	"github.com/graphgen/graphgen/internal/testing/refmodel"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/assertion"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/explore"
	"github.com/graphgen/graphgen/spec/resolve"
)

const (
	walksPerGraph      = 50
	assertionsPerGraph = 12
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

// end is told of the end of a run that has not failed.
func (m *monitor) end() { m.broken = m.broken || m.underWay && m.to == spec.End }

// violates reports whether a run does what the monitor of the assertion watches for.
func violates(a *assertion.Assertion, done []visited, ended bool) bool {
	m := watch(a)
	for _, v := range done {
		m.visit(v)
	}
	if ended {
		m.end()
	}
	return m.broken
}

// TestNoWalkBreaksWhatIsProved proves random assertions about random graphs, and walks these as
// refmodel does. The path that refutes an assertion is walked too.
func TestNoWalkBreaksWhatIsProved(t *testing.T) {
	proved(t, func(r *rand.Rand, number int) (text string, composed bool) {
		text = randomgraph.YAML(r, "g")
		if number%2 == 1 {
			text = randomgraph.Agents(r, "g")
		}
		composed = number%3 == 2
		switch {
		case !composed && number%5 == 0:
			text = randomgraph.Tables(r, "g", number%2 == 1, false)
		case composed:
			text = randomgraph.Inside(r, "g")
		}
		return text, composed
	})
}

// TestNoWalkPastSkippedNodesBreaksWhatIsProved does so with routers in regions.
func TestNoWalkPastSkippedNodesBreaksWhatIsProved(t *testing.T) {
	results := proved(t, func(r *rand.Rand, _ int) (string, bool) { return randomgraph.Routed(r, "g"), true })
	for _, what := range []string{"every path to X passes Y: holds", "every path to X passes Y: fails"} {
		if results[what] < 5 {
			t.Errorf("%s: %d", what, results[what])
		}
	}
}

// proved compares what is proved about random graphs with walks. It returns how often each result was found.
func proved(t *testing.T, some func(r *rand.Rand, number int) (text string, composed bool)) map[string]int {
	results, made := map[string]int{}, 0
	for d := range tier.Draws(t, tier.Endless) {
		if made >= tier.Pick(1000, 4000, 20_000) {
			break
		}
		r := d.Rand()
		text, composed := some(r, int(d.Number))
		s, found := spec.Load("g.graph.yaml", []byte(text))
		if len(found) > 0 || !composed && diag.HasErrors(check.Run(cfg.Of(s))) {
			continue
		}
		g := resolve.Resolve(s)
		graph, a := explore.Of(cfg.Build(g)), refmodel.Of(g)
		p := assertion.NewProver(graph)
		var list []*assertion.Assertion
		var verdicts []assertion.Verdict
		for range assertionsPerGraph {
			x := random(t, r, graph)
			v := p.Prove(x)
			list, verdicts = append(list, x), append(verdicts, v)
			results[fmt.Sprint(x.Kind, ": ", [...]string{"holds", "fails", "open", "nothing"}[v.Result])]++
			if v.Result != assertion.Fails || x.Kind == assertion.Reachable {
				continue
			}
			if composed && !violates(x, visitsOf(v.Path), v.Path[len(v.Path)-1].Node == nil) {
				t.Fatalf("%s: the path is none that it forbids\n%v\n%s", x.Text.V, names(v.Path), text)
			}
			if !composed && !taken(a, x, v.Path) {
				t.Fatalf("%s: no run takes the path\n%v\n%s", x.Text.V, v.Path, text)
			}
		}
		for range walksPerGraph {
			made++
			done, ended := wander(a, r)
			for i, x := range list {
				forbidden := verdicts[i].Result == assertion.Holds && x.Kind != assertion.Reachable ||
					verdicts[i].Result == assertion.Fails && x.Kind == assertion.Reachable || verdicts[i].Result == assertion.Vacuous
				if forbidden && violates(x, done, ended) {
					t.Fatalf("%s: %v, and a run goes %v\n%s", x.Text.V, verdicts[i].Result, done, text)
				}
			}
		}
	}
	t.Log(results)
	return results
}

// random makes an assertion about nodes of the graph.
func random(t *testing.T, r *rand.Rand, g *explore.Graph) *assertion.Assertion {
	t.Helper()
	for {
		node := func() string { return g.Nodes[r.IntN(len(g.Nodes))].Name }
		goal := node()
		if r.IntN(4) == 0 {
			goal = spec.End
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

// wander makes a random walk and returns what it did.
func wander(a *refmodel.Graph, r *rand.Rand) (done []visited, ended bool) {
	v := a.Start()
	liking := map[string]int{}
	for v.At != nil {
		at := v.At.Spec.Name.V
		inside := v.RunInside(r)
		if v.At == nil {
			done = append(done, visited{at, true})
		} else {
			o := v.Choose(r, liking)
			done = append(done, visited{at, !o.Unrun})
			v.Take(o)
		}
		for _, x := range inside {
			done = append(done, visited{x.Node, !x.Unrun})
		}
	}
	return done, v.Ended
}

// visitsOf lists the visits of a path.
func visitsOf(path []assertion.Step) []visited {
	var out []visited
	for _, s := range path {
		if s.Node != nil {
			out = append(out, visited{s.Node.Name, s.Outcome != explore.Skipped})
		}
		out = append(out, visitsOf(s.Regions)...)
	}
	return out
}

// taken reports whether a run can take the path, and breaks the assertion.
func taken(a *refmodel.Graph, x *assertion.Assertion, path []assertion.Step) bool {
	type run struct {
		*refmodel.Walk
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
				arrived := to == nil && c.Ended || to != nil && c.At != nil && c.At.Spec.Name.V == to.Name
				followed := s.Transition == nil || c.Follows[key(s.Transition)] > v.Follows[key(s.Transition)]
				if state := fmt.Sprint(c.State(), c.monitor); arrived && followed && !seen[state] {
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
			v.end()
		}
		if v.broken {
			return true
		}
	}
	return false
}

// key names a way as refmodel does.
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
