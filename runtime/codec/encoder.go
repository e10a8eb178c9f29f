package codec

import (
	"unicode/utf8"
)

// An Encoder writes one JSON document without white space, a value at a time. The first
// thing that is wrong ends it; what is written after that is of no account.
type Encoder struct {
	buf   []byte
	base  int    // where in buf the document begins
	depth int    // how many more objects and lists may be open
	tag   string // the discriminator that the next object begins with
	label string // and its value
	wrong *Error

	object *Object  // of all structs whose members a function lists
	attach Attacher // of media; nil: the document has it whole
}

// Fail ends the writing: the value that would be written next is not what it must be.
//
//go:noinline
func (e *Encoder) Fail(message string) {
	if e.wrong == nil {
		e.wrong = &Error{Path: ahead(e.buf[e.base:]), Message: message}
	}
}

// Begin opens an object. It reports false after an error, which one is that it is nested too
// deep, as a value that contains itself is.
func (e *Encoder) Begin() bool {
	if !e.open('{') {
		return false
	}
	if e.tag != "" {
		e.text(e.tag)
		e.buf = append(e.buf, ':')
		e.text(e.label)
		e.tag = ""
	}
	return true
}

// Name writes the name of an object's member, whose value the caller then writes. The name is
// ASCII without quotes and backslashes. It is not inlined, nor is what is called as often: that
// would double what the compiler has to do for the codecs of a large graph.
//
//go:noinline
func (e *Encoder) Name(name string) *Encoder {
	if e.buf[len(e.buf)-1] == '{' {
		e.buf = append(e.buf, '"')
	} else {
		e.buf = append(e.buf, ',', '"')
	}
	e.buf = append(e.buf, name...)
	e.buf = append(e.buf, '"', ':')
	return e
}

// End closes the object.
//
//go:noinline
func (e *Encoder) End() { e.close('}') }

func (e *Encoder) open(bracket byte) bool {
	if e.depth == 0 {
		e.Fail("nested too deep")
	}
	if e.wrong != nil {
		return false
	}
	e.depth--
	e.buf = append(e.buf, bracket)
	return true
}

func (e *Encoder) close(bracket byte) {
	e.depth++
	e.buf = append(e.buf, bracket)
}

// comma writes a comma unless the last byte is the opening bracket: a value never ends with
// one.
func (e *Encoder) comma(bracket byte) {
	if e.buf[len(e.buf)-1] != bracket {
		e.buf = append(e.buf, ',')
	}
}

// text writes a string.
func (e *Encoder) text(s string) {
	e.buf = append(e.buf, '"')
	start := 0 // what is before has been written
	for n := plain(s); n < len(s); n += plain(s[n:]) {
		if c := s[n]; c < utf8.RuneSelf {
			e.buf = append(e.buf, s[start:n]...)
			e.escape(c)
			n++
			start = n
			continue
		}
		for n < len(s) && s[n] >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[n:])
			if r == utf8.RuneError && size == 1 {
				e.Fail("the text is not valid UTF-8")
				return
			}
			n += size
		}
	}
	e.buf = append(e.buf, s[start:]...)
	e.buf = append(e.buf, '"')
}

// escape writes the escape sequence of a character.
func (e *Encoder) escape(c byte) {
	if short := shorthands[c]; short != 0 {
		e.buf = append(e.buf, '\\', short)
		return
	}
	const digits = "0123456789abcdef"
	e.buf = append(e.buf, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xf])
}

// shorthands are the letters after the backslash for characters that have one.
var shorthands = [utf8.RuneSelf]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}
