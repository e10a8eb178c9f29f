package codec

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// An Error says what is wrong with a document, or with a value that is to be encoded,
// and where.
type Error struct {
	Path    string // such as findings[3].severity; empty for the document itself
	Message string
	Err     error // the error of package jsontext behind it, if any
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}

// Unwrap returns the error of package jsontext behind it.
func (e *Error) Unwrap() error { return e.Err }

// quoteMax is how many bytes of a value from outside an error repeats.
const quoteMax = 60

// quote returns a value from outside as an error shows it.
func quote(s string) string {
	if len(s) <= quoteMax {
		return strconv.Quote(s)
	}
	s = s[:quoteMax]
	for !utf8.ValidString(s) && len(s) > quoteMax-utf8.UTFMax {
		s = s[:len(s)-1]
	}
	return strconv.Quote(s) + "…"
}

// A stack is where a decoder or encoder stands.
type stack interface {
	StackDepth() int
	StackIndex(int) (jsontext.Kind, int64)
	StackPointer() jsontext.Pointer
}

// readError is an error about the value that was read last.
func readError(d *jsontext.Decoder, message string) error {
	return &Error{Path: path(d, d.StackPointer()), Message: message}
}

// writeError is an error about the value that is to be written next.
func writeError(e *jsontext.Encoder, message string) error {
	p := e.StackPointer()
	if kind, n := e.StackIndex(e.StackDepth()); kind == jsontext.KindBeginArray {
		if n > 0 { // the pointer is to the element before
			p = p.Parent()
		}
		p = p.AppendToken(strconv.FormatInt(n, 10))
	}
	return &Error{Path: path(e, p), Message: message}
}

// located turns an error of package jsontext into one of this package.
func located(err error, s stack) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF):
		return &Error{Message: "the document is empty", Err: err}
	case !errors.As(err, &syntax):
		return err
	case errors.Is(err, jsontext.ErrDuplicateName):
		where := syntax.JSONPointer
		message := "duplicate key " + quote(where.LastToken())
		return &Error{Path: path(s, where.Parent()), Message: message, Err: err}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Path: path(s, syntax.JSONPointer), Message: "the document is cut short", Err: err}
	}
	message := "no valid JSON: " + strings.TrimPrefix(syntax.Err.Error(), "jsontext: ")
	message += ", at byte " + strconv.FormatInt(syntax.ByteOffset, 10)
	return &Error{Path: path(s, syntax.JSONPointer), Message: message, Err: err}
}

// path writes a JSON pointer as Go would: the stack tells which of its parts are
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
	if token == "" || len(token) > quoteMax || strings.ContainsFunc(token, func(r rune) bool { return !plain(r) }) {
		b.WriteByte('[')
		b.WriteString(quote(token))
		b.WriteByte(']')
		return
	}
	if b.Len() > 0 {
		b.WriteByte('.')
	}
	b.WriteString(token)
}

// kinds are the words for what a token is.
var kinds = map[jsontext.Kind]string{
	jsontext.KindNull: "null", jsontext.KindTrue: "true", jsontext.KindFalse: "false",
	jsontext.KindString: "a string", jsontext.KindNumber: "a number",
	jsontext.KindBeginObject: "an object", jsontext.KindBeginArray: "a list",
}

func wrongKind(d *jsontext.Decoder, want string, found jsontext.Kind) error {
	return readError(d, "expected "+want+", found "+kinds[found])
}
