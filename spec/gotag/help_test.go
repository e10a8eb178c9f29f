package gotag_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/gotag"
)

// The helps of all bad examples are told of a graph in Go without YAML. The golden file has
// each that differs, as YAML and as Go have it.
func TestHelpsWithoutYAML(t *testing.T) {
	var got strings.Builder
	seen := map[string]bool{}
	for _, rule := range append(spec.SyntaxRules(), check.Rules()...) {
		for _, file := range diag.Files("bad.graph.yaml", rule.Bad) {
			g, found := spec.Load(file.Name, []byte(file.Text))
			if g != nil {
				found = append(found, check.Run(cfg.Of(g))...)
			}
			for _, d := range found {
				help := gotag.Help(d.Help)
				if yaml := yamlIn(help); yaml != "" && !strings.HasPrefix(d.Code, "GG00") { // these are of YAML itself
					t.Errorf("%s: the help %q has %q", d.Code, help, yaml)
				}
				if help != d.Help && !seen[d.Help] {
					seen[d.Help] = true
					fmt.Fprintf(&got, "%s %s\n      %s\n", d.Code, d.Help, help)
				}
			}
		}
	}
	golden := "testdata/helps.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%swant\n%s", &got, want)
	}
}

var (
	inValue = regexp.MustCompile(`=(\w+\([^)]*\)|\{[^{}]*(\{[^{}]*(\{[^{}]*\}[^{}]*)*\}[^{}]*)*\}|'[^']*')`)
	keyed   = regexp.MustCompile(`([a-z_]+): ?["'\[{\w]|([a-z_]+):(,|$)`)
	flow    = regexp.MustCompile(`\{from:[^}]*`)
)

// yamlIn is what a help has of YAML outside of the values of tags, "" for nothing.
func yamlIn(help string) string {
	help = inValue.ReplaceAllString(strings.ReplaceAll(help, "a default: an edge", ""), "")
	if s := flow.FindString(help); s != "" {
		return s
	}
	var keys []string
	for _, m := range spec.Reference() {
		for _, k := range m.Keys {
			keys = append(keys, k.Name)
		}
	}
	for _, m := range keyed.FindAllStringSubmatch(help, -1) {
		if slices.Contains(keys, m[1]+m[2]) {
			return m[0]
		}
	}
	return ""
}

// What helps show is read when it is written into a tag or a comment.
func TestSnippets(t *testing.T) {
	for yaml, want := range map[string]string{
		"next: b":                                                 "next=b",
		"{from: a, to: b, max_iterations: 3}":                     "//graphgen:edge a -> b max_iterations=3",
		"{from: a, to: b, if: 'out.Score > 3'}":                   "//graphgen:edge a -> b if out.Score > 3",
		"edges: [{from: a, to: end}]":                             "//graphgen:edge a -> end",
		"{from: a, by: class, branch: {x: end}}":                  "//graphgen:edge a by=class branch={x: end}",
		"sequential: [a, b]":                                      "//graphgen:edge a -> b",
		"limits: {max_steps: 20, timeout: 1h}":                    "max_steps=20 timeout=1h",
		"flags: [cacheable]":                                      "flags=cacheable",
		"flags: [critical, {retryable: {attempts: 4, wait: 1s}}]": "flags=critical,retryable(attempts=4 wait=1s)",
		"reads: []":                             "reads=[]",
		"routes: [b, end]":                      "routes=b,end",
		"transitions: {error: b}":               "transitions={error: b}",
		"instructions: Shall it be published?":  "instructions='Shall it be published?'",
		"until: out.Score > 0.8":                "until='out.Score > 0.8'",
		`output: {answer: "[]string"}`:          "output={answer: []string}",
		"tools: {find: {doc: What it does.}}":   "tools={find: {doc: 'What it does.'}}",
		"use: {common: ../common/c.types.yaml}": "use={common: ../common/c.types.yaml}",
		"mutations: {allow: [skip_to]}":         "mutations={allow: [skip_to]}",
	} {
		got, _ := strings.CutPrefix(gotag.Help("write it as in "+yaml), "write it as in ")
		if got != want {
			t.Errorf("%s becomes %s, not %s", yaml, got, want)
			continue
		}
		tag, comment := "`graphgen:\""+got+"\"`", ""
		if strings.HasPrefix(got, "//") {
			tag, comment = "", got+"\n"
		}
		text := "package g\n\nimport \"" + gotag.Marker + "\"\n\n//graphgen:graph g entry=a\n" + comment + "type _ struct {\n\tA graph.Func " + tag + "\n}\n"
		_, found := gotag.LoadSource("g.go", []byte(text))
		for _, d := range found {
			if d.Code >= "GG150" && d.Code < "GG170" {
				t.Errorf("%s: %s: %s", got, d.Code, d.Message)
			}
		}
	}
}

// Prose stays as it is, and what is a type or a field in Go is shown as one.
func TestHelpsSayInGoWhatGoSays(t *testing.T) {
	for yaml, want := range map[string]string{
		"add it under state, as in json: string": "add it to the struct of the state, as in JSON string",
		"add it under state, as in name: string, or write {{{{ for braces": "add it to the struct of the state, as in Name " +
			"string, or write {{{{ for braces",
		`list it in input, make it optional, as "?int", or give a default`:      "list it in input, make it optional, as *int, or give a default",
		"give its output an enum, as in class: {enum: [a, b]}":                  "give its output an enum, as in Class any `graphgen:\"enum=a,b\"`",
		"write a struct with a field for it, as in value: {value: \"?string\"}": "write a struct with a field for it, as in Value struct{ Value *string }",
		"add one under nodes, as in nodes: {a: {}}":                             "add one to the struct, as in A graph.Func",
		"write kind: map with over: FIELD and body: NODE":                       "write the type graph.Map with over=FIELD and body=NODE",
		"write an entry of edges: {from: NODE, to: NODE}":                       "write //graphgen:edge NODE -> NODE",
		"write next: NODE, or an entry of edges: {from: NODE, to: NODE}":        "write next=NODE, or //graphgen:edge NODE -> NODE",
		"the type of a Go package is written {go: import/path.Type}":            "the type of a Go package is written pkg.Type of an imported package",
		"add an edge without condition, or next:, or say no_match: error":       "add an edge without condition, or next, or say no_match=error",
		"use if: with a Go expression":                                          "use if with a Go expression",
		"name a node, or leave on_error out: then the run fails":                "name a node, or leave on_error out: then the run fails",
		`lead it to "next: b", or remove it`:                                    `lead it to "next: b", or remove it`,
		"a placeholder has two braces: {{message}}":                             "a placeholder has two braces: {{message}}",
		"name them, as in Verdict{Score: …}":                                    "name them, as in Verdict{Score: …}",
		"":                                                                      "",
	} {
		if got := gotag.Help(yaml); got != want {
			t.Errorf("%s\nbecomes %s\nnot     %s", yaml, got, want)
		}
	}
}

// A help that is cut anywhere, or repeats what an author wrote, is written without a panic.
func TestHelpsThatAreCutAreWritten(t *testing.T) {
	for _, help := range []string{
		"add it under state, as in json: {struct: {a: {}, b: '[]x'}}, or write {{{{ for the braces themselves",
		`write edges: [{from: NODE, branch: {}}], nodes: {a: {}}, types: {}, limits: {}, if: "out`,
		"write flags: [{retryable: {}}, {}], or kind: [a], to: {}, sequential: [[], {}], go: {}",
	} {
		for i := range help {
			gotag.Help(help[:i])
			gotag.Help(help[i:])
		}
	}
}

// TestMessages writes what messages quote of YAML as Go has it, and leaves their prose.
func TestMessages(t *testing.T) {
	for yaml, want := range map[string]string{
		`none of its edges on: tool_call leads to a node`:                     `none of its edges on=tool_call leads to a node`,
		`count of parallel "both" has no effect: join: all wants all`:         `count of parallel "both" has no effect: join=all wants all`,
		`with on_max_steps: flag the output has one of that name`:             `with on_max_steps=flag the output has one of that name`,
		`tool_loop: false, and kind: map`:                                     `tool_loop=false, and the type graph.Map`,
		`reads of node "draft" names no field of the state: "topic"`:          `reads of node "draft" names no field of the state: "topic"`,
		`the default of "tries" is out of its limits: 5 is above max 3`:       `the default of "tries" is out of its limits: 5 is above max 3`,
		`the graph has edges: its model picks what comes next`:                `the graph has edges: its model picks what comes next`,
		`eval "sure" has called and judge: it is one verdict`:                 `eval "sure" has called and judge: it is one verdict`,
		`it is fail_soft: what is no answer would go on as one, fail_soft: t`: `it is fail_soft: what is no answer would go on as one, fail_soft: t`,
	} {
		if got := gotag.Message(yaml); got != want {
			t.Errorf("%s\nbecomes %s\nnot     %s", yaml, got, want)
		}
	}
	text := "package g\n\nimport \"" + gotag.Marker + "\"\n\n//graphgen:graph g entry=a no_match=end\ntype _ struct {\n" +
		"\tA graph.Parallel `graphgen:\"branches={x: b, y: c}; join=all; count=2\"`\n\tB, C graph.Func `graphgen:\"reads=[]\"`\n}\n"
	_, found := judge("g.go", []byte(text))
	if len(found) != 1 || !strings.Contains(found[0].Message, "join=all wants every branch") {
		t.Errorf("the graph gives %v", found)
	}
}

// TestMessagesOfRules finds no words of YAML in the messages of all bad examples for Go.
func TestMessagesOfRules(t *testing.T) {
	changed := 0
	quotes := regexp.MustCompile(`\b(on: (error|guard_fail|tool_call|no_tool_call)|join: \w+|no_match: (end|error)|kind: ` +
		`[a-z]+|tool_loop: (true|false)|mode: \w+)\b`)
	for _, rule := range check.Rules() {
		for _, file := range diag.Files("bad.graph.yaml", rule.Bad) {
			g, found := spec.Load(file.Name, []byte(file.Text))
			if g != nil {
				found = append(found, check.Run(cfg.Of(g))...)
			}
			for _, d := range found {
				got := gotag.Message(d.Message)
				if left := quotes.FindString(got); left != "" {
					t.Errorf("%s: the message %q has %q", d.Code, got, left)
				}
				if got != d.Message {
					changed++
				}
			}
		}
	}
	if changed < 3 {
		t.Errorf("%d messages differ", changed)
	}
}
