package agui

import (
	"encoding/json"
	"testing"

	"github.com/graphgen/graphgen/thread"
)

// TestPatch holds that each operation applies to what the client has: a list that it does not know is added as a whole, and names are escaped.
func TestPatch(t *testing.T) {
	var s state
	if got := string(s.snapshot([]thread.Value{{Name: "known", JSON: []byte(`["a"]`)}})); got != `{"known":["a"]}` {
		t.Errorf("the snapshot is %s", got)
	}
	for _, row := range []struct {
		name  string
		value thread.Value
		want  string
	}{
		{"elements of a list that is known", thread.Value{Name: "known", JSON: []byte(`["b","c"]`), Added: true},
			`[{"op":"add","path":"/known/-","value":"b"},{"op":"add","path":"/known/-","value":"c"}]`},
		{"a list that is written", thread.Value{Name: "known", JSON: []byte(`[]`)}, `[{"op":"add","path":"/known","value":[]}]`},
		{"elements of a list that is not known", thread.Value{Name: "other", JSON: []byte(`["b"]`), Added: true},
			`[{"op":"add","path":"/other","value":["b"]}]`},
		{"elements of the same list", thread.Value{Name: "other", JSON: []byte(`["c"]`), Added: true},
			`[{"op":"add","path":"/other/-","value":"c"}]`},
		{"a name with signs of paths", thread.Value{Name: "a/b~c", JSON: []byte(`1`)}, `[{"op":"add","path":"/a~1b~0c","value":1}]`},
	} {
		got, err := json.Marshal(s.patch([]thread.Value{row.value}))
		if err != nil || string(got) != row.want {
			t.Errorf("%s: %s, want %s (%v)", row.name, got, row.want, err)
		}
	}
}
