package assertion_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/graphgen/graphgen/internal/adversary"
	"github.com/graphgen/graphgen/internal/randomgraph"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/assertion"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/walk"
)

var (
	seed  = flag.Uint64("seed", 1, "seed of the random graphs, assertions and walks")
	walks = flag.Int("walks", 10_000, "how many random walks to make")
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

// violates reports whether a run is one that the assertion forbids; of "X is reachable",
// one that it wants.
func violates(a *assertion.Assertion, done []visited, ended bool) bool {
	name := func(i int) string { return a.Names[i].V }
	underWay, visits := a.Kind == assertion.Passes, 0
	from, to, without := "", name(0), ""
	switch a.Kind {
	case assertion.Passes:
		without = name(1)
	case assertion.Without:
		from, to, without = name(0), name(1), name(2)
	}
	for _, v := range done {
		if v.node == to {
			visits++
			if underWay {
				return true
			}
		}
		if v.node == from {
			underWay = true
		}
		if v.node == without && v.run {
			if from == "" {
				return false
			}
			underWay = false
		}
	}
	switch a.Kind {
	case assertion.AtMost:
		return visits > a.Most
	case assertion.Reachable:
		return visits > 0 || to == spec.End && ended
	}
	return underWay && to == spec.End && ended
}

// TestNoWalkBreaksWhatIsProved proves random assertions about random graphs, and walks these as
// an adversary does. The path that refutes an assertion is walked too.
func TestNoWalkBreaksWhatIsProved(t *testing.T) {
	results, made := map[string]int{}, 0
	for number := 0; made < *walks; number++ {
		r := rand.New(rand.NewPCG(*seed, uint64(number)))
		text := randomgraph.YAML(r, "g")
		s, found := spec.Load("g.graph.yaml", []byte(text))
		if len(found) > 0 || diag.HasErrors(check.Run(s)) {
			continue
		}
		g := resolve.Resolve(s)
		graph, a := walk.Of(g), adversary.Of(g)
		p := assertion.NewProver(graph)
		var list []*assertion.Assertion
		var verdicts []assertion.Verdict
		for range assertionsPerGraph {
			x := random(t, r, graph)
			v := p.Prove(x)
			list, verdicts = append(list, x), append(verdicts, v)
			results[fmt.Sprint(x.Kind, ": ", [...]string{"holds", "fails", "open", "nothing"}[v.Result])]++
			if v.Result == assertion.Fails && x.Kind != assertion.Reachable && !taken(a, x, v.Path) {
				t.Fatalf("graph %d of seed %d: %s: no run takes the path\n%v\n%s", number, *seed, x.Text.V, v.Path, text)
			}
		}
		for range walksPerGraph {
			made++
			done, ended := wander(a, r)
			for i, x := range list {
				forbidden := verdicts[i].Result == assertion.Holds && x.Kind != assertion.Reachable || verdicts[i].Result == assertion.Fails && x.Kind == assertion.Reachable || verdicts[i].Result == assertion.Nothing
				if forbidden && violates(x, done, ended) {
					t.Fatalf("graph %d of seed %d: %s: %v, and a run goes %v\n%s", number, *seed, x.Text.V, verdicts[i].Result, done, text)
				}
			}
		}
	}
	t.Log(results)
}

// random makes an assertion about nodes of the graph.
func random(t *testing.T, r *rand.Rand, g *walk.Graph) *assertion.Assertion {
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
func wander(a *adversary.Graph, r *rand.Rand) (done []visited, ended bool) {
	v := a.Start()
	liking := map[string]int{}
	for v.At != nil {
		o := v.Choose(r, liking)
		done = append(done, visited{v.At.Spec.Name.V, !o.Unrun})
		v.Take(o)
	}
	return done, v.Ended
}

// taken reports whether a run can take the path, and breaks the assertion.
func taken(a *adversary.Graph, x *assertion.Assertion, path []assertion.Step) bool {
	type run struct {
		*adversary.Walk
		done []visited
	}
	possible := []run{{Walk: a.Start()}}
	for i, s := range path[1 : len(path)-1] {
		var next []run
		seen := map[string]bool{}
		for _, v := range possible {
			for _, o := range v.Options() {
				c := run{v.Clone(), append(v.done[:len(v.done):len(v.done)], visited{v.At.Spec.Name.V, !o.Unrun})}
				c.Take(o)
				to := path[i+2].At
				arrived := to == nil && c.Ended || to != nil && c.At != nil && c.At.Spec.Name.V == to.Name
				followed := s.Way == nil || c.Follows[key(s.Way)] > v.Follows[key(s.Way)]
				if state := fmt.Sprint(c.State(), c.done); arrived && followed && !seen[state] {
					seen[state] = true
					next = append(next, c)
				}
			}
		}
		possible = next
	}
	for _, v := range possible {
		if v.At != nil {
			v.done = append(v.done, visited{v.At.Spec.Name.V, true})
		}
		if violates(x, v.done, v.Ended) {
			return true
		}
	}
	return false
}

// key names a way as the adversary does.
func key(w *walk.Way) string {
	o := adversary.Option{To: spec.End, Rule: w.Rule, Text: w.Text}
	if w.From != nil {
		o.From = w.From.Name
	}
	if w.To != nil {
		o.To = w.To.Name
	}
	return o.Key()
}
