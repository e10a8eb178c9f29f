package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/gen/diagram"
	"github.com/graphgen/graphgen/gen/picture"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/diff"
	"github.com/graphgen/graphgen/spec/escape"
)

type diagramVerb struct {
	paths
	Format string `enum:"mermaid,dot,svg,html" default:"mermaid" help:"What to write: ${enum}."`
	Output string `short:"o" placeholder:"FILE" help:"Write to a file, instead of standard output."`
	Theme  string `enum:"auto,light,dark" default:"auto" help:"Colors of svg and html: ${enum}. With auto they are dark where the reader's system is."`
	Open   int    `placeholder:"N" help:"Draw graphs that nodes run within these nodes, N levels deep: in svg and html."`

	Runs    []string `name:"run" placeholder:"RUN" sep:"none" help:"Show what a run did, in svg and html: its report as JSON, its events as JSON lines, or file:FOLDER#THREAD. Several runs are added."`
	Cover   bool     `help:"Show the counts of the scenarios, or of the runs of -run, and what none of them took: in svg and html."`
	Against string   `placeholder:"REV" help:"Show what was added, changed and removed since a Git revision, in svg and html."`
}

func (diagramVerb) Help() string {
	return `The nodes are drawn from top to bottom, between start and end. A bound is part of the label of a transition, as in ≤3.

In svg and html, each kind of node has its own form and icon. A composite node is a box around the nodes that it runs, with its rule in the
header. Failure routes are dashed. Elements have the ids node-NAME and edge-N, where N is the transition's number in events; in a subgraph,
the path of its node comes first, as in node-look/judge. The files load nothing and have no script. An html page has the pictures of any
number of graphs, and below each one, collapsed, the pictures of its subgraphs.

With -run, nodes and transitions that a run took are green, with their counts, failures are red, waiting nodes amber, and all others faint.
Name a thread of a file store as file:FOLDER#THREAD. With -cover, the counts are those in the scenarios, or in the runs of -run, and
whatever none of them took is marked never. With -against, nodes and transitions that differ from a Git revision are marked added, changed
or removed.

In mermaid and dot, transitions with a condition are solid, unconditional ones dashed, and failure routes red.

For several graphs, Mermaid is written as a Markdown page with a section for each. A DOT file holds any number of graphs, an SVG file one.

Examples:

  graphgen diagram review.graph.yaml
  graphgen diagram -format svg -o review.svg review.graph.yaml
  graphgen diagram -format html -o graphs.html ./...
  graphgen diagram -format svg -run report.json -o run.svg review.graph.yaml
  graphgen diagram -format html -cover -o cover.html ./...
  graphgen diagram -format svg -against main -o change.svg review.graph.yaml
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
	switch {
	case v.Open < 0:
		return fmt.Errorf("-open: %d is negative", v.Open)
	case v.Format != "svg" && v.Format != "html" && (len(v.Runs) > 0 || v.Cover || v.Against != "" || v.Open > 0):
		return fmt.Errorf("-run, -cover, -against and -open need -format svg or html")
	case v.Against != "" && (len(v.Runs) > 0 || v.Cover):
		return fmt.Errorf("-against shows another version, which has no runs: leave out -run and -cover")
	}
	folders, err := t.checked(ctx, v.paths)
	if err != nil {
		return err
	}
	graphs, err := v.graphs(ctx, folders)
	if err != nil {
		return err
	}
	text, err := drawings[v.Format](v, graphs)
	if err != nil {
		return err
	}
	if v.Output == "" {
		_, err := t.out.Write(text)
		return err
	}
	return writeOutput(ctx, v.Output, text)
}

// graphs returns the machines of the selected specs, with what their pictures show.
func (v *diagramVerb) graphs(ctx context.Context, folders []*folder) (graphs []picture.Section, err error) {
	var sources []*source
	for _, f := range folders {
		for _, s := range f.selected() {
			if !s.graph.TypesOnly() {
				sources = append(sources, s)
			}
		}
	}
	found, err := v.counts(ctx, sources)
	if err != nil {
		return nil, err
	}
	shown := false
	for _, s := range sources {
		g := picture.Section{Title: s.title(), Machine: plan.Lower(s.flow, "main"), Options: picture.Options{Open: v.Open}}
		if c := found[g.Machine.Name]; c != nil || v.Cover {
			if c == nil {
				c = found.of(g.Machine.Name)
			}
			shown = true
			if g.Options.Marks, err = c.marks(g.Machine, v.Cover); err != nil {
				return nil, err
			}
		}
		if v.Against != "" {
			old, err := versionAt(ctx, v.Against, s)
			if err != nil {
				return nil, err
			}
			g.Options.Against, g.Options.Changed = plan.Lower(old, "main"), changedNodes(old, s.flow)
		}
		graphs = append(graphs, g)
	}
	if len(v.Runs) > 0 && !shown {
		return nil, fmt.Errorf("-run: the runs are of graph %s, which is not selected", strings.Join(slices.Sorted(maps.Keys(found)), ", "))
	}
	return graphs, nil
}

// counts returns what the runs of -run have done, or with -cover the scenarios.
func (v *diagramVerb) counts(ctx context.Context, sources []*source) (runs, error) {
	found := runs{}
	for _, name := range v.Runs {
		all, err := readRuns(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("-run %s: %w", name, err)
		}
		for _, r := range all {
			found.add(r)
		}
	}
	if !v.Cover || len(v.Runs) > 0 {
		return found, nil
	}
	var files []string
	for _, s := range sources {
		if !slices.Contains(files, s.path) {
			files = append(files, s.path)
		}
	}
	summary, err := scenario.Test(ctx, scenario.Config{Files: files, Cover: true})
	switch {
	case err != nil:
		return nil, err
	case !summary.OK():
		return nil, errors.New("-cover: scenarios fail: graphgen test shows them")
	}
	for k := range summary.Graphs {
		g := &summary.Graphs[k]
		for _, s := range sources {
			if filepath.Clean(s.path) == filepath.Clean(g.Spec) && g.Cover != nil {
				found.of(s.graph.Name.V).scenarios(plan.Lower(s.flow, "main"), g.Cover)
			}
		}
	}
	return found, nil
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
	return picture.Of(graphs[0].Machine, graphs[0].Options).SVG(v.style()), nil
}

// html returns a page of pictures.
func (v *diagramVerb) html(graphs []picture.Section) ([]byte, error) {
	return picture.Page(graphs, v.style()), nil
}

func (v *diagramVerb) style() picture.Style { return picture.Style{Theme: picture.Themes[v.Theme]} }

// changedNodes returns the nodes that have changed, each with how.
func changedNodes(old, now *cfg.Graph) map[string]string {
	notes := map[string]string{}
	for _, c := range diff.Between(old, now) {
		if c.Kind == diff.Changed && (c.Section == diff.Nodes || c.Section == diff.Edges && strings.HasPrefix(c.What, "order: ")) {
			notes[c.Of] = strings.TrimPrefix(notes[c.Of]+"; "+c.What, "; ")
		}
	}
	return notes
}

// versionAt returns a spec at a Git revision, with the files that it uses there.
func versionAt(ctx context.Context, rev string, s *source) (*cfg.Graph, error) {
	here, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	path := s.path
	if rel, err := filepath.Rel(here, path); err == nil && filepath.IsAbs(path) {
		path = rel
	}
	text, err := revisionText(ctx, rev, "./"+filepath.ToSlash(path))
	if err != nil {
		return nil, fmt.Errorf("-against: %w", err)
	}
	v, err := revisionOf(ctx, rev, here)
	if err != nil {
		return nil, fmt.Errorf("-against: %w", err)
	}
	graphs, found := readGraphs(s.path, text)
	for _, g := range graphs {
		if g == nil || diag.HasErrors(found) || len(graphs) > 1 && g.Name.V != s.graph.Name.V {
			continue
		}
		v.link(ctx, g)
		flow := cfg.Of(g)
		if found = append(found, check.Run(flow)...); !diag.HasErrors(found) {
			return flow, nil
		}
	}
	for _, d := range found {
		if d.Severity == diag.Error {
			return nil, fmt.Errorf("-against: %s:%s:%d:%d: %s", rev, s.path, d.Pos.Line, d.Pos.Col, d.Message)
		}
	}
	return nil, fmt.Errorf("-against: %s:%s has no graph %q", rev, s.path, s.graph.Name.V)
}
