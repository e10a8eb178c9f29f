package plan

import (
	"slices"

	"github.com/graphgen/graphgen/spec/resolve"
)

// A Write puts an output, or a field of it, into the state.
type Write struct {
	To     *resolve.Field
	From   *resolve.Field // nil: the whole output
	Turn   bool           // the turn is appended to a conversation
	Record *resolve.Type  // what a person answered is written as this struct; nil: the output is
	Rest   bool           // of a conversation that the child run was given: what that run has appended to it
	Merge  string         // last, append, union, sum, max, min, custom
	Elem   bool           // the value is one element of the list it is merged into
	Some   bool           // the field is an optional of the value
	Func   string         // method of the handlers, of merge custom
	Value  *Condition     // the expression of the value; nil: the output has it
}

// Custom reports whether a method of the handlers merges the value.
func (w Write) Custom() bool { return w.Func != "" }

// lowerWrites plans what a node writes to the state.
func (l *lowering) lowerWrites(node *Node, n *resolve.Node) {
	for _, w := range n.Writes {
		node.State.Writes = append(node.State.Writes, write(w, n.Out))
		node.State.Writes[len(node.State.Writes)-1].Rest = continues(n, w)
	}
	for i, e := range l.flow.Values(n) {
		f := n.Writes[i].To
		doc := "is the value that node " + n.Spec.Name.V + " writes to " + f.Name + "."
		node.State.Writes[i].Value = l.condition(n, l.name(l.m.Prefix+n.GoName+"Set"+f.GoName), doc, e)
	}
}

func write(w resolve.Write, out *resolve.Type) Write {
	if w.Turn {
		return Write{To: w.To, Turn: true, Merge: w.To.Merge}
	}
	value := out
	if w.Record != nil {
		value = w.Record
	}
	if w.From != nil {
		value = w.From.Type
	}
	lowered := Write{To: w.To, From: w.From, Record: w.Record, Merge: w.To.Merge}
	lowered.Elem = resolve.TakesElement(w.To) && !resolve.Same(w.To.Type, value)
	lowered.Some = w.To.Type.Kind == resolve.Optional && !resolve.Same(w.To.Type, value)
	if w.To.Merge == "custom" {
		lowered.Func = "Merge" + w.To.GoName
	}
	return lowered
}

// continues reports whether a child run continues a conversation to which its branches append: it was given the
// messages that its output begins with.
func continues(n *resolve.Node, w resolve.Write) bool {
	return w.To.Merge == "append" && w.To.Type.IsConversation() && slices.ContainsFunc(n.Inputs, func(p resolve.Passed) bool {
		return p.Field == w.To && p.Child != nil && w.From != nil && p.Child.Name == w.From.Name
	})
}
