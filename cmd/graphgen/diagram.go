package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/graphgen/graphgen/gen/diagram"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/escape"
)

type diagramVerb struct {
	paths
	Format string `enum:"mermaid,dot" default:"mermaid" help:"What to write: ${enum}."`
	Output string `short:"o" placeholder:"FILE" help:"Write to a file, instead of standard output."`
}

func (diagramVerb) Help() string {
	return `The nodes are drawn from top to bottom, between start and end. A transition with a condition is a solid line
with its condition, one without is dashed, and failure routes are red. A bound is part of the label, as in ≤3.

For several graphs, Mermaid is written as a Markdown page with a section for each. A DOT file holds any number of graphs.

Examples:

  graphgen diagram review.graph.yaml
  graphgen diagram -o GRAPHS.md ./...
  graphgen diagram -format dot review.graph.yaml | dot -Tsvg > review.svg
`
}

// drawings maps formats to their functions.
var drawings = map[string]func(*plan.Machine) []byte{"mermaid": diagram.Mermaid, "dot": diagram.DOT}

// Run draws the selected specs.
func (v *diagramVerb) Run(ctx context.Context, t *terminal) error {
	folders, err := t.checked(ctx, v.paths)
	if err != nil {
		return err
	}
	text := v.draw(folders)
	if v.Output == "" {
		_, err := t.out.Write(text)
		return err
	}
	return writeOutput(ctx, v.Output, text)
}

// draw returns the diagrams of the selected specs.
func (v *diagramVerb) draw(folders []*folder) []byte {
	var drawn, page bytes.Buffer
	count := 0
	for _, f := range folders {
		for _, s := range f.selected() {
			if s.graph.TypesOnly() {
				continue
			}
			text := drawings[v.Format](plan.Lower(s.flow, "main"))
			drawn.Write(text)
			if count > 0 {
				page.WriteString("\n")
			}
			fmt.Fprintf(&page, "## %s\n\n```mermaid\n%s```\n", escape.Code(s.title()), text)
			count++
		}
	}
	if count > 1 && v.Format == "mermaid" {
		return page.Bytes()
	}
	return drawn.Bytes()
}
