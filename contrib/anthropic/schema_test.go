package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/anthropic"
)

// diamonds has two ways from each of its definitions to the next: 2^n from the first to the last.
func diamonds(n int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/D0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"D%d":{"anyOf":[{"$ref":"#/$defs/D%d"},{"$ref":"#/$defs/D%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"D%d":{"type":"null"}}}`, n)
	return b.String()
}

func TestSchemaAdaptation(t *testing.T) {
	for _, c := range []struct {
		name, schema, want string // want is empty: it is told by instruction
	}{
		{
			"a struct, in the order of its fields",
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Verdict","description":"What it is.","type":"object",` +
				`"properties":{"score":{"type":"integer","minimum":1,"maximum":5},"because":{"description":"Why.","type":["string",` +
				`"null"],"minLength":3},"at":{"type":"string","format":"date-time"}},` +
				`"required":["score"],"additionalProperties":false}`,
			`{"description":"What it is.","title":"Verdict","type":"object","properties":{"score":{"description":"(minimum: 1, ` +
				`maximum: 5)","type":"integer"},` +
				`"because":{"description":"Why. (minLength: 3)","type":["string","null"]},"at":{"type":"string",` +
				`"format":"date-time"}},"required":["score"],"additionalProperties":false}`,
		},
		{
			"a union of structs",
			`{"oneOf":[{"type":"object","properties":{"kind":{"const":"a"}},"required":["kind"],"additionalProperties":false},` +
				`{"type":"string","enum":["x","y"]}]}`,
			`{"anyOf":[{"type":"object","properties":{"kind":{"const":"a"}},"required":["kind"],"additionalProperties":false},` +
				`{"type":"string","enum":["x","y"]}]}`,
		},
		{
			"definitions, and what stands beside a reference",
			`{"type":"object","properties":{"a":{"description":"An a.","$ref":"#/$defs/A"},"n":{"anyOf":[{"$ref":"#/$defs/A"},` +
				`{"type":"null"}]}},"$defs":{"A":{"type":"string","pattern":"^a$"}}}`,
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"},"n":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}]}},` +
				`"$defs":{"A":{"description":"(pattern: \"^a$\")","type":"string"}},"additionalProperties":false}`,
		},
		{"a reference at the root", `{"$ref":"#/$defs/A","$defs":{"A":{"type":"string"}}}`, `{"$ref":"#/$defs/A","$defs":{"A":{"type":"string"}}}`},
		{
			"a list with bounds",
			`{"type":"array","items":{"type":"string","format":"idn-email"},"minItems":2,"maxItems":4}`,
			`{"description":"(minItems: 2, maxItems: 4)","type":"array","items":{"description":"(format: \"idn-email\")","type":"string"}}`,
		},
		{"definitions with very many ways between them, of which none is recursive", diamonds(64), diamonds(64)},
		{"a list that is not empty", `{"type":"array","items":{"type":"string"},"minItems":1}`, `{"type":"array","items":{"type":"string"},"minItems":1}`},
		{"a map", `{"type":"object","additionalProperties":{"type":"string"}}`, ""},
		{"a struct with any field besides", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}`, ""},
		{"an object with any fields", `{"type":"object"}`, ""},
		{"a list of anything", `{"type":"array"}`, ""},
		{"any value", `{}`, ""},
		{"any value, with a name", `{"title":"Any"}`, ""},
		{"any value in a field", `{"type":"object","properties":{"a":{"description":"Anything."}}}`, ""},
		{"any value in short", `{"type":"object","properties":{"a":true}}`, ""},
		{"a type that has itself", `{"type":"object","properties":{"next":{"$ref":"#"}}}`, ""},
		{"a type that has itself by another",
			`{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"b":{"$ref":"#/$defs/B"}}},"B":{"type":"array",` +
				`"items":{"$ref":"#/$defs/A"}}}}`, ""},
		{"a reference to elsewhere", `{"$ref":"https://x.test/schema"}`, ""},
		{"an enum of objects", `{"enum":[{"a":1}]}`, ""},
		{"a keyword that nobody knows", `{"type":"string","sparkle":1}`, ""},
		{"what must not be", `{"type":"object","properties":{"a":{"type":"string"}},"not":{"required":["a"]}}`, ""},
		{"oneOf beside anyOf", `{"oneOf":[{"type":"string"}],"anyOf":[{"type":"string"}]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := &chat.Request{System: "Be terse.", Messages: hello(), Output: &chat.Schema{Name: "out", JSON: c.schema}}
			native := sent(t, req)
			told := sent(t, req, anthropic.OutputByInstruction())
			if c.want != "" {
				if len(native.System) != 1 || native.Output == nil || native.Output.Format == nil || string(native.Output.Format.Schema) != c.want {
					t.Fatalf("\n got %+v\nwant %s", native.Output, c.want)
				}
			} else if native.Output != nil || len(native.System) != 2 {
				t.Fatalf("it is not told by instruction: %+v", native.Output)
			}
			if told.Output != nil || len(told.System) != 2 || !strings.HasSuffix(told.System[1].Text, "JSON Schema:\n"+c.schema) {
				t.Errorf("the instruction is %+v", told.System)
			}
		})
	}
}
