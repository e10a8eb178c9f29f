package plan

import (
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/shape"
)

// A Cell is a value that a thread saves of a run.
type Cell struct {
	Name  string   // in the thread
	Path  []string // from the run to the field
	Type  *resolve.Type
	Grows bool // it is a list: of what is appended, that alone is saved
	Zero  bool // its zero value may have no JSON
	Equal bool // == compares its values
}

// findCells finds what events have of the state of a served graph, and what threads save of the runs of a durable graph: the state, what branches
// note of it, the outputs that composite nodes look at, and cached results.
func (l *lowering) findCells() {
	m := l.m
	comparable := resolve.Comparable{}
	cell := func(name string, t *resolve.Type, path ...string) Cell {
		c := Cell{Name: name, Path: path, Type: t}
		switch t.Kind {
		case resolve.List:
			c.Grows = true
		case resolve.Enum, resolve.Struct, resolve.Union, resolve.External, resolve.Any, resolve.Media, resolve.Message:
			c.Zero, c.Equal = true, comparable.Of(t)
		}
		return c
	}
	for _, f := range l.g.ShownFields() {
		m.Types.Shown = append(m.Types.Shown, cell(f.Name, f.Type, f.GoName))
	}
	if !m.Threads.Durable {
		return
	}
	add := func(name string, t *resolve.Type, path ...string) {
		m.Threads.Cells = append(m.Threads.Cells, cell(name, t, path...))
	}
	for _, f := range m.Types.State.Fields {
		add(f.Name, f.Type, "state", f.GoName)
		if f.Secret() {
			m.Threads.Secrets = append(m.Threads.Secrets, f.Name)
		}
		if f.Private() {
			m.Threads.Privates = append(m.Threads.Privates, f.Name)
		}
		if f.Carries() {
			m.Threads.Carries = append(m.Threads.Carries, f.Name)
		}
	}
	for _, f := range m.Children.Notes {
		t := f.Type
		if f.Merge == "custom" {
			t = &resolve.Type{Kind: resolve.List, Elem: t}
		}
		add("~delta."+f.Name, t, "delta", f.GoName)
	}
	for _, n := range m.Flow.Nodes {
		if n.Kept.Field != "" {
			add("~out."+n.Name, n.Out, n.Kept.Field)
		}
		if n.Kept.Cache {
			var names []string
			for _, c := range []*ChoiceType{n.Choices.Goto, n.Choices.Branch} {
				if c != nil {
					names = append(names, c.What)
					for _, v := range c.Values {
						names = append(names, v.Name)
					}
				}
			}
			n.Kept.Cell = "~cache." + n.Name + "." + shape.FormOf(n.Out, names)
		}
	}
}
