package explore

import (
	"math/rand/v2"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
)

// someCosts are courses of one visit, or none.
func someCosts(r *rand.Rand) CostRange {
	if r.IntN(4) == 0 {
		return CostRange{}
	}
	least := r.IntN(4)
	return CostRange{&PathCost{Amount: least, Length: 1}, &PathCost{Amount: least + r.IntN(4), Length: 1}}
}

// somePool is a pool of n nodes that repeats none of them.
func somePool(r *rand.Rand, n int) *pool {
	in := &Composite{Kind: spec.KindOf("autonomous"), MaxRuns: 1 + r.IntN(n+2)}
	p := &pool{Composite: in, entry: -1, ask: &PathCost{Amount: r.IntN(3)}}
	for range n {
		region := &Region{Terminal: r.IntN(4) == 0}
		if in.Regions = append(in.Regions, region); region.Terminal {
			p.terminals++
		}
		p.each = append(p.each, OutcomeCosts{someCosts(r), someCosts(r)})
	}
	if r.IntN(2) == 0 {
		p.entry = r.IntN(n)
	}
	p.rankNodes()
	return p
}

// What is found for all lengths at once is what looking at every node finds for each.
func TestLastsOfPools(t *testing.T) {
	compared := 0
	tries := tier.Pick(300, 1000, 10_000)
	for d := range tier.Draws(t, tries) {
		p := somePool(d.Rand(), 2+int(d.Number%7))
		for _, failure := range []bool{false, true} {
			outcome := func(o OutcomeCosts) CostRange { return o.Success }
			if failure {
				outcome = func(o OutcomeCosts) CostRange { return o.Failure }
			}
			l := p.lastNodes(outcome, failure)
			for length := 2; length < min(p.MaxRuns, len(p.each)+1); length++ {
				got, want := l.costliest(length), p.costliest(length, outcome, failure)
				if got != want {
					t.Fatalf("failure %v, length %d: %v, want %v", failure, length, got, want)
				}
				if want.max.path != nil {
					compared++
				}
			}
		}
	}
	if compared < tries/3 && !tier.Alone() {
		t.Errorf("%d lengths compared", compared)
	}
}

func TestPoolsGrowAsTheirNodesDo(t *testing.T) {
	looked := func(n int, repeat bool) int {
		g := &Graph{Nodes: []*Node{{MaxVisits: 1}}}
		in := &Composite{Kind: spec.KindOf("autonomous"), MaxRuns: n, Repeat: repeat}
		g.Nodes[0].Composite = in
		for i := range n {
			child := &Node{Index: i + 1, MaxVisits: 1, Parent: g.Nodes[0], Onward: []int{1}}
			g.Nodes = append(g.Nodes, child)
			in.Regions = append(in.Regions, &Region{Nodes: []*Node{child}})
		}
		m := g.StepCostModel()
		if most := m.Regions(g.Nodes[0]).Success.Max; most.Length != n {
			t.Errorf("%d visits of %d nodes", most.Length, n)
		}
		return m.examined
	}
	for _, repeat := range []bool{false, true} {
		few, many := looked(200, repeat), looked(2000, repeat)
		if few == 0 || many > 12*few {
			t.Errorf("repeat %v: %d nodes are looked at for 200, %d for 2000", repeat, few, many)
		}
	}
}
