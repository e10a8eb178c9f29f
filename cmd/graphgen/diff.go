package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/diff"
	"github.com/graphgen/graphgen/spec/escape"
	"github.com/graphgen/graphgen/spec/gotag"
	"github.com/graphgen/graphgen/spec/input"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/prelude"
	"github.com/graphgen/graphgen/spec/subprocess"
	"github.com/graphgen/graphgen/spec/template"
)

type diffVerb struct {
	Old      string `arg:"" help:"A spec, or REV:PATH for the one of a Git revision."`
	New      string `arg:"" help:"A spec, or REV:PATH."`
	Markdown bool   `help:"Write Markdown, for a review."`
}

func (diffVerb) Help() string {
	return `It lists the nodes, edges, bounds, types and state fields that were added, removed or changed. Comments, docs, labels,
formatting and shorthands do not count. The order of the edges of a node counts if it can decide where a run goes.

A PATH after a revision is relative to the root of the repository, as for git show; ./PATH is relative to the current directory.

The specs may have errors, as long as they can be read. A spec may be a Go file with one graph and its types.

Exit status: 0 no difference, 1 differences, 2 an error.

Examples:

  graphgen diff HEAD:./review.graph.yaml review.graph.yaml
  graphgen diff -markdown main:news/review.graph.yaml HEAD:news/review.graph.yaml
`
}

// Run compares two specs.
func (v *diffVerb) Run(ctx context.Context, t *terminal) error {
	old, err := t.readVersion(ctx, v.Old)
	if err != nil {
		return err
	}
	new, err := t.readVersion(ctx, v.New)
	if err != nil {
		return err
	}
	changes := diff.Between(cfg.Of(old), cfg.Of(new))
	if len(changes) == 0 {
		return nil
	}
	text := diff.Text(changes)
	if v.Markdown {
		text = fmt.Sprintf("## %s → %s\n\n%s", escape.Code(v.Old), escape.Code(v.New), diff.Markdown(changes))
	}
	if _, err := fmt.Fprint(t.out, text); err != nil {
		return err
	}
	return errFound
}

// readVersion reads a spec, and reports syntax errors.
func (t *terminal) readVersion(ctx context.Context, name string) (*spec.Graph, error) {
	text, err := versionText(ctx, name)
	if err != nil {
		return nil, err
	}
	graphs, found := readGraphs(name, text)
	switch {
	case diag.HasErrors(found):
	case len(graphs) != 1:
		return nil, fmt.Errorf("%s holds %d graphs: diff compares one with one", name, len(graphs))
	default:
		readTexts(ctx, name, graphs[0])
		return graphs[0], nil
	}
	err = diag.Render(t.marked, found, diag.Options{Color: t.color, Source: func(string) []byte { return text }})
	return nil, errors.Join(err, fmt.Errorf("%s cannot be read", name))
}

// readTexts expands the templates of a graph, and reads the texts of prompts that are in files, of the same
// version. Those that cannot be read are compared by their paths. Of a Git revision, templates of other files stay as
// they are written.
func readTexts(ctx context.Context, name string, g *spec.Graph) {
	here, err := filepath.Abs(".")
	if err != nil {
		here = "."
	}
	if _, err := os.Stat(name); err == nil {
		link.New(here, disk.readSpec, nil).ReadFiles(input.Below).FindPackages(link.GoPackages(ctx)).Link(g)
		return
	}
	template.Expand(g, prelude.Use())
	folder := name[:strings.LastIndexAny(name, ":/")+1] // of a Git revision, out of which Git does not lead
	link.Texts(g, func(file string) ([]byte, error) { return versionText(ctx, folder+file) })
}

// readGraphs reads the graph of a spec, or the graphs of a Go file, which must contain their types.
func readGraphs(name string, text []byte) ([]*spec.Graph, []diag.Diagnostic) {
	if strings.HasSuffix(name, ".go") {
		return gotag.LoadSource(name, text)
	}
	g, found := spec.Load(name, text)
	return []*spec.Graph{g}, found
}

// versionText returns the text of a file, or of REV:PATH in a Git revision.
func versionText(ctx context.Context, name string) ([]byte, error) {
	text, err := disk.readSpec(name)
	rev, path, ok := strings.Cut(name, ":")
	if !errors.Is(err, fs.ErrNotExist) || !ok || rev == "" || path == "" {
		return text, err
	}
	return revisionText(ctx, rev, path)
}

// revisionText returns the text of a file in a Git revision.
func revisionText(ctx context.Context, rev, path string) ([]byte, error) {
	name := rev + ":" + path
	var stdout, stderr bytes.Buffer
	git := exec.CommandContext(ctx, "git", "show", "--end-of-options", name)
	git.Stdout, git.Stderr = &stdout, &stderr
	switch err := subprocess.Run(ctx, git); {
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("%s: this is not a file, and there is no git to ask for a revision", name)
	case err != nil:
		return nil, fmt.Errorf("%s: git show: %s", name, strings.TrimSpace(strings.TrimPrefix(stderr.String(), "fatal: ")))
	}
	return stdout.Bytes(), nil
}
