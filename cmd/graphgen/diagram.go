package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/graphgen/graphgen/gen/diagram"
	"github.com/graphgen/graphgen/gen/picture"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/escape"
)

type diagramVerb struct {
	paths
	Format string `enum:"mermaid,dot,svg,html" default:"mermaid" help:"What to write: ${enum}."`
	Output string `short:"o" placeholder:"FILE" help:"Write to a file, instead of standard output."`
	Theme  string `enum:"auto,light,dark" default:"auto" help:"Colors of svg and html: ${enum}. With auto they are dark where the reader's system is."`
	Open   int    `placeholder:"N" help:"Draw graphs that nodes run within these nodes, N levels deep: in svg and html."`
}

func (diagramVerb) Help() string {
	return `The nodes are drawn from top to bottom, between start and end. A bound is part of the label of a transition, as in ≤3.

In svg and html, kinds of nodes differ by form and icon. A node that runs others is a box around them, with its rule in the header. Failure
routes alone are dashed. Elements have the ids node-NAME and edge-N, where N is the number of the transition that events of runs have, and of
a graph within a node, as in node-look/judge. The files refer to nothing outside, and have no script. An html page has the pictures
of any number of graphs, and below each, closed, pictures of the graphs that its nodes run.

In mermaid and dot, a transition with a condition is a solid line with its condition, one without is dashed, and failure routes are red.

For several graphs, Mermaid is written as a Markdown page with a section for each. A DOT file holds any number of graphs, an SVG file one.

Examples:

  graphgen diagram review.graph.yaml
  graphgen diagram -format svg -o review.svg review.graph.yaml
  graphgen diagram -format html -o graphs.html ./...
  graphgen diagram -o GRAPHS.md ./...
  graphgen diagram -format dot review.graph.yaml | dot -Tpdf > review.pdf
`
}

// drawings are the functions of the formats, for the graphs of the selected specs.
var drawings = map[string]func(v *diagramVerb, graphs []picture.Section) ([]byte, error){
	"mermaid": (*diagramVerb).mermaid, "dot": (*diagramVerb).dot, "svg": (*diagramVerb).svg, "html": (*diagramVerb).html,
}

// Run draws the selected specs.
func (v *diagramVerb) Run(ctx context.Context, t *terminal) error {
	if v.Open < 0 {
		return fmt.Errorf("-open: %d is negative", v.Open)
	}
	folders, err := t.checked(ctx, v.paths)
	if err != nil {
		return err
	}
	text, err := drawings[v.Format](v, graphsOf(folders))
	if err != nil {
		return err
	}
	if v.Output == "" {
		_, err := t.out.Write(text)
		return err
	}
	return writeOutput(ctx, v.Output, text)
}

// graphsOf returns the machines of the selected specs.
func graphsOf(folders []*folder) (graphs []picture.Section) {
	for _, f := range folders {
		for _, s := range f.selected() {
			if !s.graph.TypesOnly() {
				graphs = append(graphs, picture.Section{Title: s.title(), Machine: plan.Lower(s.flow, "main")})
			}
		}
	}
	return graphs
}

// mermaid returns a diagram, or a page of several.
func (v *diagramVerb) mermaid(graphs []picture.Section) ([]byte, error) {
	var b bytes.Buffer
	for k, g := range graphs {
		text := diagram.Mermaid(g.Machine)
		if len(graphs) == 1 {
			return text, nil
		}
		if k > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "## %s\n\n```mermaid\n%s```\n", escape.Code(g.Title), text)
	}
	return b.Bytes(), nil
}

// dot returns diagrams, one after the other.
func (v *diagramVerb) dot(graphs []picture.Section) ([]byte, error) {
	var b bytes.Buffer
	for _, g := range graphs {
		b.Write(diagram.DOT(g.Machine))
	}
	return b.Bytes(), nil
}

// svg returns a picture.
func (v *diagramVerb) svg(graphs []picture.Section) ([]byte, error) {
	if len(graphs) != 1 {
		return nil, fmt.Errorf("an SVG file holds one graph, not %d: select one, or write -format html", len(graphs))
	}
	return picture.Of(graphs[0].Machine, v.options()).SVG(v.style()), nil
}

// html returns a page of pictures.
func (v *diagramVerb) html(graphs []picture.Section) ([]byte, error) {
	return picture.Page(graphs, v.options(), v.style()), nil
}

func (v *diagramVerb) options() picture.Options { return picture.Options{Open: v.Open} }

func (v *diagramVerb) style() picture.Style { return picture.Style{Theme: picture.Themes[v.Theme]} }
