package plan_test

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
)

// Threads keep the results of a cacheable node in another cell where its output, or the numbers of what it chooses, differ.
func TestCachedCells(t *testing.T) {
	const text = `graph: g
durable: true
entry: a
types: {Grade: {enum: [low, high]}}
state: {x: string}
input: x
output: x
nodes:
  a: {reads: x, output: {grade: Grade}, flags: cacheable, goto: [b, c]}
  b: {reads: x}
  c: {reads: x}
`
	cellOf := func(text string) string {
		g, found := spec.Load("g.graph.yaml", []byte(text))
		if len(found) > 0 {
			t.Fatal(found)
		}
		return plan.Lower(cfg.Of(g), "p").Flow.Nodes[0].Kept.Cell
	}
	was := cellOf(text)
	for _, tt := range []struct {
		from, to string
		same     bool
	}{
		{"[low, high]", "[high, low]", true},
		{"reads: x, output", "doc: It is a., reads: x, output", true},
		{"[low, high]", "[low, mid]", false},
		{"{grade: Grade}", "{grade: Grade, why: string}", false},
		{"[b, c]", "[c, b]", false},
		{"[b, c]", "[c]", false},
	} {
		if is := cellOf(strings.Replace(text, tt.from, tt.to, 1)); (is == was) != tt.same || !strings.HasPrefix(is, "~cache.a.") {
			t.Errorf("%s: the cell is %s, which was %s", tt.to, is, was)
		}
	}
}
