package differential

import (
	"testing"

	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
)

// TestCutOffInGuards plays a graph whose join is decided after one guard of a branch has failed and
// before the next one has answered. The branch is cut off, so its node has not failed, not even
// softly.
func TestCutOffInGuards(t *testing.T) {
	s := load("cut", `graph: cut
entry: a
state:
  n: {type: int, merge: sum}
input: [n]
output: [n]
nodes:
  a: {kind: parallel, join: first, branches: {x: w, y: v}}
  w: {reads: [n], writes: [n]}
  v: {reads: [n], writes: [n], guards: [g1, g2], fail_soft: true}
`)
	if s == nil {
		t.Fatal("the checks refuse the graph")
	}
	one := []scriptdriver.Entry{writes("n", 1)}
	script := &scriptdriver.Script{
		Input: map[string]any{"n": 0},
		Nodes: map[string][]scriptdriver.Entry{"w": one, "v": one, "g1": {{Kind: scriptdriver.Fails}}, "g2": {{}}},
	}
	takes := func(name string) int { return scriptdriver.Takes(script.Schedule, name, 0) }
	for within := false; !within; {
		script.Schedule++
		first := takes("v") + takes("g1")
		within = first < takes("w") && takes("w") < first+takes("g2")
	}
	answer := build(t, []*shapes{s}).play(t, []scriptdriver.Job{{Graph: "cut", Script: script}})[0]
	if d, _ := judge(s, script, answer); d != "" {
		t.Error(d)
	}
	if got := answer.Results[scriptdriver.Plain]; got.Reason != "completed" || len(got.Calls) != 4 || len(got.Failures) > 0 {
		t.Errorf("the run is %s after %q with the failures %q, want it completed after 4 calls without a failure", got.Reason, got.Calls, got.Failures)
	}
}
