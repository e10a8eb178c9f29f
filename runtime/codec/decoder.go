package codec

import (
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A Decoder reads one JSON document, a value at a time and always the next one. The
// first thing that is wrong ends it: nothing is read after that, so readers need not ask
// whether those before them failed.
//
// It accepts what package jsontext accepts, and refuses what that refuses: text that is
// not JSON as of RFC 8259, bytes that are not UTF-8, halves of surrogate pairs, members
// of an object given twice.
type Decoder struct {
	text  string // the document
	pos   int    // what is before has been read; the end of the text after an error
	last  int    // where the value that was read last begins
	depth int    // how many more objects and lists may be open
	tag   string // the discriminator of the next object, which is of a union
	wrong *problem

	ahead bool        // a label is looked for: what is skipped will be read again
	ends  map[int]int // where large values end that have been skipped, by where they begin

	free     *Object              // what reads structs, and is not in use
	attached func(number int) any // what the document has numbers instead of; nil: nothing
}

// A problem is what ended a decoder. Where it is gets a name only when it is reported.
type problem struct {
	at      int
	message string // empty: the text is not JSON
	below   string // the path from the value at that byte to what it concerns
	syntax  bool   // and offset, err: of the Error
	offset  int
	err     error
}

func (d *Decoder) stop(p problem) {
	if d.wrong == nil {
		d.wrong = &p
	}
	d.pos = len(d.text)
}

// fail ends the reading: the value that begins at that byte is not what it must be.
func (d *Decoder) fail(at int, message string) { d.stop(problem{at: at, message: message}) }

// syntax stops the decoder at the current position: the text is not JSON.
func (d *Decoder) syntax() { d.stop(problem{at: d.pos}) }

// Fail refuses the value that was read last.
func (d *Decoder) Fail(message string) { d.fail(d.last, message) }

// peek returns the first byte of the next token, 0 at the end of the text.
func (d *Decoder) peek() byte {
	for d.pos < len(d.text) {
		c := d.text[d.pos]
		if c > ' ' || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
		d.pos++
	}
	return 0
}

// open reads the bracket that opens an object or a list, and returns its position.
func (d *Decoder) open(bracket byte, want string) (start int, ok bool) {
	if d.peek() != bracket {
		d.mismatch(want)
		return 0, false
	}
	if d.depth == 0 {
		d.fail(d.pos, "nested too deep")
		return 0, false
	}
	d.depth--
	start = d.pos
	d.pos++
	return start, true
}

// closed notes that the value that begins there has been read.
func (d *Decoder) closed(start int) {
	d.depth++
	d.last = start
}

// element reports whether another element of a list follows, and reads what separates it
// from the one before, or the end of the list.
func (d *Decoder) element(first bool) bool {
	switch c := d.peek(); {
	case c == ']':
		d.pos++
		return false
	case c != 0 && first:
		return true
	case c == ',' && !first:
		d.pos++
		return true
	}
	d.syntax()
	return false
}

// member reads the name of the next member of an object and the colon after it, or the
// end of the object. at is the position of the name in the text.
func (d *Decoder) member(first bool) (name string, at int, ok bool) {
	if !d.beforeName(first) {
		return "", 0, false
	}
	at = d.pos
	name, ok = d.str()
	return name, at, ok && d.colon()
}

// beforeName moves to the quote in front of the next name, or past the object's end.
func (d *Decoder) beforeName(first bool) bool {
	c := d.peek()
	if c == '}' {
		d.pos++
		return false
	}
	if !first {
		if c != ',' {
			d.syntax()
			return false
		}
		d.pos++
		c = d.peek()
	}
	if c != '"' {
		d.syntax()
		return false
	}
	return true
}

func (d *Decoder) colon() bool {
	if d.peek() != ':' {
		d.syntax()
		return false
	}
	d.pos++
	return true
}

// literal reads null, true or false.
func (d *Decoder) literal(word string) bool {
	if !strings.HasPrefix(d.text[d.pos:], word) {
		d.syntax()
		return false
	}
	d.last = d.pos
	d.pos += len(word)
	return true
}

// null reads null, if it is next.
func (d *Decoder) null() bool { return d.peek() == 'n' && d.literal("null") }

// The bytes of a word that are found by arithmetic on all eight together.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain returns the number of bytes at the start of s that a JSON string holds unescaped: ASCII
// except the quote, the backslash and control characters.
func plain(s string) int {
	n := 0
	for ; n+8 <= len(s); n += 8 {
		b := s[n : n+8]
		w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		quotes, slashes := w^ones*'"', w^ones*'\\'
		// A borrow runs upwards only from a byte that is found, so the lowest one is exact.
		if found := (w | (w - ones*' ') | (quotes - ones) | (slashes - ones)) & highs; found != 0 {
			return n + bits.TrailingZeros64(found)/8
		}
	}
	for n < len(s) && s[n] >= ' ' && s[n] != '"' && s[n] != '\\' && s[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// str reads a string; the decoder is at its opening quote. The result shares the
// document's memory unless the string has escapes.
func (d *Decoder) str() (string, bool) {
	start := d.pos + 1
	n := start + plain(d.text[start:])
	if n < len(d.text) && d.text[n] == '"' {
		d.pos = n + 1
		return d.text[start:n], true
	}
	return d.strSlowly(start, n)
}

// strSlowly reads a string of whose text the bytes from start to n are plain.
func (d *Decoder) strSlowly(start, n int) (string, bool) {
	var out strings.Builder // what is before start, without escapes
	for n < len(d.text) {
		switch c := d.text[n]; {
		case c == '"':
			d.pos = n + 1
			if out.Len() == 0 {
				return d.text[start:n], true
			}
			out.WriteString(d.text[start:n])
			return out.String(), true
		case c == '\\':
			r, size := escaped(d.text[n:])
			if size == 0 {
				d.syntax()
				return "", false
			}
			if out.Len() == 0 {
				out.Grow(n - start + utf8.UTFMax + max(strings.IndexByte(d.text[n+size:], '"'), 0))
			}
			out.WriteString(d.text[start:n])
			out.WriteRune(r)
			n += size
			start = n
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(d.text[n:])
			if r == utf8.RuneError && size == 1 {
				d.syntax()
				return "", false
			}
			n += size
			continue // the next is rarely ASCII
		case c < ' ':
			d.syntax()
			return "", false
		}
		n += plain(d.text[n:])
	}
	d.syntax()
	return "", false
}

// escapes maps the letter of an escape sequence to its character.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escaped returns the character of the escape sequence at the start of s, and the
// sequence's length: 0 if it is not one.
func escaped(s string) (r rune, size int) {
	if len(s) < 2 {
		return 0, 0
	}
	if s[1] != 'u' {
		if c := escapes[s[1]]; c != 0 {
			return rune(c), 2
		}
		return 0, 0
	}
	r = hex(s)
	switch {
	case r < 0:
		return 0, 0
	case !utf16.IsSurrogate(r):
		return r, 6
	}
	low := hex(s[6:])
	if low < 0 {
		return 0, 0
	}
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

// hex returns the number of an escape sequence of four digits, -1 if it is not one.
func hex(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range []byte(s[2:6]) {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// skip reads any value, and holds it to be JSON.
func (d *Decoder) skip() {
	switch c := d.peek(); c {
	case '{', '[':
		d.skipNested(c)
	case '"':
		start := d.pos
		d.str()
		d.last = start
	case 'n':
		d.literal("null")
	case 't':
		d.literal("true")
	case 'f':
		d.literal("false")
	default:
		d.number()
	}
}

// large is how many bytes a value has whose end is worth being remembered.
const large = 256

// skipNested skips an object or a list. In unions within unions, every level scans the members
// before the label of the outermost one. The decoder remembers the ends of large values, so that
// the cost is not the size of the document times its depth.
func (d *Decoder) skipNested(bracket byte) {
	start := d.pos
	if end, known := d.ends[start]; known {
		d.last, d.pos = start, end
		return
	}
	if bracket == '{' {
		d.skipObject()
	} else if _, ok := d.open('[', ""); ok {
		for first := true; d.element(first); first = false {
			d.skip()
		}
		d.closed(start)
	}
	if d.ahead && d.wrong == nil && d.pos-start >= large {
		if d.ends == nil {
			d.ends = map[int]int{}
		}
		d.ends[start] = d.pos
	}
}

// fewNames is how many names of an object are compared one by one.
const fewNames = 16

func (d *Decoder) skipObject() {
	start, ok := d.open('{', "")
	if !ok {
		return
	}
	var few [fewNames]string
	names := few[:0]
	var many map[string]bool
	for first := true; ; first = false {
		name, at, ok := d.member(first)
		if !ok {
			break
		}
		repeated := many[name]
		if many == nil {
			for _, n := range names {
				repeated = repeated || n == name
			}
			names = append(names, name)
			if len(names) == fewNames {
				many = make(map[string]bool, 2*fewNames)
				for _, n := range names {
					many[n] = true
				}
			}
		} else {
			many[name] = true
		}
		if repeated {
			d.repeated(at)
			break
		}
		d.skip()
	}
	d.closed(start)
}

// kindOf returns the word for what a value is, by the byte it begins with. It is empty for no value.
func kindOf(c byte) string {
	switch c {
	case 'n':
		return "null"
	case 't':
		return "true"
	case 'f':
		return "false"
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	if isNumber(c) {
		return "a number"
	}
	return ""
}

// mismatch refuses the next value, which is of another kind than wanted.
func (d *Decoder) mismatch(want string) {
	c := d.peek()
	at := d.pos
	if c != '{' && c != '[' {
		d.skip() // it may be no JSON at all
	}
	d.fail(at, "expected "+want+", found "+kindOf(c))
}

// err returns what ended the decoder, as an *Error.
func (d *Decoder) err() error {
	p := d.wrong
	if p == nil {
		return nil
	}
	before := strings.TrimRight(d.text[:p.at], " \n\t\r")
	open := containers(before)
	e := &Error{Path: p.below, Message: p.message, Syntax: p.syntax, Offset: p.offset, Err: p.err}
	if p.message == "" {
		e = d.mistake(before, open)
	}
	if n := len(open); n > 0 && !strings.HasSuffix(before, ":") { // it concerns the object, or the list
		open[n-1].named = false
	}
	return e.below(pathOf(open))
}
