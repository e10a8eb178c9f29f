package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/link"
)

// renames returns the changes that give what is at a place another name.
func (e *editor) renames(uri string, at lspPosition, name string) (map[string][]lspEdit, *answer) {
	e.t.Helper()
	a := e.request("textDocument/rename", map[string]any{"textDocument": map[string]any{"uri": uri}, "position": at, "newName": name})
	if a.Error != nil {
		return nil, &a
	}
	var edit struct{ Changes map[string][]lspEdit }
	if err := json.Unmarshal(a.Result, &edit); err != nil {
		e.t.Fatal(err)
	}
	return edit.Changes, nil
}

// TestRename renames what is in a folder, with what is expected of each file.
func TestRename(t *testing.T) {
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
		if name != "go.mod" {
			e.open(name, text)
		}
	}
	tests := []struct {
		name, at, to string
		changed      map[string]string // parts of files, by |
		refused      string
	}{
		{"a node", "  dra‸ft: {reads", "author", map[string]string{
			"review.graph.yaml":     "entry: author|  author: {reads|from: author, to: critic|to: author, if|passes author",
			"review.scenarios.yaml": "author: [{out|path: [author, critic]",
		}, ""},
		{"a field", "top‸ic: string", "subject", map[string]string{
			"review.graph.yaml":     "  subject: string|input: subject|reads: subject",
			"prompts/judge.md":      "is about {{subject}}",
			"review.scenarios.yaml": "input: {subject: otters}",
		}, ""},
		{"a field in an expression", "art‸icle: string", "text", map[string]string{
			"review.graph.yaml":     `state.Text != ""|output: [text, grade]`,
			"prompts/judge.md":      "{{text}} is",
			"review.scenarios.yaml": "out: {text: v1}",
		}, ""},
		{"a name that is taken", "  dra‸ft: {reads", "critic", nil, `the name "critic" is taken`},
		{"what is no name", "  dra‸ft: {reads", "a b", nil, `"a b" is not a name`},
		{"a name that Go has for another", "top‸ic: string", "Article", nil, "with the name"},
		{"a place without a name", "gr‸aph: review", "x", nil, "there is no name here"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(tt.at, cursorMark, "", 1)
			const file = "review.graph.yaml"
			at := strings.Index(navigated[file], text) + strings.Index(tt.at, cursorMark)
			changes, refused := e.renames(fileURI(file), positionIn(navigated[file], at), tt.to)
			switch {
			case (refused != nil) != (tt.refused != ""):
				t.Fatalf("it is refused: %v", refused)
			case refused != nil:
				if !strings.Contains(refused.Error.Message, tt.refused) {
					t.Errorf("it is refused: %s, want %s", refused.Error.Message, tt.refused)
				}
				return
			}
			for name, parts := range tt.changed {
				after := edited(t, navigated[name], changes[fileURI(name)])
				for part := range strings.SplitSeq(parts, "|") {
					if !strings.Contains(after, part) {
						t.Errorf("%s has not %q:\n%s", name, part, after)
					}
				}
			}
		})
	}
}

// renamedGo is the module of TestRenameInGo: a graph, its handlers, and a package that uses generated code. A method of another type has the
// name of the node's method, and keeps it.
var renamedGo = map[string]string{
	"a.graph.yaml": "graph: work\nentry: draft\nstate: {topic: string, text: string}\ninput: topic\noutput: text\nends: [kept, gone]\nnodes:\n" +
		"  draft: {reads: topic, output: {text: string, done: bool}, writes: text}\nedges:\n" +
		"  - {from: draft, to: draft, if: '!out.Done && out.Text != \"\"', max_iterations: 2, priority: 1}\n" +
		"  - {from: draft, to: gone, if: out.Done, priority: 1}\n  - {from: draft, to: kept}\n",
	"a.scenarios.yaml": "graph: a.graph.yaml\nscenarios:\n  - name: it is kept\n    script: {draft: {out: {text: x, done: false}, choose: kept}}\n" +
		"    expect: {ending: kept, events: [route draft to kept]}\n",
	"handlers.go": `package a

import "context"

// Handlers writes.
type Handlers struct{}

func (Handlers) Draft(_ context.Context, in WorkDraftIn) (WorkDraftOut, error) {
	return WorkDraftOut{Text: in.Topic}, nil
}

// Writer is a method without a node.
func (Handlers) Writer() {}

type other struct{}

func (other) Draft() string { return "Draft" }

var _ = other.Draft(other{})
`,
	"use/use.go": `package use

import a "example.com/renamed"

var Node = a.WorkDraft

var Ending = a.WorkEndingKept

func Topic(in a.WorkDraftIn) string { return in.Topic }

var _ = a.Handlers.Draft

type Wrapped struct{ *a.WorkDraftIn }

func Wrap(in a.WorkDraftIn) string { return Wrapped{WorkDraftIn: &in}.WorkDraftIn.Topic }
`,
}

// TestRenameInGo renames a node and a field in Go: constants, types, methods of handlers, and fields of structs. The module builds, and the generated
// file is what graphgen writes.
func TestRenameInGo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the runtime")
	}
	module := tempmodule.New(t, "example.com/renamed", "../..")
	for name, text := range renamedGo {
		module.Write(name, text)
	}
	t.Chdir(module.Dir)
	t.Setenv("GOFLAGS", "-mod=mod -buildvcs=false -trimpath")
	t.Setenv("GOWORK", "off")
	generate := func() string {
		t.Helper()
		var out bytes.Buffer
		if status := run(t.Context(), []string{"generate", "."}, &out, &out); status != exitFine {
			t.Fatal(out.String())
		}
		made, err := os.ReadFile("a_graph.go")
		if err != nil {
			t.Fatal(err)
		}
		return string(made)
	}
	generate()
	e := startEditor(t, module.Dir)
	spec := renamedGo["a.graph.yaml"]
	uri := e.open("a.graph.yaml", spec)
	tests := []struct {
		name, at, to string
		refused      string
		want         map[string]string // parts of files, by |
	}{
		{"a name that a method has", "  dra‸ft: {reads", "writer",
			`with the name "writer" the Go code does not compile: handlers.go: method Handlers.Writer already declared`, nil},
		{"a node", "  dra‸ft: {reads", "author", "", map[string]string{
			"handlers.go": "func (Handlers) Author(_ context.Context, in WorkAuthorIn) (WorkAuthorOut, error)|return WorkAuthorOut{Text|" +
				"func (other) Draft()|other.Draft(other{})",
			"use/use.go": "a.WorkAuthor\n|in a.WorkAuthorIn)|a.Handlers.Author|struct{ *a.WorkAuthorIn }|Wrapped{WorkAuthorIn: &in}.WorkAuthorIn.Topic",
		}},
		{"a field", "{top‸ic: string", "subject", "", map[string]string{
			"handlers.go": "Text: in.Subject|in WorkDraftIn",
			"use/use.go":  "return in.Subject|func Topic(",
		}},
		{"a field that an output has", " te‸xt: string}\ninput", "article", "", map[string]string{
			"a.graph.yaml": "output: {article: string, done: bool}|writes: article|!out.Done && out.Article|output: article",
			"handlers.go":  "WorkDraftOut{Article: in.Topic}",
		}},
		{"an end", "[ke‸pt, gone]", "saved", "", map[string]string{
			"a.graph.yaml":     "ends: [saved, gone]|to: saved}",
			"a.scenarios.yaml": "choose: saved|ending: saved|to saved]",
			"use/use.go":       "a.WorkEndingSaved",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at := strings.Index(spec, strings.Replace(tt.at, cursorMark, "", 1)) + strings.Index(tt.at, cursorMark)
			changes, refused := e.renames(uri, positionIn(spec, at), tt.to)
			if refused != nil && tt.refused != "" && strings.Contains(refused.Error.Message, tt.refused) {
				return
			}
			if refused != nil || tt.refused != "" {
				t.Fatalf("it is refused: %v, want %q", refused, tt.refused)
			}
			for uri, edits := range changes {
				path := strings.TrimPrefix(uri, "file://")
				before, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				after := edited(t, string(before), edits)
				if err := os.WriteFile(path, []byte(after), 0o666); err != nil {
					t.Fatal(err)
				}
				defer os.WriteFile(path, before, 0o666)
				name, _ := filepath.Rel(module.Dir, path)
				for part := range strings.SplitSeq(tt.want[name], "|") {
					if !strings.Contains(after, part) {
						t.Errorf("%s has not %q:\n%s", name, part, after)
					}
				}
				delete(tt.want, name)
			}
			if len(tt.want) > 0 {
				t.Errorf("there are no edits of %v", tt.want)
			}
			if out, err := module.Go("vet", "./..."); err != nil {
				t.Errorf("%v: %s", err, out)
			}
			renamed, err := os.ReadFile("a_graph.go")
			if err != nil {
				t.Fatal(err)
			}
			if want := generate(); string(renamed) != want {
				t.Errorf("the generated file is\n%s\nwant\n%s", renamed, want)
			}
		})
	}
}

// TestRenameInUnfinishedGo renames a node where the Go code does not compile yet: generated code is older than the spec, or methods are to be written. A
// method that is there gets the new name.
func TestRenameInUnfinishedGo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the runtime")
	}
	const (
		oneNode = "graph: work\nentry: draft\nstate: {topic: string, text: string}\ninput: topic\noutput: text\nnodes:\n" +
			"  draft: {reads: topic, writes: text, next: %s}\n"
		critic   = "  critic: {reads: text, writes: text}\n"
		publish  = "  publish: {reads: text}\n"
		handlers = "package a\n\nimport \"context\"\n\ntype Handlers struct{}\n\nvar _ WorkHandlers = Handlers{}\n\n" +
			"func (Handlers) %s(_ context.Context, in %s) (%s, error) { panic(in) }\n\ntype WorkTakenIn struct{}\n\n" +
			"func shadow(WorkShadowIn int) { var _ WorkDraftIn }\n"
	)
	draft := fmt.Sprintf(handlers, "Draft", "WorkDraftIn", "WorkDraftOut")
	nodes := func(next, more string) string { return fmt.Sprintf(oneNode, next) + more }
	unwritten := strings.Replace(draft, ") Draft", ") Other", 1)
	tests := []struct {
		name, generated, spec, handlers, to, want string
	}{
		{"the spec has a node that is not generated", nodes("end", ""), nodes("publish", publish), draft, "author",
			") Author(_ context.Context, in WorkAuthorIn)"},
		{"two methods are to be written", nodes("critic", critic), nodes("critic", critic), unwritten, "author",
			") Other(_ context.Context, in WorkAuthorIn)"},
		{"another method is to be written", nodes("critic", critic), nodes("critic", critic), draft, "author",
			") Author(_ context.Context, in WorkAuthorIn)"},
		{"a type that is of no graph has such a method", nodes("critic", critic), nodes("critic", critic), draft + "\nfunc (WorkTakenIn) Draft() {}\n",
			"author", "func (WorkTakenIn) Draft()"},
		{"the new name has the old one in it", nodes("end", ""), nodes("end", ""), unwritten, "draft2",
			") Other(_ context.Context, in WorkDraft2In)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			module := tempmodule.New(t, "example.com/renamed", "../..")
			t.Chdir(module.Dir)
			t.Setenv("GOFLAGS", "-mod=mod -buildvcs=false -trimpath")
			t.Setenv("GOWORK", "off")
			module.Write("handlers.go", tt.handlers)
			module.Write("a.graph.yaml", tt.generated)
			var out bytes.Buffer
			if status := run(t.Context(), []string{"generate", "."}, &out, &out); status != exitFine {
				t.Fatal(out.String())
			}
			module.Write("a.graph.yaml", tt.spec)
			e := startEditor(t, module.Dir)
			changes, refused := e.renames(e.open("a.graph.yaml", tt.spec), positionIn(tt.spec, strings.Index(tt.spec, "  draft:")+4), tt.to)
			if refused != nil {
				t.Fatalf("it is refused: %s", refused.Error.Message)
			}
			if after := edited(t, tt.handlers, changes[fileURI("handlers.go")]); !strings.Contains(after, tt.want) {
				t.Errorf("handlers.go has not %q:\n%s", tt.want, after)
			}
			for name, want := range map[string]string{"taken": "WorkTakenIn redeclared", "shadow": "is not a type"} {
				_, refused = e.renames(fileURI("a.graph.yaml"), positionIn(tt.spec, strings.Index(tt.spec, "  draft:")+4), name)
				if refused == nil || !strings.Contains(refused.Error.Message, want) {
					t.Errorf("the name %q, which the code has, is refused with %v, want %s", name, refused, want)
				}
			}
		})
	}
}

// An exampleSymbol is a node or a field of an example.
type exampleSymbol struct{ spec, of, name string }

// exampleSymbols returns the nodes and the state fields of the examples.
func exampleSymbols(t *testing.T, root string) (list []exampleSymbol) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !link.IsSpec(path) {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		g, _ := spec.Load(path, text)
		rel, _ := filepath.Rel(root, path)
		for _, n := range g.Nodes {
			list = append(list, exampleSymbol{rel, "node", n.Name.V})
		}
		for _, f := range g.State {
			list = append(list, exampleSymbol{rel, "state field", f.Name.V})
		}
		return nil
	})
	if err != nil || len(list) < 100 {
		t.Fatal(len(list), err)
	}
	return list
}

// TestRenameExamples renames the nodes and fields of the examples: what it gives compiles with its tests, generated files are those that graphgen
// writes, and the scenarios are green, unless some play what was recorded with the old name.
func TestRenameExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("builds examples")
	}
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(repo, "examples"))); err != nil {
		t.Fatal(err)
	}
	replaceAbsolute(t, dir, filepath.Join(repo, "examples"))
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod -trimpath")
	symbols := exampleSymbols(t, dir)
	e := startEditor(t, dir)
	for _, s := range tier.Some(t, 0, 1, symbols) {
		renameExample(t, e, s)
	}
}

// replaceAbsolute gives the modules of a copy of a folder the modules that are outside of the folder.
func replaceAbsolute(t *testing.T, dir, from string) {
	t.Helper()
	relative := regexp.MustCompile(`=> (\.\.?/\S*)`)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != "go.mod" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		below, _ := filepath.Rel(dir, filepath.Dir(path))
		return os.WriteFile(path, relative.ReplaceAllFunc(text, func(m []byte) []byte {
			to := filepath.Join(from, below, strings.TrimPrefix(string(m), "=> "))
			if strings.HasPrefix(to+"/", from+"/") {
				return m
			}
			return []byte("=> " + to)
		}), 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// renameExample renames a symbol, builds, and restores the files.
func renameExample(t *testing.T, e *editor, s exampleSymbol) {
	t.Helper()
	if only := os.Getenv("RENAME_ONLY"); only != "" && !regexp.MustCompile(only).MatchString(s.spec) {
		return
	}
	text, err := os.ReadFile(s.spec)
	if err != nil {
		t.Fatal(err)
	}
	section := map[string]string{"node": "\nnodes:", "state field": "\nstate:"}[s.of]
	begin := strings.Index(string(text), section)
	at := regexp.MustCompile(`[\s{,]["']?` + regexp.QuoteMeta(s.name) + `["']?:`).FindStringIndex(string(text)[begin+len(section):])
	if begin < 0 || at == nil {
		t.Fatalf("%s has not the %s %s", s.spec, s.of, s.name)
	}
	uri := e.open(s.spec, string(text))
	defer e.close(uri)
	position := positionIn(string(text), begin+len(section)+at[0]+1+strings.Index(string(text)[begin+len(section)+at[0]+1:], s.name))
	changes, refused := e.renames(uri, position, s.name+"_anew")
	if refused != nil {
		t.Errorf("%s: the %s %s: %s", s.spec, s.of, s.name, refused.Error.Message)
		return
	}
	was := map[string][]byte{}
	defer func() {
		for path, text := range was {
			if err := os.WriteFile(path, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}()
	folders := map[string]bool{}
	for uri, edits := range changes {
		path := strings.TrimPrefix(uri, "file://")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		was[path] = text
		if err := os.WriteFile(path, []byte(edited(t, string(text), edits)), 0o666); err != nil {
			t.Fatal(err)
		}
		folders[filepath.Dir(path)] = true
	}
	t.Logf("%s: the %s %s: %d files", s.spec, s.of, s.name, len(changes))
	what := fmt.Sprintf("%s: after the %s %s is renamed", s.spec, s.of, s.name)
	module := link.Root(filepath.Join(e.root, filepath.Dir(s.spec)), os.ReadFile) // examples have modules of their own, too
	run := func(name string, args ...string) {
		cmd := exec.CommandContext(t.Context(), name, args...)
		if name == "go" {
			cmd.Dir = module
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s, %s %s: %v\n%.3000s", what, name, strings.Join(args, " "), err, out)
		}
	}
	run("go", "vet", "./...")
	run("graphgen", "check", "-diff", "./...")
	scenarios, err := os.ReadFile(strings.TrimSuffix(s.spec, specSuffix) + ".scenarios.yaml")
	if err == nil && !strings.Contains(string(scenarios), "recording:") { // a recording has the old names
		run("graphgen", "test", s.spec)
	}
}
