package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec/link"
)

// The cursor of an editor in a text of a test.
const cursorMark = "‸"

// marked returns a text without the mark of the cursor, and the position of it.
func marked(t testing.TB, text string) (string, lspPosition) {
	t.Helper()
	at := strings.Index(text, cursorMark)
	if at < 0 {
		t.Fatalf("there is no cursor in %s", text)
	}
	text = strings.Replace(text, cursorMark, "", 1)
	return text, positionIn(text, at)
}

// reviewSpec is a graph for the tests of an editor.
const reviewSpec = `graph: review
entry: draft
types:
  Verdict:
    score: {type: int, doc: One to five.}
    grade: {enum: [low, high]}
state:
  topic: {type: string, doc: What it is about.}
  article: string
  verdicts: {type: "[]Verdict", merge: append}
input: topic
output: article
nodes:
  draft: {doc: Writes the article., reads: [topic, verdicts], writes: article}
  critic: {kind: prompt, instructions: "Judge the article.", message: "{{article}}", output: Verdict, writes: verdicts}
  publish: {reads: article}
edges:
  - {from: draft, to: critic}
  - {from: critic, to: publish, if: "out.Score > 3", priority: 10}
  - {from: critic, to: draft, max_iterations: 3}
  - {from: critic, to: publish}
  - {from: publish, to: end}
`

// TestEditorCompletes completes texts at the cursor. The file is first open without a mistake, as when its author begins to type.
func TestEditorCompletes(t *testing.T) {
	tests := []struct {
		name, old, typed string // typed replaces old in the spec
		want             string // labels that are offered
		not              string // labels that are not
		takes            string // the text that the first wanted label gives, with its line
	}{
		{"keys of the file", "entry: draft", "ent‸", "limits doc on_error entry", "graph nodes from", "limits: "},
		{"keys of a node", "draft: {doc: Writes the article.,", "draft: {doc: Writes the article., ‸,", "kind output max_visits", "doc reads instructions", ""},
		{"keys of a node of a kind", "output: Verdict, writes", "mod‸, writes", "model temperature tools output", "goto kind instructions", ""},
		{"keys of a node in lines", "  publish: {reads: article}", "  publish:\n    reads: article\n    ‸", "kind writes", "reads from", ""},
		{"keys of an edge", "- {from: draft, to: critic}", "- {from: draft, ‸}", "to if priority max_iterations branch by", "from sequential2", ""},
		{"keys of an edge in lines", "- {from: draft, to: critic}", "- from: draft\n    ‸", "to if branch", "from", ""},
		{"keys of a state field", "article: string", "article: {type: string, ‸}", "default merge min_length doc carry", "type kind", ""},
		{"keys of limits", "entry: draft", "entry: draft\nlimits: {‸", "max_steps timeout", "entry", ""},
		{"kinds and templates", "kind: prompt", "kind: ‸", "func prompt router critique", "draft", ""},
		{"words of a key", "merge: append", "merge: ‸", "append sum last", "draft", ""},
		{"flags", "publish: {reads: article}", "publish: {reads: article, flags: [‸", "critical retryable", "draft", ""},
		{"nodes and the end", "{from: draft, to: critic}", "{from: draft, to: ‸}", "draft critic publish end", "topic", ""},
		{"no end where there is none", "{from: draft, to: critic}", "{from: ‸, to: critic}", "draft critic publish", "end topic", ""},
		{"the entry", "entry: draft", "entry: d‸", "draft critic", "topic", "draft"},
		{"fields", "publish: {reads: article}", "publish: {reads: [article, ‸", "topic article verdicts", "draft", ""},
		{"a single field", "publish: {reads: article}", "publish: {reads: ‸}", "topic article verdicts", "draft", ""},
		{"fields in a list of lines", "publish: {reads: article}", "publish:\n    reads:\n      - ‸", "topic article verdicts", "draft", ""},
		{"types", "article: string", "article: ‸", "string int Verdict image", "draft", ""},
		{"types in a list", "\"[]Verdict\"", "\"[]V‸", "Verdict string", "draft", "Verdict"},
		{"placeholders", "\"{{article}}\"", "\"{{‸", "article topic verdicts", "draft", "article}}"},
		{"placeholders that are closed", "\"{{article}}\"", "\"{{a‸}}\"", "article topic", "draft", "article"},
		{"no placeholder in a text", "\"{{article}}\"", "\"art‸\"", "", "article", ""},
		{"names of an expression", "out.Score > 3", "‸", "out state res VerdictGradeHigh strings", "draft", ""},
		{"the output in it", "out.Score > 3", "out.‸", "Score Grade", "Topic state", ""},
		{"the state in it", "out.Score > 3", "out.Score > 3 && state.Top‸", "Topic Article Verdicts", "Score", "Topic"},
		{"a package in it", "out.Score > 3", "strings.Has‸", "HasPrefix Contains", "Score", ""},
		{"methods of the result", "out.Score > 3", "res.‸", "", "Score", ""},
		{"booleans", "entry: draft", "entry: draft\ndurable: ‸", "true false", "draft", ""},
		{"parameters of a template", "publish: {reads: article}", "publish: {kind: critique, ‸}", "kind2 reads revise", "from", ""},
		{"keys of a node that a template makes", "publish: {reads: article}", "publish: {kind: critique, ‸}", "instructions model max_visits", "from", ""},
	}
	dir := t.TempDir()
	t.Chdir(dir)
	e := startEditor(t, dir)
	uri := e.open("review.graph.yaml", reviewSpec)
	if p := e.wait(uri, 1); len(p.Diagnostics) > 0 {
		t.Fatalf("%s", p.Diagnostics[0].Data)
	}
	version := 1
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if strings.Count(reviewSpec, tt.old) < 1 {
				t.Fatalf("the spec has not %q", tt.old)
			}
			text, at := marked(t, strings.Replace(reviewSpec, tt.old, tt.typed, 1))
			version++
			e.change(uri, version, nil, text)
			e.wait(uri, version)
			var items []struct {
				Label         string
				Documentation struct{ Value string }
				TextEdit      struct {
					Range   lspRange
					NewText string
				}
			}
			e.call("textDocument/completion", map[string]any{"textDocument": map[string]any{"uri": uri}, "position": at}, &items)
			var labels []string
			for _, i := range items {
				labels = append(labels, i.Label)
				if i.TextEdit.Range.End != at || i.TextEdit.Range.Start.Line != at.Line {
					t.Errorf("%s replaces %v, and the cursor is at %v", i.Label, i.TextEdit.Range, at)
				}
			}
			for _, want := range strings.Fields(tt.want) {
				if label, absent := strings.CutSuffix(want, "2"); absent {
					if slices.Contains(labels, label) {
						t.Errorf("%s is offered", label)
					}
				} else if !slices.Contains(labels, want) {
					t.Errorf("%s is not offered, but %v", want, labels)
				}
			}
			for _, not := range strings.Fields(tt.not) {
				if slices.Contains(labels, not) {
					t.Errorf("%s is offered", not)
				}
			}
			if tt.takes != "" {
				want := strings.Fields(tt.want)[0]
				if i := slices.Index(labels, want); i >= 0 && items[i].TextEdit.NewText != tt.takes {
					t.Errorf("%s gives %q, want %q", want, items[i].TextEdit.NewText, tt.takes)
				}
			}
		})
	}
	if len(e.logs) > 0 {
		t.Errorf("the server logs %v", e.logs)
	}
}

// TestEditorHovers compares what the editor shows at places of a spec.
func TestEditorHovers(t *testing.T) {
	tests := []struct{ name, at, want string }{
		{"a key", "prio‸rity: 10", "**priority** (int)\n\nEdges of a node are tried from the highest priority to the lowest.\n\nDefault: 0."},
		{"a word", "merge: app‸end", "**append**: "},
		{"a field has its writers, with a path", "art‸icle: string", "**article** (state field) `string`\n\n- is written by `draft`, first on the path draft"},
		{"a field of the input", "to‸pic: {type", "**topic** (state field) `string`\n\nWhat it is about.\n\n- is given by the caller\n- no node writes it"},
		{"a field in a list", "reads: [topic, ver‸dicts]", "- is written by `critic`, first on the path draft → critic"},
		{"a field in a text", "{{art‸icle}}", "**article** (state field)"},
		{"a node", "  dra‸ft: {doc", "**draft** (node)\n\nWrites the article.\n\n- reads `topic`, `verdicts`\n- writes `article`\n" +
			"- is the method `Draft` of the handlers\n- is visited at most 4 times in a run"},
		{"a node that an edge names", "to: pub‸lish, if", "- is visited at most once in a run"},
		{"a type", "output: Ver‸dict", "**Verdict** (type)"},
	}
	dir := t.TempDir()
	t.Chdir(dir)
	e := startEditor(t, dir)
	uri := e.open("review.graph.yaml", reviewSpec)
	e.wait(uri, 1)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(tt.at, cursorMark, "", 1)
			at := strings.Index(reviewSpec, text)
			if at < 0 {
				t.Fatalf("the spec has not %q", text)
			}
			position := positionIn(reviewSpec, at+strings.Index(tt.at, cursorMark))
			var got struct{ Contents struct{ Value string } }
			e.call("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uri}, "position": position}, &got)
			if !strings.Contains(got.Contents.Value, tt.want) {
				t.Errorf("it shows\n%s\nwant\n%s", got.Contents.Value, tt.want)
			}
		})
	}
}

// endsSpec is a graph with ends that have names, and keys of the graph for models.
const endsSpec = `graph: pay
entry: ask
limits: {max_model_calls: 3}
model: large
temperature: 0.2
state: {answer: {type: string, default: ""}}
output: answer
drivers: [temporal]
nodes:
  ask: {kind: prompt, instructions: "Shall it be paid?", writes: answer, next: check}
  check: {kind: guard, reads: answer, on_pass: paid, on_fail: bank}
  bank: {kind: subgraph, graph: ./bank.graph.yaml, child_workflow: true, next: refused}
edges:
  - {from: ask, to: refused, on: budget}
ends: [paid, refused]
assert:
  - every path to paid passes check
`

// TestEditorKnowsEnds completes names of ends where nodes lead, finds where they are declared, and shows what is known of them and of the keys
// that came with them.
func TestEditorKnowsEnds(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("bank.graph.yaml", []byte("graph: bank\ndrivers: [temporal]\nentry: book\nnodes:\n  book: {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	e := startEditor(t, dir)
	uri := e.open("pay.graph.yaml", endsSpec)
	if p := e.wait(uri, 1); len(p.Diagnostics) > 0 {
		t.Fatalf("%s", p.Diagnostics[0].Data)
	}
	ask := func(method, text, at string, got any) {
		t.Helper()
		found := strings.Index(text, strings.Replace(at, cursorMark, "", 1))
		if found < 0 {
			t.Fatalf("the spec has not %q", at)
		}
		position := positionIn(text, found+strings.Index(at, cursorMark))
		e.call("textDocument/"+method, map[string]any{"textDocument": map[string]any{"uri": uri}, "position": position}, got)
	}
	for _, tt := range []struct{ at, want string }{
		{"on_pass: pa‸id", "**paid** (end)\n\nAn end of the graph: the `Ending` of the report of a run that reaches it.\n\n- from `check`"},
		{"to: ref‸used", "- from `ask`, `bank`"},
		{"[paid, ref‸used]", "**refused** (end)"},
		{"path to pa‸id passes", "**paid** (end)"},
		{"en‸ds: [paid", "**ends** (names)"},
		{"mo‸del: large", "**model** (name)"},
		{"temp‸erature: 0.2", "**temperature** (number)"},
		{"child_wor‸kflow: true", "**child_workflow** (bool)"},
		{"on: bud‸get", "**budget**: "},
	} {
		var got struct{ Contents struct{ Value string } }
		if ask("hover", endsSpec, tt.at, &got); !strings.Contains(got.Contents.Value, tt.want) {
			t.Errorf("%s shows\n%s\nwant\n%s", tt.at, got.Contents.Value, tt.want)
		}
	}
	var places []struct{ Range lspRange }
	ask("definition", endsSpec, "to: ref‸used", &places)
	if want := positionIn(endsSpec, strings.Index(endsSpec, "refused]")); len(places) != 1 || places[0].Range.Start != want {
		t.Errorf("the end is declared at %v, want %v", places, want)
	}
	version := 1
	for _, tt := range []struct{ old, typed, at, want, not string }{
		{"on_pass: paid", "on_pass: ", "on_pass: ‸", "bank ask end paid refused", "answer"},
		{"next: refused", "next: r", "next: r‸", "end paid refused", "answer"},
		{"to: refused", "to: ", "to: ‸", "end paid refused", "answer"},
		{"from: ask", "from: ", "from: ‸", "ask bank", "end paid"},
		{"on: budget", "on: ", "on: ‸", "budget error", "paid"},
		{"ends: [paid, refused]", "e", "\ne‸", "ends", "paid"},
		{"model: large", "m", "\nm‸", "model mode", "paid"},
		{"child_workflow: true", "c", "yaml, c‸", "child_workflow", "paid"},
	} {
		text := strings.Replace(endsSpec, tt.old, tt.typed, 1)
		version++
		e.change(uri, version, nil, text)
		e.wait(uri, version)
		var items []struct{ Label string }
		ask("completion", text, tt.at, &items)
		var labels []string
		for _, i := range items {
			labels = append(labels, i.Label)
		}
		for _, want := range strings.Fields(tt.want) {
			if !slices.Contains(labels, want) {
				t.Errorf("at %q %s is not offered, but %v", tt.at, want, labels)
			}
		}
		for _, not := range strings.Fields(tt.not) {
			if slices.Contains(labels, not) {
				t.Errorf("at %q %s is offered", tt.at, not)
			}
		}
	}
}

// TestEditorView compares the outline, the folds and the tokens of a spec.
func TestEditorView(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	e := startEditor(t, dir)
	uri := e.open("review.graph.yaml", reviewSpec)
	of := map[string]any{"textDocument": map[string]any{"uri": uri}}
	var symbols []struct {
		Name     string
		Children []struct {
			Name, Detail string
			Range        lspRange
		}
	}
	e.call("textDocument/documentSymbol", of, &symbols)
	var names []string
	for _, s := range symbols {
		names = append(names, s.Name)
		for _, c := range s.Children {
			names = append(names, "  "+strings.TrimSpace(c.Name+" "+c.Detail))
		}
	}
	want := []string{"graph", "entry", "types", "  Verdict", "state", "  topic string", "  article string", "  verdicts []Verdict", "input", "output",
		"nodes", "  draft", "  critic prompt", "  publish", "edges"}
	if !slices.Equal(names, want) {
		t.Errorf("the outline is %q, want %q", names, want)
	}
	var folds []struct{ StartLine, EndLine int }
	e.call("textDocument/foldingRange", of, &folds)
	if len(folds) < 5 || folds[0].StartLine != 2 || folds[0].EndLine != 5 {
		t.Errorf("the folds are %v", folds)
	}
	var tokens struct{ Data []int }
	e.call("textDocument/semanticTokens/full", of, &tokens)
	want = []string{"entry: function draft", "input: property topic", "output: property article",
		"draft: function draft", "draft: property topic", "draft: property verdicts", "draft: property article"}
	if got := shownTokens(t, reviewSpec, tokens.Data); !slices.Equal(got[:min(len(got), len(want))], want) {
		t.Errorf("the tokens are %q, want first %q", got, want)
	}
	prompt := e.open("ask.md", "Grade {{article}} of {{{{x}} and\n{{topic}}.\n")
	e.call("textDocument/semanticTokens/full", map[string]any{"textDocument": map[string]any{"uri": prompt}}, &tokens)
	if !slices.Equal(tokens.Data, []int{0, 8, 7, 0, 0, 1, 2, 5, 0, 0}) {
		t.Errorf("the tokens of a prompt are %v", tokens.Data)
	}
}

// shownTokens returns semantic tokens, each with the first word of its line and its type.
func shownTokens(t *testing.T, text string, data []int) (list []string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	for i, line, column := 0, 0, 0; i+4 < len(data); i += 5 {
		if data[i] > 0 {
			column = 0
		}
		line, column = line+data[i], column+data[i+1]
		units := utf16.Encode([]rune(lines[line]))
		word, _, _ := strings.Cut(strings.TrimLeft(lines[line], " -{"), ":")
		list = append(list, word+": "+[]string{"variable", "property", "function"}[data[i+3]]+" "+string(utf16.Decode(units[column:column+data[i+2]])))
	}
	return list
}

// requestFailed is the code of an error of a request that is in order, as to format what is not YAML.
const requestFailed = -32803

// editorRequests are requests about a place of a document.
var editorRequests = []string{"textDocument/completion", "textDocument/hover", "textDocument/documentSymbol", "textDocument/foldingRange",
	"textDocument/semanticTokens/full", "textDocument/definition", "textDocument/references",
	"textDocument/documentHighlight", "textDocument/codeLens", "textDocument/formatting", "textDocument/prepareRename"}

// TestEditorAnswersEverywhere asks everything at places of specs that are cut anywhere: no request fails.
func TestEditorAnswersEverywhere(t *testing.T) {
	root := inRepository(t)
	specs := slices.DeleteFunc(specsOf(t, root), func(path string) bool { return !link.IsSpec(path) })
	dir := t.TempDir()
	t.Chdir(dir)
	e := startEditor(t, dir)
	for d := range tier.Draws(t, tier.Pick(2, 60, 3000)) {
		r := d.Rand()
		path := specs[r.IntN(len(specs))]
		content, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		if len(content) > 8<<10 {
			continue
		}
		text := strings.ToValidUTF8(string(content), "?")
		uri := e.open(filepath.Base(path), text)
		for version := 2; version < 6; version++ {
			text = e.edit(r, uri, version, text)
			at := r.IntN(len(text) + 1)
			for _, method := range editorRequests {
				params := map[string]any{"textDocument": map[string]any{"uri": uri}, "position": positionIn(text, at)}
				if a := e.request(method, params); a.Error != nil && a.Error.Code != requestFailed {
					t.Errorf("%s at %v of\n%s\ngives %v", method, positionIn(text, at), text, a.Error)
				}
			}
		}
		e.close(uri)
		if t.Failed() || len(e.logs) > 0 {
			t.Fatal(e.logs)
		}
	}
}
