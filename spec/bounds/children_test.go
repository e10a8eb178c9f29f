package bounds_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/cfg"
)

// composed is a graph whose node work runs others: p and q ask a model twice each, r has a tool
// loop of three visits, a and b ask none.
const composed = `
graph: g
entry: work
no_match: end
state: {n: int, list: "[]int", short: {type: "[]int", max_length: 3}, item: int}
input: [n, list, short]
tools: {look: }
LIMITS
nodes:
  work: {WORK, next: end}
  p: {kind: prompt, instructions: x}
  q: {kind: prompt, instructions: x}
  r: {kind: prompt, instructions: x, repair: 0, tools: look, max_visits: 3}
  a: {reads: n}
  b: {reads: n}
  soft: {reads: n, fail_soft: true}
  deep: {kind: loop, body: [a, p], max_iterations: 2, until: state.N > 1}
`

func TestBoundsCountWhatNodesRun(t *testing.T) {
	for name, test := range map[string]struct {
		limits, work string
		steps, calls int
		visits       string // of some nodes
	}{
		"branches add up":                     {"", "kind: parallel, branches: {x: [a, p], y: q}", 4, 4, "a 1 p 1 q 1"},
		"cancelled ones may have run":         {"", "kind: parallel, branches: {x: [a, p], y: q}, join: first", 4, 4, "a 1 p 1 q 1"},
		"a list of at most three":             {"", "kind: map, over: short, item: item, body: [a, p]", 7, 6, "a 3 p 3"},
		"iterations multiply":                 {"", "kind: loop, body: [a, p], max_iterations: 4, until: state.N > 1", 9, 8, "a 4 p 4"},
		"so do attempts":                      {"", "kind: retry, body: [a, p], attempts: 4", 9, 8, "a 4 p 4"},
		"what never fails is not tried again": {"", "kind: retry, body: soft, attempts: 4", 2, 0, "soft 1"},
		"unless its timeout ends it":          {"", "kind: retry, body: soft, attempts: 4, timeout: 1s", 5, 0, "soft 4"},
		"and what is tried again as a whole": {"",
			"kind: loop, body: [a, p], max_iterations: 2, until: state.N > 1, flags: [{retryable: {attempts: 3}}]", 13, 12, "a 6 p 6"},
		"a tool loop begins anew with each iteration":       {"", "kind: loop, body: r, max_iterations: 2, until: state.N > 1", 7, 6, "r 6"},
		"as deep as they go":                                {"", "kind: map, over: short, item: item, body: [deep, b]", 19, 12, "deep 3 a 6 p 6 b 3"},
		"a pool takes its dearest node, and is picked from": {"", "kind: autonomous, pool: [a, p, q], instructions: x, max_steps: 3", 4, 12, "a 3 p 3 q 3"},
		"without repeating any where it must not": {"",
			"kind: autonomous, pool: [a, p, q], instructions: x, max_steps: 5, allow_repeat: false", 4, 10, "a 1 p 1 q 1"},
		"the last step belongs to a terminal node": {"", "kind: autonomous, pool: [a, p], terminal: a, instructions: x, max_steps: 3", 4, 8, "a 1 p 2"},
		"max_steps cuts within a node": {"limits: {max_steps: 6}",
			"kind: loop, body: [a, p], max_iterations: 4, until: state.N > 1", 6, 4, "a 3 p 2"},
		"a budget caps the sum": {"limits: {max_model_calls: 4}", "kind: parallel, branches: {x: [a, p], y: r}", 6, 4, "a 1 p 1 r 3"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.ReplaceAll(strings.ReplaceAll(composed, "LIMITS", test.limits), "WORK", test.work)
			b := bounds.Of(readable(t, text))
			if got, want := fmt.Sprint(b.Steps.Most, b.Steps.Reached), fmt.Sprint(test.steps, test.steps); got != want {
				t.Errorf("steps %s, want %s: %v", got, want, b.Steps.Path)
			}
			if b.ModelCalls.Most != test.calls {
				t.Errorf("calls of models %d, want %d", b.ModelCalls.Most, test.calls)
			}
			if got := visits(b, test.visits); got != test.visits {
				t.Errorf("visits %s, want %s", got, test.visits)
			}
		})
	}
}

// visits writes the bounds of the nodes that are named, where they are reached.
func visits(b *bounds.Bounds, of string) string {
	var out []string
	for i, name := range strings.Fields(of) {
		if i%2 == 1 {
			continue
		}
		have := b.Visits[b.Graph.Named(name).Index]
		out = append(out, name, fmt.Sprint(have.Most))
		if !have.Exact() {
			out = append(out, fmt.Sprint("(", have.Reached, " reached)"))
		}
	}
	return strings.Join(out, " ")
}

// TestRefusedNode holds that a person's no costs nothing of what the node would run, and that only its other visits run that.
func TestRefusedNode(t *testing.T) {
	for name, c := range map[string]struct{ keys, visits string }{
		"a no that leads back": {"on_deny: ask", "ask 10 work 10 a 3 c 3 use 1 rescue 0"},
		"a late answer":        {"on_timeout: ask", "ask 10 work 10 a 3 c 3 use 1 rescue 0"},
		"a no that fails":      {"transitions: {error: rescue}", "ask 1 work 1 a 3 c 3 use 1 rescue 1"},
	} {
		t.Run(name, func(t *testing.T) {
			b := bounds.Of(readable(t, `
graph: g
entry: ask
limits: {max_steps: 20, max_visits: 20}
state: {n: int}
input: n
nodes:
  ask: {reads: n, next: work}
  work: {kind: loop, body: [a, c], max_iterations: 3, until: state.N > 1, flags: [{requires_human: {timeout: 1h}}], next: use, `+c.keys+`}
  a: {reads: n, fail_soft: true}
  c: {reads: n, fail_soft: true}
  use: {reads: n, next: end}
  rescue: {reads: n, next: end}
`))
			if got := visits(b, c.visits); got != c.visits {
				t.Errorf("visits %s, want %s", got, c.visits)
			}
		})
	}
}

// TestSecondOfAPool holds that a pool may fail early in the node that follows its entry without a pick.
func TestSecondOfAPool(t *testing.T) {
	b := bounds.Of(readable(t, `
graph: g
entry: work
limits: {max_steps: 8}
state: {n: int}
input: n
nodes:
  work: {kind: autonomous, instructions: x, pool: [soft, long], entry: soft, terminal: long, max_steps: 2, next: end, transitions: {error: rescue}}
  soft: {reads: n, fail_soft: true}
  long: {kind: loop, body: [a, b], max_iterations: 10}
  a: {reads: n}
  b: {reads: n}
  rescue: {reads: n, next: end}
`))
	if got := visits(b, "rescue 1"); got != "rescue 1" {
		t.Errorf("visits %s, want rescue 1", got)
	}
}

func TestSubgraph(t *testing.T) {
	inner := readable(t,
		"graph: inner\nentry: a\nlimits: {max_model_calls: 7}\nnodes:\n  a: {kind: prompt, instructions: x, next: b}\n  b: {kind: "+
			"loop, body: c, max_iterations: 3}\n  c: {kind: prompt, instructions: x}\n").Spec.Spec
	outer, found := spec.Load("outer.graph.yaml",
		[]byte("graph: outer\nentry: twice\nuse: {inner: inner.graph.yaml}\nnodes:\n  twice: {kind: loop, body: run, "+
			"max_iterations: 2}\n  run: {kind: subgraph, graph: inner}\n"))
	if len(found) > 0 {
		t.Fatal(found)
	}
	outer.Use[0].Graph = inner
	b := bounds.Of(cfg.Of(outer))
	if b.Steps.Most != 3 || b.ModelCalls.Most != 14 || !b.ModelCalls.Exact() {
		t.Errorf("%d steps, %d calls of models, %d reached; want 3, 14 and 14", b.Steps.Most, b.ModelCalls.Most, b.ModelCalls.Reached)
	}
}

// TestPriceOfSubgraph holds that a judge of edges has its price also where the node that it judges runs a graph.
func TestPriceOfSubgraph(t *testing.T) {
	prices, err := bounds.ParsePrices("default 1 1 1000000 1000000\n")
	if err != nil {
		t.Fatal(err)
	}
	inner := readable(t, "graph: inner\nentry: a\nnodes:\n  a: {kind: prompt, instructions: x, repair: 0}\n").Spec.Spec
	outer, found := spec.Load("outer.graph.yaml", []byte("graph: outer\nentry: run\nuse: {inner: inner.graph.yaml}\nnodes:\n"+
		"  run: {kind: subgraph, graph: inner}\n  last: {}\nedges: [{from: run, to: last, when: it is good}]\n"))
	if len(found) > 0 {
		t.Fatal(found)
	}
	outer.Use[0].Graph = inner
	if sum, _ := bounds.Priced(cfg.Of(outer), prices).Cost.Dollars(); sum != 4 {
		t.Errorf("US dollars: %v, want 4, of two calls", sum)
	}
}

func TestRecursiveGraph(t *testing.T) {
	text := "graph: g\nentry: a\nnodes:\n  a: {kind: prompt, instructions: x, repair: 0, next: both}\n  both: {kind: parallel, " +
		"branches: {x: l, y: m}}\n  l: {kind: subgraph, graph: g, max_depth: 3}\n  m: {kind: subgraph, graph: g, max_depth: 3}\n"
	if b := bounds.Of(readable(t, text)); b.ModelCalls.Most != 1+2+4+8 {
		t.Errorf("%d calls, want 15: one, and two runs within each run, three deep", b.ModelCalls.Most)
	}
}

func TestChangingGraph(t *testing.T) {
	text := "graph: g\nentry: a\nlimits: {max_steps: 9}\nstate: {n: string}\ninput: n\nmutations: {allow: [add_node], kinds: " +
		"[prompt], writes: n}\nnodes:\n  a: {reads: n, mutates: true, max_visits: 4, next: b}\n  b: {reads: n}\n"
	b := bounds.Of(readable(t, text))
	if !b.Mutable || b.Steps.Most != 9 || b.ModelCalls.Most != 18 {
		t.Errorf("%d steps and %d calls of models, want 9 and 18: any step may be of a prompt that is added", b.Steps.Most, b.ModelCalls.Most)
	}
	if got, want := visits(b, "a 4"), "a 4 (1 reached)"; got != want {
		t.Errorf("visits %s, want %s", got, want)
	}
}

func TestTemplate(t *testing.T) {
	text := "graph: g\nentry: a\nlimits: {max_steps: 9}\nstate: {n: int}\ninput: n\nmutations: {allow: [add_node], templates: " +
		"[t]}\nnodes:\n  a: {reads: n, mutates: true}\n" +
		"  t: {kind: loop, body: p, max_iterations: 2}\n  p: {kind: prompt, instructions: x, repair: 2}\n"
	b := bounds.Of(readable(t, text))
	if b.ModelCalls.Most != 27 || b.Graph.Named("p") != nil {
		t.Errorf("%d calls of models, want 27: any step may be of the prompt that the template runs", b.ModelCalls.Most)
	}
	text = strings.Replace(text, "body: p", "body: {entry: p}", 1) + "  q: {reads: n}\nedges: [{from: p, to: q, when: it is good}]\n"
	if b := bounds.Of(readable(t, text)); b.ModelCalls.Most != 36 {
		t.Errorf("%d calls of models, want 36: a model judges the edge of the prompt", b.ModelCalls.Most)
	}
}

func TestPricesMakeMoneyOfCalls(t *testing.T) {
	const table = "default 3 15 100000 8000 # input, output, window, most output\nlight 1 5 50000\nbig 10 40 200000 10000\n"
	prices, err := bounds.ParsePrices(table)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ limits, nodes, want string }{
		"a call reads its window, and writes what it may": {"", "a: {kind: prompt, instructions: x, repair: 0}", "0.42"},
		"no more than the node lets it":                   {"", "a: {kind: prompt, instructions: x, repair: 0, max_tokens: 1000}", "0.315"},
		"a model has its own price":                       {"", "a: {kind: prompt, instructions: x, repair: 0, model: big}", "2.4"},
		"and so have nodes with the smaller model":        {"", "a: {kind: prompt, instructions: x, repair: 0, flags: [lightweight]}", "0.3"},
		"branches add up": {"",
			"a: {kind: parallel, branches: {x: b, y: c}}\n  b: {kind: prompt, instructions: x}\n  c: {kind: prompt, instructions: x, repair: 0}", "1.26"},
		"guards ask the judge at each execution": {"", "a: {output: string, guards: [{fine: {judge: It is fine.}}], guard_retries: 1}", "0.84"},
		"and so do edges of a region": {"",
			"a: {kind: loop, body: {entry: b}, max_iterations: 2}\n  b: {reads: []}\n  c: {reads: []}\nedges: [{from: b, to: c, when: fine}]", "0.84"},
		"a limit of calls caps the sum":                   {"{max_model_calls: 2}", "a: {kind: prompt, instructions: x, repair: 8}", "0.84"},
		"a limit of money does, but for a call under way": {"{max_cost: 1}", "a: {kind: prompt, instructions: x, repair: 8}", "1.42"},
		"and so does one of tokens":                       {"{max_tokens: 10000}", "a: {kind: prompt, instructions: x, repair: 8}", "0.57"},
		"texts are made short by the smaller model": {"",
			"a: {kind: prompt, instructions: x, repair: 0, reads: q, before: state_summarizer, flags: [summarize_output]}", "1.02"},
		"a price that is missing is told": {"", "a: {kind: prompt, instructions: x, model: huge}", "unknown: a (huge)"},
	} {
		t.Run(name, func(t *testing.T) {
			b := bounds.Priced(readable(t, "graph: g\nentry: a\nstate: {q: string}\ninput: q\nlimits: "+test.limits+"\nnodes:\n  "+test.nodes+"\n"), prices)
			sum, known := b.Cost.Dollars()
			got := fmt.Sprint(sum)
			if !known {
				got = "unknown: " + strings.Join(b.Cost.Unpriced(), ", ")
			}
			if got != test.want {
				t.Errorf("US dollars: %s, want %s", got, test.want)
			}
		})
	}
}

func TestPriceTableErrors(t *testing.T) {
	for text, want := range map[string]string{
		"default 1 2":              "line 1: 3 columns: expected model, input, output, window and max_output, which may be left out",
		"\n# nothing\na one 2 300": `line 3: "one" is not a price in US dollars per million tokens`,
		"a 1 NaN 300":              `line 1: "NaN" is not a price in US dollars per million tokens`,
		"a 1 2 -3":                 `line 1: "-3" is not a number of tokens`,
		"a 1 2 3\na 1 2 3":         `line 2: "a" has a price already`,
	} {
		if _, err := bounds.ParsePrices(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Each graph runs the next one twice: it is looked at once, not once for each of its 2^40 runs.
func TestSharedGraph(t *testing.T) {
	inner := readable(t, "graph: g0\nentry: a\nnodes:\n  a: {kind: prompt, instructions: x, repair: 0}\n").Spec.Spec
	for i := 1; i <= 40; i++ {
		text := fmt.Sprintf("graph: g%d\nentry: both\nuse: {inner: inner.graph.yaml}\nnodes:\n  both: {kind: parallel, branches: "+
			"{x: l, y: m}}\n  l: {kind: subgraph, graph: inner}\n  m: {kind: subgraph, graph: inner}\n", i)
		outer, found := spec.Load("outer.graph.yaml", []byte(text))
		if len(found) > 0 {
			t.Fatal(found)
		}
		outer.Use[0].Graph = inner
		inner = outer
	}
	if b := bounds.Of(cfg.Of(inner)); b.ModelCalls.Most != 1<<40 {
		t.Errorf("%d calls, want 2^40", b.ModelCalls.Most)
	}
}

// readable reads a graph, whether or not the checks accept it.
func readable(t *testing.T, text string) *cfg.Graph {
	t.Helper()
	g, found := spec.Load("g.graph.yaml", []byte(text))
	if len(found) > 0 {
		t.Fatal(found)
	}
	return cfg.Of(g)
}
