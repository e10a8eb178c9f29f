package bounds_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/bounds"
)

func TestWaysWithinNodesAreBounded(t *testing.T) {
	for work, want := range map[string]string{
		"kind: loop, body: [a, p], max_iterations: 4, until: state.N > 1": "work>a body 4, a>p next 4",
		"kind: retry, body: [a, p], attempts: 3":                          "work>a body 3, a>p next 3",
		"kind: parallel, branches: {x: [a, p], y: q}":                     "work>a branch x 1, a>p next 1, work>q branch y 1",
		"kind: map, over: short, item: item, body: [a, p]":                "work>a body 3, a>p next 3",
		"kind: autonomous, pool: [a, p], instructions: x, max_steps: 3":   "work>a pool 3, work>p pool 3",
		"kind: loop, body: r, max_iterations: 2, until: state.N > 1":      "work>r body 2, r>r tool calls 4, deep>a body 0, a>p next 0",
		"kind: loop, body: [deep, b], max_iterations: 2":                  "work>deep body 2, deep>b next 2, deep>a body 4, a>p next 4",
	} {
		t.Run(work, func(t *testing.T) {
			text := strings.ReplaceAll(strings.ReplaceAll(composed, "LIMITS", ""), "WORK", work)
			var got []string
			for _, w := range bounds.Of(readable(t, text)).RegionTransitions {
				what := w.Text
				if what == "" {
					what = w.Rule.String()
				}
				got = append(got, fmt.Sprintf("%s>%s %s %d", w.From.Name(), w.To.Name(), what, w.Follows.Most))
				if w.Follows.Reached > w.Follows.Most || w.Rule != spec.RuleToolLoop && !w.Follows.Exact() {
					t.Errorf("%s: %d reached", got[len(got)-1], w.Follows.Reached)
				}
			}
			if strings.Join(got, ", ") != want {
				t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
			}
		})
	}
}

// TestSoftNodeInARegion holds that what leads on from a soft node when its guards refuse is taken, and that its failures lead elsewhere.
func TestSoftNodeInARegion(t *testing.T) {
	b := bounds.Of(readable(t, `
graph: g
entry: work
state: {n: int}
input: n
nodes:
  work: {kind: loop, body: {entry: a}, max_iterations: 3, until: state.N > 1, next: end}
  a: {reads: n, fail_soft: true, guards: [fine]}
  c: {reads: n}
  d: {reads: n}
edges: [{from: a, to: c}, {from: a, to: d, on: guard_fail}]
`))
	if got := visits(b, "a 3 c 3 d 3"); got != "a 3 c 3 d 3" {
		t.Errorf("visits %s, want each 3 times", got)
	}
	for _, w := range b.RegionTransitions {
		if w.To != nil && (w.Follows.Most != 3 || !w.Follows.Exact()) {
			t.Errorf("%s to %s: %d, %d reached", w.From.Name(), w.To.Name(), w.Follows.Most, w.Follows.Reached)
		}
	}
}
