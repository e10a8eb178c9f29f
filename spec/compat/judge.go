package compat

import (
	"fmt"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/shape"
)

// A Step is what brings threads from a release to the next, or from the last release to the spec.
type Step struct {
	From    *shape.Release
	To      *shape.Release // nil: the spec
	Changes []Change
	Verdict Verdict
}

// Steps compares the releases of a lock file one by one, and the last with the shape of the spec.
func Steps(lock *shape.Lock, now *shape.Shape) []*Step {
	if lock == nil {
		return nil
	}
	steps := make([]*Step, len(lock.Releases))
	for i, release := range lock.Releases {
		step, next := &Step{From: release}, now
		if i+1 < len(lock.Releases) {
			step.To = lock.Releases[i+1]
			next = step.To.Shape
		}
		if next.Hash() != release.Hash.V {
			step.Changes = Between(release.Shape, next, release.Title())
			step.Verdict = max(Compatible, VerdictOf(step.Changes))
		}
		steps[i] = step
	}
	return steps
}

// A Judged is a release with the verdict on its threads.
type Judged struct {
	Release    *shape.Release
	Verdict    Verdict
	Migrations []*Step // those that need one, in order
}

// Judge returns the verdict on each release, from all the steps that its threads take.
func Judge(steps []*Step) []Judged {
	list := make([]Judged, len(steps))
	for i, from := range steps {
		list[i].Release = from.From
		for _, step := range steps[i:] {
			list[i].Verdict = max(list[i].Verdict, step.Verdict)
			if step.Verdict == Migration {
				list[i].Migrations = append(list[i].Migrations, step)
			}
		}
	}
	return list
}

// Removed follows a node from the release of the first step to the shape of the spec, by its names, and returns why a run that is there
// cannot continue: a step removes the node, or has other nodes run it. Empty: none does, or one lets the author decide where
// such runs continue, or the release does not have the node.
func Removed(steps []*Step, now *shape.Shape, node string) string {
	if len(steps) == 0 || steps[0].From.Shape.Node(node) == nil {
		return ""
	}
	for _, step := range steps {
		name := node
		for _, c := range step.Changes {
			switch {
			case c.Lost == node:
				return ""
			case c.Moved == node:
				return fmt.Sprintf("node %q of release %d is run elsewhere", node, step.From.Number.V)
			case c.Rename != nil && c.Rename.Of == Nodes && c.Rename.From == node:
				name = c.Rename.To
			}
		}
		next := now
		if step.To != nil {
			next = step.To.Shape
		}
		if next.Node(name) == nil {
			return fmt.Sprintf("node %q of release %d is missing", node, step.From.Number.V)
		}
		node = name
	}
	return ""
}

// Check returns what the spec in a file has changed since the last release of its lock file. A change that needs a
// migration is an error, a compatible one a note.
func Check(file string, lock *shape.Lock, now *shape.Shape) []diag.Diagnostic {
	last := lock.Last()
	if last == nil {
		return nil
	}
	if lock.Graph.V != now.Graph {
		return []diag.Diagnostic{{
			Code: "GG338", File: lock.File, Pos: lock.Graph.Pos, Help: "rename the file with its graph, or begin another by graphgen release",
			Message: fmt.Sprintf("the file has the releases of the graph %q, and the spec the graph %q", lock.Graph.V, now.Graph),
		}}
	}
	var found []diag.Diagnostic
	steps := Steps(lock, now)
	for _, c := range steps[len(steps)-1].Changes {
		d := diag.Diagnostic{Code: c.Code, File: file, Pos: c.Pos, Message: c.Message, Help: diag.Help(c.Help)}
		if c.Verdict == Compatible {
			d.Severity = diag.Note
		}
		if c.Pos.File != "" {
			d.File = c.Pos.File
		}
		if c.Old.IsSet() {
			c.Old.File = lock.File
			d.Related = []diag.Related{{Pos: c.Old, Message: "it is released here"}}
		}
		found = append(found, d)
	}
	found = append(found, sealed(file, last, now)...)
	for _, b := range Workflows(last.Shape, now, last.Title()) {
		found = append(found, diag.Diagnostic{
			Code: "GG368", Severity: diag.Warning, File: file, Pos: b.Pos, Message: b.Message + "; workflows that may break: " + Where([]Break{b}),
			Help: diag.Help("release the change, and let a worker keep the machine of " + last.Title() + " for them: temporal.WithRelease"),
		})
	}
	return diag.Sort(append(found, unknownNames(file, lock, now)...))
}

// sealed reports the fields that are secret, and were not in the last release: no shape depends on it.
func sealed(file string, last *shape.Release, now *shape.Shape) (found []diag.Diagnostic) {
	both, _, _ := matched(last.Shape.State.Fields, now.State.Fields, func(f *resolve.Field) string { return f.Name },
		func(f *resolve.Field) string { return f.Spec.RenamedFrom.V })
	for _, p := range both {
		if p.new.Spec.Secret.V && !p.old.Spec.Secret.V {
			found = append(found, diag.Diagnostic{
				Code: "GG328", Severity: diag.Note, File: file, Pos: p.new.Spec.Secret.Pos,
				Help: "prune the threads when they have gone on: graphgen threads prune",
				Message: fmt.Sprintf("state field %q is secret, and is not in %s, whose records keep its values in plain text until they are pruned",
					p.new.Name, last.Title()),
			})
		}
	}
	return found
}

// unknownNames reports names of earlier releases that no release has.
func unknownNames(file string, lock *shape.Lock, now *shape.Shape) (found []diag.Diagnostic) {
	released := map[Rename]bool{}
	for _, release := range lock.Releases {
		for _, n := range release.Shape.Nodes {
			released[Rename{Of: Nodes, From: n.Name}] = true
		}
		eachType(release.Shape, func(t *resolve.Type) { collect(released, t) })
	}
	unknown := func(of string, pos spec.Pos, was string) {
		if was != "" && !released[Rename{Of: of, From: was}] {
			found = append(found, diag.Diagnostic{Code: "GG339", File: file, Pos: pos,
				Help:    diag.Help(diag.Remove("remove it") + ", or write the name that it had when it was released"),
				Message: fmt.Sprintf("no release has %q among its %s", was, of)})
		}
	}
	for _, n := range now.Nodes {
		unknown(Nodes, n.Was.Pos, n.Was.V)
	}
	eachType(now, func(t *resolve.Type) {
		if !now.Declares(t) {
			return // checked with its own file
		}
		for _, f := range t.Fields {
			unknown(Fields, f.Spec.RenamedFrom.Pos, f.Spec.RenamedFrom.V)
		}
		for _, v := range t.Values {
			unknown(Values, v.Pos, v.Was)
		}
	})
	return found
}

// collect adds the names of the fields and values of a type.
func collect(names map[Rename]bool, t *resolve.Type) {
	for _, f := range t.Fields {
		names[Rename{Of: Fields, From: f.Name}] = true
	}
	for _, v := range t.Values {
		names[Rename{Of: Values, From: v.Name}] = true
	}
}

// eachType visits the types of a shape, each once.
func eachType(s *shape.Shape, visit func(*resolve.Type)) {
	seen := map[*resolve.Type]bool{}
	var walk func(t *resolve.Type)
	walk = func(t *resolve.Type) {
		if t == nil || seen[t] || t.Kind == resolve.Message {
			return
		}
		seen[t] = true
		visit(t)
		walk(t.Elem)
		for _, f := range t.Fields {
			walk(f.Type)
		}
		for _, v := range t.Variants {
			walk(v.Type)
		}
	}
	walk(s.State)
	for _, n := range s.Nodes {
		walk(n.Output)
	}
}
