package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/shape"
)

// settle is how long graphgen waits for further changes before it compiles. An editor that saves,
// or git checkout, changes many files in quick succession.
const settle = 100 * time.Millisecond

// A watch compiles again when files change.
type watch struct {
	t       *terminal
	events  <-chan fsnotify.Event
	errors  <-chan error
	after   func(time.Duration) <-chan time.Time // the clock
	compile func(context.Context) error
	named   named
}

// watch compiles the selected specs and watches them until it is interrupted. After each time that the specs have no mistake, it calls then.
func (v *generateVerb) watch(ctx context.Context, t *terminal, then func(context.Context) error) error {
	if v.JSON {
		return errors.New("-watch and -json do not go together")
	}
	files, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer files.Close()
	if err := v.follow(files); err != nil {
		return err
	}
	w := &watch{t: t, events: files.Events, errors: files.Errors, after: time.After}
	w.compile = func(ctx context.Context) error {
		if err := v.follow(files); err != nil {
			return err
		}
		folders, err := readFolders(ctx, v.paths)
		if err != nil {
			return err
		}
		w.named = namedFiles(folders, foundPackages{}.find(ctx)) // go.mod may have changed since the last time
		if err := w.followNamed(files); err != nil {
			return err
		}
		if err := v.once(ctx, t, folders); err != nil {
			return err
		}
		return then(ctx)
	}
	return w.run(ctx)
}

// follow watches the directories of the selection, including those created later.
func (v *generateVerb) follow(files *fsnotify.Watcher) error {
	selected, err := v.find()
	if err != nil {
		return err
	}
	known := files.WatchList()
	for _, s := range selected {
		if !slices.Contains(known, s.dir) {
			if err := files.Add(s.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("watching %s: %w", s.dir, err)
			}
		}
	}
	return nil
}

// named are the paths of the files that specs name, whether they are there or not: the files of prompts, and the
// specs that they use. Of a Go package that they use it has all files of types, and the folder with a slash at its end.
type named map[string]bool

// namedFiles returns the paths that the selected specs name, and those that the specs name which they use.
func namedFiles(folders []*folder, find link.PackageFinder) named {
	paths := named{}
	for _, f := range folders {
		for _, s := range f.selected() {
			g := s.graph
			if g == nil {
				g, _ = spec.Load(s.path, s.text)
			}
			paths.add(g, filepath.Dir(s.path), find)
		}
	}
	return paths
}

// add adds what a spec in a folder names. A nil g names nothing.
func (n named) add(g *spec.Graph, dir string, find link.PackageFinder) {
	if g == nil {
		return
	}
	for t := range g.Texts() {
		if t.File.V != "" {
			n[filepath.Join(dir, filepath.FromSlash(t.File.V))] = true
		}
	}
	var used []string
	for _, u := range g.Use {
		if u.OfPackage() {
			used = append(used, n.ofPackage(u.File.V, dir, find)...)
		} else {
			used = append(used, filepath.Join(dir, filepath.FromSlash(u.File.V)))
		}
	}
	for _, node := range g.Nodes {
		used = append(used, filepath.Join(dir, filepath.FromSlash(node.Graph.V)))
	}
	for _, path := range used {
		if !link.IsSpec(path) || n[path] {
			continue
		}
		n[path] = true
		if text, err := disk.readSpec(path); err == nil {
			g, _ := spec.Load(path, text)
			n.add(g, filepath.Dir(path), find)
		}
	}
}

// ofPackage returns the files of types of a Go package that a spec in a folder uses, and adds the folder: new files count.
func (n named) ofPackage(importPath, dir string, find link.PackageFinder) (files []string) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	folder, files := link.New(abs, disk.readSpec, nil).FindPackages(find).PackageFiles(abs, importPath)
	if folder == "" {
		return nil
	}
	if below, err := filepath.Rel(abs, folder); err == nil {
		folder = filepath.Join(dir, below) // as the paths of other files are, which events have
	}
	n[folder+string(filepath.Separator)] = true
	for i, file := range files {
		files[i] = filepath.Join(folder, filepath.Base(file))
	}
	return files
}

// followNamed watches the directories of the files that the specs name. Of a directory that is not there, it
// watches the nearest one above, in which it may be created.
func (w *watch) followNamed(files *fsnotify.Watcher) error {
	known := files.WatchList()
	for path := range w.named {
		for dir := filepath.Dir(path); !slices.Contains(known, dir); dir = filepath.Dir(dir) {
			err := files.Add(dir)
			if err == nil || dir == filepath.Dir(dir) {
				break
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("watching %s: %w", dir, err)
			}
		}
	}
	return nil
}

// run compiles immediately and after each change. Mistakes are printed and do not end it.
func (w *watch) run(ctx context.Context) error {
	w.pass(ctx)
	w.print("waiting for changes; ctrl-C ends")
	changed := map[string]bool{}
	var quiet <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case e := <-w.events:
			name, matters := w.concern(e)
			if !matters {
				continue
			}
			if name != "" {
				changed[name] = true
			}
			quiet = w.after(settle)
		case err := <-w.errors:
			fmt.Fprintf(w.t.err, "graphgen: watching: %v\n", err)
			quiet = w.after(settle) // changes may have been missed
		case <-quiet:
			quiet = nil
			if len(changed) > 0 {
				w.print("%s changed", strings.Join(slices.Sorted(maps.Keys(changed)), ", "))
			}
			w.pass(ctx)
			if len(changed) > 0 {
				w.print("waiting for changes")
			}
			clear(changed)
		}
	}
}

func (w *watch) print(format string, args ...any) { fmt.Fprintf(w.t.out, format+"\n", args...) }

// pass compiles once, and prints an error.
func (w *watch) pass(ctx context.Context) {
	if err := w.compile(ctx); err != nil && !errors.Is(err, errFound) && ctx.Err() == nil {
		fmt.Fprintf(w.t.err, "graphgen: %v\n", err)
	}
}

// concern reports whether an event can change generated files, and the name of the spec, Go file or file
// of a prompt to print. Files that graphgen writes do not matter. A deleted Go file and a new directory have no
// name: their effects are printed.
func (w *watch) concern(e fsnotify.Event) (name string, matters bool) {
	name = filepath.Clean(e.Name)
	base := filepath.Base(name)
	if e.Op == fsnotify.Chmod || hidden(base) {
		return "", false
	}
	gone := e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)
	switch {
	case link.IsSpec(base), strings.HasSuffix(base, shape.LockSuffix), w.named[name]:
		return name, true
	case strings.HasSuffix(base, ".go") && gone: // perhaps by ourselves
		return "", true
	case strings.HasSuffix(base, ".go"):
		from, err := generatedFrom(name)
		return name, err == nil && from == ""
	}
	info, err := os.Stat(name)
	return "", e.Has(fsnotify.Create) && err == nil && info.IsDir()
}
