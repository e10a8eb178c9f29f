package codec

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Reader reads one JSON value into what the pointer points to. Method expressions such
// as (*T).UnmarshalJSONFrom are Readers.
type Reader[T any] = func(*T, *jsontext.Decoder) error

// ReadString reads a string.
func ReadString(v *string, d *jsontext.Decoder) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	if k := t.Kind(); k != jsontext.KindString {
		return wrongKind(d, "a string", k)
	}
	*v = t.String()
	return nil
}

// ReadBool reads true or false.
func ReadBool(v *bool, d *jsontext.Decoder) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	if k := t.Kind(); k != jsontext.KindTrue && k != jsontext.KindFalse {
		return wrongKind(d, "true or false", k)
	}
	*v = t.Bool()
	return nil
}

// ReadEnum reads the name of an enum's value into its number: 1 for the first of the
// names. typ is the enum's name, for errors.
func ReadEnum[T ~uint8 | ~uint16](v *T, d *jsontext.Decoder, typ string, names ...string) error {
	if d.PeekKind() != jsontext.KindString {
		t, err := d.ReadToken()
		if err != nil {
			return err
		}
		return wrongKind(d, "a string, one of "+strings.Join(names, ", "), t.Kind())
	}
	quoted, err := d.ReadValue()
	if err != nil {
		return err
	}
	got, err := unquoted(quoted)
	if err != nil {
		return err
	}
	for i, name := range names {
		if name == string(got) {
			*v = T(i + 1)
			return nil
		}
	}
	return readError(d, quote(string(got))+" is no value of "+typ+": want one of "+strings.Join(names, ", "))
}

// unquoted returns the text of a JSON string, which shares its memory where it can.
func unquoted(quoted jsontext.Value) ([]byte, error) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1], nil
	}
	return jsontext.AppendUnquote([]byte(nil), quoted)
}

// ReadOptional reads a value, or null as nil.
func ReadOptional[T any](v **T, d *jsontext.Decoder, read Reader[T]) error {
	if d.PeekKind() == jsontext.KindNull {
		*v = nil
		_, err := d.ReadToken()
		return err
	}
	value := new(T)
	if err := read(value, d); err != nil {
		return err
	}
	*v = value
	return nil
}

// ReadList reads a list. It is never nil after that.
func ReadList[T any](v *[]T, d *jsontext.Decoder, read Reader[T]) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	if k := t.Kind(); k != jsontext.KindBeginArray {
		return wrongKind(d, "a list", k)
	}
	list := []T{}
	for d.PeekKind() != jsontext.KindEndArray {
		list = append(list, *new(T))
		if err := read(&list[len(list)-1], d); err != nil {
			return err
		}
	}
	*v = list
	_, err = d.ReadToken()
	return err
}

// ReadMap reads an object of any keys. It is never nil after that.
func ReadMap[T any](v *map[string]T, d *jsontext.Decoder, read Reader[T]) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	if k := t.Kind(); k != jsontext.KindBeginObject {
		return wrongKind(d, "an object", k)
	}
	entries, value := map[string]T{}, new(T)
	for d.PeekKind() != jsontext.KindEndObject {
		key, err := d.ReadToken()
		if err != nil {
			return err
		}
		name := key.String()
		*value = *new(T)
		if err := read(value, d); err != nil {
			return err
		}
		entries[name] = *value
	}
	*v = entries
	_, err = d.ReadToken()
	return err
}
