package compat_test

import (
	"regexp"
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
		{"what a person's answer leaves", "kind: human, ins", "kind: human, record: answers, ins", "those that have entered ask"},
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

// agent is a spec of another engine that has tools, a cacheable node, and a graph in another file.
const agent = `-- in.graph.yaml --
graph: in
drivers: [temporal]
entry: look
types: {Way: {enum: [left, right]}}
state: {x: string, n: {type: int, default: 0}, way: {type: Way, default: left}, log: {type: "[]string", merge: append}}
input: x
output: [n, way]
nodes:
  look: {reads: x, writes: log}
edges:
  - {from: look, to: end, if: state.N > 0}
  - {from: look, to: end}
-- g.graph.yaml --
graph: g
drivers: [temporal]
entry: say
use: {inner: in.graph.yaml}
types: {Paid: {amount: int}}
tools:
  look_up: {doc: Looks., args: {order: string}, returns: Paid, reads: x, timeout: 1m}
state: {x: string, y: string, reply: string}
input: [x, y]
output: reply
nodes:
  say: {kind: prompt, message: "{{x}}", tools: look_up, writes: reply, next: cached}
  cached: {reads: x, flags: cacheable, next: run}
  run: {kind: subgraph, graph: inner, in: {x: x}}
edges:
  - {from: run, to: end}
`

// TestWorkflowsOfAgents holds which running workflows a change of tools, caches and graphs that nodes run may break. Locks of versions that have no hash
// of it judge as they did.
func TestWorkflowsOfAgents(t *testing.T) {
	const say, cached, run = "those that have entered say", "those that have entered cached", "those that have entered run"
	lock := string((*shape.Lock)(nil).Append(shape.Of(build(t, agent)), ""))
	for _, c := range []struct {
		name, from, to, want string
	}{
		{name: "the doc of a tool", from: "Looks.", to: "Looks it up.", want: "none"},
		{name: "the length of a tool's time limit", from: "timeout: 1m", to: "timeout: 2m", want: "none"},
		{name: "a longer result", from: "timeout: 1m", to: "timeout: 1m, max_result: 9", want: "none"},
		{name: "what a tool reads", from: "reads: x, timeout", to: "reads: y, timeout", want: "none"},
		{name: "no time limit of a tool", from: ", timeout: 1m", to: "", want: say},
		{name: "an approval", from: "timeout: 1m", to: "timeout: 1m, approve: true", want: say},
		{name: "a tool of the client", from: ", reads: x, timeout", to: ", client: true, timeout", want: say},
		{name: "a pure tool", from: "timeout: 1m", to: "timeout: 1m, pure: true", want: say},
		{name: "an argument", from: "order: string", to: "order: string, at: string", want: say},
		{name: "a type that only a tool returns", from: "amount: int", to: "amount: int, by: string", want: say},
		{name: "what a cacheable node reads", from: "cached: {reads: x", to: "cached: {reads: [x, y]", want: cached},
		{name: "a default of a graph that a node runs", from: "default: 0", to: "default: 1", want: run},
		{name: "a default of an enum there", from: "default: left", to: "default: right", want: run},
		{name: "a value there", from: "[left, right]", to: "[left, right, on]", want: run},
		{name: "a merge rule there", from: "merge: append", to: "merge: union", want: run},
	} {
		if !strings.Contains(agent, c.from) {
			t.Fatalf("%s: the spec has no %q", c.name, c.from)
		}
		now := shape.Of(build(t, strings.Replace(agent, c.from, c.to, 1)))
		for _, text := range []string{lock, regexp.MustCompile(`, more: "\w+"`).ReplaceAllString(lock, "")} {
			want := c.want
			if text != lock {
				want = "none"
			}
			of, found := shape.ParseLock("g.graph.lock", []byte(text))
			if len(found) > 0 {
				t.Fatal(found)
			}
			release := of.Last()
			if got := compat.Where(compat.Workflows(release.Shape, now, release.Title())); got != want {
				t.Errorf("%s: workflows that may break: %s, want %s", c.name, got, want)
			}
			if same := release.Shape.Commands.Equal(now.Commands); same != (want == "none") {
				t.Errorf("%s: the commands are equal: %t", c.name, same)
			}
		}
	}
}

// spaced has literals with blanks, and spacedLock is its lock of a version that had no hash of them.
const spaced = `graph: g
drivers: [temporal]
entry: mark
state: {x: string, y: {type: string, default: ""}}
input: x
output: y
nodes:
  mark: {kind: set, set: {y: '"a  b" + state.X'}, next: fork}
  fork: {kind: parallel, branches: {one: {run: one, if: 'state.X  != " c"'}, two: two}, next: again}
  one: {reads: x}
  two: {reads: x}
  again: {kind: loop, body: step, until: 'state.Y == "d  e"', max_iterations: 3}
  step: {reads: y}
  last: {reads: y}
edges:
  - {from: again, to: last, if: 'state.X ==  "f  g"'}
  - {from: again, to: end}
  - {from: last, to: end}
`

const spacedLock = `graph: g
releases:
  - release: 1
    shape: "9b1e85f9cb5f28d9"
    state:
      x: string
      y: {type: string, default: ""}
    nodes:
      again: {kind: loop}
      fork: {kind: parallel}
      last: {kind: func}
      mark: {kind: set}
      one: {kind: func, in: fork, branch: one}
      step: {kind: func, in: again}
      two: {kind: func, in: fork, branch: two}
    workflows:
      begins: "f02d2d0295e0"
      input: [x]
      max_steps: 50
      max_visits: 25
      nodes:
        again: {runs: "5e68cbbb4ae6", leaves: "3ca3d2d5ea24"}
        fork: {runs: "69a1b3e21b63", leaves: "36e165c8c167"}
        last: {runs: "eb9760752682", leaves: "915d4eabbdfd"}
        mark: {runs: "2d9cc0b67f0f", leaves: "44ebe5b29466"}
        one: {runs: "76e0f8cbbee5", leaves: "90c0cf133a2e"}
        step: {runs: "35e663c0cc64", leaves: "90c0cf133a2e"}
        two: {runs: "560decd546a2", leaves: "90c0cf133a2e"}
`

// TestBlanks holds that blanks in literals count, where the lock has a hash of them, and others do not.
func TestBlanks(t *testing.T) {
	lock := string((*shape.Lock)(nil).Append(shape.Of(build(t, spaced)), ""))
	for _, c := range []struct{ from, to, want, earlier string }{
		{"", "", "none", "none"},
		{`"a  b"`, `"a b"`, "those that have entered mark", "none"},
		{`" c"`, `"  c"`, "those that have entered fork", "none"},
		{`"d  e"`, `"d e"`, "those that have entered again", "those that have entered again"},
		{`"f  g"`, `"f g"`, "those that have entered again", "none"},
		{`"f  g"`, `"h  i"`, "those that have entered again", "those that have left again"},
		{`==  "f  g"`, `== "f  g"`, "none", "none"},
		{`"a  b" + `, `"a  b"  +  `, "none", "none"},
	} {
		now := shape.Of(build(t, strings.Replace(spaced, c.from, c.to, 1)))
		for text, want := range map[string]string{lock: c.want, spacedLock: c.earlier} {
			of, found := shape.ParseLock("g.graph.lock", []byte(text))
			if len(found) > 0 {
				t.Fatal(found)
			}
			release := of.Last()
			if got := compat.Where(compat.Workflows(release.Shape, now, release.Title())); got != want {
				t.Errorf("%s for %s: workflows that may break: %s, want %s", c.to, c.from, got, want)
			}
			if same := release.Shape.Commands.Equal(now.Commands); same != (want == "none") {
				t.Errorf("%s for %s: the commands are equal: %t", c.to, c.from, same)
			}
		}
	}
}
