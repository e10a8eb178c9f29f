package scenario

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
)

const manyTypes = `graph: g
entry: a
types:
  Shape: {union: {circle: {radius: float}, square: {side: ?int}}, discriminator: form}
state: {at: time, took: duration, data: bytes, raw: any, price: {go: example.com/money.Amount}, shape: Shape, all: "[]Shape", due: "?time"}
input: [at, took, data, raw, price, shape, all, due]
nodes: {a: {}}
`

func TestValuesOfTypes(t *testing.T) {
	graph, found := spec.Load("g.graph.yaml", []byte(strings.Replace(manyTypes, "?int", `"?int"`, 1)))
	if len(found) > 0 {
		t.Fatal(found)
	}
	m := plan.Lower(cfg.Of(graph), pkg)
	for name, c := range map[string]struct{ input, want string }{
		"a time is in UTC":                        {"{at: 2026-01-31T12:00:00.50+01:00}", `{"At":"2026-01-31T11:00:00.5Z"}`},
		"a time without a zone":                   {"{at: 2026-01-31T12:00:00}", `2:26: expected a time, found the text "2026-01-31T12:00:00"`},
		"a date":                                  {"{at: 2026-01-31}", `2:26: expected a time, found the text "2026-01-31"`},
		"a duration is in nanoseconds":            {"{took: 1.5s}", `{"Took":1500000000}`},
		"a duration without a unit":               {"{took: 30}", `2:28: expected a duration, found the number 30`},
		"bytes in base64":                         {"{data: aGVsbG8=}", `{"Data":"aGVsbG8="}`},
		"bytes that are none":                     {"{data: hello}", `2:28: expected bytes, found the text "hello"`},
		"JSON is written one way":                 {"{raw: {b: [1.0, true, null], a: text}}", `{"Raw":"{\"a\":\"text\",\"b\":[1.0,true,null]}"}`},
		"a number that JSON does not have":        {"{raw: 0x1f}", `{"Raw":"\"0x1f\""}`},
		"a Go type is what it is in JSON":         {`{price: "12.50"}`, `{"Price":"\"12.50\""}`},
		"a variant is known by its label":         {"{shape: {form: circle, radius: 2}}", `{"Shape":{"ShapeCircle":{"Radius":2}}}`},
		"a label may stand last":                  {"{all: [{side: 3, form: square}, null]}", `{"All":[{"ShapeSquare":{"Side":3}},null]}`},
		"a variant without its label":             {"{shape: {radius: 2}}", `2:29: expected a variant of Shape, with its label in "form", found a mapping`},
		"a label that there is not":               {"{shape: {form: cirle, radius: 2}}", `2:36: unknown variant "cirle" of Shape`},
		"a label that is no text":                 {"{shape: {form: 3}}", `2:29: expected a variant of Shape, with its label in "form", found a mapping`},
		"a field that the variant has not":        {"{shape: {form: circle, side: 2}}", `2:44: unknown field "side" of ShapeCircle`},
		"a text for a variant":                    {"{shape: circle}", `2:29: expected a variant of Shape, with its label in "form", found the text "circle"`},
		"an optional time that is not there":      {"{due: null}", `{"Due":null}`},
		"a value of each that is put in the list": {"{all: [{form: circle}]}", `{"All":[{"ShapeCircle":{}}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			text := "graph: g.graph.yaml\nscenarios: [{input: " + c.input + ", name: n, expect: {end: completed}}]\n"
			f, found := Load("g.scenarios.yaml", []byte(text))
			if len(found) > 0 {
				t.Fatal(found)
			}
			all, found := bind(f, m)
			got := string(all[0].run.Input)
			if len(found) > 0 {
				got = fmt.Sprintf("%d:%d: %s", found[0].Pos.Line, found[0].Pos.Col, found[0].Message)
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
