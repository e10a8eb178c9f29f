package bounds_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/randomgraph"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/cfg"
)

// TestPathsKeepTheBounds counts the visits along every path that is printed: none exceeds a bound.
func TestPathsKeepTheBounds(t *testing.T) {
	for d := range tier.Draws(t, tier.Pick(100, 200, 500)) {
		text := randomgraph.Inside(d.Rand(), "g")
		checkPaths(t, d.String(), bounds.Of(readable(t, text)))
	}
}

// checkPaths compares what the printed paths do with the bounds.
func checkPaths(t *testing.T, graph string, b *bounds.Bounds) {
	t.Helper()
	bad := 0
	check := func(what string, have bounds.Bound) {
		if have.Reached > have.Most {
			t.Errorf("%s: %s: %d reached, and the bound is %d", graph, what, have.Reached, have.Most)
		}
		steps, visits := 0, make([]int, len(b.Graph.Nodes))
		count := func(n *cfg.Node) {
			steps++
			visits[n.Index]++
		}
		for leg := range have.Path.Segments() {
			if leg.Transition.To != nil {
				count(leg.Transition.To)
			}
			if leg.Regions != nil {
				for n := range leg.Regions.Visits() {
					count(n)
				}
			}
		}
		if steps > b.Steps.Most {
			t.Errorf("%s: the path of %s has %d steps, and the bound is %d: %v", graph, what, steps, b.Steps.Most, have.Path)
		}
		for i, made := range visits {
			if most := b.Visits[i].Most; made > most && bad < 3 {
				bad++
				t.Errorf("%s: the path of %s visits %s %d times, and the bound is %d: %v", graph, what, b.Graph.Nodes[i].Name(), made, most, have.Path)
			}
		}
	}
	check("steps", b.Steps)
	check("model calls", b.ModelCalls)
	check("turns that call tools", b.ToolTurns)
	for _, n := range b.Graph.Running {
		i := n.Index
		check("visits of "+n.Name(), b.Visits[i])
	}
	for _, w := range b.Graph.Taken {
		i := w.Index
		check(fmt.Sprintf("follows of %s %s", w.Rule, w.Text()), b.Follows[i])
	}
	for _, w := range b.RegionTransitions {
		check(fmt.Sprintf("%s of %s within %s", w.Text, w.From.Name(), w.Composite.Name()), w.Follows)
	}
}

// TestForkPaths walks forks of which more branches could begin than run at once: what has ended
// others is under way, and no further branch begins while as many are as run at once.
func TestForkPaths(t *testing.T) {
	for name, test := range map[string]struct{ limits, work, visits, of, path string }{
		"failures end the others": {
			"limits: {max_steps: 29}", "kind: map, over: list, item: item, body: [p, q], transitions: {error: b}",
			"p 18", "p", "work p×7 (p q)×10 p",
		},
		"one element at a time": {
			"limits: {max_steps: 8}", "kind: map, over: list, item: item, body: [p, q], max_parallel: 1",
			"p 4", "p", "work (p q)×3 p",
		},
		"the first success ends the others, which may succeed too": {
			"", "kind: map, over: list, item: item, body: s, join: first, max_parallel: 3",
			"s 3", "s", "work s×3 end",
		},
		"of two, one has ended before": {
			"", "kind: map, over: list, item: item, body: s, join: first, count: 2, max_parallel: 3",
			"s 4", "s", "work s×4 end",
		},
		"a branch that the first one ends is not begun": {
			"", "kind: parallel, branches: {x: s, y: s2}, max_parallel: 1, join: first",
			"s 1", "s2", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.ReplaceAll(strings.ReplaceAll(composed, "LIMITS", test.limits), "WORK",
				test.work) + "  s: {reads: n, fail_soft: true}\n  s2: {reads: n, fail_soft: true}\n"
			b := bounds.Of(readable(t, text))
			if got := visits(b, test.visits); got != test.visits {
				t.Errorf("visits %s, want %s", got, test.visits)
			}
			if got := b.Visits[b.Graph.Named(test.of).Index].Path.String(); got != test.path {
				t.Errorf("path %s, want %s", got, test.path)
			}
			checkPaths(t, name, b)
		})
	}
}
