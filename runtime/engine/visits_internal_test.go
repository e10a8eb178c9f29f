package engine

import (
	"slices"
	"testing"
)

// TestCountersOfVisits holds that bounds are in the counters of the runs of a graph and not in what is counted, saved or
// summed up, and that a node is left to SlowStep once its visits are used up.
func TestCountersOfVisits(t *testing.T) {
	const again TransitionID = 1
	g := &Graph{
		Name: "g", MaxSteps: 50,
		Nodes:       []NodeInfo{{Name: "end"}, {Name: "free"}, {Name: "bound", MaxVisits: 3}},
		Transitions: []TransitionInfo{{To: 2}, {From: 2, To: 2}},
	}
	begin := func() *Run {
		r := &Run{settings: &noSettings}
		r.frame(g, &Frame{Counters: make([]uint32, 5)})
		r.path.limit = 50
		return r
	}
	enters := func(r *Run, times int) *Run {
		for range times {
			if !r.Follow(again, 2) {
				t.Fatal("the node has visits left, and is left to SlowStep")
			}
		}
		return r
	}
	holds := func(r *Run, what string, want ...uint32) {
		t.Helper()
		if got := []uint32{r.path.entered(0), r.path.entered(1), r.path.entered(2)}; !slices.Equal(got, want) {
			t.Errorf("%s has visits %v, want %v", what, got, want)
		}
	}
	r := enters(begin(), 3)
	holds(r, "the run", 0, 0, 3)
	if r.Follow(again, 2) {
		t.Error("a fourth visit is not left to SlowStep")
	}
	image := r.Image()
	if want := []uint32{0, 0, 3}; !slices.Equal(image.Visits, want) {
		t.Errorf("saved are visits %v, want %v", image.Visits, want)
	}
	loaded := begin()
	loaded.Load(&image, []TransitionID{again})
	holds(loaded, "the loaded run", 0, 0, 3)
	loaded.path.limit = 50
	if loaded.Follow(again, 2) {
		t.Error("the loaded run makes a fourth visit")
	}
	fresh := begin()
	fresh.Load(&Image{}, []TransitionID{0}) // saved before a node had a visit
	holds(fresh, "the run of which no visit is saved", 0, 0, 0)
	around, child := begin(), enters(begin(), 2)
	enters(around, 1).splice(child)
	holds(around, "the run around a child run", 0, 0, 3)
	child.path.renew()
	holds(child, "the child run that begins again", 0, 0, 0)
	if enters(child, 3).path.visit(2) != 5 {
		t.Errorf("the node of a child run that began again has visit %d, want 5", child.path.visit(2))
	}
}
