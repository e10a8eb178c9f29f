package spec

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// typeParser reads the text of a type:
//
//	T = string | int | float | bool | time | duration | bytes | any | message | messages
//	  | Name | use.Name | []T | map[string]T | ?T
type typeParser struct {
	r     *reader
	at    *Tree
	text  string
	exact bool // the text is in the file as it is, so that places in it are exact
}

func typeText(r *reader, v *Tree) *TypeExpr {
	p := &typeParser{r: r, at: v, text: v.Text}
	p.exact = v.Style != yamlread.Block && !strings.Contains(v.Text, "\n") && p.width() == utf8.RuneCountInString(v.Text)
	return p.parse(0, 0)
}

// width is the number of runes between the quotes, if there are any.
func (p *typeParser) width() int {
	if p.at.Style == yamlread.Quoted {
		return p.at.Pos.Width - 2
	}
	return p.at.Pos.Width
}

// place returns the place of the text from a byte on, for some runes.
func (p *typeParser) place(from, runes int) Pos {
	pos := p.at.Pos
	if !p.exact {
		return pos
	}
	if p.at.Style == yamlread.Quoted {
		pos.Col++
	}
	pos.Col += utf8.RuneCountInString(p.text[:from])
	pos.Width = max(1, runes)
	return pos
}

// parse reads the type that the text from a byte on is.
func (p *typeParser) parse(from, depth int) *TypeExpr {
	rest := p.text[from:]
	t := &TypeExpr{Pos: p.place(from, utf8.RuneCountInString(rest))}
	if p.r.TooDeep(t.Pos, depth) {
		return t
	}
	for _, prefix := range [...]struct {
		text string
		kind TypeKind
	}{{"[]", TypeList}, {"map[string]", TypeMap}, {"?", TypeOptional}} {
		if strings.HasPrefix(rest, prefix.text) {
			t.Kind, t.Elem = prefix.kind, p.parse(from+len(prefix.text), depth+1)
			return t
		}
	}
	end := nameEnd(rest)
	if end > 0 && strings.HasPrefix(rest[end:], ".") {
		if more := nameEnd(rest[end+1:]); more > 0 {
			end += 1 + more
		}
	}
	switch first, _ := utf8.DecodeRuneInString(rest); {
	case rest == "":
		p.fail(max(0, from-1), "a type is missing", "write the type, as in string")
	case end == 0 || unicode.IsDigit(first):
		p.fail(from, fmt.Sprintf("a type cannot begin with %q", first), grammarHelp)
	case end < len(rest):
		p.failAfter(from, end)
	default:
		t.Name = rest
	}
	return t
}

// nameEnd returns where the name ends that a text begins with.
func nameEnd(text string) int {
	end := strings.IndexFunc(text, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	if end < 0 {
		return len(text)
	}
	return end
}

const grammarHelp = "a type is string, int, float, bool, time, duration, bytes, any, message, messages, a declared name, []T, map[string]T or ?T"

// habits are types as other languages write them, by what follows the name.
var habits = [...]struct{ after, help string }{
	{"[]", "a list of T is written []T"},
	{"?", "a T or nothing is written ?T"},
	{"<", "a list is written []T, a map map[string]T"},
	{"[", "a map is written map[string]T: its keys are texts"},
	{".", "the type of a used file is written use.Type; a Go type as " + diag.Item("{go: import/path.Type}")},
	{"/", "the type of a Go package is written " + diag.Item("{go: import/path.Type}")},
	{"|", "for a choice of values declare an enum, " + diag.Item("{enum: [a, b]}") + "; for a choice of structs a union, " +
		diag.Item("{union: {a: A, b: B}}")},
}

// failAfter reports what follows the name that ends after some bytes.
func (p *typeParser) failAfter(from, end int) {
	rest := p.text[from+end:]
	help := grammarHelp
	for _, h := range habits {
		if strings.HasPrefix(rest, h.after) {
			help = h.help
			break
		}
	}
	p.fail(from+end, fmt.Sprintf("unexpected %s in a type", yamlread.Quote(rest)), help)
}

func (p *typeParser) fail(from int, message, help string) {
	p.r.Report("GG017", p.place(from, utf8.RuneCountInString(p.text[from:])), message, help)
}
