package versions

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Map is how the JSON of a value changes from one version to the next, where names have changed. Maps refer to
// others by their index, 0 for a value that stays as it is: types may hold themselves.
type Map struct {
	Elem     int       // of the elements of a list or a map
	Fields   []Field   // of a struct, those that change
	Values   []Rename  // of an enum, those that change
	Label    string    // of a union: the member that holds the label
	Variants []Variant // of a union, those that change
}

// A Field is how a member of an object changes.
type Field struct {
	From, To string
	Map      int
}

// A Variant is how the fields of a variant change.
type Variant struct {
	Label string
	Map   int
}

// apply returns the JSON of the next version.
func (s *Step) apply(index int, text string) (string, error) {
	if index == 0 {
		return text, nil
	}
	var out bytes.Buffer
	d, e := jsontext.NewDecoder(strings.NewReader(text)), jsontext.NewEncoder(&out)
	if err := s.value(index, d, e); err != nil {
		return "", err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return "", errors.New("there is more behind the JSON of a value")
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// value writes the next value of the decoder as it is in the next version.
func (s *Step) value(index int, d *jsontext.Decoder, e *jsontext.Encoder) error {
	m := &s.Maps[index]
	switch kind := d.PeekKind(); {
	case index == 0:
	case kind == '{' && m.Label != "":
		return s.union(m, d, e)
	case kind == '{', kind == '[':
		return s.items(m, d, e)
	case kind == '"':
		return rename(m, d, e)
	}
	v, err := d.ReadValue()
	if err != nil {
		return err
	}
	return e.WriteValue(v)
}

// items writes an object or a list.
func (s *Step) items(m *Map, d *jsontext.Decoder, e *jsontext.Encoder) error {
	open, err := d.ReadToken()
	if err != nil {
		return err
	}
	object := open.Kind() == '{'
	if err := e.WriteToken(open); err != nil {
		return err
	}
	for kind := d.PeekKind(); kind != '}' && kind != ']'; kind = d.PeekKind() {
		next := m.Elem
		if object {
			name, err := d.ReadToken()
			if err != nil {
				return err
			}
			to := name.String()
			for _, f := range m.Fields {
				if f.From == to {
					to, next = f.To, f.Map
					break
				}
			}
			if err := e.WriteToken(jsontext.String(to)); err != nil {
				return err
			}
		}
		if err := s.value(next, d, e); err != nil {
			return err
		}
	}
	end, err := d.ReadToken()
	if err != nil {
		return err
	}
	return e.WriteToken(end)
}

// rename writes the value of an enum.
func rename(m *Map, d *jsontext.Decoder, e *jsontext.Encoder) error {
	text, err := d.ReadToken()
	if err != nil {
		return err
	}
	value := text.String()
	for _, v := range m.Values {
		if v.From == value {
			value = v.To
			break
		}
	}
	return e.WriteToken(jsontext.String(value))
}

// union writes an object, whose label may be anywhere in it.
func (s *Step) union(m *Map, d *jsontext.Decoder, e *jsontext.Encoder) error {
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	value = value.Clone()
	label, err := member(value, m.Label)
	if err != nil {
		return err
	}
	for _, v := range m.Variants {
		if v.Label == label {
			return s.value(v.Map, jsontext.NewDecoder(bytes.NewReader(value)), e)
		}
	}
	return e.WriteValue(value)
}

// member returns the text of a member of an object, empty where it has none.
func member(object jsontext.Value, name string) (string, error) {
	d := jsontext.NewDecoder(bytes.NewReader(object))
	if _, err := d.ReadToken(); err != nil {
		return "", err
	}
	for d.PeekKind() != '}' {
		key, err := d.ReadToken()
		if err != nil {
			return "", err
		}
		if key.String() == name && d.PeekKind() == '"' {
			text, err := d.ReadToken()
			return text.String(), err
		}
		if err := d.SkipValue(); err != nil {
			return "", err
		}
	}
	return "", nil
}
