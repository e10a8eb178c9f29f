package lsp

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// indentStep is how much deeper a level is.
const indentStep = 2

// ErrUnreadable is the error of a file that is not YAML.
var ErrUnreadable = errors.New("the file is not YAML: graphgen check reports where")

// errChanged is the error of a text that would mean something else.
var errChanged = errors.New("the file has a form that cannot be formatted without changing what it means")

// Format returns a spec in the canonical form: the keys of each mapping in the order of the reference, two spaces a level, one space after
// a colon and a comma, at most one blank line in a row, and line feeds alone. Names and items keep their order, which has a meaning. Comments move with
// the entry below them. Format compares both texts, which mean the same.
func Format(path string, content []byte) ([]byte, error) {
	before, ok := spec.ParseTree(string(content))
	if !ok || !link.IsSpec(filepath.Base(path)) {
		return nil, ErrUnreadable
	}
	text := bytes.TrimPrefix(content, []byte(byteOrderMark))
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	for _, phase := range []func(*formatter) []byte{(*formatter).ordered, (*formatter).indented} {
		f := &formatter{read: readOutline(text, mappingOf(path))}
		if text = phase(f); f.odd {
			return nil, errChanged
		}
	}
	after, ok := spec.ParseTree(string(text))
	if !ok || !sameTree(&before, &after) {
		return nil, errChanged
	}
	return text, nil
}

// sameTree reports whether two values are the same, whatever the order of keys of the language.
func sameTree(a, b *yamlread.Tree) bool {
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Items) != len(b.Items) {
		return false
	}
	if a.Kind == yamlread.Map && !sameOrder(a, b) && !ofLanguage(a) {
		return false
	}
	for i := range a.Items {
		if a.Kind != yamlread.Map {
			if !sameTree(&a.Items[i], &b.Items[i]) {
				return false
			}
		} else if i%2 == 0 {
			if v := b.Get(a.Items[i].Text); v == nil || !sameTree(&a.Items[i+1], v) {
				return false
			}
		}
	}
	return true
}

// sameOrder reports whether two mappings have the same keys in the same order.
func sameOrder(a, b *yamlread.Tree) bool {
	for i := 0; i < len(a.Items); i += 2 {
		if a.Items[i].Text != b.Items[i].Text {
			return false
		}
	}
	return true
}

// ofLanguage reports whether a mapping of the language has all keys of a mapping.
func ofLanguage(a *yamlread.Tree) bool {
	for _, m := range specLanguage.mappings {
		names, all := m.Names(), true
		for i := 0; i < len(a.Items) && all; i += 2 {
			all = slices.Contains(names, a.Items[i].Text)
		}
		if all {
			return true
		}
	}
	return false
}

// A formatter formats an outline.
type formatter struct {
	*read
	odd bool // the lines of its entries are not in order
}

// rank returns the place of an entry among the keys of its mapping, -1 if it is not one of them.
func (f *formatter) rank(i int) int {
	in, key := f.around(i), f.entries[i].key
	for _, name := range in.mappings {
		if m := specLanguage.mappings[name]; m != nil {
			if at := slices.Index(m.Names(), key); at >= 0 {
				return at
			}
		}
	}
	return -1
}

// order returns entries of one mapping in the canonical order, and whether it has one: all are keys of the language.
func (f *formatter) order(list []int) ([]int, bool) {
	for _, i := range list {
		if e := &f.entries[i]; e.item || e.bare || f.rank(i) < 0 {
			return list, false
		}
	}
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b int) int { return f.rank(a) - f.rank(b) })
	return sorted, true
}

// lineStart returns where the line of a byte begins.
func (f *formatter) lineStart(at int) int { return bytes.LastIndexByte(f.text[:at], '\n') + 1 }

// lineAfter returns where the line after a byte's line begins.
func (f *formatter) lineAfter(at int) int {
	if n := bytes.IndexByte(f.text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(f.text)
}

// ordered returns the text with the keys of mappings in lines in their order.
func (f *formatter) ordered() []byte {
	children := map[int][]int{}
	for i := range f.entries {
		if f.entries[i].block >= 0 {
			p := f.entries[i].parent
			children[p] = append(children[p], i)
		}
	}
	text := f.text
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(slices.Clone(text), '\n')
		f.text = text
	}
	list := children[-1]
	if len(list) == 0 {
		return text
	}
	from := f.head(f.lineStart(f.entries[list[0]].keyAt))
	var b bytes.Buffer
	b.Write(text[:from])
	f.mapping(&b, children, list, from, len(text))
	return b.Bytes()
}

// headLines are how lines begin that stay above all entries.
var headLines = []string{"# yaml-language-server", "---", "%"}

// head returns where the comments end that are of the file, not of its first entry: the last blank line, or the line with the schema.
func (f *formatter) head(first int) int {
	end := 0
	for at := 0; at < first; {
		next := f.lineAfter(at)
		line := bytes.TrimSpace(f.text[at:next])
		if len(line) == 0 || slices.ContainsFunc(headLines, func(prefix string) bool { return bytes.HasPrefix(line, []byte(prefix)) }) {
			end = next
		}
		at = next
	}
	return end
}

// mapping writes the entries of one mapping or list, which has the lines of text[from:to].
func (f *formatter) mapping(b *bytes.Buffer, children map[int][]int, list []int, from, to int) {
	inline := f.lineStart(f.entries[list[0]].keyAt) < from // the first key is in the line of its item
	bounds := make([]int, len(list)+1)
	bounds[0], bounds[len(list)] = from, to
	for k := 1; k < len(list); k++ {
		bounds[k] = f.begin(f.entries[list[k-1]].to, list[k])
	}
	bounds[len(list)] = f.tail(f.entries[list[len(list)-1]].to, to, f.entries[list[0]].block)
	if !slices.IsSorted(bounds) || bounds[len(list)] > to {
		f.odd = true
		b.Write(f.text[min(from, to):to])
		return
	}
	order, canonical := f.order(list)
	if inline || !canonical {
		order = list
	}
	places := make(map[int]int, len(list))
	for k, i := range list {
		places[i] = k
	}
	for _, i := range order {
		k := places[i]
		f.entry(b, children, i, bounds[k], bounds[k+1])
	}
	b.Write(f.text[bounds[len(list)]:to])
}

// tail returns where the comments begin that are after a mapping and not as deep as its entries, in a column.
func (f *formatter) tail(last, to, column int) int {
	blank := -1
	for at := f.lineAfter(max(last-1, 0)); at < to; at = f.lineAfter(at) {
		line := bytes.TrimRight(f.text[at:f.lineAfter(at)], "\n")
		indent := len(line) - len(bytes.TrimLeft(line, " "))
		switch {
		case indent == len(line):
			if blank < 0 {
				blank = at
			}
			continue
		case line[indent] == '#' && indent < column:
			if blank >= 0 {
				return blank
			}
			return at
		}
		blank = -1
	}
	return to
}

// begin returns where the part of an entry begins: after the entry before it, and after comments that are deeper than it.
func (f *formatter) begin(before, i int) int {
	e := &f.entries[i]
	first := f.lineStart(e.keyAt)
	at := f.lineAfter(max(before-1, 0))
	for line := at; line < first; line = f.lineAfter(line) {
		text := bytes.TrimRight(f.text[line:f.lineAfter(line)], "\n")
		if indent := len(text) - len(bytes.TrimLeft(text, " ")); len(text) > indent && indent > e.block {
			at = f.lineAfter(line)
		}
	}
	return min(at, first)
}

// entry writes an entry with what is in it.
func (f *formatter) entry(b *bytes.Buffer, children map[int][]int, i, from, to int) {
	inner := children[i]
	if len(inner) == 0 {
		b.Write(f.text[from:to])
		return
	}
	first := f.entries[inner[0]].keyAt
	begin := min(f.lineAfter(f.entries[i].key2), to)
	if first < begin { // in the same line
		begin = max(first, from)
	}
	b.Write(f.text[from:begin])
	f.mapping(b, children, inner, begin, to)
}

// indented returns the text with two spaces a level, one space after colons and commas, and at most one blank line.
func (f *formatter) indented() []byte {
	heads := map[int][]int{} // the entries that begin in a line, by its start
	columns := make([]int, len(f.entries))
	for i := range f.entries {
		e := &f.entries[i]
		if e.block < 0 {
			continue
		}
		columns[i] = 0
		if e.parent >= 0 {
			columns[i] = columns[e.parent] + indentStep
		}
		at := f.lineStart(e.keyAt)
		heads[at] = append(heads[at], i)
	}
	fixed := f.fixed()
	var b bytes.Buffer
	blank, shift := true, 0
	for at := 0; at < len(f.text); {
		next := f.lineAfter(at)
		line := bytes.TrimRight(f.text[at:next], "\n")
		switch entries := heads[at]; {
		case len(entries) > 0:
			first, last := entries[0], entries[len(entries)-1]
			shift = columns[last] - f.entries[last].block
			b.WriteString(strings.Repeat(" ", columns[first]))
			f.key(&b, entries, next)
			blank = false
		case fixed[at]:
			if len(bytes.TrimSpace(line)) == 0 {
				b.WriteString(strings.Repeat(" ", max(0, len(line)-len(bytes.TrimLeft(line, " "))+shift)))
				b.WriteString(strings.TrimLeft(string(line), " "))
			} else {
				indent := len(line) - len(bytes.TrimLeft(line, " "))
				b.WriteString(strings.Repeat(" ", max(0, indent+shift)))
				b.Write(line[indent:])
			}
			b.WriteByte('\n')
			blank = false
		default:
			trimmed := bytes.TrimSpace(line)
			if len(trimmed) == 0 {
				if !blank {
					b.WriteByte('\n')
				}
				blank = true
				break
			}
			b.WriteString(strings.Repeat(" ", f.commentColumn(heads, columns, at, len(line)-len(bytes.TrimLeft(line, " ")))))
			b.Write(trimmed)
			b.WriteByte('\n')
			blank = false
		}
		at = next
	}
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
}

// fixed returns the lines that continue a value: only their indentation changes.
func (f *formatter) fixed() map[int]bool {
	lines := map[int]bool{}
	for i := range f.entries {
		e := &f.entries[i]
		end := e.to
		if e.style == literal && e.end >= e.at {
			if header := f.text[e.key2:min(e.at, len(f.text))]; bytes.Contains(header, []byte("+")) {
				for at := f.lineAfter(max(e.end-1, 0)); at < len(f.text) && len(bytes.TrimSpace(f.text[at:f.lineAfter(at)])) == 0; at = f.lineAfter(at) {
					lines[at] = true
				}
			}
			end = e.end
		}
		if !e.style.isScalar() && e.style != braces && e.style != brackets {
			continue
		}
		begin := e.at
		if e.style == literal {
			begin = e.key2
		}
		for at := f.lineAfter(begin); at < end; at = f.lineAfter(at) {
			lines[at] = true
		}
	}
	for at := 0; at < len(f.text); at = f.lineAfter(at) { // plain texts that continue
		line := bytes.TrimSpace(f.text[at:f.lineAfter(at)])
		if len(line) > 0 && line[0] != '#' && !bytes.HasPrefix(line, []byte("---")) {
			lines[at] = true
		}
	}
	return lines
}

// commentColumn returns the column of a comment: the column of the next entry, or, if the comment is deeper, of the entry before it that it belongs to.
func (f *formatter) commentColumn(heads map[int][]int, columns []int, at, indent int) int {
	next, _ := slices.BinarySearchFunc(f.entries, at, func(e entry, at int) int { return e.keyAt - at })
	before := next - 1
	for before >= 0 && f.entries[before].block < 0 {
		before--
	}
	if next < len(f.entries) { // it begins a line: a comment is between lines
		if first := heads[f.lineStart(f.entries[next].keyAt)]; len(first) > 0 {
			if e := &f.entries[first[0]]; indent <= e.block || before < 0 || e.parent == before {
				return columns[first[0]]
			}
		}
	}
	for ; before >= 0; before = f.entries[before].parent {
		if f.entries[before].block <= indent {
			return columns[before]
		}
	}
	return 0
}

// key writes a line that begins entries, up to its break.
func (f *formatter) key(b *bytes.Buffer, entries []int, next int) {
	for _, i := range entries {
		e := &f.entries[i]
		if e.item {
			b.WriteString("-")
			if f.blankUntil(e.key2, next) {
				b.WriteString("\n")
				return
			}
			b.WriteString(" ")
			if i == entries[len(entries)-1] {
				f.rest(b, i, e.key2, next)
				return
			}
			continue
		}
		if e.bare {
			b.Write(bytes.TrimRight(f.text[e.keyAt:next], " \t\n"))
			b.WriteByte('\n')
			return
		}
		from := e.keyAt
		if from > 0 && strings.IndexByte(`"'`, f.text[from-1]) >= 0 {
			from--
		}
		colon := e.key2 + bytes.IndexByte(f.text[e.key2:], ':')
		b.Write(bytes.TrimRight(f.text[from:colon], " "))
		b.WriteByte(':')
		if !f.blankUntil(colon+1, next) {
			b.WriteByte(' ')
			f.rest(b, i, colon+1, next)
			return
		}
		b.WriteByte('\n')
	}
}

// blankUntil reports whether nothing but blanks is between two bytes.
func (f *formatter) blankUntil(from, to int) bool {
	return len(bytes.TrimSpace(f.text[from:to])) == 0
}

// rest writes the value of an entry as far as it is in the line.
func (f *formatter) rest(b *bytes.Buffer, i, from, next int) {
	e := &f.entries[i]
	line := f.text[from:next]
	if (e.style == braces || e.style == brackets) && e.end < next && e.to <= next {
		if text, ok := f.flow(i); ok {
			b.WriteString(text)
			line = f.text[e.to:next]
			if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 {
				b.WriteString(" ")
				b.Write(trimmed)
			}
			b.WriteByte('\n')
			return
		}
	}
	line = bytes.TrimLeft(line, " \t")
	if (e.style == single || e.style == double) && e.end >= next {
		b.Write(line) // the text continues, with its blanks
		return
	}
	b.Write(bytes.TrimRight(line, " \t\n"))
	b.WriteByte('\n')
}

// flow returns a value in brackets in the canonical form. It reports false for one with comments or of a form that is not read.
func (f *formatter) flow(i int) (string, bool) {
	e := &f.entries[i]
	if e.style != braces && e.style != brackets {
		from, to := e.at, e.end
		if e.style == single || e.style == double {
			from, to = from-1, to+1
		}
		return string(f.text[from:to]), e.style != noValue
	}
	if bytes.ContainsAny(f.text[e.at:e.to], "#\n") && bytes.Contains(f.text[e.at:e.to], []byte(" #")) {
		return "", false
	}
	list := f.children(i)
	order, _ := f.order(list)
	var parts []string
	for _, j := range order {
		c := &f.entries[j]
		switch {
		case c.item:
			text, ok := f.flow(j)
			if !ok {
				return "", false
			}
			parts = append(parts, text)
		case c.bare:
			return "", false
		default:
			from, to := c.keyAt, c.key2
			if strings.IndexByte(`"'`, f.text[from-1]) >= 0 {
				from, to = from-1, to+1
			}
			if c.style == noValue {
				parts = append(parts, string(f.text[from:to])+": ") // a colon before a comma or a bracket would be of the key
				continue
			}
			text, ok := f.flow(j)
			if !ok {
				return "", false
			}
			parts = append(parts, string(f.text[from:to])+": "+text)
		}
	}
	if e.style == braces {
		return "{" + strings.Join(parts, ", ") + "}", true
	}
	return "[" + strings.Join(parts, ", ") + "]", true
}

// formatting returns the changes that give a spec its canonical form: none where it has it, or cannot be read.
func formatting(_ context.Context, s *Server, p *documentParams) (any, error) {
	d, err := s.document(p.TextDocument)
	if err != nil || !d.isSpec() {
		return []textEdit{}, err
	}
	text, err := Format(d.abs, d.text.bytes)
	switch {
	case err != nil:
		return nil, failed("%v", err)
	case bytes.Equal(text, d.text.bytes):
		return []textEdit{}, nil
	}
	return []textEdit{{d.text.span(0, len(d.text.bytes)), string(text)}}, nil
}
