package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// navigated is a folder with a graph, the file of a prompt, scenarios, handlers and types of another file.
var navigated = map[string]string{
	"go.mod":            "module example.com/a\n",
	"common.types.yaml": "types:\n  Grade: {enum: [low, high]}\n",
	"prompts/judge.md":  "Judge the article.\n\n{{article}} is about {{topic}}.\n",
	"review.graph.yaml": `graph: review
entry: draft
use: {common: common.types.yaml}
state:
  topic: string
  article: string
  grade: "?common.Grade"
input: topic
output: [article, grade]
nodes:
  draft: {reads: topic, writes: article}
  critic: {kind: prompt, instructions: Judge it., message: {file: prompts/judge.md}, writes: grade}
edges:
  - {from: draft, to: critic}
  - {from: critic, to: draft, if: 'out.Grade != nil && state.Article != ""', max_iterations: 2, priority: 5}
  - {from: critic, to: end}
assert: [every path to critic passes draft]
`,
	"review.scenarios.yaml": `graph: review.graph.yaml
scenarios:
  - name: is graded
    input: {topic: otters}
    script:
      draft: [{out: {article: v1}}]
      critic: [{out: {grade: high}}]
    expect: {path: [draft, critic], end: completed}
`,
	"handlers.go": `package a

import "context"

type handlers struct{}

// Draft writes the article.
func (handlers) Draft(ctx context.Context, in ReviewDraftIn) (ReviewDraftOut, error) {
	return ReviewDraftOut{}, nil
}
`,
}

type lspLocation struct {
	URI   string
	Range lspRange
}

// shownPlace returns a place as FILE:LINE:TEXT.
func shownPlace(t *testing.T, l lspLocation) string {
	t.Helper()
	content, err := os.ReadFile(strings.TrimPrefix(l.URI, "file://"))
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Split(string(content), "\n")[l.Range.Start.Line]
	return fmt.Sprintf("%s:%d:%s", filepath.Base(l.URI), l.Range.Start.Line+1, line[l.Range.Start.Character:l.Range.End.Character])
}

// TestNavigation goes from names to their declarations and uses.
func TestNavigation(t *testing.T) {
	tests := []struct {
		name, file, at         string
		definition, references string
	}{
		{"a node that an edge names", "review.graph.yaml", "to: cri‸tic}", "review.graph.yaml:12:critic",
			"review.graph.yaml:14:critic review.graph.yaml:15:critic review.graph.yaml:16:critic review.graph.yaml:17:critic " +
				"review.scenarios.yaml:7:critic review.scenarios.yaml:8:critic"},
		{"a node at its declaration, whose method it is", "review.graph.yaml", "  dra‸ft: {reads", "handlers.go:8:Draft",
			"review.graph.yaml:2:draft review.graph.yaml:14:draft review.graph.yaml:15:draft review.graph.yaml:17:draft " +
				"review.scenarios.yaml:6:draft review.scenarios.yaml:8:draft handlers.go:8:Draft"},
		{"a method of the handlers", "handlers.go", "(handlers) Dr‸aft", "review.graph.yaml:11:draft", ""},
		{"a node of a scenario", "review.scenarios.yaml", "path: [dra‸ft", "review.graph.yaml:11:draft", ""},
		{"a field in a list", "review.graph.yaml", "output: [art‸icle", "review.graph.yaml:6:article",
			"review.graph.yaml:9:article review.graph.yaml:11:article review.graph.yaml:15:Article judge.md:3:article " +
				"review.scenarios.yaml:6:article"},
		{"a field in an expression", "review.graph.yaml", "state.Art‸icle", "review.graph.yaml:6:article", ""},
		{"a field of an output that is made of fields", "review.graph.yaml", "out.Gra‸de", "review.graph.yaml:7:grade", ""},
		{"a field of a prompt in a file", "prompts/judge.md", "{{top‸ic}}", "review.graph.yaml:5:topic", ""},
		{"the file of a prompt", "review.graph.yaml", "prompts/ju‸dge.md", "judge.md:1:", ""},
		{"a file that is used", "review.graph.yaml", "common: com‸mon.types", "common.types.yaml:1:", ""},
		{"a type of another file", "review.graph.yaml", "?common.Gr‸ade", "common.types.yaml:2:Grade", ""},
		{"a type at its declaration", "common.types.yaml", "Gra‸de: {enum", "common.types.yaml:2:Grade", "review.graph.yaml:7:common.Grade"},
		{"nothing", "review.graph.yaml", "input‸: topic", "", ""},
	}
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range navigated {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, dir, name, text)
	}
	e := startEditor(t, dir)
	for name, text := range navigated {
		if name != "go.mod" && name != "common.types.yaml" { // which is read from the disk
			e.open(name, text)
		}
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.file == "common.types.yaml" {
				e.open(tt.file, navigated[tt.file])
			}
			text := strings.Replace(tt.at, cursorMark, "", 1)
			at := strings.Index(navigated[tt.file], text) + strings.Index(tt.at, cursorMark)
			params := map[string]any{"textDocument": map[string]any{"uri": fileURI(tt.file)}, "position": positionIn(navigated[tt.file], at)}
			for method, want := range map[string]string{"definition": tt.definition, "references": tt.references} {
				if want == "" && tt.name != "nothing" {
					continue
				}
				var found []lspLocation
				e.call("textDocument/"+method, params, &found)
				var places []string
				for _, l := range found {
					places = append(places, shownPlace(t, l))
				}
				if got := strings.Join(places, " "); got != want {
					t.Errorf("%s: %s, want %s", method, got, want)
				}
			}
		})
	}
	if len(e.logs) > 0 {
		t.Errorf("the server logs %v", e.logs)
	}
}

// TestNavigationToTemplates goes from the kind of a node to the template that it is, in the file itself, another file and a Go package.
func TestNavigationToTemplates(t *testing.T) {
	const template = "templates:\n  %s: {params: {text: field}, node: {kind: prompt, instructions: Write., writes: $text}}\n"
	spec := "graph: a\nentry: one\nuse: {file: b.types.yaml, ours: example.com/a/bricks}\nstate: {text: string}\noutput: text\n" +
		strings.Replace(template, "%s", "own", 1) + "nodes:\n  one: {kind: own, text: text, next: two}\n  two: {kind: file.other, text: text, next: three}\n" +
		"  three: {kind: ours.shared, text: text}\n"
	files := map[string]string{"go.mod": "module example.com/a\n", "a.graph.yaml": spec, "b.types.yaml": strings.Replace(template, "%s", "other", 1),
		"bricks/c.types.yaml": strings.Replace(template, "%s", "shared", 1), "bricks/d.types.yaml": "types: {Grade: {n: int}}\n"}
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir("bricks", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		write(t, dir, name, text)
	}
	e := startEditor(t, dir)
	uri := e.open("a.graph.yaml", spec)
	for at, want := range map[string]string{
		"kind: ow‸n,": "a.graph.yaml:7:own", "kind: file.ot‸her": "b.types.yaml:2:other", "kind: ours.sh‸ared": "c.types.yaml:2:shared",
		"text: te‸xt, next: two": "a.graph.yaml:4:text", "ours: exam‸ple.com/a/bricks": "",
	} {
		offset := strings.Index(spec, strings.Replace(at, cursorMark, "", 1)) + strings.Index(at, cursorMark)
		var places []lspLocation
		e.call("textDocument/definition", map[string]any{"textDocument": map[string]any{"uri": uri}, "position": positionIn(spec, offset)}, &places)
		got := ""
		for _, l := range places {
			got += shownPlace(t, l)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
}

// edited applies edits of a document to its text.
func edited(t *testing.T, text string, edits []lspEdit) string {
	t.Helper()
	slices.SortFunc(edits, func(a, b lspEdit) int {
		return -cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
	})
	for _, e := range edits {
		from, to := offsetIn(text, e.Range.Start), offsetIn(text, e.Range.End)
		text = text[:from] + e.NewText + text[to:]
	}
	return text
}

type lspEdit struct {
	Range   lspRange
	NewText string
}

// offsetIn returns the byte of a position.
func offsetIn(text string, p lspPosition) int {
	at := 0
	for range p.Line {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	for units := 0; units < p.Character; {
		c, size := utf8.DecodeRuneInString(text[at:])
		units += utf16.RuneLen(c)
		at += size
	}
	return at
}

// TestCodeActions makes the changes that a wrong spec is offered. Package lsp has a test of each change that a help carries.
func TestCodeActions(t *testing.T) {
	root := inRepository(t)
	content, err := os.ReadFile(filepath.Join(root, "testdata/specs/invalid/twenty_mistakes.graph.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	text, dir := string(content), t.TempDir()
	t.Chdir(dir)
	e := startEditor(t, dir)
	uri := e.open("a.graph.yaml", text)
	p := e.wait(uri, 1)
	version, titles := 1, ""
	for i, d := range p.Diagnostics {
		raw, _ := json.Marshal(p.Diagnostics[i])
		var actions []struct {
			Title string
			Edit  struct{ Changes map[string][]lspEdit }
		}
		e.call("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uri}, "range": d.Range,
			"context": map[string]any{"diagnostics": []json.RawMessage{raw}}}, &actions)
		for _, a := range actions {
			version++
			titles += a.Title + "\n"
			e.change(uri, version, nil, edited(t, text, a.Edit.Changes[uri]))
			if after := e.wait(uri, version); len(after.Diagnostics) >= len(p.Diagnostics) {
				t.Errorf("%q does not mend %s", a.Title, d.Data)
			}
		}
	}
	const want = `write "flag"
remove it
write "string"
write "topic"
write "cacheable"
remove it
write "Level"
write "publish"
remove it
`
	if titles != want {
		t.Errorf("the changes are\n%s", titles)
	}
}

// TestCodeLens runs the commands that are shown in files.
func TestCodeLens(t *testing.T) {
	root := inRepository(t)
	e := startEditor(t, root)
	lenses := func(path string) (list []struct {
		Range   lspRange
		Command struct {
			Title, Command string
			Arguments      []string
		}
	}) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		uri := e.open(path, string(content))
		e.call("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": uri}}, &list)
		return list
	}
	spec := lenses("golden/review/review.graph.yaml")
	if len(spec) != 2 || spec[0].Command.Command != "graphgen.picture" || spec[1].Command.Command != "graphgen.test" {
		t.Fatalf("a spec has %v", spec)
	}
	var result struct {
		Output string
		OK     bool
	}
	e.call("workspace/executeCommand", map[string]any{"command": "graphgen.picture", "arguments": spec[0].Command.Arguments}, &result)
	if !result.OK || !strings.Contains(result.Output, "<svg") {
		t.Errorf("the picture is %.200s", result.Output)
	}
	scenarios := lenses("golden/review/review.scenarios.yaml")
	if len(scenarios) < 2 || len(scenarios[0].Command.Arguments) != 2 {
		t.Fatalf("the scenarios have %v", scenarios)
	}
	if testing.Short() {
		return // what follows builds a machine
	}
	e.call("workspace/executeCommand", map[string]any{"command": "graphgen.test", "arguments": scenarios[0].Command.Arguments}, &result)
	if !result.OK || !bytes.Contains([]byte(result.Output), []byte(scenarios[0].Command.Arguments[1])) || strings.Count(result.Output, "ok ") > 2 {
		t.Errorf("the run gives %v, %s", result.OK, result.Output)
	}
	if a := e.request("workspace/executeCommand", map[string]any{"command": "rm", "arguments": scenarios[0].Command.Arguments}); a.Error == nil {
		t.Error("an unknown command is executed")
	}
}
