package resolve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

func bind(t *testing.T, text string) *resolve.Graph {
	t.Helper()
	g, found := spec.Load("g.graph.yaml", []byte(text))
	if len(found) > 0 {
		t.Fatal(found)
	}
	return resolve.Resolve(g)
}

// The place of a placeholder is that of its braces in the file, whatever style YAML has.
func TestPlaceholderPositions(t *testing.T) {
	for name, test := range map[string]struct{ written, want string }{
		"without quotes":          {"About {{topic}} in {{mood}}.", `"About " topic@6:25+9 " in " mood@6:38+8 "."`},
		"in quotes":               {`"{{topic}}{{ mood }}"`, `topic@6:20+9 mood@6:29+10`},
		"as a literal block":      {"|\n      ä {{topic}}\n\n        {{mood}}\n", "\"ä \" topic@7:9+9 \"\\n\\n  \" mood@9:9+8"},
		"as a folded block":       {">-\n      {{topic}}\n      {{mood}}", `topic@7:7+9 " " mood@8:7+8`},
		"behind escaped braces":   {"a {{{{b}} {{topic}}", `"a {{b}} " topic@6:29+9`},
		"where YAML escapes them": {`"a \x7b{topic}}"`, `"a " topic@6:19+16`},
		"unknown ones too":        {"x {{tpoic}}", `"x " tpoic?@6:21+9`},
		"none":                    {"nothing }} here", `"nothing }} here"`},
		"twice":                   {"x {{topic}} {{topic}}", `"x " topic@6:21+9 " " topic@6:31+9`},
	} {
		g := bind(t, "graph: g\nstate: {topic: string, mood: string}\nnodes:\n  a:\n    kind: prompt\n    instructions: "+test.written+"\n")
		var got []string
		for _, p := range g.Node("a").Instructions {
			switch {
			case p.Name == "":
				got = append(got, fmt.Sprintf("%q", p.Text))
			case p.Field == nil:
				got = append(got, fmt.Sprintf("%s?@%d:%d+%d", p.Name, p.Pos.Line, p.Pos.Col, p.Pos.Width))
			default:
				got = append(got, fmt.Sprintf("%s@%d:%d+%d", p.Field.Name, p.Pos.Line, p.Pos.Col, p.Pos.Width))
			}
		}
		if text := strings.Join(got, " "); text != test.want {
			t.Errorf("%s: %s, want %s", name, text, test.want)
		}
		if bad := g.Node("a").Malformed; len(bad) > 0 {
			t.Errorf("%s: %+v", name, bad)
		}
	}
}

func TestMalformedPlaceholders(t *testing.T) {
	for written, want := range map[string]string{
		"a {{topic b":         "6:22+2 the placeholder is not closed",
		"a {{topic {{topic}}": "6:22+2 the placeholder is not closed",
		"a {{}} b":            "6:22+4 the placeholder names nothing",
		"{{topic|upper}}":     `6:20+15 a placeholder holds the name of a state field, and "topic|upper" is none`,
	} {
		g := bind(t, "graph: g\nstate: {topic: string}\nnodes:\n  a:\n    kind: prompt\n    instructions: '"+written+"'\n")
		bad := g.Node("a").Malformed
		if len(bad) != 1 {
			t.Fatalf("%s: %+v", written, bad)
		}
		if got := fmt.Sprintf("%d:%d+%d %s", bad[0].Pos.Line, bad[0].Pos.Col, bad[0].Pos.Width, bad[0].Message); got != want {
			t.Errorf("%s: %s, want %s", written, got, want)
		}
	}
}

const agents = `graph: g
types:
  Verdict: {score: int}
state:
  topic: string
  note: ?string
  log: {type: "[]string", merge: append}
  count: int
  verdict: Verdict
tools:
  search: {args: {query: string, limit: {type: int, default: 5}}, returns: "[]string"}
  ping:
nodes:
  text: {kind: prompt, message: "About {{topic}}.", writes: note}
  line: {kind: prompt, instructions: x, reads: [count], writes: log}
  talk: {kind: prompt, message: "{{note}}", tools: [search, ping]}
  two: {kind: prompt, instructions: x, writes: [topic, count], flags: [inject_tools], tool_loop: false}
  number: {kind: prompt, instructions: x, writes: count}
  judge: {kind: prompt, instructions: x, output: Verdict, writes: verdict, inherits: [text, talk], evals: {was_good: {called: [search, ping]}}}
  pick: {kind: router, instructions: "{{topic}}", routes: [text, end]}
  pass: {kind: guard, on_pass: end, on_fail: end}
  find: {kind: tool, tool: search, args: {query: topic, limit: count}, writes: log}
  run: {kind: tool}
`

// The data of nodes that ask a model follows from what they write.
func TestPromptsAndTools(t *testing.T) {
	g := bind(t, agents)
	for name, want := range map[string]string{
		"text":   "asks, out string, reads topic, writes note=*",
		"line":   "asks, out string, reads count, writes log=*",
		"talk":   "asks, loops, out string, reads note, tools search ping",
		"two":    "asks, defers, out GTwoOut{topic count}, writes topic=topic count=count",
		"number": "asks, out GNumberOut{count}, writes count=count",
		"judge":  "asks, out Verdict{score}, writes verdict=*, evals GJudgeEvals{was_good}, inherits text talk",
		"pick":   "asks, reads topic",
		"pass":   "takes the state",
		"find":   "out []string, reads topic count, writes log=*, calls search(query=topic limit=count)",
		"run":    "pending",
	} {
		if got := describe(g.Node(name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	var types []string
	for _, typ := range g.Types {
		types = append(types, typ.GoName)
	}
	if got := strings.Join(types, " "); got != "Verdict GSearchArgs GPingArgs GTwoOut GNumberOut" {
		t.Errorf("types %s", got)
	}
	if search := g.Tool("search"); search.GoName != "Search" || search.Returns.String() != "[]string" || len(search.Args.Fields) != 2 {
		t.Errorf("tool %+v", search)
	}
	if ping := g.Tool("ping"); ping.Returns.Kind != resolve.String || len(ping.Args.Fields) != 0 {
		t.Errorf("tool %+v", ping)
	}
	if len(g.Codecs()) == 0 {
		t.Error("models write JSON, which needs codecs")
	}
}

func describe(n *resolve.Node) string {
	var says []string
	say := func(is bool, format string, args ...any) {
		if is {
			says = append(says, fmt.Sprintf(format, args...))
		}
	}
	names := func(fields []*resolve.Field) string {
		var list []string
		for _, f := range fields {
			list = append(list, f.Name)
		}
		return strings.Join(list, " ")
	}
	say(n.TakesState, "takes the state")
	say(n.Asks, "asks")
	say(n.Loops, "loops")
	say(n.Defers, "defers")
	say(n.Pending, "pending")
	if n.Out != nil {
		fields := ""
		if n.Out.Kind == resolve.Struct {
			fields = "{" + names(n.Out.Fields) + "}"
		}
		say(true, "out %s%s", n.Out, fields)
	}
	say(len(n.Reads) > 0, "reads %s", names(n.Reads))
	var list []string
	for _, w := range n.Writes {
		from := "*"
		if w.From != nil {
			from = w.From.Name
		}
		list = append(list, w.To.Name+"="+from)
	}
	say(len(list) > 0, "writes %s", strings.Join(list, " "))
	list = nil
	for _, t := range n.Tools {
		list = append(list, t.Spec.Name.V)
	}
	say(len(list) > 0, "tools %s", strings.Join(list, " "))
	if n.Verdicts != nil {
		say(true, "evals %s{%s}", n.Verdicts, names(n.Verdicts.Fields))
	}
	list = nil
	for _, from := range n.Inherits {
		list = append(list, from.Spec.Name.V)
	}
	say(len(list) > 0, "inherits %s", strings.Join(list, " "))
	if n.Fixed != nil {
		list = nil
		for _, a := range n.Args {
			list = append(list, a.Arg.Name+"="+a.From.Name)
		}
		say(true, "calls %s(%s)", n.Fixed.Spec.Name.V, strings.Join(list, " "))
	}
	return strings.Join(says, ", ")
}

func TestFieldsWithoutPlaceholder(t *testing.T) {
	g := bind(t,
		"graph: g\nstate: {a: string, b: int, c: bool}\nnodes:\n  n: {kind: prompt, reads: [a, b, c], instructions: \"{{a}}\", "+
			"blocks: [{name: x, text: \"{{c}}\"}]}\n")
	if shown := g.Node("n").Shown(); len(shown) != 1 || shown[0].Name != "b" {
		t.Errorf("%v", shown)
	}
}
