package eventjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/eventjson"
	"github.com/graphgen/graphgen/runtime/internal/origin"
)

var update = flag.Bool("update", false, "write testdata/events.jsonl")

var (
	at  = time.Date(2026, 3, 1, 12, 30, 0, 250_000_000, time.UTC)
	run = &graphrt.RunInfo{ID: "r1", Thread: "t1", Graph: "review", File: "review.graph.yaml", Within: "details", Branch: "each/3"}
)

// events are an event of every kind, as runs make them.
func events() []graphrt.Event {
	step := func(kind graphrt.EventKind) graphrt.Event {
		return graphrt.Event{Kind: kind, Time: at, Run: run, Node: "critic", NodeKind: "prompt", Step: 2, Visit: 1}
	}
	with := func(kind graphrt.EventKind, set func(*graphrt.Event)) graphrt.Event {
		e := step(kind)
		set(&e)
		return e
	}
	usage := chat.Usage{Input: 10, Output: 5, Reasoning: 2, CacheRead: 3, CacheWrite: 4, Cost: 0.0125}
	return []graphrt.Event{
		{Kind: graphrt.RunStart, Time: at, Run: &graphrt.RunInfo{ID: "r1", Graph: "review"}},
		step(graphrt.NodeStart),
		with(graphrt.NodeStart, func(e *graphrt.Event) { e.Dynamic = true }),
		with(graphrt.NodeEnd, func(e *graphrt.Event) { e.Skipped, e.Wait = true, 1500*time.Microsecond }),
		with(graphrt.NodeFailed, func(e *graphrt.Event) { e.Err = errors.New("no \"network\"\n\xff") }),
		with(graphrt.Routed, func(e *graphrt.Event) {
			e.Route = &graphrt.Route{To: "publish", Rule: graphrt.RuleEdge, Reason: "if out.Score >= 4", Label: "good enough"}
		}),
		with(graphrt.RouteRejected, func(e *graphrt.Event) { e.Text = "nowhere" }),
		with(graphrt.Retry, func(e *graphrt.Event) {
			e.Attempt, e.Wait, e.Err = 1, 1500*time.Millisecond, errors.New("busy")
		}),
		with(graphrt.Progress, func(e *graphrt.Event) { e.Reason = "iteration 2 of draft" }),
		with(graphrt.Token, func(e *graphrt.Event) {
			e.Text, e.Reasoning, e.Call = "héllo", "hm", &graphrt.Call{Name: "search"}
		}),
		with(graphrt.ModelStart, func(e *graphrt.Event) {
			e.Call = &graphrt.Call{Name: "large", Purpose: chat.Answer, Prompt: "56ca6b5e76e2efa6", Attempt: 2}
		}),
		with(graphrt.ModelEnd, func(e *graphrt.Event) {
			e.Call = &graphrt.Call{Name: "large-1", ID: "x", Latency: 2500 * time.Microsecond, Purpose: chat.Answer, Attempt: 2,
				Usage: usage, Finish: chat.Stop}
		}),
		with(graphrt.ToolStart, func(e *graphrt.Event) {
			e.Text, e.Call = `{"query":"a"}`, &graphrt.Call{Name: "search", ID: "1"}
		}),
		with(graphrt.ToolEnd, func(e *graphrt.Event) {
			e.Text, e.Call = "\xffraw", &graphrt.Call{Name: "search", ID: "1", Latency: time.Second, Again: true}
		}),
		step(graphrt.CacheHit),
		with(graphrt.OverBudget, func(e *graphrt.Event) { e.Err = &graphrt.BudgetError{What: "tokens", Limit: 1, Used: 2} }),
		with(graphrt.Mutated, func(e *graphrt.Event) { e.Text, e.Reason = "add_edge a b", "there is no node b" }),
		with(graphrt.Say, func(e *graphrt.Event) { e.Text, e.Origin = "3 files", origin.To(files(3)) }),
		with(graphrt.Say, func(e *graphrt.Event) { e.Origin = origin.To(files(-1)) }),
		with(graphrt.Interrupt, func(e *graphrt.Event) { e.Text = "Publish?" }),
		with(graphrt.RunEnd, func(e *graphrt.Event) {
			e.Origin = origin.To(ended{
				Reason: graphrt.Budget, Steps: 2, Failures: make([]graphrt.Failure, 1), Refusals: make([]graphrt.Refusal, 2), Retries: 3, CacheHits: 4,
				Skips: 5, Rejected: 6, HookFailures: 7, Usage: usage, ModelCalls: 8, Tools: graphrt.ToolCount{Made: 9, Failed: 10, Deduplicated: 11},
			})
		}),
	}
}

// ended is a run with a report.
type ended graphrt.Report

func (r ended) Report() *graphrt.Report { return (*graphrt.Report)(&r) }

// files is a payload as generated code has it, and leads to itself. A number below 0 has no JSON.
type files int

func (f files) Payload() any { return f }

func (f files) EncodeJSON(e *codec.Encoder) {
	if e.Begin() {
		codec.AtLeast(0).WriteInt(int(f), e.Name("files"))
		e.End()
	}
}

func TestGolden(t *testing.T) {
	var got []byte
	for _, e := range events() {
		line, err := eventjson.Append(got, &e)
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

// TestEveryField holds that the JSON has every field of an event and of what it points to.
func TestEveryField(t *testing.T) {
	full := graphrt.Event{Line: 3, Col: 5, Time: at, Run: run, Route: &graphrt.Route{}, Call: &graphrt.Call{}}
	for name, part := range map[string]reflect.Value{
		"Event": reflect.ValueOf(&full).Elem(), "Route": reflect.ValueOf(full.Route).Elem(), "Call": reflect.ValueOf(full.Call).Elem(),
		"Usage": reflect.ValueOf(&full.Call.Usage).Elem(),
	} {
		for i := range part.NumField() {
			field, of := part.Field(i), name+"."+part.Type().Field(i).Name
			if !part.Type().Field(i).IsExported() || of == "Event.Origin" || of == "Call.Usage" {
				continue
			}
			before, kept := encode(t, full), reflect.New(field.Type()).Elem()
			kept.Set(field)
			change(field)
			if after := encode(t, full); after == before {
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
	case **graphrt.RunInfo, **graphrt.Route, **graphrt.Call:
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

func encode(t *testing.T, e graphrt.Event) string {
	t.Helper()
	data, err := eventjson.Append(nil, &e)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestMarshalers(t *testing.T) {
	for _, e := range events() {
		want := encode(t, e)
		if data, err := json.Marshal(eventjson.Event{Event: e}); err != nil || string(data) != compact(t, want) {
			t.Errorf("encoding/json gives %s and %v, want %s", data, err, want)
		}
		var b bytes.Buffer
		if err := (eventjson.Event{Event: e}).MarshalJSONTo(jsontext.NewEncoder(&b)); err != nil || strings.TrimSpace(b.String()) != want {
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

func TestNumbersThatJSONLacks(t *testing.T) {
	for _, cost := range []float64{math.NaN(), math.Inf(1)} {
		e := graphrt.Event{Kind: graphrt.ModelEnd, Call: &graphrt.Call{Name: "a", Usage: chat.Usage{Cost: cost}}}
		if got := encode(t, e); got != `{"kind":"model_end","call":{"name":"a","usage":{}}}` {
			t.Errorf("a cost of %v is %s", cost, got)
		}
	}
}

// TestMembersAreDocumented holds that the page of events names every member.
func TestMembersAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "events-and-errors.md"))
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
		if err := json.Unmarshal([]byte(encode(t, e)), &members); err != nil {
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
