package chatjson

import (
	"cmp"
	"unicode/utf8"

	"github.com/graphgen/graphgen/runtime/codec"
)

// WriteText writes a member that may hold any bytes: under its name if they are UTF-8, and
// else under the other one, in base64.
func WriteText(name, base64, v string, e *codec.Encoder) {
	if utf8.ValidString(v) {
		WriteString(name, v, e)
		return
	}
	e.Name(base64)
	codec.WriteBytes([]byte(v), e)
}

// ReadBase64 reads what WriteText has written in base64.
func ReadBase64(v *string, d *codec.Decoder) {
	var data []byte
	codec.ReadBytes(&data, d)
	*v = string(data)
}

// TextMember lists a text that is left out where it is empty, in the members of WriteText.
func TextMember(o *codec.Object, name string, v *string) {
	text, raw := *v, ""
	if !utf8.ValidString(text) {
		text, raw = "", text
	}
	codec.SparseMember(o, name, &text, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, name+"_base64", &raw, ReadBase64, func(v string, e *codec.Encoder) { codec.WriteBytes([]byte(v), e) })
	if read := cmp.Or(raw, text); read != *v {
		*v = read
	}
}

// WriteString writes a member, unless it is empty.
func WriteString(name, v string, e *codec.Encoder) {
	if v != "" {
		e.Name(name)
		codec.WriteString(v, e)
	}
}

// WriteBool writes a member, unless it is false.
func WriteBool(name string, v bool, e *codec.Encoder) {
	if v {
		e.Name(name)
		codec.WriteBool(v, e)
	}
}

// WriteInt writes a member, unless it is 0.
func WriteInt(name string, v int, e *codec.Encoder) {
	if v != 0 {
		e.Name(name)
		codec.WriteInt(v, e)
	}
}

// WriteList writes a member, unless it is empty.
func WriteList[T any](name string, v []T, e *codec.Encoder, write codec.Writer[T]) {
	if len(v) > 0 {
		e.Name(name)
		codec.WriteList(v, e, write)
	}
}
