package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/prelude"
)

// templatePrefix begins the name of a template, where explain takes a code.
const templatePrefix = "template:"

// explainTemplate prints a template of the prelude, or lists all. Behind the path of a spec and a colon, it is one of the spec.
func explainTemplate(w io.Writer, name string) error {
	if at := strings.LastIndex(name+":", ".yaml:"); at >= 0 {
		path, _ := strings.CutSuffix(name[:at+len(".yaml")], ":")
		file, err := templatesOf(path)
		if err != nil {
			return err
		}
		return explainTemplateOf(w, []*spec.Graph{file}, path, path+":", strings.TrimPrefix(name[len(path):], ":"))
	}
	return explainTemplateOf(w, prelude.Use().Graphs(), "the prelude", "", name)
}

// templatesOf reads a spec with templates.
func templatesOf(path string) (*spec.Graph, error) {
	text, err := disk.readSpec(path)
	if err != nil {
		return nil, err
	}
	g, found := spec.Load(path, text)
	if g == nil || diag.HasErrors(found) {
		return nil, fmt.Errorf("%s cannot be read: graphgen check shows what is wrong with it", path)
	}
	return g, nil
}

// explainTemplateOf prints a template of files, or lists all. Each name follows a prefix.
func explainTemplateOf(w io.Writer, files []*spec.Graph, where, prefix, name string) error {
	var names []string
	for _, file := range files {
		for _, t := range file.Templates {
			if t.Name.V == name {
				_, err := io.WriteString(w, templateText(file, t))
				return err
			}
			if name == "" {
				fmt.Fprintf(w, "%s%s%s  %s\n", templatePrefix, prefix, t.Name.V, firstSentence(t.Doc.V))
			}
			names = append(names, t.Name.V)
		}
	}
	if name == "" {
		return nil
	}
	if near, ok := diag.Suggest(name, names); ok {
		return fmt.Errorf("%s has no template %q; did you mean %s%s%s?", where, name, templatePrefix, prefix, near)
	}
	return fmt.Errorf("%s has no template %q; graphgen explain %s%s lists all", where, name, templatePrefix, strings.TrimSuffix(prefix, ":"))
}

func firstSentence(text string) string {
	first, _, _ := strings.Cut(text, ". ")
	return strings.TrimSuffix(first, ".") + "."
}

// templateText is a template as explain prints it: what it is for, its parameters, its text, and an example.
func templateText(file *spec.Graph, t *spec.Template) string {
	var b strings.Builder
	use := "kind: " + t.Name.V
	if t.IsPattern() {
		use = "pattern: " + t.Name.V
	}
	fmt.Fprintf(&b, "%s: %s\n\n%s", t.Name.V, use, wrapped(t.Doc.V))
	if len(t.Params) > 0 {
		b.WriteString("\nParameters:\n\n")
		var rows [][]string
		for _, p := range t.Params {
			rows = append(rows, []string{p.Name.V, paramType(p), paramDefault(p), p.Doc.V})
		}
		align(&b, rows)
	}
	if t.Example.V != "" {
		fmt.Fprintf(&b, "\nExample:\n\n%s", example(t.Example.V))
	}
	if t.IsPattern() && t.Example.V != "" {
		fmt.Fprintf(&b, "\nBounds of the example: %s.\n", patternBounds(t))
	}
	fmt.Fprintf(&b, "\nIt is this, in %s:\n\n%s", filepath.ToSlash(file.File), shifted(definition(file, t)))
	return b.String()
}

// paramType is the type of a parameter, or its words.
func paramType(p *spec.Param) string {
	if len(p.Enum) == 0 {
		return p.Type.V
	}
	var words []string
	for _, w := range p.Enum {
		words = append(words, w.V)
	}
	return strings.Join(words, " or ")
}

// paramDefault writes what a parameter is where a use does not give it.
func paramDefault(p *spec.Param) string {
	switch {
	case p.Default.Pos.IsSet():
		return "default " + p.Default.Flow()
	case p.Type.V == "tools":
		return "default all tools"
	case p.Optional.V:
		return "optional"
	}
	return "required"
}

// definition is the text of a template in its file.
func definition(file *spec.Graph, t *spec.Template) string {
	lines := strings.Split(strings.TrimRight(string(file.Source), "\n"), "\n")
	end := len(lines)
	for _, other := range file.Templates {
		if line := other.Name.Pos.Line; line > t.Name.Pos.Line && line-1 < end {
			end = line - 1
		}
	}
	return strings.TrimRight(strings.Join(lines[t.Name.Pos.Line-1:end], "\n"), "\n ") + "\n"
}

// shifted indents a text as examples are. Unlike these it is not cut.
func shifted(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight("  "+line, " \n") + "\n")
	}
	return b.String()
}

// patternBounds writes how much a run of the example of a pattern can do.
func patternBounds(t *spec.Template) string {
	g, _ := spec.Load("example"+specSuffix, []byte(t.Example.V))
	if g == nil {
		return "unknown"
	}
	link.Among(nil, nil).Link(g)
	b := bounds.Of(cfg.Of(g))
	return fmt.Sprintf("at most %s and %s", counted(b.Steps.Most, "step"), counted(b.ModelCalls.Most, "model call"))
}
