package codec

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/graphgen/graphgen/internal/quote"
)

// An Error reports that a document cannot be read into a type, or that a value cannot be encoded: it does not fit the type, or breaks a bound.
// Mend the value at Path; a model that wrote the document can be sent the text. With Syntax, the document is not JSON at all.
type Error struct {
	Path    string // such as findings[3].severity; empty for the document itself
	Message string
	Syntax  bool  // the text is not JSON, or has a member twice
	Offset  int   // with Syntax: of the first byte that is wrong; the length of a text that is cut short
	Err     error // of a type with its own codec; nil: none
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// below returns the error with the path of what it is about in front.
func (e *Error) below(where string) *Error {
	inner := *e
	switch {
	case where == "" || inner.Path == "":
		inner.Path = where + inner.Path
	case inner.Path[0] == '[':
		inner.Path = where + inner.Path
	default:
		inner.Path = where + "." + inner.Path
	}
	return &inner
}

// wrapped makes an Error of what a type with its own codec returned.
func wrapped(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Message: err.Error(), Err: err}
}

// quoteMax is how many bytes of a value from outside an error repeats.
const quoteMax = 60

// quoted returns a value from outside as an error shows it.
func quoted(s string) string {
	if len(s) <= quoteMax {
		return quote.Text(s)
	}
	s = s[:quoteMax]
	for !utf8.ValidString(s) && len(s) > quoteMax-utf8.UTFMax {
		s = s[:len(s)-1]
	}
	return quote.Text(s) + "…"
}

// A stack is the position of a decoder or encoder of package jsontext.
type stack interface {
	StackDepth() int
	StackIndex(int) (jsontext.Kind, int64)
	StackPointer() jsontext.Pointer
}

// A container is an object or a list that is open where an encoder writes.
type container struct {
	list  bool
	index int    // of the element of a list
	named bool   // the object has a member
	name  string // of the last one
	fresh bool   // the name of another one is next
}

// ahead returns the path of the value that follows what has been written.
func ahead(written []byte) string { return pathOf(containers(string(written))) }

// containers lists what is open after a text that JSON may begin with. A decoder of package jsontext could do
// that, but is large.
func containers(text string) (open []container) {
	d := Decoder{text: text}
	for d.pos < len(d.text) {
		switch d.text[d.pos] {
		case '{':
			open = append(open, container{fresh: true})
		case '[':
			open = append(open, container{list: true})
		case '}', ']':
			open = open[:len(open)-1]
		case ',':
			l := &open[len(open)-1]
			l.index++
			l.fresh = !l.list
		case '"':
			if s, ok := d.str(); ok && d.peek() == ':' {
				l := &open[len(open)-1]
				l.named, l.name, l.fresh = true, s, false
			}
			continue
		}
		d.pos++
	}
	return open
}

// pathOf returns the path of the value that follows in the innermost container.
func pathOf(open []container) string {
	var b strings.Builder
	for _, l := range open {
		switch {
		case l.list:
			b.WriteString("[" + strconv.Itoa(l.index) + "]")
		case l.named:
			name(&b, l.name)
		}
	}
	return b.String()
}

// upcoming returns the path of the next value.
func upcoming(s stack) string {
	p := s.StackPointer()
	if kind, n := s.StackIndex(s.StackDepth()); kind == jsontext.KindBeginArray {
		if n > 0 { // the pointer is to the element before
			p = p.Parent()
		}
		p = p.AppendToken(strconv.FormatInt(n, 10))
	}
	return path(s, p)
}

// path writes a JSON pointer in Go's notation. The stack determines which of its parts are
// indices.
func path(s stack, p jsontext.Pointer) string {
	var b strings.Builder
	level := 0
	for token := range p.Tokens() {
		level++
		if level <= s.StackDepth() {
			if kind, _ := s.StackIndex(level); kind == jsontext.KindBeginArray {
				b.WriteString("[" + token + "]")
				continue
			}
		}
		name(&b, token)
	}
	return b.String()
}

// name adds the name of a field, or a key of a map, to a path.
func name(b *strings.Builder, token string) {
	plain := func(r rune) bool {
		return r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	text := "." + token
	switch {
	case token == "" || len(token) > quoteMax || strings.ContainsFunc(token, func(r rune) bool { return !plain(r) }):
		text = "[" + quoted(token) + "]"
	case b.Len() == 0:
		text = token
	}
	b.WriteString(text)
}
