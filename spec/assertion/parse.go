// Package assertion parses and proves the assertions of a spec.
//
// A proof follows every transition of the semantics: edges, choices, failures, refusals, skips, and
// the failure routes of nodes whose visits are used up. Conditions are free: each may hold or not,
// so a proof holds for all runs. Bounds, priorities and skips after failures are exact. A property
// that depends on the results of handlers, or on two conditions that exclude each other, cannot be
// proved.
package assertion

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// Kind is the form of an Assertion.
type Kind uint8

const (
	Passes    Kind = iota // every path to X passes Y
	Without               // no path from A to B without C
	Reachable             // X is reachable
	AtMost                // X runs at most N times
)

// forms are the sentences of the language. A single capital letter is a placeholder for the name of
// a node, N for a number.
var forms = [...]string{
	Passes:    "every path to X passes Y",
	Without:   "no path from A to B without C",
	Reachable: "X is reachable",
	AtMost:    "X runs at most N times",
}

// String returns the form.
func (k Kind) String() string { return forms[k] }

// MayEnd reports whether a name of the form may be end, or that of an end.
func (k Kind) MayEnd(name int) bool {
	return name == 0 && (k == Passes || k == Reachable) || name == 1 && k == Without
}

// An Assertion is a statement about every run.
type Assertion struct {
	Kind  Kind
	Text  spec.String
	Names []spec.String // in the order of the form
	Most  int           // of AtMost
}

// A Mistake is why a text is not an assertion.
type Mistake struct {
	Pos           spec.Pos
	Message, Help string
}

// Parse parses an assertion. A Mistake names the first difference from the form that the text
// resembles most.
func Parse(text spec.String) (*Assertion, *Mistake) {
	words := split(text)
	best, most := Passes, 0
	for kind := range forms {
		if n := alike(strings.Fields(forms[kind]), words); n > most {
			best, most = Kind(kind), n
		}
	}
	if most == 0 {
		return nil, &Mistake{text.Pos, "this is not a form of an assertion", "write " + alternatives()}
	}
	return best.match(text, words)
}

func alternatives() string {
	var quoted []string
	for _, f := range forms {
		quoted = append(quoted, strconv.Quote(f))
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}

// split returns the words of a text with their positions.
func split(text spec.String) []spec.String {
	var out []spec.String
	col := text.Pos.Col
	broken := false
	for rest := text.V; rest != ""; {
		word := rest
		if i := strings.IndexFunc(rest, unicode.IsSpace); i >= 0 {
			word = rest[:i]
		}
		if word == "" {
			r, size := utf8.DecodeRuneInString(rest)
			broken = broken || r == '\n'
			rest = rest[size:]
			col++
			continue
		}
		pos := spec.Pos{Line: text.Pos.Line, Col: col, Width: utf8.RuneCountInString(word)}
		if broken || text.Pos.In != nil {
			pos = text.Pos // in a text of several lines, the position of a word is unknown
		}
		out = append(out, spec.String{V: word, Pos: pos})
		col += pos.Width
		rest = rest[len(word):]
	}
	return out
}

// alike counts the words of a form that the text has in the same places, exactly or almost.
func alike(form []string, words []spec.String) int {
	n := 0
	for i, want := range form {
		if i >= len(words) || slot(want) {
			continue
		}
		if words[i].V == want {
			n += 2
		} else if _, near := diag.Suggest(words[i].V, []string{want}); near {
			n++
		}
	}
	return n
}

// slot reports whether a word of a form is a placeholder.
func slot(word string) bool { return len(word) == 1 && unicode.IsUpper(rune(word[0])) }

// match parses the text as a form.
func (k Kind) match(text spec.String, words []spec.String) (*Assertion, *Mistake) {
	a := &Assertion{Kind: k, Text: text}
	form := strings.Fields(k.String())
	help := "write it as in " + strconv.Quote(k.String())
	for i, want := range form {
		if i >= len(words) {
			return nil, &Mistake{text.Pos, "the assertion stops where " + expected(want) + " should follow", help}
		}
		word := words[i]
		switch {
		case want == "N":
			n, err := strconv.Atoi(word.V)
			if err != nil || n < 0 || strings.HasPrefix(word.V, "+") {
				return nil, &Mistake{word.Pos, "expected a whole number, found " + strconv.Quote(word.V), help}
			}
			a.Most = n
		case slot(want):
			a.Names = append(a.Names, word)
		case word.V == want, want == "times" && word.V == "time":
		default:
			if near, ok := diag.Suggest(word.V, []string{want}); ok {
				help = diag.DidYouMean(near)
			}
			return nil, &Mistake{word.Pos, "expected " + expected(want) + ", found " + strconv.Quote(word.V), help}
		}
	}
	if rest := words[len(form):]; len(rest) > 0 {
		return nil, &Mistake{rest[0].Pos, "the assertion continues after its end", help}
	}
	return a, nil
}

func expected(word string) string {
	switch {
	case word == "N":
		return "a whole number"
	case slot(word):
		return "the name of a node"
	}
	return strconv.Quote(word)
}

// Same returns a name that occurs twice, which makes the assertion empty.
func (a *Assertion) Same() (spec.String, bool) {
	last := len(a.Names) - 1
	if a.Kind != Passes && a.Kind != Without {
		return spec.String{}, false
	}
	same := slices.ContainsFunc(a.Names[:last], func(n spec.String) bool { return n.V == a.Names[last].V })
	return a.Names[last], same
}
