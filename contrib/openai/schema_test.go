package openai

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestStrictSchema(t *testing.T) {
	wrap := func(p string) string {
		return `{"type":"object","properties":{"f":` + p + `},"required":["f"],"additionalProperties":false}`
	}
	for name, c := range map[string]struct{ schema, want string }{
		"what strict mode says as it is stays": {
			wrap(`{"type":"integer","minimum":1,"maximum":9}`), wrap(`{"type":"integer","minimum":1,"maximum":9}`),
		},
		"a property that may be null and absent is required, and null": {
			`{"type":"object","properties":{"z":{"type":["string","null"]},"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`,
			`{"type":"object","properties":{"z":{"type":["string","null"]},"a":{"type":"string"}},"required":["z","a"],"additionalProperties":false}`,
		},
		"a property with a default is told of it": {
			`{"type":"object","properties":{"n":{"type":"integer","default":5,"description":"How many."}},"additionalProperties":false}`,
			`{"type":"object","properties":{"n":{"type":"integer","description":"How many. (default: 5)"}},"required":["n"],"additionalProperties":false}`,
		},
		"constraints that strict mode does not know are told": {
			wrap(`{"type":"string","minLength":2,"maxLength":9,"format":"uri"}`),
			wrap(`{"type":"string","description":"(minLength: 2, maxLength: 9, format: \"uri\")"}`),
		},
		"formats and patterns that it knows stay": {
			wrap(`{"type":"string","format":"date-time","pattern":"^[a-z]+\\.(?:go|mod)$"}`),
			wrap(`{"type":"string","format":"date-time","pattern":"^[a-z]+\\.(?:go|mod)$"}`),
		},
		"a pattern that engines read differently is told": {
			wrap(`{"type":"string","pattern":"^\\pL+\\z"}`), wrap(`{"type":"string","description":"(pattern: \"^\\\\pL+\\\\z\")"}`),
		},
		"a reference with a description stands in anyOf": {
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"f":{"description":"Where.",` +
				`"$ref":"#/$defs/P"},"g":{"$ref":"#"}},"required":["f","g"],"additionalProperties":false,"$defs":{"P":{"type":"string","enum":["a","b"]}}}`,
			`{"type":"object","properties":{"f":{"description":"Where.","anyOf":[{"$ref":"#/$defs/P"}]},"g":{"$ref":"#"}},` +
				`"required":["f","g"],"additionalProperties":false,"$defs":{"P":{"type":"string","enum":["a","b"]}}}`,
		},
		"a union is anyOf, and its label has a type": {
			wrap(`{"oneOf":[{"type":"object","properties":{"kind":{"const":"x"}},"required":["kind"],"additionalProperties":false},{"type":"null"}]}`),
			wrap(`{"anyOf":[{"type":"object","properties":{"kind":{"const":"x","type":"string"}},"required":["kind"],` +
				`"additionalProperties":false},{"type":"null"}]}`),
		},
		"an object that does not forbid other keys gets none": {
			`{"type":"object","properties":{"f":{"type":"array","items":{"type":"number"},"minItems":1,"uniqueItems":true}},"required":["f"]}`,
			`{"type":"object","properties":{"f":{"type":"array","items":{"type":"number"},"minItems":1,"description":"(uniqueItems: ` +
				`true)"}},"required":["f"],"additionalProperties":false}`,
		},
		"values of an enum have the types that they are of": {
			`{"type":"object","properties":{"mode":{"enum":["fast","slow",null]},"size":{"enum":["auto",1024]},"one":{"enum":[1,2.5]},` +
				`"on":{"enum":[true,false]}},"required":["size","one","on"]}`,
			`{"type":"object","properties":{"mode":{"enum":["fast","slow",null],"type":["string","null"]},` +
				`"size":{"enum":["auto",1024],"type":["string","number"]},"one":{"enum":[1,2.5],"type":"number"},` +
				`"on":{"enum":[true,false],"type":"boolean"}},"required":["mode","size","one","on"],"additionalProperties":false}`,
		},
		"values of an enum that are of its type stay": {
			wrap(`{"type":["integer","null"],"enum":[1,2.0,null]}`), wrap(`{"type":["integer","null"],"enum":[1,2.0,null]}`),
		},
		"a tool without arguments": {
			`{"type":"object","properties":{}}`, `{"type":"object","properties":{},"required":[],"additionalProperties":false}`,
		},

		"a map has no strict form":                        {wrap(`{"type":"object","additionalProperties":{"type":"string"}}`), ""},
		"nor has an object of any keys":                   {wrap(`{"type":"object"}`), ""},
		"nor has a value of any type":                     {wrap(`{}`), ""},
		"nor has a list of anything":                      {wrap(`{"type":"array"}`), ""},
		"nor has what may be absent and not null":         {`{"type":"object","properties":{"f":{"type":"string"}}}`, ""},
		"nor has a keyword that changes what others mean": {wrap(`{"type":"string","not":{"const":"x"}}`), ""},
		"nor has a root that is no object":                {`{"type":"array","items":{"type":"string"}}`, ""},
		"nor has what is nested deeper than strict mode goes": {
			wrap(strings.Repeat(`{"type":"array","items":`, 11) + `{"type":"string"}` + strings.Repeat("}", 11)), "",
		},
		"nor has an enum of what its type is not":        {wrap(`{"type":"string","enum":["fast",null]}`), ""},
		"nor has an enum of a number that is no integer": {wrap(`{"type":"integer","enum":[1,2.5]}`), ""},
		"nor has an enum of lists":                       {wrap(`{"enum":[[1]]}`), ""},
		"nor has an object as its only value":            {wrap(`{"const":{"a":1}}`), ""},
		"nor has a value that its type is not":           {wrap(`{"type":"string","const":7}`), ""},
		"nor has a reference to nothing":                 {wrap(`{"$ref":"#/$defs/none"}`), ""},
		"nor has a property that is there twice":         {`{"type":"object","properties":{"f":{"type":"null"},"f":{"type":"null"}}}`, ""},
		"nor has what is not JSON":                       {`{"type":"object",`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := strict(c.schema)
			if ok != (c.want != "") {
				t.Fatalf("strict: %t, %s", ok, got)
			}
			if !ok {
				return
			}
			if !sameJSON(t, got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if err := CheckStrict([]byte(got)); err != nil {
				t.Error(err)
			}
			if at := strings.Index(got, `"z"`); at > strings.Index(got, `"a"`) {
				t.Errorf("the properties lost their order: %s", got)
			}
		})
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	normal := func(text string) string {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		out, _ := json.Marshal(v)
		return string(out)
	}
	return normal(a) == normal(b)
}

func FuzzStrict(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":["string","null"],"minLength":1},"b":{"$ref":"#","description":"x"}},"required":["b"]}`)
	f.Add(`{"type":"object","properties":{"a":{"oneOf":[{"const":1},{"enum":[null]}]}},"$defs":{"x":{"type":"array","items":{"type":"boolean"}}}}`)
	f.Add(`{"type":"object","properties":{"a":{"enum":["x",1,null,true]},"b":{"type":"integer","enum":[1,2e1]}},"required":["a","b"]}`)
	f.Fuzz(func(t *testing.T, schema string) {
		got, ok := strict(schema)
		if !ok {
			return
		}
		if err := CheckStrict([]byte(got)); err != nil {
			t.Errorf("%v\n%s\nbecame\n%s", err, schema, got)
		}
	})
}
