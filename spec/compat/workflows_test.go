package compat_test

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec/compat"
	"github.com/graphgen/graphgen/spec/shape"
)

// driven is a spec that another engine drives. The module contrib/temporal compares verdicts on changes of such a spec with histories.
const driven = `graph: pay
drivers: [temporal]
entry: open
limits: {max_steps: 30}
types:
  Grade: {enum: [low, high]}
  Verdict: {points: int, why: string, grade: Grade}
  By: {decision: string}
state:
  verdict: "?Verdict"
  log: {type: "[]string", merge: append, keep: 5}
  answers: {type: "[]By", merge: append}
  amount: float
  score: {type: int, default: 0}
input: amount
output: score
nodes:
  open: {reads: amount, writes: [score, verdict, log], timeout: 1m, next: ask}
  ask: {kind: human, instructions: Pay it., flags: [critical]}
  pay: {reads: amount}
edges:
  - {from: ask, to: pay, if: state.Amount > 10}
  - {from: ask, to: end}
  - {from: pay, to: end}
`

// TestWorkflows holds which running workflows a change may break, and that a lock file keeps what decides it.
func TestWorkflows(t *testing.T) {
	for _, c := range []struct {
		name, from, to, want string
	}{
		{"a text", "Pay it.", "Pay all of it.", "none"},
		{"the length of a time limit", "timeout: 1m", "timeout: 2m", "none"},
		{"a higher limit", "max_steps: 30", "max_steps: 40", "none"},
		{"a lower limit", "max_steps: 30", "max_steps: 20", "those above a lower limit"},
		{"a condition", "> 10", "> 20", "those that have left ask"},
		{"no time limit", "timeout: 1m, ", "", "those that have entered open"},
		{"a node less", "  pay: {reads: amount}\nedges:\n  - {from: ask, to: pay, if: state.Amount > 10}\n  - {from: ask, to: end}\n  - {from: pay, to: end}\n",
			"edges:\n  - {from: ask, to: end}\n", "those that have entered pay; those that have left ask"},
		{"a default", "default: 0", "default: 1", "all"},
		{"another type", "type: int, default: 0", "type: string, default: \"\"", "all"},
		{"a field of the input", "input: amount", "input: [amount, score]", "none"},
		{"a required field of the input", "  score: {type: int, default: 0}\ninput: amount", "  score: int\ninput: [amount, score]", "all"},
		{"how much a list keeps", "keep: 5", "keep: 6", "all"},
		{"a field of a struct", "why: string", "why: string, by: string", "all"},
		{"a field of a struct with a default", "why: string", "why: string, by: {type: string, default: me}", "none"},
		{"a field less of a struct", ", why: string", "", "all"},
		{"another name of a field of a struct", "why: string", "reason: {type: string, renamed_from: why}", "all"},
		{"a value of an enum", "[low, high]", "[low, mid, high]", "none"},
		{"another name of a value", "[low, high]", "[low, top], renamed_from: {top: high}", "all"},
		{"no driver", "drivers: [temporal]\n", "", "none"},
	} {
		lock, found := shape.ParseLock("pay.graph.lock", (*shape.Lock)(nil).Append(shape.Of(build(t, driven)), ""))
		if len(found) > 0 {
			t.Fatal(found)
		}
		if !strings.Contains(driven, c.from) {
			t.Fatalf("%s: the spec has no %q", c.name, c.from)
		}
		release, now := lock.Last(), shape.Of(build(t, strings.Replace(driven, c.from, c.to, 1)))
		if got := compat.Where(compat.Workflows(release.Shape, now, release.Title())); got != c.want {
			t.Errorf("%s: workflows that may break: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestJudgedGuards holds that how many guards a model judges decides what a workflow does, and not what they are called, what they read, or where
// they are among the methods.
func TestJudgedGuards(t *testing.T) {
	const guards = "guards: [sane, {fair: {judge: It is fair., reads: [amount]}}]"
	was := shape.Of(build(t, strings.Replace(driven, "timeout: 1m", guards, 1)))
	for to, want := range map[string]string{
		"guards: [sane, {fair: {judge: It is just., reads: [amount]}}]": "none",
		"guards: [sane, {just: {judge: It is fair.}}]":                  "none",
		"guards: [{fair: {judge: It is fair., reads: [amount]}}, sane]": "none",
		"guards: [sane]":                         "those that have entered open",
		"guards: [{fair: {judge: It is fair.}}]": "those that have entered open",
		"guards: [sane, {fair: {judge: It is fair., reads: [amount]}}, {kind: {judge: Kind.}}]": "those that have entered open",
	} {
		now := shape.Of(build(t, strings.Replace(driven, "timeout: 1m", to, 1)))
		if got := compat.Where(compat.Workflows(was, now, "release 1")); got != want {
			t.Errorf("%s: workflows that may break: %s, want %s", to, got, want)
		}
	}
}

// TestBranchConditions holds that a branch with another condition may break the workflows that have entered the node, since others start.
func TestBranchConditions(t *testing.T) {
	fork := strings.Replace(driven, "pay: {reads: amount}", "pay: {kind: parallel, branches: {l: {run: low, if: state.Amount > 7}, h: high}}\n"+
		"  low: {reads: amount}\n  high: {reads: amount}", 1)
	was := shape.Of(build(t, fork))
	for condition, want := range map[string]string{
		", if: (state.Amount>7)":    "none",
		", if: state.Amount > 8":    "those that have entered pay",
		", if: 'state.Amount >= 7'": "those that have entered pay",
		"":                          "those that have entered pay",
	} {
		now := shape.Of(build(t, strings.Replace(fork, ", if: state.Amount > 7", condition, 1)))
		if got := compat.Where(compat.Workflows(was, now, "release 1")); got != want {
			t.Errorf("%s: workflows that may break: %s, want %s", condition, got, want)
		}
	}
}

// TestChildWorkflow holds that to make the runs of a node in child workflows, or no longer, may break the workflows that have entered the node.
func TestChildWorkflow(t *testing.T) {
	inside := strings.NewReplacer(
		"{kind: human, instructions: Pay it., flags: [critical]}", "{reads: amount}",
		"pay: {reads: amount}\n", "pay: {kind: subgraph, graph: pay, in: {amount: amount}, max_depth: 2}\n",
	).Replace(driven)
	child := strings.Replace(inside, "max_depth: 2", "max_depth: 2, child_workflow: true", 1)
	const want = "those that have entered pay"
	for _, c := range [][2]string{{inside, child}, {child, inside}} {
		was := shape.Of(build(t, c[0]))
		if got := compat.Where(compat.Workflows(was, shape.Of(build(t, c[1])), "release 1")); got != want || c[0] == c[1] {
			t.Errorf("workflows that may break: %s, want %s", got, want)
		}
	}
}
