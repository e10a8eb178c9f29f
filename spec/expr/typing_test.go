package expr

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// ofState returns the scope of values that a node of a graph writes, and the state's fields.
func ofState(t testing.TB) (*Scope, *resolve.Type) {
	t.Helper()
	g, found := spec.Load("g.graph.yaml", []byte(`graph: g
entry: a
types:
  Verdict: {enum: [good, bad]}
  Place: {city: string, rank: int}
  Shape: {union: {round: {radius: float}, square: {side: float}}}
  Box: {name: string, shape: Shape}
  Crate: {box: Box, size: int}
state: {count: int, most: float, done: bool, note: string, tags: "[]string", ranks: "map[string]int", verdict: Verdict, last: "?Verdict",
  rest: "?int", place: Place, where: "?Place", places: "[]Place", shape: Shape, shapes: "[]Shape",
  box: Box, crates: "[]Crate", crate: Crate, due: time, took: duration, body: bytes, raw: any}
input: count
nodes:
  a: {output: {score: float}}
`))
	if len(found) > 0 {
		t.Fatal(found)
	}
	r := resolve.Resolve(g)
	return NewPackage(r).Value(r.Nodes[0], r.Nodes[0].Out), r.State
}

func TestType(t *testing.T) {
	scope, state := ofState(t)
	for _, test := range []struct{ field, text, want string }{
		{"count", "state.Count + 1", "int"},
		{"count", "3", "untyped int"},
		{"count", "4.0", "untyped float"},
		{"count", "'a'", "untyped rune"},
		{"count", "len(state.Tags) + state.Place.Rank", "int"},
		{"count", "1 << 62", "untyped int"},
		{"most", "1", "untyped int"},
		{"most", "float64(state.Count) / 2", "float64"},
		{"most", "max(state.Most, out.Score)", "float64"},
		{"done", "true", "untyped bool"},
		{"done", "state.Count > 3", "untyped bool"},
		{"note", `"a" + state.Note`, "string"},
		{"note", `strings.Join(state.Tags, ", ")`, "string"},
		{"note", "state.Verdict.String()", "string"},
		{"tags", `[]string{"a", state.Note}`, "[]string"},
		{"tags", "nil", "untyped nil"},
		{"ranks", `map[string]int{"a": 1}`, "map[string]int"},
		{"verdict", "VerdictGood", "Verdict"},
		{"verdict", "*state.Last", "Verdict"},
		{"last", "nil", "untyped nil"},
		{"last", "state.Last", "*Verdict"},
		{"last", "VerdictBad", "Verdict, of which the address is taken"},
		{"rest", "state.Count", "int, of which the address is taken"},
		{"rest", "7", "untyped int, of which the address is taken"},
		{"place", `Place{City: state.Note}`, "Place"},
		{"where", `Place{City: "x"}`, "Place, of which the address is taken"},
		{"places", "state.Places[1:]", "[]Place"},
		{"shape", "ShapeRound{Radius: 2}", "ShapeRound"},
		{"done", "state.Shape != nil && state.Box.Shape == nil", "untyped bool"},
		{"done", "state.Box.Name == state.Crate.Box.Name && state.Place == state.Places[0]", "untyped bool"},
		{"done", "slices.Contains(state.Places, state.Place)", "bool"},
		{"done", "len(slices.Concat(state.Shapes, state.Shapes)) > 1", "untyped bool"},
		{"due", "state.Due.Add(time.Hour)", "time.Time"},
		{"took", "3 * time.Second", "time.Duration"},
		{"took", "0", "untyped int"},
		{"took", "2*state.Took/3 + (60+30)*time.Second - 0 - time.Duration(5)", "time.Duration"},
		{"done", "max(state.Took, 0) > 2*60*time.Second", "untyped bool"},
		{"done", "state.Took/time.Second > 2*60", "untyped bool"},
		{"done", "int(state.Took/time.Minute + 1) > 3", "untyped bool"},
		{"done", "-(state.Took/time.Second%60*2 - 1) < 5", "untyped bool"},
		{"done", "max(state.Took/time.Minute, 1) > time.Hour/time.Minute + 1", "untyped bool"},
		{"body", "[]byte(state.Note)", "[]byte"},
		{"raw", "state.Raw", "jsontext.Value"},
	} {
		x := In(scope, spec.String{V: test.text}, state.Field(test.field).Type)
		typed := x.Typed()
		if !typed.OK() {
			t.Errorf("%s: %s: %+v", test.field, test.text, typed.Mistake)
			continue
		}
		got := typed.Type.String()
		if typed.Elem {
			got += ", of which the address is taken"
		}
		if got = strings.ReplaceAll(got, "github.com/go-json-experiment/json/", ""); got != test.want {
			t.Errorf("%s: %s is %s, not %s", test.field, test.text, got, test.want)
		}
	}
}

var typeMistakes = []struct {
	field, text string
	kind        Kind
	marked      string // the part of the text that is marked; empty: all
	want        string // message: help
}{
	{"count", "state.Most", Unwanted, "", "the value is a float, not an int: write int(state.Most)"},
	{"count", "state.Most + 1", Unwanted, "", "the value is a float, not an int: write int(state.Most + 1)"},
	{"count", "1.5", Unwanted, "", "the value is a float, not an int: give it a value of type int"},
	{"count", "1 << 63", Unwanted, "", "the value overflows int: write a number that the type can hold"},
	{"count", "state.Rest", Unwanted, "",
		"the value is a ?int, not an int: state.Rest may be absent: write *state.Rest where an edge has seen that it is not nil"},
	{"count", "nil", Unwanted, "", "the value is a nil, not an int: give it a value of type int"},
	{"count", "state.Verdict", Unwanted, "", "the value is a Verdict, not an int: give it a value of type int"},
	{"most", "state.Count", Unwanted, "", "the value is an int, not a float: write float64(state.Count)"},
	{"most", "1e309", Unwanted, "", "the value overflows float: write a number that the type can hold"},
	{"done", "state.Count", Unwanted, "", "the value is an int, not a bool: compare it, as in state.Count > 0"},
	{"note", "state.Count", Unwanted, "", "the value is an int, not a string: give it a value of type string"},
	{"note", "state.Verdict", Unwanted, "", "the value is a Verdict, not a string: write state.Verdict.String()"},
	{"note", "string(state.Count)", Mismatch, "", `"string(state.Count)" makes a character of a number: a handler can write a number as a text`},
	{"tags", "state.Note", Unwanted, "", "the value is a string, not a []string: write a list, as in []string{state.Note}"},
	{"tags", "[]int{1}", Unwanted, "", "the value is a []int, not a []string: give it a value of type []string"},
	{"verdict", `"good"`, Unwanted, "", "the value is a string, not a Verdict: write the constant, VerdictGood"},
	{"verdict", `"godo"`, Unwanted, "", `the value is a string, not a Verdict: did you mean "VerdictGood"?`},
	{"verdict", "1", Unwanted, "", "the value is an int, not a Verdict: its constants are VerdictGood, VerdictBad"},
	{"verdict", "Verdict.Good", Unknown, "", `enum Verdict has no "Good": did you mean "VerdictGood"?`},
	{"place", `"Rome"`, Unwanted, "", "the value is a string, not a Place: give it a value of type Place"},
	{"place", `Place{Town: "x"}`, Mismatch, "Town",
		"unknown field Town in struct literal of type Place: the types come from the spec: from types, state, and the output of the node"},
	{"shape", "state.Place", Unwanted, "", "the value is a Place, not a Shape: give it a value of type Shape"},
	{"done", "state.Shape == state.Shapes[0]", Mismatch, "", unions("state.Shape == state.Shapes[0]")},
	{"done", "state.Box == state.Crate.Box", Mismatch, "", unions("state.Box == state.Crate.Box")},
	{"done", "state.Done && state.Crate != state.Crates[0]", Mismatch, "state.Crate != state.Crates[0]", unions("state.Crate != state.Crates[0]")},
	{"done", "slices.Contains(state.Shapes, state.Shape)", Mismatch, "", unions("slices.Contains(state.Shapes, state.Shape)")},
	{"done", "slices.Equal(state.Crates, state.Crates[1:])", Mismatch, "", unions("slices.Equal(state.Crates, state.Crates[1:])")},
	{"count", "slices.Index([]Box{state.Box}, state.Box)", Mismatch, "", unions("slices.Index([]Box{state.Box}, state.Box)")},
	{"took", "5", Mismatch, "", "a duration is counted in nanoseconds: 5 of them: write the unit, as in 5*time.Second"},
	{"took", "2 * 3", Mismatch, "", "a duration is counted in nanoseconds: 2 * 3 of them: write the unit, as in (2 * 3)*time.Second"},
	{"took", "state.Took + 5", Mismatch, "5", "a duration is counted in nanoseconds: 5 of them: write the unit, as in 5*time.Second"},
	{"took", "state.Took.Round(5)", Mismatch, "5", "a duration is counted in nanoseconds: 5 of them: write the unit, as in 5*time.Second"},
	{"done", "state.Took > 2*60", Mismatch, "2*60", "a duration is counted in nanoseconds: 2*60 of them: write the unit, as in (2*60)*time.Second"},
	{"done", "state.Took > time.Second + 5", Mismatch, "5", "a duration is counted in nanoseconds: 5 of them: write the unit, as in 5*time.Second"},
	{"done", "state.Took/2 > 5", Mismatch, "5", "a duration is counted in nanoseconds: 5 of them: write the unit, as in 5*time.Second"},
	{"done", "max(state.Took, 0) > 5", Mismatch, "5", "a duration is counted in nanoseconds: 5 of them: write the unit, as in 5*time.Second"},
	{"done", "state.Took > (60 + 30)", Mismatch, "(60 + 30)",
		"a duration is counted in nanoseconds: 60 + 30 of them: write the unit, as in (60 + 30)*time.Second"},
	{"done", "max(state.Took, -5) > time.Second", Mismatch, "-5",
		"a duration is counted in nanoseconds: -5 of them: write the unit, as in -5*time.Second"},
	{"took", "1 < 2", Unwanted, "", "the value is a bool, not a duration: write the unit, as in 5*time.Second"},
	{"took", "5.5", Mismatch, "", "a duration is counted in nanoseconds: 5.5 of them: write the unit, as in 5.5*time.Second"},
	{"took", `"5s"`, Unwanted, "", "the value is a string, not a duration: write the unit, as in 5*time.Second"},
	{"body", "state.Note", Unwanted, "", "the value is a string, not bytes: write []byte(state.Note)"},
	{"raw", "state.Body", Unwanted, "", "the value is bytes, not an any: give it a value of type any"},
	{"count", "state.Coutn + 1", Unknown, "Coutn", `the state has no field "Coutn": did you mean "state.Count"?`},
	{"count", "count + 1", Unknown, "count", `unknown name "count": did you mean "state.Count"?`},
	{"count", "res.Step", Forbidden, "res",
		"a value cannot look at res: a value sees out, state, the constants of enums, and the pure functions of math, slices, strings, time and utf8"},
	{"count", "out.Scor", Unknown, "Scor", `the output of node "a" has no field "Scor": did you mean "out.Score"?`},
	{"count", `state.Count + "1"`, Mismatch, "", "`state.Count + \"1\"` mixes an int and a string: compare values of one type"},
	{"count", "state.Count +", Malformed, "+", "the value is not a Go expression: expected operand, found the end: write it as in state.Count + 1"},
	{"count", "state.Count // all", Malformed, "// all", "a value cannot hold a comment: write the comment in YAML, after #"},
	{"count", "func() int { return 1 }()", Forbidden, "func() int { return 1 }",
		"a value cannot hold a function: compute it in a handler, and let the handler write the field"},
	{"note", "time.Now().String()", Forbidden, "time.Now",
		"a value cannot use time.Now: it may call pure functions that take no function and give one value; else compute it in a " +
			"handler, and let the handler write the field"},
	{"note", "string", Unwanted, "", "the value is not a value: write something like state.Count + 1"},
	{"done", "state.Done && true", Constant, "true", "this part of the value is always true: leave it out"},
	{"done", "state.Done || state.Done", Constant, "state.Done", `"state.Done" occurs twice: remove one of them, or mend it`},
}

// unions is the message and the help about a comparison of unions.
func unions(text string) string {
	return `"` + text + `" compares unions, whose variants may be such that Go cannot: see whether a union is nil, or compute it in a handler, ` +
		"and let the handler write the field"
}

func TestTypeMistakes(t *testing.T) {
	scope, state := ofState(t)
	for _, test := range typeMistakes {
		m := In(scope, spec.String{V: test.text}, state.Field(test.field).Type).Typed().Mistake
		if m == nil {
			t.Errorf("%s: %s has no mistake", test.field, test.text)
			continue
		}
		if got := m.Message + ": " + diag.Help(m.Help).String(); got != test.want || m.Kind != test.kind {
			t.Errorf("%s: %s\ngot  %d %s\nwant %d %s", test.field, test.text, m.Kind, got, test.kind, test.want)
		}
		marked := test.text[m.Offset : m.Offset+m.Width]
		if test.marked == "" && marked == test.text {
			marked = ""
		}
		if marked != test.marked {
			t.Errorf("%s: %s marks %q, not %q", test.field, test.text, marked, test.marked)
		}
	}
}

// TestStructsHeldTwice holds that a comparison examines a struct once, however often others hold it.
func TestStructsHeldTwice(t *testing.T) {
	var text strings.Builder
	text.WriteString("graph: g\nentry: a\nstate: {p: T0, q: T0, same: bool}\ninput: [p, q, same]\nnodes: {a: {}}\ntypes:\n  T64: {x: int}\n")
	for i := range 64 {
		fmt.Fprintf(&text, "  T%d: {a: T%d, b: T%[2]d}\n", i, i+1)
	}
	g, found := spec.Load("g.graph.yaml", []byte(text.String()))
	if len(found) > 0 {
		t.Fatal(found)
	}
	r := resolve.Resolve(g)
	p := NewPackage(r)
	typed := In(p.Value(r.Nodes[0], r.Nodes[0].Out), spec.String{V: "state.P == state.Q"}, r.State.Field("same").Type).Typed()
	if typed.Mistake != nil || len(p.unions) != 65 {
		t.Errorf("the mistake is %+v, and %d structs are known", typed.Mistake, len(p.unions))
	}
}

func TestUses(t *testing.T) {
	for _, test := range []struct {
		text                string
		state, out          []string
		allState, allOutput bool
		names               []string
	}{
		{"state.Count > 1", []string{"Count"}, nil, false, false, []string{"state"}},
		{"(state).Count + state.Place.Rank + state.Count", []string{"Count", "Place", "Count"}, nil, false, false, []string{"state"}},
		{"out.Tags[state.N] == out.Name", []string{"N"}, []string{"Tags", "Name"}, false, false, []string{"out", "state"}},
		{"len(out) > 0 || state == nil", nil, nil, true, true, []string{"len", "out", "state", "nil"}},
		{"strings.Contains(out.Name, res.Err.Error())", nil, []string{"Name"}, false, false, []string{"strings", "out", "res"}},
		{"evals.Sure && !out.Done", nil, []string{"Done"}, false, false, []string{"evals", "out"}},
		{"out.A / out.B > 1", nil, []string{"A", "B"}, false, false, []string{"out"}},
		{"*out.A == 1", nil, []string{"A"}, false, false, []string{"out"}},
		{"state.A and", nil, nil, false, false, nil},
	} {
		u := Read(spec.String{V: test.text}).Uses()
		names := func(fields []Field) (list []string) {
			for _, f := range fields {
				if got := test.text[f.Offset : f.Offset+f.Width]; !strings.HasSuffix(got, "."+f.GoName) {
					t.Errorf("%s: the field %s is at %q", test.text, f.GoName, got)
				}
				list = append(list, f.GoName)
			}
			return list
		}
		if !slices.Equal(names(u.State), test.state) || !slices.Equal(names(u.Out), test.out) || u.AllState != test.allState ||
			u.AllOutput != test.allOutput || !slices.Equal(u.Names, test.names) {
			t.Errorf("%s uses %+v", test.text, u)
		}
	}
}

func TestPanics(t *testing.T) {
	scope, _ := ofState(t)
	for text, want := range map[string]bool{
		`state.Note == "a"`:                          false,
		"state.Place.Rank > 1":                       false,
		"state.Count / 2 > 1":                        true,
		"state.Tags[0] == state.Note":                true,
		"*state.Rest > 1":                            true,
		"(*state.Where).Rank > 1":                    true,
		"state.Where.Rank > 1":                       true,
		"(state.Where).Rank > 1":                     true,
		"state.Verdict.String() != ``":               true,
		"state.Where != nil":                         false,
		"state.Where != nil && state.Where.Rank > 1": false,
		"nil != (state.Where) && (state.Done && state.Where.Rank > 1)":                  false,
		"state.Where == nil || state.Done || state.Where.Rank > 1":                      false,
		"state.Rest != nil && *state.Rest > 1":                                          false,
		"state.Where == nil && state.Where.Rank > 1":                                    true,
		"state.Where != nil || state.Where.Rank > 1":                                    true,
		"state.Where.Rank > 1 && state.Where != nil":                                    true,
		"state.Done && (state.Where != nil || state.Done) && state.Where.Rank > 1":      true,
		"state.Where != nil && (state.Done || state.Where.Rank > 1 || state.Count > 1)": false,
		"state.Where != nil && *state.Rest > 1":                                         true,
	} {
		if got := In(scope, spec.String{V: text}, Bool).Panics(); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	calling := *scope
	calling.Call = "wants"
	for text, want := range map[string]bool{
		"wants(state)": true, "(wants)(state)": true, "len(state.Tags) > 1": false, "min(state.Count, 3) > 1": false, "float64(state.Count) > 1": false,
	} {
		if got := In(&calling, spec.String{V: text}, Bool).Panics(); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// FuzzType holds that any text is typed or has a mistake inside of it, whatever is wanted, and
// that a value without a mistake uses names of its scope alone.
func FuzzType(f *testing.F) {
	for _, text := range []string{"", "state.Count + 1", `[]string{"a", state.Note}`, "1 << 63", "Place{City: `x`}",
		"state.Due.Format(\"2006-02-01\")", "*state.Rest / 0", "out.Score > 1 && out.Score > 1", "f(x...)", "é.É", "state.Note[1:2:3]"} {
		f.Add(text)
	}
	scope, state := ofState(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, field := range state.Fields {
			x := In(scope, spec.String{V: text}, field.Type)
			typed := x.Typed()
			switch m := typed.Mistake; {
			case m != nil && (m.Offset < 0 || m.Width < 0 || m.Offset+m.Width > len(text) || m.Message == ""):
				t.Errorf("%s: %q: %+v", field.Name, text, m)
			case m == nil && (typed.Unsure || typed.Type == nil || x.Tree == nil):
				t.Errorf("%s: %q has no type", field.Name, text)
			case m == nil && (x.Uses().Name("res") || x.Uses().Name("evals")):
				t.Errorf("%s: %q uses what values do not see", field.Name, text)
			}
			for _, used := range append(x.Uses().State, x.Uses().Out...) {
				if at := text[used.Offset : used.Offset+used.Width]; !strings.HasSuffix(at, used.GoName) {
					t.Errorf("%q: the field %s is at %q", text, used.GoName, at)
				}
			}
		}
	})
}
