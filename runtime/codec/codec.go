// Package codec is what generated decoders and encoders are made of: JSON without
// reflection, on package jsontext.
//
// A decoder is stricter than JSON: it refuses fields its type does not have, fields
// that are missing or given twice, null where a value is required, numbers outside of
// their bounds, and values an enum does not have. What is wrong is told as an *[Error]
// that names the place, such as findings[3].severity. An encoder refuses to write what
// the decoder would not read.
//
// Hostile input: the types of the program bound how deep a decoder recurses, for it
// never descends into a value whose field it does not know; package jsontext bounds
// nesting to 10,000. Memory is proportional to the document, by at most the size of a
// list's element for every two bytes; whoever reads a document from outside bounds its
// size before it is decoded. Values quoted in messages are cut short.
package codec

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// A Marshaler writes itself as one JSON value. It is the MarshalerTo of encoding/json/v2.
type Marshaler interface {
	MarshalJSONTo(*jsontext.Encoder) error
}

// An Unmarshaler reads itself from one JSON value. It is the UnmarshalerFrom of
// encoding/json/v2.
type Unmarshaler interface {
	UnmarshalJSONFrom(*jsontext.Decoder) error
}

// Marshal returns the JSON of v, without white space. Equal values give equal bytes. An
// error is an *[Error].
func Marshal(v Marshaler) ([]byte, error) {
	var out bytes.Buffer
	e := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true)) // there are none: no need to look
	if err := v.MarshalJSONTo(e); err != nil {
		return nil, located(err, e)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// Unmarshal reads one JSON value into v; data behind it is refused. An error is an
// *[Error], and leaves v with whatever was read before it.
func Unmarshal(data []byte, v Unmarshaler) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(data))
	if err := v.UnmarshalJSONFrom(d); err != nil {
		return located(err, d)
	}
	switch _, err := d.ReadToken(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return located(err, d)
	}
	return &Error{Message: "data behind the end of the document"}
}

// Key returns the JSON of v for use as the key of a map: two values have the same key
// exactly if they encode alike.
func Key(v Marshaler) (string, error) {
	data, err := Marshal(v)
	return string(data), err
}
