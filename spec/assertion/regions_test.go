package assertion_test

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/assertion"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

// composed is a graph with a node work between start and done, at whose failure it ends in lost.
const composed = `
graph: g
entry: start
state: {n: int, list: "[]int", short: {type: "[]int", max_length: 2}, item: int}
input: [n, list, short]
tools: {look: {args: {query: string}}}
nodes:
  start: {next: work}
  done: {}
  lost: {}
  a: {AKEYS}
  b: {}
  c: {}
  p: {kind: autonomous, pool: g, entry: g, instructions: x, max_steps: 1}
  g: {fail_soft: true}
  s: {kind: retry, body: h, attempts: 1, flags: [skip_on_error]}
  h: {}
  d: {kind: parallel, branches: {x: e, y: f}}
  e: {}
  f: {}
  work: {next: done, transitions: {error: lost}, WORK}
`

func TestCompositeNodes(t *testing.T) {
	const parallel = "kind: parallel, branches: {l: [a, b], r: c}"
	for name, test := range map[string]struct{ work, keys, says, want string }{
		"a branch that has to succeed has run":                   {parallel, "", "every path to done passes b", "holds"},
		"where the node fails it may not have":                   {parallel, "", "every path to lost passes b", "fails: start work c lost"},
		"a chain has its order":                                  {parallel, "", "every path to b passes a", "holds"},
		"branches have none":                                     {parallel, "", "every path to c passes a", "fails: start work c"},
		"whichever is written first":                             {parallel, "", "every path to b passes c", "fails: start work a b"},
		"what stands before the node stands before its branches": {parallel, "", "every path to b passes start", "holds"},
		"and so does the node":                                   {parallel, "", "every path to b passes work", "holds"},
		"steps of one branch come between those of another":      {parallel, "", "no path from c to b without a", "fails: start work a c b"},
		"unless one branch runs at a time":                       {parallel + ", max_parallel: 1", "", "no path from c to b without a", "holds"},
		"a branch that is not needed may not have run":           {parallel + ", join: first", "", "every path to done passes b", "fails: start work c done"},
		"nor have succeeded where failures are left out": {parallel + ", join: settled", "", "every path to done passes b",
			"fails: start work a c done"},
		"but it has begun": {parallel + ", join: settled", "", "every path to done passes a", "holds"},
		"a node that fails softly does not stop its branch": {parallel, "fail_soft: true", "every path to lost passes a", "fails: start work c lost"},
		"all branches come to their ends":                   {parallel + ", join: all", "", "every path to lost passes a", "holds"},
		"even so one may fail before its last":              {parallel + ", join: all", "", "every path to lost passes b", "fails: start work a c lost"},
		"a router may skip a node": {"kind: loop, body: [a, b, c], until: state.N > 1, max_iterations: 2",
			"kind: router, routes: [b, c]", "every path to c passes b", "fails: start work a c"},
		"and end the body": {"kind: retry, body: [a, b, c], attempts: 2",
			"kind: router, routes: [b, end]", "every path to done passes b", "fails: start work a done"},
		"which does not end unless it is a route": {"kind: retry, body: [a, b, c], attempts: 2",
			"kind: router, routes: [b, c]", "every path to done passes c", "holds"},
		"what all routes skip does not run": {"kind: retry, body: [a, b, c], attempts: 2",
			"kind: router, routes: [c, end]", "b is reachable", "fails"},
		"after a soft failure of a router the next node runs": {"kind: retry, body: [a, b, c], attempts: 2",
			"kind: router, routes: [c, end], fail_soft: true", "b is reachable", "holds: start work a b"},
		"a router in a branch skips nodes of it alone": {"kind: parallel, branches: {l: [a, b, c], r: d}",
			"kind: router, routes: [b, c]", "every path to done passes e", "holds"},
		"and what it skips may not have run when the node ends": {"kind: parallel, branches: {l: [a, b, c], r: d}",
			"kind: router, routes: [b, c]", "every path to done passes b", "fails: start work a c d e f done"},
		"a loop runs its body": {"kind: loop, body: [a, b], until: state.N > 1, max_iterations: 2", "",
			"every path to done passes b", "holds"},
		"and again": {"kind: loop, body: [a, b], until: state.N > 1, max_iterations: 2", "",
			"no path from b to a without c", "fails: start work a b a"},
		"not beyond its iterations": {"kind: loop, body: [a, b], until: state.N > 1, max_iterations: 1", "",
			"no path from b to a without c", "nothing"},
		"a retry repeats what failed": {"kind: retry, body: [a, b], attempts: 2", "", "no path from a to a without b",
			"fails: start work a a"},
		"and nothing where a failure is soft": {"kind: retry, body: a, attempts: 2", "fail_soft: true", "no path from a to a without b", "nothing"},
		"used-up visits are no soft failure": {"kind: retry, body: a, attempts: 1",
			"kind: prompt, instructions: x, tools: look, max_visits: 2, fail_soft: true", "lost is reachable", "holds: start work a a lost"},
		"but of one visit only where it calls tools": {"kind: retry, body: a, attempts: 1",
			"kind: prompt, instructions: x, max_visits: 2, fail_soft: true", "lost is reachable", "fails"},
		"unless a timeout ends an attempt": {"kind: retry, body: a, attempts: 2, timeout: 1s", "fail_soft: true",
			"no path from a to a without b", "fails: start work a a"},
		"an empty list runs nothing": {"kind: map, over: list, item: item, body: [a, b]", "",
			"every path to done passes b", "fails: start work done"},
		"elements run at once": {"kind: map, over: list, item: item, body: [a, b]", "",
			"no path from b to a without c", "fails: start work a b a"},
		"a model may pick any node": {"kind: autonomous, pool: [a, b, c], terminal: [c], instructions: x, max_steps: 3",
			"", "every path to done passes a", "fails: start work c done"},
		"and has to come to a last one": {"kind: autonomous, pool: [a, b, c], terminal: [c], instructions: x, max_steps: 3",
			"", "every path to done passes c", "holds"},
		"not twice where it must not": {"kind: autonomous, pool: [a, b, c], terminal: [c], instructions: x, " +
			"max_steps: 3, allow_repeat: false", "", "no path from a to a without b", "nothing"},
		"a pool has an entry": {"kind: autonomous, pool: [a, b, c], entry: a, terminal: [c], instructions: x, max_steps: 3",
			"", "every path to c passes a", "holds"},
		"of an only choice the model is not asked, so that its pick does not fail": {"kind: autonomous, pool: a, terminal: a, instructions: x, max_steps: 2",
			"fail_soft: true", "lost is reachable", "fails"},
		"the only step of a pool belongs to a terminal node": {"kind: autonomous, pool: [a, b, c], terminal: [c], instructions: x, max_steps: 1",
			"", "a is reachable", "fails"},
		"unless it has an entry": {"kind: autonomous, pool: [a, b, c], entry: a, terminal: [c], instructions: x, max_steps: 1",
			"", "every path to done passes a", "holds"},
		"a soft failure in a pool is none of it": {"kind: loop, body: [p, s], max_iterations: 2",
			"", "every path to done passes h", "holds"},
		"fewer elements than have to succeed are a failure": {"kind: map, over: short, item: item, body: a, join: settled, count: 3",
			"fail_soft: true", "no path from a to done without b", "nothing"},
		"a condition that cannot panic ends no loop": {"kind: loop, body: a, until: state.N > 1, max_iterations: 2",
			"fail_soft: true", "lost is reachable", "fails"},
		"one that may panic does": {"kind: loop, body: a, until: 'state.List[0] > 1', max_iterations: 2",
			"fail_soft: true", "lost is reachable", "holds: start work a lost"},
		"branches within branches have no order": {"kind: parallel, branches: {l: [a, d], r: c}", "",
			"every path to e passes f", "fails: start work a d e"},
		"nor with those around them": {"kind: parallel, branches: {l: [a, d], r: c}", "",
			"no path from c to f without b", "fails: start work a d c f"},
		"a child runs as often as its region": {"kind: loop, body: [a, b], until: state.N > 1, max_iterations: 4", "",
			"b runs at most 4 times", "holds"},
		"and no more seldom": {"kind: loop, body: [a, b], until: state.N > 1, max_iterations: 4", "",
			"b runs at most 3 times", "fails: start work a b a b a b a b"},
		"a list that is no longer has no more elements": {"kind: map, over: short, item: item, body: [a, b]", "", "b runs at most 2 times", "holds"},
		"a no runs nothing of a node": {"kind: loop, body: [a, b], max_iterations: 2, flags: [requires_human]", "", "every path to lost passes a",
			"fails: start work lost"},
		"also where a transition follows it": {"kind: loop, body: [a, b], max_iterations: 2, flags: [requires_human], on_deny: c", "",
			"every path to c passes a", "fails: start work c"},
		"so that nothing of it runs before": {"kind: loop, body: [a, b], max_iterations: 2, flags: [requires_human], on_deny: c", "",
			"no path from a to c without b", "nothing"},
		"a child can be come to": {parallel, "", "b is reachable", "holds: start work a b"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.ReplaceAll(strings.ReplaceAll(composed, "WORK", test.work), "AKEYS", test.keys)
			s, found := spec.Load("g.graph.yaml", []byte(text))
			if len(found) > 0 {
				t.Fatal(found)
			}
			a, wrong := assertion.Parse(spec.String{V: test.says})
			if wrong != nil {
				t.Fatal(wrong)
			}
			v := assertion.NewProver(cfg.Build(resolve.Resolve(s))).Prove(a)
			got := [...]string{"holds", "fails", "open", "nothing"}[v.Result]
			if len(v.Path) > 0 {
				got += ": " + strings.Join(names(v.Path), " ")
			}
			if got != test.want {
				t.Errorf("%s: %s, want %s", test.says, got, test.want)
			}
		})
	}
}

func names(path []assertion.Step) []string {
	var out []string
	for _, s := range path {
		if s.Node != nil {
			out = append(out, s.Node.Name())
		}
		out = append(out, names(s.Regions)...)
	}
	return out
}
