package plan_test

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/gotag"
)

// types are those of the graphs below.
const types = `
graph: g
entry: a
types:
  Mood: {enum: [good, bad]}
  Part: {mood: Mood}
  Whole: {parts: "[]Part", count: int}
  Shape: {union: {part: Part, dot: Dot}}
  Dot: {at: int}
  Nobody: {n: int}
state:
  text: {type: string, default: ""}
  mood: {type: Mood, default: good}
  part: "?Part"
  whole: "?Whole"
  shapes: {type: "[]Shape", merge: append}
  list: {type: "[]string", merge: append}
  given: Part
  nobody: "?Nobody"
  item: string
input: [text, given]
output: [text, whole]
`

// TestCodecs holds which feature needs which direction of which type.
func TestCodecs(t *testing.T) {
	for _, row := range []struct{ name, nodes, want string }{
		{"handlers alone", "nodes:\n  a: {reads: [whole, given], writes: part}\n", ""},
		{"a condition", "nodes:\n  a: {output: Whole, writes: whole}\nedges:\n  - {from: a, to: end, if: out.Count > 1}\n  - {from: a, to: end}\n", ""},
		{"text for a model", "nodes:\n  a: {kind: prompt, message: \"{{text}} {{mood}}\", reads: [text, mood], writes: text}\n", ""},
		{"a value in the instructions", "nodes:\n  a: {kind: prompt, message: \"See {{given}}.\", writes: text}\n", "Mood: encode decode, Part: encode decode"},
		{"a value shown", "nodes:\n  a: {kind: prompt, instructions: See., reads: whole, writes: text}\n",
			"Mood: encode decode, Part: encode decode, Whole: encode decode"},
		{"a union shown", "nodes:\n  a: {kind: prompt, instructions: See., reads: shapes, writes: text}\n",
			"Mood: encode decode, Part: encode decode, Shape: encode decode, Dot: encode decode"},
		{"a value in a block", "nodes:\n  a: {kind: prompt, instructions: See., blocks: [{name: more, text: \"{{given}}\"}], writes: text}\n",
			"Mood: encode decode, Part: encode decode"},
		{"a model's answer", "nodes:\n  a: {kind: prompt, instructions: See., output: Whole, writes: whole}\n",
			"Mood: encode decode, Part: encode decode, Whole: encode decode schema"},
		{"an answer with a route",
			"nodes:\n  a: {kind: prompt, instructions: See., output: {struct: {route: string, part: Part}}, transitions: {b: b, " +
				"stop: end}, next: end}\n  b: {}\n", "Mood: encode decode, Part: encode decode, GAOut: encode decode schema"},
		{"a router with a model", "nodes:\n  a: {kind: router, instructions: See., reads: given, routes: [b, c]}\n  b: {}\n  c: {}\n",
			"Mood: encode decode, Part: encode decode"},
		{"a guard with a model", "nodes:\n  a: {kind: guard, instructions: See., reads: given, on_fail: end, next: end}\n",
			"Mood: encode decode, Part: encode decode"},
		{"a tool that a model calls",
			tool + "nodes:\n  a: {kind: prompt, instructions: See., tools: find, writes: text, tool_loop: true, max_visits: 3}\n",
			"Mood: encode decode, Part: encode decode, Dot: encode decode, GFindArgs: encode decode schema"},
		{"a tool that a node calls", tool + "nodes:\n  a: {kind: tool, tool: find, args: {part: given}}\n",
			"Mood: encode decode, Part: encode decode, Dot: encode decode, GFindArgs: encode decode"},
		{"a cache", "nodes:\n  a: {reads: [given, text], writes: list, flags: cacheable}\n",
			"Mood: encode decode, Part: encode decode zero, GAIn: encode (partial)"},
		{"a checked output", "nodes:\n  a: {output: {struct: {part: Part, n: {type: int, min: 1}}}, flags: validate_output}\n",
			"Mood: encode decode, Part: encode decode, GAOut: encode decode"},
		{"an edge that a model judges",
			"nodes:\n  a: {output: Dot}\n  b: {reads: given}\nedges:\n  - {from: a, to: b, when: it is fine}\n  - {from: a, to: " +
				"end}\n  - {from: b, to: end}\n", "Mood: encode decode, Part: encode decode, Dot: encode decode, GInput: encode decode"},
		{"an eval that a model judges",
			"nodes:\n  a: {output: Dot, evals: {fine: {judge: it is fine}}}\nedges:\n  - {from: a, to: end, if: evals.Fine}\n  - " +
				"{from: a, to: end}\n", "Dot: encode decode"},
		{"an eval of a condition",
			"nodes:\n  a: {output: Dot, evals: {fine: {if: out.At > 1}}}\nedges:\n  - {from: a, to: end, if: evals.Fine}\n  - {from: a, to: end}\n", ""},
		{"a result that a prompt inherits",
			"nodes:\n  a: {output: Dot, next: b}\n  b: {kind: prompt, instructions: See., inherits: a, writes: text}\n", "Dot: encode decode"},
		{"a person is shown a value", "nodes:\n  a: {kind: human, instructions: Allow it., reads: [mood, given]}\n",
			"Mood: encode decode, Part: encode decode"},
		{"a person's answer", "nodes:\n  a: {kind: human, instructions: Answer., output: Dot}\n", "Dot: encode decode schema"},
		{"a person's choice", "nodes:\n  a: {kind: human, instructions: Answer., output: Mood, writes: mood}\n", "Mood: encode decode"},
		{"a pool",
			"nodes:\n  a: {kind: autonomous, instructions: Go on., reads: given, pool: [b, c], terminal: b}\n  b: {reads: text}\n" +
				"  c: {reads: text}\n", "Mood: encode decode, Part: encode decode"},
		{"branches", "nodes:\n  a: {kind: parallel, branches: {left: b, right: c}}\n  b: {writes: whole}\n  c: {reads: [], output: Dot}\n", ""},
		{"branches that ask models",
			"nodes:\n  a: {kind: parallel, branches: {left: b, right: c}}\n  b: {kind: prompt, instructions: See., output: Dot}\n" +
				"  c: {kind: prompt, instructions: See., reads: given, writes: text}\n", "Mood: encode decode, Part: encode decode, Dot: encode decode schema"},
		{"a map", "nodes:\n  a: {kind: map, over: list, item: item, body: b}\n  b: {kind: prompt, instructions: See., reads: item, output: Dot}\n",
			"Dot: encode decode schema"},
		{"a retry of a prompt", "nodes:\n  a: {kind: retry, body: b}\n  b: {kind: prompt, instructions: See., output: Dot}\n", "Dot: encode decode schema"},
		{"a run within the run", "nodes:\n  a: {kind: subgraph, graph: g, in: {text: text, given: given}, out: {whole: whole}, max_depth: 2}\n", ""},
		{"an update of handlers", "mutations: {allow: retry_with, update: [nobody]}\nnodes:\n  a: {reads: text, mutates: true}\n", ""},
		{"an update of a model",
			"mutations: {allow: retry_with, update: [nobody]}\nnodes:\n  a: {kind: prompt, instructions: See., output: Dot, mutates: true}\n",
			"Dot: encode decode, Nobody: encode decode, GUpdate: encode decode"},
		{"what added prompts are shown",
			"mutations: {allow: add_node, kinds: prompt, reads: given, writes: text}\nnodes:\n  a: {reads: text, mutates: true}\n",
			"Mood: encode decode, Part: encode decode"},
		{"all", "codecs: all\nnodes:\n  a: {reads: text, writes: list}\n",
			"Mood: encode decode marshal unmarshal schema, Part: encode decode marshal unmarshal schema zero, " +
				"Whole: encode decode marshal unmarshal schema zero, Shape: encode decode schema, Dot: encode decode marshal " +
				"unmarshal schema zero, Nobody: encode decode marshal unmarshal schema zero, " +
				"GState: encode decode marshal unmarshal (partial), GInput: encode decode marshal unmarshal, GOutput: encode " +
				"decode marshal unmarshal (partial), GAOut: encode decode marshal unmarshal"},
	} {
		t.Run(strings.ReplaceAll(row.name, " ", "_"), func(t *testing.T) {
			var got []string
			for _, c := range lower(t, types+row.nodes).Types.Codecs {
				if c.Asked {
					got = append(got, strings.ReplaceAll(c.String(), " standard", ""))
				}
			}
			if text := strings.Join(got, ", "); text != row.want {
				t.Errorf("got  %s\nwant %s", text, row.want)
			}
		})
	}
}

// TestStandard holds which types have the methods of encoding/json, and that a machine that is not JSON lists their members
// beside them.
func TestStandard(t *testing.T) {
	const nodes = "nodes:\n  a: {reads: text, writes: list}\n"
	const both = ": encode decode"
	whole := "Mood: encode decode standard, Part" + both + " standard, Whole" + both + " standard, Shape: encode decode, Dot" +
		both + " standard, Nobody" + both + " standard"
	for _, row := range []struct{ name, text, want string }{
		{"every type", types + nodes, whole + ", GInput" + both + " standard, GOutput" + both + " standard (partial)"},
		{"an output that may leave out a struct",
			strings.NewReplacer("output: [text, whole]", "output: [given, left]", "  item: string\n", "  item: string\n  left: Whole\n",
				"writes: list", "writes: [list, left]").Replace(types + nodes),
			strings.Replace(whole, "Whole"+both, "Whole"+both+" zero", 1) + ", GInput" + both + " standard, GOutput" + both + " standard (partial)"},
		{"a Go type", strings.Replace(types, "{at: int}", "{at: {go: net/netip.Addr}}", 1) + nodes,
			"Mood: encode decode standard, Part" + both + " standard, Whole" + both + " standard, Nobody" + both +
				" standard, GInput" + both + " standard, GOutput" + both + " standard (partial)"},
	} {
		t.Run(strings.ReplaceAll(row.name, " ", "_"), func(t *testing.T) {
			var got []string
			for _, c := range lower(t, row.text).Types.Codecs {
				if c.Asked {
					t.Errorf("%s is asked for by the machine", c.Type)
				}
				got = append(got, c.String())
			}
			if text := strings.Join(got, ", "); text != row.want {
				t.Errorf("got  %s\nwant %s", text, row.want)
			}
		})
	}
}

// tool is a tool that takes a Part and returns Dots.
const tool = "tools:\n  find: {args: {part: Part}, returns: \"[]Dot\"}\n"

// lower makes the machine of a spec that has no errors.
func lower(t *testing.T, text string) *plan.Machine {
	t.Helper()
	g, found := spec.Load("g.graph.yaml", []byte(text))
	if g != nil {
		found = append(found, check.Run(cfg.Of(g))...)
	}
	for _, d := range found {
		if d.Severity == diag.Error {
			t.Fatalf("%d:%d: %s\n%s", d.Pos.Line, d.Pos.Col, d.Message, text)
		}
	}
	return plan.Lower(cfg.Of(g), "g")
}

// TestCodecsOfUsersTypes holds that the first graph of a package that has a type of the user's generates
// what all of its graphs need of the type's codec.
func TestCodecsOfUsersTypes(t *testing.T) {
	const text = `package p

import (
	"github.com/graphgen/graphgen/graph"
	"github.com/graphgen/graphgen/runtime/codec"
)

type Dot struct{ At int }

type Lone struct{ N int }

func (l Lone) EncodeJSON(e *codec.Encoder) {}

//graphgen:graph one entry=a
type _ struct {
	State struct{ D Dot } ` + "`graphgen:\"input=d\"`" + `
	A graph.Func ` + "`graphgen:\"reads=d\"`" + `
}

//graphgen:graph two entry=a
type _ struct {
	State struct {
		D *Dot
		L *Lone
	}
	A graph.Prompt ` + "`graphgen:\"instructions='Go on.'; output=Dot; writes=d; next=b\"`" + `
	B graph.Prompt ` + "`graphgen:\"instructions='Go on.'; reads=d,l; output=Lone; writes=l\"`" + `
}
`
	graphs, found := gotag.LoadSource("p.go", []byte(text))
	var got []string
	for _, g := range graphs {
		found = append(found, check.Run(cfg.Of(g))...)
		m := plan.Lower(cfg.Of(g), "p")
		for _, c := range m.Types.Codecs {
			if c.Asked {
				got = append(got, g.Name.V+" "+strings.ReplaceAll(c.String(), " standard", ""))
			} else if c.Standard != (c.Type == m.Types.Input || c.Type == m.Types.Output) {
				t.Errorf("%s: standard is %v; of the types that you declare none has the methods of encoding/json", c.Type, c.Standard)
			}
		}
	}
	for _, d := range found {
		if d.Severity == diag.Error {
			t.Error(d.Message)
		}
	}
	if text := strings.Join(got, ", "); text != "one Dot: encode decode schema, two Lone: decode schema" {
		t.Error(text)
	}
}
