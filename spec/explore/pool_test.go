package explore

import (
	"math/rand/v2"
	"testing"

	"github.com/graphgen/graphgen/spec"
)

// someCourses are courses of one visit, or none.
func someCourses(r *rand.Rand) Courses {
	if r.IntN(4) == 0 {
		return Courses{}
	}
	least := r.IntN(4)
	return Courses{&Course{Amount: least, Length: 1}, &Course{Amount: least + r.IntN(4), Length: 1}}
}

// somePool is a pool of n nodes that repeats none of them.
func somePool(r *rand.Rand, n int) *pool {
	in := &Inside{Kind: spec.KindOf("autonomous"), Times: 1 + r.IntN(n+2)}
	p := &pool{Inside: in, entry: -1, ask: &Course{Amount: r.IntN(3)}}
	for range n {
		region := &Region{Terminal: r.IntN(4) == 0}
		if in.Regions = append(in.Regions, region); region.Terminal {
			p.ends++
		}
		p.each = append(p.each, Outcomes{someCourses(r), someCourses(r)})
	}
	if r.IntN(2) == 0 {
		p.entry = r.IntN(n)
	}
	p.rank()
	return p
}

// What is found for all lengths at once is what looking at every node finds for each.
func TestLastsOfPools(t *testing.T) {
	compared := 0
	for seed := range uint64(3000) {
		p := somePool(rand.New(rand.NewPCG(seed, 3)), 2+int(seed%7))
		for _, failure := range []bool{false, true} {
			outcome := func(o Outcomes) Courses { return o.Success }
			if failure {
				outcome = func(o Outcomes) Courses { return o.Failure }
			}
			l := p.lasts(outcome, failure)
			for length := 2; length < min(p.Times, len(p.each)+1); length++ {
				got, want := l.longest(length), p.longest(length, outcome, failure)
				if got != want {
					t.Fatalf("seed %d, failure %v, length %d: %v, want %v", seed, failure, length, got, want)
				}
				if want.most.course != nil {
					compared++
				}
			}
		}
	}
	if compared < 1000 {
		t.Errorf("%d lengths compared", compared)
	}
}

func TestPoolsGrowAsTheirNodesDo(t *testing.T) {
	looked := func(n int, repeat bool) int {
		g := &Graph{Nodes: []*Node{{MaxVisits: 1}}}
		in := &Inside{Kind: spec.KindOf("autonomous"), Times: n, Repeat: repeat}
		g.Nodes[0].Inside = in
		for i := range n {
			child := &Node{Index: i + 1, MaxVisits: 1, Host: g.Nodes[0]}
			g.Nodes = append(g.Nodes, child)
			in.Regions = append(in.Regions, &Region{Nodes: []*Node{child}})
		}
		m := g.StepMeasure()
		if most := m.Within(g.Nodes[0]).Success.Most; most.Length != n {
			t.Errorf("%d visits of %d nodes", most.Length, n)
		}
		return m.looked
	}
	for _, repeat := range []bool{false, true} {
		few, many := looked(200, repeat), looked(2000, repeat)
		if few == 0 || many > 12*few {
			t.Errorf("repeat %v: %d nodes are looked at for 200, %d for 2000", repeat, few, many)
		}
	}
}
