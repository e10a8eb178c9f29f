package randomgraph

import (
	"fmt"
	"slices"
	"strings"
)

// makeAgent makes a node that calls a model. Its instructions begin with its name, so that
// the player of the model can identify it, and find out whether it continues a conversation.
func (m *maker) makeAgent(n *node, s scope) {
	n.reads = true
	fields, talking := m.someFields(), ""
	if len(m.talks) > 0 && m.chance(60) {
		n.talk, talking = pick(m, m.talks...).name, "talking, "
	}
	n.key("instructions: '%s%s: %sgo by {{%s}}.'", n.name, m.elements(s), talking, strings.Join(fields, "}} and {{"))
	n.when(m.chance(20), "repair: %d", m.IntN(3))
	if n.kind == "prompt" {
		if m.chance(70) {
			n.write(m.toWrite(n, s))
		}
		m.makeTools(n, s)
	}
	m.makeTurn(n, fields, s)
}

// elements is what the instructions have after the name of a node: the elements of the maps around it.
func (m *maker) elements(s scope) (out string) {
	for _, item := range slices.Backward(s.items) {
		out += map[string]string{"int": "@{{" + item + "}}", "string": `@"{{` + item + `}}"`}[m.stateField(item).typ]
	}
	return out
}

// makeTools gives some prompts tools, of which they run the calls or leave these to other nodes: mostly to one that
// runs them and leads back.
func (m *maker) makeTools(n *node, s scope) {
	k := m.IntN(10)
	if s.host != nil && k < 7 {
		k = 0
		n.key("max_visits: 1000")
	}
	if k >= 7 {
		return
	}
	n.loops, n.defers = k < 4, k >= 4
	tools := pick(m, "look", "find", "look, find")
	if n.defers {
		tools = pick(m, "look", "look, find")
	}
	n.key("tools: [%s]", tools)
	m.approve(n, tools)
	if n.loops {
		n.when(m.chance(20), "max_parallel: 1")
		return
	}
	n.key("tool_loop: false")
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
		return m.someNode()
	}
	back := n.name
	if m.chance(20) {
		back = m.someNode()
	}
	targets := []string{back}
	if m.chance(20) {
		targets = append(targets, m.someNode())
	}
	r := m.newNode(&m.nodes, "tool")
	r.targets = targets
	m.failureWays(r)
	m.makeNode(r)
	return r.name
}

// context writes, in some graphs, that a tool or a guard reads fields of the state: of the input, which always hold
// something.
func (m *maker) context(format string) string {
	if !m.Models || len(m.input) == 0 || m.chance(50) {
		return ""
	}
	return fmt.Sprintf(format, list(some(m, 2, m.input)))
}

// judged adds an edge that the model judges. Its text begins with the node's name, so that
// the player of the model can identify it.
func (m *maker) judged(n *node, to, bound string) {
	m.asked++
	n.judged = true
	m.edge(n, to, fmt.Sprintf("when: %s is like %d%s", n.name, m.asked, bound))
}

// talkPool are the conversations that a graph which asks models may have; mediaPool is what its prompts may show.
var (
	talkPool  = []stateField{{"h", "messages", ""}, {"k", "messages", "append"}}
	mediaPool = []stateField{{"i", "image", ""}, {"y", "?pdf", ""}, {"w", "[]audio", ""}}
)

// makeTalks gives some graphs conversations and media. A conversation that is not given starts empty.
func (m *maker) makeTalks() {
	if !m.Models {
		return
	}
	if m.chance(65) {
		m.talks = some(m, len(talkPool), talkPool)
	}
	if m.chance(45) {
		m.media = some(m, len(mediaPool), mediaPool)
	}
	for _, f := range m.talks {
		if m.chance(80) {
			m.input = append(m.input, f.name)
		}
	}
	m.input = append(m.input, names(m.media)...)
	m.extra = slices.Concat(m.extra, m.talks, m.media)
}

// heard adds a conversation or media to fields that a handler of the graph's own level reads or writes.
func (m *maker) heard(fields []string, s scope) []string {
	if s.host != nil {
		return fields
	}
	if len(m.talks) > 0 && m.chance(35) {
		fields = append(fields, pick(m, m.talks...).name)
	}
	if len(m.media) > 0 && m.chance(15) {
		fields = append(fields, pick(m, m.media...).name)
	}
	return fields
}

// makeTurn gives a node that asks a model its conversation, what it reads beside the fields of its instructions, and
// its message.
func (m *maker) makeTurn(n *node, fields []string, s scope) {
	if n.talk != "" {
		m.makeHistory(n)
	}
	said := m.someFields()
	if m.chance(45) {
		for _, name := range said {
			if !slices.Contains(fields, name) && m.chance(60) {
				fields = append(fields, name)
			}
		}
		said = fields
		reads := slices.Concat(said, s.items)
		for _, f := range slices.Concat(m.media, m.talks) {
			if f.name != n.talk && m.chance(50) {
				reads = append(reads, f.name)
			}
		}
		n.key("reads: %s", list(reads))
	}
	name := pick(m, said...)
	n.when(m.chance(50), "message: '%s'", pick(m, "{{"+name+"}}", "say {{"+name+"}}", "answer", "of {{"+name+"}} and {{"+pick(m, said...)+"}}"))
}

// makeHistory gives a node that continues a conversation what it is shown of it, and in some nodes has it append nothing.
func (m *maker) makeHistory(n *node) {
	n.key("history: %s", n.talk)
	switch k := m.IntN(100); {
	case k < 15:
		n.key("context: scoped")
	case k < 40:
		n.key("max_messages: %d", 1+m.IntN(4))
	}
	n.unkept = n.kind == "prompt" && !n.defers && m.chance(15)
}
