package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/gen/schema"
	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/prelude"
)

// patternFiles returns the files of a graph of a pattern: the example of the pattern, its scenarios, their recording
// and the generated files. They are a package of the name of the graph, for the Go code that has the tools and the model.
func (v *initVerb) patternFiles() ([]*output, error) {
	p, err := patternNamed(v.Pattern)
	if err != nil {
		return nil, err
	}
	var files []*output
	add := func(name string, content []byte) {
		files = append(files, &output{path: filepath.Join(v.Dir, name), content: content})
	}
	text := []byte(schema.HeaderComment(schemaFile) + "\n" + p.Example.V + "\n")
	graph, _ := spec.Load("", text) // a test checks that it has no errors
	name := graph.Name.V
	graph.File = name + specSuffix
	link.Among(nil, nil).Link(graph)
	add(graph.File, text)
	if scenarios := prelude.Scenarios(p.Name.V); scenarios != nil {
		add(name+scenario.Suffix, scenarios)
	}
	if recording := prelude.Recording(p.Name.V); recording != nil {
		add(name+".jsonl", recording)
	}
	add("generate.go",
		fmt.Appendf(nil, "// Package %s holds the graph %s, of the pattern %s.\npackage %[1]s\n\n//go:generate go tool graphgen\n", name, name, p.Name.V))
	generated, err := golang.Emit(plan.Lower(cfg.Of(graph), name))
	if err != nil {
		return nil, err
	}
	for _, g := range generated {
		add(g.Name, g.Content)
	}
	add(schemaFile, schema.Language())
	return files, nil
}

// patternNamed returns the pattern of that name.
func patternNamed(name string) (*spec.Template, error) {
	var names []string
	for _, file := range prelude.Use().Graphs() {
		for _, t := range file.Templates {
			if !t.IsPattern() {
				continue
			}
			if t.Name.V == name {
				return t, nil
			}
			names = append(names, t.Name.V)
		}
	}
	if near, ok := diag.Suggest(name, names); ok {
		return nil, fmt.Errorf("there is no pattern %q; did you mean %s?", name, near)
	}
	return nil, fmt.Errorf("there is no pattern %q; there are %s", name, strings.Join(names, ", "))
}
