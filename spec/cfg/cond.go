package cfg

import (
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// CondKind is what a Cond asks.
type CondKind uint8

const (
	Always   CondKind = iota // nothing
	If                       // whether a Go expression holds
	Equals                   // whether a field of the output has a value
	AtLeast                  // whether the output's confidence is no less than a number
	Uncalled                 // whether a model that could call tools called none
	Event                    // whether something else has happened, which no rule asks for
	Judged                   // whether the model says so
	Label                    // whether the handler returned a label of a branch table, or the output has its value
	Named                    // whether the handler, or a value of the output, names the target
	Holds                    // whether a field of the output is true, or not empty
	Unread                   // what could not be read
)

// A Cond is what has to be so for a transition to be taken.
type Cond struct {
	Kind  CondKind
	Pos   spec.Pos       // of the condition as written; not set: it has no place of its own
	Expr  *expr.Expr     // of If
	Text  string         // of If the expression, of Judged the question, of the others a word or a value, as written
	Name  string         // of Equals and Label the field as written, of Named what names the target
	Field *resolve.Field // of the output; nil: none, or an unknown one
	Value spec.Scalar    // of Equals
	Least float64        // of AtLeast
	More  bool           // the edge has other conditions too, which is a mistake
}

// String returns the condition as reports show it; Always is empty.
func (c Cond) String() string {
	switch c.Kind {
	case If:
		return "if " + c.Text
	case Equals:
		return "on_output " + c.Name + ": " + c.Text
	case AtLeast:
		return "on_confidence " + strconv.FormatFloat(c.Least, 'g', -1, 64)
	case Uncalled, Event:
		return "on " + c.Text
	case Judged:
		return "when " + strings.TrimSpace(c.Text)
	case Label:
		if c.Name != "" {
			return "branch " + c.Name + ": " + c.Text
		}
		return "branch " + c.Text
	case Named:
		return c.Name + " " + c.Text
	case Holds:
		return "transition " + c.Text
	case Unread:
		return "if ?"
	}
	return ""
}

// A CondKey is a condition in one form, however it is written: conditions with equal keys hold in
// the same cases.
type CondKey struct {
	Kind  CondKind
	Of    string
	Text  string
	Least float64
}

// Key returns the condition in one form. Of a condition beside others it is the zero key.
func (c Cond) Key() CondKey {
	if c.More {
		return CondKey{}
	}
	k := CondKey{Kind: c.Kind}
	switch c.Kind {
	case If:
		k.Text = c.Expr.Key()
	case Equals:
		k.Of, k.Text = c.Name, valueKey(c.Field, c.Text)
	case AtLeast:
		k.Least = c.Least
	case Judged:
		k.Text = strings.ToLower(strings.Join(strings.Fields(c.Text), " "))
	case Label:
		if c.Name != "" {
			k.Kind = Equals // a table that looks at an output asks as on_output does
		}
		k.Of, k.Text = c.Name, c.Text
	default:
		k.Of, k.Text = c.Name, c.Text
	}
	return k
}

// Equal reports whether two conditions hold in the same cases, as far as what is written shows it.
func (c Cond) Equal(d Cond) bool { return c.Key() == d.Key() }

// Implies reports whether a condition holds whenever this one does, as far as what is written
// shows it.
func (k CondKey) Implies(d CondKey) bool {
	if k.Kind == AtLeast && d.Kind == AtLeast {
		return k.Least >= d.Least
	}
	return k == d && k.Kind != Always
}

// valueKey returns the value that a field of the output is compared with, in one spelling.
func valueKey(f *resolve.Field, text string) string {
	if f == nil {
		return text
	}
	switch f.Type.Base().Kind {
	case resolve.Bool:
		return strings.ToLower(text)
	case resolve.Int:
		if v, err := strconv.ParseInt(text, 10, 64); err == nil {
			return strconv.FormatInt(v, 10)
		}
	case resolve.Float:
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	return text
}
