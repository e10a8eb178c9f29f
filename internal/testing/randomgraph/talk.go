package randomgraph

import (
	"slices"
	"strings"
)

// talkPool are the conversations that a graph which asks models may have; mediaPool is what its prompts may show.
var (
	talkPool  = []stateField{{"h", "messages", ""}, {"k", "messages", "append"}}
	mediaPool = []stateField{{"i", "image", ""}, {"y", "?pdf", ""}, {"w", "[]audio", ""}}
)

// makeTalks gives some graphs conversations and media. A conversation that is not given starts empty.
func (m *maker) makeTalks() {
	if !m.models {
		return
	}
	if m.chance(65) {
		m.talks = m.someOf(talkPool)
	}
	if m.chance(45) {
		m.media = m.someOf(mediaPool)
	}
	for _, f := range m.talks {
		if m.chance(80) {
			m.input = append(m.input, f.name)
		}
	}
	for _, f := range m.media {
		m.input = append(m.input, f.name)
	}
	m.extra = slices.Concat(m.extra, m.talks, m.media)
}

// someOf picks at least one of some fields.
func (m *maker) someOf(list []stateField) []stateField {
	var out []stateField
	for _, i := range m.Perm(len(list))[:1+m.IntN(len(list))] {
		out = append(out, list[i])
	}
	return out
}

// heard adds a conversation or media to fields that a handler reads or writes.
func (m *maker) heard(fields []string) []string {
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
func (m *maker) makeTurn(n *node, fields []string) {
	if n.talk != "" {
		m.makeHistory(n)
	}
	said := fields
	switch {
	case m.chance(45):
		for _, name := range m.someFields() {
			if !slices.Contains(said, name) && m.chance(60) {
				said = append(said, name)
			}
		}
		reads := slices.Clone(said)
		for _, f := range slices.Concat(m.media, m.talks) {
			if f.name != n.talk && m.chance(50) {
				reads = append(reads, f.name)
			}
		}
		n.key("reads: [%s]", strings.Join(reads, ", "))
	default:
		said = m.someFields()
	}
	if m.chance(50) {
		name := pick(m, said...)
		n.key("message: '%s'", pick(m, "{{"+name+"}}", "say {{"+name+"}}", "answer", "of {{"+name+"}} and {{"+pick(m, said...)+"}}"))
	}
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
