package plan

import (
	"slices"

	"github.com/graphgen/graphgen/spec/resolve"
)

// A Shape is what the code of a node consists of, as far as its settings decide.
type Shape struct {
	Run, Kept, Eval string // its execution as a method; the type of what its cache holds; the method of its evals

	Wrapped      bool // its execution is a method of its own
	ByValue      bool // a handler that takes the state may not change it
	UsesOut      bool // its case looks at the output
	UsesGoto     bool // its case looks at what the handler chose by goto
	UsesLabel    bool // its case looks at the label that the handler chose
	Judged       bool // a model judges one of its evals
	UsesEvals    bool // its evals are looked at
	CachesWithin bool // it is cached, or a node that it runs is
}

// Names are the unexported names of a machine that stand for the whole of it.
type Names struct {
	Run, Table, Caller, Mutable, Timeout string
	Region                               string // the method that runs a region
	End                                  string // the constant of the end, which is exported
}

// findShapes finds what the code of the machine and of its nodes consists of.
func (m *Machine) findShapes() {
	m.Names = Names{
		Run: m.Prefix + "Run", Table: m.Prefix + "Graph", Caller: m.Prefix + "Caller", Mutable: m.Prefix + "Mutable",
		Timeout: m.Prefix + "Timeout", End: m.GoName + "End",
	}
	for _, n := range m.Nodes {
		m.Branching = m.Branching || n.Kind.Forks()
		m.HandlersMutate = m.HandlersMutate || n.Mutates && n.Prompt == nil
		m.Caches = m.Caches || n.Cache
		m.CountsVisits = m.CountsVisits || n.MaxVisits > 0
		m.HandsState = m.HandsState || n.TakesState || n.Human != nil
	}
	m.CountsWays = slices.ContainsFunc(m.Ways, func(w *Way) bool { return w.Pair != nil })
	m.Names.Region = "runRegion"
	for _, n := range m.Nodes {
		n.Shape = m.shapeOf(n)
		if n.Shape.Run == "runRegion" {
			m.Names.Region = "runRegions" // a node has the name
		}
	}
}

func (m *Machine) shapeOf(n *Node) Shape {
	s := Shape{
		Wrapped:      !n.Policy.Plain() || len(n.Guards) > 0 || n.Cache || n.Soft,
		ByValue:      n.ReadOnly || !n.Kind.Changes(),
		Judged:       slices.ContainsFunc(n.Evals, func(e *Eval) bool { return e.Judge != "" }),
		CachesWithin: cachesWithin(n),
	}
	s.UsesEvals = len(n.Evals) > 0 && (n.Noted || slices.ContainsFunc(n.Tests, func(t Test) bool { return t.Cond != nil && t.Cond.UsesEvals }))
	s.UsesOut = usesOut(n, s)
	s.UsesGoto, s.UsesLabel = usesChoice(n, s, Goto), usesChoice(n, s, Label)
	if s.Wrapped {
		s.Run = "run" + n.Method
	}
	if n.Cache {
		s.Kept = m.Prefix + n.Method + "Kept"
	}
	if s.UsesEvals {
		s.Eval = "eval" + n.GoName
	}
	return s
}

func cachesWithin(n *Node) bool {
	return n.Cache || n.Composite != nil && slices.ContainsFunc(n.Composite.Regions, func(r *Region) bool {
		return slices.ContainsFunc(r.Nodes, cachesWithin)
	})
}

// usesChoice reports whether the routes compare what the handler chose. A way that is
// taken because no other is left compares nothing.
func usesChoice(n *Node, s Shape, kind TestKind) bool {
	if !s.Wrapped || len(n.Tests) > 0 && ChoiceAlone(n.Tests) {
		return true
	}
	for i, t := range n.Tests {
		if t.Kind == kind && printed(n, i) {
			return true
		}
	}
	return false
}

func usesOut(n *Node, s Shape) bool {
	if len(n.Writes) > 0 || n.Noted || n.Gives != "" || s.UsesEvals || len(n.Rejects) > 0 ||
		!s.Wrapped && (n.Validate || n.MustRoute != nil || n.By != nil && n.By.Checked) {
		return true
	}
	if len(n.Tests) > 0 && n.Tests[0].Field != nil && ChoiceAlone(n.Tests) {
		return true
	}
	for i, t := range n.Tests {
		if t.Field != nil && printed(n, i) || t.Cond != nil && t.Cond.UsesOut {
			return true
		}
	}
	return false
}

// printed reports whether a test is printed: the last is not where it is all that is left.
func printed(n *Node, i int) bool { return i < len(n.Tests)-1 || n.Default.Kind != Never }

// ChoiceAlone reports whether all tests compare one choice and nothing else: a switch over its values.
func ChoiceAlone(tests []Test) bool {
	first := tests[0]
	for _, t := range tests {
		if t.Kind != first.Kind || t.Field != first.Field || t.Way.Pair != nil {
			return false
		}
	}
	return first.Kind == Goto || first.Kind == Label || first.Kind == Value && first.Field.Type.Kind != resolve.Optional
}

// Certain reports whether the test always holds.
func (t Test) Certain() bool { return t.Kind == Always && t.Way.Max == 0 }
