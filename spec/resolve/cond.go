package resolve

import (
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
)

// CondKind says what a Cond asks.
type CondKind uint8

const (
	Unconditional CondKind = iota
	IfHolds                // a Go expression
	Equals                 // a field of the output has a value
	AtLeast                // the output's confidence is no less than a number
	Happened               // an event of the node
	Judged                 // what the model says
	Labels                 // a branch table, which asks for one of several
	Several                // more than one of these, which is a mistake
)

// A Cond is what an edge asks for before it is taken, in one form however it is written.
// Conditions that are equal, by ==, hold in the same cases.
type Cond struct {
	Kind  CondKind
	Of    string  // of Equals: the field
	Text  string  // of IfHolds, Equals, Happened and Judged
	Least float64 // of AtLeast
}

// Implies reports whether d holds in every case in which c does, as far as what is written
// shows it.
func (c Cond) Implies(d Cond) bool {
	if c.Kind == AtLeast && d.Kind == AtLeast {
		return c.Least >= d.Least
	}
	return c == d && c.Kind != Several && c.Kind != Labels
}

// Cond returns what the edge asks for.
func (e *Edge) Cond() Cond {
	s := e.Spec
	c, asked := Cond{}, 0
	is := func(set bool, kind CondKind, text string) {
		if set {
			c, asked = Cond{Kind: kind, Text: text}, asked+1
		}
	}
	is(s.If.IsSet(), IfHolds, TextKey(s.If.V))
	is(s.On.IsSet(), Happened, s.On.V)
	is(s.When.IsSet(), Judged, strings.ToLower(strings.Join(strings.Fields(s.When.V), " ")))
	is(s.OnOutput != nil, Equals, "")
	if s.OnOutput != nil {
		c.Of, c.Text = s.OnOutput.Key.V, e.valueKey(*s.OnOutput)
	}
	is(s.OnConfidence.IsSet(), AtLeast, "")
	if s.OnConfidence.IsSet() {
		c.Least = s.OnConfidence.V
	}
	is(e.Table(), Labels, "")
	if asked > 1 {
		return Cond{Kind: Several}
	}
	return c
}

// LabelCond returns what has to be so for a label of a branch table that looks at an output.
func (e *Edge) LabelCond(i int) Cond {
	return Cond{Kind: Equals, Of: e.Spec.By.V, Text: e.Spec.Branch[i].Name.V}
}

// valueKey is the value that a field of the output is compared with, in one spelling.
func (e *Edge) valueKey(m spec.OutputMatch) string {
	var f *Field
	if e.From != nil {
		f = e.From.OutputField(m.Key.V)
	}
	if f == nil {
		return m.Value.Text
	}
	switch f.Type.Base().Kind {
	case Bool:
		return strings.ToLower(m.Value.Text)
	case Int:
		if v, err := strconv.ParseInt(m.Value.Text, 10, 64); err == nil {
			return strconv.FormatInt(v, 10)
		}
	case Float:
		if v, err := strconv.ParseFloat(m.Value.Text, 64); err == nil {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	return m.Value.Text
}
