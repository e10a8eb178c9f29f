package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/hostile"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/dialect"
	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/yamlread"
)

const foreignFiles = "../../spec/dialect/testdata"

// TestImportedGraphs imports the examples of every dialect, each to a folder of one module. The graphs are generated
// and vetted, and their scenarios run.
func TestImportedGraphs(t *testing.T) {
	t.Setenv("GOFLAGS", "-buildvcs=false -trimpath")
	t.Setenv("GOWORK", "off")
	m := tempmodule.New(t, "example.com/imported", "../..")
	tempmodule.Watch(t, "../../scenario/harness")
	scenarios := 0
	for _, d := range dialect.All {
		files, err := filepath.Glob(filepath.Join(foreignFiles, d.Name, "*.yaml"))
		if err != nil || len(files) == 0 {
			t.Fatalf("the dialect %s has no examples (%v)", d.Name, err)
		}
		for _, file := range tier.Some(t, 1, 3, files) {
			dir := filepath.Join(m.Dir, strings.ReplaceAll(d.Name, "-", ""), strings.TrimSuffix(filepath.Base(file), ".yaml"))
			succeeds(t, "import", "-o", dir, d.Name, file)
			scenarios++
		}
	}
	t.Chdir(m.Dir)
	succeeds(t, "generate", "./...")
	if out, err := m.Go("vet", "./..."); err != nil {
		t.Fatalf("go vet: %v\n%s", err, out)
	}
	out := succeeds(t, "test", "./...")
	if got := strings.Count(out, "\t1 scenario\t"); got < scenarios || strings.Contains(out, "FAIL") {
		t.Errorf("%d graphs have a scenario that holds, expected %d:\n%s", got, scenarios, out)
	}
}

// succeeds runs a command line that has to succeed, and returns what it prints.
func succeeds(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), args, &stdout, &stderr); code != exitFine {
		t.Fatalf("graphgen %s: exit status %d\n%s%s", strings.Join(args, " "), code, &stdout, &stderr)
	}
	return stdout.String()
}

// A foreign file reads no files but those beside it and below the current directory.
func TestImportReadsNothingElse(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll("flows", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"secret.md": "Keep this.", "flows/part.md": "Say goodbye.", "here.md": "Say hello."} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(dir, "flows"))
	for name, want := range map[string]string{
		"./part.md":                         "",
		"../secret.md":                      errOutside.Error(),
		filepath.Join(dir, "secret.md"):     errOutside.Error(),
		"./part/../../secret.md":            errOutside.Error(),
		"./missing.md":                      "is not there",
		filepath.Join(dir, "flows/part.md"): errOutside.Error(),
	} {
		text := "id: hello\nname: Hello\nentry: greet\nnodes:\n  greet: {name: Greet, instruction: \"" + filepath.ToSlash(name) + "\"}\nedges: []\n"
		if err := os.WriteFile("hello.yaml", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{"import", "-o", "-", "workflow", "hello.yaml"}, &stdout, &stderr)
		if want == "" && (code != exitFine || !strings.Contains(stdout.String(), "Say goodbye.")) {
			t.Errorf("%s: exit status %d\n%s%s", name, code, &stdout, &stderr)
		}
		if want != "" && (code != exitFound || !strings.Contains(stderr.String(), want)) {
			t.Errorf("%s: exit status %d, expected a diagnostic with %q\n%s", name, code, want, &stderr)
		}
	}
}

// hostileFlow is a workflow with a text, %[1]s, wherever a text may be that is the author's own.
const hostileFlow = `id: hostile
name: %[1]s
description: %[1]s
entry: a
rules: [{inline: %[1]s}]
skills: {s: {instruction: {inline: %[1]s}}}
inputs: {field: {type: string, description: %[1]s, default: %[1]s}}
nodes:
  a:
    name: %[1]s
    instruction: {inline: %[1]s}
    skills: [s]
    output: {type: object, description: %[1]s, properties: {x: {type: string, description: %[1]s}}}
    eval: [{name: e, kind: judge, rubric: %[1]s}]
  b: {name: B, instruction: Say goodbye.}
edges: [{from: a, to: b, when: %[1]s}]
`

// hostileNames is a workflow with a text wherever a name is.
const hostileNames = `id: %[1]s
name: Names
entry: %[1]s
inputs: {%[1]s: {type: string, enum: [%[1]s]}}
nodes:
  %[1]s: {name: A, instruction: Say hello., skills: [%[1]s], tools: {allow: [%[1]s]}, output: {properties: {%[1]s: {enum: [%[1]s]}}}}
edges: [{from: %[1]s, to: %[1]s, when: %[1]s, max_iterations: 1}]
`

// No text of a foreign file is obeyed by a terminal, or becomes something else in the spec.
func TestHostileForeignFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, h := range tier.Some(t, 6, 12, hostile.Texts) {
		for name, flow := range map[string]string{"texts": hostileFlow, "names": hostileNames} {
			if err := os.WriteFile("flow.yml", fmt.Appendf(nil, flow, quoted(h.Text)), 0o666); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), []string{"import", "-o", "-", "workflow", "flow.yml"}, &stdout, &stderr)
			for stream, out := range map[string]string{"stdout": stdout.String(), "stderr": stderr.String()} {
				if bad := obeyed(out); bad != "" {
					t.Errorf("%s, %s: %s has %s:\n%q", h.Name, name, stream, bad, out)
				}
			}
			if code == exitError {
				t.Errorf("%s, %s: the verb fails: %s", h.Name, name, &stderr)
			}
			if code != exitFine {
				continue
			}
			g, found := spec.Load("hostile.graph.yaml", stdout.Bytes())
			if diag.HasErrors(found) {
				t.Fatalf("%s, %s: the spec cannot be read: %v\n%s", h.Name, name, found, &stdout)
			}
			if got, want := g.Nodes[0].Prompt.Instructions.V, strings.ReplaceAll(draft.Tidy(h.Text), "{{", "{{{{"); name == "texts" && got != want {
				t.Errorf("%s: the instructions are %q, want %q", h.Name, got, want)
			}
		}
	}
}

// A row is a key or a word of a format, and what it becomes.
type row struct{ name, becomes string }

// writeRows writes a table. Neighbors that become the same have one row.
func writeRows(b *strings.Builder, title string, rows []row) {
	fmt.Fprintf(b, "\n| %s | what it becomes |\n|---|---|\n", title)
	for i := 0; i < len(rows); {
		names := []string{"`" + rows[i].name + "`"}
		of := rows[i].becomes
		for i++; i < len(rows) && rows[i].becomes == of; i++ {
			names = append(names, "`"+rows[i].name+"`")
		}
		fmt.Fprintf(b, "| %s | %s |\n", strings.Join(names, ", "), of)
	}
}

// countKinds returns how many keys belong to just these types of nodes.
func countKinds(keys []yamlread.Key, kinds []string) (n int) {
	for i := range keys {
		if slices.Equal(keys[i].Kinds, kinds) {
			n++
		}
	}
	return n
}

// TestImportsAreDocumented holds docs/reference/imports.md.
func TestImportsAreDocumented(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Imports\n\n" +
		"This page lets you look up what the keys of another format become when `graphgen import` makes a spec of it.\n" +
		"[How to import a graph](../guides/importing.md) is the place to start.\n\n" +
		"Written from the tables of the dialects by `go test ./cmd/graphgen -run TestImportsAreDocumented -update`.\n")
	for _, d := range dialect.All {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", d.Name, d.Doc)
		for _, m := range d.Mappings {
			fmt.Fprintf(&b, "\n### %s: %s\n\n%s\n", d.Name, m.Name, m.Doc)
			var all []row
			var shared []string // types that have several keys
			own := map[string][]row{}
			for _, k := range m.Keys {
				becomes, types := k.Doc, ""
				if k.Default != "" {
					becomes += " Without it: `" + k.Default + "`."
				}
				if k.Kinds != nil && len(k.Kinds) < 12 {
					types = "the types " + strings.Join(k.Kinds, ", ")
					if len(k.Kinds) == 1 {
						types = "the type " + k.Kinds[0]
					}
				}
				switch n := countKinds(m.Keys, k.Kinds); {
				case types == "":
					all = append(all, row{k.Name, becomes})
				case n == 1:
					all = append(all, row{k.Name, becomes + " Of " + types + "."})
				default:
					if own[types] == nil {
						shared = append(shared, types)
					}
					own[types] = append(own[types], row{k.Name, becomes})
				}
			}
			writeRows(&b, "key", all)
			for _, types := range shared {
				fmt.Fprintf(&b, "\nOf %s:\n", types)
				writeRows(&b, "key", own[types])
			}
		}
		for _, w := range d.Words {
			fmt.Fprintf(&b, "\n### %s: %s\n", d.Name, w.Title)
			var rows []row
			for _, r := range w.Rows {
				rows = append(rows, row{r.Name, r.Doc})
			}
			writeRows(&b, "word", rows)
		}
	}
	page(t, "reference/imports.md", b.String())
}
