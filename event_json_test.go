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
		return graphgen.Event{Kind: kind, Time: at, Run: run, Node: "critic", NodeKind: "prompt", Step: 2, Visit: 1}
	}
	with := func(kind graphgen.EventKind, set func(*graphgen.Event)) graphgen.Event {
		e := step(kind)
		set(&e)
		return e
	}
	usage := chat.Usage{Input: 10, Output: 5, Reasoning: 2, CacheRead: 3, CacheWrite: 4, Cost: 0.0125}
	return []graphgen.Event{
		{Kind: graphgen.RunStart, Time: at, Run: &graphgen.RunInfo{ID: "r1", Graph: "review"}},
		step(graphgen.NodeStart),
		with(graphgen.NodeStart, func(e *graphgen.Event) { e.Dynamic = true }),
		with(graphgen.NodeEnd, func(e *graphgen.Event) { e.Skipped, e.Wait = true, 1500*time.Microsecond }),
		with(graphgen.NodeFailed, func(e *graphgen.Event) { e.Err = errors.New("no \"network\"\n\xff") }),
		with(graphgen.Routed, func(e *graphgen.Event) {
			e.Route = &graphgen.Route{To: "publish", Rule: graphgen.RuleEdge, Reason: "if out.Score >= 4", Label: "good enough"}
		}),
		with(graphgen.RouteRejected, func(e *graphgen.Event) { e.Text = "nowhere" }),
		with(graphgen.Retry, func(e *graphgen.Event) {
			e.Attempt, e.Wait, e.Err = 1, 1500*time.Millisecond, errors.New("busy")
		}),
		with(graphgen.Progress, func(e *graphgen.Event) { e.Reason = "iteration 2 of draft" }),
		with(graphgen.Token, func(e *graphgen.Event) {
			e.Text, e.Reasoning, e.Call = "héllo", "hm", &graphgen.Call{Name: "search"}
		}),
		with(graphgen.ModelStart, func(e *graphgen.Event) {
			e.Call = &graphgen.Call{Name: "large", Purpose: chat.Answer, Prompt: "56ca6b5e76e2efa6", Attempt: 2}
		}),
		with(graphgen.ModelEnd, func(e *graphgen.Event) {
			e.Call = &graphgen.Call{Name: "large-1", ID: "x", Latency: 2500 * time.Microsecond, Purpose: chat.Answer, Attempt: 2,
				Usage: usage, Finish: chat.Stop}
		}),
		with(graphgen.ToolStart, func(e *graphgen.Event) {
			e.Text, e.Call = `{"query":"a"}`, &graphgen.Call{Name: "search", ID: "1"}
		}),
		with(graphgen.ToolEnd, func(e *graphgen.Event) {
			e.Text, e.Call = "\xffraw", &graphgen.Call{Name: "search", ID: "1", Latency: time.Second, Again: true}
		}),
		step(graphgen.CacheHit),
		with(graphgen.OverBudget, func(e *graphgen.Event) {
			e.Err = &graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "tokens", Max: 1, Used: 2}
		}),
		with(graphgen.Mutated, func(e *graphgen.Event) { e.Text, e.Reason = "add_edge a b", "there is no node b" }),
		with(graphgen.Say, func(e *graphgen.Event) { e.Text, e.Origin = "3 files", origin.To(files(3)) }),
		with(graphgen.Say, func(e *graphgen.Event) { e.Origin = origin.To(files(-1)) }),
		with(graphgen.Interrupt, func(e *graphgen.Event) { e.Text = "Publish?" }),
		with(graphgen.RunEnd, func(e *graphgen.Event) {
			e.Origin = origin.To(ended{
				Reason: graphgen.Budget, Steps: 2, Failures: make([]graphgen.Failure, 1), Refusals: make([]graphgen.Refusal, 2), Retries: 3, CacheHits: 4,
				Skips: 5, Rejected: 6, HookFailures: 7, Usage: usage, ModelCalls: 8, Tools: graphgen.ToolCount{Made: 9, Failed: 10, Deduplicated: 11},
			})
		}),
	}
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
	full := graphgen.Event{Line: 3, Col: 5, Time: at, Run: run, Route: &graphgen.Route{}, Call: &graphgen.Call{}}
	for name, part := range map[string]reflect.Value{
		"Event": reflect.ValueOf(&full).Elem(), "Route": reflect.ValueOf(full.Route).Elem(), "Call": reflect.ValueOf(full.Call).Elem(),
		"Usage": reflect.ValueOf(&full.Call.Usage).Elem(),
	} {
		for i := range part.NumField() {
			field, of := part.Field(i), name+"."+part.Type().Field(i).Name
			if !part.Type().Field(i).IsExported() || of == "Event.Origin" || of == "Call.Usage" {
				continue
			}
			before, kept := eventText(t, full), reflect.New(field.Type()).Elem()
			kept.Set(field)
			change(field)
			if after := eventText(t, full); after == before {
				t.Errorf("%s is not in %s", of, after)
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
	case **graphgen.RunInfo, **graphgen.Route, **graphgen.Call:
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
		e := graphgen.Event{Kind: graphgen.ModelEnd, Call: &graphgen.Call{Name: "a", Usage: chat.Usage{Cost: cost}}}
		if got := eventText(t, e); got != `{"kind":"model_end","call":{"name":"a","usage":{}}}` {
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
		if inner, ok := value.(map[string]any); ok && name != "payload" { // which has the names of a spec
			documented(t, section, inner)
		}
	}
}
