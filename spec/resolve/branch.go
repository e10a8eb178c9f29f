package resolve

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
)

// bindBranches finds the fields of branch tables.
func (g *Graph) bindBranches() {
	for _, e := range g.Edges {
		switch {
		case e.From == nil:
		case e.Spec.By.IsSet():
			e.By = e.From.OutputField(e.Spec.By.V)
		case e.Table():
			e.By = e.unnamed()
		}
	}
}

// OnlyEnum returns the output of a node that is an enum, or an enum that is the only field of it, or nil.
func (n *Node) OnlyEnum() *Field {
	only := n.OutputField(spec.OutputName)
	if n.Out != nil && n.Out.Kind == Struct && len(n.Out.Fields) == 1 {
		only = n.Out.Fields[0]
	}
	if only == nil || only.Type.Base().Kind != Enum {
		return nil
	}
	return only
}

// unnamed returns the field that a table without by looks at: the only enum of its node. It is nil where the handler of the
// node returns a label, since none of the labels is a value of the enum, and where a label was meant as the key by.
func (e *Edge) unnamed() *Field {
	only := e.From.OnlyEnum()
	if only == nil {
		return nil
	}
	value := func(l spec.Label) bool { return only.Type.Base().Value(l.Name.V) != nil }
	meant := func(l spec.Label) bool { return l.Name.V == "by" && !value(l) }
	if slices.ContainsFunc(e.Spec.Branch, meant) || e.From.Kind.Returns && !slices.ContainsFunc(e.Spec.Branch, value) {
		return nil
	}
	return only
}

// ByName returns the name of the field that a branch table looks at, empty where the handler returns a label.
func (e *Edge) ByName() string {
	if e.By != nil {
		return e.By.Name
	}
	return e.Spec.By.V
}

// OutputField returns the output field with the given name, or nil. An enum output is a field
// itself, without a Go name.
func (n *Node) OutputField(name string) *Field {
	switch {
	case n.Out == nil:
		return nil
	case n.Out.Base().Kind == Enum && name == spec.OutputName:
		return &Field{Spec: &spec.Field{}, Name: name, Type: n.Out}
	case n.Out.Kind == Struct:
		return n.Out.Field(name)
	}
	return nil
}

// Table reports whether the edge is a branch table.
func (e *Edge) Table() bool { return e.Spec.BranchPos.IsSet() }

// Labelled reports whether the edge is a branch table whose label the handler returns.
func (e *Edge) Labelled() bool { return e.Table() && !e.Spec.By.IsSet() && e.By == nil }

// Complete reports whether the edge is a branch table with a label for every result of its node. It
// ignores bounds.
func (e *Edge) Complete() bool {
	if !e.Table() || len(e.Branch) == 0 {
		return false
	}
	return e.Labelled() || e.Enum() != nil && !e.MayLack() && len(e.Uncovered()) == 0
}

// MayLack reports whether the field of a branch table may be absent after a success.
func (e *Edge) MayLack() bool {
	return e.By != nil && (e.By.Type.Kind == Optional || e.From.MayGiveNothing())
}

// Enum returns the type whose values are the labels of a branch table, or nil.
func (e *Edge) Enum() *Type {
	if e.By == nil || e.By.Type.Base().Kind != Enum {
		return nil
	}
	return e.By.Type.Base()
}

// Uncovered returns the values of the enum of a branch table that have no label.
func (e *Edge) Uncovered() []string {
	t := e.Enum()
	if t == nil {
		return nil
	}
	labels := make(map[string]bool, len(e.Spec.Branch))
	for _, l := range e.Spec.Branch {
		labels[l.Name.V] = true
	}
	var out []string
	for _, v := range t.Values {
		if !labels[v.Name] {
			out = append(out, v.Name)
		}
	}
	return out
}

// MayGiveNothing reports whether a loop or a retry may succeed without an output: the node that
// gives its output may fail softly, may be skipped, also by a router before it, or could not be read completely.
func (n *Node) MayGiveNothing() bool {
	for w := n.Body; w != nil; w = w.Body {
		if w.Region.EndsEarly() || w.Has(spec.SkipOnError) || w.Spec.FailSoft.V || w.Vague() {
			return true
		}
	}
	return false
}

// Vague reports whether the effect of a failure of the node could not be read.
func (n *Node) Vague() bool { return n.Spec.Unread || n.Spec.FailSoft.Lost }

// Vague reports whether the order or the effect of the edge could not be read.
func (e *Edge) Vague() bool {
	s := e.Spec
	event := !s.On.IsSet() || slices.Contains(spec.Names(spec.EdgeEvents), s.On.V)
	return s.Unread || s.Priority.Lost || s.MaxIterations.Lost || s.OnConfidence.Lost || !event
}

// Judged reports whether the model decides if the edge is taken.
func (e *Edge) Judged() bool { return e.Spec.When.IsSet() }
