package engine

import (
	"slices"
	"testing"
)

// TestSplice holds that a child run is counted as its own counters have it, also where its path lacks transitions: the ends of
// runs within it, the end of an execution before, and what another process has made.
func TestSplice(t *testing.T) {
	const again, toEnd TransitionID = 1, 2
	g := &Graph{
		Name: "g", MaxSteps: 50,
		Nodes:       []NodeInfo{{Name: "end"}, {Name: "work"}},
		Transitions: []TransitionInfo{{To: 1}, {From: 1, To: 1}, {From: 1}},
	}
	begin := func() *Run {
		r := &Run{settings: &noSettings}
		r.frame(g, &Frame{Counters: make([]uint32, 5)})
		return r
	}
	makes := func(r *Run, transitions ...TransitionID) *Run {
		for _, transition := range transitions {
			r.path.follow(transition, g.to(transition), r.settings)
		}
		return r
	}
	around := makes(begin(), again)
	around.splice(makes(begin(), again, toEnd))
	renewed := makes(begin(), again, toEnd)
	renewed.path.renew()
	loaded := begin()
	loaded.Load(&Image{Edges: []uint32{0, 2, 1}, Visits: []uint32{1, 2}, Made: 2, At: 1}, []TransitionID{again, again})
	loaded.related.savedIn().place = "work/"
	for _, c := range []struct {
		name          string
		child         *Run
		edges, visits []uint32
	}{
		{"a short run", makes(begin(), again, toEnd), []uint32{0, 1, 1}, []uint32{1, 1}},
		{"a run with one within it", around, []uint32{0, 2, 1}, []uint32{1, 2}},
		{"a run that began again", makes(renewed, again), []uint32{0, 2, 1}, []uint32{1, 2}},
		{"a run that another process began", loaded, []uint32{0, 2, 1}, []uint32{1, 2}},
	} {
		r := begin()
		if r.splice(c.child); !slices.Equal(r.path.edges, c.edges) || !slices.Equal(r.path.visits, c.visits) {
			t.Errorf("%s: transitions %v and visits %v, want %v and %v", c.name, r.path.edges, r.path.visits, c.edges, c.visits)
		}
	}
}

// TestSpliceIsAsLongAsTheRun holds that a short child run is added without a look at the counters of all nodes.
func TestSpliceIsAsLongAsTheRun(t *testing.T) {
	g := &Graph{Nodes: make([]NodeInfo, 5_000), Transitions: make([]TransitionInfo, 5_000)}
	parent, child := &Run{settings: &noSettings}, &Run{settings: &noSettings}
	parent.frame(g, &Frame{Counters: make([]uint32, 10_000)})
	child.frame(g, &Frame{Counters: make([]uint32, 10_000)})
	child.path.follow(1, 0, child.settings)
	child.path.edges, child.path.visits = nil, nil // their sums would add nothing
	if parent.splice(child); parent.path.edges[1] != 1 || parent.path.visits[0] != 1 {
		t.Errorf("the transition is counted %d times, the visit %d times", parent.path.edges[1], parent.path.visits[0])
	}
}
