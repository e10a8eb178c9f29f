package schema

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/graphgen/graphgen/spec/resolve"
)

// A writer writes indented JSON: an object or array that fits is on one line. Keys and items write the commas.
type writer struct {
	b      bytes.Buffer
	opened []int // the offsets of the objects and arrays around what is written next
	more   bool  // the innermost one is not empty

	root    *resolve.Type
	partial bool                     // no member of the root need be there
	gap     int                      // offset of the end of the root's properties
	defs    []*resolve.Type          // in the order of reference
	names   map[*resolve.Type]string // their names under $defs
}

func (w *writer) open(bracket byte) {
	w.opened = append(w.opened, w.b.Len())
	w.b.WriteByte(bracket)
	w.more = false
}

func (w *writer) close(bracket byte) {
	start := w.opened[len(w.opened)-1]
	w.opened = w.opened[:len(w.opened)-1]
	if w.more {
		w.line()
	}
	w.b.WriteByte(bracket)
	w.more = true
	if w.gap <= start {
		w.fit(start)
	}
}

func (w *writer) line() {
	w.b.WriteByte('\n')
	w.b.WriteString(strings.Repeat("  ", len(w.opened)))
}

// width is how long a line may be that holds an object or array of several members.
const width = 140

// fit puts what has been written since start on one line, if it fits there.
func (w *writer) fit(start int) {
	text := w.b.Bytes()
	if len(text)-start > 8*width { // not even without its spaces
		return
	}
	var one []byte
	for line := range bytes.Lines(text[start:]) {
		if bytes.HasSuffix(one, []byte(",")) {
			one = append(one, ' ')
		}
		one = append(one, bytes.Trim(line, " \n")...)
	}
	if start-bytes.LastIndexByte(text[:start], '\n')+len(one) <= width {
		w.b.Truncate(start)
		w.b.Write(one)
	}
}

// fill puts the short members of the whole on lines together, as far as they fit: those before the properties, and those after.
func (w *writer) fill() {
	text := w.b.Bytes()
	head, tail := filled(text[:w.gap]), filled(text[w.gap:])
	w.gap = len(head)
	w.b.Reset()
	w.b.Write(head)
	w.b.Write(tail)
}

// filled returns a part of the whole with its short members on lines together.
func filled(text []byte) (out []byte) {
	for line := range bytes.Lines(text) {
		before := out[bytes.LastIndexByte(bytes.TrimSuffix(out, []byte("\n")), '\n')+1:]
		if short(line) && short(before) && len(before)+len(line) <= width && bytes.HasSuffix(before, []byte(",\n")) {
			out = append(out[:len(out)-1], ' ')
			line = bytes.TrimLeft(line, " ")
		}
		out = append(out, line...)
	}
	return out
}

// short reports whether a line is a member of the whole.
func short(line []byte) bool {
	return bytes.HasPrefix(line, []byte(`  "`)) && !bytes.HasSuffix(line, []byte("{\n")) && !bytes.HasSuffix(line, []byte("[\n"))
}

// fold puts the properties on one line, if there is one alone and it fits there.
func (w *writer) fold() {
	head, rest, _ := strings.Cut(w.b.String(), "  \"properties\": {\n")
	property, tail, found := strings.Cut(rest, "\n  }")
	one := "  \"properties\": {" + strings.TrimLeft(property, " ") + "}"
	if found && !strings.Contains(property, "\n") && len(one) < width {
		w.b.Reset()
		w.b.WriteString(head + one + tail)
	}
}

// item begins an element of an array.
func (w *writer) item() *writer {
	if w.more {
		w.b.WriteByte(',')
	}
	w.more = true
	w.line()
	return w
}

// key begins a member of an object.
func (w *writer) key(name string) *writer {
	w.item().string(name)
	w.b.WriteString(": ")
	return w
}

func (w *writer) raw(json string) { w.b.WriteString(json) }

// strings writes an array of strings on one line.
func (w *writer) strings(list []string) {
	w.b.WriteByte('[')
	for i, s := range list {
		if i > 0 {
			w.b.WriteString(", ")
		}
		w.string(s)
	}
	w.b.WriteByte(']')
}

// escapes are the characters with a short form in JSON.
var escapes = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

// string writes a string. Invisible characters and the backtick are written by number.
func (w *writer) string(s string) {
	w.b.WriteByte('"')
	for _, r := range s {
		short, ok := escapes[r]
		switch {
		case ok:
			w.b.WriteString(short)
		case r == '`' || !unicode.IsPrint(r):
			w.escape(r)
		default:
			w.b.WriteRune(r)
		}
	}
	w.b.WriteByte('"')
}

func (w *writer) escape(r rune) {
	const hex = "0123456789abcdef"
	units := []rune{r}
	if r > 0xffff {
		r -= 0x10000
		units = []rune{0xd800 + r>>10, 0xdc00 + r&0x3ff}
	}
	for _, u := range units {
		w.b.WriteString(`\u`)
		for shift := 12; shift >= 0; shift -= 4 {
			w.b.WriteByte(hex[u>>shift&0xf])
		}
	}
}
