package codec

import (
	"maps"
	"slices"
)

// A Writer writes a value as one JSON value. Method expressions such as T.EncodeJSON
// are Writers.
type Writer[T any] = func(T, *Encoder)

// WriteString writes a string, which must be UTF-8.
func WriteString(v string, e *Encoder) { e.text(v) }

// WriteBool writes true or false.
func WriteBool(v bool, e *Encoder) {
	if v {
		e.buf = append(e.buf, "true"...)
	} else {
		e.buf = append(e.buf, "false"...)
	}
}

// WriteEnum writes an enum's value by its name. One that is not set is an error.
func WriteEnum[T ~uint8 | ~uint16](v T, e *Encoder, t *Enum) {
	if v == 0 || int(v) > len(t.Names) {
		e.Fail(t.Type + " is not set")
		return
	}
	e.text(t.Names[v-1])
}

// WriteOptional writes the value, or nil as null.
func WriteOptional[T any](v *T, e *Encoder, write Writer[T]) {
	if v == nil {
		e.null()
		return
	}
	write(*v, e)
}

func (e *Encoder) null() { e.buf = append(e.buf, "null"...) }

// WriteList writes a list; nil is an empty one.
func WriteList[T any](v []T, e *Encoder, write Writer[T]) {
	if !e.open('[') {
		return
	}
	for i := range v {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		if write(v[i], e); e.wrong != nil {
			return
		}
	}
	e.close(']')
}

// WriteMap writes a map as an object, its keys in order; nil is an empty one.
func WriteMap[T any](v map[string]T, e *Encoder, write Writer[T]) {
	if !e.open('{') {
		return
	}
	keys := slices.AppendSeq(make([]string, 0, len(v)), maps.Keys(v))
	slices.Sort(keys)
	for _, key := range keys {
		e.comma('{')
		e.text(key)
		e.buf = append(e.buf, ':')
		if write(v[key], e); e.wrong != nil {
			return
		}
	}
	e.close('}')
}
