package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/graphgen/graphgen/spec/compat"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/shape"
)

// judgedGraph is a spec with the verdicts on its releases.
type judgedGraph struct {
	spec  *source
	lock  *shape.Lock // nil: nothing is released
	steps []*compat.Step
}

// compatOf judges the selected graphs without errors against their lock files. It returns the diagnostics too.
func compatOf(folders []*folder, found []diag.Diagnostic) (list []judgedGraph, more []diag.Diagnostic, err error) {
	wrong := withErrors(found)
	for _, f := range folders {
		for _, s := range f.selected() {
			if s.graph == nil || s.graph.TypesOnly() || wrong[s.path] {
				continue
			}
			lock, unread, err := readLock(s.graph)
			if err != nil {
				return nil, nil, err
			}
			more = append(more, unread...)
			x := judgedGraph{spec: s, lock: lock}
			if len(unread) == 0 {
				now := shape.Of(s.flow)
				x.steps = compat.Steps(lock, now)
				more = append(more, s.changes(lock, now)...)
				list = append(list, x)
			}
		}
	}
	return list, more, nil
}

// changes returns what the spec has changed since the last release of its lock file.
func (s *source) changes(lock *shape.Lock, now *shape.Shape) []diag.Diagnostic {
	found := compat.Check(s.path, lock, now)
	if in := s.graph.Go; in.Help != nil {
		for i := range found {
			found[i].Help = in.Help(found[i].Help)
		}
	}
	return found
}

// writeCompat writes the verdicts as text: a line for each release, and for the threads of each shape.
func writeCompat(w io.Writer, list []judgedGraph, threads []threadsJSON) error {
	var b strings.Builder
	for _, x := range list {
		if x.lock == nil {
			fmt.Fprintf(&b, "%s: graph %s: nothing is released\n", x.spec.path, x.spec.graph.Name.V)
		}
		for _, j := range compat.Judge(x.steps) {
			fmt.Fprintf(&b, "%s: graph %s: %s: %s%s\n", x.spec.path, x.spec.graph.Name.V, j.Release.Title(), j.Verdict, through(j.Migrations))
		}
		for _, j := range x.workflows() {
			fmt.Fprintf(&b, "%s: graph %s: workflows of %s that may break: %s\n", x.spec.path, x.spec.graph.Name.V, j.release.Title(), j.where)
		}
	}
	for _, j := range threads {
		b.WriteString(j.text())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// A judgedWorkflows is a release with the verdict on its running workflows.
type judgedWorkflows struct {
	release *shape.Release
	where   string
}

// workflows judges the running workflows of each release by the spec, which replays their histories.
func (x *judgedGraph) workflows() (list []judgedWorkflows) {
	now := shape.Of(x.spec.flow)
	if x.lock == nil || now.Commands == nil {
		return nil
	}
	for _, r := range x.lock.Releases {
		if r.Shape.Commands != nil {
			list = append(list, judgedWorkflows{r, compat.Where(compat.Workflows(r.Shape, now, r.Title()))})
		}
	}
	return list
}

// through lists the steps that need a migration.
func through(steps []*compat.Step) string {
	var list []string
	for _, s := range steps {
		list = append(list, stepTitle(s))
	}
	if len(list) == 0 {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

func stepTitle(s *compat.Step) string {
	if s.To == nil {
		return fmt.Sprintf("from %d to the spec", s.From.Number.V)
	}
	return fmt.Sprintf("from %d to %d", s.From.Number.V, s.To.Number.V)
}

// A releaseJSON is a verdict as JSON.
type releaseJSON struct {
	File    string `json:"file"`
	Graph   string `json:"graph"`
	Release int    `json:"release"`
	Shape   string `json:"shape"`
	Verdict string `json:"verdict"`

	// Workflows has which running workflows of the release may break: all, none, or those that have reached a node.
	Workflows string `json:"workflows,omitempty"`

	// Migrations are the releases whose threads a migration brings to the next.
	Migrations []int `json:"migrations,omitempty"`
}

// releasesJSON returns the verdicts as values for JSON.
func releasesJSON(list []judgedGraph) []releaseJSON {
	out := []releaseJSON{}
	for _, x := range list {
		where := map[*shape.Release]string{}
		for _, w := range x.workflows() {
			where[w.release] = w.where
		}
		for _, j := range compat.Judge(x.steps) {
			r := releaseJSON{x.spec.path, x.spec.graph.Name.V, j.Release.Number.V, j.Release.Hash.V, j.Verdict.String(), where[j.Release], nil}
			for _, s := range j.Migrations {
				r.Migrations = append(r.Migrations, s.From.Number.V)
			}
			out = append(out, r)
		}
	}
	return out
}
