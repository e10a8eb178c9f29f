package explore

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
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
	rule := &cfg.Pool{Size: n, Entry: -1, Most: 1 + r.IntN(n+2)}
	p := &pool{Pool: rule, ask: &PathCost{Amount: r.IntN(3)}}
	for i := range n {
		if rule.Last = append(rule.Last, r.IntN(4) == 0); rule.Last[i] {
			rule.Lasts++
		}
		p.each = append(p.each, OutcomeCosts{Success: someCosts(r), Failure: someCosts(r)})
	}
	if r.IntN(2) == 0 {
		rule.Entry = r.IntN(n)
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
			for length := 2; length < min(p.Most, len(p.each)+1); length++ {
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
		var names, nodes strings.Builder
		for i := range n {
			fmt.Fprintf(&names, "n%d, ", i)
			fmt.Fprintf(&nodes, "  n%d: {}\n", i)
		}
		text := "graph: g\nentry: w\nnodes:\n  w: {kind: autonomous, pool: [%s], instructions: x, max_steps: %d, allow_repeat: %v}\n%s"
		s, found := spec.Load("g.graph.yaml", fmt.Appendf(nil, text,
			strings.TrimSuffix(names.String(), ", "), n, repeat, nodes.String()))
		if len(found) > 0 {
			t.Fatal(found)
		}
		g := cfg.Of(s)
		m := StepCostModel(g)
		if most := m.Regions(g.Named("w")).Success.Max; most.Length != n {
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
