package plan

import (
	"time"

	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Human is the request of a human node, and how a run resumes with the answer.
type Human struct {
	Question string // method of the run that writes the question
	Resume   string // method of the machine that goes on with the answer
	Stream   string // method of the machine that does so and gives the events
	Reply    string // field of the run with the answer; empty: it is a decision

	Pieces  []Piece
	Shown   []*resolve.Field
	Choices []string // the answers there are; nil: a text or a struct
	Timeout time.Duration
}

// decisions are the answers to a question of yes or no.
var decisions = []string{"approve", "deny"}

func (l *lowering) lowerHuman(n *resolve.Node, node *Node) *Human {
	h := &Human{Question: "question" + n.GoName, Resume: "Resume" + n.GoName, Stream: "StreamResume" + n.GoName, Shown: n.Shown(), Timeout: n.Spec.Timeout.V}
	var question template
	question.add(n.Instructions)
	question.trimEnd()
	h.Pieces = question
	switch {
	case node.Out == nil:
		h.Choices = decisions
		return h
	case node.Out.Kind == resolve.Enum:
		for _, v := range node.Out.Values {
			h.Choices = append(h.Choices, v.Name)
		}
	}
	h.Reply = l.field(goname.Unexported(n.Spec.Name.V) + "Reply")
	return h
}

// Pauses reports whether the machine has human nodes, at which runs pause.
func (m *Machine) Pauses() bool {
	for _, n := range m.Nodes {
		if n.Human != nil {
			return true
		}
	}
	return false
}
