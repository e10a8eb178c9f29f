package pipeline_test

import (
	"testing"

	"github.com/graphgen/graphgen/runtime/pipeline"
)

func TestExtractor(t *testing.T) {
	for story, c := range map[string]struct{ text, want string }{
		"JSON alone":              {`{"a":1}`, `{"a":1}`},
		"with prose around it":    {`Sure: {"a":1}. Bye!`, `{"a":1}`},
		"with prose behind it":    {`{"a":1} is it.`, `{"a":1}`},
		"a list in a block":       {"Here:\n```json\n[1]\n```", `[1]`},
		"brackets that are none":  {`Use {name} in it.`, `Use {name} in it.`},
		"what is cut short stays": {`{"a":1`, `{"a":1`},
	} {
		a := pipeline.Answer{Text: c.text}
		if err := pipeline.JSONExtractor(t.Context(), &a); err != nil || a.Text != c.want {
			t.Errorf("%s: got %q (error %v), want %q", story, a.Text, err, c.want)
		}
	}
}
