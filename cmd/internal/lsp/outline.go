package lsp

import (
	"bytes"
	"strings"
)

// An entry is a key with its value, or an item of a list, in the outline of a file. An outline is made of any text, so that editors have
// one while a line is half-written, and its entries have places in bytes. Of a file that YAML accepts it has every key and every scalar.
type entry struct {
	parent int  // the entry whose value it is in; -1: it is of the file
	item   bool // it is an item of a list, and has no key
	bare   bool // a text where a key may be, without a colon

	key         string
	keyAt, key2 int // the place of the key, without quotes

	style   style
	at, end int // the place of a scalar, without quotes; of a block text its lines
	to      int // the end of all of it
	block   int // the column of its key or of its item, where it is not in brackets; -1: it is
}

// style is how the value of an entry is written.
type style byte

const (
	noValue style = iota // or a mapping or a list in lines
	plain
	single
	double
	literal // a block text
	braces
	brackets
)

// isScalar reports whether a value is a text, a number or a bool.
func (s style) isScalar() bool { return s == plain || s == single || s == double || s == literal }

// outlineOf returns the outline of a text.
func outlineOf(text []byte) []entry {
	s := &scanner{text: text}
	if bytes.HasPrefix(text, []byte(byteOrderMark)) {
		s.next = len(byteOrderMark)
	}
	for s.next < len(text) {
		s.line()
	}
	for i := len(s.list) - 1; i >= 0; i-- {
		e := &s.list[i]
		e.to = max(e.to, e.key2, e.end)
		if e.parent >= 0 {
			p := &s.list[e.parent]
			p.to = max(p.to, e.to)
		}
	}
	return s.list
}

// A frame is a mapping or a list in lines.
type frame struct {
	column int
	list   bool
	owner  int // the entry whose value it is
	last   int // its last entry
}

type scanner struct {
	text  []byte
	next  int // the first byte that is not read, of a line
	begin int // of the line
	list  []entry
	stack []frame
}

func (s *scanner) add(e entry) int {
	s.list = append(s.list, e)
	return len(s.list) - 1
}

// lineEnd returns where the line of a byte ends, before its break.
func (s *scanner) lineEnd(at int) int {
	n := bytes.IndexByte(s.text[at:], '\n')
	if n < 0 {
		return len(s.text)
	}
	if n > 0 && s.text[at+n-1] == '\r' {
		n--
	}
	return at + n
}

// nextLine returns where the line after a byte begins.
func (s *scanner) nextLine(at int) int {
	n := bytes.IndexByte(s.text[at:], '\n')
	if n < 0 {
		return len(s.text)
	}
	return at + n + 1
}

// blanks returns the first byte in text[at:end] that is neither a space nor a tab, end without one.
func (s *scanner) blanks(at, end int) int {
	for at < end && (s.text[at] == ' ' || s.text[at] == '\t') {
		at++
	}
	return at
}

// top returns the innermost frame that a column is in.
func (s *scanner) top(column int, item bool) *frame {
	for len(s.stack) > 0 {
		f := &s.stack[len(s.stack)-1]
		if f.column < column || f.column == column && (f.list == item || item && !f.list) {
			return f
		}
		s.stack = s.stack[:len(s.stack)-1]
	}
	return nil
}

// frame returns the frame of an entry in a column, which may be a new one.
func (s *scanner) frame(column int, list bool) *frame {
	f := s.top(column, list)
	if f != nil && f.column == column && f.list == list {
		return f
	}
	owner := -1
	if f != nil {
		owner = f.last
	}
	s.stack = append(s.stack, frame{column: column, list: list, owner: owner, last: owner})
	return &s.stack[len(s.stack)-1]
}

// line reads a line, and the lines that its value is in.
func (s *scanner) line() {
	s.begin = s.next
	end := s.lineEnd(s.begin)
	s.next = s.nextLine(s.begin)
	at := s.blanks(s.begin, end)
	item := -1
	for at < end && s.text[at] != '#' {
		column := at - s.begin
		if s.text[at] == '-' && (at+1 == end || s.text[at+1] == ' ') {
			f := s.frame(column, true)
			item = s.add(entry{parent: f.owner, item: true, keyAt: at, key2: at + 1, block: column})
			f.last = item
			at = s.blanks(at+1, end)
			continue
		}
		if key, from, to, after := s.key(at, end, false); after > 0 {
			f := s.frame(column, false)
			f.last = s.add(entry{parent: f.owner, key: key, keyAt: from, key2: to, block: column})
			s.value(f.last, s.blanks(after, end), end, column)
			return
		}
		if item >= 0 {
			s.value(item, at, end, s.list[item].block)
			return
		}
		s.bare(at, end, column)
		return
	}
}

// bare reads a line that is neither a key nor an item.
func (s *scanner) bare(at, end, column int) {
	if bytes.HasPrefix(s.text[at:end], []byte("---")) || bytes.HasPrefix(s.text[at:end], []byte("...")) {
		return
	}
	f := s.top(column, false)
	owner := -1
	if f != nil {
		owner = f.owner
		if f.column < column {
			owner = f.last
		}
	}
	if owner >= 0 && s.list[owner].style != noValue && f.column < column {
		return // a text that continues
	}
	if c := s.text[at]; c == '{' || c == '[' {
		if owner >= 0 {
			s.value(owner, at, end, s.list[owner].block)
		}
		return
	}
	to := s.plainEnd(at, end)
	s.add(entry{parent: owner, bare: true, key: string(s.text[at:to]), keyAt: at, key2: to, block: column})
}

// key returns the key at a place, its place without quotes, and the byte after its colon; after is 0 without a key.
func (s *scanner) key(at, end int, flow bool) (key string, from, to, after int) {
	if at >= end {
		return "", 0, 0, 0
	}
	if c := s.text[at]; c == '"' || c == '\'' {
		close, ok := s.quoted(at, end)
		if !ok {
			return "", 0, 0, 0
		}
		colon := s.blanks(close+1, end)
		if colon < end && s.text[colon] == ':' {
			return string(s.text[at+1 : close]), at + 1, close, colon + 1
		}
		return "", 0, 0, 0
	}
	for i := at; i < end; i++ {
		switch c := s.text[i]; {
		case c == ':' && (i+1 == end || s.text[i+1] == ' ' || s.text[i+1] == '\t' || flow && strings.IndexByte(",{}[]\n\r", s.text[i+1]) >= 0):
			to := at + len(bytes.TrimRight(s.text[at:i], " \t"))
			return string(s.text[at:to]), at, to, i + 1
		case flow && strings.IndexByte(",{}[]", c) >= 0, c == '#' && i > at && s.text[i-1] == ' ', !flow && i == at && strings.IndexByte("{[|>", c) >= 0:
			return "", 0, 0, 0
		}
	}
	return "", 0, 0, 0
}

// quoted returns where a text ends that begins with a quote, before the quote that closes it.
func (s *scanner) quoted(at, end int) (close int, ok bool) {
	q := s.text[at]
	for i := at + 1; i < end; i++ {
		switch {
		case q == '"' && s.text[i] == '\\':
			i++
		case s.text[i] != q:
		case q == '\'' && i+1 < end && s.text[i+1] == q:
			i++
		default:
			return i, true
		}
	}
	return end, false
}

// plainEnd returns where a text without quotes ends in its line.
func (s *scanner) plainEnd(at, end int) int {
	if n := bytes.Index(s.text[at:end], []byte(" #")); n >= 0 {
		end = at + n
	}
	return at + len(bytes.TrimRight(s.text[at:end], " \t"))
}

// within returns where the lines end that may continue a value of a key in a column: before the next line that is not deeper.
func (s *scanner) within(at, column int) int {
	for line := s.nextLine(at); line < len(s.text); line = s.nextLine(line) {
		end := s.lineEnd(line)
		if first := s.blanks(line, end); first < end && first-line <= column {
			return line
		}
	}
	return len(s.text)
}

// value reads the value of an entry.
func (s *scanner) value(i, at, end, column int) {
	if at >= end || s.text[at] == '#' {
		return
	}
	switch c := s.text[at]; c {
	case '|', '>':
		begin := s.nextLine(at)
		until := max(begin, s.within(at, column))
		to := begin + len(bytes.TrimRight(s.text[begin:until], " \t\r\n"))
		e := &s.list[i]
		e.style, e.at, e.end = literal, begin, to
		s.next = until
	case '"', '\'':
		s.quotedValue(i, at, end, s.within(at, column))
	case '{', '[':
		f := &flow{scanner: s, limit: s.within(at, column-1)}
		if column == 0 {
			f.limit = s.within(at, 0)
		}
		s.skip(f.collection(i, at))
	default:
		e := &s.list[i]
		e.style, e.at, e.end = plain, at, s.plainEnd(at, end)
	}
}

// quotedValue reads a text in quotes, which may continue in further lines. One that is not closed ends with its line.
func (s *scanner) quotedValue(i, at, end, limit int) {
	e := &s.list[i]
	e.style = double
	if s.text[at] == '\'' {
		e.style = single
	}
	close, ok := s.quoted(at, end)
	if !ok {
		if later, closed := s.quoted(at, limit); closed {
			close = later
			s.skip(later)
		}
	}
	e.at, e.end = min(at+1, close), close
	e.to = min(close+1, len(s.text))
}

// skip continues after the line of a byte.
func (s *scanner) skip(at int) { s.next = max(s.next, s.nextLine(min(at, len(s.text)))) }

// A flow reads what is in brackets. What is not closed ends at a limit.
type flow struct {
	*scanner
	limit int
	depth int
}

// deepest is how deep brackets are read.
const deepest = 200

// collection reads a mapping or a list that is the value of an entry, and returns the byte after it.
func (f *flow) collection(i, at int) int {
	mapping := f.text[at] == '{'
	if f.list[i].style = brackets; mapping {
		f.list[i].style = braces
	}
	f.list[i].at = at
	if f.depth++; f.depth > deepest {
		return f.limit
	}
	defer func() { f.depth-- }()
	at++
	for at < f.limit {
		switch c := f.text[at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',':
			at++
		case c == '#' && (f.text[at-1] == ' ' || f.text[at-1] == '\n'):
			at = f.lineEnd(at)
		case c == '}' || c == ']':
			f.list[i].end, f.list[i].to = at, at+1
			return at + 1
		default:
			at = f.element(i, at, mapping)
		}
	}
	f.list[i].end = f.limit
	return f.limit
}

// element reads an entry of a mapping, or an item of a list.
func (f *flow) element(owner, at int, mapping bool) int {
	end := min(f.lineEnd(at), f.limit)
	key, from, to, after := f.key(at, end, true)
	if after > 0 {
		if !mapping { // a mapping of one entry, without braces
			owner = f.add(entry{parent: owner, item: true, keyAt: at, key2: at, block: -1})
		}
		e := f.add(entry{parent: owner, key: key, keyAt: from, key2: to, block: -1})
		at = after
		for at < f.limit && strings.IndexByte(" \t\r\n", f.text[at]) >= 0 {
			at++
		}
		if at == f.limit || strings.IndexByte(",}]", f.text[at]) >= 0 {
			return at
		}
		return f.scalar(e, at)
	}
	e := entry{parent: owner, item: !mapping, bare: mapping, keyAt: at, key2: at, block: -1}
	next := f.scalar(f.add(e), at)
	if mapping {
		b := &f.list[len(f.list)-1]
		if b.bare {
			b.key, b.keyAt, b.key2, b.style = string(f.text[b.at:b.end]), b.at, b.end, noValue
		}
	}
	return next
}

// scalar reads the value of an entry.
func (f *flow) scalar(i, at int) int {
	switch f.text[at] {
	case '{', '[':
		return f.collection(i, at)
	case '"', '\'':
		end := min(f.lineEnd(at), f.limit)
		f.quotedValue(i, at, end, f.limit)
		return max(f.list[i].to, at+1)
	}
	to := at
	for end := min(f.lineEnd(at), f.limit); to < end; to++ {
		c := f.text[to]
		if strings.IndexByte(",{}[]", c) >= 0 || c == '#' && f.text[to-1] == ' ' {
			break
		}
	}
	e := &f.list[i]
	e.style, e.at, e.end = plain, at, at+len(bytes.TrimRight(f.text[at:to], " \t"))
	return max(to, at+1)
}
