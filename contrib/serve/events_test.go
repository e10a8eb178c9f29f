package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/servetest"
	"github.com/graphgen/graphgen/contrib/serve/servetest/tools"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/thread"
)

// An office has the handlers, the tools and the model of the graph office of the golden graphs.
type office struct{}

func (office) Close(_ context.Context, in durable.OfficeCloseIn) (durable.OfficeCloseOut, error) {
	return durable.OfficeCloseOut{Filed: []string{"closed"}}, nil
}
func (office) File(context.Context, durable.ClerkFileIn) (durable.ClerkFileOut, error) {
	return durable.ClerkFileOut{Filed: []string{"filed"}}, nil
}
func (office) LookUp(context.Context, durable.ClerkLookUpArgs) (int, error) { return 120, nil }
func (office) Refund(context.Context, durable.ClerkRefundArgs) (string, error) {
	return "paid", nil
}

// Generate looks an order up and pays it back, and then answers.
func (office) Generate(_ context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	if len(req.Messages) > 1 {
		if stream != nil {
			stream(chat.Delta{Text: "It is paid."})
		}
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "It is paid."}}, nil
	}
	return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Calls: []chat.ToolCall{
		{ID: "a", Name: "look_up", Arguments: `{"order":"A"}`}, {ID: "b", Name: "refund", Arguments: `{"order":"A","cents":1}`},
	}}}, nil
}

// failing is a handler that fails.
type failing struct{}

func (failing) Fail(context.Context) (tools.FailingFailOut, error) {
	return tools.FailingFailOut{}, errors.New("no")
}

// events returns the schema of the events of a graph, as its clients get it.
func (s *site) events(graph string) *jsonschema.Schema {
	s.t.Helper()
	var of struct{ Events json.RawMessage }
	if err := json.Unmarshal([]byte(s.want(s.do("GET", "/graphs/"+graph, ""), http.StatusOK).body), &of); err != nil {
		s.t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(of.Events)))
	if err != nil {
		s.t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("events.json", v); err != nil {
		s.t.Fatal(err)
	}
	schema, err := c.Compile("events.json")
	if err != nil {
		s.t.Fatal(err)
	}
	return schema
}

// fits validates an event by its name and its data.
func (s *site) fits(schema *jsonschema.Schema, name, data string) error {
	s.t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"` + name + `":` + data + `}`))
	if err != nil {
		s.t.Fatalf("%s: %v", data, err)
	}
	return schema.Validate(v)
}

// TestEventSchemas holds that what streams of runs of served and of golden graphs have fits the schemas of their events, which clients get, with and
// without what is for developers.
func TestEventSchemas(t *testing.T) {
	for _, details := range []bool{false, true} {
		s := servesTyped(t, details)
		schemas, seen := map[string]*jsonschema.Schema{}, map[string]bool{}
		stream := func(graph, method, path, body string) {
			t.Helper()
			if schemas[graph] == nil {
				schemas[graph] = s.events(graph)
			}
			r := s.open(s.request(method, path, body, "Accept", "text/event-stream"))
			for _, e := range r.all() {
				if err := s.fits(schemas[graph], e.name, e.data); err != nil {
					t.Errorf("%s: event %s %s: %v", graph, e.name, e.data, err)
				}
				var of struct {
					Kind    string
					Written []any
				}
				if err := json.Unmarshal([]byte(e.data), &of); err != nil {
					t.Fatal(err)
				}
				if seen[e.name+" "+of.Kind] = true; len(of.Written) > 0 {
					seen["written"] = true
				}
			}
		}
		stream("orders", "POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "A-7"}}`)
		stream("orders", "POST", "/threads/a/requests/approve.1", `"approve"`)
		stream("orders", "POST", "/graphs/orders/threads", `{"thread": "b", "input": {"order": "broken"}}`)
		stream("orders", "GET", "/threads/a/events", "")
		stream("orders", "GET", "/threads/a/events?after=99", "")
		for _, graph := range []string{"simple", "progress", "failing"} {
			stream(graph, "POST", "/graphs/"+graph+"/runs", `{"input": {}}`)
		}
		stream("offices", "POST", "/graphs/offices/threads", `{"thread": "o", "input": {"messages": ["one", "two"]}}`)
		for range 2 {
			var open struct{ Requests []struct{ ID string } }
			if err := json.Unmarshal([]byte(s.want(s.do("GET", "/threads/o/requests", ""), http.StatusOK).body), &open); err != nil || len(open.Requests) == 0 {
				t.Fatal(open, err)
			}
			stream("offices", "POST", "/threads/o/requests/"+url.PathEscape(open.Requests[0].ID), `"approve"`)
		}
		want := []string{"step ", "end ", "reset ", "live run_start", "live node_start", "live node_end", "live node_error", "live route", "live say",
			"live interrupt", "live token", "live run_end"}
		if details {
			want = append(want, "live model_start", "live model_end", "live tool_start", "live tool_end", "written")
		}
		for _, event := range want {
			if !seen[event] {
				t.Errorf("with details %t, there is no event %s among %q", details, event, slices.Sorted(maps.Keys(seen)))
			}
		}
	}
}

// servesTyped starts a server of graphs with serve: true.
func servesTyped(t *testing.T, details bool) *site {
	t.Helper()
	set := thread.With(thread.Settings{Store: thread.NewMemory(), Feed: new(thread.Feed)})
	order, err := servetest.NewOrder(newShop(), set, graphgen.WithExchanges())
	if err != nil {
		t.Fatal(err)
	}
	clerk, err := durable.NewClerk(office{}, office{}, office{})
	if err != nil {
		t.Fatal(err)
	}
	offices, err := durable.NewOffice(office{}, clerk, set, graphgen.WithExchanges())
	if err != nil {
		t.Fatal(err)
	}
	simple, err := tools.NewSimple(graphgen.WithExchanges())
	if err != nil {
		t.Fatal(err)
	}
	progress, err := tools.NewProgress(graphgen.WithExchanges())
	if err != nil {
		t.Fatal(err)
	}
	fails, err := tools.NewFailing(failing{}, graphgen.WithExchanges())
	if err != nil {
		t.Fatal(err)
	}
	return serves(t, serve.Options{Shared: true, Details: details}, serve.Durable("orders", order), serve.Durable("offices", offices),
		serve.Plain("simple", simple), serve.Plain("progress", progress), serve.Plain("failing", fails))
}

// TestWrongEvents holds that the schemas of the events of a graph have its nodes and fields: other ones do not fit.
func TestWrongEvents(t *testing.T) {
	s := servesTyped(t, false)
	schema := s.events("orders")
	for _, row := range []struct {
		name, data string
		fits       bool
	}{
		{"live", `{"kind":"node_start","node":"check"}`, true},
		{"live", `{"kind":"node_start","node":"chekc"}`, false},
		{"live", `{"kind":"node_start","node":"chekc","dynamic":true}`, true},
		{"live", `{"kind":"node_start","node":"chekc","within":"a"}`, true},
		{"live", `{"kind":"node_end","node":"check","written":[{"name":"amount","value":2.5}]}`, true},
		{"live", `{"kind":"node_end","node":"check","written":[{"name":"amount","value":"2.5"}]}`, false},
		{"live", `{"kind":"node_end","node":"check","written":[{"name":"owner","value":"ann"}]}`, false},
		{"step", `{"seq":1,"time":"2026-01-02T03:04:05Z","changes":[{"node":"check","written":{"amount":2.5}}]}`, true},
		{"step", `{"seq":1,"time":"2026-01-02T03:04:05Z","changes":[{"node":"chekc"}]}`, true},
		{"step", `{"seq":1,"time":"2026-01-02T03:04:05Z","changes":[{"written":{"owner":"ann"}}]}`, false},
		{"step", `{"seq":1,"time":"2026-01-02T03:04:05Z","changes":[{"at":"a","written":{"owner":"ann"}}]}`, true},
		{"end", `{"status":"completed","output":{"amount":2.5,"receipt":"r"}}`, true},
		{"end", `{"status":"completed","output":{"amount":2.5}}`, false},
	} {
		if err := s.fits(schema, row.name, row.data); (err == nil) != row.fits {
			t.Errorf("%s %s: %v", row.name, row.data, err)
		}
	}
	if schema := s.events("simple"); s.fits(schema, "step", `{"seq":1,"time":"2026-01-02T03:04:05Z"}`) == nil {
		t.Error("a run that is in no thread has steps")
	}
}
