package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// A Message is a message of a node of kind say that is expected.
type Message struct {
	Pos                spec.Pos
	Text, Node, Branch spec.String
	Payload            *Value // the fields to compare

	payload any           // in the form of package wire
	as      *resolve.Type // the struct of the payload
}

// sayKeys are the expectations about the messages of nodes.
var sayKeys = []row[Expect]{
	{Key{Name: "say", Form: form("a list of messages"), Example: "[Looking into otters, {node: found, payload: {count: 3}}]",
		Doc: "Every message that nodes of kind say sent, in order, those of branches in the order of the spec: its text, or a " +
			"mapping with more keys."}, func(e *Expect) any {
		return reads(func(r *reader, v *Value, k *Key) {
			list := []*Message{}
			for _, item := range r.List(v, k) {
				m := &Message{Pos: item.Pos}
				r.Read(&item, sayKey, orMapping(&m.Text, m, &messageKeys))
				list = append(list, m)
			}
			e.Messages, e.MessagesPos = &list, v.Pos
		})
	}},
}

// sayEvent is the kind of the events of messages.
const sayEvent = "say"

var sayKey = &Key{Form: form("a message"), Example: "Looking into otters"}

var messageKeys = table[Message]{Noun: "an expected message", Rows: yamlread.Rows([]row[Message]{
	{Key{Name: "text", Form: formText, Example: "Looking into otters", Doc: "Its text, in whole."}, func(m *Message) any { return &m.Text }},
	{Key{Name: "node", Form: formNode, Example: "found", Doc: "The node that sends it."}, func(m *Message) any { return &m.Node }},
	{Key{Name: "branch", Form: formBranch, Example: "each/3", Doc: "The branch in which it is sent, as of errors."},
		func(m *Message) any { return branch(&m.Branch) }},
	{Key{Name: "payload", Form: formMapping, Example: "{count: 3}", Doc: "The fields of its payload to compare; its type belongs to `node`."},
		func(m *Message) any { return &m.Payload }},
})}

// expectMessages checks the names of expected messages, and converts their payloads.
func (b *binder) expectMessages(x *Expect) {
	if x.Messages == nil {
		return
	}
	for _, m := range *x.Messages {
		if m.Node.V == "" {
			if m.Payload != nil {
				b.report("GG202", m.Pos, "a payload belongs to a node, and this message names none", "write it as in {node: found, payload: {count: 3}}")
			}
			continue
		}
		in, own := b.byPath(m.Node)
		if in == nil {
			continue
		}
		n := in.node(own)
		if n == nil {
			continue
		}
		switch says, is := n.Work.(*plan.Saying); {
		case !is:
			b.report("GG210", m.Node.Pos, fmt.Sprintf("the node %q sends no message", n.Name), "a node of kind say does")
		case m.Payload != nil && says.Payload == nil:
			b.report("GG210", m.Payload.Pos, fmt.Sprintf("the message of the node %q has no payload", n.Name), "leave it out")
		case m.Payload != nil:
			m.payload, m.as = in.convert(m.Payload, says.Payload), says.Payload
		}
	}
}

// messages compares the messages.
func (j *judgement) messages() {
	if j.o.Expect.Messages == nil {
		return
	}
	want := *j.o.Expect.Messages
	got := slices.DeleteFunc(slices.Clone(j.got.Events), func(e wire.Event) bool { return e.Kind != sayEvent })
	for i := range max(len(want), len(got)) {
		what := fmt.Sprintf("say[%d]", i)
		switch {
		case i >= len(got):
			j.fail(what, want[i].Pos.Line, want[i].String(), none)
		case i >= len(want):
			j.fail(what, j.o.Expect.MessagesPos.Line, none, messageText(got[i]))
		case !want[i].matches(got[i]):
			j.fail(what, want[i].Pos.Line, want[i].String(), messageText(got[i]))
		case want[i].as != nil:
			j.compare(what+".payload", want[i].Payload.Pos.Line, want[i].payload, parseValue(got[i].Payload), want[i].as)
		}
	}
}

func (m *Message) matches(e wire.Event) bool {
	for _, part := range [...]struct{ want, got string }{{m.Text.V, e.Text}, {m.Node.V, e.Node}, {m.Branch.V, e.Branch}} {
		if part.want != "" && part.want != part.got {
			return false
		}
	}
	return true
}

// String describes the message.
func (m *Message) String() string {
	return messageText(wire.Event{Node: m.Node.V, Branch: m.Branch.V, Text: m.Text.V})
}

func messageText(e wire.Event) string {
	parts := []string{}
	for _, part := range [...]string{e.Node, e.Branch} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if e.Text != "" {
		parts = append(parts, quote(e.Text))
	}
	return cmp.Or(strings.Join(parts, " "), "a message")
}
