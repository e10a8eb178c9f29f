package yamlread

import (
	"bytes"
	"sort"
	"strings"
	"unicode/utf8"
)

// A source is the text of a file by lines. Columns count runes, so finding a byte
// walks a line; the cursor makes that walk continue where the last one ended, which
// keeps reading linear even where a whole graph is on one line.
type source struct {
	text  string
	lines []int // byte offset of each line's first byte

	cursor struct{ line, col, offset int }
}

func newSource(text string) *source {
	s := &source{text: text, lines: make([]int, 1, 1+strings.Count(text, "\n"))}
	for i := 0; i < len(text); i++ {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			break
		}
		i += n
		s.lines = append(s.lines, i+1)
	}
	return s
}

// line returns the text of a line, counted from 1, without its line break.
func (s *source) line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	end := len(s.text)
	if n < len(s.lines) {
		end = s.lines[n] - 1
	}
	return strings.TrimSuffix(s.text[s.lines[n-1]:end], "\r")
}

// rest returns a line from a column on.
func (s *source) rest(line, col int) string {
	text := s.line(line)
	if text == "" {
		return ""
	}
	c := &s.cursor
	if c.line != line || c.col > col {
		c.line, c.col, c.offset = line, 1, 0
	}
	for c.col < col && c.offset < len(text) {
		size := 1
		if text[c.offset] >= utf8.RuneSelf {
			_, size = utf8.DecodeRuneInString(text[c.offset:])
		}
		c.offset += size
		c.col++
	}
	return text[min(c.offset, len(text)):]
}

// place returns the line and column of a byte offset.
func (s *source) place(offset int) Pos {
	offset = min(max(offset, 0), len(s.text))
	line := sort.SearchInts(s.lines, offset+1)
	return Pos{Line: line, Col: 1 + utf8.RuneCountInString(s.text[s.lines[line-1]:offset])}
}

// contain moves a place that lies outside of the file to its nearest edge.
func (s *source) contain(p Pos) Pos {
	p.Line = min(max(p.Line, 1), len(s.lines))
	p.Col = max(p.Col, 1)
	return p
}

// A flaw is a kind of byte or character that a file must not contain.
type flaw struct {
	offset int    // of the first one, in the repaired text
	found  string // the first one's text
	count  int
}

func (f *flaw) add(offset int, found string) {
	if f.count == 0 {
		f.offset, f.found = offset, found
	}
	f.count++
}

// repair replaces every byte that is not UTF-8, and every character that YAML forbids or
// takes for a line break where editors see none, by U+FFFD. Columns stay as they are.
func repair(text []byte) (repaired string, bytesBad, charsBad flaw) {
	if clean(text) {
		return string(text), bytesBad, charsBad
	}
	var out bytes.Buffer
	out.Grow(len(text) + 64)
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRune(text[i:])
		switch {
		case c == utf8.RuneError && size == 1:
			bytesBad.add(out.Len(), string(text[i:i+1]))
			out.WriteRune(utf8.RuneError)
		case forbidden(c) || c == '\r' && !bytes.HasPrefix(text[i:], []byte("\r\n")):
			charsBad.add(out.Len(), string(c))
			out.WriteRune(utf8.RuneError)
		default:
			out.Write(text[i : i+size])
		}
		i += size
	}
	return out.String(), bytesBad, charsBad
}

// clean reports whether the text is ASCII that needs no repair, as most files are.
func clean(text []byte) bool {
	for _, c := range text {
		if c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// forbidden reports whether YAML does not allow c, or breaks a line at it.
func forbidden(c rune) bool {
	switch {
	case c == '\t' || c == '\n' || c == '\r':
		return false
	case c < ' ' || c >= 0x7f && c <= 0x9f:
		return true
	}
	return c == 0x2028 || c == 0x2029 || c == 0xfeff || c == 0xfffe || c == 0xffff
}
