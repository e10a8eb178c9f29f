package check

import (
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/expr"
)

// within returns the place of a part of an expression in the file. An expression that is not
// written there letter by letter is marked as a whole: it continues over several lines.
func (c *context) within(text spec.String, part expr.Span) spec.Pos {
	if part.Width == 0 || !text.Pos.IsSet() || text.Pos.In != nil {
		return text.Pos
	}
	source := c.lineFrom(text.Pos)
	if end := part.Offset + part.Width; strings.HasPrefix(source, text.V[:end]) {
		pos := text.Pos
		pos.Col += utf8.RuneCountInString(text.V[:part.Offset])
		pos.Width = utf8.RuneCountInString(text.V[part.Offset:end])
		return pos
	}
	begin, ok := follow(source, text.V[:part.Offset])
	if !ok {
		return text.Pos
	}
	end, ok := follow(source[begin:], text.V[part.Offset:part.Offset+part.Width])
	if !ok {
		return text.Pos
	}
	pos := text.Pos
	pos.Col += utf8.RuneCountInString(source[:begin])
	pos.Width = utf8.RuneCountInString(source[begin : begin+end])
	return pos
}

// follow returns how far a text goes in the source that spells it, escapes counted.
func follow(source, text string) (int, bool) {
	at := 0
	for _, c := range text {
		got, size := utf8.DecodeRuneInString(source[at:])
		switch {
		case size == 0:
			return 0, false
		case got == '\\' && c == '"': // in a literal inside of a literal, several
			size = 1 + len(source[at:]) - len(strings.TrimLeft(source[at:], `\`))
			if !strings.HasPrefix(source[at+size-1:], `"`) {
				return 0, false
			}
		case got == '\\' && c == '\\' && strings.HasPrefix(source[at+1:], `\`),
			got == '\'' && c == '\'' && strings.HasPrefix(source[at+1:], "'"):
			size = 2
		case got != c:
			return 0, false
		}
		at += size
	}
	return at, true
}

// lineFrom returns the text of a line from a place on.
func (c *context) lineFrom(pos spec.Pos) string {
	if c.lines == nil {
		c.lines = strings.Split(string(c.spec.Source), "\n")
	}
	if pos.Line > len(c.lines) {
		return ""
	}
	line := strings.TrimSuffix(c.lines[pos.Line-1], "\r")
	for range pos.Col - 1 {
		_, size := utf8.DecodeRuneInString(line)
		line = line[size:]
	}
	return line
}
