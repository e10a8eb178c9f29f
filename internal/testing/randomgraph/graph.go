// Package randomgraph makes graph specs at random, for tests that hold something for every
// graph.
package randomgraph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A maker makes one random graph. The graph is meant to be valid: every node can be
// reached, every cycle is bounded, no transition is shadowed, every choice is complete. Only the
// conditions are random: the checks refuse some that are constant.
type maker struct {
	*rand.Rand
	name    string
	state   []stateField
	nodes   []*node
	types   []string
	edges   []edge // conditional or bounded ones
	certain []edge // those that are always taken: they are last
	onError string
	noMatch string
	steps   int
	chain   bool            // most nodes lead to the next one
	refuge  map[string]bool // nodes to which a failure may lead
	flagged bool            // a flag marks the entry
	long    bool            // runs are meant to take many steps
	models  bool            // nodes ask models
	tables  bool            // enums of outputs select targets
	people  bool            // nodes ask people
	asked   int             // edges that the model judges
	input   []string

	composes bool         // nodes run others
	routers  bool         // some of these choose how a region goes on
	children []*node      // the nodes that others run
	made     int          // of them
	extra    []stateField // fields that only nodes within a map see, conversations and media
	talks    []stateField // conversations
	media    []stateField

	inner     *maker // the graph that nodes run
	mutations string // what nodes may change, as YAML

	within bool     // it is such a graph itself
	lent   bool     // a node that others run runs it
	given  []string // the graph's output
}

type stateField struct{ name, typ, merge string }

// A node is a node in the making.
type node struct {
	name    string
	targets []string // where it should be able to go
	kind    string
	keys    []string // its YAML keys, complete
	out     []string // fields of its output, as YAML
	outOf   map[string]string
	writes  []string
	state   bool // takes the state
	reads   bool
	free    bool   // may have choices and an output
	asks    bool   // asks a model
	loops   bool   // a prompt that is asked again after its tool calls
	defers  bool   // a prompt that leaves tool calls to others
	talk    string // the conversation that it continues
	unkept  bool   // nothing of it is kept
	judged  bool   // the model judges some of its edges
	doubt   bool   // its transitions may all be closed
	open    bool   // it has a branch table that does not cover every value
	sure    bool   // one of them is always open
	refused bool   // a transition of failed guards is always open

	last    *node  // of a node that runs others: the one whose output is its own
	private string // the field that only nodes within the same map read
	retries bool   // something is tried again in it

	// What the node's flags say.
	soft, critical, retry, cache bool
	trans                        []string
}

// An edge is an entry of edges in the making.
type edge struct {
	from, to, cond string
	priority       int
	raw            string // the whole entry, of another form
}

func (e edge) yaml() string {
	if e.raw != "" {
		return e.raw
	}
	s := fmt.Sprintf("  - {from: %s, %s", e.from, e.to)
	if e.cond != "" {
		s += ", " + e.cond
	}
	if e.priority != 0 {
		s += fmt.Sprintf(", priority: %d", e.priority)
	}
	return s + "}\n"
}

// chance is true in p of 100 cases.
func (m *maker) chance(p int) bool { return m.IntN(100) < p }

func pick[T any](m *maker, list ...T) T { return list[m.IntN(len(list))] }

// YAML returns the spec of a random graph of that name, without models. The checks refuse some.
func YAML(r *rand.Rand, name string) string {
	return (&maker{Rand: r, name: name}).make()
}

// Tables returns the spec of a random graph of that name, with branch tables that look at enums of
// outputs, and with prompts or nodes that run others where that is asked for. The checks refuse some.
func Tables(r *rand.Rand, name string, models, composes bool) string {
	return (&maker{Rand: r, name: name, models: models, composes: composes, tables: true}).make()
}

// Agents returns the spec of a random graph of that name, with prompts that call tools and
// edges that a model judges. The checks refuse some.
func Agents(r *rand.Rand, name string) string {
	return (&maker{Rand: r, name: name, models: true}).make()
}

// Asking returns the specs of two random graphs, of which the first may run the second. Their nodes ask people, in
// regions too. The checks refuse some.
func Asking(r *rand.Rand, name, inner string) (outerText, innerText string) {
	if r.IntN(4) == 0 {
		return (&maker{Rand: r, name: name, models: true, people: true}).make(), ""
	}
	within := &maker{Rand: r, name: inner, within: true, composes: r.IntN(2) == 0, people: true}
	innerText = within.make()
	outer := &maker{Rand: r, name: name, composes: true, people: true}
	if r.IntN(3) == 0 {
		outer.inner = within
		return outer.make(), innerText
	}
	return outer.make(), ""
}

func (m *maker) make() string {
	m.flagged = m.chance(15)
	m.long = !m.people && m.chance(6)
	m.chain = m.long || m.chance(35)
	m.makeState()
	m.makeTalks()
	m.makeTree()
	if m.chance(25) {
		m.onError = pick(m, m.nodes...).name
	}
	if m.chance(65) {
		m.noMatch = pick(m, "error", "end")
	}
	if m.chance(75) {
		m.steps = pick(m, 3, 6, 9, 14, 20, 30, 70, 150, 300)
	}
	if m.people {
		m.steps = pick(m, 6, 9, 14, 20, 30)
	}
	if m.long {
		m.steps, m.noMatch = 300, "error"
	}
	m.refuge = map[string]bool{m.onError: true}
	for _, n := range m.nodes {
		m.failureWays(n)
	}
	for _, n := range m.nodes {
		m.makeNode(n)
	}
	for _, n := range m.children {
		m.finish(n)
	}
	return m.yaml()
}

// fieldPool are the state fields a graph may have.
var fieldPool = []stateField{
	{"a", "int", ""}, {"b", "int", "sum"}, {"c", "int", "max"}, {"d", "int", "min"}, {"e", "string", ""},
	{"f", "bool", ""}, {"l", "[]int", "append"}, {"u", "[]string", "union"}, {"m", "map[string]int", "union"},
	{"o", "?int", "max"}, {"p", "?int", ""}, {"x", "int", "custom"}, {"t", "[]int", ""}, {"q", "float", "sum"},
	{"o2", "?int", "min"}, {"n", "string", ""}, {"g", "map[string]int", ""},
}

func (m *maker) makeState() {
	for _, i := range m.Perm(len(fieldPool))[:2+m.IntN(4)] {
		m.state = append(m.state, fieldPool[i])
	}
	if m.composes {
		m.moreState()
	}
	for _, f := range m.state {
		if m.composes && f.merge == "" {
			m.input = append(m.input, f.name)
			continue
		}
		if extreme := f.merge == "max" || f.merge == "min"; extreme && f.typ == "int" || m.chance(40) || m.models && m.chance(70) {
			m.input = append(m.input, f.name)
		}
	}
}

// makeTree makes the nodes and what each must lead to: a tree, so that all are reached,
// and more.
func (m *maker) makeTree() {
	count := 3 + min(m.IntN(10), m.IntN(10), m.IntN(10), m.IntN(10)) // small ones show as much, and compile faster
	for i := range count {
		n := &node{name: m.nodeName(i + 1), outOf: map[string]string{}}
		m.nodes = append(m.nodes, n)
		if i > 0 {
			parent := m.nodes[m.IntN(i)]
			if m.chain && m.chance(80) {
				parent = m.nodes[i-1]
			}
			parent.targets = append(parent.targets, n.name)
		}
	}
	for i, n := range m.nodes {
		more := m.IntN(3)
		switch {
		case m.long && i == count-1:
			n.targets = []string{"end"}
			more = 2
		case len(n.targets) == 0 && m.chance(30):
			continue
		case len(n.targets) == 0 && m.chance(20) || i == count-1:
			n.targets = []string{"end"}
			more = m.IntN(2)
		case len(n.targets) == 0:
			more = 1 + m.IntN(2)
		case m.chain && m.chance(70):
			more = 0
		}
		for range more {
			to := pick(m, m.nodes...).name
			if m.chance(6) {
				to = "end"
			}
			n.targets = append(n.targets, to)
		}
	}
}

func (m *maker) limits() []string {
	var out []string
	if m.steps > 0 {
		out = append(out, fmt.Sprintf("max_steps: %d", m.steps))
	}
	if m.steps > 0 || m.chance(30) {
		out = append(out, "on_max_steps: "+pick(m, "error", "last", "flag"))
	}
	if m.chance(15) {
		out = append(out, fmt.Sprintf("max_visits: %d", pick(m, 1, 2, 4, 7, 40)))
	}
	if m.chance(8) {
		out = append(out, "timeout: 1h") // never reached, but the context can then be done
	}
	return out
}

func (m *maker) yaml() string {
	var b strings.Builder
	fmt.Fprintf(&b, "graph: %s\n", m.name)
	if m.inner != nil {
		fmt.Fprintf(&b, "use: {inner: %s.graph.yaml}\n", m.inner.name)
	}
	if !m.flagged {
		fmt.Fprintf(&b, "entry: %s\n", m.nodeName(1))
	}
	if limits := m.limits(); len(limits) > 0 {
		fmt.Fprintf(&b, "limits: {%s}\n", strings.Join(limits, ", "))
	}
	if m.models {
		pure, look, find := m.chance(40), m.context(", reads: [%s]"), m.context("{reads: [%s]}")
		if m.people && m.chance(50) {
			find = "{client: true" + m.deadline() + "}"
		}
		fmt.Fprintf(&b, "tools: {look: {args: {query: string}, pure: %t%s}, find: %s}\n", pure, look, find)
	}
	if m.onError != "" {
		fmt.Fprintf(&b, "on_error: %s\n", m.onError)
	}
	if m.noMatch != "" {
		fmt.Fprintf(&b, "no_match: %s\n", m.noMatch)
	}
	b.WriteString(m.interrupts())
	b.WriteString(m.mutations)
	if len(m.types) > 0 {
		fmt.Fprintf(&b, "types:\n%s", strings.Join(m.types, ""))
	}
	b.WriteString("state:\n")
	var names []string
	for _, f := range m.state {
		names = append(names, f.name)
	}
	for _, f := range slices.Concat(m.state, m.extra) {
		if f.merge == "" {
			fmt.Fprintf(&b, "  %s: %q\n", f.name, f.typ)
		} else {
			fmt.Fprintf(&b, "  %s: {type: %q, merge: %s}\n", f.name, f.typ, f.merge)
		}
	}
	fmt.Fprintf(&b, "input: [%s]\noutput: [%s]\nnodes:\n", strings.Join(m.input, ", "), strings.Join(m.output(names), ", "))
	for _, n := range slices.Concat(m.nodes, m.children) {
		fmt.Fprintf(&b, "  %s: {%s}\n", n.name, strings.Join(n.keys, ", "))
	}
	m.Shuffle(len(m.edges), func(i, j int) { m.edges[i], m.edges[j] = m.edges[j], m.edges[i] })
	if len(m.edges)+len(m.certain) > 0 {
		b.WriteString("edges:\n")
	}
	for _, e := range m.edges {
		b.WriteString(e.yaml())
	}
	for _, s := range m.sequences() {
		b.WriteString(s)
	}
	return b.String()
}

// nodeName returns the name of a node at the graph's own level. Nodes of a graph that another one
// runs have other names, so that a player of both can distinguish them.
func (m *maker) nodeName(i int) string {
	if m.within {
		return fmt.Sprintf("z%d", i)
	}
	return fmt.Sprintf("n%d", i)
}

// output picks some of the fields.
func (m *maker) output(names []string) []string {
	m.given = names[:1+m.IntN(len(names))]
	out := slices.Clone(m.given)
	for _, f := range slices.Concat(m.talks, m.media) {
		if m.chance(80) {
			out = append(out, f.name)
		}
	}
	return out
}

// sequences writes the edges that are always taken, some of them as sequential entries.
func (m *maker) sequences() []string {
	var out []string
	rest := slices.Clone(m.certain)
	for len(rest) > 0 {
		e := rest[0]
		rest = rest[1:]
		if e.priority != 0 || e.cond != "" || !strings.HasPrefix(e.to, "to: ") || m.chance(50) {
			out = append(out, e.yaml())
			continue
		}
		list := []string{e.from, strings.TrimPrefix(e.to, "to: ")}
		for {
			i := slices.IndexFunc(rest, func(f edge) bool {
				return f.from == list[len(list)-1] && f.priority == 0 && f.cond == "" && strings.HasPrefix(f.to, "to: ")
			})
			if i < 0 {
				break
			}
			list = append(list, strings.TrimPrefix(rest[i].to, "to: "))
			rest = slices.Delete(rest, i, i+1)
		}
		out = append(out, fmt.Sprintf("  - {sequential: [%s]}\n", strings.Join(list, ", ")))
	}
	return out
}
