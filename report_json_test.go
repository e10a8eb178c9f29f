package graphgen_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/mutation"
)

// An answer is an output as generated code has it.
type answer struct{ text string }

func (a answer) MarshalJSON() ([]byte, error) {
	if a.text == "" {
		return nil, errors.New("no text")
	}
	return json.Marshal(map[string]string{"text": a.text})
}

// full returns a report with something in every field.
func full() *graphgen.Report {
	usage := chat.Usage{Input: 10, Output: 5, Reasoning: 2, CacheRead: 3, CacheWrite: 4, Cost: 0.0125}
	pos := graphgen.Position{File: "review.graph.yaml", Line: 12, Col: 3}
	where := graphgen.Where{Graph: "review", Branch: "each/3", Node: "critic", Step: 2, Visit: 1, Pos: pos}
	tools := graphgen.ToolCount{Made: 9, Failed: 8, Deduplicated: 7}
	return &graphgen.Report{
		ID: "r1", Graph: "review", Reason: graphgen.Budget, Ending: "refused", Steps: 3,
		Path: []graphgen.Visit{{Node: "critic", Visit: 1}, {Node: "fix", Visit: 1}}, Dropped: 1,
		Transitions: []graphgen.TransitionCount{{From: "critic", To: "fix", Rule: graphgen.RuleEdge, Text: "if out.Score < 4",
			Label: "poor", Pos: pos, Count: 2}},
		Nodes:    []graphgen.NodeCount{{Node: "critic", Visits: 2, Time: time.Second, Usage: usage, ModelCalls: 2, Tools: tools}, {Node: "fix"}},
		Failures: []graphgen.Failure{{Err: &graphgen.NodeError{Where: where, Attempt: 2, Err: errors.New("no \"network\"\n\xff")}, Soft: true, Cleared: true}},
		Refusals: []graphgen.Refusal{{Where: where, Attempt: 1, Guards: []graphgen.GuardFailure{{Guard: "short", Message: "too long"}}}},
		Retries:  1, CacheHits: 2, Skips: 3, Rejected: 4, HookFailures: 5, Usage: usage, ModelCalls: 6, Tools: tools,
		Nested: []graphgen.NestedReport{{Node: "fix", Branch: "each/1", Visit: 1, Attempt: 2,
			Report: &graphgen.Report{Graph: "fixer", Reason: graphgen.Failed, Detail: &graphgen.RunDetail{Output: &answer{"inner"}}}}},
		NestedDropped: 1,
		Prompts:       []graphgen.PromptCount{{Node: "critic", Purpose: chat.Answer, Version: "3f2a91c0de44", Replaced: true, ModelCalls: 2}},
		Mutations:     []mutation.Entry{{Node: "critic", Step: 2, Action: mutation.ActionAddNode, Text: "a node", Refused: "too many"}},
		Detail: &graphgen.RunDetail{
			From: 2, Duration: 1500 * time.Millisecond, ModelTime: time.Second, ToolTime: 2500 * time.Microsecond,
			Times: []time.Duration{time.Second, time.Millisecond},
			Nodes: []graphgen.NodeDetail{{Kind: "prompt", ModelTime: time.Second, ToolTime: time.Millisecond}, {Kind: "func"}},
			Steps: []graphgen.StepDetail{{ModelCalls: 2, Usage: usage, ModelTime: time.Second, ToolCalls: 3, ToolFailures: 1,
				Deduplicated: 1, ToolTime: time.Millisecond}, {}},
			Calls: []graphgen.ModelCall{{Node: "critic", Branch: "each/3", Visit: 1, Attempt: 2, Model: "large", Purpose: chat.Answer,
				Prompt: "3f2a91c0de44", Finish: chat.Stop, Usage: usage, Latency: time.Second, Err: errors.New("busy")}},
			CallsDropped: 3,
			Guards:       []graphgen.GuardCount{{Node: "critic", Guard: "short", Passed: 2, Refused: 1}},
			LeftOut:      []graphgen.OmittedBlock{{Node: "critic", Branch: "each/3", Visit: 1, Block: "facts"}},
			Output:       &answer{"done"},
		},
	}
}

func reportText(t *testing.T, r *graphgen.Report) string {
	t.Helper()
	data, err := r.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestReportJSON(t *testing.T) {
	var got bytes.Buffer
	if err := json.Indent(&got, []byte(reportText(t, full())), "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	file := filepath.Join("testdata", "report.json")
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the report is\n%s, want\n%s", got.String(), want)
	}
}

// TestReportJSONHasEveryField holds that the JSON has every field of a report and of what is in it.
func TestReportJSONHasEveryField(t *testing.T) {
	r := full()
	outside := map[string]bool{"Report.Origin": true, "Where.Graph": true} // the graph of a failure is that of its report
	var visit func(v reflect.Value, of string)
	visit = func(v reflect.Value, of string) {
		switch v.Kind() {
		case reflect.Pointer:
			visit(v.Elem(), of)
		case reflect.Slice:
			visit(v.Index(0), of)
		case reflect.Struct:
			for i := range v.NumField() {
				name := v.Type().Name() + "." + v.Type().Field(i).Name
				if v.Type().Field(i).IsExported() && !outside[name] {
					visit(v.Field(i), name)
				}
			}
			return
		}
		if of == "NestedReport.Report" || v.Kind() == reflect.Pointer {
			return
		}
		before := reportText(t, r)
		kept := reflect.New(v.Type()).Elem()
		kept.Set(v)
		v.SetZero()
		if reportText(t, r) == before {
			t.Errorf("%s is not in %s", of, before)
		}
		v.Set(kept)
	}
	nested := r.Nested[0].Report
	r.Nested[0].Report = nil
	visit(reflect.ValueOf(r).Elem(), "")
	before := reportText(t, r)
	r.Nested[0].Report = nested
	if reportText(t, r) == before {
		t.Error("a child run is not in the JSON")
	}
}

func TestReportIsMarshaler(t *testing.T) {
	want := reportText(t, full())
	if data, err := json.Marshal(full()); err != nil || len(data) < len(want) {
		t.Errorf("encoding/json gives %s and %v, want %s", data, err, want)
	}
	var b bytes.Buffer
	if err := (full()).MarshalJSONTo(jsontext.NewEncoder(&b)); err != nil || strings.TrimSpace(b.String()) != want {
		t.Errorf("jsontext gives %s and %v, want %s", b.String(), err, want)
	}
}

// TestReportOfOutputWithoutJSON holds that an output without JSON is left out, and that Append returns its error.
func TestReportOfOutputWithoutJSON(t *testing.T) {
	for name, c := range map[string]struct {
		output any
		err    string
	}{"an error": {&answer{}, "no text"}, "no method": {new(int), ""}, "none": {nil, ""}} {
		r := &graphgen.Report{Detail: &graphgen.RunDetail{Output: c.output}}
		data, err := r.AppendJSON([]byte("x"))
		if string(data) != `x{"reason":"completed"}` || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s: %s, %v", name, data, err)
		}
		if data, err := json.Marshal(r); err != nil || string(data) != `{"reason":"completed"}` {
			t.Errorf("%s: %s, %v", name, data, err)
		}
	}
}

// schema returns the schema of the page.
func schema(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("docs", "reference", name))
	if err != nil {
		t.Fatal(err)
	}
	s, err := jsonschema.NewCompiler().Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t testing.TB, s *jsonschema.Schema, data []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%s: %v", data, err)
	}
}

// TestReportSchema holds that the published schema has every member, and no other.
func TestReportSchema(t *testing.T) {
	s, text := schema(t, "report.schema.json"), reportText(t, full())
	validate(t, s, []byte(text))
	for _, name := range []string{`{"reason":"completed","more":1}`, `{"reason":"done"}`, `{"reason":"completed","nested":[{"node":"a","report":{}}]}`} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(name))
		if err != nil {
			t.Fatal(err)
		}
		if s.Validate(v) == nil {
			t.Errorf("the schema allows %s", name)
		}
	}
	page, err := os.ReadFile(filepath.Join("docs", "reference", "report.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var members func(schema map[string]any)
	members = func(schema map[string]any) {
		for key, v := range schema {
			if inner, ok := v.(map[string]any); ok {
				if key == "properties" {
					for name := range inner {
						if !strings.Contains(text, `"`+name+`"`) {
							t.Errorf("the schema has %s, which no report has", name)
						}
					}
				}
				members(inner)
			}
		}
	}
	var all map[string]any
	if err := json.Unmarshal(page, &all); err != nil {
		t.Fatal(err)
	}
	members(all)
}

// FuzzReportJSON holds that whatever texts and numbers a report has, its JSON is valid and fits the schema.
func FuzzReportJSON(f *testing.F) {
	f.Add("critic", "too long\n\x00", 7, 0.5)
	f.Add("\xff\u202e", "\u2028\x1b[31m", math.MaxInt, math.Inf(1))
	f.Add("", "", 0, math.NaN())
	s := schema(f, "report.schema.json")
	f.Fuzz(func(t *testing.T, name, text string, n int, cost float64) {
		r, n := full(), max(n, 0)
		r.Graph, r.ID, r.Steps, r.Usage.Cost, r.Retries = name, text, n, math.Abs(cost), n
		r.Path[0].Node, r.Path[1].Visit = name+"x", max(n, 1)
		r.Transitions[0].Text, r.Transitions[0].Label, r.Transitions[0].Count = text, name, n
		r.Failures[0].Err.Err = errors.New(text)
		r.Refusals[0].Guards[0] = graphgen.GuardFailure{Guard: name + "x", Message: text}
		r.Mutations[0].Text, r.Mutations[0].Refused = text, name
		r.Detail.Calls[0].Err, r.Detail.Calls[0].Model, r.Detail.Calls[0].Latency = errors.New(text), name, time.Duration(n)
		r.Detail.LeftOut[0].Branch = text
		data, err := r.AppendJSON(nil)
		if err != nil || !json.Valid(data) {
			t.Fatalf("%s: %v", data, err)
		}
		validate(t, s, data)
	})
}
