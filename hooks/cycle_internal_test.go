package hooks

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
)

// An event is the start of a step at a node.
func event(run *graphgen.RunInfo, node string) graphgen.Event {
	return graphgen.Event{Kind: graphgen.NodeStart, Run: run, Node: node}
}

// hookOf returns the hook of an option, and a context that it has opened.
func hookOf(t *testing.T, o graphgen.Option, run *graphgen.RunInfo) (graphgen.Hook, context.Context) {
	t.Helper()
	var s optionset.Settings
	option.Set(&s, o)
	if len(s.Hooks) != 1 {
		t.Fatalf("the option has %d hooks", len(s.Hooks))
	}
	ctx := t.Context()
	if begin := s.Hooks[0].Begin; begin != nil {
		ctx, _ = begin(ctx, graphgen.Event{Kind: graphgen.RunStart, Run: run})
	}
	return s.Hooks[0], ctx
}

// firstCycle walks a path, and returns the number of the step at which a cycle is found, from 1, and the cycle.
func firstCycle(t *testing.T, o graphgen.Option, path []string) (int, string) {
	t.Helper()
	run := &graphgen.RunInfo{}
	h, ctx := hookOf(t, o, run)
	for i, node := range path {
		if err := h.Before(ctx, event(run, node)); err != nil {
			return i + 1, strings.Join(err.(*CycleError).Path, " ")
		}
	}
	return 0, ""
}

// TestCyclePaths holds at which step of a path a cycle is found, and which.
func TestCyclePaths(t *testing.T) {
	for _, c := range []struct {
		path  string
		times int
		step  int
		cycle string
	}{
		{"a a", 2, 2, "a"},
		{"a a a", 3, 3, "a"},
		{"a b a b", 2, 4, "a b"},
		{"x a b a b", 2, 5, "a b"},
		{"a b a c a b a c", 2, 8, "a b a c"},
		{"a b c a b d a b c", 2, 0, ""},
		{"a b a b a", 3, 0, ""},
		{"a b a b a b", 3, 6, "a b"},
		{"a a b a a b", 3, 0, ""},
		{"a b b a", 2, 3, "b"}, // the shortest cycle
		{"", 2, 0, ""},
	} {
		step, cycle := firstCycle(t, Cycles(c.times), strings.Fields(c.path))
		if step != c.step || cycle != c.cycle {
			t.Errorf("%q, %d times: step %d, %q, want step %d, %q", c.path, c.times, step, cycle, c.step, c.cycle)
		}
	}
}

// TestLongestCycle holds that cycles of 32 nodes are found, and none of more.
func TestLongestCycle(t *testing.T) {
	for _, length := range []int{31, 32, 33} {
		var path []string
		for range 3 {
			for i := range length {
				path = append(path, fmt.Sprint("n", i))
			}
		}
		step, _ := firstCycle(t, Cycles(2), path)
		if want := 2 * length; length > 32 && step != 0 || length <= 32 && step != want {
			t.Errorf("a cycle of %d nodes is found at step %d", length, step)
		}
	}
}

// TestCyclesOfSomeNodes holds that nodes that are not watched are left out, and that a node of a child run has a path.
func TestCyclesOfSomeNodes(t *testing.T) {
	if step, cycle := firstCycle(t, Cycles(2, "a"), strings.Fields("a b c a")); step != 4 || cycle != "a" {
		t.Errorf("step %d, %q", step, cycle)
	}
	if step, _ := firstCycle(t, Cycles(2, "b/a"), strings.Fields("a a a")); step != 0 {
		t.Errorf("step %d", step)
	}
	inner := &graphgen.RunInfo{Within: "b"}
	h, ctx := hookOf(t, Cycles(2, "b/a"), &graphgen.RunInfo{})
	if first, second := h.Before(ctx, event(inner, "a")), h.Before(ctx, event(inner, "a")); first != nil || second == nil {
		t.Errorf("%v, %v", first, second)
	}
}

// TestBranchesHavePaths holds that branches of a run have paths of their own, and that runs do not share theirs.
func TestBranchesHavePaths(t *testing.T) {
	left, right := &graphgen.RunInfo{Branch: "left"}, &graphgen.RunInfo{Branch: "right"}
	o := Cycles(2)
	h, ctx := hookOf(t, o, &graphgen.RunInfo{})
	_, other := hookOf(t, o, &graphgen.RunInfo{})
	for i, e := range []graphgen.Event{event(left, "a"), event(right, "a")} {
		for _, ctx := range []context.Context{ctx, other} {
			if err := h.Before(ctx, e); err != nil {
				t.Errorf("event %d: %v", i, err)
			}
		}
	}
	if h.Before(ctx, event(left, "a")) == nil {
		t.Error("the cycle of a branch is not found")
	}
	if err := h.Before(t.Context(), event(left, "a")); err != nil {
		t.Errorf("outside of a run: %v", err)
	}
}

// TestStatesAreBounded holds that a run keeps a bounded number of states, and goes on to find those that it keeps.
func TestStatesAreBounded(t *testing.T) {
	c := &cycles{paths: map[*graphgen.RunInfo]*path{}, seen: map[sight]int{}}
	e := event(&graphgen.RunInfo{}, "a")
	for i := range 2 * mostSeen {
		if err := c.visit(&e, fmt.Sprint(i), 2); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.seen) != mostSeen {
		t.Errorf("%d states are kept", len(c.seen))
	}
	if c.visit(&e, "0", 2) == nil {
		t.Error("a state that is kept is not found again")
	}
	if err := c.visit(&e, fmt.Sprint(2*mostSeen-1), 2); err != nil {
		t.Errorf("a state that is not kept is found: %v", err)
	}
}
