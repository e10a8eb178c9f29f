package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/input"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/shape"
)

type releaseVerb struct {
	File    string `arg:"" help:"A spec file, or a Go file with a graph."`
	Note    string `placeholder:"TEXT" help:"A note for the entry of the release in the lock file."`
	Migrate bool   `help:"Release a shape that needs migrations, once you have written them."`
	Graph   string `placeholder:"NAME" help:"Name of the graph in the file."`
}

func (releaseVerb) Help() string {
	return `The shape is what saved threads depend on: the state fields with their types, the nodes, and where threads may wait. The
lock file of review.graph.yaml is review.graph.lock. Commit it with the spec; graphgen check -compat compares the spec
with all released shapes.

If another engine drives the graph, the release also has what running workflows depend on.

A shape that is already released is refused. So is a shape that needs a migration from the last release, with the list of
changes, unless you give -migrate. Release subgraphs before the graph that runs them.

Examples:

  graphgen release review.graph.yaml
  graphgen release -note "grades have words" review.graph.yaml
  graphgen release -migrate review.graph.yaml
`
}

// Run adds the shape of a graph to its lock file.
func (v *releaseVerb) Run(ctx context.Context, t *terminal) error {
	folders, err := t.checked(ctx, paths{Paths: []string{v.File}})
	if err != nil {
		return err
	}
	s, err := oneGraph(folders, v.File, v.Graph)
	if err != nil {
		return err
	}
	lock, found, err := readLock(s.graph)
	if err != nil {
		return err
	}
	now := shape.Of(s.flow)
	if len(found) == 0 && lock != nil {
		found = slices.DeleteFunc(s.changes(lock, now), func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
	}
	if len(found) > 0 && (lock == nil || !v.Migrate || !migrations(found)) {
		if err := t.report(found, folders, false); err != nil {
			return err
		}
		return errFound
	}
	if err := admit(s, lock, now); err != nil {
		return err
	}
	path := lockPath(s.graph)
	if err := writeOutput(ctx, path, lock.Append(now, v.Note)); err != nil {
		return err
	}
	number := 1
	if lock != nil {
		number += len(lock.Releases)
	}
	_, err = fmt.Fprintf(t.out, "released %s as %d in %s\n", now.Graph, number, path)
	return err
}

// migrations reports whether all that was found are changes that need migrations.
func migrations(found []diag.Diagnostic) bool {
	return !slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Code == "GG338" || d.Code == "GG339" })
}

// admit refuses a shape that is released already, and one of a graph that runs others which are not released.
func admit(s *source, lock *shape.Lock, now *shape.Shape) error {
	if last := lock.Last(); last != nil && last.Hash.V == now.Hash() && last.Shape.Commands.Equal(now.Commands) {
		return fmt.Errorf("%s: the shape of the graph is the shape of %s in %s", s.path, last.Title(), lock.File)
	}
	for _, n := range s.flow.Spec.All() {
		if n.Sub == nil || n.Sub == s.flow.Spec {
			continue
		}
		if err := released(n, now.Node(n.Spec.Name.V).Shape); err != nil {
			return err
		}
	}
	return nil
}

// released returns an error if the last release of the graph that a node runs has not the shape.
func released(n *resolve.Node, hash string) error {
	lock, found, err := readLock(n.Sub.Spec)
	switch {
	case err != nil:
		return err
	case len(found) > 0:
		return fmt.Errorf("%s cannot be read: see graphgen check -compat %s", found[0].File, n.Sub.Spec.File)
	case lock.Last() == nil || lock.Last().Hash.V != hash:
		return fmt.Errorf("node %q runs the graph %s, whose shape is not released: first graphgen release %s", n.Spec.Name.V,
			n.Sub.Spec.Name.V, n.Sub.Spec.File)
	}
	return nil
}

// oneGraph returns the graph of the file with the given name, or its only one.
func oneGraph(folders []*folder, file, name string) (*source, error) {
	var names []string
	var chosen []*source
	for _, f := range folders {
		for _, s := range f.selected() {
			if s.graph.TypesOnly() {
				return nil, fmt.Errorf("%s: it holds types and no graph", file)
			}
			names = append(names, s.graph.Name.V)
			if name == "" || name == s.graph.Name.V {
				chosen = append(chosen, s)
			}
		}
	}
	if len(chosen) != 1 {
		return nil, fmt.Errorf("%s: choose one of its graphs with -graph: %s", file, strings.Join(names, ", "))
	}
	return chosen[0], nil
}

// lockPath returns the path of the lock file of a graph, which is beside its spec.
func lockPath(g *spec.Graph) string {
	base := g.Go.Stem
	if base == "" {
		base = specBase(filepath.Base(g.File))
	}
	return filepath.Join(filepath.Dir(g.File), base+shape.LockSuffix)
}

// readLock reads the lock file of a graph; the lock is nil if the file is missing, or has mistakes.
func readLock(g *spec.Graph) (*shape.Lock, []diag.Diagnostic, error) {
	path := lockPath(g)
	text, err := input.Start(path, spec.MaxFile+1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	lock, found := shape.ParseLock(path, text)
	return lock, found, nil
}
