package versions_test

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/runtime/versions"
)

// steps bring runs through three releases. The first renames fields, a value, the elements of a union and nodes; the
// second changes nothing of the state; the third is a migration.
func steps() *versions.Versions {
	return &versions.Versions{Version: 4, Shape: "d", Steps: []versions.Step{
		{
			Version: 1, Shape: "a",
			Maps: []versions.Map{
				{},
				{Fields: []versions.Field{{From: "text", To: "body"}, {From: "tree", To: "tree", Map: 2},
					{From: "by", To: "by", Map: 4}, {From: "any", To: "any", Map: 5}}},
				{Fields: []versions.Field{{From: "below", To: "under", Map: 3}, {From: "kind", To: "kind", Map: 6}}},
				{Elem: 2},
				{Elem: 6},
				{Label: "is", Variants: []versions.Variant{{Label: "round", Map: 7}}},
				{Values: []versions.Rename{{From: "leaf", To: "end"}}},
				{Fields: []versions.Field{{From: "r", To: "radius"}}},
			},
			State: 1, Outputs: []versions.Output{{Node: "look", Map: 2}, {Node: "read"}},
			Nodes: []versions.Rename{{From: "look", To: "see"}, {From: "ask", To: "question"}},
		},
		{Version: 2, Shape: "b", Outputs: []versions.Output{{Node: "see"}, {Node: "read"}},
			Nodes: []versions.Rename{{From: "see", To: "watch"}, {From: "fresh", To: "look"}}},
		{
			Version: 3, Shape: "c", Outputs: []versions.Output{{Node: "watch"}}, Lost: []string{"question"},
			Migrate: func(state string) (string, error) {
				if state == `"panics"` {
					panic("it panics")
				}
				if state == `"bad"` {
					return "", errBad
				}
				return `{"was":` + state + `}`, nil
			},
			Node: func(node, state string) (string, error) { return node + " of " + state, nil },
		},
	}}
}

var errBad = errors.New("a bad state")

func TestUpgrade(t *testing.T) {
	for name, tt := range map[string]struct {
		shape     string
		run, want versions.Run
	}{
		"the version of the machine": {"d", versions.Run{State: `{"text":1}`, Node: "ask"}, versions.Run{State: `{"text":1}`, Node: "ask"}},
		"names of fields": {"a", versions.Run{State: `{"text":"x","more":[1]}`, Node: "read"},
			versions.Run{State: `{"was":{"body":"x","more":[1]}}`, Node: "read",
				Nodes: map[string]string{"look": "watch", "ask": "question", "fresh": "look"}}},
		"a type that holds itself": {"a", versions.Run{State: `{"tree":{"kind":"node","below":[{"kind":"leaf","below":[]},null]}}`},
			versions.Run{State: `{"was":{"tree":{"kind":"node","under":[{"kind":"end","under":[]},null]}}}`,
				Nodes: map[string]string{"look": "watch", "ask": "question", "fresh": "look"}}},
		"values of a map, not its keys": {"a", versions.Run{State: `{"by":{"leaf":"leaf","b":"node","c":null}}`},
			versions.Run{State: `{"was":{"by":{"leaf":"end","b":"node","c":null}}}`,
				Nodes: map[string]string{"look": "watch", "ask": "question", "fresh": "look"}}},
		"variants, wherever the label is": {"a", versions.Run{State: `{"any":{"r":1,"is":"round"},"text":{"is":"round","r":1}}`},
			versions.Run{State: `{"was":{"any":{"radius":1,"is":"round"},"body":{"is":"round","r":1}}}`,
				Nodes: map[string]string{"look": "watch", "ask": "question", "fresh": "look"}}},
		"another variant": {"a", versions.Run{State: `{"any":{"is":"flat","r":1}}`},
			versions.Run{State: `{"was":{"any":{"is":"flat","r":1}}}`, Nodes: map[string]string{"look": "watch", "ask": "question", "fresh": "look"}}},
		"outputs that go on": {"a", versions.Run{State: `{}`, Outputs: map[string]string{"look": `{"below":[]}`, "read": `1`, "gone": `2`}},
			versions.Run{State: `{"was":{}}`, Outputs: map[string]string{"watch": `{"under":[]}`},
				Nodes: map[string]string{"look": "watch", "ask": "question", "fresh": "look"}}},
		"a node that is lost, by its last name": {"a", versions.Run{State: `{}`, Node: "ask"},
			versions.Run{State: `{"was":{}}`, Node: `question of {"was":{}}`, Nodes: map[string]string{"look": "watch", "ask": "question", "fresh": "look"}}},
		"a later version": {"b", versions.Run{State: `{"text":1}`, Node: "see"},
			versions.Run{State: `{"was":{"text":1}}`, Node: "watch", Nodes: map[string]string{"see": "watch", "fresh": "look"}}},
	} {
		got, err := steps().Upgrade(tt.shape, tt.run)
		if err != nil || got.State != tt.want.State || got.Node != tt.want.Node || !maps.Equal(got.Outputs, tt.want.Outputs) ||
			!maps.Equal(got.Nodes, tt.want.Nodes) {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, tt.want)
		}
	}
}

// What branches have written is by the names of the next version. Where the author merges, it is a list of values.
func TestNotes(t *testing.T) {
	for name, tt := range map[string]struct{ field, text, to, want string }{
		"another name":      {"text", `"x"`, "body", `"x"`},
		"a value":           {"tree", `{"below":[]}`, "tree", `{"under":[]}`},
		"a list of values":  {"tree", `[{"below":[]},null]`, "tree", `[{"under":[]},null]`},
		"a map":             {"by", `{"a":"leaf"}`, "by", `{"a":"end"}`},
		"what stays as is":  {"more", `[1]`, "more", `[1]`},
		"a list of unions":  {"any", `[{"r":1,"is":"round"}]`, "any", `[{"radius":1,"is":"round"}]`},
		"an empty list":     {"tree", `[]`, "tree", `[]`},
		"what is not there": {"tree", `null`, "tree", `null`},
	} {
		v := steps()
		v.Steps = v.Steps[:1]
		got, err := v.Upgrade("a", versions.Run{State: `{}`, Notes: map[string]string{tt.field: tt.text}})
		if err != nil || len(got.Notes) != 1 || got.Notes[tt.to] != tt.want {
			t.Errorf("%s: got %v, %v, want %s: %s", name, got.Notes, err, tt.to, tt.want)
		}
	}
	v := steps()
	v.Steps = v.Steps[:1]
	if got, err := v.Upgrade("a", versions.Run{State: `{}`, Notes: map[string]string{"tree": `[`}}); err == nil {
		t.Errorf("a list without its end becomes %v", got.Notes)
	}
}

// Fields with a default are added, and a migration is not given what is not set.
func TestAdds(t *testing.T) {
	v := &versions.Versions{Version: 2, Shape: "b", Steps: []versions.Step{{
		Version: 1, Shape: "a", Adds: []versions.Member{{Name: "tone", JSON: `"plain"`}, {Name: "n", JSON: "0.5"}},
	}}}
	for state, want := range map[string]string{`{"x":1}`: `{"x":1,"tone":"plain","n":0.5}`, `{}`: `{"tone":"plain","n":0.5}`} {
		if got, err := v.Upgrade("a", versions.Run{State: state}); err != nil || got.State != want {
			t.Errorf("%s becomes %s, %v, want %s", state, got.State, err, want)
		}
	}
	for _, state := range []string{`{"tone":"x"}`, `{`, ``, `{"x"}`} {
		if got, err := v.Upgrade("a", versions.Run{State: state}); err == nil {
			t.Errorf("%s becomes %s", state, got.State)
		}
	}
}

// Only the members of the outermost objects are renamed: what is below them is of the graph.
func TestRenamed(t *testing.T) {
	names := map[string]string{"ask": "confirm"}
	for text, want := range map[string]string{
		`{"of":"ask","n":"ask"}`:                    `{"of":"confirm","n":"ask"}`,
		`[{"of":"ask"},{"of":"x","v":["ask"]}]`:     `[{"of":"confirm"},{"of":"x","v":["ask"]}]`,
		`[{"v":{"of":"ask"}},{"v":[{"of":"ask"}]}]`: `[{"v":{"of":"ask"}},{"v":[{"of":"ask"}]}]`,
		`{"v":{"of":"ask"}}`:                        `{"v":{"of":"ask"}}`,
		`null`:                                      `null`,
		`["of","ask"]`:                              `["of","ask"]`,
	} {
		if got, err := versions.Renamed(text, "of", names); err != nil || got != want {
			t.Errorf("%s becomes %s, %v, want %s", text, got, err, want)
		}
	}
	if got, err := versions.Renamed(`{"of":`, "of", names); err == nil {
		t.Errorf("what is no JSON becomes %s", got)
	}
}

func TestUpgradeRefuses(t *testing.T) {
	given := map[string]string{"look": `{"below":[]}`}
	for name, tt := range map[string]struct {
		shape, state string
		want         string
	}{
		"an unknown shape":      {"z", `{}`, `the graph has no release with the shape "z"`},
		"a migration":           {"c", `"bad"`, "from version 3 to version 4: a bad state"},
		"a panic":               {"c", `"panics"`, "from version 3 to version 4: panic: it panics"},
		"what is not JSON":      {"a", `{"text":`, ""},
		"more after a value":    {"a", `{} {}`, "from version 1 to version 2: there is more after the JSON of a value"},
		"two fields of a name":  {"a", `{"text":1,"body":2}`, ""},
		"a label that is open":  {"a", `{"any":{"is":"round"`, ""},
		"a list that is open":   {"a", `{"tree":{"below":[`, ""},
		"a name without quotes": {"a", `{text:1}`, ""},
	} {
		got, err := steps().Upgrade(tt.shape, versions.Run{State: tt.state, Outputs: given})
		if err == nil || tt.want != "" && err.Error() != tt.want || got.State != "" {
			t.Errorf("%s: got %+v, %v, want %s", name, got, err, tt.want)
		}
	}
	if _, err := steps().Upgrade("z", versions.Run{}); err == nil || err.Error() != `the graph has no release with the shape "z"` {
		t.Errorf("the error of the shape z is %v", err)
	}
	if _, err := steps().Upgrade("c", versions.Run{State: `"bad"`}); !errors.Is(err, errBad) || !strings.HasPrefix(err.Error(), "from version 3 ") {
		t.Errorf("the error of the function of version 3 is %v", err)
	}
	if len(given) != 1 || given["look"] != `{"below":[]}` {
		t.Errorf("the run that was given has the outputs %v", given)
	}
}

// mapped is a value of the next version, from one that encoding/json has read.
func mapped(maps []versions.Map, index int, v any) any {
	m := maps[index]
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = mapped(maps, m.Elem, v[i])
		}
		return out
	case string:
		for _, r := range m.Values {
			if r.From == v {
				return r.To
			}
		}
	case map[string]any:
		if m.Label != "" {
			for _, variant := range m.Variants {
				if variant.Label == v[m.Label] {
					return mapped(maps, variant.Map, v)
				}
			}
			return v
		}
		out := map[string]any{}
		for name, value := range v {
			to, next := name, m.Elem
			for _, f := range m.Fields {
				if f.From == name {
					to, next = f.To, f.Map
				}
			}
			out[to] = mapped(maps, next, value)
		}
		return out
	}
	return v
}

// FuzzUpgrade holds that what becomes of any text is what becomes of the value that encoding/json reads.
func FuzzUpgrade(f *testing.F) {
	for _, text := range []string{`{"tree":{"kind":"leaf","below":[null]}}`, `{"any":{"r":1,"is":"round"}}`, `{"by":{"a":"leaf"}}`,
		`[1,{"text":"\ud800"}]`, `{"text":1,"text":2}`, `{"by":["leaf"]}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := steps()
		v.Steps = v.Steps[:1]
		run, err := v.Upgrade("a", versions.Run{State: text})
		if err != nil {
			return
		}
		was, is := decoded(t, text), decoded(t, run.State)
		if want := mapped(v.Steps[0].Maps, 1, was); !reflect.DeepEqual(is, want) {
			t.Errorf("%s becomes %s, want %v", text, run.State, want)
		}
	})
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}
