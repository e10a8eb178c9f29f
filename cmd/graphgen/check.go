package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/cmd/threads"
	"github.com/graphgen/graphgen/spec/diag"
)

type checkVerb struct {
	paths
	Diff    bool   `help:"Also report generated files that are missing, stale or left over."`
	Bounds  bool   `help:"Also print the worst case of steps, visits and follows of every graph that has no errors."`
	Compat  bool   `help:"Also compare every graph with its released shapes, in its lock file."`
	Store   string `placeholder:"URL" help:"Also judge the threads of a store that have not completed: file:DIR. Implies -compat."`
	Threads string `placeholder:"FILE" help:"Also judge the threads that graphgen threads positions has listed; - is standard input. Implies -compat."`
	Prices  string `placeholder:"FILE" help:"Also print the most that the models of a run cost, by the prices in a file. Implies -bounds."`
	Package string `placeholder:"NAME" help:"Name of the Go package, as given to generate."`
	JSON    bool   `name:"json" help:"Write diagnostics as a JSON array to standard output."`
}

func (checkVerb) Help() string {
	return `Diagnostics go to standard error, in file order. Warnings and notes alone do not fail; only this verb prints notes.

With -json each is an object with file, line, col, width (counted from 1, in characters), code, severity, message, related, help and fixes:
the changes at the place that the help describes, each with what to do (add, replace, rename, remove, quote or unquote), a key and a value.

Generated files whose package differs from the Go files beside them are reported, too. With -diff, the code stale marks a
generated file that the spec would write differently, and orphan a generated file without a spec.

With -compat, a change that needs a migration is an error, and a compatible one a note. Standard output has a line for
each release: whether its threads can continue with the spec. graphgen release adds a release.

With -store, it also has a line for each shape of the threads in a store that have not completed. A thread is refused if
no release of the graph has its shape, if its process was killed at a node that is now removed or run elsewhere, and if it
cannot be read. For child runs in subgraphs, only the nodes are checked: these graphs have releases of their own.

For threads in databases, pipe the output of go tool threads positions to -threads -, since graphgen links no drivers.
That output does not contain the state of threads.

With -bounds, standard output has for every graph the most steps of a run, with a path that takes them, the most visits of
every node, and how often every transition can be followed. For graphs with models it has the most model calls and turns
that call tools. Each condition may hold or not. No run exceeds the numbers. A number that no known path reaches is
printed as "at most N", with the number that is reached. With -json, the output is then an object with the arrays
diagnostics, bounds, releases with -compat, and threads with -store or -threads; path has the first 10,000 names of a
path, and path_text all of it.

With -prices, the bounds include the most that the models of a run can cost. Each line of the file has the name of a model,
its prices of input and output in US dollars per million tokens, the most tokens that a call reads, and optionally the
most that it writes. The line "default" is for judges and for nodes without a model, the line "light" for nodes with the
flag lightweight and for summaries. A # starts a comment. Nodes without a price are listed.

Examples:

  graphgen check ./...            every spec below the current directory
  graphgen check -diff ./...      in continuous integration
  graphgen check -compat ./...    after a change, before a release
  graphgen check -store file:threads ./...    the same, with the threads of a store
  go tool threads positions sqlite:threads.db | graphgen check -threads - ./...
  graphgen check -bounds review.graph.yaml
  graphgen check -prices prices.txt review.graph.yaml
  graphgen check -json ./... | jq -r '.[].message'
`
}

// Run reports the diagnostics of the selected specs.
func (v *checkVerb) Run(ctx context.Context, t *terminal, c *threads.Command) error {
	folders, err := readFolders(ctx, v.paths)
	if err != nil {
		return err
	}
	found := findings(ctx, folders)
	if !v.Diff {
		for _, f := range folders {
			found = append(found, f.otherPackage()...)
		}
	} else if !diag.HasErrors(found) {
		r, err := compile(folders, v.Package, os.Getenv("GOPACKAGE"))
		if err != nil {
			return err
		}
		found = append(found, r.differences()...)
	}
	var releases []judgedGraph
	var judged []threadsJSON
	if v.Compat = v.Compat || v.judgesThreads(); v.Compat {
		var more []diag.Diagnostic
		if releases, more, err = compatOf(folders, found); err != nil {
			return err
		}
		found = diag.Sort(append(found, more...))
	}
	if v.judgesThreads() {
		all, err := v.positions(ctx, c.In)
		if err != nil {
			return err
		}
		judged = judgedThreads(releases, all)
	}
	if err := v.write(t, found, folders, releases, judged); err != nil {
		return err
	}
	if diag.HasErrors(found) || slices.ContainsFunc(judged, func(j threadsJSON) bool { return j.isRefused() }) {
		return errFound
	}
	return nil
}

// judgesThreads reports whether threads are judged, too.
func (v *checkVerb) judgesThreads() bool { return v.Store != "" || v.Threads != "" }

// positions returns where the threads are that are judged.
func (v *checkVerb) positions(ctx context.Context, in io.Reader) (all []threads.Position, err error) {
	if v.Store != "" {
		if all, err = liveThreads(ctx, v.Store); err != nil {
			return nil, err
		}
	}
	if v.Threads == "" {
		return all, nil
	}
	listed, err := listedThreads(in, v.Threads)
	return append(all, listed...), err
}

// write writes the diagnostics, the bounds and the verdicts on releases.
func (v *checkVerb) write(t *terminal, found []diag.Diagnostic, folders []*folder, releases []judgedGraph, judged []threadsJSON) error {
	bounds := v.Bounds || v.Prices != ""
	if !bounds && !v.Compat {
		return t.report(found, folders, v.JSON)
	}
	var list []bounded
	if bounds {
		prices, err := readPrices(v.Prices)
		if err != nil {
			return err
		}
		list = boundsOf(folders, found, prices)
	}
	if v.JSON {
		return v.writeJSON(t.out, found, list, releases, judged)
	}
	if err := t.report(found, folders, false); err != nil {
		return err
	}
	if v.Compat {
		if err := writeCompat(t.out, releases, judged); err != nil {
			return err
		}
	}
	return writeBounds(t.out, list)
}

// writeJSON writes what was found as one object, with an array for each flag.
func (v *checkVerb) writeJSON(w io.Writer, found []diag.Diagnostic, list []bounded, releases []judgedGraph, judged []threadsJSON) error {
	var ds bytes.Buffer
	if err := diag.JSON(&ds, found); err != nil {
		return err
	}
	all := struct {
		Diagnostics json.RawMessage `json:"diagnostics"`
		Bounds      any             `json:"bounds,omitempty"`
		Releases    any             `json:"releases,omitempty"`
		Threads     any             `json:"threads,omitempty"`
	}{Diagnostics: ds.Bytes()}
	if v.Bounds || v.Prices != "" {
		all.Bounds = boundsJSON(list)
	}
	if v.Compat {
		all.Releases = releasesJSON(releases)
	}
	if v.judgesThreads() {
		all.Threads = judged
	}
	return diag.EncodeJSON(w, all)
}

// otherPackage reports generated files of another package than the Go files beside them: they were generated before these.
func (f *folder) otherPackage() []diag.Diagnostic {
	written, file, err := f.writtenPackage(false)
	if err != nil || written == "" {
		return nil // what generate reports
	}
	generated, name, err := f.writtenPackage(true)
	if err != nil || generated == "" || generated == written {
		return nil
	}
	return []diag.Diagnostic{{Code: "stale", Severity: diag.Warning, File: filepath.Join(f.dir, name),
		Message: "it is of package " + generated + ", and " + file + " beside it of package " + written + ", so the folder does not build",
		Help:    diag.Help("run graphgen, which generates the files of the folder for package " + written)}}
}

// differences returns diagnostics for stale and orphaned generated files.
func (r *result) differences() []diag.Diagnostic {
	var found []diag.Diagnostic
	for _, o := range r.outputs {
		if !o.changed {
			continue
		}
		d := diag.Diagnostic{Code: "stale", File: o.path, Help: "run graphgen, and commit what it writes"}
		if o.have == nil {
			d.Message = fmt.Sprintf("%s would write this file, and it is not there", o.spec)
		} else {
			line, have, want := firstDifference(o.have, o.content)
			d.Pos = diag.Pos{Line: line, Col: 1}
			d.Message = fmt.Sprintf("%s would write this file differently", o.spec)
			d.Related = []diag.Related{{Message: "it has   " + have}, {Message: "it wants " + want}}
		}
		found = append(found, d)
	}
	for _, l := range r.leftovers {
		if !l.orphan && l.empty() {
			continue
		}
		d := diag.Diagnostic{Code: "orphan", File: l.path, Message: "its spec " + l.spec + " is gone", Help: "graphgen -prune removes the file"}
		if !l.orphan {
			d.Code, d.Message, d.Help = "stale", "its spec "+l.spec+" does not need this file any more", "run graphgen, and commit what it does"
		}
		found = append(found, d)
	}
	return found
}

// firstDifference returns the number of the first line in which two texts differ, and that line in
// each.
func firstDifference(have, want []byte) (line int, hasLine, wantsLine string) {
	h, w := bytes.Split(have, []byte("\n")), bytes.Split(want, []byte("\n"))
	i := 0
	for i < len(h) && i < len(w) && bytes.Equal(h[i], w[i]) {
		i++
	}
	return i + 1, shownLine(h, i), shownLine(w, i)
}

// maxLine is the most bytes of a line in a difference.
const maxLine = 160

func shownLine(lines [][]byte, i int) string {
	if i >= len(lines) {
		return "nothing"
	}
	text := bytes.TrimSpace(lines[i])
	switch {
	case len(text) == 0:
		return "an empty line"
	case len(text) > maxLine:
		return strings.ToValidUTF8(string(text[:maxLine]), "") + "…"
	}
	return string(text)
}
