package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/cmd/threads"
	"github.com/graphgen/graphgen/spec/compat"
	"github.com/graphgen/graphgen/spec/escape"
	"github.com/graphgen/graphgen/spec/shape"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/filestore"
)

// mostNamed is how many threads a line names.
const mostNamed = 3

// liveThreads returns where the threads of a store are that have not completed.
func liveThreads(ctx context.Context, url string) (list []threads.Position, err error) {
	if threads.IsElsewhere(url) {
		return nil, fmt.Errorf("-store %s: this program has no drivers of databases; the tool contrib/threads has: "+
			"go tool threads positions %[1]s | graphgen check -threads - …; go get -tool github.com/graphgen/graphgen/contrib/threads adds it",
			threads.Redacted(url))
	}
	store, err := openFiles(url)
	if err != nil {
		return nil, fmt.Errorf("-store %s: %w", url, err)
	}
	defer store.Close()
	for p, err := range threads.Positions(ctx, store, thread.Filter{}) {
		if err != nil {
			return nil, fmt.Errorf("-store %s: %w", url, err)
		}
		list = append(list, p)
	}
	return list, nil
}

// openFiles opens the file store of a URL, which has to be there.
func openFiles(url string) (*filestore.Store, error) {
	dir, ok := strings.CutPrefix(url, "file:")
	if !ok || dir == "" {
		return nil, errors.New("it is the folder of a file store, as in file:threads")
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("there is no folder %s", dir)
	}
	return filestore.Open(dir)
}

// listedThreads returns the positions of a file; - is what in has.
func listedThreads(in io.Reader, file string) ([]threads.Position, error) {
	if file == "-" {
		return threads.ReadPositions(in, "standard input")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("-threads: %w", err)
	}
	defer f.Close()
	return threads.ReadPositions(f, file)
}

// A threadsJSON is a verdict on threads as JSON.
type threadsJSON struct {
	File    string   `json:"file"`
	Graph   string   `json:"graph"`
	Shape   string   `json:"shape"`
	Release int      `json:"release,omitempty"` // of the shape; 0: the shape of no release
	Threads int      `json:"threads"`
	Names   []string `json:"names"` // of the first ones
	Verdict string   `json:"verdict"`
}

// refused begins the verdicts on threads that cannot continue.
const refused = "refused: "

// unjudged is the verdict on threads where nothing is released.
const unjudged = "not known: nothing is released"

// isRefused reports whether threads cannot continue.
func (j *threadsJSON) isRefused() bool { return strings.HasPrefix(j.Verdict, refused) }

// judgedThreads returns the verdicts on the threads of the selected graphs, by shape and verdict.
func judgedThreads(list []judgedGraph, all []threads.Position) []threadsJSON {
	out := []threadsJSON{}
	for i := range list {
		x := &list[i]
		now := shape.Of(x.spec.flow)
		of := map[[2]string]*threadsJSON{}
		for k := range all {
			p := &all[k]
			if p.Graph != now.Graph {
				continue
			}
			release, verdict := x.judge(now, p, list)
			j := of[[2]string{p.Shape, verdict}]
			if j == nil {
				j = &threadsJSON{File: x.spec.path, Graph: p.Graph, Shape: p.Shape, Release: release, Verdict: verdict}
				of[[2]string{p.Shape, verdict}] = j
			}
			if j.Threads++; len(j.Names) < mostNamed {
				j.Names = append(j.Names, p.Thread)
			}
		}
		keys := slices.SortedFunc(maps.Keys(of), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
		for _, key := range keys {
			out = append(out, *of[key])
		}
	}
	return out
}

// judge returns the release and the verdict of a thread of the graph.
func (x *judgedGraph) judge(now *shape.Shape, p *threads.Position, list []judgedGraph) (release int, verdict string) {
	verdict = refused + "no release has the shape"
	if x.lock == nil {
		verdict = unjudged
	}
	if at := x.release(p.Shape); at >= 0 {
		j := compat.Judge(x.steps)[at]
		release, verdict = j.Release.Number.V, j.Verdict.String()
	}
	if p.Shape == now.Hash() {
		verdict = compat.Same.String()
	}
	if p.Error != "" {
		return release, refused + "it cannot be read: " + p.Error
	}
	for _, r := range p.Runs {
		if r.Node == "" {
			continue
		}
		of := x
		if strings.Contains(r.At+"/", "//") { // of a graph that a node runs
			of = graphOf(list, r.Shape)
		}
		if gone := of.removed(r); gone != "" {
			return release, refused + gone
		}
	}
	return release, verdict
}

// graphOf returns the graph of which a release has a shape, nil without one.
func graphOf(list []judgedGraph, hash string) *judgedGraph {
	for i := range list {
		if list[i].release(hash) >= 0 {
			return &list[i]
		}
	}
	return nil
}

// release returns the index of the release that has a shape, of several the last; -1: none has.
func (x *judgedGraph) release(hash string) int {
	for i, s := range slices.Backward(x.steps) {
		if s.From.Hash.V == hash {
			return i
		}
	}
	return -1
}

// removed returns why a run cannot continue at its node, empty if the node is there, or the author decides where the run continues.
func (x *judgedGraph) removed(r threads.Run) string {
	if x == nil {
		return ""
	}
	at := x.release(r.Shape)
	if at < 0 {
		return ""
	}
	why := compat.Removed(x.steps[at:], shape.Of(x.spec.flow), r.Node)
	switch {
	case why == "":
		return ""
	case r.At != "":
		return why + ", where the child run of " + r.At + " is"
	}
	return why + ", where the run is"
}

// text returns the line of a verdict.
func (j threadsJSON) text() string {
	of := "of shape " + escape.Line(j.Shape)
	if j.Release > 0 {
		of = fmt.Sprintf("of release %d", j.Release)
	}
	names := escape.Line(strings.Join(j.Names, ", "))
	if j.Threads > len(j.Names) {
		names += " …"
	}
	things := "threads"
	if j.Threads == 1 {
		things = "thread"
	}
	return fmt.Sprintf("%s: graph %s: %d %s %s (%s): %s\n", j.File, j.Graph, j.Threads, things, of, names, escape.Line(j.Verdict))
}
