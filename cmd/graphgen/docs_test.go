package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/prelude"
)

const docs = "../../docs"

// page holds a page of docs; -update writes it.
func page(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(docs, name)
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil || string(have) != text {
		t.Errorf("docs/%s is not up to date (%v): go test ./cmd/graphgen -run %s -update writes it", name, err, t.Name())
	}
}

// TestRunPicture holds the picture of a run that a guide shows.
func TestRunPicture(t *testing.T) {
	const folder = "../../golden/subgraph/"
	var out, problems bytes.Buffer
	args := []string{"diagram", "-format", "svg", "-open", "1", "-run", folder + "article.report.json", folder + "article.graph.yaml"}
	if status := run(context.Background(), args, &out, &problems); status != exitFine {
		t.Fatal(status, &problems)
	}
	page(t, "pictures/article_run.svg", out.String())
}

// Every check has a page with a spec that it refuses, what graphgen says of it, and the
// mended spec. Both are compiled here: the one gives that diagnostic, the other none.
func TestEveryCheckHasAPage(t *testing.T) {
	pages := map[string]string{"README.md": indexOfChecks()}
	for _, f := range families() {
		for _, r := range f.rules {
			pages[r.Code+".md"] = checkPage(t, &f, &r)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		page(t, filepath.Join("reference", "checks", name), pages[name])
	}
	files, err := os.ReadDir(filepath.Join(docs, "reference", "checks"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, ok := pages[f.Name()]; ok {
			continue
		}
		if file := filepath.Join(docs, "reference", "checks", f.Name()); *update {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		} else {
			t.Errorf("docs/reference/checks/%s belongs to no check", f.Name())
		}
	}
}

func indexOfChecks() string {
	var b strings.Builder
	b.WriteString("# Checks\n\n" +
		"This page lets you look up a diagnostic by its code; `graphgen explain CODE` prints the same. Each page has a\n" +
		"spec that is refused, its diagnostic, and the mended spec; a test compiles them all.\n\n" +
		"Written from the tables of the checks by `go test ./cmd/graphgen -run TestEveryCheckHasAPage -update`.\n")
	for _, f := range families() {
		fmt.Fprintf(&b, "\n## %s\n\n| code | name | what is wrong |\n|---|---|---|\n", f.title)
		for _, r := range f.rules {
			first, _, _ := strings.Cut(r.Doc, ". ")
			fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s. |\n", r.Code, r.Code, r.Name, strings.TrimSuffix(first, "."))
		}
	}
	return b.String()
}

func checkPage(t *testing.T, f *family, r *diag.Rule) string {
	found, err := f.found(r.Code, r.Bad)
	if err != nil || len(found) != 1 || found[0].Code != r.Code {
		t.Errorf("%s: the bad example gives %v, %v", r.Code, found, err)
	}
	if found, err := f.found(r.Code, r.Good); err != nil || len(found) > 0 {
		t.Errorf("%s: the mended example gives %v, %v", r.Code, found, err)
	}
	rendered, err := f.rendered(r.Code, r.Bad)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n%s\n\n", r.Code, r.Name, r.Doc)
	if f.about != "" {
		fmt.Fprintf(&b, "The scenarios are of this spec:\n\n%s\n", fenced("yaml", f.about))
	}
	language := "yaml"
	if strings.HasSuffix(f.file, goSuffix) {
		language = "go"
	}
	fmt.Fprintf(&b, "## Refused\n\n%s\n%s\n## Mended\n\n%s", fenced(language, r.Bad), fenced("text", rendered), fenced(language, r.Good))
	return b.String()
}

func fenced(language, text string) string {
	return "```" + language + "\n" + strings.ReplaceAll(shown(text), "```", "` ` `") + "```\n"
}

// TestAnExampleShowsItsBounds holds that the doc of an example shows the bounds that check -bounds prints.
func TestAnExampleShowsItsBounds(t *testing.T) {
	t.Chdir(filepath.FromSlash("../../examples/inquiry"))
	source, err := os.ReadFile("inquiry.go")
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"check", "-bounds", "inquiry.graph.yaml"}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit status %d: %s", code, stderr.String())
	}
	shown := 0
	for line := range strings.Lines(string(source)) {
		if line, ok := strings.CutPrefix(line, "//\t"); ok {
			shown++
			if !strings.Contains(stdout.String(), line) {
				t.Errorf("the doc shows %q, and check -bounds prints\n%s", line, stdout.String())
			}
		}
	}
	if shown < 5 {
		t.Errorf("the doc shows %d lines", shown)
	}
}

// TestEveryVerbIsDocumented holds docs/reference/commands.md.
func TestEveryVerbIsDocumented(t *testing.T) {
	app := new(commandLine).parser().Model
	var b strings.Builder
	b.WriteString("# The command\n\n" +
		"This page lets you look up every verb and flag. It is written from the grammar of the command line by `go test " +
		"./cmd/graphgen -run TestEveryVerbIsDocumented -update`.\n\n" +
		description + "\n\n| verb | what it does |\n|---|---|\n")
	public := slices.DeleteFunc(slices.Clone(app.Children), func(verb *kong.Node) bool { return verb.Hidden })
	for _, verb := range public {
		fmt.Fprintf(&b, "| [%s](#%s) | %s |\n", verb.Name, verb.Name, verb.Help)
		if verb.Help == "" {
			t.Errorf("%s has no help", verb.Name)
		}
	}
	b.WriteString("\n## Flags of every verb\n\n" + flagTable(app.Node))
	for _, verb := range public {
		document(&b, "##", verb)
		for _, action := range verb.Children {
			if document(&b, "###", action); action.Help == "" {
				t.Errorf("%s %s has no help", verb.Name, action.Name)
			}
		}
	}
	page(t, "reference/commands.md", strings.ReplaceAll(b.String(), "\n\n\n", "\n\n"))
}

// document writes the section of a verb, or of an action of a verb.
func document(b *strings.Builder, level string, verb *kong.Node) {
	fmt.Fprintf(b, "\n%s %s\n\n    graphgen %s\n\n%s\n\n%s", level, strings.TrimPrefix(verb.FullPath(), "graphgen "),
		verb.Summary(), verb.Help, markdownHelp(verb.Detail))
	if table := argTable(verb); table != "" {
		b.WriteString("\n" + table)
	}
	if table := flagTable(verb); table != "" {
		b.WriteString("\n" + table)
	}
}

// markdownHelp returns help whose examples, indented by two, are indented as Markdown has it.
func markdownHelp(text string) string {
	return regexp.MustCompile(`(?m)^  (\S)`).ReplaceAllString(text, "    $1")
}

func flagTable(n *kong.Node) string {
	var b strings.Builder
	for _, f := range n.Flags {
		if f.Hidden {
			continue
		}
		name := "`-" + f.Name
		switch {
		case f.Enum != "":
			name += " " + strings.ReplaceAll(f.Enum, ",", "\\|")
		case !f.IsBool():
			name += " " + f.FormatPlaceHolder()
		}
		if f.Short != 0 {
			name = fmt.Sprintf("`-%c`, ", f.Short) + name
		}
		fmt.Fprintf(&b, "| %s` | %s |\n", name, f.Help)
	}
	if b.Len() == 0 {
		return ""
	}
	return "| flag | what it does |\n|---|---|\n" + b.String()
}

func argTable(n *kong.Node) string {
	var b strings.Builder
	for _, a := range n.Positional {
		fmt.Fprintf(&b, "| `%s` | %s |\n", a.Summary(), a.Help)
	}
	if b.Len() == 0 {
		return ""
	}
	return "| operand | what it is |\n|---|---|\n" + b.String()
}

// specThenTold is a spec of a page and what the page says that graphgen says of it.
var specThenTold = regexp.MustCompile("(?s)(```yaml\n)(.*?)(```\n\n```text\n)(.*?)(```\n)")

// Each spec of the page What others accept is refused as the page says.
func TestWhatOthersAcceptIsRefused(t *testing.T) {
	const name = "concepts/what-others-accept.md"
	text, err := os.ReadFile(filepath.Join(docs, name))
	if err != nil {
		t.Fatal(err)
	}
	spec := filepath.Join(t.TempDir(), "agent.graph.yaml")
	count := 0
	got := specThenTold.ReplaceAllFunc(text, func(match []byte) []byte {
		count++
		part := specThenTold.FindSubmatch(match)
		if err := os.WriteFile(spec, part[2], 0o644); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), []string{"check", spec}, &stdout, &stderr); code != exitFound {
			t.Errorf("exit status %d of\n%s", code, part[2])
		}
		rendered := bytes.ReplaceAll(stderr.Bytes(), []byte(filepath.Dir(spec)+string(filepath.Separator)), nil)
		return bytes.Join([][]byte{part[1], part[2], part[3], rendered, part[5]}, nil)
	})
	if defects := bytes.Count(text, []byte("\n## ")); count < 9 || count != defects {
		t.Errorf("%d specs with what graphgen says of them, %d defects", count, defects)
	}
	page(t, name, string(got))
}

// TestPreludePage holds the page of the prelude, as explain prints its templates.
func TestPreludePage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# The prelude\n\n" +
		"This page lets you look up the templates that every spec has without a `use`. `graphgen explain template:NAME` prints the same.\n\n" +
		"A template of a node is used as its `kind`, and a pattern as the `pattern` of a graph. How templates are written is in the guide\n" +
		"[Templates](../guides/templates.md).\n\n" +
		"Written from [spec/prelude](../../spec/prelude/) by `go test ./cmd/graphgen -run TestPreludePage -update`.\n")
	for _, file := range prelude.Use().Graphs() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", file.File[strings.Index(file.File, "/")+1:strings.Index(file.File, ".")], file.Doc.V)
		for _, tpl := range file.Templates {
			fmt.Fprintf(&b, "\n### %s\n\n%s\n", tpl.Name.V, tpl.Doc.V)
			if tpl.IsPattern() {
				fmt.Fprintf(&b, "\nBounds of the example: %s.\n", patternBounds(tpl))
			}
			if len(tpl.Params) > 0 {
				b.WriteString("\n| parameter | type | without it | what it is for |\n|---|---|---|---|\n")
				for _, p := range tpl.Params {
					fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", p.Name.V, paramType(p), strings.TrimPrefix(paramDefault(p), "default "), p.Doc.V)
				}
			}
			fmt.Fprintf(&b, "\n```yaml\n%s\n```\n", tpl.Example.V)
			eval := "../../spec/prelude/skills/" + tpl.Name.V
			if _, err := os.Stat(eval + ".graph.yaml"); err == nil {
				fmt.Fprintf(&b, "\nIts [evals](%[1]s.graph.yaml), [scenarios](%[1]s.scenarios.yaml) and [recorded run](%[1]s.jsonl).\n", eval)
			}
		}
	}
	page(t, "reference/prelude.md", b.String())
}
