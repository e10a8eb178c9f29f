package serve_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/contrib/serve"
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

// TestTypesOfCallers holds that the OpenAPI document has the types of a graph for callers alone that may have it described.
func TestTypesOfCallers(t *testing.T) {
	s := serving(t, serve.Options{Identify: byHeader}, thread.NewMemory())
	for tenant, typed := range map[string]bool{"t": true, "": false, "nobody": false} {
		if r := s.want(s.do("GET", "/openapi.json", "", "Tenant", tenant), http.StatusOK); strings.Contains(r.body, "orders.Input") != typed {
			t.Errorf("tenant %q: has types: %v", tenant, !typed)
		}
	}
}
