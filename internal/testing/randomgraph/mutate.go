package randomgraph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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
	for i := range count {
		m.nodes = append(m.nodes, &node{name: m.nodeName(i + 1), outOf: map[string]string{}, kind: "func", free: true})
	}
	for i, n := range m.nodes {
		later := func() string {
			if to := i + 1 + min(m.IntN(count), m.IntN(count)); to < count {
				return m.nodes[to].name
			}
			return "end"
		}
		sure := "end"
		if i+1 < count {
			sure = m.nodes[i+1].name
		}
		m.makeLineNode(n, sure, later, i == count-1)
	}
	for _, n := range m.nodes {
		m.finish(n)
	}
	for i := range m.IntN(3) {
		t := &node{name: fmt.Sprintf("k%d", i+1), outOf: map[string]string{}, kind: "func"}
		m.children = append(m.children, t)
		m.typed(t)
		m.finish(t)
	}
}

// typed makes a node read some fields and write some.
func (m *maker) typed(n *node) {
	n.key("reads: [%s]", strings.Join(m.someFields(), ", "))
	n.writes = m.someFields()
	n.key("writes: [%s]", strings.Join(n.writes, ", "))
}

func (m *maker) makeLineNode(n *node, sure string, later func() string, last bool) {
	if second := later(); !last && second != sure && sure != "end" && second != "end" && m.chance(12) {
		n.kind, n.free = "router", false
		n.key("kind: router")
		n.key("routes: [%s, %s]", sure, second)
		return
	}
	if m.chance(25) {
		n.kind, n.free = pick(m, unmanned...), false
		n.key("kind: %s", n.kind)
	}
	switch {
	case n.kind == "set":
		m.makeSet(n, m.state, m.state)
	case n.kind == "say":
		m.makeSay(n, m.state)
	case n.kind == "func":
		m.typed(n)
		if m.chance(70) {
			n.key("mutates: true")
		}
	}
	for !last && m.chance(40) {
		m.edge(n, later(), "if: '"+m.condition(n)+"'")
	}
	if m.chance(30) {
		m.edge(n, pick(m, m.nodes...).name, "if: '"+m.condition(n)+"', max_iterations: "+fmt.Sprint(1+m.IntN(3)))
	}
	switch {
	case last && m.chance(50) && !m.leads(n):
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
	if m.chance(15) {
		n.key("max_visits: %d", pick(m, 2, 3, 5))
	}
}

// leads reports whether edges leave a node.
func (m *maker) leads(n *node) bool {
	return slices.ContainsFunc(m.edges, func(e edge) bool { return e.from == n.name })
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
	for _, action := range []string{"add_node", "add_edge", "skip_to", "retry_with", "remove_edge", "remove_node"} {
		with := map[string][]string{"add_node": templates, "retry_with": update}
		if needs, ok := with[action]; m.chance(88) && (!ok || len(needs) > 0) {
			allow = append(allow, action)
		}
	}
	s := fmt.Sprintf("mutations: {allow: [%s]", strings.Join(allow, ", "))
	if slices.Contains(allow, "add_node") {
		s += fmt.Sprintf(", templates: [%s]", strings.Join(templates, ", "))
	}
	if slices.Contains(allow, "retry_with") {
		s += fmt.Sprintf(", update: [%s]", strings.Join(update, ", "))
	}
	if m.chance(40) {
		s += fmt.Sprintf(", max: %d", 1+m.IntN(4))
	}
	return s + "}\n"
}
