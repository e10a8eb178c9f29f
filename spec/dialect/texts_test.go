package dialect_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/dialect"
	"github.com/graphgen/graphgen/spec/dialect/draft"
)

// foreign has a file of each dialect with a text where the instructions of a node are.
var foreign = map[string]string{
	"workflow":  "id: hello\nname: Hello\nentry: greet\nnodes:\n  greet: {name: Greet, instruction: {inline: TEXT}}\nedges: []\n",
	"reasoning": "version: 2\nname: hello\nentry: greet\nnodes:\n  greet: {type: prompt, instructions: TEXT}\nedges: []\n",
}

// TestTextsKeepTheirMeaning holds that instructions are the same text in the imported spec: braces are no placeholder there,
// and what YAML would read as a key, a comment or a number is quoted.
func TestTextsKeepTheirMeaning(t *testing.T) {
	for name, file := range foreign {
		for text, want := range map[string]string{
			"Greet {{user}}, in two words.":     "Greet {{{{user}}, in two words.",
			"{{{{user}} and {{ other }}":        "{{{{{{{{user}} and {{{{ other }}",
			"Note: greet the user.":             "Note: greet the user.",
			"Greet them: now":                   "Greet them: now",
			"Greet the user # and say no more.": "Greet the user # and say no more.",
			"Greet:":                            "Greet:",
			"yes":                               "yes",
			"Greet { the user }.":               "Greet { the user }.",
		} {
			made, found := draft.Import(dialect.Find(name), &draft.File{Name: "hello.yaml", Text: []byte(strings.ReplaceAll(file, "TEXT", "'"+text+"'"))})
			if len(made) != 1 {
				t.Fatalf("%s: %q: %v", name, text, found)
			}
			g, mistakes := spec.Load("hello.graph.yaml", made[0].Spec)
			if g == nil || len(mistakes) > 0 {
				t.Errorf("%s: %q: the spec cannot be read: %v\n%s", name, text, mistakes, made[0].Spec)
				continue
			}
			if got := g.Nodes[0].Prompt.Instructions.V; got != want {
				t.Errorf("%s: the instructions %q become %q, not %q\n%s", name, text, got, want, made[0].Spec)
			}
		}
	}
}

// braced has texts with braces wherever one becomes a text of a prompt.
var braced = map[string]string{
	"workflow": `id: hello
name: Hello
entry: greet
rules: [{inline: "rule {{a}}"}]
context: [{inline: "context {{b}}"}]
skills: {s: {instruction: {inline: "skill {{c}}"}}}
nodes:
  greet: {name: Greet, instruction: {inline: "greet {{d}}"}, skills: [s], rules: [{inline: "own {{e}}"}]}
edges: []
`,
	"reasoning": `version: 2
graph:
  name: hello
  mode: static
  entry: route
  nodes:
    route: {type: router, instructions: "route {{a}}", routes: {go: gather, stop: approve}}
    gather: {type: fan_out, branches: [{node: {name: web, type: prompt, instructions: "web {{b}}"}, overrides: {focus: "news {{c}}"}}], default_next: explore}
    explore: {type: autonomous, node_pool: [{name: look, type: prompt, instructions: "look {{d}}"}], planner_instructions: "choose {{e}}", default_next: approve}
    approve: {type: human, prompt_template: "send {{f}}", on_approve: __end__, on_deny: __end__, on_timeout: __end__}
`,
}

// TestBracesAreNoPlaceholders holds that no text of a foreign file becomes a placeholder of a prompt.
func TestBracesAreNoPlaceholders(t *testing.T) {
	placeholder := regexp.MustCompile(`(^|[^{])(\{\{\{\{)*\{\{[a-f]\}\}`)
	for name, file := range braced {
		made, found := draft.Import(dialect.Find(name), &draft.File{Name: "hello.yaml", Text: []byte(file)})
		if len(made) != 1 {
			t.Fatalf("%s: %v", name, found)
		}
		text := string(made[0].Spec)
		if wrong := placeholder.FindString(text); wrong != "" {
			t.Errorf("%s: %s is a placeholder in\n%s", name, wrong, text)
		}
		if got, want := strings.Count(text, "{{{{"), strings.Count(file, "{{"); got < want {
			t.Errorf("%s: %d texts have braces, and not %d:\n%s", name, got, want, text)
		}
	}
}
