package exchange_test

import (
	"fmt"
	"testing"

	"github.com/graphgen/graphgen/internal/exchange"
	"github.com/graphgen/graphgen/internal/origin"
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

// A run has a state.
type run struct{ state any }

func (r run) CommittedState() any { return r.state }
func (run) Seals() bool           { return false }

func of(state any) origin.Ref { return origin.To(run{state}) }

// TestWritten holds that each field comes when it has changed, of a list what was added, and that a branch begins with the state around it.
func TestWritten(t *testing.T) {
	var w exchange.Written
	s := &state{name: "a", notes: []string{"x"}}
	want := func(what, branch string, state any, text string) {
		t.Helper()
		if line := fmt.Sprintf("%s", w.Changed(of(state), "r", branch, false)); line != text {
			t.Errorf("%s: %s, want %s", what, line, text)
		}
	}
	want("the beginning", "", s, `[{name "a" %!s(bool=false)} {notes ["x"] %!s(bool=false)}]`)
	want("no change", "", s, `%!s(<nil>)`)
	want("a branch", "each/1", &state{name: "b", notes: []string{"x"}}, `[{name "b" %!s(bool=false)}]`)
	s.notes = append(s.notes, "y")
	want("a list that has grown", "", s, `[{notes ["y"] %!s(bool=true)}]`)
	s.notes = nil
	want("another list", "", s, `[{notes [] %!s(bool=false)}]`)
	want("a state without fields for events", "", new(int), `%!s(<nil>)`)
	w.End("r")
	want("another run", "", s, `[{name "a" %!s(bool=false)}]`)
}
