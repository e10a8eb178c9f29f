package lsp

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec/diag"
)

// A Position is a place in a document: a line, and UTF-16 code units in it, both from 0.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// A Range is a part of a document. Its end is not in it.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// A text is the content of a document. Editors break its lines at \n, \r\n and \r, diagnostics at \n alone.
type text struct {
	bytes    []byte
	lines    []int // where each line begins; nil: not known
	newlines []int // the same, of lines that \n alone ends
}

func newText(content []byte) *text { return &text{bytes: content} }

// starts returns where the lines begin, as editors break them.
func (t *text) starts() []int {
	if t.lines == nil {
		t.lines = append(t.lines, 0)
		for i := 0; i < len(t.bytes); i++ {
			n := bytes.IndexAny(t.bytes[i:], "\n\r")
			if n < 0 {
				break
			}
			i += n
			if t.bytes[i] == '\r' && i+1 < len(t.bytes) && t.bytes[i+1] == '\n' {
				i++
			}
			t.lines = append(t.lines, i+1)
		}
	}
	return t.lines
}

// line returns the text of a line, from 0, without its break.
func (t *text) line(n int) []byte {
	starts := t.starts()
	if n < 0 || n >= len(starts) {
		return nil
	}
	end := len(t.bytes)
	if n+1 < len(starts) {
		end = starts[n+1]
	}
	return bytes.TrimRight(t.bytes[starts[n]:end], "\r\n")
}

// offset returns the byte of a position. One outside of the text is the nearest in it.
func (t *text) offset(p Position) int {
	starts := t.starts()
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= len(starts):
		return len(t.bytes)
	}
	line := t.line(p.Line)
	at := 0
	for units := 0; at < len(line) && units < p.Character; {
		c, size := utf8.DecodeRune(line[at:])
		if units += utf16Units(c); units > p.Character {
			break // in the middle of a character
		}
		at += size
	}
	return starts[p.Line] + at
}

// position returns the position of a byte.
func (t *text) position(offset int) Position {
	offset = min(max(offset, 0), len(t.bytes))
	starts := t.starts()
	line := sort.SearchInts(starts, offset+1) - 1
	units := 0
	for at := starts[line]; at < offset; {
		c, size := utf8.DecodeRune(t.bytes[at:])
		if c == '\n' || c == '\r' {
			break // within the break of the line
		}
		units += utf16Units(c)
		at += size
	}
	return Position{Line: line, Character: units}
}

// utf16Units returns how many code units of UTF-16 a character has.
func utf16Units(c rune) int {
	if c >= 0x10000 {
		return 2
	}
	return 1
}

// span returns the range of some bytes.
func (t *text) span(from, to int) Range { return Range{t.position(from), t.position(to)} }

// byteOrderMark is what the reader of specs leaves out at the start of a file.
const byteOrderMark = "\ufeff"

// at returns the bytes of a position of a diagnostic: a line and runes in it, both from 1.
func (t *text) at(pos diag.Pos) (from, to int) {
	if t.newlines == nil {
		t.newlines = append(t.newlines, 0)
		for i, c := range t.bytes {
			if c == '\n' {
				t.newlines = append(t.newlines, i+1)
			}
		}
	}
	if pos.Line > len(t.newlines) {
		return len(t.bytes), len(t.bytes)
	}
	begin, end := t.newlines[pos.Line-1], len(t.bytes)
	if pos.Line < len(t.newlines) {
		end = t.newlines[pos.Line] - 1
	}
	if begin == 0 && bytes.HasPrefix(t.bytes, []byte(byteOrderMark)) {
		begin = len(byteOrderMark)
	}
	line := bytes.TrimSuffix(t.bytes[begin:end], []byte("\r"))
	from = runes(line, pos.Col-1)
	to = from + runes(line[from:], max(pos.Width, 1))
	return begin + from, begin + to
}

// runes returns how many bytes the first n runes of a text have.
func runes(text []byte, n int) (at int) {
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return at
}

// rangeOf returns the range of a diagnostic's position: the start of the text if the position is not set.
func (t *text) rangeOf(pos diag.Pos) Range {
	if !pos.IsSet() {
		return Range{}
	}
	return t.span(t.at(pos))
}

// A change is a new text of a part of a document, or of all of it.
type change struct {
	Range *Range `json:"range"`
	Text  string `json:"text"`
}

// apply makes a change.
func (t *text) apply(c change) *text {
	if c.Range == nil {
		return newText([]byte(c.Text))
	}
	from, to := t.offset(c.Range.Start), t.offset(c.Range.End)
	if to < from {
		from, to = to, from
	}
	all := make([]byte, 0, len(t.bytes)-(to-from)+len(c.Text))
	all = append(all, t.bytes[:from]...)
	all = append(all, c.Text...)
	return newText(append(all, t.bytes[to:]...))
}
