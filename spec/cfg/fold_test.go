package cfg_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
)

// traces is the algebra of what nodes do: the names of those that have run, ! behind one that has failed, and undone writes in brackets.
type traces struct{}

type set map[string]bool

func (traces) Nothing() set { return set{"": true} }

func (traces) Then(a, b set) set {
	out := set{}
	for x := range a {
		for y := range b {
			out[strings.TrimSpace(x+" "+y)] = true
		}
	}
	return out
}

func (traces) Or(a, b set) set {
	out := maps.Clone(a)
	if out == nil {
		out = set{}
	}
	maps.Copy(out, b)
	return out
}

func (traces) Undo(a set) set {
	out := set{}
	for x := range a {
		out["["+strings.Trim(x, "[]")+"]"] = true
	}
	return out
}

func (t traces) Cut(o cfg.Outcomes[set]) set { return t.Or(t.Nothing(), o.Cancelled) }

func (t traces) Again(a set, least, most int) (out set) {
	all := t.Nothing()
	for k := range most + 1 {
		if k >= least {
			out = t.Or(out, all)
		}
		all = t.Then(all, a)
	}
	return out
}

func (traces) Leaf(n *cfg.Node) (o cfg.Outcomes[set], usedUp set) {
	o = cfg.Outcomes[set]{Success: set{n.Name(): true}, Failure: set{n.Name() + "!": true}, Cancelled: set{n.Name() + "…": true}}
	if n.Spec.Loops {
		usedUp = set{n.Name() + "×": true}
	}
	return o, usedUp
}

func (t traces) Enter(*cfg.Node) cfg.Outcomes[set] { return cfg.Outcomes[set]{Success: t.Nothing()} }

func (traces) Pass(n *cfg.Node) cfg.Outcomes[set] {
	return cfg.Outcomes[set]{Success: set{"(" + n.Name() + ")": true}}
}

func (traces) Until(*cfg.Node) cfg.Outcomes[set] { return cfg.Outcomes[set]{Success: set{"?": true}} }

func (traces) Test(_ *cfg.Node, t *cfg.Transition) cfg.Outcomes[set] {
	return cfg.Outcomes[set]{Success: set{"if": true}}
}

func (traces) Withhold(n *cfg.Node, _ set) set { return set{n.Name() + " denied": true} }

func (traces) Onward(_ *cfg.Node, _ int, a set) set { return a }

// Fork has the traces of branches one after the other.
func (t traces) Fork(_ *cfg.Node, rule *cfg.Fork, branches []cfg.Outcomes[set]) (o cfg.Outcomes[set]) {
	if rule.Each {
		branches = slices.Repeat(branches, 2)
	}
	success, failure := rule.Quorums(len(branches))
	pick := func(q cfg.Quorum, of func(cfg.Outcomes[set]) set, rest func(cfg.Outcomes[set]) set) set {
		have := []set{t.Nothing()} // by the number of branches with the outcome
		for _, b := range branches {
			next := make([]set, len(have)+1)
			for k, before := range have {
				next[k] = t.Or(next[k], t.Then(before, rest(b)))
				next[k+1] = t.Or(next[k+1], t.Then(before, of(b)))
				if q.Cancels {
					next[k] = t.Or(next[k], before) // it has not begun
				}
			}
			have = next
		}
		var out set
		for k := q.Branches; k < len(have); k++ {
			out = t.Or(out, have[k])
		}
		return out
	}
	succeeded, failed := func(o cfg.Outcomes[set]) set { return o.Success }, func(o cfg.Outcomes[set]) set { return o.Failure }
	o.Success, o.Failure = pick(success, succeeded, failed), pick(failure, failed, succeeded)
	return o
}

// Pool has the traces of two regions at most.
func (t traces) Pool(_ *cfg.Node, rule *cfg.Pool, regions []cfg.Outcomes[set]) (o cfg.Outcomes[set]) {
	add := func(to *set, is bool, a set) {
		if is {
			*to = t.Or(*to, a)
		}
	}
	add(&o.Success, rule.RunsNothing(), t.Nothing())
	add(&o.Failure, rule.Asks(0), set{"pick!": true})
	for i, first := range regions {
		add(&o.Failure, rule.Runs(i, 0), first.Failure)
		add(&o.Success, rule.Runs(i, 0) && rule.Over(i, 1), first.Success)
		add(&o.Failure, rule.Runs(i, 0) && !rule.Last[i] && rule.Asks(1), t.Then(first.Success, set{"pick!": true}))
		for k, next := range regions {
			may := rule.Runs(i, 0) && !rule.Last[i] && rule.Most > 1 && rule.Runs(k, 1) && (rule.Repeat || i != k)
			add(&o.Failure, may, t.Then(first.Success, next.Failure))
			add(&o.Success, may && rule.Over(k, 2), t.Then(first.Success, next.Success))
		}
	}
	return o
}

// TestFold has the rules by which executions are composed, as traces.
func TestFold(t *testing.T) {
	for name, row := range map[string]struct{ work, keys, success, failure string }{
		"nodes run one after the other": {"kind: retry, body: [a, b], attempts: 1", "", "a b", "[a b!], [a!]"},
		"a soft failure goes on":        {"kind: retry, body: [a, b], attempts: 1", "fail_soft: true", "a b, a! b", "[a b!], [a! b!]"},
		"a node may skip itself":        {"kind: retry, body: [a, s], attempts: 1", "fail_soft: true", "a s, a! (s)", "[a s!]"},
		"used-up visits are no soft failure": {
			"kind: retry, body: a, attempts: 1",
			"kind: prompt, instructions: x, tools: look, fail_soft: true", "a, a!", "[a×]",
		},
		"used-up visits take no edge":             {"kind: retry, body: {entry: p}, attempts: 1", "", "p, p! b", "[p! b!], [p×]"},
		"a loop repeats, and keeps what it wrote": {"kind: loop, body: a, max_iterations: 2, until: state.N > 1", "", "a ?, a ? a ?", "a ? a!, a!"},
		"without a condition as often as it may":  {"kind: loop, body: a, max_iterations: 2", "", "a a", "a a!, a!"},
		"a condition may panic": {"kind: loop, body: a, max_iterations: 2, until: 1/state.N > 1", "fail_soft: true",
			"a ?, a ? a ?, a ? a! ?, a! ?, a! ? a ?, a! ? a! ?", "a ?, a ? a ?, a ? a! ?, a! ?, a! ? a ?, a! ? a! ?"},
		"a retry undoes what failed": {"kind: retry, body: a, attempts: 2", "", "[a!] a, a", "[a!], [a!] [a!]"},
		"so does a retryable loop": {
			"kind: loop, body: a, max_iterations: 1, flags: [{retryable: {attempts: 2}}]",
			"", "[a!] a, a", "[a!], [a!] [a!]",
		},
		"a person's no runs nothing": {"kind: loop, body: a, max_iterations: 2, flags: [requires_human]", "", "a a", ", a a!, a!"},
		"also of a node that is tried again": {
			"kind: loop, body: a, max_iterations: 1, flags: [{retryable: {attempts: 2}}, requires_human]", "", "[a!] a, a", ", [a!], [a!] [a!]",
		},
		"a refusal takes its edge, another failure is soft": {
			"kind: retry, body: {entry: g}, attempts: 1", "", "g h, g! h, g! i", "[g h!], [g! h!], [g! i!]",
		},
		"a timeout is a failure at any point":  {"kind: loop, body: [a, b], max_iterations: 1, timeout: 1s", "", "a b", ", a b!, a b…, a!, a…"},
		"every branch has to succeed":          {"kind: parallel, branches: {x: a, y: b}, join: all", "", "a b", "[a b!], [a! b!], [a! b]"},
		"the first failure cancels the others": {"kind: parallel, branches: {x: a, y: b}", "", "a b", "[a b!], [a! b!], [a! b], [a!], [b!]"},
		"failures may be left out":             {"kind: parallel, branches: {x: a, y: b}, join: settled", "", "a b, a b!, a! b", "[a! b!]"},
		"the first success is enough":          {"kind: parallel, branches: {x: a, y: b}, join: first", "", "a, a b, a b!, a! b, b", "[a! b!]"},
		"a list may be empty, or too long":     {"kind: map, over: list, item: item, body: a, join: all", "", ", a a", "[], [a a!], [a! a!], [a! a]"},
		"fewer branches than are needed fail": {
			"kind: map, over: list, item: item, body: a, join: settled, count: 3",
			"fail_soft: true", "", "[], [a a!], [a a], [a! a!], [a! a]",
		},
		"a merge may panic": {
			"kind: parallel, branches: {x: m, y: b}, join: settled",
			"", "m b, m b!, m! b", "[m b!], [m b], [m! b!], [m! b]",
		},
		"a condition starts a branch": {
			"kind: parallel, branches: {x: {run: a, if: state.N > 0}, y: b}, join: all",
			"", "a b, b", "[a b!], [a! b!], [a! b], [b!]",
		},
		"a model may end a pool": {"kind: autonomous, pool: [a, b], instructions: x, max_steps: 1", "", ", a, b", "a!, b!, pick!"},
		"the last node is not a pick": {
			"kind: autonomous, pool: [a, b], entry: a, terminal: b, instructions: x, max_steps: 2",
			"", "a b", "a b!, a!",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, found := spec.Load("g.graph.yaml", []byte("graph: g\nentry: work\nstate: {n: int, list: {type: \"[]int\", max_length: 3}, item: int, "+
				"x: {type: int, merge: custom}}\ninput: [n, list]\ntools: {look: }\nnodes:\n  work: {"+row.work+"}\n  a: {"+row.keys+
				"}\n  b: {}\n  s: {flags: [skip_on_error]}\n  m: {reads: n, writes: x}\n  "+
				"p: {kind: prompt, instructions: x, tools: look}\n  g: {fail_soft: true, guards: [fine]}\n  h: {}\n  i: {}\n"+
				"edges: [{from: p, to: b, on: error}, {from: g, to: h}, {from: g, to: i, on: guard_fail}]\n"))
			if len(found) > 0 {
				t.Fatal(found)
			}
			o := cfg.NewFold(traces{}, false).Regions(cfg.Of(s).Named("work"))
			for what, list := range map[string]struct {
				got  set
				want string
			}{"succeeds": {o.Success, row.success}, "fails": {o.Failure, row.failure}} {
				if got := strings.Join(slices.Sorted(maps.Keys(list.got)), ", "); got != list.want {
					t.Errorf("%s: %s, want %s", what, got, list.want)
				}
			}
		})
	}
}

// TestFoldSpent has how a spent budget ends what a node runs, as traces.
func TestFoldSpent(t *testing.T) {
	for name, row := range map[string]struct{ work, success, spent string }{
		"any node that asks a model may find it spent": {"kind: retry, body: [a, b], attempts: 1", "a b", "[a b!], [a!]"},
		"one that asks none may not":                   {"kind: retry, body: [f, b], attempts: 1", "f b", "[f b!]"},
		"a retry is not tried again":                   {"kind: retry, body: a, attempts: 2", "[a!] a, a", "[a!], [a!] [a!]"},
		"a loop keeps what it wrote":                   {"kind: loop, body: [a, b], max_iterations: 2", "a b a b", "a b a b!, a b a!, a b!, a!"},
		"a node with an edge for it leads on":          {"kind: loop, body: {entry: p}, max_iterations: 1", "p, p! f", ""},
		"the model that judges its edges, too":         {"kind: loop, body: {entry: j}, max_iterations: 1", "j f, j if, j if f, j! f", ""},
		"a soft failure is none":                       {"kind: loop, body: [s, f], max_iterations: 1", "s f, s! f", "s!"},
		"the other branches are at any point": {
			"kind: parallel, branches: {x: a, y: b}, join: settled", "a b, a b!, a! b", "[a! b…], [a!], [a… b!], [b! a…], [b!], [b… a!]",
		},
		"each element may be the one":    {"kind: map, over: list, item: item, body: a, join: all", ", a a", "[a! a…], [a!], [a… a!]"},
		"a pick, or a node after others": {"kind: autonomous, pool: [a, f], instructions: x, max_steps: 2, terminal: f", "a f, f", ", a!"},
		"a later pick":                   {"kind: autonomous, pool: [a, f], instructions: x, max_steps: 2, entry: f", "f, f a, f f", "f, f a!"},
		"the entry of a pool is no pick": {"kind: autonomous, pool: [a, f], entry: f, instructions: x, max_steps: 1", "f", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, found := spec.Load("g.graph.yaml", []byte("graph: g\nentry: work\nstate: {n: int, list: {type: \"[]int\", max_length: 2}, item: int}\n"+
				"input: [n, list]\nnodes:\n  work: {"+row.work+"}\n  f: {}\n"+
				"  a: {kind: prompt, instructions: x}\n  b: {kind: prompt, instructions: x}\n  s: {kind: prompt, instructions: x, fail_soft: true}\n"+
				"  p: {kind: prompt, instructions: x}\n  j: {kind: prompt, instructions: x}\n"+
				"edges: [{from: work, to: end, on: budget}, {from: p, to: f, on: budget}, {from: j, to: f, on: budget}, {from: j, to: f, when: it is late}]\n"))
			if len(found) > 0 {
				t.Fatal(found)
			}
			o := cfg.NewFold(traces{}, false).Regions(cfg.Of(s).Named("work"))
			for what, list := range map[string]struct {
				got  set
				want string
			}{"succeeds": {o.Success, row.success}, "finds a budget spent": {o.Spent, row.spent}} {
				if got := strings.Join(slices.Sorted(maps.Keys(list.got)), ", "); got != list.want {
					t.Errorf("%s: %s, want %s", what, got, list.want)
				}
			}
		})
	}
}

// leaves counts the nodes that a fold looks at.
type leaves struct {
	traces
	count *int
}

func (leaves) Then(a, _ set) set { return a }
func (leaves) Or(_, b set) set   { return b }

func (l leaves) Leaf(n *cfg.Node) (o cfg.Outcomes[set], usedUp set) {
	*l.count++
	return l.traces.Leaf(n)
}

func (leaves) Fork(*cfg.Node, *cfg.Fork, []cfg.Outcomes[set]) (o cfg.Outcomes[set]) { return o }

// TestFoldOfForks holds that a fold looks at each node once, however deep forks are nested in which a budget may be spent.
func TestFoldOfForks(t *testing.T) {
	const depth = 16
	var nodes strings.Builder
	for i := range depth {
		fmt.Fprintf(&nodes, "  n%d: {kind: parallel, branches: {x: n%d, y: m%d}}\n  m%d: {}\n", i, i+1, i, i)
	}
	s, found := spec.Load("g.graph.yaml", []byte("graph: g\nentry: n0\nnodes:\n"+nodes.String()+
		fmt.Sprintf("  n%d: {kind: prompt, instructions: x}\nedges: [{from: n0, to: end, on: budget}]\n", depth)))
	if len(found) > 0 {
		t.Fatal(found)
	}
	count := 0
	cfg.NewFold(leaves{count: &count}, false).Regions(cfg.Of(s).Named("n0"))
	if count != depth+1 {
		t.Errorf("it looks at %d nodes, want %d", count, depth+1)
	}
}
