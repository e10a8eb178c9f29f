package dataflow

import (
	"fmt"
	"strings"

	"github.com/graphgen/graphgen/spec/resolve"
)

// String lists, for each node, the fields that may be unwritten before it, and those that are live
// after it succeeds; then the reads of fields that may be unwritten, each with a path.
func (f *Flow) String() string {
	reads := f.Unassigned()
	live := map[*resolve.Node]Set{}
	f.LiveAfter(func(n *resolve.Node, after Set) { live[n] = after })
	var b strings.Builder
	for at := range f.points {
		p := &f.points[at]
		name := p.node.Name()
		if p.skipped {
			name += " (skipped)"
		}
		if f.unwritten[at] == nil && !f.Unset.isEmpty() {
			fmt.Fprintf(&b, "%s: not reached\n", name)
			continue
		}
		fmt.Fprintf(&b, "%s: unwritten%s", name, f.names(f.unwritten[at]))
		if after, ok := live[p.node.Spec]; ok && !p.skipped {
			fmt.Fprintf(&b, "; live%s", f.names(after))
		}
		b.WriteString("\n")
	}
	for i := range reads {
		fmt.Fprintln(&b, f.text(&reads[i]))
	}
	return b.String()
}

// names returns the names of the fields of a set, each after a space.
func (f *Flow) names(s Set) string {
	var b strings.Builder
	for i, field := range f.Fields {
		if s != nil && s.Has(i) {
			b.WriteString(" " + field.Name)
		}
	}
	if b.Len() == 0 {
		return " nothing"
	}
	return b.String()
}

// text returns a read in words.
func (f *Flow) text(r *Read) string {
	by := "the output"
	switch r.Place {
	case InNode:
		by = "node " + r.Node.Spec.Name.V
	case InCondition:
		by = "a condition"
	}
	var path []string
	for _, s := range r.Path {
		if s.Node == nil {
			path = append(path, "end")
			continue
		}
		path = append(path, s.Node.Spec.Name.V+" "+s.Outcome.String())
	}
	return by + " reads " + f.Fields[r.Field].Name + ": " + strings.Join(path, ", ")
}
