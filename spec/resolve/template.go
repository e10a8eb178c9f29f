package resolve

import (
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
)

// A Piece is a part of a template: text, or a placeholder for a state field.
type Piece struct {
	Text  string   // empty for a placeholder
	Name  string   // the field of a placeholder; empty for text
	Field *Field   // nil: text, or an unknown field
	Pos   spec.Pos // of a placeholder, with its braces if the file has them on one line
}

// A Malformed is a placeholder that cannot be parsed.
type Malformed struct {
	Pos           spec.Pos
	Message, Help string
}

// The delimiters of a placeholder.
const (
	opening = "{{"
	closing = "}}"
)

// template parses a text with placeholders. Mistakes are recorded in the node, which reads the
// fields of the placeholders.
func (g *Graph) template(n *Node, text spec.Text) []Piece {
	t := &template{text: text.String}
	switch in := text.In; {
	case !strings.Contains(text.V, opening):
	case in != nil:
		t.source, t.file = in.Text, in.Path
		t.at, t.end = cursor{line: 1, col: 1}, len(in.Text)
	default:
		if g.source == nil {
			g.source = newSource(string(g.Spec.Source))
		}
		t.source = g.source.text
		t.at, t.end = g.source.cursor(text.String)
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

// A template is a text that is being parsed.
type template struct {
	text   spec.String
	source string // of the file
	file   string // that is not the spec; empty: it is
	at     cursor // the last opening in the source, and the number of openings so far
	end    int    // end of the text in the source
	pieces []Piece
	bad    []Malformed
	met    int // number of openings so far
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

// flush adds the text before a placeholder.
func (t *template) flush(plain string) {
	if plain != "" {
		t.pieces = append(t.pieces, Piece{Text: plain})
	}
}

// placeholder parses a placeholder at the beginning of a text and returns its width.
func (t *template) placeholder(rest string, plain *string) (width int) {
	end := strings.Index(rest, closing)
	again := strings.Index(rest[len(opening):], opening)
	if end < 0 || again >= 0 && again+len(opening) < end {
		t.fail(opening, "the placeholder is not closed", "write it as in {{topic}}; write {{{{ for the braces themselves")
		return len(opening)
	}
	whole := rest[:end+len(closing)]
	name := strings.TrimSpace(rest[len(opening):end])
	switch {
	case name == "":
		t.fail(whole, "the placeholder names nothing", "write the name of a state field between the braces, or {{{{ for the braces themselves")
	case !goname.Valid(name):
		t.fail(whole, "a placeholder holds the name of a state field, and "+quoteShort(name)+" is none",
			"write the name alone, as in {{topic}}; write {{{{ for the braces themselves")
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

// longest is the most characters of a text that a message quotes.
const longest = 40

func quoteShort(text string) string {
	if utf8.RuneCountInString(text) > longest {
		text = string([]rune(text)[:longest]) + "…"
	}
	return `"` + strings.ReplaceAll(text, "\n", " ") + `"`
}

// place returns the position of the next opening in the source. YAML may wrap and indent a text,
// but keeps the order of openings. If the source writes them differently, the position is the position of
// the whole text.
func (t *template) place(what string) spec.Pos {
	if t.text.Pos.In != nil {
		return t.text.Pos // the text is not in the source
	}
	c := t.at
	for {
		next := strings.Index(t.source[c.offset:t.end], opening)
		if next < 0 {
			t.end = t.at.offset // no further opening will match
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
	return spec.Pos{File: t.file, Line: c.line, Col: c.col, Width: utf8.RuneCountInString(what)}
}

// A cursor is a position in a source, with the number of openings before it.
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

// A source is the text of the file, for positions within its values.
type source struct {
	text  string
	lines []int // start of each line

	last cursor // start of the last value: the next one on its line is searched for from there
}

// cursor returns the start of a value and the latest possible end, which indentation and escapes
// move.
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

// indentMost is the deepest indentation of a line in which placeholders are found.
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
