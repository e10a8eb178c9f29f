package randomgraph

import (
	"fmt"
	"slices"
	"strings"
)

// makeBody makes the nodes of a region and returns them as YAML: a chain, or in some graphs the entry of a graph.
func (m *maker) makeBody(s scope) string {
	if m.Regions && m.chance(65) {
		return "{entry: " + m.makeGraph(s) + "}"
	}
	return m.makeChain(s)
}

// started gives some branches a condition.
func (m *maker) started(nodes string) string {
	if !m.Starts || !m.chance(60) {
		return nodes
	}
	if rest, graph := strings.CutPrefix(nodes, "{"); graph {
		return fmt.Sprintf("{if: '%s', %s", m.aboutState(), rest)
	}
	return fmt.Sprintf("{run: %s, if: '%s'}", nodes, m.aboutState())
}

// makeGraph makes a region that is a graph, and returns its entry. Each node leads to later ones or to the end; most regions have one
// node that no other follows.
func (m *maker) makeGraph(s scope) string {
	count := 2 + min(m.IntN(4), m.IntN(4))
	nodes := make([]*node, 0, count)
	parents := make([]int, count)
	for i := range count {
		var before *node
		if i > 0 {
			parents[i] = m.IntN(i)
			before = nodes[parents[i]]
		}
		nodes = append(nodes, m.makeChild(s, before))
	}
	for i, n := range nodes {
		for j := i + 1; j < count; j++ {
			if parents[j] == i || m.chance(15) {
				n.targets = append(n.targets, nodes[j].name)
			}
		}
	}
	last := nodes[count-1]
	s.host.last = last.result()
	for _, n := range nodes[:count-1] {
		switch {
		case len(n.targets) == 0 && m.chance(80):
			n.targets = []string{last.name}
		case len(n.targets) == 0:
			s.host.last = nil
		case m.chance(20):
			n.targets = append(n.targets, "end")
		}
	}
	for i, n := range nodes {
		m.Shuffle(len(n.targets), func(i, j int) { n.targets[i], n.targets[j] = n.targets[j], n.targets[i] })
		m.ahead(n)
		m.failsAhead(n, nodes[i+1:])
	}
	return nodes[0].name
}

// ahead gives a node of a region the transitions to its targets.
func (m *maker) ahead(n *node) {
	if len(n.targets) == 0 {
		return
	}
	m.inRegion = true
	defer func() { m.inRegion = false }()
	several := len(n.targets) > 1
	chooses := n.kind == "func" && n.free
	switch {
	case n.kind == "guard":
		m.guardsAhead(n)
	case several && n.worker().free && !has(n.worker().out, "class") && m.chance(15):
		m.table(n, n.targets)
		if n.doubt {
			n.surely(n.targets[0])
		}
	case several && chooses && m.chance(10):
		_, branch := labels("l", n.targets)
		m.certain = append(m.certain, edge{from: n.name, to: branch})
		m.always(n, n.targets[0])
	case several && chooses && m.chance(12):
		n.field(pick(m, routeFields...), "{enum: "+list(n.targets)+"}")
		m.always(n, n.targets[0])
	default:
		m.edgesAhead(n, chooses)
	}
}

// edgesAhead gives a node edges with conditions, gotos and transitions to all its targets but the last, and that as its default.
func (m *maker) edgesAhead(n *node, chooses bool) {
	var gotos []string
	last := len(n.targets) - 1
	for _, to := range n.targets[:last] {
		switch k := m.IntN(100); {
		case k < 15 && chooses:
			gotos = append(gotos, to)
		case k < 30 && n.free:
			m.transition(n, to)
		case k < 45 && n.free:
			m.edge(n, to, m.matchOutput(n))
		default:
			m.edge(n, to, m.test(n))
		}
	}
	n.when(len(gotos) > 0, "goto: %s", list(gotos))
	switch to := n.targets[last]; {
	case m.noMatch != "" && m.chance(15): // it may match nothing
		m.edge(n, to, m.test(n))
	case m.chance(50):
		m.always(n, to)
	default:
		n.surely(to)
	}
}

// guardsAhead gives a guard node of a region its transitions.
func (m *maker) guardsAhead(n *node) {
	if m.chance(50) {
		n.key("on_pass: %s", n.targets[0])
	} else {
		m.always(n, n.targets[0])
	}
	if len(n.targets) == 1 {
		return
	}
	if n.refused = true; m.chance(50) {
		n.key("on_fail: %s", n.targets[1])
	} else {
		m.edge(n, n.targets[1], "on: guard_fail")
	}
	for _, to := range n.targets[2:] {
		m.edge(n, to, m.test(n))
	}
}

// failsAhead gives some nodes of a region transitions for failures, refusals and denials.
func (m *maker) failsAhead(n *node, later []*node) {
	target := func() string {
		if len(later) == 0 || m.chance(20) {
			return "end"
		}
		return pick(m, later...).name
	}
	if !n.soft && !n.unmanned() && m.chance(30) {
		if m.chance(50) {
			m.edge(n, target(), "on: error")
		} else {
			n.trans = append(n.trans, "error: "+target())
		}
	}
	if n.kind == "human" {
		n.when(m.chance(50), "on_deny: %s", target())
	}
	if guarded := slices.ContainsFunc(n.keys, func(k string) bool { return strings.HasPrefix(k, "guards: ") }); guarded && m.chance(40) {
		m.edge(n, target(), "on: guard_fail")
	}
}
