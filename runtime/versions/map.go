package versions

import (
	"bytes"
	"errors"
	"io"
	"slices"
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
		return "", errors.New("there is more after the JSON of a value")
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// next returns the JSON of the next state.
func (s *Step) next(state string) (string, error) {
	state, err := s.apply(s.State, state)
	if err != nil || len(s.Adds) == 0 {
		return state, err
	}
	return edited(state, func(e *jsontext.Encoder) error {
		for _, m := range s.Adds {
			if err := errors.Join(e.WriteToken(jsontext.String(m.Name)), e.WriteValue(jsontext.Value(m.JSON))); err != nil {
				return err
			}
		}
		return nil
	}, nil)
}

// edited returns the JSON of an object without the members that a function leaves out, and with those that
// another one writes after them.
func edited(object string, adds func(*jsontext.Encoder) error, leavesOut func(jsontext.Value) bool) (string, error) {
	var out bytes.Buffer
	d, e := jsontext.NewDecoder(strings.NewReader(object)), jsontext.NewEncoder(&out)
	open, err := d.ReadToken()
	if err != nil {
		return "", err
	}
	if err := e.WriteToken(open); err != nil {
		return "", err
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return "", err
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return "", err
		}
		if leavesOut != nil && leavesOut(value) {
			continue
		}
		if err := errors.Join(e.WriteToken(jsontext.String(key)), e.WriteValue(value)); err != nil {
			return "", err
		}
	}
	if adds != nil {
		if err := adds(e); err != nil {
			return "", err
		}
	}
	end, err := d.ReadToken()
	if err != nil {
		return "", err
	}
	if err := e.WriteToken(end); err != nil {
		return "", err
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// withoutNull returns the JSON of a state without the members that are null: its codec reads a value that is not set
// by its absence.
func withoutNull(state string) (string, error) {
	return edited(state, nil, func(v jsontext.Value) bool { return v.Kind() == 'n' })
}

// notes returns what a branch has written, by the names of the next version. It is a value of the field, or a list of them.
func (s *Step) notes(notes map[string]string) (map[string]string, error) {
	if len(notes) == 0 || s.State == 0 {
		return notes, nil
	}
	each := Step{Maps: append(slices.Clip(s.Maps), Map{})}
	list := len(s.Maps)
	next := make(map[string]string, len(notes))
	for name, text := range notes {
		to, m := s.Maps[s.State].field(name)
		if each.Maps[list].Elem = m; m > 0 && s.Maps[m].Elem == 0 && strings.HasPrefix(text, "[") {
			m = list
		}
		text, err := each.apply(m, text)
		if err != nil {
			return nil, err
		}
		next[to] = text
	}
	return next, nil
}

// Renamed returns the JSON of an object, or of a list of objects, with other texts instead of those that one of their
// members has.
func Renamed(text, member string, names map[string]string) (string, error) {
	var out bytes.Buffer
	d, e := jsontext.NewDecoder(strings.NewReader(text)), jsontext.NewEncoder(&out)
	for {
		token, err := d.ReadToken()
		if err == io.EOF {
			return strings.TrimSuffix(out.String(), "\n"), nil
		}
		if err != nil {
			return "", err
		}
		if isValueOf(e, member) && token.Kind() == '"' {
			if name, ok := names[token.String()]; ok {
				token = jsontext.String(name)
			}
		}
		if err := e.WriteToken(token); err != nil {
			return "", err
		}
	}
}

// isValueOf reports whether the next token is the value of a member of the object, or of an object of the list.
func isValueOf(e *jsontext.Encoder, member string) bool {
	depth := e.StackDepth()
	if depth == 0 || depth > 2 {
		return false
	}
	outer, _ := e.StackIndex(1)
	kind, n := e.StackIndex(depth)
	return (depth == 1 || outer == '[') && kind == '{' && n%2 == 1 && e.StackPointer().LastToken() == member
}

// field returns the name that a field has in the next version, and the map of its value.
func (m *Map) field(name string) (to string, index int) {
	for _, f := range m.Fields {
		if f.From == name {
			return f.To, f.Map
		}
	}
	return name, m.Elem
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
			var to string
			to, next = m.field(name.String())
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
