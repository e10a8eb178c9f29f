package cfg

import (
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// CondKind is the kind of a Cond.
type CondKind uint8

const (
	Always   CondKind = iota // nothing
	If                       // whether a Go expression holds
	Equals                   // whether a field of the output has a value
	AtLeast                  // whether the output's confidence is at least a number
	Uncalled                 // whether a model that could call tools called none
	Event                    // whether another event occurred, which no rule handles
	Calls                    // whether the turn calls one of some tools
	Judged                   // whether the model confirms the question
	Label                    // whether the handler returned a label of a branch table, or the output has its value
	Named                    // whether the handler, or a value of the output, names the target
	Holds                    // whether a field of the output is true, or not empty
	Unread                   // what could not be read
)

// A Cond is the condition of a transition.
type Cond struct {
	Kind  CondKind
	Pos   spec.Pos       // not set: the condition has no position of its own
	Expr  *expr.Expr     // of If
	Text  string         // of If the expression, of Judged the question, of the others a word or a value, as written
	Name  string         // of Equals and Label the field as written, of Named what names the target
	Field *resolve.Field // of the output; nil: none, or an unknown one
	Value spec.Scalar    // of Equals
	Least float64        // of AtLeast
	Tools []string       // of Calls, sorted, each once
	More  bool           // the edge has several conditions, which is a mistake
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
	case Calls:
		return "on tool_call " + c.Text
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

// A CondKey is a condition in canonical form. Conditions with equal keys are equivalent.
type CondKey struct {
	Kind  CondKind
	Of    string
	Text  string
	Least float64
}

// Key returns the canonical form. An edge with several conditions has the zero key.
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
	case Calls:
		k.Text = strings.Join(c.Tools, "\x00")
	case Judged:
		k.Text = strings.ToLower(strings.Join(strings.Fields(c.Text), " "))
	case Label:
		if c.Name != "" {
			k.Kind = Equals // a table over an output field is the same as on_output
		}
		k.Of, k.Text = c.Name, c.Text
	default:
		k.Of, k.Text = c.Name, c.Text
	}
	return k
}

// Equal reports whether the text of two conditions shows that they are equivalent.
func (c Cond) Equal(d Cond) bool { return c.Key() == d.Key() }

// Implies reports whether the text of two conditions shows that l holds whenever k does.
func (k CondKey) Implies(d CondKey) bool {
	if k.Kind == AtLeast && d.Kind == AtLeast {
		return k.Least >= d.Least
	}
	if k.Kind == Calls && d.Kind == Calls {
		tools := strings.Split(d.Text, "\x00")
		return !slices.ContainsFunc(strings.Split(k.Text, "\x00"), func(tool string) bool { return !slices.Contains(tools, tool) })
	}
	return k == d && k.Kind != Always
}

// valueKey returns the value of an output field in one spelling.
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
