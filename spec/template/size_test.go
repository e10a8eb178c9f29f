package template_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
)

// chain returns the templates t0 to t<n>, each of which uses the next one with a value of its parameter x, and the last one
// of which makes a node.
func chain(n int, params, value, last string) string {
	var b strings.Builder
	b.WriteString("templates:\n")
	for i := range n {
		fmt.Fprintf(&b, "  t%d: {params: {%s}, node: {kind: t%d, x: %s}}\n", i, params, i+1, value)
	}
	fmt.Fprintf(&b, "  t%d: {params: {%s}, node: {%s}}\n", n, params, last)
	return b.String()
}

// repeated returns what each returns for the numbers below n.
func repeated(n int, each func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(each(i))
	}
	return b.String()
}

// most is what the expansion of a graph may allocate, in bytes: what it is as large as a spec may be takes.
const most = 200 << 20

// TestSize holds that templates and skill groups which would make a graph too large are reported, before they are made.
func TestSize(t *testing.T) {
	const head = "graph: g\nentry: a\nlimits: {max_steps: 5}\nstate: {s: {type: string, default: x}}\noutput: s\n"
	const prompt = "kind: prompt, instructions: $x, writes: s"
	tooLarge := func(what string) string {
		return "the graph would become more than the 4 MiB that a spec may have: " + what + " makes most of it"
	}
	large := strings.Repeat("x", 1<<20)
	for name, c := range map[string]struct{ text, common, want string }{
		"a text in a text": {head + chain(14, "x: string", `"$x$x$x$x"`, prompt) + "nodes: {a: {kind: t0, x: aa, next: end}}\n",
			"", tooLarge(`the template "t9"`)},
		"items in a list": {head + chain(11, "x: any", "[$x, $x, $x, $x]", "kind: func, reads: $x") + "nodes: {a: {kind: t0, x: [s], next: end}}\n",
			"", tooLarge(`the template "t8"`)},
		"a list in a text": {head + chain(14, "x: any", `[$x, "$x $x $x"]`, prompt) + "nodes: {a: {kind: t0, x: [s], next: end}}\n",
			"", tooLarge(`the template "t9"`)},
		"values in a mapping": {head + chain(30, "x: any", "{a: $x, b: $x}", "kind: func, output: $x") + "nodes: {a: {kind: t0, x: int, next: end}}\n", "",
			tooLarge(`the template "t15"`)},
		"texts of a mapping": {head + chain(30, "x: texts", `{$x: "$value$value"}`, prompt) + "nodes: {a: {kind: t0, x: {k: v}, next: end}}\n", "",
			tooLarge(`the template "t19"`)},
		"defaults": {head + "templates: {t: {params: {p0: {type: string, default: aaaa}" + repeated(20, func(i int) string {
			return fmt.Sprintf(`, p%d: {type: string, default: "$p%d$p%d$p%d$p%d"}`, i+1, i, i, i, i)
		}) + "}, node: {kind: prompt, instructions: $p20, writes: s}}}\nnodes: {a: {kind: t}}\n", "", tooLarge(`the template "t"`)},
		"names of nodes": {head + "templates:\n" + repeated(30, func(i int) string {
			return fmt.Sprintf("  t%d: {nodes: {$node: {kind: func}, \"${node}_${node}\": {kind: t%d}}}\n", i, i+1)
		}) + "  t30: {node: {kind: func}}\nnodes: {a: {kind: t0, next: end}}\n", "", tooLarge(`the template "t18"`)},
		"nodes": {head + "templates:\n" + strings.ReplaceAll("  t0: {nodes: {$node: {}KIND}}\n", "KIND", repeated(200, func(i int) string {
			return fmt.Sprintf(", \"${node}_%d\": {kind: t1}", i)
		})) + strings.ReplaceAll("  t1: {nodes: {$node: {}KIND}}\n", "KIND",
			repeated(200, func(i int) string { return fmt.Sprintf(", \"${node}_%d\": {}", i) })) +
			"nodes: {a: {kind: t0, next: end}}\n", "", `more than 32767 nodes: the template "t1" makes most of it`},
		"uses of a large template": {head + "templates: {t: {node: {kind: prompt, instructions: " + large + ", writes: s}}}\nnodes:\n" + repeated(10,
			func(i int) string { return fmt.Sprintf("  n%d: {kind: t}\n", i) }), "", tooLarge(`the template "t"`)},
		"uses of a large skill group": {head + "skills: {k: {instructions: " + large + "}}\nnodes:\n" + repeated(10, func(i int) string {
			return fmt.Sprintf("  n%d: {kind: prompt, instructions: Hi., writes: s, skills: k}\n", i)
		}), "", tooLarge(`the skill group "k"`)},
		"templates of another file": {head + "use: {common: c.types.yaml}\nnodes: {a: {kind: common.t0, x: aa, next: end}}\n",
			chain(14, "x: string", `"$x$x$x$x"`, prompt), tooLarge(`the template "t9"`)},
		"a long chain": {head + chain(120, "x: string", "$x", prompt) + "nodes: {a: {kind: t0, x: aa, next: end}}\n", "",
			"templates use one another more than 100 deep"},
		"a deep value": {head + chain(30, "x: any", "[[[[{a: $x}]]]]", "kind: func, output: $x") + "nodes: {a: {kind: t0, x: int, next: end}}\n",
			"", "is nested more than 100 deep"},
	} {
		t.Run(name, func(t *testing.T) {
			g, found := spec.Load("g.graph.yaml", []byte(c.text))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			link.Among([]diag.File{{Name: "c.types.yaml", Text: c.common}}, func(*spec.Graph) []diag.Diagnostic { return nil }).Link(g)
			found = append(found, check.Run(cfg.Of(g))...)
			runtime.ReadMemStats(&after)
			if len(found) != 1 || found[0].Code != "GG344" || !strings.Contains(found[0].Message, c.want) {
				t.Errorf("found %v, want %q", found, c.want)
			}
			if made := after.TotalAlloc - before.TotalAlloc; made > most && !tier.Raced() {
				t.Errorf("%d MiB are allocated", made>>20)
			}
		})
	}
}
