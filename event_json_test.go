package graphgen_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/runtime/codec"
)

var (
	at  = time.Date(2026, 3, 1, 12, 30, 0, 250_000_000, time.UTC)
	run = &graphgen.RunInfo{ID: "r1", Thread: "t1", Graph: "review", File: "review.graph.yaml", Within: "details", Branch: "each/3"}
)

// events are an event of every kind, as runs make them.
func events() []graphgen.Event {
	step := func(kind graphgen.EventKind) graphgen.Event {
		return graphgen.Event{Kind: kind, N: 7, Record: 3, Time: at, Run: run, Node: "critic", NodeKind: "prompt", Step: 2, Visit: 1}
	}
	with := func(kind graphgen.EventKind, d origin.Details) graphgen.Event {
		e := step(kind)
		e.Details = d
		return e
	}
	failing := func(e graphgen.Event, err error) graphgen.Event {
		e.Err = err
		return e
	}
	dynamic, skipped := step(graphgen.NodeStart), with(graphgen.NodeEnd, origin.Details{Wait: 1500 * time.Microsecond, Text: "answer"})
	dynamic.Dynamic, skipped.Skipped = true, true
	usage := chat.Usage{Input: 10, Output: 5, Reasoning: 2, CacheRead: 3, CacheWrite: 4, Cost: 0.0125}
	asked := []graphgen.Request{{ID: "critic.1", Where: graphgen.Where{Node: "critic"}, Kind: graphgen.RequestDecision, Question: "Publish?"}}
	list := []graphgen.Event{
		{Kind: graphgen.RunStart, Time: at, Run: &graphgen.RunInfo{ID: "r1", Graph: "review", Shape: "5a5e"}},
		{Kind: graphgen.RunStart, Time: at, Run: &graphgen.RunInfo{ID: "r1", Graph: "review"}, Resumed: true},
		step(graphgen.NodeStart),
		dynamic,
		skipped,
		failing(step(graphgen.NodeFailed), errors.New("no \"network\"\n\xff")),
		with(graphgen.Routed, origin.Details{
			More: &graphgen.Route{To: "publish", Rule: graphgen.RuleEdge, Reason: "if out.Score >= 4", Label: "good enough", Transition: 4}}),
		with(graphgen.RouteRejected, origin.Details{Text: "nowhere"}),
		failing(with(graphgen.Retry, origin.Details{Number: 1, Wait: 1500 * time.Millisecond}), errors.New("busy")),
		failing(with(graphgen.Retry, origin.Details{Number: 2}), fmt.Errorf("draft: %w", &chat.ModelError{Kind: chat.RateLimited, Wait: time.Second})),
		failing(with(graphgen.Retry, origin.Details{Number: 3}), &chat.ModelError{Kind: 99}), // of no known kind
		failing(with(graphgen.ToolEnd, origin.Details{}), &chat.ToolError{Kind: chat.CallDenied}),
		with(graphgen.Progress, origin.Details{More: "iteration 2 of draft", Text: "text"}),
		with(graphgen.Token, origin.Details{Number: 5, Text: "héllo"}),
		with(graphgen.Token, origin.Details{Number: 5, Text: "hm", More: origin.Reasoning{}}),
		with(graphgen.Token, origin.Details{Number: 5, More: &chat.Delta{Text: "one", Reasoning: "two", Tool: "search", ToolID: "1"}}),
	}
	list = append(list, calls(with, usage)...)
	return append(list,
		step(graphgen.CacheHit),
		failing(step(graphgen.OverBudget), &graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "tokens", Max: 1, Used: 2}),
		with(graphgen.Mutated, origin.Details{Text: "add_edge a b", More: "there is no node b"}),
		with(graphgen.Say, origin.Details{Text: "3 files", Of: origin.To(files(3))}),
		with(graphgen.Say, origin.Details{Of: origin.To(files(-1))}),
		with(graphgen.Interrupt, origin.Details{More: &asked[0]}),
		failing(step(graphgen.RunEnd), &graphgen.InterruptedError{Pause: &graphgen.Pause{Requests: asked}}),
		with(graphgen.RunEnd, origin.Details{Of: origin.To(ended{
			Reason: graphgen.Budget, Steps: 2, Failures: make([]graphgen.Failure, 1), Refusals: make([]graphgen.Refusal, 2), Retries: 3, CacheHits: 4,
			Skips: 5, Rejected: 6, HookFailures: 7, Usage: usage, ModelCalls: 8, Tools: graphgen.ToolCount{Made: 9, Failed: 10, Deduplicated: 11},
		})}),
	)
}

// calls are the events of calls, without what models are sent and answer and with it.
func calls(with func(graphgen.EventKind, origin.Details) graphgen.Event, usage chat.Usage) (list []graphgen.Event) {
	model := func(kind graphgen.EventKind, m graphgen.ModelEvent) {
		m.Call, m.Purpose, m.Attempt = 5, chat.Answer, 2
		list = append(list, with(kind, origin.Details{More: &m}))
	}
	tool := func(kind graphgen.EventKind, t graphgen.ToolEvent) {
		t.ID, t.By, t.Name, t.Arguments = "1", 5, "search", `{"query":"a"}`
		list = append(list, with(kind, origin.Details{More: &t}))
	}
	warm := 0.5
	sent := &chat.Request{
		System: "Be brief.", Tools: []chat.ToolSpec{{Name: "search", Doc: "Finds pages.", Schema: `{"type":"object"}`}, {Name: "odd", Schema: "{"}},
		Choice: chat.ToolChoice{Mode: chat.Named, Name: "search"}, Output: &chat.Schema{Name: "verdict", JSON: `{"type":"string"}`},
		Temperature: &warm, MaxTokens: 100, Messages: []chat.Message{chat.UserText("One?"), chat.UserText("Two?")},
	}
	model(graphgen.ModelStart, graphgen.ModelEvent{Name: "large", Prompt: "56ca6b5e76e2efa6"})
	model(graphgen.ModelStart, graphgen.ModelEvent{Origin: origin.To(sent)})
	model(graphgen.ModelStart, graphgen.ModelEvent{Origin: origin.To(sent), Continues: 4, Same: 1})
	model(graphgen.ModelEnd, graphgen.ModelEvent{Name: "large-1", ID: "x", Latency: 2500 * time.Microsecond, Usage: usage, Finish: chat.Stop})
	model(graphgen.ModelEnd, graphgen.ModelEvent{Origin: origin.To(&chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "Two."}})})
	tool(graphgen.ToolStart, graphgen.ToolEvent{})
	tool(graphgen.ToolEnd, graphgen.ToolEvent{Result: "\xffraw", Latency: time.Second, Again: true})
	return list
}

// ended is a run with a report.
type ended graphgen.Report

func (r ended) Report() *graphgen.Report { return (*graphgen.Report)(&r) }

// files is a payload as generated code has it, and leads to itself. A number below 0 has no JSON.
type files int

func (f files) Payload() any { return f }

func (f files) EncodeJSON(e *codec.Encoder) {
	if e.Begin() {
		codec.AtLeast(0).WriteInt(int(f), e.Name("files"))
		e.End()
	}
}

func TestEventJSON(t *testing.T) {
	var got []byte
	for _, e := range events() {
		line, err := e.AppendJSON(got)
		if err != nil {
			t.Fatal(err)
		}
		got = append(line, '\n')
	}
	file := filepath.Join("testdata", "events.jsonl")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the events are\n%s, want\n%s", got, want)
	}
}

// TestEventJSONHasEveryField holds that the JSON has every field of an event and of what it points to.
func TestEventJSONHasEveryField(t *testing.T) {
	route, model, tool := &graphgen.Route{}, &graphgen.ModelEvent{}, &graphgen.ToolEvent{}
	start := graphgen.Event{Kind: graphgen.RunStart, Line: 3, Col: 5, Time: at, Run: run}
	for _, part := range []struct {
		event  *graphgen.Event
		of     reflect.Value
		except string
	}{
		{&start, reflect.ValueOf(&start).Elem(), "Details"},
		{&graphgen.Event{Kind: graphgen.Routed, Details: origin.Details{More: route}}, reflect.ValueOf(route).Elem(), ""},
		{&graphgen.Event{Kind: graphgen.ModelEnd, Details: origin.Details{More: model}}, reflect.ValueOf(model).Elem(), "Origin Usage Continues Same"},
		{&graphgen.Event{Kind: graphgen.ModelEnd, Details: origin.Details{More: model}}, reflect.ValueOf(&model.Usage).Elem(), ""},
		{&graphgen.Event{Kind: graphgen.ToolEnd, Details: origin.Details{More: tool}}, reflect.ValueOf(tool).Elem(), ""},
	} {
		for i := range part.of.NumField() {
			field, name := part.of.Field(i), part.of.Type().Field(i).Name
			if slices.Contains(strings.Fields(part.except), name) {
				continue
			}
			before, kept := eventText(t, *part.event), reflect.New(field.Type()).Elem()
			kept.Set(field)
			change(field)
			if after := eventText(t, *part.event); after == before {
				t.Errorf("%s of %s is not in %s", name, part.of.Type(), after)
			}
			field.Set(kept)
		}
	}
}

// change gives a field another value.
func change(field reflect.Value) {
	switch v := field.Addr().Interface().(type) {
	case *time.Time:
		*v = v.Add(time.Hour)
	case *error:
		*v = errors.New("wrong")
	case **graphgen.RunInfo:
		field.SetZero()
	default:
		switch field.Kind() {
		case reflect.String:
			field.SetString("x")
		case reflect.Bool:
			field.SetBool(true)
		case reflect.Int, reflect.Int32, reflect.Int64:
			field.SetInt(7)
		case reflect.Uint8:
			field.SetUint(1)
		case reflect.Float64:
			field.SetFloat(0.5)
		}
	}
}

func eventText(t *testing.T, e graphgen.Event) string {
	t.Helper()
	data, err := e.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestEventIsMarshaler(t *testing.T) {
	for _, e := range events() {
		want := eventText(t, e)
		if data, err := json.Marshal(e); err != nil || string(data) != compact(t, want) {
			t.Errorf("encoding/json gives %s and %v, want %s", data, err, want)
		}
		var b bytes.Buffer
		if err := (e).MarshalJSONTo(jsontext.NewEncoder(&b)); err != nil || strings.TrimSpace(b.String()) != want {
			t.Errorf("jsontext gives %s and %v, want %s", b.String(), err, want)
		}
	}
}

// compact writes JSON as package encoding/json does.
func compact(t *testing.T, text string) string {
	t.Helper()
	data, err := json.Marshal(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestEventJSONOfNoNumbers(t *testing.T) {
	for _, cost := range []float64{math.NaN(), math.Inf(1)} {
		m := &graphgen.ModelEvent{Name: "a", Usage: chat.Usage{Cost: cost}}
		e := graphgen.Event{Kind: graphgen.ModelEnd, Details: origin.Details{More: m}}
		if got := eventText(t, e); got != `{"kind":"model_end","model":{"name":"a","usage":{}}}` {
			t.Errorf("a cost of %v is %s", cost, got)
		}
	}
}

// TestEventMembersAreDocumented holds that the page of events names every member.
func TestEventMembersAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("docs", "reference", "events-and-errors.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(page), "\n## Events as JSON\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if !ok {
		t.Fatal("the page has no section of events as JSON")
	}
	for _, e := range events() {
		var members map[string]any
		if err := json.Unmarshal([]byte(eventText(t, e)), &members); err != nil {
			t.Fatal(err)
		}
		documented(t, section, members)
	}
}

func documented(t *testing.T, section string, members map[string]any) {
	for name, value := range members {
		if !strings.Contains(section, "`"+name+"`") {
			t.Errorf("the page does not have `%s`", name)
		}
		schema := name == "answer" || name == "output" || name == "payload" // these have the names of a spec
		if inner, ok := value.(map[string]any); ok && !schema {
			documented(t, section, inner)
		}
	}
}
