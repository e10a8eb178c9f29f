package cfg_test

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// TestBuild compares what the text of a graph has of its node a.
func TestBuild(t *testing.T) {
	for name, test := range map[string]struct {
		node, edges string
		want        []string
	}{
		"judged edges stand between conditions and defaults": {
			"a: {}", `[{from: a, to: c, priority: 9}, {from: a, to: b, when: good, priority: 5}, {from: a, to: b, if: state.N > 1},
  {from: a, to: c, when: bad, priority: 7}, {from: a, to: c, if: state.N > 2, priority: 1}]`,
			[]string{"succeeded", "-> c if state.N > 2", "-> b if state.N > 1", "-> c when bad", "-> b when good", "-> c"}},
		"without a judged edge the priority alone decides": {
			"a: {}", "[{from: a, to: c, if: state.N > 1}, {from: a, to: b, priority: 1, max_iterations: 2}]",
			[]string{"succeeded", "-> b; at most 2; counter 0", "-> c if state.N > 1", "else no_match error"}},
		"a node with tools is visited again after a turn that calls some, and is terminal": {
			"a: {kind: prompt, instructions: x, tools: look}", "[]",
			[]string{"succeeded", "else completed", "called tools", "-> a tool calls"}},
		"so is a node whose tools are injected": {
			"a: {kind: prompt, instructions: x, flags: [inject_tools]}", "[]",
			[]string{"succeeded", "else completed", "called tools", "-> a tool calls"}},
		"a node without the tool loop leaves its calls to an edge": {
			"a: {kind: prompt, instructions: x, tools: look, tool_loop: false}", "[{from: a, to: b, on: no_tool_call}, {from: a, to: c, on: tool_call}]",
			[]string{"succeeded", "-> b on no_tool_call", "called tools", "-> c on tool_call"}},
		"a skipped node passes by what waits for a turn without calls": {
			"a: {kind: prompt, instructions: x, tools: look, tool_loop: false, flags: [skip_on_error]}",
			"[{from: a, to: b, on: no_tool_call}, {from: a, to: c, on: tool_call}, {from: a, to: c}]",
			[]string{"succeeded", "-> b on no_tool_call", "called tools", "-> c on tool_call", "skipped", "-> c"}},
		"a soft failure tries what a choice hides": {
			"a: {kind: router, routes: [b, c], fail_soft: true, next: c}", "[]",
			[]string{"succeeded", "-> b route b", "-> c route c", "soft failed", "-> b route b", "-> c route c", "-> c next"}},
		"nor does it choose anything": {
			"a: {kind: router, routes: [b, c], fail_soft: true}", "[]",
			[]string{"succeeded", "-> b route b", "-> c route c", "soft failed", "-> b route b", "-> c route c", "else no_match error"}},
		"nor is it a failure": {
			"a: {fail_soft: true, next: b}", "[{from: a, to: c, on: error}]",
			[]string{"succeeded", "-> b next", "soft failed", "-> b next", "never", "-> c on error"}},
		"a text before an enum may name nothing": {
			"a: {output: {route: string, goto: {enum: [b]}}}", "[{from: a, to: c}]",
			[]string{"succeeded", "-> c route c", "-> end route end", "-> b goto b", "-> c"}},
		"what stands behind a choice that is always made is never tried": {
			"a: {}", "[{from: a, branch: {yes: b, no: c}}, {from: a, to: c}]",
			[]string{"succeeded", "-> b branch yes", "-> c branch no", "never", "-> c"}},
		"a bound on a branch table lets the next edge in": {
			"a: {}", "[{from: a, branch: {yes: b, no: c}, max_iterations: 2}, {from: a, to: c}]",
			[]string{"succeeded", "-> b branch yes; at most 2; counter 0", "-> c branch no; at most 2; counter 1", "-> c; counter 1"}},
		"edges that are used up end the run": {
			"a: {}", "[{from: a, to: b, max_iterations: 2}]",
			[]string{"succeeded", "-> b; at most 2; counter 0", "else exhausted"}},
		"unless the node states that it fails then": {
			"a: {no_match: error}", "[{from: a, to: b, max_iterations: 2}]",
			[]string{"succeeded", "-> b; at most 2; counter 0", "else no_match error"}},
		"a target that does not exist is never tried": {
			"a: {next: d}", "[]",
			[]string{"succeeded", "else no_match error", "never", `-> ? "d" next`}},
	} {
		t.Run(name, func(t *testing.T) {
			text := "graph: g\nentry: a\nno_match: error\nstate: {n: int}\ninput: [n]\ntools: {look: }\nnodes:\n  " + test.node +
				"\n  b: {}\n  c: {}\nedges: " + test.edges + "\n"
			g, found := spec.Load("g.graph.yaml", []byte(text))
			if len(found) > 0 {
				t.Fatal(found)
			}
			whole := cfg.Build(resolve.Resolve(g)).String()
			_, part, _ := strings.Cut(whole, "\n\na: ")
			part, _, _ = strings.Cut(part, "\n\n")
			if got, want := plain(part), strings.Join(test.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestCounters holds that the counter of a pair has the greatest of its bounds.
func TestCounters(t *testing.T) {
	g, _ := spec.Load("g.graph.yaml",
		[]byte("graph: g\nentry: a\nnodes: {a: {}, b: {next: a}}\nedges: [{from: a, to: b, max_iterations: 3, if: res.Step > 1}, "+
			"{from: a, to: b, max_iterations: 2}]\n"))
	if c := cfg.Of(g).Counters; len(c) != 1 || c[0].Max != 3 {
		t.Errorf("the counters are %+v, want one of 3", c)
	}
}

// plain drops what TestBuild does not ask about: the title, numbers, and failures.
func plain(node string) string {
	var out []string
	failure := false
	for _, line := range strings.Split(node, "\n")[1:] {
		text := strings.TrimSpace(line)
		if !strings.HasPrefix(line, "    ") {
			failure = text == "failed" || text == "out of visits"
		}
		if failure {
			continue
		}
		if _, after, ok := strings.Cut(text, " -> "); ok {
			text = "-> " + after
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n")
}

// holds is the condition of an if.
func holds(text string) cfg.Cond {
	return cfg.Cond{Kind: cfg.If, Text: text, Expr: expr.Read(spec.String{V: text})}
}

func TestCondEqual(t *testing.T) {
	conds := map[string]cfg.Cond{
		"spaced":      holds("state.N  >  1"),
		"plain":       holds("state.N > 1"),
		"parens":      holds("(state.N) > 1"),
		"two blanks":  holds(`state.T == "a  b"`),
		"one blank":   holds(`state.T == "a b"`),
		"judged":      {Kind: cfg.Judged, Text: "it is  GOOD"},
		"judged too":  {Kind: cfg.Judged, Text: "it is good"},
		"label value": {Kind: cfg.Label, Name: "class", Text: "bug"},
		"output":      {Kind: cfg.Equals, Name: "class", Text: "bug"},
	}
	same := [][2]string{{"spaced", "plain"}, {"plain", "parens"}, {"spaced", "parens"}, {"judged", "judged too"}, {"label value", "output"}}
	for a, x := range conds {
		for b, y := range conds {
			want := a == b
			for _, s := range same {
				want = want || s == [2]string{a, b} || s == [2]string{b, a}
			}
			if x.Equal(y) != want {
				t.Errorf("%s equals %s: %v, want %v", a, b, x.Equal(y), want)
			}
		}
	}
	strict, loose := cfg.Cond{Kind: cfg.AtLeast, Least: 0.8}.Key(), cfg.Cond{Kind: cfg.AtLeast, Least: 0.7}.Key()
	if !strict.Implies(loose) || loose.Implies(strict) {
		t.Error("a confidence of 0.8 implies one of 0.7, and not the other way round")
	}
}
