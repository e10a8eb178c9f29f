package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/graphgen/graphgen/spec/diag"
)

type generateVerb struct {
	paths
	Package string `placeholder:"NAME" help:"Name of the Go package, if the files beside the spec do not have one."`
	Prune   bool   `help:"Remove generated files whose spec was deleted."`
	Watch   bool   `help:"Compile again whenever specs change, until interrupted."`
	Verbose bool   `short:"v" help:"Name the files that are up to date, too."`
	JSON    bool   `name:"json" help:"Write diagnostics as a JSON array to standard output, and nothing else there."`
}

func (generateVerb) Help() string {
	return `For review.graph.yaml it writes review_graph.go beside the spec. With durable: true it also writes review_thread.go, with
serve: true review_view.go, and with drivers: [temporal] review_temporal.go. For common.types.yaml, which has only types,
it writes common_types.go.

For a durable graph with released shapes, in review.graph.lock, it also writes review_versions.go, which migrates threads
of earlier releases, and its test, review_versions_test.go. If a release needs a migration, it writes a stub for you to
complete, review_v1_to_v2.go: once, and not at all if a Go file of the folder has the method.

All specs are read and checked first: if one of them has an error, nothing is written. Files that are up to date are not
touched. A file that does not begin with graphgen's header is never replaced.

Examples:

  graphgen                        the specs of the current directory
  graphgen ./...                  these, and the specs of all directories below
  graphgen review.graph.yaml      one spec
  graphgen -watch ./...           keep running, and compile again on changes
  graphgen -prune                 remove the files of deleted specs, too

In a Go file of the package:

  //go:generate go tool graphgen
`
}

// Run writes the generated files of the selected specs.
func (v *generateVerb) Run(ctx context.Context, t *terminal) error {
	if v.Watch {
		return v.watch(ctx, t, func(context.Context) error { return nil })
	}
	folders, err := readFolders(ctx, v.paths)
	if err != nil {
		return err
	}
	return v.once(ctx, t, folders)
}

// once compiles the selected specs of folders.
func (v *generateVerb) once(ctx context.Context, t *terminal, folders []*folder) error {
	// Only graphgen check prints notes.
	if err := t.refuse(diag.WithoutNotes(findings(ctx, folders)), folders, v.JSON); err != nil {
		return err
	}
	r, err := compile(folders, v.Package, os.Getenv("GOPACKAGE"))
	if err != nil {
		return err
	}
	var changed []*output
	for _, o := range r.outputs {
		if o.changed {
			changed = append(changed, o)
		}
	}
	sweep(r.outputs)
	if err := writeAll(ctx, changed); err != nil {
		return err
	}
	return v.finish(t, r)
}

// finish removes leftovers and reports what was done.
func (v *generateVerb) finish(t *terminal, r *result) error {
	say := func(format string, args ...any) {
		if !v.JSON {
			fmt.Fprintf(t.out, format+"\n", args...)
		}
	}
	for _, o := range r.outputs {
		switch {
		case o.changed:
			say("wrote %s", o.path)
		case v.Verbose:
			say("up to date %s", o.path)
		}
	}
	for _, l := range r.leftovers {
		if l.orphan && !v.Prune {
			fmt.Fprintf(t.err, "graphgen: %s: its spec %s does not exist; graphgen -prune removes the file\n", l.path, l.spec)
			continue
		}
		switch {
		case !l.awaited():
			if err := os.Remove(l.path); err != nil {
				return err
			}
			say("removed %s", l.path)
		case !l.empty():
			if err := l.clear(); err != nil {
				return err
			}
			say("emptied %s, which go generate has still to read; graphgen removes it", l.path)
		}
	}
	return nil
}

// awaited reports whether graphgen is run by go generate, and that has still to read the file: it has listed the files of
// its packages in their order, and ends where one is gone.
func (l *leftover) awaited() bool {
	directive := os.Getenv("GOFILE")
	return directive != "" && (filepath.Dir(l.path) != "." || filepath.Base(l.path) > directive)
}

// empty reports whether the file has no declarations, as after clear.
func (l *leftover) empty() bool {
	text, err := os.ReadFile(l.path)
	return err == nil && len(text) == len(packageOnly.Find(text))
}

// clear leaves the header of the file and its package clause.
func (l *leftover) clear() error {
	text, err := os.ReadFile(l.path)
	if err != nil {
		return err
	}
	return os.WriteFile(l.path, packageOnly.Find(text), 0o666)
}

// packageOnly matches a file from its beginning through the line of its package clause.
var packageOnly = regexp.MustCompile(`(?ms)\A.*?^package\s[^\n]*\n`)
