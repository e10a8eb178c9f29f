package codec

import (
	"slices"
	"strings"
)

// A Reader reads one JSON value into what the pointer points to. Method expressions such
// as (*T).DecodeJSON are Readers.
type Reader[T any] = func(*T, *Decoder)

// ReadString reads a string.
func ReadString(v *string, d *Decoder) {
	if d.peek() != '"' {
		d.mismatch("a string")
		return
	}
	at := d.pos
	*v, _ = d.str()
	d.last = at
}

// ReadBool reads true or false.
func ReadBool(v *bool, d *Decoder) {
	switch d.peek() {
	case 't':
		*v = d.literal("true")
	case 'f':
		d.literal("false")
		*v = false
	default:
		d.mismatch("true or false")
	}
}

// An Enum holds the values of an enum, which its Go type counts from 1.
type Enum struct {
	Type  string // its name, for errors
	Names []string
}

func (t *Enum) choice() string { return "one of " + strings.Join(t.Names, ", ") }

// refusal is the message for a text that is the name of no value.
func (t *Enum) refusal(name string) string {
	return quoted(name) + " is no value of " + t.Type + ": want " + t.choice()
}

// ReadEnum reads the name of an enum's value into its number.
func ReadEnum[T ~uint8 | ~uint16](v *T, d *Decoder, t *Enum) {
	if d.peek() != '"' {
		d.mismatch("a string, " + t.choice())
		return
	}
	at := d.pos
	name, ok := d.str()
	d.last = at
	if !ok {
		return
	}
	if *v = T(slices.Index(t.Names, name) + 1); *v == 0 {
		d.Fail(t.refusal(name))
	}
}

// ReadOptional reads a value, or null as nil.
func ReadOptional[T any](v **T, d *Decoder, read Reader[T]) {
	if d.null() {
		*v = nil
		return
	}
	value := new(T)
	read(value, d)
	*v = value
}

// firstElements is how many elements a list has room for at first.
const firstElements = 4

// ReadList reads a list. It is never nil after that.
func ReadList[T any](v *[]T, d *Decoder, read Reader[T]) {
	start, ok := d.open('[', "a list")
	if !ok {
		return
	}
	list := []T{}
	for d.element(len(list) == 0) {
		if cap(list) == 0 {
			list = make([]T, 0, firstElements)
		}
		list = append(list, *new(T))
		read(&list[len(list)-1], d)
	}
	d.closed(start)
	*v = slices.Clip(list)
}

// ReadMap reads an object of any keys. It is never nil after that.
func ReadMap[T any](v *map[string]T, d *Decoder, read Reader[T]) {
	start, ok := d.open('{', "an object")
	if !ok {
		return
	}
	entries, value := map[string]T{}, new(T)
	for {
		key, at, ok := d.member(len(entries) == 0)
		if !ok {
			break
		}
		if _, repeated := entries[key]; repeated {
			d.repeated(at)
			break
		}
		*value = *new(T)
		read(value, d)
		entries[key] = *value
	}
	d.closed(start)
	*v = entries
}
