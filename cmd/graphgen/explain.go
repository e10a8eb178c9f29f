package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/scenario/temp"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/compat"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/dialect/workflow"
	"github.com/graphgen/graphgen/spec/gotag"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/shape"
)

type explainVerb struct {
	Code string `arg:"" optional:"" help:"A code such as GG012, a key or word of specs, template:NAME or template:FILE:NAME. Without one, all codes are listed."`
}

func (explainVerb) Help() string {
	return `Examples:

  graphgen explain GG012
  graphgen explain unknown-key
  graphgen explain max_visits              a key, with the smallest example
  graphgen explain node.timeout            a key that several mappings have
  graphgen explain
  graphgen explain template:critique
  graphgen explain template:               all templates
  graphgen explain template:bricks.types.yaml:graded     one of a file
`
}

// A family is a set of rules whose examples are files of one kind.
type family struct {
	title string
	rules []diag.Rule
	about string // a spec that the examples refer to; "": the examples are specs
	file  string // file name of an example
	find  func(file, text string) ([]diag.Diagnostic, error)
}

func families() []family {
	return []family{
		{title: "The form of a spec", rules: spec.SyntaxRules(), file: "example" + specSuffix, find: findInReading},
		{title: "The meaning of a graph", rules: check.Rules(), file: "example" + specSuffix, find: findInSpec},
		{title: "Changes since a release", rules: compat.Rules(), file: "example" + specSuffix, find: findInReleased},
		{title: "Lock files", rules: shape.Rules(), file: "example" + shape.LockSuffix, find: findInLock},
		{title: "Graphs in Go", rules: gotag.Rules(), file: "example" + goSuffix, find: findInGo},
		{title: "Files of other formats", rules: draft.Rules(), file: "example.yaml", find: findInForeign},
		{title: "Scenarios", rules: scenario.Rules(), about: scenario.RuleSpec, file: "review" + scenario.Suffix, find: findInScenarios},
	}
}

// Run explains a code or a key, or lists all codes.
func (v *explainVerb) Run(t *terminal) error {
	if name, is := strings.CutPrefix(v.Code, templatePrefix); is {
		return explainTemplate(t.out, name)
	}
	var names []string
	for _, f := range families() {
		for _, r := range f.rules {
			switch {
			case v.Code == "":
				fmt.Fprintf(t.out, "%s  %s\n", r.Code, r.Name)
			case strings.EqualFold(v.Code, r.Code), strings.EqualFold(v.Code, r.Name):
				if err := f.explain(t, r); err != nil {
					return err
				}
				explainKey(t.out, meanings(v.Code), "\n")
				return nil
			}
			names = append(names, r.Code, r.Name)
		}
	}
	if v.Code == "" {
		return nil
	}
	if list := meanings(v.Code); len(list) > 0 {
		explainKey(t.out, list, "")
		return nil
	}
	if near, ok := diag.Suggest(v.Code, append(names, keyNames()...)); ok {
		return fmt.Errorf("there is no code or key %q; did you mean %s?", v.Code, near)
	}
	return fmt.Errorf("there is no code or key %q; graphgen explain lists the codes, docs/reference/spec-reference.md the keys", v.Code)
}

// explain prints a rule with its examples, and the diagnostics of the bad example.
func (f *family) explain(t *terminal, r diag.Rule) error {
	rendered, err := f.rendered(r.Code, r.Bad)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s: %s\n\n%s", r.Code, r.Name, wrapped(r.Doc))
	if f.about != "" {
		fmt.Fprintf(t.out, "\nFor this spec:\n\n%s", example(f.about))
	}
	fmt.Fprintf(t.out, "\nThis is wrong:\n\n%s\nIt gives:\n\n%s\nThis is right:\n\n%s", example(r.Bad), example(rendered), example(r.Good))
	return nil
}

// found returns the diagnostics of an example. It drops the notes of other rules, since examples
// are too small to use all that they declare.
func (f *family) found(code, text string) ([]diag.Diagnostic, error) {
	found, err := f.find(f.file, text)
	return slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return d.Severity == diag.Note && d.Code != code }), err
}

// rendered returns the diagnostics of an example as text.
func (f *family) rendered(code, text string) (string, error) {
	found, err := f.found(code, text)
	if err != nil {
		return "", err
	}
	source := func(name string) []byte {
		for _, file := range diag.Files(f.file, text) {
			if file.Name == name {
				return []byte(file.Text)
			}
		}
		return nil
	}
	var rendered strings.Builder
	err = diag.Render(&rendered, diag.Sort(found), diag.Options{Source: source})
	return rendered.String(), err
}

// findInReading returns the diagnostics of the reader, since these examples are not whole graphs.
func findInReading(file, text string) ([]diag.Diagnostic, error) {
	_, found := spec.Load(file, []byte(text))
	return found, nil
}

// findInSpec returns the diagnostics of the specs of an example.
func findInSpec(file, text string) (found []diag.Diagnostic, err error) {
	var graphs []*cfg.Graph
	files := diag.Files(file, text)
	linker := link.Among(files, judged)
	for _, f := range files {
		if !link.IsSpec(f.Name) {
			continue // the text of a prompt
		}
		graph, ds := spec.Load(f.Name, []byte(f.Text))
		found = append(found, ds...)
		if graph != nil {
			linker.Link(graph)
			flow := cfg.Of(graph)
			found = append(found, check.Run(flow)...)
			graphs = append(graphs, flow)
		}
	}
	return append(found, check.Package(graphs)...), nil
}

// findInReleased returns what the spec of an example has changed since the last release of its lock file.
func findInReleased(_, text string) ([]diag.Diagnostic, error) {
	var lock *shape.Lock
	var now *shape.Shape
	var found []diag.Diagnostic
	var file string
	for _, f := range diag.Files("", text) {
		if strings.HasSuffix(f.Name, shape.LockSuffix) {
			var ds []diag.Diagnostic
			lock, ds = shape.ParseLock(f.Name, []byte(f.Text))
			found = append(found, ds...)
			continue
		}
		graph, ds := spec.Load(f.Name, []byte(f.Text))
		if found = append(found, ds...); graph != nil {
			flow := cfg.Of(graph)
			found = append(found, check.Run(flow)...)
			file, now = f.Name, shape.Of(flow)
		}
	}
	return append(found, compat.Check(file, lock, now)...), nil
}

// findInLock returns the diagnostics of a lock file.
func findInLock(file, text string) ([]diag.Diagnostic, error) {
	_, found := shape.ParseLock(file, []byte(text))
	return found, nil
}

// findInGo returns the diagnostics of the graphs of a Go file.
func findInGo(file, text string) ([]diag.Diagnostic, error) {
	graphs, found := gotag.LoadSource(file, []byte(text))
	for _, g := range graphs {
		found = append(found, judged(g)...)
	}
	return found, nil
}

// judged returns the diagnostics of a spec by itself.
func judged(g *spec.Graph) []diag.Diagnostic { return check.Run(cfg.Of(g)) }

// findInForeign returns the diagnostics of importing a workflow.
func findInForeign(file, text string) ([]diag.Diagnostic, error) {
	_, found := draft.Import(&workflow.Dialect, &draft.File{Name: file, Text: []byte(text)})
	return found, nil
}

// findInScenarios returns the diagnostics of a scenario file of the rules' spec. It runs no
// scenario.
func findInScenarios(file, text string) ([]diag.Diagnostic, error) {
	dir, remove, err := temp.Dir("graphgen-explain-")
	if err != nil {
		return nil, err
	}
	defer remove()
	graph := strings.TrimSuffix(file, scenario.Suffix) + specSuffix
	for name, content := range map[string]string{graph: scenario.RuleSpec, file: text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			return nil, err
		}
	}
	summary, err := scenario.Test(context.Background(), scenario.Config{Dir: dir, Files: []string{graph}, Run: "^$"})
	return summary.Diagnostics, err
}

// maxExampleLines is the most lines of an example that are printed.
const maxExampleLines = 40

// example indents an example. It prints characters that a terminal would interpret as �.
func example(text string) string {
	var b strings.Builder
	for line := range strings.Lines(shown(text)) {
		b.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
	}
	return b.String()
}

// shown returns an example in readable form.
func shown(text string) string {
	lines := strings.Split(strings.TrimRight(strings.ToValidUTF8(text, "\ufffd"), "\n"), "\n")
	if more := len(lines) - maxExampleLines; more > 0 {
		lines = append(lines[:maxExampleLines/4], fmt.Sprintf("… and %d lines more", more+maxExampleLines*3/4))
	}
	return strings.Map(func(c rune) rune {
		if c != '\t' && c != '\n' && unicode.IsControl(c) {
			return unicode.ReplacementChar
		}
		return c
	}, strings.Join(lines, "\n")+"\n")
}

// wrapped wraps the long lines of a text.
func wrapped(text string) string {
	const width = 80
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(text) + "\n") {
		column := 0
		for i, word := range strings.Fields(line) {
			size := utf8.RuneCountInString(word)
			switch {
			case i == 0:
			case column+1+size > width:
				b.WriteString("\n")
				column = 0
			default:
				b.WriteString(" ")
				column++
			}
			b.WriteString(word)
			column += size
		}
		b.WriteString("\n")
	}
	return b.String()
}
