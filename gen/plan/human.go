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
	h := &Human{Question: "question" + n.GoName, Resume: "Resume" + n.GoName, Stream: "StreamResume" + n.GoName, Pieces: pieces(n.Instructions), Shown: n.Shown(), Timeout: n.Spec.Timeout.V}
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

// lowerGate plans what a person is asked before a node runs.
func (l *lowering) lowerGate(n *resolve.Node) *Human {
	asked := n.Approval()
	question := asked.Question.V
	if question == "" {
		question = "Shall " + n.Spec.Name.V + " run?"
		if n.Spec.Doc.V != "" {
			question += " " + n.Spec.Doc.V
		}
	}
	return &Human{
		Question: "question" + n.GoName, Resume: "Resume" + n.GoName, Stream: "StreamResume" + n.GoName,
		Pieces: []Piece{{Text: question}}, Shown: n.Approved(), Choices: decisions, Timeout: asked.Timeout.V,
	}
}

// A Saying is what a node of kind say sends to the observers of a run.
type Saying struct {
	Method  string // of the run: writes it
	Pieces  []Piece
	Payload *resolve.Type // nil: none
	Args    []Argument    // the fields of the payload
}

func (l *lowering) lowerSaying(n *resolve.Node) *Saying {
	s := &Saying{Method: l.field("say" + n.GoName), Pieces: pieces(n.Instructions), Payload: n.Payload}
	for _, a := range n.Args {
		s.Args = append(s.Args, Argument{To: a.Arg, From: a.From})
	}
	return s
}

// pieces plans a template, without line breaks at its end.
func pieces(text []resolve.Piece) []Piece {
	var t template
	t.add(text)
	t.trimEnd()
	return t
}

// Asked returns what a person is asked at the node: its question, or that before it runs. It is nil where none is.
func (n *Node) Asked() *Human {
	if n.Gate != nil {
		return n.Gate
	}
	return n.Human
}

// Pauses reports whether runs of the machine may pause: at nodes that ask a person, or between nodes.
func (m *Machine) Pauses() bool {
	for _, n := range m.Nodes {
		if n.Asked() != nil {
			return true
		}
	}
	return m.Interrupts
}
