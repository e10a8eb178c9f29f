package record

import (
	"testing"

	"github.com/graphgen/graphgen/chat"
)

// TestSettings holds that requests whose schemas are set out in another way have the same settings, and no others.
func TestSettings(t *testing.T) {
	was := `{"type": "object",` + "\n\t" + `"title": "a \" b"}`
	for _, c := range []struct {
		schema string
		same   bool
	}{
		{`{"type":"object","title":"a \" b"}`, true},
		{`{"type":"object","title":"a \"b"}`, false},
		{`{"type":"object"}`, false},
	} {
		a := chat.Request{Tools: []chat.ToolSpec{{Schema: was}}, Output: &chat.Schema{JSON: was}}
		b := chat.Request{Tools: []chat.ToolSpec{{Schema: c.schema}}, Output: a.Output}
		if got := sameSettings(&a, &b); got != c.same {
			t.Errorf("the same with the tool %s: %t", c.schema, got)
		}
		b = chat.Request{Tools: a.Tools, Output: &chat.Schema{JSON: c.schema}}
		if got := sameSettings(&a, &b); got != c.same {
			t.Errorf("the same with the output %s: %t", c.schema, got)
		}
	}
}
