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

// badExamples calls see with what is found in each bad example, as if its graph was written in Go.
func badExamples(see func(d diag.Diagnostic)) {
	for _, rule := range append(spec.SyntaxRules(), check.Rules()...) {
		for _, file := range diag.Files("bad.graph.yaml", rule.Bad) {
			g, found := spec.Load(file.Name, []byte(file.Text))
			if g != nil {
				g.Go.Help = func(h diag.Help) diag.Help { return h }
				found = append(found, check.Run(cfg.Of(g))...)
			}
			for _, d := range found {
				see(d)
			}
		}
	}
}

// The helps of all bad examples are told of a graph in Go without YAML. The golden file has
// each that differs, as YAML and as Go have it.
func TestHelpsWithoutYAML(t *testing.T) {
	var got strings.Builder
	seen := map[string]bool{}
	badExamples(func(d diag.Diagnostic) {
		yaml, help := d.Help.String(), string(gotag.Help(d.Help))
		if left := yamlIn(help); left != "" && !strings.HasPrefix(d.Code, "GG00") { // these are of YAML itself
			t.Errorf("%s: the help %q has %q", d.Code, help, left)
		}
		if help != yaml && !seen[yaml] {
			seen[yaml] = true
			fmt.Fprintf(&got, "%s %s\n      %s\n", d.Code, yaml, help)
		}
	})
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

// notKeys are words before a colon that are no keys, and what an empty file is told.
var notKeys = strings.NewReplacer("a default: an edge", "", "its output: remove", "", "a spec begins with `graph: NAME`", "")

// yamlIn is what a help has of YAML outside of the values of tags, "" for nothing.
func yamlIn(help string) string {
	help = inValue.ReplaceAllString(notKeys.Replace(help), "")
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

// TestSuggestions reads what suggestions are in Go where it is written into a tag or a comment.
func TestSuggestions(t *testing.T) {
	for suggestion, want := range map[string]string{
		diag.Set("next", "b"):                                                 "next=b",
		diag.Item("{from: a, to: b, max_iterations: 3}"):                      "//graphgen:edge a -> b max_iterations=3",
		diag.Item("{from: a, to: b, if: 'out.Score > 3'}"):                    "//graphgen:edge a -> b if out.Score > 3",
		diag.Set("edges", "[{from: a, to: end}]"):                             "//graphgen:edge a -> end",
		diag.Item("{from: a, by: class, branch: {x: end}}"):                   "//graphgen:edge a by=class branch={x: end}",
		diag.Set("sequential", "[a, b]"):                                      "//graphgen:edge a -> b",
		diag.Set("limits", "{max_steps: 20, timeout: 1h}"):                    "max_steps=20 timeout=1h",
		diag.Set("flags", "[cacheable]"):                                      "flags=cacheable",
		diag.Set("flags", "[critical, {retryable: {attempts: 4, wait: 1s}}]"): "flags=critical,retryable(attempts=4 wait=1s)",
		diag.Set("reads", "[]"):                                               "reads=[]",
		diag.Add("routes", "[b, end]"):                                        "routes=b,end",
		diag.Set("transitions", "{error: b}"):                                 "transitions={error: b}",
		diag.Set("instructions", "Shall it be published?"):                    "instructions='Shall it be published?'",
		diag.Set("until", "out.Score > 0.8"):                                  "until='out.Score > 0.8'",
		diag.Set("output", `{answer: "[]string"}`):                            "output={answer: []string}",
		diag.Instead("tools", "{find: {doc: What it does.}}"):                 "tools={find: {doc: 'What it does.'}}",
		diag.Set("use", "{common: ../common/c.types.yaml}"):                   "use={common: ../common/c.types.yaml}",
		diag.Set("mutations", "{allow: [skip_to]}"):                           "mutations={allow: [skip_to]}",
	} {
		got := string(gotag.Help(diag.Help(suggestion)))
		if got != want {
			t.Errorf("%s becomes %s, not %s", diag.Help(suggestion), got, want)
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

// TestHelps writes what is a type, a field or an entry in Go as one, and leaves words as they are.
func TestHelps(t *testing.T) {
	for help, want := range map[string]string{
		"as in " + diag.Declare("json", "string"):                      "as in JSON string",
		"as in " + diag.Declare("class", "{enum: [a, b]}"):             "as in Class any `graphgen:\"enum=a,b\"`",
		"as in " + diag.Declare("value", `{value: "?string"}`):         "as in Value struct{ Value *string }",
		"make it optional, as " + diag.OfType(`"?float"`):              "make it optional, as *float64",
		"as in " + diag.Declare("talk", "messages"):                    "as in Talk []chat.Message",
		"as in " + diag.Set("nodes", "{a: {}}"):                        "as in A graph.Func",
		"write " + diag.Set("state", "{topic: time}"):                  "write State struct{ Topic time.Time }",
		"write " + diag.Set("kind", "map") + " with " + diag.Key("if"): "write the type graph.Map with if",
		"add " + diag.Set("to", "draft"):                               "add -> draft",
		"write " + diag.Set("edges", "{from: NODE, to: NODE}"):         "write //graphgen:edge NODE -> NODE",
		"a Go type is written " + diag.Item("{go: import/path.Type}"):  "a Go type is written pkg.Type of an imported package",
		"as in " + diag.Set("if", "out.Score …"):                       "as in if out.Score …",
		"as in " + diag.Set("if", `"!state.Done"`):                     "as in if !state.Done",
		"add it " + diag.Either("under nodes", "to the struct"):        "add it to the struct",
		diag.DidYouMean("draft"):                                       `did you mean "draft"?`,
		diag.Remove("remove it") + `, or lead it to "next: b"`:         `remove it, or lead it to "next: b"`,
		"a placeholder has two braces: {{message}}":                    "a placeholder has two braces: {{message}}",
		"cut \x02s\x1fnext: b, and \x03 and " + diag.Set("next", "[b"): "cut \x02s\x1fnext: b, and \x03 and next='[b'",
		"": "",
	} {
		if got := string(gotag.Help(diag.Help(help))); got != want {
			t.Errorf("%s\nbecomes %q\nnot     %q", diag.Help(help), got, want)
		}
	}
}

// TestMessages finds keys as Go writes them in the messages of graphs in Go, and no words of YAML in those of all bad examples.
func TestMessages(t *testing.T) {
	text := "package g\n\nimport \"" + gotag.Marker + "\"\n\n//graphgen:graph g entry=a no_match=end\ntype _ struct {\n" +
		"\tA graph.Parallel `graphgen:\"branches={x: b, y: c}; join=all; count=2\"`\n\tB, C graph.Func `graphgen:\"reads=[]\"`\n}\n"
	_, found := judge("g.go", []byte(text))
	if len(found) != 1 || !strings.Contains(found[0].Message, "join=all wants every branch") {
		t.Errorf("the graph gives %v", found)
	}
	quotes := regexp.MustCompile(`\b(on: (error|guard_fail|tool_call|no_tool_call)|join: \w+|no_match: (end|error)|kind: ` +
		`[a-z]+|tool_loop: (true|false)|mode: \w+|context: scoped)\b`)
	suggested := 0
	badExamples(func(d diag.Diagnostic) {
		message := string(gotag.Help(diag.Help(d.Message)))
		if left := quotes.FindString(message); left != "" {
			t.Errorf("%s: the message %q has %q", d.Code, message, left)
		}
		if message != d.Message {
			suggested++
		}
	})
	if suggested < 3 {
		t.Errorf("%d messages have suggestions", suggested)
	}
}
