package codec

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A described type reads JSON and says which.
type described interface {
	codec.Unmarshaler
	JSONSchema() string
}

func compiled(t testing.TB, text string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.AssertContent()
	if err := c.AddResource("mem:schema", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:schema")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSchemaMatchesDecoder(t *testing.T) {
	for name, c := range map[string]struct {
		into described
		docs []string
	}{
		"an enum": {new(Severity), []string{`"low"`, `"high-risk"`, `"hi"`, `""`, `null`, `1`, `{}`}},
		"a struct": {new(Place), []string{
			`{"file":"f","line":1}`, `{"line":1.0,"file":""}`, `{"line":1e3,"file":""}`, `{"line":0,"file":""}`, `{"line":1.5,"file":""}`,
			`{"file":"f"}`, `{}`, `{"file":"f","line":"1"}`, `{"file":null,"line":1}`, `{"file":"f","line":1,"col":2}`, `[]`, `null`,
		}},
		"a struct of optional fields": {new(Nothing), []string{`{}`, `{"note":null}`, `{"note":"n"}`, `{"note":1}`, `{"Note":"n"}`, `null`}},
		"an output": {new(SurveyWrapUpOut), []string{
			`{"text":"t","mood":"bad"}`, `{"text":"t","mood":"sad"}`, `{"text":"t","mood":null}`, `{"text":"t"}`,
		}},
		"a struct of everything": {new(Finding), []string{
			small, full,
			with(`"low"`, `"lowest"`), with(`"score":3,`, ``), with(`"score":3`, `"score":0`), with(`"score":3`, `"score":5.0`),
			with(`0.5`, `-0.1`), with(`0.5`, `1`), with(`0.5`, `"1"`),
			with(`"score":3`, `"score":3,"rank":null`), with(`"score":3`, `"score":3,"rank":9`), with(`"score":3`, `"score":3,"rank":10`),
			with(`"score":3`, `"score":3,"place":null`), with(`"score":3`, `"score":3,"place":{}`),
			with(`"score":3`, `"score":3,"place":{"file":"f","line":1}`),
			with(`"also":[]`, `"also":[null]`), with(`"also":[]`, `"also":[{"file":"f","line":1}]`), with(`"also":[]`, `"also":{}`),
			with(`"tags":[]`, `"tags":["a"]`), with(`"tags":[]`, `"tags":[1]`), with(`"tags":[]`, `"tags":null`),
			with(`"matrix":[]`, `"matrix":[[],[1]]`), with(`"matrix":[]`, `"matrix":[1]`), with(`"matrix":[]`, `"matrix":[["a"]]`),
			with(`"counts":{}`, `"counts":{"":1}`), with(`"counts":{}`, `"counts":{"a":1.5}`), with(`"counts":{}`, `"counts":[]`),
			with(`"by_file":{}`, `"by_file":{"a":[]}`), with(`"by_file":{}`, `"by_file":{"a":null}`),
			with(`"votes":[]`, `"votes":[null,true]`), with(`"votes":[]`, `"votes":[0]`),
			with(`"score":3`, `"score":3,"alternatives":["low"]`), with(`"score":3`, `"score":3,"alternatives":null`),
			with(`"score":3`, `"score":3,"alternatives":[null]`), with(`"resolved":false`, `"resolved":"false"`),
			with(`"kind":"bug"`, `"kind":"low"`), with(`"kind":"bug"`, `"kind":"bug","more":1`),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			schema := compiled(t, c.into.JSONSchema())
			accepted := 0
			for _, doc := range c.docs {
				v, err := jsonschema.UnmarshalJSON(strings.NewReader(doc))
				if err != nil {
					t.Fatal(err)
				}
				refused, failed := schema.Validate(v), codec.Unmarshal([]byte(doc), c.into)
				if (refused == nil) != (failed == nil) {
					t.Errorf("%s\nschema: %v\ndecoder: %v", doc, refused, failed)
				}
				if failed == nil {
					accepted++
				}
			}
			if accepted == 0 || accepted == len(c.docs) {
				t.Errorf("%d of %d documents accepted; want some of each", accepted, len(c.docs))
			}
		})
	}
}

func TestEverySchemaCompiles(t *testing.T) {
	for _, v := range []described{
		new(Severity), new(Place), new(Finding), new(Nothing), new(FindingKind), new(SurveyStage), new(SurveyWrapUpOut), new(SurveyWrapUpOutMood),
		new(Node), new(Circle), new(Square), new(Group), new(Texts), new(Values), new(Defaults), new(DefaultsMode),
	} {
		compiled(t, v.JSONSchema())
	}
}
