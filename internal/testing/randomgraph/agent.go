package randomgraph

import (
	"fmt"
	"strings"
)

// makeAgent makes a node that calls a model. Its instructions begin with its name, so that
// the player of the model can identify it, and tell whether it continues a conversation.
func (m *maker) makeAgent(n *node) {
	n.reads = true
	fields := m.someFields()
	talking := ""
	if len(m.talks) > 0 && m.chance(60) {
		n.talk, talking = pick(m, m.talks...).name, "talking, "
	}
	n.key("instructions: '%s: %sgo by {{%s}}.'", n.name, talking, strings.Join(fields, "}} and {{"))
	if n.kind == "prompt" && m.chance(70) {
		n.writes = m.someFields()
		n.key("writes: [%s]", strings.Join(n.writes, ", "))
	}
	if m.chance(20) {
		n.key("repair: %d", m.IntN(3))
	}
	defer m.makeTurn(n, fields)
	if n.kind != "prompt" {
		return
	}
	switch k := m.IntN(10); {
	case k < 4:
		n.loops = true
		tools := pick(m, "look", "find", "look, find")
		n.key("tools: [%s]", tools)
		m.approve(n, tools)
		if m.chance(20) {
			n.key("max_parallel: 1")
		}
	case k < 7:
		m.deferCalls(n)
	}
}

// context writes, in some graphs, that a tool or a guard reads fields of the state: of the input, which always hold
// something.
func (m *maker) context(format string) string {
	if !m.models || len(m.input) == 0 || m.chance(50) {
		return ""
	}
	var fields []string
	for _, i := range m.Perm(len(m.input))[:1+m.IntN(min(2, len(m.input)))] {
		fields = append(fields, m.input[i])
	}
	return fmt.Sprintf(format, strings.Join(fields, ", "))
}

// deferCalls has a prompt leave the tools that it calls to other nodes: mostly to one that
// runs them and leads back.
func (m *maker) deferCalls(n *node) {
	n.defers = true
	tools := pick(m, "look", "look, find")
	n.key("tools: [%s]", tools)
	n.key("tool_loop: false")
	m.approve(n, tools)
	for m.chance(40) {
		named, bound := "", 100
		if m.chance(40) {
			named, bound = ", tools: ["+pick(m, append(strings.Split(tools, ", "), tools)...)+"]", 50
		}
		m.edge(n, m.caller(n), "on: tool_call"+named+m.bound(bound))
	}
	m.certain = append(m.certain, edge{from: n.name, to: "to: " + m.caller(n), cond: "on: tool_call", priority: pick(m, 0, -1)})
}

// caller is a node to which a turn that calls tools leads.
func (m *maker) caller(n *node) string {
	if m.chance(20) {
		return pick(m, m.nodes...).name
	}
	back := n.name
	if m.chance(20) {
		back = pick(m, m.nodes...).name
	}
	r := &node{name: m.nodeName(len(m.nodes) + 1), outOf: map[string]string{}, kind: "tool", targets: []string{back}}
	if m.chance(20) {
		r.targets = append(r.targets, pick(m, m.nodes...).name)
	}
	m.nodes = append(m.nodes, r)
	m.failureWays(r)
	m.makeNode(r)
	return r.name
}

// judged adds an edge that the model judges. Its text begins with the node's name, so that
// the player of the model can identify it.
func (m *maker) judged(n *node, to, bound string) {
	m.asked++
	n.judged = true
	m.edge(n, to, fmt.Sprintf("when: %s is like %d%s", n.name, m.asked, bound))
}

// judgedWays has the model judge most of the node's transitions.
func (m *maker) judgedWays(n *node) {
	n.doubt = true
	for i, to := range n.targets {
		for more := true; more; more = m.chance(45) {
			if m.chance(30) {
				to = pick(m, m.nodes...).name
			}
			switch k := m.IntN(100); {
			case k < 55:
				m.judged(n, to, m.bound(50))
			case k < 73:
				m.edge(n, to, "if: '"+m.condition(n)+"'"+m.bound(30))
			case k < 90:
				m.edge(n, to, strings.TrimPrefix(m.bound(100), ", "))
			case n.defers:
				m.edge(n, to, "on: no_tool_call"+m.bound(100))
			case n.free:
				m.transition(n, to)
			}
		}
		if i == len(n.targets)-1 && m.chance(30) {
			m.always(n, to)
		}
	}
	if n.doubt && m.chance(15) {
		n.surely(pick(m, m.nodes...).name)
	}
}
