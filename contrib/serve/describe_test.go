package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/servetest"
	"github.com/graphgen/graphgen/contrib/serve/servetest/tools"
	"github.com/graphgen/graphgen/thread"
)

// TestDescribe holds that clients get the schemas of a graph with serve: true without what is private, and developers the view and the picture.
func TestDescribe(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	r := s.want(s.do("GET", "/graphs/orders", ""), http.StatusOK, `"described":true`, `"maxLength":40`, `"node":"approve"`)
	for _, hidden := range []string{"owner", `"view"`, "graph.yaml", "svg", "state.Amount"} { // owner is private
		if strings.Contains(r.body, hidden) {
			t.Errorf("clients get %s:\n%s", hidden, r.body)
		}
	}
	s.want(s.do("GET", "/graphs/orders/picture.svg", ""), http.StatusNotFound, `"code":"no_picture"`)
	s.want(s.do("GET", "/graphs/greetings", ""), http.StatusOK, `{"name":"greetings","durable":false}`)
	s.want(s.do("GET", "/graphs/greetings/picture.svg", ""), http.StatusNotFound, `"code":"no_picture"`)
	s.want(s.do("GET", "/graphs/nothing", ""), http.StatusNotFound, `"code":"no_graph"`)
	s.want(s.do("GET", "/graphs", ""), http.StatusOK, `"durable":true,"described":true`)

	s = serving(t, serve.Options{Shared: true, Details: true}, thread.NewMemory())
	var of struct {
		View struct {
			Transitions []struct{ From, To, Text string }
			State       struct{ Properties map[string]any }
		}
	}
	r = s.want(s.do("GET", "/graphs/orders", ""), http.StatusOK)
	if err := json.Unmarshal([]byte(r.body), &of); err != nil {
		t.Fatal(err)
	}
	if len(of.View.Transitions) != 7 || of.View.Transitions[3].Text != "if state.Amount < 10" || of.View.State.Properties["owner"] != nil {
		t.Errorf("the view is %+v", of.View)
	}
	r = s.want(s.do("GET", "/graphs/orders/picture.svg", ""), http.StatusOK, "<svg", `id="node-approve"`)
	if kind := r.header.Get("Content-Type"); kind != "image/svg+xml" {
		t.Errorf("the picture is %s", kind)
	}
}

// TestRunEvents holds that developers get the last run of a thread as events, with the names that clients know and without private fields, and others
// do not.
func TestRunEvents(t *testing.T) {
	s := serving(t, serve.Options{Identify: byHeader, Details: true}, thread.NewMemory())
	caller := []string{"Tenant", "mine", "Name", "ann", "Prefer", "wait"}
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "cheap"}}`, caller...), http.StatusOK)
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "A-7"}}`, caller...), http.StatusOK, `"status":"paused"`)
	r := s.want(s.do("GET", "/threads/a/run", "", caller...), http.StatusOK, `"graph":"orders"`, `"kind":"interrupt"`, `"id":"approve.1"`,
		`"reason":"interrupted"`, `{"added":false,"name":"order","value":"A-7"}`)
	for _, hidden := range []string{"mine/", "owner", "cheap"} {
		if strings.Contains(r.body, hidden) {
			t.Errorf("the events have %s:\n%s", hidden, r.body)
		}
	}
	s = serving(t, shared(), thread.NewMemory())
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "A-7"}}`, "Prefer", "wait"), http.StatusOK)
	s.want(s.do("GET", "/threads/a/run", ""), http.StatusNotFound, `"code":"no_events"`)
}

// TestRunPages holds that pages of a run have what the whole has, also where another process has sent the page before.
func TestRunPages(t *testing.T) {
	store := thread.NewMemory()
	one, two := serving(t, serve.Options{Shared: true, Details: true}, store), serving(t, serve.Options{Shared: true, Details: true}, store)
	wait := []string{"Prefer", "wait"}
	one.want(one.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "cheap"}}`, wait...), http.StatusOK)
	one.want(one.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "A-7"}}`, wait...), http.StatusOK, `"status":"paused"`)
	type page struct {
		Seq, Begin, Next uint64
		Events           []map[string]any
	}
	get := func(s *site, query string) (p page) {
		t.Helper()
		if err := json.Unmarshal([]byte(s.want(s.do("GET", "/threads/a/run"+query, ""), http.StatusOK).body), &p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	lines := func(events []map[string]any) (list []string) {
		for _, e := range events {
			line, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, string(line))
		}
		slices.Sort(list) // of pages, each is in the order of its times
		return list
	}
	whole := get(one, "")
	if whole.Begin < 2 || whole.Next != 0 || len(whole.Events) < 8 {
		t.Fatalf("%+v", whole)
	}
	for name, servers := range map[string][]*site{"one": {one, one}, "two": {one, two}} {
		var events []map[string]any
		query, pages := "?limit=1", 0
		for {
			p := get(servers[pages%2], query)
			pages++
			events = append(events, p.Events...)
			if p.Next == 0 {
				break
			}
			query = fmt.Sprintf("?limit=1&begin=%d&after=%d", p.Begin, p.Next)
		}
		if pages < 3 || !slices.Equal(lines(events), lines(whole.Events)) {
			t.Errorf("%s: %d pages have\n%s\nthe whole has\n%s", name, pages, strings.Join(lines(events), "\n"), strings.Join(lines(whole.Events), "\n"))
		}
	}
	one.want(one.do("GET", "/threads/a/run?after=x", ""), http.StatusBadRequest, `"field":"after"`)
}

// TestWritten holds that developers get what steps changed with live events, without private fields, and others do not; also of a run in no thread.
func TestWritten(t *testing.T) {
	store := thread.NewMemory()
	for _, details := range []bool{true, false} {
		order, err := servetest.NewOrder(newShop(), thread.With(thread.Settings{Store: store, Feed: new(thread.Feed)}), graphgen.WithExchanges())
		if err != nil {
			t.Fatal(err)
		}
		plain, err := tools.NewSimple(graphgen.WithExchanges())
		if err != nil {
			t.Fatal(err)
		}
		h, err := serve.New(serve.Options{Shared: true, Details: details}, serve.Durable("orders", order), serve.Plain("texts", plain))
		if err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]string{
			"/graphs/orders/threads": `{"name":"amount","value":5}`, "/graphs/texts/runs": `{"name":"text","value":"This is a simple text`,
		} {
			w := httptest.NewRecorder()
			r := httptest.NewRequest("POST", path, strings.NewReader(`{"input": {"order": "cheap"}}`))
			if path == "/graphs/texts/runs" {
				r = httptest.NewRequest("POST", path, strings.NewReader(`{"input": {}}`))
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "text/event-stream")
			h.ServeHTTP(w, r)
			if live := strings.Join(liveEvents(w.Body.String()), "\n"); w.Code != http.StatusOK || strings.Contains(live, want) != details ||
				strings.Contains(live, `"written"`) != details || strings.Contains(live, "owner") {
				t.Errorf("%s with details %t: %d\n%s", path, details, w.Code, w.Body)
			}
		}
	}
}

// liveEvents returns the data of the live events of a stream.
func liveEvents(stream string) (list []string) {
	for _, e := range strings.Split(stream, "\n\n") {
		if data, ok := strings.CutPrefix(e, "event: live\ndata: "); ok {
			list = append(list, data)
		}
	}
	return list
}

// TestTypesOfPolicies holds that the types of a graph are not for callers whom the policy refuses its description.
func TestTypesOfPolicies(t *testing.T) {
	s := serving(t, serve.Options{Shared: true, Authorize: func(_ context.Context, a serve.Access) error {
		if a.Verb == serve.Describe && a.Graph == "orders" {
			return errors.New("no")
		}
		return nil
	}}, thread.NewMemory())
	if r := s.want(s.do("GET", "/openapi.json", ""), http.StatusOK); strings.Contains(r.body, "orders.Input") {
		t.Error("the document has the types of orders")
	}
	s.want(s.do("GET", "/graphs/orders", ""), http.StatusForbidden)
}

// TestTypesOfCallers holds that the OpenAPI document has the types of a graph for callers alone that may have it described.
func TestTypesOfCallers(t *testing.T) {
	s := serving(t, serve.Options{Identify: byHeader}, thread.NewMemory())
	for tenant, typed := range map[string]bool{"t": true, "": false, "nobody": false} {
		if r := s.want(s.do("GET", "/openapi.json", "", "Tenant", tenant), http.StatusOK); strings.Contains(r.body, "orders.Input") != typed {
			t.Errorf("tenant %q: has types: %v", tenant, !typed)
		}
	}
}
