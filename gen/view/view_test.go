package view_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/gen/view"
	"github.com/graphgen/graphgen/internal/api"
	"github.com/graphgen/graphgen/internal/testing/committed"
	"github.com/graphgen/graphgen/internal/testing/hostile"
	"github.com/graphgen/graphgen/internal/testing/tier"
)

// TestViews reads the views of the graphs of the repository: their schemas compile, their transitions lead between their nodes, their pictures
// are XML, and no private field is in them.
func TestViews(t *testing.T) {
	graphs := committed.Graphs(t)
	asked := 0
	for _, g := range tier.Some(t, 40, len(graphs), graphs) {
		v := read(t, g.File, view.Of(g.Machine).JSON())
		if v.Graph != g.Machine.Name || v.Durable != g.Machine.Threads.Durable || len(v.Transitions) != len(g.Machine.Flow.Transitions) {
			t.Errorf("%s: graph %q, durable %v, %d transitions", g.File, v.Graph, v.Durable, len(v.Transitions))
		}
		names := []string{"end"}
		for _, n := range v.Nodes {
			names = append(names, n.Name)
			for _, f := range g.Machine.Types.State.Fields {
				if f.Private() && (slices.Contains(n.Writes, f.Name) || slices.Contains(n.Reads, f.Name)) {
					t.Errorf("%s: node %s has the private field %s", g.File, n.Name, f.Name)
				}
			}
		}
		for k, e := range v.Transitions {
			if e.From != "" && !slices.Contains(names, e.From) || !slices.Contains(names, e.To) || e.Rule == "" {
				t.Errorf("%s: transition %d is %+v", g.File, k+1, e)
			}
		}
		for name, of := range map[string]json.RawMessage{"input": v.Input, "output": v.Output, "state": v.State} {
			compile(t, g.File+" "+name, of)
			for _, f := range g.Machine.Types.State.Fields {
				if f.Private() && bytes.Contains(of, []byte(`"`+f.Name+`":`)) {
					t.Errorf("%s: the %s has the private field %s", g.File, name, f.Name)
				}
			}
		}
		for _, q := range v.Requests {
			asked++
			if q.Kind == "" || q.Node == "" && q.Tool == "" || q.Choices == nil && q.Answer == nil && q.Kind != view.Interrupt {
				t.Errorf("%s: a request is %+v", g.File, q)
			}
			for _, of := range []json.RawMessage{q.Answer, q.Arguments} {
				if of != nil {
					compile(t, g.File+" "+q.Node+q.Tool, of)
				}
			}
		}
		for _, m := range v.Messages {
			compile(t, g.File+" "+m.Node, m.Payload)
		}
		description, err := api.Describe(string(view.Of(g.Machine).JSON()))
		if err != nil {
			t.Fatal(err)
		}
		events, err := api.Events(&api.Graph{Name: v.Graph, Durable: v.Durable, Description: description})
		if err != nil {
			t.Fatal(err)
		}
		compile(t, g.File+" events", events)
		var state struct{ Properties map[string]json.RawMessage }
		if err := json.Unmarshal(v.State, &state); err != nil {
			t.Fatal(err)
		}
		for _, p := range description.Prompts {
			for _, field := range p.Fields() {
				if state.Properties[field] == nil {
					t.Errorf("%s: the prompt of %s has the field %s, which the state has not", g.File, p.Node, field)
				}
			}
		}
	}
	if asked == 0 {
		t.Error("no graph asks")
	}
}

// TestRequests holds the requests of a graph by their kinds.
func TestRequests(t *testing.T) {
	m := plan.Machine{}
	for _, g := range committed.Graphs(t) {
		if strings.HasSuffix(g.File, "golden/durable/clerk.graph.yaml") {
			m = *g.Machine
		}
	}
	v := view.Of(&m)
	var got []string
	for _, q := range v.Requests {
		got = append(got, q.Kind+" "+q.Node+q.Tool)
	}
	if want := []string{"approval refund", "client locate"}; !slices.Equal(got, want) {
		t.Errorf("the requests are %v, want %v", got, want)
	}
	if answer := string(v.Requests[1].Answer); !strings.Contains(answer, `"result"`) || !strings.Contains(answer, `"error"`) {
		t.Errorf("the answer is %s", answer)
	}
}

// TestChildren holds the graphs that nodes run: each is there once, with all nodes that run it, and what it is given without private fields.
func TestChildren(t *testing.T) {
	load := func(text string) *plan.Machine {
		read := func(path string) ([]byte, error) {
			return map[string][]byte{"a.graph.yaml": []byte(`graph: a
entry: one
state: {text: string, more: {type: string, private: true}, out: string}
input: [text, more]
output: out
nodes:
  one: {reads: [text, more], writes: out, next: end}
`), "b.graph.yaml": []byte(`graph: b
entry: deep
use: {a: a.graph.yaml}
state: {text: string, more: {type: string, private: true}, out: string}
input: [text, more]
output: out
nodes:
  deep: {kind: subgraph, graph: a, in: {text: text, more: more}, out: {out: out}, next: end}
`)}[filepath.Base(path)], nil
		}
		return committed.Load("top.graph.yaml", []byte(text), read)
	}
	v := view.Of(load(`graph: top
entry: first
use: {a: a.graph.yaml, other: b.graph.yaml}
state: {text: string, more: {type: string, private: true}, out: string}
input: [text, more]
output: out
nodes:
  first: {kind: subgraph, graph: other, in: {text: text, more: more}, out: {out: out}, next: second}
  second: {kind: subgraph, graph: a, in: {text: out, more: more}, out: {out: out}, next: end}
`))
	read(t, "top", v.JSON())
	var got []string
	for _, g := range v.Graphs {
		if !strings.Contains(g.Picture, `id="node-`+g.Nodes[0].Name+`"`) || strings.Contains(g.Picture, "<style>") || len(g.Transitions) != 2 {
			t.Errorf("graph %s: %d transitions, %s", g.Graph, len(g.Transitions), g.Picture)
		}
		got = append(got, fmt.Sprint(g.Graph, g.At, g.Nodes[0].Name, g.Nodes[0].Reads, g.Nodes[0].In))
	}
	if want := []string{"b[first]deep[text] map[text:text]", "a[first/deep second]one[text] map[]"}; !slices.Equal(got, want) {
		t.Errorf("the graphs are %q, want %q", got, want)
	}
	if in := fmt.Sprint(v.Nodes[1].In); in != "map[text:out]" {
		t.Errorf("the second graph is given %s", in)
	}
}

// TestOutputsOfCutRuns holds that the output of a run whose steps are used up fits the schema, as far as it is there, and that others need all of it.
func TestOutputsOfCutRuns(t *testing.T) {
	for limit, fits := range map[string][]bool{"error": {true, false, false}, "last": {true, true, false}, "flag": {true, true, true}} {
		v := view.Of(committed.Load("g.graph.yaml", []byte(`graph: g
entry: a
serve: true
limits: {max_steps: 2, on_max_steps: `+limit+`}
types:
  Level: {enum: [low, high]}
state: {level: Level, count: {type: int, min: 1}, by: {type: string, default: none}}
output: [level, count, by]
nodes:
  a: {writes: [level, count], next: end}
`), os.ReadFile))
		of, err := jsonschema.UnmarshalJSON(bytes.NewReader(v.Output))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("x.json", of); err != nil {
			t.Fatal(err)
		}
		output, err := c.Compile("x.json")
		if err != nil {
			t.Fatal(err)
		}
		for k, value := range []map[string]any{
			{"level": "low", "count": 1, "by": "me"}, {"by": "none"}, {"by": "none", "max_steps_reached": true},
		} {
			if err := output.Validate(value); (err == nil) != fits[k] {
				t.Errorf("on_max_steps: %s, %v: %v", limit, value, err)
			}
		}
		for _, wrong := range []map[string]any{{"level": "high", "count": 0, "by": "me"}, {"level": "high", "count": 1, "by": "me", "more": 1}} {
			if output.Validate(wrong) == nil {
				t.Errorf("on_max_steps: %s: %v fits", limit, wrong)
			}
		}
	}
}

// TestHostileTexts holds that texts of authors are texts in a view, and that a raw string of Go holds it.
func TestHostileTexts(t *testing.T) {
	source, err := os.ReadFile("../../testdata/diagram/hosts.graph.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hostile.Texts {
		m := committed.Load("hosts.graph.yaml", source, os.ReadFile)
		m.Name, m.Doc = h.Text, h.Text
		for _, n := range m.Flow.Nodes {
			n.Doc = h.Text
		}
		for _, w := range m.Flow.Transitions {
			w.Label, w.Text = h.Text, h.Text
		}
		text := view.Of(m).JSON()
		v := read(t, h.Name, text)
		if want := strings.ToValidUTF8(h.Text, "\uFFFD"); v.Doc != want && len(h.Text) < 1000 {
			t.Errorf("%s: the doc is %q, want %q", h.Name, v.Doc, want)
		}
		if bad := bytes.ContainsFunc(text, func(r rune) bool { return r == '`' || r == '\r' || r >= 0x202a && r <= 0x202e || r == 0xfeff }); bad {
			t.Errorf("%s: a raw string does not hold\n%s", h.Name, text)
		}
	}
}

// read reads a view, and holds that it is one line for a member or an element.
func read(t *testing.T, name string, text []byte) *view.View {
	t.Helper()
	v := new(view.View)
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(v); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	for tokens := xml.NewDecoder(strings.NewReader(v.Picture)); ; {
		_, err := tokens.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: the picture: %v", name, err)
		}
	}
	if lines := bytes.Count(text, []byte("\n")); lines > 25+len(v.Nodes)+len(v.Transitions)+len(v.Graphs)+len(v.Requests)+len(v.Messages)+len(v.Prompts) {
		t.Errorf("%s: it has %d lines", name, lines)
	}
	return v
}

func compile(t *testing.T, name string, schema []byte) {
	t.Helper()
	of, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("x.json", of); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if _, err := c.Compile("x.json"); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}
