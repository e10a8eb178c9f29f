package randomgraph

import (
	"slices"
	"strings"
)

// makeHuman gives a human node its question, and a deadline. Its answer is a decision, or a reply with an output.
func (m *maker) makeHuman(n *node, s scope) {
	fields := slices.Clone(s.items)
	if len(fields) == 0 || m.chance(50) {
		fields = append(fields, m.someFields()...)
	}
	n.key("instructions: '%s: go by {{%s}}.'", n.name, strings.Join(fields, "}} and {{"))
	for _, name := range m.someFields() {
		if !slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	n.when(m.chance(40), "reads: %s", list(fields))
	deadline := m.deadline()
	n.when(deadline != "", "%s", strings.TrimPrefix(deadline, ", "))
	if n.free = m.chance(60); n.free {
		n.field("note", pick(m, "string", "'?string'", "int"))
	}
	m.denied(n, 50, !n.free, deadline != "")
	if n.free && (s.host != nil || m.chance(70)) {
		n.write(m.toWrite(n, s))
	}
}

// makeAsked gives a node the tool that the caller runs, whose result is a text.
func (m *maker) makeAsked(n *node, s scope) {
	n.key("tool: ask")
	texts := slices.DeleteFunc(m.writable(s), func(f stateField) bool { return f.typ != "string" })
	if len(texts) > 0 && m.chance(80) {
		n.write(names(texts[:1]))
	}
}

// denied gives a node of the graph's own level, at times, nodes to which a denial and the end of a deadline lead.
func (m *maker) denied(n *node, p int, deny, late bool) {
	own := slices.Contains(m.nodes, n)
	n.when(own && deny && m.chance(p), "on_deny: %s", m.someNode())
	n.when(own && late && m.chance(40), "on_timeout: %s", m.someNode())
}

// deadline is, at times, the key of the time that an answer has.
func (m *maker) deadline() string {
	if !m.chance(40) {
		return ""
	}
	return ", timeout: " + pick(m, "1h", "2h", "50h")
}

// gate has, at times, a person approve a node before it runs, unless the node may be skipped.
func (m *maker) gate(n *node, flags *entries, skipped bool) {
	if !m.People || skipped || n.soft || n.kind == "human" || !m.chance(15) {
		return
	}
	timeout := m.deadline()
	flags.add(true, "{requires_human: {question: 'Run %s?'%s}}", n.name, timeout)
	m.denied(n, 40, true, timeout != "")
}

// approve has, at times, a person approve calls of the tools that a prompt has.
func (m *maker) approve(n *node, tools string) {
	if !m.People || !strings.Contains(tools, "look") || !m.chance(80) {
		return
	}
	n.key("approve: [look]")
	timeout := m.deadline()
	n.when(timeout != "", "approve_%s", strings.TrimPrefix(timeout, ", "))
}
