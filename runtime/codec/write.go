package codec

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// A Writer writes a value as one JSON value. Method expressions such as T.MarshalJSONTo
// are Writers.
type Writer[T any] = func(T, *jsontext.Encoder) error

// WriteString writes a string, which must be UTF-8.
func WriteString(v string, e *jsontext.Encoder) error { return e.WriteToken(jsontext.String(v)) }

// WriteBool writes true or false.
func WriteBool(v bool, e *jsontext.Encoder) error { return e.WriteToken(jsontext.Bool(v)) }

// WriteEnum writes an enum's value by its name. A name that is empty is an error: the
// value is not set. typ is the enum's name.
func WriteEnum(name string, e *jsontext.Encoder, typ string) error {
	if name == "" {
		return writeError(e, typ+" is not set")
	}
	return e.WriteToken(jsontext.String(name))
}

// WriteOptional writes the value, or nil as null.
func WriteOptional[T any](v *T, e *jsontext.Encoder, write Writer[T]) error {
	if v == nil {
		return e.WriteToken(jsontext.Null)
	}
	return write(*v, e)
}

// WriteList writes a list; nil is an empty one.
func WriteList[T any](v []T, e *jsontext.Encoder, write Writer[T]) error {
	if err := e.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for i := range v {
		if err := write(v[i], e); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndArray)
}

// WriteMap writes a map as an object, its keys in order; nil is an empty one.
func WriteMap[T any](v map[string]T, e *jsontext.Encoder, write Writer[T]) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	keys := slices.AppendSeq(make([]string, 0, len(v)), maps.Keys(v))
	slices.Sort(keys)
	for _, key := range keys {
		if err := e.WriteToken(jsontext.String(key)); err != nil {
			return err
		}
		if err := write(v[key], e); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndObject)
}
