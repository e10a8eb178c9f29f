package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/diff"
	"github.com/graphgen/graphgen/spec/escape"
	"github.com/graphgen/graphgen/spec/gotag"
	"github.com/graphgen/graphgen/spec/input"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/subprocess"
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
		return graphs[0], linkVersion(ctx, name, graphs[0])
	}
	err = diag.Render(t.marked, found, diag.Options{Color: t.color, Source: func(string) []byte { return text }})
	return nil, errors.Join(err, fmt.Errorf("%s cannot be read", name))
}

// linkVersion links the files that a graph uses, of the same version, and with them the texts of its prompts. What
// cannot be read is compared as it is written.
func linkVersion(ctx context.Context, name string, g *spec.Graph) error {
	here, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	rev, path, ok := ofRevision(name)
	if !ok {
		link.New(here, disk.readSpec, nil).ReadFiles(input.Below).FindPackages(link.GoPackages(ctx)).Link(g)
		return nil
	}
	v, err := revisionOf(ctx, rev, here)
	if err != nil {
		return err
	}
	g.File = v.file(path)
	v.link(ctx, g)
	return nil
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
	if rev, path, ok := ofRevision(name); ok {
		return revisionText(ctx, rev, path)
	}
	return disk.readSpec(name)
}

// ofRevision returns the parts of REV:PATH, unless there is a file of that name.
func ofRevision(name string) (rev, path string, ok bool) {
	rev, path, ok = strings.Cut(name, ":")
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) || rev == "" || path == "" {
		return "", "", false
	}
	return rev, path, ok
}

// A revision has the files of a Git revision at the paths that they have in the working tree.
type revision struct {
	here   string // the current directory, an absolute path
	prefix string // its path in the repository, with slashes; empty: its root
	show   func(path string) ([]byte, error)
	names  func(path string) []string // lists a folder; the path of the root is empty
}

// revisionOf returns a revision of the repository of the current directory.
func revisionOf(ctx context.Context, name, here string) (*revision, error) {
	prefix, err := gitOutput(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	shown := map[string]func() ([]byte, error){} // each file is read once: the files of modules are looked for often
	show := func(path string) ([]byte, error) {
		if shown[path] == nil {
			shown[path] = sync.OnceValues(func() ([]byte, error) { return revisionText(ctx, name, path) })
		}
		return shown[path]()
	}
	names := func(path string) []string {
		text, _ := gitOutput(ctx, "ls-tree", "--name-only", "--full-tree", "-z", "--end-of-options", name+":"+path)
		return strings.Split(string(text), "\x00")
	}
	return &revision{here: here, prefix: strings.TrimRight(string(prefix), "\r\n"), show: show, names: names}, nil
}

// link links the files that a graph uses at the revision, and with them the texts of its prompts.
func (v *revision) link(ctx context.Context, g *spec.Graph) {
	link.New(v.here, v.read, nil).ListFolders(v.list).FindPackages(link.GoPackages(ctx)).Link(g)
}

// file returns the path from the current directory to the path of REV:PATH.
func (v *revision) file(inRevision string) string {
	if strings.HasPrefix(inRevision, "./") || strings.HasPrefix(inRevision, "../") {
		return filepath.FromSlash(path.Clean(inRevision))
	}
	up := strings.Repeat("../", strings.Count(v.prefix, "/"))
	return filepath.FromSlash(path.Join(up, inRevision))
}

// read returns the text of a file, of the disk where it is not in the repository, as a go.mod above it and the packages of other modules.
func (v *revision) read(file string) ([]byte, error) {
	inside, is := v.inside(file)
	if !is {
		return disk.readSpec(file)
	}
	return v.show(inside)
}

// list returns the names of the files of a folder, of the disk where it is not in the repository.
func (v *revision) list(dir string) []string {
	inside, is := v.inside(dir)
	if !is {
		return link.ListFolder(dir)
	}
	if inside == "." {
		inside = "" // of the root
	}
	return v.names(inside)
}

// inside returns the path in the repository of a file or a folder, if it is there.
func (v *revision) inside(file string) (string, bool) {
	below := file
	if filepath.IsAbs(file) {
		var err error
		if below, err = filepath.Rel(v.here, file); err != nil {
			return "", false
		}
	}
	inside := path.Join(v.prefix, filepath.ToSlash(below))
	return inside, inside != ".." && !strings.HasPrefix(inside, "../")
}

// revisionText returns the text of a file in a Git revision.
func revisionText(ctx context.Context, rev, path string) ([]byte, error) {
	name := rev + ":" + path
	text, err := gitOutput(ctx, "show", "--end-of-options", name)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("%s: this is not a file, and there is no git to ask for a revision", name)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}

// gitOutput returns what git writes.
func gitOutput(ctx context.Context, args ...string) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	git := exec.CommandContext(ctx, "git", args...)
	git.Stdout, git.Stderr = &stdout, &stderr
	switch err := subprocess.Run(ctx, git); {
	case errors.Is(err, exec.ErrNotFound):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(strings.TrimPrefix(stderr.String(), "fatal: ")))
	}
	return stdout.Bytes(), nil
}
