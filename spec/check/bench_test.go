package check_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/growth"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
)

// large is a spec of n nodes and 3n edges, a third of them with conditions.
func large(n int) string {
	var b strings.Builder
	b.WriteString("graph: large\nentry: n0\nlimits: {max_steps: 1000000}\nstate:\n  x: int\ninput: x\nnodes:\n")
	for i := range n {
		fmt.Fprintf(&b, "  n%d:\n    reads: x\n    writes: x\n", i)
	}
	b.WriteString("edges:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {from: n%d, to: n%d, if: \"out.X > %d\", priority: 10, max_iterations: 2}\n", i, (i+7)%n, i)
		fmt.Fprintf(&b, "  - {from: n%d, to: n%d, max_iterations: 3}\n", i, (i+1)%n)
		fmt.Fprintf(&b, "  - {from: n%d, to: end}\n", i)
	}
	return b.String()
}

func read(t testing.TB, text string) *spec.Graph {
	t.Helper()
	g, found := spec.Load("large.graph.yaml", []byte(text))
	if g == nil || len(found) > 0 {
		t.Fatal(found)
	}
	return g
}

func BenchmarkRun(b *testing.B) {
	for _, n := range []int{10, 1000, 10000} {
		g := read(b, large(n))
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				check.Run(cfg.Of(g))
			}
		})
	}
}

// spread repeats every line that begins with a star for n numbers: $n is the number, $o the next,
// and $m the next or 0 after the last.
func spread(n int, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, repeated := strings.CutPrefix(line, "*")
		if !repeated {
			b.WriteString(line)
			continue
		}
		for i := range n {
			b.WriteString(strings.NewReplacer("$n", strconv.Itoa(i), "$o", strconv.Itoa(i+1), "$m", strconv.Itoa((i+1)%n)).Replace(line))
		}
	}
	return b.String()
}

// TestGrowth judges shapes at which a pass that looks again, or descends, is not linear.
func TestGrowth(t *testing.T) {
	rows := map[string]func(int){
		"nodes and edges of every kind": func(n int) { check.Run(cfg.Of(read(t, large(n)))) },
	}
	for name, text := range map[string]string{
		"types of unknown fields":          "graph: large\nentry: a\ntypes:\n*  Type$n: {x: Typo$n}\nnodes:\n  a: {}\n",
		"types that hold one another":      "graph: large\nentry: a\ntypes:\n*  Type$n: {x: Type$m}\nnodes:\n  a: {output: Type7}\n",
		"unknown fields among many":        "graph: large\nentry: a\nstate:\n*  field$n: int\nnodes:\n  a:\n    reads:\n*      - feild$n\n",
		"one cycle through all":            "graph: large\nentry: n0\nnodes:\n*  n$n: {next: n$m}\n",
		"a chain that leads to the entry":  "graph: large\nentry: n0\nnodes:\n  n0: {next: end}\n*  n$o: {next: n$n}\n",
		"nodes that nothing leads to":      "graph: large\nentry: n0\nnodes:\n*  n$n: {}\n",
		"nodes that lead to nothing known": "graph: large\nentry: n0\nnodes:\n*  n$n: {next: m$m}\n",
		"edges from unknown nodes":         "graph: large\nentry: n0\nnodes:\n*  n$n: {next: n$m}\nedges:\n*  - {from: m$n, to: n$m}\n",
		"edges from one node": "graph: large\nentry: n0\nno_match: end\nstate: {x: int}\nnodes:\n*  n$n: {}\nedges:\n" +
			"*  - {from: n0, to: n$n, if: state.X == $n}\n",
		"the same edge": "graph: large\nentry: n0\nnodes:\n*  n$n: {next: n$m}\nedges:\n*  - {from: n0, to: n1}\n",
		"the same condition": "graph: large\nentry: n0\nno_match: end\nstate: {x: int}\nnodes:\n*  n$n: {}\nedges:\n" +
			"*  - {from: n0, to: n$n, if: state.X == 1}\n",
		"failures that one node takes over": "graph: large\nentry: n0\non_error: n1\nnodes:\n*  n$n: {next: n$m, flags: [skip_on_error]}\n",
		"unknown state fields":              "graph: large\nentry: n0\nnodes:\n*  n$n: {reads: [x$n], next: n$m}\n",
		"unknown types":                     "graph: large\nentry: n0\nnodes:\n*  n$n: {output: Type$n, next: n$m}\n",
		"outputs of their own":              "graph: large\nentry: n0\nnodes:\n*  n$n: {output: {kind: {enum: [a, b]}}, next: n$m}\n",
		"a field that nothing writes":       "graph: large\nentry: n0\nstate: {x: int}\nnodes:\n*  n$n: {reads: x, next: n$m}\n",
		"a field that is written too late": "graph: large\nentry: n0\nstate: {x: int}\nnodes:\n*  n$n: {reads: [], next: n$m}\n* " +
			" m$n: {reads: x, writes: x}\nedges:\n*  - {from: n$n, to: m$n, on: error}\n",
		"fields that one node is to write": "graph: large\nentry: n0\nstate:\n*  x$n: int\nnodes:\n*  n$n: {reads: x$n, writes: x$m, next: n$m}\n",
		"fields that are written too late": "graph: large\nentry: n0\nstate:\n*  x$n: int\nnodes:\n*  n$n: {reads: x$m, writes: x$n, next: n$m}\n",
		"fields behind bounds": "graph: large\nentry: n0\nstate:\n*  x$n: int\nnodes:\n*  n$n: {reads: x$m, writes: " +
			"x$n}\nedges:\n*  - {from: n$n, to: n0, max_iterations: 2}\n*  - {from: n$n, to: n$m}\n",
		"people in each round of a cycle": "graph: large\nentry: n0\nnodes:\n*  n$n: {kind: human, instructions: x, next: n$m, on_deny: end}\n",
		"people whose answer leads to many": "graph: large\nentry: ask\nno_match: end\nstate: {x: int}\ninput: x\nnodes:\n" +
			"  ask: {kind: human, instructions: x, on_deny: end}\n*  n$n: {next: ask}\nedges:\n*  - {from: ask, to: n$n, if: state.X == $n}\n",
		"people in branches, after which runs lead to many": "graph: large\nentry: all\nno_match: end\nstate: {x: int}\ninput: x\nnodes:\n" +
			"  all: {kind: parallel, branches: {one: ask, other: work}}\n  ask: {kind: human, instructions: x}\n  work: {}\n" +
			"*  n$n: {next: all}\nedges:\n*  - {from: all, to: n$n, if: state.X == $n}\n",
		"nodes whose visits are used up because those of others are": "graph: large\nentry: n0\nnodes:\n" +
			"  ask: {kind: human, instructions: x, next: n0, on_deny: end}\n" +
			"  n0: {flags: [critical], goto: [n0, ask, end], transitions: {error: m0}}\n" +
			"*  n$o: {flags: [critical], next: n$n, transitions: {error: m$o}}\n*  m$n: {next: n$o}\n",
		"people in many nodes that run others": "graph: large\nentry: n0\nnodes:\n*  n$n: {kind: loop, body: ask$n, max_iterations: 2, next: n$m}\n" +
			"*  ask$n: {kind: human, instructions: x}\n",
		"budgets that are spent in many nodes": "graph: large\nentry: n0\nlimits: {max_model_calls: 9, max_steps: 9}\nnodes:\n" +
			"*  n$n: {kind: retry, body: {entry: ask$n}, attempts: 2, next: n$m}\n*  ask$n: {kind: prompt, instructions: x}\nedges:\n" +
			"*  - {from: n$n, to: end, on: budget}\n*  - {from: ask$n, to: end, on: budget}\n",
		"names of nothing, and an unknown key": "graph: large\nentry: n0\nfinals: [a, b]\nnodes:\n*  n$n: {next: m$m}\n",
		"nodes of one Go name":                 "graph: large\nentry: n0\nnodes:\n*  n$n: {next: n$m}\n*  n_$n: {next: n$m}\n",
	} {
		rows[name] = func(n int) {
			g, _ := spec.Load("large.graph.yaml", []byte(spread(n, text)))
			check.Run(cfg.Of(g))
		}
	}
	for _, condition := range []string{"out.Count == $n", "out.Count > $n", "out.Rank == $n && out.Done", "out.Count != $n && out.Rank < out.Count"} {
		text := "graph: large\nentry: a\nnodes:\n  a: {output: {count: int, rank: int, done: bool}}\nedges:\n*  - " +
			"{from: a, to: end, if: \"" + condition + "\", priority: $n}\n"
		rows["conditions "+condition] = func(n int) {
			if found := check.Run(cfg.Of(read(t, spread(n, text)))); !slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Code == "GG080" }) {
				t.Error("no case is missing")
			}
		}
	}
	growth.Linear(t, 500, rows)
}
