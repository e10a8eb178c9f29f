package exchange_test

import (
	"fmt"
	"testing"

	"github.com/graphgen/graphgen/internal/exchange"
	"github.com/graphgen/graphgen/runtime/codec"
)

type state struct {
	name  string
	notes []string
}

// ShownCells lists the fields, as generated code does.
func (s *state) ShownCells(c *codec.Cells) {
	codec.Cell(c, "name", &s.name, codec.ReadString, codec.WriteString)
	codec.Tail(c, "notes", &s.notes, codec.ReadString, codec.WriteString)
}

// TestWritten holds that each field comes when it has changed, of a list what was added, and that a branch begins with the state around it.
func TestWritten(t *testing.T) {
	w := exchange.NewWritten()
	s := &state{name: "a", notes: []string{"x"}}
	want := func(what string, got any, text string) {
		t.Helper()
		if line := fmt.Sprintf("%s", got); line != text {
			t.Errorf("%s: %s, want %s", what, line, text)
		}
	}
	want("the beginning", w.Changed(s), `[{name "a" %!s(bool=false)} {notes ["x"] %!s(bool=false)}]`)
	want("no change", w.Changed(s), `[]`)
	branch, inner := w.Branch(), &state{name: "b", notes: []string{"x"}}
	s.notes = append(s.notes, "y")
	want("a list that has grown", w.Changed(s), `[{notes ["y"] %!s(bool=true)}]`)
	want("a branch", branch.Changed(inner), `[{name "b" %!s(bool=false)}]`)
	s.notes = nil
	want("another list", w.Changed(s), `[{notes [] %!s(bool=false)}]`)
	want("a state without fields for events", w.Changed(new(int)), `[]`)
}
