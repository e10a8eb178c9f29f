package randomgraph

import (
	"fmt"
	"slices"
	"strings"
)

// makeHuman gives a human node its question, and a deadline. Its answer is a decision, or a reply with an output.
func (m *maker) makeHuman(n *node, fields []string) {
	n.key("instructions: '%s: go by {{%s}}.'", n.name, strings.Join(fields, "}} and {{"))
	if m.chance(40) {
		n.key("reads: [%s]", strings.Join(m.someFields(), ", "))
	}
	deadline := m.deadline()
	if deadline != "" {
		n.key("%s", strings.TrimPrefix(deadline, ", "))
	}
	if n.free = m.chance(60); n.free {
		n.field("note", pick(m, "string", "'?string'", "int"))
	}
	if deadline != "" && m.chance(40) && slices.Contains(m.nodes, n) {
		n.key("on_timeout: %s", pick(m, m.nodes...).name)
	}
	if !n.free && m.chance(50) && slices.Contains(m.nodes, n) {
		n.key("on_deny: %s", pick(m, m.nodes...).name)
	}
}

// childHuman makes a human node of a region.
func (m *maker) childHuman(n *node, s scope) {
	fields := slices.Clone(s.items)
	if len(fields) == 0 || m.chance(50) {
		fields = append(fields, m.someFields()...)
	}
	m.makeHuman(n, fields)
	if n.free {
		m.childWrites(n, s)
	}
}

// deadline is, at times, the key of the time that an answer has.
func (m *maker) deadline() string {
	if !m.chance(40) {
		return ""
	}
	return ", timeout: " + pick(m, "1h", "2h", "50h")
}

// gate has, at times, a person approve a node before it runs.
func (m *maker) gate(n *node, flags *[]string, always bool) {
	if !m.people || !always || n.soft || n.kind == "human" || !m.chance(15) {
		return
	}
	timeout := m.deadline()
	*flags = append(*flags, fmt.Sprintf("{requires_human: {question: 'Run %s?'%s}}", n.name, timeout))
	if m.chance(40) && slices.Contains(m.nodes, n) {
		n.key("on_deny: %s", pick(m, m.nodes...).name)
	}
	if timeout != "" && m.chance(40) && slices.Contains(m.nodes, n) {
		n.key("on_timeout: %s", pick(m, m.nodes...).name)
	}
}

// approve has, at times, a person approve calls of the tools that a prompt has.
func (m *maker) approve(n *node, tools string) {
	if !m.people || !strings.Contains(tools, "look") || !m.chance(60) {
		return
	}
	n.key("approve: [look]")
	if timeout := m.deadline(); timeout != "" {
		n.key("approve_%s", strings.TrimPrefix(timeout, ", "))
	}
}

// interrupts are, at times, the nodes before and behind which runs pause.
func (m *maker) interrupts() string {
	text := ""
	for _, key := range []string{"interrupt_before", "interrupt_after"} {
		if m.people && m.chance(15) {
			text += fmt.Sprintf("%s: [%s]\n", key, pick(m, slices.Concat(m.nodes, m.children)...).name)
		}
	}
	return text
}
