// Package randomgraph makes graph specs at random, for tests that hold something for every
// graph.
package randomgraph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Options are what a random graph has beside nodes of the other kinds, edges, conditions and limits.
type Options struct {
	Models   bool // prompts that call tools, and edges that a model judges
	Tables   bool // branch tables that look at enums of outputs
	Composes bool // nodes that run others: loops, retries, parallels and maps, up to three deep
	Routers  bool // routers in some of the regions
	Starts   bool // conditions start some of the branches
	Regions  bool // some of the regions are graphs
	People   bool // nodes that ask people
	Calls    bool // prompts in regions, which call tools
	Budgets  bool // on: budget edges of nodes that ask a model
	Limited  bool // a budget of calls of models
	Ends     bool // ends with names

	// The graph is durable. Some of its fields are secret, or all, or none, and some of its handlers are in transactions. Neither
	// they nor handlers whose results are cached have an enum in their output: they leave some without a value, which no thread
	// saves. No other node or graph runs a transform: it has no context by which its player knows a call that is repeated. A node
	// that runs another graph is not retryable: the calls of its attempts have the same idempotency keys.
	Durable bool
}

// A maker makes one random graph. The graph is meant to be valid: every node can be
// reached, every cycle is bounded, no transition is shadowed, every choice is complete. Only the
// conditions are random: the checks refuse some that are constant.
type maker struct {
	*rand.Rand
	Options
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
	asked   int             // edges that the model judges
	secrets int             // fields of 100 that are secret
	input   []string

	children []*node      // the nodes that others run
	extra    []stateField // fields that only nodes within a map see, conversations and media
	talks    []stateField // conversations
	media    []stateField

	inner     *maker // the graph that nodes run
	mutations string // what nodes may change, as YAML

	inRegion bool // transitions in a region are made

	within bool     // it is such a graph itself
	lent   bool     // a node that others run runs it
	given  []string // the graph's output
}

type stateField struct{ name, typ, merge string }

func names(fields []stateField) []string {
	var out []string
	for _, f := range fields {
		out = append(out, f.name)
	}
	return out
}

// entries are parts of a text in the making.
type entries []string

// add adds an entry if something is so.
func (e *entries) add(is bool, format string, args ...any) {
	if is {
		*e = append(*e, fmt.Sprintf(format, args...))
	}
}

// list is a list of names, as YAML.
func list(names []string) string { return "[" + strings.Join(names, ", ") + "]" }

// chance is true in p of 100 cases.
func (m *maker) chance(p int) bool { return m.IntN(100) < p }

func pick[T any](m *maker, list ...T) T { return list[m.IntN(len(list))] }

// some returns 1 to most of a list, in random order.
func some[T any](m *maker, most int, list []T) []T {
	var out []T
	for _, i := range m.Perm(len(list))[:1+m.IntN(min(most, len(list)))] {
		out = append(out, list[i])
	}
	return out
}

func (m *maker) someFields() []string { return names(some(m, 3, m.state)) }

// someNode is the name of a node at the graph's own level.
func (m *maker) someNode() string { return pick(m, m.nodes...).name }

// Make returns the spec of a random graph of that name. The checks refuse some.
func Make(r *rand.Rand, name string, o Options) string {
	return (&maker{Rand: r, name: name, Options: o}).make()
}

// Nested returns the specs of two random graphs, of which the first runs the second.
func Nested(r *rand.Rand, name, inner string, o Options) (outerText, innerText string) {
	within := &maker{Rand: r, name: inner, within: true, Options: o}
	within.Composes = o.Calls || within.chance(50)
	innerText = within.make()
	o.Composes = true
	return (&maker{Rand: r, name: name, inner: within, Options: o}).make(), innerText
}

// Asking returns the specs of two random graphs, of which the first may run the second. Their nodes ask people, in
// regions too. The checks refuse some.
func Asking(r *rand.Rand, name, inner string) (outerText, innerText string) {
	return asking(r, name, inner, Options{People: true, Models: r.IntN(4) == 0})
}

// AskingInGraphs is Asking with regions that are graphs, and branches that conditions start.
func AskingInGraphs(r *rand.Rand, name, inner string) (outerText, innerText string) {
	return asking(r, name, inner, Options{People: true, Regions: true, Starts: true})
}

func asking(r *rand.Rand, name, inner string, o Options) (outerText, innerText string) {
	if o.Models {
		return Make(r, name, o), ""
	}
	o.Routers, o.Calls = r.IntN(2) == 0, r.IntN(2) == 0
	if r.IntN(2) == 0 {
		return Nested(r, name, inner, o)
	}
	o.Composes = true
	return Make(r, name, o), ""
}

func (m *maker) make() string {
	m.flagged = m.chance(15)
	m.secrets = pick(m, 0, 0, 30, 100)
	m.long = !m.People && m.chance(6)
	m.chain = m.long || m.chance(35)
	m.makeState()
	m.makeTalks()
	m.makeTree()
	if m.chance(25) {
		m.onError = m.someNode()
	}
	if m.chance(65) {
		m.noMatch = pick(m, "error", "end")
	}
	switch {
	case m.long:
		m.steps, m.noMatch = 300, "error"
	case m.Calls:
		m.steps = pick(m, 20, 40, 60)
	case m.People:
		m.steps = pick(m, 6, 9, 14, 20, 30)
	case m.chance(75):
		m.steps = pick(m, 3, 6, 9, 14, 20, 30, 70, 150, 300)
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

// makeState gives the graph its fields. One whose nodes run others has a list to run over, and fields that branches may all write.
func (m *maker) makeState() {
	for _, i := range m.Perm(len(fieldPool))[:2+m.IntN(4)] {
		m.state = append(m.state, fieldPool[i])
	}
	if m.Composes {
		more := []string{pick(m, "u", "t"), pick(m, "x", "l"), pick(m, "b", "m")}
		if m.inner != nil {
			more = slices.Concat(more, m.inner.input, m.inner.given)
		}
		for _, f := range fieldPool {
			if slices.Contains(more, f.name) && !slices.Contains(m.state, f) {
				m.state = append(m.state, f)
			}
		}
	}
	for _, f := range m.state {
		if m.Composes && f.merge == "" || f.typ == "int" && (f.merge == "max" || f.merge == "min") || m.chance(40) || m.Models && m.chance(70) {
			m.input = append(m.input, f.name)
		}
	}
}

// makeTree makes the nodes and what each must lead to: a tree, so that all are reached,
// and more.
func (m *maker) makeTree() {
	count := 3 + min(m.IntN(10), m.IntN(10), m.IntN(10), m.IntN(10)) // small ones show as much, and compile faster
	for i := range count {
		n := m.newNode(&m.nodes, "")
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
			n.targets = []string{m.end()}
			more = 2
		case len(n.targets) == 0 && m.chance(30):
			continue
		case len(n.targets) == 0 && m.chance(20) || i == count-1:
			n.targets = []string{m.end()}
			more = m.IntN(2)
		case len(n.targets) == 0:
			more = 1 + m.IntN(2)
		case m.chain && m.chance(70):
			more = 0
		}
		for range more {
			to := m.someNode()
			if m.chance(6) {
				to = m.end()
			}
			n.targets = append(n.targets, to)
		}
	}
}

// endNames are ends that graphs may have beside end.
var endNames = []string{"paid", "refused"}

// end is an end of the graph.
func (m *maker) end() string {
	if !m.Ends || m.inRegion {
		return "end"
	}
	return pick(m, append(endNames, "end")...)
}

// ends lists the ends that the text of a graph leads to.
func ends(text string) []string {
	return slices.DeleteFunc(slices.Clone(endNames), func(name string) bool { return !strings.Contains(text, name) })
}

func (m *maker) limits() (out entries) {
	out.add(m.steps > 0, "max_steps: %d", m.steps)
	out.add(m.steps > 0 || m.chance(30), "on_max_steps: %s", pick(m, "error", "last", "flag"))
	out.add(m.chance(15), "max_visits: %d", pick(m, 1, 2, 4, 7, 40))
	if m.Limited {
		out.add(true, "max_model_calls: %d", 1+m.IntN(8))
	}
	out.add(m.chance(8), "timeout: 1h") // never reached, but the context can then be done
	return out
}

func (m *maker) yaml() string {
	var text entries
	text.add(true, "graph: %s", m.name)
	text.add(m.Durable, "durable: true")
	text.add(m.chance(10), "serve: true")
	if m.inner != nil {
		text.add(true, "use: {inner: %s.graph.yaml}", m.inner.name)
	}
	text.add(!m.flagged, "entry: %s", m.nodes[0].name)
	limits := m.limits()
	text.add(len(limits) > 0, "limits: {%s}", strings.Join(limits, ", "))
	if m.Models || m.Calls {
		pure, look, find, query := m.chance(40), m.context(", reads: %s"), m.context("{reads: %s}"), "string"
		if m.People {
			query = "{type: string, max_length: 40}" // what a person writes may not fit
		}
		if m.People && m.chance(50) {
			find = "{client: true" + m.deadline() + "}"
		}
		ask := ""
		if slices.ContainsFunc(m.children, func(n *node) bool { return n.asked }) {
			ask = ", ask: {client: true" + m.deadline() + "}"
		}
		text.add(true, "tools: {look: {args: {query: %s}, pure: %t%s}, find: %s%s}", query, pure && !m.Calls, look, find, ask)
	}
	text.add(m.onError != "", "on_error: %s", m.onError)
	text.add(m.noMatch != "", "no_match: %s", m.noMatch)
	asks := slices.ContainsFunc(slices.Concat(m.nodes, m.children), func(n *node) bool { return n.asks })
	text.add(asks && m.chance(10), "model: large\ntemperature: 0.5")
	for _, key := range []string{"interrupt_before", "interrupt_after"} {
		text.add(m.People && m.chance(15), "%s: [%s]", key, pick(m, slices.Concat(m.nodes, m.children)...).name)
	}
	text.add(m.mutations != "", "%s", m.mutations)
	text.add(len(m.types) > 0, "types:\n%s", strings.Join(m.types, "\n"))
	text.add(true, "state:")
	for _, f := range slices.Concat(m.state, m.extra) {
		more := ""
		if f.merge != "" {
			more += ", merge: " + f.merge
		}
		if m.Durable && m.chance(m.secrets) {
			more += ", secret: true"
		}
		text.add(more == "", "  %s: %q", f.name, f.typ)
		text.add(more != "", "  %s: {type: %q%s}", f.name, f.typ, more)
	}
	text.add(true, "input: %s\noutput: %s\n%s", list(m.input), list(m.output()), m.section())
	text.add(len(m.edges)+len(m.certain) > 0, "edges:")
	m.leaveOutBy()
	m.Shuffle(len(m.edges), func(i, j int) { m.edges[i], m.edges[j] = m.edges[j], m.edges[i] })
	for _, e := range m.edges {
		text.add(true, "  - {%s}", e)
	}
	for _, s := range m.sequences() {
		text.add(true, "  - {%s}", s)
	}
	named := ends(strings.Join(text, "\n"))
	text.add(len(named) > 0, "ends: %s", list(named))
	return strings.Join(text, "\n") + "\n"
}

// section is the section of the nodes.
func (m *maker) section() string {
	text := "nodes:"
	for _, n := range slices.Concat(m.nodes, m.children) {
		text += fmt.Sprintf("\n  %s: {%s}", n.name, strings.Join(n.keys, ", "))
	}
	return text
}

// output picks some of the fields.
func (m *maker) output() []string {
	m.given = names(m.state[:1+m.IntN(len(m.state))])
	out := slices.Clone(m.given)
	for _, f := range slices.Concat(m.talks, m.media) {
		if m.chance(80) {
			out = append(out, f.name)
		}
	}
	return out
}
