package pipeline

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A rated is an output that may be absent.
type rated struct{ stars *int }

func (v rated) EncodeJSON(e *codec.Encoder) { codec.WriteOptional(v.stars, e, codec.WriteInt) }

// TestSavedResultsAreShownAlike holds that a result which was saved and loaded is shown to judges as before.
func TestSavedResultsAreShownAlike(t *testing.T) {
	five := 5
	var r, loaded Results
	r.Add("five", rated{&five})
	r.Add("none", rated{})
	r.Add("fields", rated{}, "stars")
	r.Add("problem", unwritable("no JSON"))
	r.AddText("text", "")
	reloaded(t, r.Cells, loaded.Cells)
	if len(loaded.list) != len(r.list) {
		t.Fatalf("%d results, want %d", len(loaded.list), len(r.list))
	}
	for i := range r.list {
		var texts [2]bytes.Buffer
		for k, shown := range []*result{&r.list[i], &loaded.list[i]} {
			if err := shown.view(jsontext.NewEncoder(&texts[k])); err != nil {
				t.Fatal(err)
			}
		}
		if want, got := texts[0].String(), texts[1].String(); got != want {
			t.Errorf("want %s, got %s", want, got)
		}
	}
}

// reloaded saves what one function lists, and loads it into what the other one lists.
func reloaded(t *testing.T, from, into func(*codec.Cells)) {
	t.Helper()
	var saved, cells codec.Cells
	if _, _, err := saved.Changes(from); err != nil {
		t.Fatal(err)
	}
	if err := cells.Take(saved.Object(func(string) bool { return true })); err != nil {
		t.Fatal(err)
	}
	if err := cells.Load(into); err != nil {
		t.Fatal(err)
	}
}

// TestSavedForeignText holds that what tools have returned is saved unchanged where it is not UTF-8.
func TestSavedForeignText(t *testing.T) {
	var c, loaded Conversation
	c.pure = map[string]chat.ToolResult{"k": {Text: "caf\xe9"}}
	reloaded(t, c.Cells, loaded.Cells)
	if got := loaded.pure["k"].Text; got != "caf\xe9" {
		t.Errorf("the result of a pure tool is %q", got)
	}
	var r, read Results
	r.AddText("call", "caf\xe9")
	reloaded(t, r.Cells, read.Cells)
	if got := read.list[0].text; got != "caf\xe9" {
		t.Errorf("the result of a node is %q", got)
	}
}

// TestSavedPendingCalls holds that calls which are left to a tool node are saved with the number of the call that asked for them.
func TestSavedPendingCalls(t *testing.T) {
	var c, loaded Conversation
	c.pending = &pending{transcript: &Transcript{node: &Node{Name: "ask"}}, by: 3}
	reloaded(t, c.Cells, loaded.Cells)
	if p := loaded.pending; p == nil || p.of != "ask" || p.by != 3 {
		t.Errorf("the calls that are left are %+v", p)
	}
}
