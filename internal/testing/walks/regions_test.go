package walks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/randomgraph"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/assertion"
	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/dataflow"
	"github.com/graphgen/graphgen/spec/explore"
)

// An answer is what an analysis says of one outcome of a node that runs others.
type answer struct {
	possible bool
	least    int             // steps
	without  map[string]bool // nodes that need not have run
}

// free takes every condition for one that may hold or not.
type free struct{}

func (free) MayHold(*cfg.Transition, bool) bool { return true }
func (free) MayMiss(*cfg.Node) bool             { return true }

// A composite is a random graph of one node that runs others, as its analyses see it.
type composite struct {
	t     *testing.T
	draw  tier.Draw
	text  string
	flow  *cfg.Graph
	b     *bounds.Bounds
	nodes []*cfg.Node // that the node runs, at any depth
}

// TestRegionsAgree compares what cost ranges, assertions, bounds and data flow say of the outcomes of nodes that run others: whether they succeed
// and fail, in how many steps at least, and which nodes need not have run. Random walks show what is possible at all.
func TestRegionsAgree(t *testing.T) {
	regionsAgree(t, func(r *rand.Rand, number int) string {
		if number%2 == 1 {
			return randomgraph.AloneInGraphs(r, "g")
		}
		return randomgraph.Alone(r, "g")
	}, "done", "lost")
}

// TestRegionsAgreeOnBudgets does so for a third outcome: a budget is spent in a node that the node runs.
func TestRegionsAgreeOnBudgets(t *testing.T) {
	regionsAgree(t, func(r *rand.Rand, _ int) (text string) {
		for text == "" {
			text = randomgraph.AloneInBudgets(r, "g")
		}
		return text
	}, "done", "lost", "broke")
}

func regionsAgree(t *testing.T, made func(r *rand.Rand, number int) string, ends ...string) {
	compared, walks := 0, 0
	reached := map[string]int{}
	for d := range tier.Draws(t, tier.Pick(50, 200, 4000)) {
		r := d.Rand()
		text := made(r, int(d.Number))
		s, found := spec.Load("g.graph.yaml", []byte(text))
		if len(found) > 0 {
			t.Fatal(found, text)
		}
		flow := cfg.Of(s)
		c := &composite{t: t, draw: d, text: text, flow: flow, b: bounds.Of(flow)}
		c.nodes = c.b.Graph.Named("work").Children()
		model := modelOf(flow.Spec)
		says := map[string][]answer{}
		for _, end := range ends {
			proved, costs, written := c.proved(end), c.costs(end), c.dataflow(end)
			c.compare(end, proved, costs)
			c.compareWrites(end, proved, written)
			says[end] = []answer{proved, costs, written}
			compared += len(c.nodes)
		}
		c.compareVisits()
		for range walksPerGraph {
			v, done := wander(model, r)
			for end, list := range says {
				if v.Visits[end] > 0 {
					c.allow(end, done, list)
					walks++
					reached[end]++
				}
			}
		}
	}
	for _, end := range ends {
		if reached[end] == 0 && !tier.Alone() {
			t.Errorf("no walk leads to %s", end)
		}
	}
	t.Logf("%d nodes compared, %d walks: %v", compared, walks, reached)
}

func (c *composite) differ(format string, args ...any) {
	c.t.Errorf("draw %v: %s\n%s", c.draw, fmt.Sprintf(format, args...), c.text)
}

// compare compares assertions with cost ranges. These know in which order branches begin, and bounds are what they say.
func (c *composite) compare(end string, proved, costs answer) {
	narrow := strings.Contains(c.text, "max_parallel")
	differs := func(proved, costs int) bool { return costs > proved && !narrow || costs < proved }
	bounded, runs := c.b.Visits[c.b.Graph.Named(end).Index].Most > 0, map[bool]int{false: 1}
	switch {
	case differs(runs[proved.possible], runs[costs.possible]), bounded != proved.possible && bounded != costs.possible:
		c.differ("%s is possible: assertions %v, cost ranges %v, bounds %v", end, proved.possible, costs.possible, bounded)
	case proved.possible && costs.possible && differs(proved.least, costs.least):
		c.differ("the fewest steps to %s: assertions %d, cost ranges %d", end, proved.least, costs.least)
	}
	for _, n := range c.nodes {
		if a, b := proved.without[n.Name()], costs.without[n.Name()]; !n.Skip && differs(runs[a], runs[b]) {
			c.differ("%s without %s: assertions %v, cost ranges %v", end, n.Name(), a, b)
		}
	}
}

// compareWrites compares assertions with data flow: what need not have run need not have written. Where nothing fails softly and every branch has
// to succeed, the reverse holds of a success.
func (c *composite) compareWrites(end string, proved, written answer) {
	if proved.possible != written.possible {
		c.differ("%s is possible: assertions %v, data flow %v", end, proved.possible, written.possible)
	}
	inexact := func(word string) bool { return strings.Contains(c.text, word) }
	exact := end == "done" && !slices.ContainsFunc([]string{"fail_soft", "on: error", "first", "settled"}, inexact)
	for _, n := range c.nodes {
		a, b := proved.without[n.Name()], written.without[n.Name()]
		if strings.Contains(c.text, "w_"+n.Name()+":") && a != b && (a || exact) {
			c.differ("%s without %s: assertions %v, data flow %v", end, n.Name(), a, b)
		}
	}
}

// compareVisits compares which nodes may run, and how often.
func (c *composite) compareVisits() {
	p := assertion.NewProver(c.b.Graph)
	for _, n := range c.nodes {
		m, most := explore.NewCostModel(c.b.Graph), 0
		m.Visit[n.Index], m.Pass[n.Index] = 1, 1
		if once := explore.Any(m.Regions(c.b.Graph.Named("work"))); once.Possible() {
			most = once.Max.Amount
		}
		proved, visits := c.prove(p, "%s is reachable", n.Name()) == assertion.Holds, c.b.Visits[n.Index].Most
		if proved != (most > 0) && !strings.Contains(c.text, "max_parallel") || (most > 0) != (visits > 0) || visits > most {
			c.differ("%s is reachable: assertions %v; visits: cost ranges %d, bounds %d", n.Name(), proved, most, visits)
		}
	}
}

// allow holds what a walk has shown to be possible against all answers.
func (c *composite) allow(end string, done []visited, list []answer) {
	for i, a := range list {
		what := [...]string{"assertions", "cost ranges", "data flow"}[i]
		if !a.possible {
			c.differ("%s: %s is not possible, and a run goes %v", what, end, done)
		}
		for _, n := range c.nodes {
			ran := slices.ContainsFunc(done, func(v visited) bool { return v.node == n.Name() })
			if writes := strings.Contains(c.text, "w_"+n.Name()+":"); !ran && !a.without[n.Name()] && (writes || what != "data flow") {
				c.differ("%s: not %s without %s, and a run goes %v", what, end, n.Name(), done)
			}
		}
	}
}

func (c *composite) prove(p *assertion.Prover, format string, args ...any) assertion.Result {
	return c.verdict(p, format, args...).Result
}

func (c *composite) verdict(p *assertion.Prover, format string, args ...any) assertion.Verdict {
	x, wrong := assertion.Parse(spec.String{V: fmt.Sprintf(format, args...), Pos: spec.Pos{Line: 1, Col: 1}})
	if wrong != nil {
		c.t.Fatal(wrong)
	}
	return p.Prove(x)
}

// proved is what assertions say. The path of one is a shortest one.
func (c *composite) proved(end string) answer {
	a := answer{least: -1, without: map[string]bool{}}
	p := assertion.NewProver(c.b.Graph)
	v := c.verdict(p, "%s is reachable", end)
	if a.possible = v.Result == assertion.Holds; a.possible {
		a.least = len(visitsOf(v.Path)) - 2 // work and the end
	}
	for _, n := range c.nodes {
		a.without[n.Name()] = c.prove(p, "every path to %s passes %s", end, n.Name()) == assertion.Fails
	}
	return a
}

// costs is what cost ranges say.
func (c *composite) costs(end string) answer {
	graph := c.b.Graph
	of := func(m *explore.CostModel) explore.CostRange {
		o := m.Regions(graph.Named("work"))
		switch end {
		case "done":
			return o.Success
		case "broke":
			return o.Spent
		}
		return o.Failure
	}
	steps := of(explore.StepCostModel(graph))
	a := answer{possible: steps.Possible(), least: -1, without: map[string]bool{}}
	if a.possible {
		a.least = steps.Min.Amount
	}
	for _, n := range c.nodes {
		m := explore.NewCostModel(graph)
		m.Visit[n.Index], m.Pass[n.Index] = 1, 1
		a.without[n.Name()] = a.possible && of(m).Min.Amount == 0
	}
	return a
}

// dataflow is what data flow says: the end is possible if it may read a field that nothing writes, and without a node if it may read its field unwritten.
func (c *composite) dataflow(end string) answer {
	a := answer{least: -1, without: map[string]bool{}}
	f := dataflow.New(c.flow, free{})
	for _, r := range f.Unassigned() {
		if r.Node == nil || r.Node.Spec.Name.V != end {
			continue
		}
		name := f.Fields[r.Field].Name
		a.possible = a.possible || name == "never"
		a.without[strings.TrimPrefix(name, "w_")] = true
	}
	return a
}
