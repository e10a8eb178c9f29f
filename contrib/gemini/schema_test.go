package gemini

import (
	"encoding/json"
	"testing"
)

func TestASchemaIsWhatTheAPITakes(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{
			"the properties keep their order, and what the API knows stays",
			`{"$schema":"x","title":"T","type":"object","properties":{"z":{"type":"integer","minimum":1,"maximum":9007199254740993},` +
				`"a":{"type":["string","null"]}},"required":["z","a"],"additionalProperties":false}`,
			`{"title":"T","type":"object","properties":{"z":{"type":"integer","minimum":1,"maximum":9007199254740993},` +
				`"a":{"type":["string","null"]}},"required":["z","a"],"additionalProperties":false}`,
		},
		{
			"what the API does not know is told in the description",
			`{"type":"string","minLength":2,"pattern":"^\\d+$","description":"a code"}`,
			`{"type":"string","description":"a code (minLength 2, pattern \"^\\\\d+$\")"}`,
		},
		{"formats are those of the API", `{"type":"array","items":{"type":"string","format":"uuid"}}`,
			`{"type":"array","items":{"type":"string","description":"(format \"uuid\")"}}`},
		{"a time is one", `{"type":"array","items":{"type":"string","format":"date-time"}}`, `{"type":"array","items":{"type":"string","format":"date-time"}}`},
		{"a const is an enum of one", `{"oneOf":[{"type":"object","properties":{"kind":{"const":"a"}}},{"const":true}]}`,
			`{"oneOf":[{"type":"object","properties":{"kind":{"enum":["a"]}}},{"description":"(only true)"}]}`},
		{"an enum has texts and numbers", `{"enum":["a",1,null,true]}`, `{"enum":["a",1]}`},
		{"an enum of neither is told", `{"enum":[null,true]}`, `{"description":"(one of [null,true])"}`},
		{"beside a reference nothing stands", `{"$ref":"#/$defs/A","default":1,"$defs":{"A":{"type":"integer"}}}`,
			`{"description":"(default 1)","anyOf":[{"$ref":"#/$defs/A"}],"$defs":{"A":{"type":"integer"}}}`},
		{
			"definitions have the name of today",
			`{"definitions":{"A":{"type":"integer","exclusiveMinimum":0}},"type":"array","items":{"$ref":"#/definitions/A","title":"x"}}`,
			`{"$defs":{"A":{"type":"integer","description":"(exclusiveMinimum 0)"}},"type":"array","items":{"$ref":"#/$defs/A"}}`,
		},
		{
			"a property that leads back to itself is not required",
			`{"$defs":{"T":{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array",` +
				`"items":{"$ref":"#/$defs/T"}}},"required":["name","children"]}},"type":"object",` +
				`"properties":{"tree":{"$ref":"#/$defs/T"}, "n":{"type":"integer"}},"required":["tree","n"]}`,
			`{"$defs":{"T":{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array",` +
				`"items":{"$ref":"#/$defs/T"}}},"required":["name"]}},"type":"object","properties":{"tree":{"$ref":"#/$defs/T"},` +
				`"n":{"type":"integer"}},"required":["n"]}`,
		},
		{"all of one is any of one", `{"allOf":[{"type":"integer"}]}`, `{"anyOf":[{"type":"integer"}]}`},
		{"a tuple of old is one of today", `{"type":"array","items":[{"type":"integer"},true]}`, `{"type":"array","prefixItems":[{"type":"integer"},{}]}`},
		{"names of properties are no keywords", `{"type":"object","properties":{"pattern":{"type":"string"},"$ref":{"type":"string"},"not":true}}`,
			`{"type":"object","properties":{"pattern":{"type":"string"},"$ref":{"type":"string"},"not":{}}}`},
		{"values of others are an object's schema", `{"type":"object","additionalProperties":{"type":"integer","multipleOf":2}}`,
			`{"type":"object","additionalProperties":{"type":"integer","description":"(multipleOf 2)"}}`},
		{"what cannot be said is left out", `{"type":"object","properties":{"a":{"if":{},"then":{}}},"patternProperties":{"^a":{}},"allOf":[{},{}]}`,
			`{"type":"object","properties":{"a":{}}}`},
		{"an object of nothing is none", `{"type":"object","properties":{}}`, ``},
		{"nothing is none", `true`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := adapt(c.schema)
			if err != nil || string(got) != c.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

func FuzzASchemaStaysJSON(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#","minLength":1}},"required":["a"],"enum":[1],"const":null,"allOf":[true]}`)
	f.Add(`{"items":[{"definitions":{"a":{}}}],"format":5,"description":[],"properties":7,"$ref":{},"required":{"a":1}}`)
	f.Add(`{"required":{"":0},"enum":{"a":1},"allOf":{"a":{}},"anyOf":{"a":{}},"properties":[{}],"$defs":[1],"prefixItems":1}`)
	f.Add("{\"properties\":{\"\x80\":{}}}")
	f.Fuzz(func(t *testing.T, schema string) {
		got, err := adapt(schema)
		if err == nil && got != nil && (!json.Valid(got) || got.Kind() != '{') {
			t.Errorf("%q is %q", schema, got)
		}
	})
}
