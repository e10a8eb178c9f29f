package bounds_test

import (
	"fmt"
	"testing"

	"github.com/graphgen/graphgen/spec/bounds"
)

func TestModelCalls(t *testing.T) {
	for name, test := range map[string]struct {
		limits, nodes, edges string
		calls, turns         int
	}{
		"a prompt asks once, and once more for an answer that does not fit": {
			"", "a: {kind: prompt, instructions: x}", "", 2, 0},
		"as often as it may send one back": {
			"", "a: {kind: prompt, instructions: x, repair: 3}", "", 4, 0},
		"and again where it is tried again, or guards refuse": {
			"", "a: {kind: prompt, instructions: x, repair: 0, flags: [{retryable: {attempts: 4}}], guards: [fine], guard_retries: 2}", "", 6, 0},
		"a tool loop is as long as the visits of its node": {
			"", "a: {kind: prompt, instructions: x, tools: look, repair: 0, max_visits: 10}", "", 10, 10},
		"or as the steps of the run": {
			"{max_steps: 6}", "a: {kind: prompt, instructions: x, tools: look, repair: 0}", "", 6, 6},
		"or as its budget": {
			"{max_model_calls: 8, max_tool_calls: 5}", "a: {kind: prompt, instructions: x, tools: look}", "", 8, 5},
		"calls that others have to make are none yet": {
			"{max_steps: 9, max_tool_calls: 2}",
			"a: {kind: prompt, instructions: x, tools: look, tool_loop: false, repair: 0, next: end}\n  b: {reads: [], next: a}",
			"{from: a, to: b, on: tool_call}", 5, 5},
		"nor are those of a pure tool, which may have answered before": {
			"{max_steps: 6, max_tool_calls: 2}", "a: {kind: prompt, instructions: x, tools: find, repair: 0}", "", 6, 6},
		"a model that may not call tools calls none": {
			"", "a: {kind: prompt, instructions: x, tools: look, tool_choice: none, repair: 0, tool_loop: false, next: end}",
			"{from: a, to: b, on: tool_call}", 1, 0},
		"tool calls that are left to another node are turns as well": {
			"{max_steps: 9}", "a: {kind: prompt, instructions: x, tools: look, tool_loop: false, repair: 0, next: end}\n  b: {kind: tool, next: a}",
			"{from: a, to: b, on: tool_call}", 5, 5},
		"a judge of edges asks once where the node ends otherwise than by calling tools": {
			"", "a: {kind: prompt, instructions: x, tools: look, repair: 0, max_visits: 4}", "{from: a, to: end, when: it is good}", 5, 4},
		"in a region, too, and in each iteration": {
			"", "a: {kind: loop, body: {entry: b}, max_iterations: 3}\n  b: {kind: prompt, instructions: x, repair: 0}\n  c: {reads: []}\n  d: {reads: []}",
			"{from: b, to: c, when: it is good}, {from: b, to: d, when: it is bad}", 6, 0},
		"but not of a node that is skipped": {
			"", "a: {kind: retry, body: {entry: b}, attempts: 1}\n  b: {kind: prompt, instructions: x, repair: 0, fail_soft: true}\n" +
				"  c: {kind: prompt, instructions: x, repair: 4, flags: [skip_on_error]}\n  d: {reads: []}",
			"{from: b, to: c}, {from: c, to: d, when: it is good}, {from: c, to: end}", 7, 0},
		"evals with a judge ask too": {
			"", "a: {evals: {Fine: {judge: fine}, Short: {if: res.Visit == 1}}, output: {n: int}}", "", 1, 0},
		"a router with instructions asks, one without does not": {
			"", "a: {kind: router, instructions: x, routes: [b, end], repair: 0}\n  b: {kind: router, routes: [end], reads: []}", "", 1, 0},
		"an answer that is made short asks once more": {
			"", "a: {kind: prompt, instructions: x, repair: 0, flags: [summarize_output]}", "", 2, 0},
		"where the node does not call tools": {
			"", "a: {kind: prompt, instructions: x, tools: look, repair: 0, max_visits: 4, flags: [summarize_output]}", "", 5, 4},
		"of two branches the dearer counts": {
			"", "a: {reads: []}\n  b: {kind: prompt, instructions: x}\n  c: {kind: prompt, instructions: x, repair: 4}",
			"{from: a, branch: {x: b, y: c}}", 5, 0},
	} {
		t.Run(name, func(t *testing.T) {
			text := "graph: g\nentry: a\nno_match: end\ntools: {look: , find: {pure: true}}\nlimits: " + test.limits +
				"\nnodes:\n  " + test.nodes + "\nedges: [" + test.edges + "]\n"
			g := readable(t, text)
			b := bounds.Of(g)
			told := func(x bounds.Bound) string { return fmt.Sprint(x.Most, " (", x.Reached, " reached)") }
			want := func(n int) string { return fmt.Sprint(n, " (", n, " reached)") }
			if got := told(b.ModelCalls); got != want(test.calls) {
				t.Errorf("calls of models: %s, want %s", got, want(test.calls))
			}
			if got := told(b.ToolTurns); got != want(test.turns) {
				t.Errorf("turns that call tools: %s, want %s", got, want(test.turns))
			}
		})
	}
}

// A table that always selects a target keeps the model from being asked until it is used up, which
// the visits of this node do not suffice for.
func TestReachedJudges(t *testing.T) {
	b := bounds.Of(readable(t,
		"graph: g\nentry: a\nno_match: error\nnodes:\n  a: {max_visits: 2, output: {class: {enum: [x]}}}\n  b: {max_visits: 1, next: a}\n"+
			"edges: [{from: a, by: class, branch: {x: b}, max_iterations: 3, priority: 1}, {from: a, to: a, when: it is good}]\n"))
	if b.ModelCalls.Reached != 0 {
		t.Errorf("a path asks the model %d times, want none", b.ModelCalls.Reached)
	}
}

// TestSummariesOfValues holds that each value which a node is shown may be made short once, at every visit.
func TestSummariesOfValues(t *testing.T) {
	b := bounds.Of(readable(t, "graph: g\nentry: a\nstate: {x: string, y: string, z: string}\ninput: [x, y, z]\nnodes:\n"+
		"  a: {kind: prompt, instructions: 'Look at {{z}}.', reads: [x, y, z], repair: 0, before: state_summarizer, flags: [{retryable: {attempts: 3}}]}\n"))
	if calls := b.ModelCalls; calls.Most != 9 || calls.Reached != 3 {
		t.Errorf("at most %d calls, %d reached, want 9 and 3: an attempt may have two summaries, and values may be short", calls.Most, calls.Reached)
	}
}
