package plan

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/assertion"
	"github.com/graphgen/graphgen/spec/resolve"
)

// Mutations are how runs may change their graph.
type Mutations struct {
	Allow         []string // words of spec.Actions, in their order
	Max           int
	Bounded       bool // the limits of the spec have max_steps or max_visits
	Visits        int  // max_visits of the limits; 0: none
	Kinds         []string
	Reads         []*resolve.Field // what an added prompt may be shown
	Writes        []Write          // what it may write
	Update        *resolve.Type    // what retry_with may set; nil: nothing
	Sets          []Write          // the fields of Update
	Templates     []*Node
	Tools         []*Tool           // that an added prompt may call
	Approve       []string          // of them, those whose calls a person approves
	Prompt, Field string            // of added prompts: the description of what they have in common; the field of the run with their turns
	Outputs       []*resolve.Field  // that hold nothing before a node writes them, where a change may lead past that node
	Noted         string            // field of the run: by Outputs, which it has written
	Make          map[string]string // by words of spec.Actions, the constructors for handlers
	Asserts       []Assertion
}

// An Assertion is what the spec asserts of every run.
type Assertion struct {
	Kind  assertion.Kind
	Text  string
	Nodes []*Node // nil is end
	Most  int
}

// Written lists the names of the fields that an added prompt may write.
func (m *Mutations) Written() []string {
	var out []string
	for _, w := range m.Writes {
		out = append(out, w.To.Name)
	}
	return out
}

// Allows reports whether runs may do one of some actions, which are words of spec.Actions.
func (m *Mutations) Allows(actions ...string) bool {
	return m != nil && slices.ContainsFunc(actions, func(a string) bool { return slices.Contains(m.Allow, a) })
}

// lowerMutations plans how runs may change their graph.
func (l *lowering) lowerMutations() {
	s := l.g.Mutations
	if s == nil {
		return
	}
	m := &Mutations{Allow: s.Allow, Max: s.Max, Bounded: l.g.Spec.Limits.MaxSteps.IsSet() || l.g.Spec.Limits.MaxVisits.IsSet(),
		Visits: l.g.Spec.Limits.MaxVisits.V, Kinds: s.Kinds, Update: l.g.Update}
	if l.g.Update != nil {
		for _, f := range s.Update {
			m.Sets = append(m.Sets, write(resolve.Write{To: f}, f.Type))
		}
	}
	for _, n := range l.m.Flow.Nodes {
		if n.Template {
			m.Templates = append(m.Templates, n)
		}
	}
	l.lowerAdded(m)
	l.lowerOutputs(m)
	for _, a := range l.g.Spec.Assertions {
		parsed, mistake := assertion.Parse(a.That)
		if mistake != nil {
			continue // which the checks report
		}
		if parsed.Kind == assertion.Passes && l.g.NamesTools(parsed.Names[0].V) {
			m.Asserts = append(m.Asserts, l.lowerCalls(parsed)...)
		} else {
			m.Asserts = append(m.Asserts, l.lowerAssertion(parsed))
		}
	}
	l.m.Mutations = m
}

func (l *lowering) lowerAssertion(a *assertion.Assertion) Assertion {
	out := Assertion{Kind: a.Kind, Text: strings.TrimSpace(a.Text.V), Most: a.Most}
	for _, name := range a.Names {
		n := l.g.Target(name.V).Node
		for n != nil && n.Parent != nil && a.Kind == assertion.Reachable {
			n = n.Parent // a visit of the node reaches what it runs
		}
		out.Nodes = append(out.Nodes, l.nodes[n])
	}
	return out
}

// lowerCalls plans an assertion about tools: it is one about each node that calls them without an approval.
func (l *lowering) lowerCalls(a *assertion.Assertion) (list []Assertion) {
	passed := l.g.Target(a.Names[1].V).Node
	free, _ := l.g.CallersOf(a.Names[0].V)
	for _, n := range free {
		if n != passed {
			list = append(list, Assertion{Kind: a.Kind, Text: strings.TrimSpace(a.Text.V), Nodes: []*Node{l.nodes[n], l.nodes[passed]}})
		}
	}
	return list
}

// lowerAdded plans what nodes of kind prompt may be that a run adds.
func (l *lowering) lowerAdded(m *Mutations) {
	if !m.Prompts() {
		return
	}
	m.Reads = l.g.Mutations.Reads
	for _, f := range l.g.Mutations.Writes {
		m.Writes = append(m.Writes, write(resolve.Write{To: f}, &resolve.Type{Kind: resolve.String}))
	}
	m.Tools = l.toolsOf(l.g.Mutations.Tools)
	for _, t := range l.g.Held() {
		if slices.Contains(l.g.Mutations.Tools, t) { // a prompt of the spec would need the approval, or all do
			m.Approve = append(m.Approve, t.Spec.Name.V)
		}
	}
	m.Prompt, m.Field = l.name(l.m.Prefix+"DynamicPrompt"), "dynamic"
}

// lowerOutputs finds the outputs that a changed run may leave unwritten at its end. To retry alone
// leads past no node.
func (l *lowering) lowerOutputs(m *Mutations) {
	if !slices.ContainsFunc(m.Allow, func(action string) bool { return action != "retry_with" }) {
		return
	}
	items := map[*resolve.Field]bool{}
	for _, n := range l.g.All() {
		items[n.Item] = true
	}
	for _, f := range l.g.Output.Fields {
		if f = l.g.State.Field(f.Name); !f.StartsAssigned() && l.g.Input.Field(f.Name) == nil && !items[f] {
			m.Outputs = append(m.Outputs, f)
		}
	}
	if len(m.Outputs) > 0 {
		m.Noted = "written"
	}
}

// Output returns the number of a field among those whose writes are noted, -1 for others.
func (m *Mutations) Output(f *resolve.Field) int {
	if m == nil {
		return -1
	}
	return slices.Index(m.Outputs, f)
}

// Notes reports whether runs note which outputs they have written.
func (m *Mutations) Notes() bool { return m != nil && len(m.Outputs) > 0 }

// Prompts reports whether runs may add nodes of kind prompt.
func (m *Mutations) Prompts() bool {
	return m.Allows("add_node") && slices.ContainsFunc(m.Kinds, func(kind string) bool { return spec.KindOf(kind).By == spec.ByModel })
}

// leaveTemplates leaves the counting of visits to the kernel where nodes are made of templates:
// each has its own.
func (m *Machine) leaveTemplates() {
	for _, n := range m.Flow.Nodes {
		if n.Template {
			n.Visits.Max = 0
		}
	}
}

// markClosable finds the transitions of a node of which the run has to know whether it has closed them:
// not those that the node chooses itself, which stay, nor the one that is always taken, which is
// closed only where an added edge is, before it.
func (m *Machine) markClosable(n *Node) {
	if !m.Mutations.Allows("remove_edge") {
		return
	}
	for i := range n.Routes.Tests {
		t := &n.Routes.Tests[i]
		t.Transition.Closable = t.Kind != Label && t.Kind != Value && !t.Chosen() && (t.Kind != Always || t.Transition.Max > 0)
	}
}

// Chosen reports whether the node itself names the transition: rules 2 and 3.
func (t *Test) Chosen() bool {
	return t.Transition.Rule == spec.RuleRoute || t.Transition.Rule == spec.RuleGoto
}

// Chooses reports whether the node always names the next one itself, so that no edge of it is
// ever tried.
func (n *Node) Chooses() bool {
	if n.Failure.Soft {
		return false
	}
	return n.Choices.MustRoute != nil && len(n.Choices.Rejects) == 0 || n.Choices.Goto != nil && n.Choices.Goto.Required
}

// Ends reports whether a run may end at the node though no transition of it leads to end.
func (n *Node) Ends() bool {
	ends := func(d Default) bool {
		return d.Kind == Terminal || d.Kind == Exhausted || d.Kind == End || len(d.UsedUp) > 0
	}
	judged := slices.ContainsFunc(n.Routes.Tests, func(t Test) bool { return t.Kind == When })
	return ends(n.Routes.Default) || n.Failure.Skip && ends(n.Routes.SkipDefault) || judged
}
