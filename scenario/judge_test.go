package scenario_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/graphgen/graphgen/scenario"
)

// judgedGraph has a node that calls a tool and whose edges a model judges.
const judgedGraph = `graph: g
entry: find
no_match: end
tools: {look: {}}
state: {found: string}
output: found
nodes:
  find: {kind: tool, tool: look, writes: found}
  good: {reads: found}
edges:
  - {from: find, to: good, when: it is good}
  - {from: find, to: find, when: it is bad, max_iterations: 2}
`

func TestChoiceWithoutHandler(t *testing.T) {
	t.Run("each_visit_takes_an_entry", func(t *testing.T) {
		dir := module(t)
		write(t, filepath.Join(dir, "g.graph.yaml"), judgedGraph)
		write(t, filepath.Join(dir, "g.scenarios.yaml"), "graph: g.graph.yaml\nscenarios:\n  - name: again\n    tools: {look: {result: x}}\n"+
			"    script: {find: [{choose: find}, {choose: good}]}\n    expect: {path: [find, find, good], output: {found: x}}\n")
		sum, text := run(t, scenario.Config{Dir: dir, Files: []string{"g.graph.yaml"}})
		if sum.Failed != 0 || sum.Passed != 1 {
			t.Errorf("passed %d, failed %d:\n%s", sum.Passed, sum.Failed, text)
		}
	})
	t.Run("nothing_else_is_scripted", func(t *testing.T) {
		var codes []string
		for _, d := range diagnose(t, judgedGraph,
			"graph: review.graph.yaml\nscenarios:\n  - {name: a, script: {find: {choose: good, text: x, given: {in: {}}}}, expect: {end: completed}}\n") {
			codes = append(codes, d.Code)
		}
		if want := []string{"GG210", "GG210"}; !slices.Equal(codes, want) {
			t.Errorf("found %v, want %v", codes, want)
		}
	})
}
