package pipeline

import (
	"slices"

	"github.com/graphgen/graphgen/runtime/codec"
)

// Shown is the fields of the state that a model is shown that judges, besides what it judges. The
// zero Shown is ready.
type Shown struct {
	reads []Read
	err   error
}

// Show shows a text. A field is shown once.
func (s *Shown) Show(name, text string) {
	if !s.has(name) {
		s.reads = append(s.reads, Read{Name: name, Text: text})
	}
}

// ShowJSON shows a value.
func (s *Shown) ShowJSON(name string, v codec.Marshaler) {
	if s.has(name) {
		return
	}
	data, err := codec.Marshal(v)
	if err != nil && s.err == nil {
		s.err = err
	}
	s.reads = append(s.reads, Read{name, string(data), true})
}

func (s *Shown) has(name string) bool {
	return slices.ContainsFunc(s.reads, func(r Read) bool { return r.Name == name })
}

// write writes the fields under a heading, with a blank line behind; nothing without fields.
func (s *Shown) write(t *Text, heading string) {
	if len(s.reads) == 0 {
		return
	}
	t.String(heading)
	for _, r := range s.reads {
		t.String("\n\n# ").String(r.Name).String("\n\n").String(r.Text)
	}
	t.String("\n\n")
}
