package codec

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// ReadAny reads any JSON value and keeps it as it is written. T is jsontext.Value or
// json.RawMessage.
func ReadAny[T ~[]byte](v *T, d *Decoder) {
	d.peek()
	start := d.pos
	if d.skip(); d.wrong == nil {
		*v = T(d.text[start:d.pos])
	}
}

// WriteAny writes any JSON value, without its white space. One that is not JSON, has a member
// twice or is not set is an error.
func WriteAny[T ~[]byte](v T, e *Encoder) { writeAny(jsontext.Value(v), e) }

func writeAny(v jsontext.Value, e *Encoder) {
	if len(v) == 0 {
		e.Fail("the value is not set")
		return
	}
	d := Decoder{text: string(v), depth: e.depth}
	d.skip()
	if d.peek(); d.pos < len(d.text) {
		d.syntax()
	}
	if d.wrong != nil {
		e.refuse(d.err())
		return
	}
	if bytes.ContainsAny(v, " \t\r\n") {
		v = v.Clone()
		if err := v.Compact(); err != nil {
			e.refuse(err)
			return
		}
	}
	e.buf = append(e.buf, v...)
}

// refuse ends the writing because of an error of the value that would be written next.
func (e *Encoder) refuse(err error) {
	if e.wrong == nil {
		e.wrong = wrapped(err).below(ahead(e.buf[e.base:]))
	}
}

// ReadFrom reads a type that has its own codec.
func ReadFrom[T any, P interface {
	*T
	UnmarshalJSONFrom(*jsontext.Decoder) error
}](v P, d *Decoder) {
	d.peek()
	start := d.pos
	if d.skip(); d.wrong != nil {
		return
	}
	from := jsontext.NewDecoder(bytes.NewBufferString(d.text[start:d.pos]))
	err := v.UnmarshalJSONFrom(from)
	if err == nil && from.InputOffset() < int64(d.pos-start) {
		err = &Error{Message: "its codec does not read the whole value"}
	}
	if err != nil {
		e := wrapped(err)
		d.stop(problem{at: start, message: e.Message, below: e.Path, syntax: e.Syntax, offset: start + e.Offset, err: e.Err})
	}
}

// WriteTo writes a type that has its own codec.
func WriteTo[T any, P interface {
	*T
	MarshalJSONTo(*jsontext.Encoder) error
}](v T, e *Encoder) {
	var b bytes.Buffer
	if err := P(&v).MarshalJSONTo(jsontext.NewEncoder(&b)); err != nil {
		e.refuse(err)
		return
	}
	writeAny(bytes.TrimSuffix(b.Bytes(), []byte("\n")), e)
}

// IsZero reports whether a value of a type with its own codec has an IsZero method that returns true.
func IsZero(v any) bool {
	z, ok := v.(interface{ IsZero() bool })
	return ok && z.IsZero()
}
