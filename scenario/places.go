package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// The forms of values that several keys have.
var (
	formText     = form("a text")
	formFree     = &yamlread.Form{Expects: "a text", Free: true}
	formNode     = form("the name of a node")
	formName     = form("a name")
	formBranch   = form("a branch")
	formNames    = &yamlread.Form{Expects: "a list of names", Item: formName}
	formTexts    = &yamlread.Form{Expects: "a text, or a list of texts", Item: formText, Single: true}
	formCount    = &yamlread.Form{Expects: "a whole number"}
	formAmount   = &yamlread.Form{Expects: "an amount of US dollars"}
	formBool     = &yamlread.Form{Expects: "true or false"}
	formYes      = &yamlread.Form{Expects: "true"}
	formDuration = &yamlread.Form{Expects: "a duration"}
	formMapping  = &yamlread.Form{Expects: "a mapping"}
	formAny      = &yamlread.Form{Expects: "a value"}
	formCalls    = &yamlread.Form{Expects: "a list of calls"}
	formCall     = &yamlread.Form{Expects: "a tool, or a mapping of one to its arguments"}
	formEvents   = &yamlread.Form{Expects: "a list of events"}
)

// form returns the form of one key alone; texts of it are more than blanks.
func form(expects string) *yamlread.Form { return &yamlread.Form{Expects: expects, Solid: true} }

// The keys of what lists and mappings hold.
var (
	ruleKey    = &Key{Form: form("a merge rule"), Example: "union"}
	nodeKey    = &Key{Form: formNode, Example: "publish"}
	toolKey    = &Key{Form: form("the name of a tool"), Example: "search"}
	namesKey   = &Key{Form: formNames, Example: "[draft, critic]"}
	messageKey = &Key{Form: form("the message of a rejection"), Example: "three typos"}
	verdictKey = &Key{Form: formBool, Example: "true"}
	failureKey = &Key{Form: form("a part of an error's text"), Example: "offline"}
	eventKey   = &Key{Form: form("an event"), Example: "retry search"}
	changeKey  = &Key{Form: form("a change"), Example: "skip_to publish"}
)

// reads is a place that reads its value itself.
type reads func(r *reader, v *Value, k *Key)

// own reads a value to a place of the language. A key without a value leaves its place as if it were not
// written.
func own(r *reader, v *Value, k *Key, to any) bool {
	if v.Kind == yamlread.Unreadable {
		return true
	}
	switch to := to.(type) {
	case **Value:
		*to = v
	case namesAt:
		list := names(r, v, k)
		*to.names = &list
		if to.pos != nil {
			*to.pos = v.Pos
		}
	case reads:
		to(r, v, k)
	default:
		return false
	}
	return true
}

// namesAt is where a list of names goes that may be empty, and its place, unless that is nil.
type namesAt struct {
	names **[]spec.String
	pos   *spec.Pos
}

// names reads a list of names. Those that cannot be read are left out.
func names(r *reader, v *Value, k *Key) []spec.String {
	return slices.DeleteFunc(r.Names(v, k), func(name spec.String) bool { return name.Lost })
}

// mapping is the place of a mapping with the keys of a table.
func mapping[T any](to *T, keys *table[T]) reads {
	return func(r *reader, v *Value, _ *Key) { yamlread.Read(r, v, keys, to) }
}

// pointer is the place of a mapping that is nil where it is not written.
func pointer[T any](to **T, keys *table[T]) reads {
	return func(r *reader, v *Value, _ *Key) {
		*to = new(T)
		yamlread.Read(r, v, keys, *to)
	}
}

// items is the place of a list of mappings.
func items[T any](to *[]*T, keys *table[T]) reads {
	return func(r *reader, v *Value, k *Key) { *to = yamlread.Items(r, v, k, keys) }
}

// each is the place of a mapping of names, of which it reads the values.
func each(read func(r *reader, name spec.String, v *Value)) reads {
	return func(r *reader, v *Value, k *Key) {
		r.Each(v, k, func(name spec.String, v *Value) { read(r, name, v) })
	}
}

// orMapping is the place of a mapping with the keys of a table, or of what goes to another place.
func orMapping[T any](place any, to *T, keys *table[T]) reads {
	return func(r *reader, v *Value, k *Key) {
		if v.Kind == yamlread.Map {
			yamlread.Read(r, v, keys, to)
		} else {
			r.Read(v, k, place)
		}
	}
}

// orFalse is the place of a text, or of false for none.
func orFalse(to *spec.String, none *spec.Pos) reads {
	return func(r *reader, v *Value, k *Key) {
		if v.Kind == yamlread.Bool && strings.EqualFold(v.Text, "false") {
			*none = v.Pos
		} else {
			*to = r.Text(v, k)
		}
	}
}

// anyText reads a text as it is, which may be empty.
func anyText(r *reader, v *Value, k *Key) *spec.String {
	text := r.Text(v, k)
	if text.Lost {
		return nil
	}
	text.V = v.Text
	return &text
}

// branch is the place of a branch: a name, the number of an element, or several of them.
func branch(to *spec.String) reads {
	return func(r *reader, v *Value, k *Key) {
		name := *v
		if v.Kind == yamlread.Int {
			name.Kind = yamlread.Text
		}
		*to = r.Text(&name, k)
	}
}

// word is the place of one of some words.
func word(to *spec.String, words []string) reads {
	return func(r *reader, v *Value, k *Key) {
		if *to = r.Text(v, k); !to.Lost {
			*to = oneOf(r, *to, k.Form.Expects, words)
		}
	}
}

// oneOf reports a name that is not one of some words, and returns it only if it is.
func oneOf(r *reader, name spec.String, what string, words []string) spec.String {
	if slices.Contains(words, name.V) {
		return name
	}
	help := "it is one of " + strings.Join(words, ", ")
	if near, ok := diag.Suggest(name.V, words); ok {
		help = fmt.Sprintf("did you mean %q?", near)
	}
	r.Report("GG212", name.Pos, fmt.Sprintf("%s is not %s", quote(name.V), what), help)
	return spec.String{}
}

// count is the place of a number of things.
func count(to *spec.Value[int]) reads {
	return func(r *reader, v *Value, _ *Key) {
		n, err := strconv.ParseInt(v.Text, 10, 32)
		switch {
		case v.Kind != yamlread.Int:
			r.Expected(v, "a whole number", "write it with digits, as in 3")
		case err != nil || n < 0:
			r.Expected(v, "a whole number from 0", "write it with digits, as in 3")
		default:
			*to = spec.Value[int]{V: int(n), Pos: v.Pos}
		}
	}
}

// appendCount adds an expected number to those that there are.
func appendCount(r *reader, v *Value, to []Count, name spec.String) []Count {
	var n spec.Value[int]
	if count(&n)(r, v, nil); n.IsSet() {
		to = append(to, Count{name, n.V})
	}
	return to
}

// amount is the place of an amount of money.
func amount(to *spec.Value[float64]) reads {
	return func(r *reader, v *Value, k *Key) {
		f, err := strconv.ParseFloat(v.Text, 64)
		if v.Kind != yamlread.Int && v.Kind != yamlread.Float || err != nil || !(f >= 0) || math.IsInf(f, 0) {
			r.Mismatch(v, k)
			return
		}
		*to = spec.Value[float64]{V: f, Pos: v.Pos}
	}
}

// positive is the place of a duration above 0.
func positive(to *spec.Value[time.Duration]) reads {
	return func(r *reader, v *Value, _ *Key) {
		switch d := r.Duration(v); {
		case d.Lost:
		case d.V <= 0:
			r.Report(r.Unfit, v.Pos, "expected more than 0, found "+quote(v.Text), "write a duration above 0, or leave the key out")
		default:
			*to = d
		}
	}
}

// flag is the place of true or false.
func flag(to *bool) reads {
	return func(r *reader, v *Value, _ *Key) { *to = r.Bool(v).V }
}

// yes is the place of a key whose only value is true.
func yes(to *bool) reads {
	return func(r *reader, v *Value, _ *Key) {
		b := r.Bool(v)
		if *to = b.V; !b.V && !b.Lost {
			r.Report(r.Wrong, v.Pos, "expected true, found false", "leave the key out")
		}
	}
}
