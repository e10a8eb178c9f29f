package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/template"
)

type expandVerb struct {
	File  string `arg:"" help:"A Go file that holds a graph, or a spec file."`
	Graph string `placeholder:"NAME" help:"Name of the graph in the file."`
}

func (expandVerb) Help() string {
	return `Templates and patterns are written out, as the checks see the graph; it compiles to the same machine. For a graph in Go,
it is lost that a type belongs to the package, and a condition that calls a Go function stays a call, which is not valid in
YAML.

Examples:

  graphgen expand review.go > review.graph.yaml
  graphgen expand -graph triage agents.go
`
}

// Run prints a graph as YAML.
func (v *expandVerb) Run(ctx context.Context, t *terminal) error {
	folders, err := readFolders(ctx, paths{Paths: []string{v.File}})
	if err != nil {
		return err
	}
	if err := t.refuse(diag.WithoutNotes(findings(ctx, folders)), folders, false); err != nil {
		return err
	}
	var names []string
	var chosen []*spec.Graph
	for _, f := range folders {
		for _, s := range f.selected() {
			names = append(names, s.graph.Name.V)
			if v.Graph == "" || v.Graph == s.graph.Name.V {
				chosen = append(chosen, s.graph)
			}
		}
	}
	if len(chosen) != 1 {
		return fmt.Errorf("%s: choose one of its graphs with -graph: %s", v.File, strings.Join(names, ", "))
	}
	tell := func(cond spec.String, fn string) {
		if fn != "" {
			fmt.Fprintf(t.err, "graphgen: %s:%d:%d: the condition calls the Go function %s; write it as an expression in YAML\n",
				chosen[0].File, cond.Pos.Line, cond.Pos.Col, fn)
		}
	}
	for _, e := range chosen[0].Expand() {
		tell(e.If, e.IfFunc)
	}
	for _, n := range chosen[0].Nodes {
		for _, e := range n.Evals {
			tell(e.If, e.IfFunc)
		}
		for _, b := range n.Branches {
			tell(b.If, b.IfFunc)
		}
	}
	template.Tidy(chosen[0])
	_, err = t.out.Write(spec.Write(chosen[0]))
	return err
}
