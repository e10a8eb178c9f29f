package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/runtime/thread"
	"github.com/graphgen/graphgen/runtime/thread/filestore"
	"github.com/graphgen/graphgen/spec/compat"
	"github.com/graphgen/graphgen/spec/escape"
	"github.com/graphgen/graphgen/spec/shape"
)

// A live is the threads of a store that have not completed, by the shape of the version that saved them.
type live struct {
	graph, shape string
	count        int
	names        []string // of the first ones
}

// mostNamed is how many threads a line names.
const mostNamed = 3

// liveThreads returns the threads of a store that have not completed, by their graphs and shapes.
func liveThreads(ctx context.Context, url string) (list []*live, err error) {
	dir, ok := strings.CutPrefix(url, "file:")
	if !ok || dir == "" {
		return nil, fmt.Errorf("-store %s: it is the folder of a file store, as in file:threads", url)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("-store %s: there is no folder %s", url, dir)
	}
	store, err := filestore.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("-store %s: %w", url, err)
	}
	defer store.Close()
	of := map[[2]string]*live{}
	filter := thread.Filter{Status: []thread.Status{thread.Running, thread.Paused, thread.Failed, thread.Stopped}}
	for h, err := range thread.All(ctx, store, filter) {
		if err != nil {
			return nil, fmt.Errorf("-store %s: %w", url, err)
		}
		key := [2]string{h.Graph, h.Shape}
		if of[key] == nil {
			of[key] = &live{graph: h.Graph, shape: h.Shape}
			list = append(list, of[key])
		}
		x := of[key]
		if x.count++; len(x.names) < mostNamed {
			x.names = append(x.names, h.Thread)
		}
	}
	slices.SortFunc(list, func(a, b *live) int { return cmp.Or(cmp.Compare(a.graph, b.graph), cmp.Compare(a.shape, b.shape)) })
	return list, nil
}

// A threadsJSON is a verdict on threads as JSON.
type threadsJSON struct {
	File    string   `json:"file"`
	Graph   string   `json:"graph"`
	Shape   string   `json:"shape"`
	Release int      `json:"release,omitempty"` // of the shape; 0: it is none of a release
	Threads int      `json:"threads"`
	Names   []string `json:"names"` // of the first ones
	Verdict string   `json:"verdict"`
}

// The verdicts on threads of a shape that no release has.
const (
	refusedThreads = "refused: no release has the shape"
	unjudged       = "not known: nothing is released"
)

// judgedThreads returns the verdicts on the threads of the selected graphs.
func judgedThreads(list []judgedGraph, threads []*live) []threadsJSON {
	out := []threadsJSON{}
	for _, x := range list {
		now := shape.Of(x.spec.flow)
		for _, t := range threads {
			if t.graph != now.Graph {
				continue
			}
			j := threadsJSON{File: x.spec.path, Graph: t.graph, Shape: t.shape, Threads: t.count, Names: t.names, Verdict: refusedThreads}
			if x.lock == nil {
				j.Verdict = unjudged
			}
			for _, judged := range compat.Judge(x.steps) {
				if judged.Release.Hash.V == t.shape { // of several releases of one shape the last
					j.Release, j.Verdict = judged.Release.Number.V, judged.Verdict.String()
				}
			}
			if t.shape == now.Hash() {
				j.Verdict = compat.Same.String()
			}
			out = append(out, j)
		}
	}
	return out
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
	return fmt.Sprintf("%s: graph %s: %d %s %s (%s): %s\n", j.File, j.Graph, j.Threads, things, of, names, j.Verdict)
}
