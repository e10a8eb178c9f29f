package plan

import (
	"slices"
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

// pauses reports whether a run may pause at a node, or within it.
func (n *Node) pauses() bool {
	if n.Composite == nil {
		return n.Human != nil
	}
	return slices.ContainsFunc(n.Composite.Regions, func(r *Region) bool { return slices.ContainsFunc(r.Nodes, (*Node).pauses) })
}

// findPauses finds the nodes that run others in which runs pause.
func (l *lowering) findPauses() {
	for _, n := range l.m.Nodes {
		if n.Composite == nil || !n.pauses() {
			continue
		}
		n.Composite.Pauses = true
		if n.Kind.Picks() {
			n.Composite.Picker = l.field(goname.Unexported(n.Name) + "Picker")
		}
	}
}

// Pauses reports whether runs of the machine pause, because nodes of it wait for a person.
func (m *Machine) Pauses() bool { return slices.ContainsFunc(m.Nodes, (*Node).pauses) }

// PausesWithin reports whether child runs of the machine's runs pause, of nodes that run others or, if forks, of
// those with branches.
func (m *Machine) PausesWithin(forks bool) bool {
	return slices.ContainsFunc(m.Nodes, func(n *Node) bool {
		return n.Composite != nil && n.Composite.Pauses && (!forks || n.Kind.Forks())
	})
}
