package randomgraph

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Mutating returns the spec of a random graph of that name, with nodes that may change the
// graph of their run. The checks refuse some.
func Mutating(r *rand.Rand, name string) string {
	m := &maker{Rand: r, name: name, noMatch: "error"}
	m.makeState()
	m.input = m.input[:0]
	for _, f := range m.state {
		if f.merge == "" || f.typ == "int" {
			m.input = append(m.input, f.name)
		}
	}
	if m.chance(60) {
		m.steps = pick(m, 9, 20, 40, 70)
	}
	m.makeLine()
	m.mutations = m.allowed()
	return m.yaml()
}

// makeLine makes nodes each of which leads to a later one at last, so that every path ends.
func (m *maker) makeLine() {
	count := 4 + m.IntN(4)
	for range count {
		m.newNode(&m.nodes, "func")
	}
	for i, n := range m.nodes {
		after := func(i int) string {
			if i < count {
				return m.nodes[i].name
			}
			return "end"
		}
		later := func() string { return after(i + 1 + min(m.IntN(count), m.IntN(count))) }
		m.makeLineNode(n, after(i+1), later)
	}
	for _, n := range m.nodes {
		m.finish(n)
	}
	for i := range m.IntN(3) {
		t := &node{name: fmt.Sprintf("k%d", i+1), kind: "func"}
		m.children = append(m.children, t)
		m.typed(t)
		m.finish(t)
	}
}

// typed makes a node read some fields and write some.
func (m *maker) typed(n *node) {
	n.key("reads: %s", list(m.someFields()))
	n.write(m.someFields())
}

// makeLineNode makes a node that leads to the node sure, which is "end" for the last one.
func (m *maker) makeLineNode(n *node, sure string, later func() string) {
	last := sure == "end"
	if second := later(); !last && second != sure && second != "end" && m.chance(12) {
		n.kind = "router"
		n.key("kind: router, routes: [%s, %s]", sure, second)
		return
	}
	if m.chance(25) {
		n.kind = pick(m, unmanned...)
	}
	if n.unmanned() {
		m.makeData(n, m.ownScope())
	} else {
		n.free = true
		m.typed(n)
		n.when(m.chance(70), "mutates: true")
	}
	for !last && m.chance(40) {
		m.edge(n, later(), m.test(n))
	}
	if m.chance(30) {
		m.edge(n, m.someNode(), fmt.Sprintf("%s, max_iterations: %d", m.test(n), 1+m.IntN(3)))
	}
	leads := slices.ContainsFunc(m.edges, func(e edge) bool { return e.from == n.name })
	switch {
	case last && m.chance(50) && !leads:
	case m.chance(50):
		m.always(n, sure)
	default:
		n.key("next: %s", sure)
	}
	switch k := m.IntN(20); {
	case k < 2 && !n.unmanned():
		n.key("fail_soft: true")
	case k < 4:
		n.trans = append(n.trans, "error: "+later())
	}
	n.when(m.chance(15), "max_visits: %d", pick(m, 2, 3, 5))
}

// allowed is what nodes may change, as YAML.
func (m *maker) allowed() string {
	var allow, update, templates []string
	for _, f := range m.state {
		if f.typ == "int" || f.typ == "string" || f.typ == "bool" {
			update = append(update, f.name)
		}
	}
	for _, t := range m.children {
		templates = append(templates, t.name)
	}
	more := ""
	for _, action := range []string{"add_node", "add_edge", "skip_to", "retry_with", "remove_edge", "remove_node"} {
		switch {
		case !m.chance(88), action == "add_node" && len(templates) == 0, action == "retry_with" && len(update) == 0:
			continue
		case action == "add_node":
			more += ", templates: " + list(templates)
		case action == "retry_with":
			more += ", update: " + list(update)
		}
		allow = append(allow, action)
	}
	if m.chance(40) {
		more += fmt.Sprintf(", max: %d", 1+m.IntN(4))
	}
	return "mutations: {allow: " + list(allow) + more + "}"
}
