package pipeline

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

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
	var saved, cells codec.Cells
	if _, _, err := saved.Changes(r.Cells); err != nil {
		t.Fatal(err)
	}
	if err := cells.Take(saved.Object(func(string) bool { return true })); err != nil {
		t.Fatal(err)
	}
	if err := cells.Load(loaded.Cells); err != nil {
		t.Fatal(err)
	}
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
