package plan

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/scc"
)

// Grows reports whether append can write past the end of a type's values: whether it is a slice
// in Go.
func Grows(t *resolve.Type) bool {
	return t.Kind == resolve.List || t.Kind == resolve.Bytes || t.Kind == resolve.Any
}

// lists finds which types hold lists in their values. Of a type that holds itself, its own
// recurrences are not followed: values may refer to one another in a circle.
type lists struct {
	types  []*resolve.Type // structs and unions
	number map[*resolve.Type]int
	cycle  []int // by number: its strongly connected component
	holds  map[*resolve.Type]bool
}

func newLists(roots ...*resolve.Type) *lists {
	l := &lists{number: map[*resolve.Type]int{}, holds: map[*resolve.Type]bool{}}
	for _, t := range roots {
		l.find(t)
	}
	next := make([][]int, len(l.types))
	for i, t := range l.types {
		for _, part := range parts(t) {
			if n, ok := l.number[named(part)]; ok {
				next[i] = append(next[i], n)
			}
		}
	}
	l.cycle = scc.Components(next, nil)
	return l
}

// find numbers a type and those in it.
func (l *lists) find(t *resolve.Type) {
	if t = named(t); t.Kind != resolve.Struct && t.Kind != resolve.Union {
		return
	}
	if _, ok := l.number[t]; ok {
		return
	}
	l.number[t] = len(l.types)
	l.types = append(l.types, t)
	for _, part := range parts(t) {
		l.find(part)
	}
}

// named is the type of a list's elements, of a map's values, or of what may be absent.
func named(t *resolve.Type) *resolve.Type {
	for t.Elem != nil {
		t = t.Elem
	}
	return t
}

// parts are the types of a struct's fields, or of a union's variants.
func parts(t *resolve.Type) []*resolve.Type {
	var out []*resolve.Type
	for _, f := range t.Fields {
		out = append(out, f.Type)
	}
	for _, v := range t.Variants {
		out = append(out, v.Type)
	}
	return out
}

// follows reports whether the search enters a part of a struct or union.
func (l *lists) follows(whole, part *resolve.Type) bool {
	n, ok := l.number[named(part)]
	return !ok || l.cycle[n] != l.cycle[l.number[whole]]
}

// within reports whether values of the type hold lists besides the one that each may itself be.
func (l *lists) within(t *resolve.Type) bool {
	if t.Elem != nil {
		return Grows(t.Elem) || l.within(t.Elem)
	}
	if _, ok := l.number[t]; !ok {
		return false
	}
	holds, ok := l.holds[t]
	if !ok {
		holds = slices.ContainsFunc(parts(t), func(part *resolve.Type) bool {
			return Grows(part) || l.follows(t, part) && l.within(part)
		})
		l.holds[t] = holds
	}
	return holds
}

// A Clipper is the function that clips the lists in a struct or a union.
type Clipper struct {
	Func     string
	Fields   []ClippedField  // of a struct: those that are lists or hold some
	Variants []*resolve.Type // of a union: those that hold lists
}

// A ClippedField is a field of a struct that is a list, or holds lists.
type ClippedField struct {
	*resolve.Field
	Deep bool // what is in it holds lists that are clipped too
}

// findClips names the functions that clip the lists in values that reach the state.
func (l *lowering) findClips() {
	roots := []*resolve.Type{l.m.Types.State}
	for _, n := range l.m.Flow.Nodes {
		if n.Out != nil {
			roots = append(roots, n.Out)
		}
	}
	found := newLists(roots...)
	l.m.Types.Clips = map[*resolve.Type]*Clipper{}
	for _, t := range found.types {
		if !found.within(t) {
			continue
		}
		c := &Clipper{Func: l.name(l.m.Prefix + "Clip" + strings.TrimPrefix(t.GoName, l.m.GoName))}
		for _, f := range t.Fields {
			deep := found.follows(t, f.Type) && found.within(f.Type)
			if deep || Grows(f.Type) {
				c.Fields = append(c.Fields, ClippedField{f, deep})
			}
		}
		for _, v := range t.Variants {
			if found.follows(t, v.Type) && found.within(v.Type) {
				c.Variants = append(c.Variants, v.Type)
			}
		}
		l.m.Types.Clips[t] = c
	}
}

// HoldsLists reports whether values of the type hold lists besides the one that each may itself
// be.
func (m *Machine) HoldsLists(t *resolve.Type) bool {
	if t.Elem != nil {
		return Grows(t.Elem) || m.HoldsLists(t.Elem)
	}
	return m.Types.Clips[t] != nil
}

// ViewsState reports whether a run shows its state by a method of its own: the state has lists, or what shows it leads back to the run.
func (m *Machine) ViewsState() bool {
	return len(m.Lists()) > 0 || m.Pauses() || m.Threads.Durable || m.PausesInRegions(false)
}

// Lists are the fields of the state that are lists themselves.
func (m *Machine) Lists() []*resolve.Field {
	return slices.DeleteFunc(slices.Clone(m.Types.State.Fields), func(f *resolve.Field) bool { return !Grows(f.Type) })
}

// Growing returns the fields of the state that the machine itself appends to.
func (m *Machine) Growing() []*resolve.Field {
	return slices.DeleteFunc(m.Lists(), func(f *resolve.Field) bool { return f.Merge != "append" })
}
