package resolve

import (
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
)

// A Piece is a part of a template: a text, or a placeholder for a field of the state.
type Piece struct {
	Text  string   // as it is shown; empty for a placeholder
	Name  string   // of the field that a placeholder names; empty for a text
	Field *Field   // nil: a text, or a field that the state does not have
	Pos   spec.Pos // of a placeholder, with its braces where the file has it in one piece
}

// A Malformed is a placeholder that cannot be read.
type Malformed struct {
	Pos           spec.Pos
	Message, Help string
}

// The marks of a placeholder.
const (
	opening = "{{"
	closing = "}}"
)

// template reads a text with placeholders. What is wrong with it is kept with the node,
// and the placeholders are what the node reads.
func (g *Graph) template(n *Node, text spec.String) []Piece {
	t := &template{text: text}
	if strings.Contains(text.V, opening) {
		if g.source == nil {
			g.source = newSource(string(g.Spec.Source))
		}
		t.source = g.source.text
		t.at, t.end = g.source.cursor(text)
	}
	t.parse()
	for i := range t.pieces {
		if p := &t.pieces[i]; p.Name != "" {
			p.Field = g.State.Field(p.Name)
			n.read(p.Field)
		}
	}
	n.Malformed = append(n.Malformed, t.bad...)
	return t.pieces
}

// A template is a text while its placeholders are looked for.
type template struct {
	text   spec.String
	source string // of the file
	at     cursor // there: the last opening, and how many have been met
	end    int    // there: behind the text
	pieces []Piece
	bad    []Malformed
	met    int // how many openings are behind
}

func (t *template) parse() {
	rest, plain := t.text.V, ""
	for {
		at := strings.Index(rest, opening)
		if at < 0 {
			break
		}
		plain += rest[:at]
		rest = rest[at:]
		if strings.HasPrefix(rest, opening+opening) {
			plain += opening
			rest = rest[2*len(opening):]
			t.met += 2
			continue
		}
		width := t.placeholder(rest, &plain)
		rest = rest[width:]
		t.met++
	}
	t.flush(plain + rest)
}

// flush adds the text that has been met.
func (t *template) flush(plain string) {
	if plain != "" {
		t.pieces = append(t.pieces, Piece{Text: plain})
	}
}

// placeholder reads one at the beginning of a text, and returns how much of it that is.
func (t *template) placeholder(rest string, plain *string) (width int) {
	end := strings.Index(rest, closing)
	again := strings.Index(rest[len(opening):], opening)
	if end < 0 || again >= 0 && again+len(opening) < end {
		t.fail(opening, "the placeholder is not closed", "write it as in {{topic}}; {{{{ stands for the braces themselves")
		return len(opening)
	}
	whole := rest[:end+len(closing)]
	name := strings.TrimSpace(rest[len(opening):end])
	switch {
	case name == "":
		t.fail(whole, "the placeholder names nothing", "write the name of a state field between the braces, or {{{{ for the braces themselves")
	case !goname.Valid(name):
		t.fail(whole, "a placeholder holds the name of a state field, and "+quoteShort(name)+" is none", "write the name alone, as in {{topic}}; {{{{ stands for the braces themselves")
	default:
		t.flush(*plain)
		*plain = ""
		t.pieces = append(t.pieces, Piece{Name: name, Pos: t.place(whole)})
	}
	return len(whole)
}

func (t *template) fail(what, message, help string) {
	t.bad = append(t.bad, Malformed{Pos: t.place(what), Message: message, Help: help})
}

// longest is how much of an author's text a message repeats.
const longest = 40

func quoteShort(text string) string {
	if utf8.RuneCountInString(text) > longest {
		text = string([]rune(text)[:longest]) + "…"
	}
	return `"` + strings.ReplaceAll(text, "\n", " ") + `"`
}

// place finds the opening that comes next in the file: however YAML wraps and indents a
// text, its openings come in the order they have there. Where the file writes them another
// way, the place is that of the whole text.
func (t *template) place(what string) spec.Pos {
	c := t.at
	for {
		next := strings.Index(t.source[c.offset:t.end], opening)
		if next < 0 {
			t.end = t.at.offset // nor will there be another
			return t.text.Pos
		}
		c.forward(t.source[c.offset : c.offset+next])
		if c.met == t.met {
			break
		}
		c.forward(opening)
		c.met++
	}
	t.at = c
	if !strings.HasPrefix(t.source[c.offset:], what) {
		return t.text.Pos
	}
	return spec.Pos{Line: c.line, Col: c.col, Width: utf8.RuneCountInString(what)}
}

// A cursor is a place in a source, and how many openings lie before it.
type cursor struct{ offset, line, col, met int }

// forward moves the cursor over a text.
func (c *cursor) forward(text string) {
	c.offset += len(text)
	c.line += strings.Count(text, "\n")
	if last := strings.LastIndexByte(text, '\n'); last >= 0 {
		c.col, text = 1, text[last+1:]
	}
	c.col += utf8.RuneCountInString(text)
}

// A source is the file's text, for the places of what stands inside its values.
type source struct {
	text  string
	lines []int // where each begins

	last cursor // where a value began: the next one on its line is looked for from there
}

// cursor returns the beginning of a value, and where it has ended at the latest: so far
// indentation and escapes make it longer.
func (s *source) cursor(value spec.String) (at cursor, end int) {
	if pos := value.Pos; pos.Line < 1 || pos.Line > len(s.lines) {
		return cursor{}, 0
	}
	if at = s.last; at.line != value.Pos.Line || at.col > value.Pos.Col {
		at = cursor{offset: s.lines[value.Pos.Line-1], line: value.Pos.Line, col: 1}
	}
	for at.col < value.Pos.Col && at.offset < len(s.text) {
		_, size := utf8.DecodeRuneInString(s.text[at.offset:])
		at.offset += size
		at.col++
	}
	s.last = at
	most := 4*len(value.V) + indentMost*(strings.Count(value.V, "\n")+2)
	return at, min(len(s.text), at.offset+most)
}

// indentMost is how far a line of a text may be indented for its placeholders to be found.
const indentMost = 200

func newSource(text string) *source {
	s := &source{text: text, lines: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}
