// Package codec is the library of generated decoders and encoders: JSON without
// reflection.
//
// # Which to call
//
// [Unmarshal] and [Marshal] convert quickly between a generated type and the bytes of a
// document. They read and write it in one pass, with the methods DecodeJSON and
// EncodeJSON. The methods MarshalJSONTo and UnmarshalJSONFrom are for encoding/json/v2
// and for streams of package jsontext; they cost a second pass over the value.
//
// # What is refused
//
// A decoder is stricter than JSON: it refuses fields its type does not have, fields
// that are missing or given twice, null where a value is required, numbers that do not
// fit or are outside of their bounds, texts and lists that are too short or too long,
// texts that do not match their pattern or format, and values an enum does not have. The
// error is an *[Error] that names the place, such as findings[3].severity. An
// encoder refuses to write what the decoder would not read.
//
// # Hostile input
//
// A document is at most [MaxSize] bytes long and [MaxDepth] objects and lists deep, or
// as [Limits] sets. Memory is proportional to the document, by at most four times the size of a
// list's element for every two bytes. Time is proportional to it too. Values
// quoted in messages are cut short.
//
// The strings of a decoded value share one copy of the document. As decoders keep all that
// they accept, little more is held than is needed.
package codec

import (
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// The default limits of documents.
const (
	MaxSize  = 64 << 20 // bytes
	MaxDepth = 500      // objects and lists in one another
)

// A Marshaler writes itself as one JSON value.
type Marshaler interface {
	EncodeJSON(*Encoder)
}

// An Unmarshaler reads itself from one JSON value.
type Unmarshaler interface {
	DecodeJSON(*Decoder)
}

// Marshal returns the JSON of v, without white space. Equal values give equal bytes. An
// error is an *[Error].
func Marshal(v Marshaler) ([]byte, error) { return Limits{}.Append(nil, v) }

// Append is Marshal onto the end of b.
func Append(b []byte, v Marshaler) ([]byte, error) { return Limits{}.Append(b, v) }

// Unmarshal reads one JSON value into v; data after it is refused. An error is an
// *[Error], and leaves v with whatever was read before it.
func Unmarshal(data []byte, v Unmarshaler) error { return Limits{}.Unmarshal(string(data), v) }

// UnmarshalString is Unmarshal of a text, which it does not copy.
func UnmarshalString(text string, v Unmarshaler) error { return Limits{}.Unmarshal(text, v) }

// Key returns the JSON of v for use as the key of a map: two values have the same key
// exactly if they encode alike.
func Key(v Marshaler) (string, error) {
	data, err := Marshal(v)
	return string(data), err
}

// Limits bound documents. What is 0 is the default.
type Limits struct {
	Size  int // in bytes
	Depth int // objects and lists in one another
}

// Unmarshal reads one JSON value of at most that size and depth into v.
func (l Limits) Unmarshal(text string, v Unmarshaler) error { return l.unmarshal(text, v, nil) }

func (l Limits) unmarshal(text string, v Unmarshaler, attached func(int) any) error {
	if len(text) > l.size() {
		return tooLong(l.size())
	}
	d := decoders.Get().(*Decoder)
	*d = Decoder{text: text, depth: l.depth(), attached: attached, free: d.free}
	v.DecodeJSON(d)
	if d.peek(); d.pos < len(text) {
		d.syntax()
	}
	err := d.err()
	*d = Decoder{free: d.free}
	d.free.release()
	decoders.Put(d)
	return err
}

// decoders is a pool of decoders that read nothing, with what reads their structs.
var decoders = sync.Pool{New: func() any { return new(Decoder) }}

// Append writes v at the end of b, if its JSON is of at most that size and depth.
func (l Limits) Append(b []byte, v Marshaler) ([]byte, error) { return l.append(b, v, nil) }

func (l Limits) append(b []byte, v Marshaler, attach Attacher) ([]byte, error) {
	const typical = 1 << 10
	if b == nil {
		b = make([]byte, 0, typical)
	}
	e := Encoder{buf: b, base: len(b), depth: l.depth(), attach: attach}
	v.EncodeJSON(&e)
	if e.wrong == nil && len(e.buf)-len(b) > l.size() {
		e.wrong = tooLong(l.size())
	}
	if e.wrong != nil {
		return nil, e.wrong
	}
	return e.buf, nil
}

func tooLong(most int) *Error {
	return &Error{Message: "the document is longer than " + printed(float64(most)) + " bytes"}
}

func (l Limits) size() int {
	if l.Size > 0 {
		return l.Size
	}
	return MaxSize
}

func (l Limits) depth() int {
	if l.Depth > 0 {
		return l.Depth
	}
	return MaxDepth
}

// MarshalTo is the method MarshalJSONTo of a generated type.
func MarshalTo(v Marshaler, to *jsontext.Encoder) error {
	data, err := Marshal(v)
	if err != nil {
		return err.(*Error).below(upcoming(to))
	}
	return to.WriteValue(data)
}

// UnmarshalFrom is the method UnmarshalJSONFrom of a generated type.
func UnmarshalFrom(v Unmarshaler, from *jsontext.Decoder) error {
	data, err := from.ReadValue()
	if err != nil {
		return err
	}
	if err := Unmarshal(data, v); err != nil {
		return err.(*Error).below(path(from, from.StackPointer()))
	}
	return nil
}

// Check reports whether v is what its decoder would read: within the bounds of its type. An
// error is an *[Error].
func Check(v Marshaler) error {
	_, err := Marshal(v)
	return err
}

// Accepting returns a function that decodes a value in JSON, and returns what writes it to v.
func Accepting[T any](v *T, read Reader[T]) func(data []byte) (func(), error) {
	return func(data []byte) (func(), error) {
		var given T
		err := Unmarshal(data, Into(&given, read))
		return func() { *v = given }, err
	}
}

// Into makes an Unmarshaler of a place that is not a generated struct or enum, such as a
// list of them or a union:
//
//	err := codec.Unmarshal(data, codec.Into(&shape, DecodeShape))
func Into[T any](v *T, read Reader[T]) Unmarshaler { return into[T]{v, read} }

type into[T any] struct {
	v    *T
	read Reader[T]
}

func (i into[T]) DecodeJSON(d *Decoder) { i.read(i.v, d) }

// Of makes a Marshaler of a value that is not a generated struct or enum.
func Of[T any](v T, write Writer[T]) Marshaler { return of[T]{v, write} }

// OfList makes a Marshaler of a list, by what writes its elements.
func OfList[T any](list []T, write Writer[T]) Marshaler {
	return Of(list, func(v []T, e *Encoder) { WriteList(v, e, write) })
}

// OfMap makes a Marshaler of a map, by what writes its values.
func OfMap[T any](entries map[string]T, write Writer[T]) Marshaler {
	return Of(entries, func(v map[string]T, e *Encoder) { WriteMap(v, e, write) })
}

type of[T any] struct {
	v     T
	write Writer[T]
}

func (o of[T]) EncodeJSON(e *Encoder) { o.write(o.v, e) }
