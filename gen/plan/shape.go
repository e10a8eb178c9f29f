package plan

import (
	"slices"
	"strconv"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Shape is what the code of a node consists of, as far as its settings decide.
type Shape struct {
	Run, Kept, Eval string // its execution as a method; the type of what its cache holds; the method of its evals
	Add             string // of a template: the constructor of the mutation that adds one

	Wrapped      bool // its execution is a method of its own
	UsesOut      bool // its case looks at the output
	UsesGoto     bool // its case looks at what the handler chose by goto
	UsesLabel    bool // its case looks at the label that the handler chose
	Commits      bool // a fail_soft node: its success leaves something, as a turn, verdicts, writes
	Judged       bool // a model judges one of its evals
	UsesEvals    bool // its evals are used
	EvalRun      bool // their method looks at the run
	EvalOut      bool // and at the output
	CachesRegion bool // it is cached, or a node that it runs is

	Undone []string // fields of the run that every attempt sets back: of a retried node whose region commits as it runs
}

// findShapes finds what the code of the machine and of its nodes consists of.
func (m *Machine) findShapes() {
	m.findCarried()
	for _, n := range m.Flow.Nodes {
		n.Shape = m.shapeOf(n)
	}
	for _, n := range m.Flow.Nodes {
		markJudged(n.Routes.Tests)
		markJudged(n.Routes.SkipTests)
		if p, is := n.Work.(*Prompt); is {
			markJudged(p.Called)
		}
	}
	m.findMerging()
	m.findParts()
	m.findStart()
	m.findNames()
}

// findCarried finds the fields of the run that a child run continues with.
func (m *Machine) findCarried() {
	carry := func(is bool, field string) {
		if is {
			m.Children.Carried = append(m.Children.Carried, field)
		}
	}
	carry(true, "state")
	carry(len(m.Children.Notes) > 0, "delta")
	if m.Mutations.Notes() {
		carry(true, m.Mutations.Noted)
	}
	carry(m.Models.Conversations, "conversation")
	carry(m.Models.Results, "results")
	carry(m.Caches(), "cache")
}

// any reports whether a node of the machine has a property.
func (m *Machine) any(is func(*Node) bool) bool { return slices.ContainsFunc(m.Flow.Nodes, is) }

// UsesInput reports whether a run looks at its input.
func (m *Machine) UsesInput() bool { return len(m.Types.Input.Fields) > 0 || m.Models.Judges }

// HandsState reports whether handlers or human nodes get a copy of the state.
func (m *Machine) HandsState() bool {
	return m.any(func(n *Node) bool { return n.takesState() || n.Asked() != nil })
}

// Snapshots reports whether the state is restored when some handler fails.
func (m *Machine) Snapshots() bool { return m.any((*Node).Snapshots) }

// takesState reports whether the node's handler takes the state.
func (n *Node) takesState() bool {
	h, is := n.Work.(*Handler)
	return is && h.TakesState
}

// Snapshots reports whether the state is restored when the node fails: its handler may have changed it.
func (n *Node) Snapshots() bool {
	h, is := n.Work.(*Handler)
	return is && h.Snapshots()
}

// Caches reports whether nodes are cached.
func (m *Machine) Caches() bool { return m.any(func(n *Node) bool { return n.Kept.Cache }) }

// Mutates reports whether nodes ask for mutations.
func (m *Machine) Mutates() bool { return m.any(func(n *Node) bool { return n.Mutates }) }

// HandlersMutate reports whether handlers ask for mutations.
func (m *Machine) HandlersMutate() bool {
	return m.any(func(n *Node) bool { return n.Mutates && n.HasHandler() })
}

// ModelsMutate reports whether models ask for mutations.
func (m *Machine) ModelsMutate() bool {
	return m.any(func(n *Node) bool { return n.Mutates && !n.HasHandler() })
}

// findStart finds the fields that need code at the start of a run.
func (m *Machine) findStart() {
	for _, f := range m.Types.Input.Fields {
		if f.Spec.Default != nil {
			m.Types.Optional = append(m.Types.Optional, f)
		}
	}
	for _, f := range m.Types.State.Fields {
		if d := f.Spec.Default; d != nil && !StartsZero(f.Type, *d) {
			m.Types.Initial = append(m.Types.Initial, f)
		}
	}
}

// StartsZero reports whether a value that an author wrote is the zero value of its type.
func StartsZero(t *resolve.Type, v spec.Scalar) bool {
	switch t.Kind {
	case resolve.String:
		return v.Text == ""
	case resolve.Int, resolve.Float:
		n, err := strconv.ParseFloat(v.Text, 64)
		return err == nil && n == 0 && v.Text[0] != '-'
	case resolve.Bool:
		return v.Text[0] == 'f' || v.Text[0] == 'F'
	case resolve.List, resolve.Map:
		return len(v.Items) == 0
	}
	return false
}

// markJudged marks the first of the tests that a model judges if the node may be terminal where none of them
// holds: at most one of them is never used up, and no test after them always holds.
func markJudged(tests []Test) {
	first := slices.IndexFunc(tests, Test.Judged)
	if first < 0 {
		return
	}
	lasting, rest := 0, first
	for ; rest < len(tests) && tests[rest].Judged(); rest++ {
		if tests[rest].Transition.Max == 0 {
			lasting++
		}
	}
	tests[first].NoneEnds = lasting < 2 && !slices.ContainsFunc(tests[rest:], Test.Certain)
}

func (m *Machine) shapeOf(n *Node) Shape {
	s := Shape{
		Wrapped:      !n.Policy.Plain() || len(n.Checks.Guards) > 0 || n.Kept.Cache || n.Failure.Soft,
		Judged:       n.judged(),
		CachesRegion: cachesWithin(n),
	}
	s.UsesEvals = len(n.Checks.Evals) > 0 && (n.Kept.Result || n.RoutesEvals())
	if s.UsesEvals {
		s.Eval = "eval" + n.GoName
		for _, e := range n.Checks.Evals {
			s.EvalRun = s.EvalRun || e.Cond == nil || e.Cond.UsesState || e.Cond.UsesResult
			s.EvalOut = s.EvalOut || e.Judge != "" || e.Cond != nil && e.Cond.UsesOut
		}
	}
	s.UsesOut = usesOut(n, s)
	s.Commits = n.Failure.Soft && (s.UsesEvals || n.LeavesOutput())
	s.UsesGoto, s.UsesLabel = usesChoice(n, s, Goto), usesChoice(n, s, Label)
	if s.Wrapped {
		s.Run = "run" + n.GoName
	}
	switch n.Work.(type) {
	case *Loop, *Pool:
		if n.Policy.Attempts > 1 {
			s.Undone = slices.DeleteFunc(slices.Clone(m.Children.Carried), func(name string) bool { return name == "cache" })
		}
	}
	if n.Kept.Cache {
		s.Kept = m.Prefix + n.GoName + "Kept"
	}
	return s
}

// LeavesOutput reports whether a success of the node leaves something besides verdicts: a turn, writes, a result.
func (n *Node) LeavesOutput() bool {
	_, turn := n.Work.(*Prompt)
	return turn || n.Kept.Result || n.Kept.Field != "" || n.Snapshots() || slices.ContainsFunc(n.State.Writes, func(w Write) bool { return w.Record == nil })
}

// OnlyCalls reports whether the execution of a node is the call of what does its work, under a policy: nothing is
// checked, kept or set back.
func (n *Node) OnlyCalls() bool {
	chooses := n.Choices.Goto != nil || n.Choices.Branch != nil || n.Choices.By != nil && n.Choices.By.Checked || n.Choices.MustRoute != nil
	checked := len(n.Checks.Guards)+len(n.Routes.GuardFail) > 0 || n.Checks.Media != "" || n.Checks.Validate
	return !n.Mutates && !chooses && !checked && len(n.Shape.Undone) == 0 && !n.Snapshots() && !n.Kept.Cache
}

func cachesWithin(n *Node) bool { return n.Kept.Cache || n.within(cachesWithin) }

// usesChoice reports whether the routes compare what the handler chose. A transition that is
// taken because no other is left compares nothing.
func usesChoice(n *Node, s Shape, kind TestKind) bool {
	if !s.Wrapped || len(n.Routes.Tests) > 0 && ChoiceAlone(n.Routes.Tests) {
		return true
	}
	for i, t := range n.Routes.Tests {
		if t.Kind == kind && printed(n, i) {
			return true
		}
	}
	return false
}

func usesOut(n *Node, s Shape) bool {
	if slices.ContainsFunc(n.State.Writes, func(w Write) bool { return !w.Turn && w.Record == nil }) ||
		n.Kept.Result || n.Kept.Field != "" || s.EvalOut ||
		!s.Wrapped && (n.Checks.Validate || n.Choices.MustRoute != nil || n.Choices.By != nil && n.Choices.By.Checked) {
		return true
	}
	return n.RoutesOut()
}

// RoutesOut reports whether the transitions of the node look at its output.
func (n *Node) RoutesOut() bool {
	if len(n.Choices.Rejects) > 0 || len(n.Routes.Tests) > 0 && n.Routes.Tests[0].Field != nil && ChoiceAlone(n.Routes.Tests) {
		return true
	}
	for i, t := range n.Routes.Tests {
		if t.Field != nil && printed(n, i) || t.Cond != nil && t.Cond.UsesOut {
			return true
		}
	}
	return false
}

// RoutesEvals reports whether the transitions of the node look at its verdicts.
func (n *Node) RoutesEvals() bool {
	return slices.ContainsFunc(n.Routes.Tests, func(t Test) bool { return t.Cond != nil && t.Cond.UsesEvals })
}

// printed reports whether a test is printed: the last is not where it is all that is left.
func printed(n *Node, i int) bool { return i < len(n.Routes.Tests)-1 || n.Routes.Default.Kind != Never }

// ChoiceAlone reports whether all tests compare one choice and nothing else: a switch over its values.
func ChoiceAlone(tests []Test) bool {
	first := tests[0]
	texts := map[string]bool{}
	for _, t := range tests {
		if t.Kind != first.Kind || t.Field != first.Field || t.Transition.Pair != nil || len(t.Absent) > 0 {
			return false
		}
		for _, text := range t.Texts {
			if texts[text] {
				return false
			}
			texts[text] = true
		}
	}
	switch first.Kind {
	case Goto, Label:
		return true
	case Value, RouteText:
		return first.Field.Type.Kind != resolve.Optional
	}
	return false
}

// AddsEdges reports whether a run may add edges to a node.
func (m *Machine) AddsEdges(n *Node) bool {
	return m.Mutations.Allows("add_edge", "add_node") && !n.Chooses() && n.Parent == nil
}

// RejectsByDefault reports whether all that a node may name has a case in the switch over its route field: whatever else it names is rejected there.
func (m *Machine) RejectsByDefault(n *Node) bool {
	if len(n.Choices.Rejects) != 1 || len(n.Routes.Tests) == 0 || n.Routes.Default.Kind == Never || len(n.Routes.Default.UsedUp) > 0 || m.AddsEdges(n) {
		return false
	}
	r := &n.Choices.Rejects[0]
	if n.Routes.Tests[0].Kind != RouteText || n.Routes.Tests[0].Field != r.Field || !ChoiceAlone(n.Routes.Tests) {
		return false
	}
	named := map[string]bool{}
	for _, t := range n.Routes.Tests {
		for _, text := range t.Texts {
			named[text] = true
		}
	}
	return !slices.ContainsFunc(r.Texts, func(text string) bool { return !named[text] })
}

// Judged reports whether a model decides the test.
func (t Test) Judged() bool { return t.Kind == When }

// Certain reports whether the test always holds.
func (t Test) Certain() bool { return t.Kind == Always && t.Transition.Max == 0 }
