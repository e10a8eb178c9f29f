package judges_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/contrib/serve"
)

// threadRoutes are the routes of the wire langgraph that are about a thread, with the verb that a caller needs.
var threadRoutes = []struct {
	verb               serve.Verb
	method, path, body string
}{
	{serve.Read, "GET", "", ""},
	{serve.State, "GET", "/state", ""},
	{serve.State, "GET", "/state/1", ""},
	{serve.State, "POST", "/state/checkpoint", `{"checkpoint":{"checkpoint_id":"1"}}`},
	{serve.History, "GET", "/history", ""},
	{serve.State, "POST", "/history", `{"limit":1}`},
	{serve.Fork, "POST", "/copy", ""},
	{serve.Watch, "GET", "/runs", ""},
	{serve.Watch, "GET", "/runs/RUN", ""},
	{serve.Watch, "GET", "/runs/RUN/join", ""},
	{serve.Watch, "GET", "/runs/RUN/stream", ""},
	{serve.Stop, "POST", "/runs/RUN/cancel", ""},
	{serve.Answer, "POST", "/runs/wait", `{"assistant_id":"desk","command":{"resume":"approve"}}`},
	{serve.Answer, "POST", "/runs/stream", `{"assistant_id":"desk","command":{"resume":"approve"}}`},
	{serve.Answer, "POST", "/runs", `{"assistant_id":"desk","command":{"resume":"approve"}}`},
	{serve.Delete, "DELETE", "", ""},
}

// TestThreadsOfLangGraph holds that a route about a thread needs its verb, and does not find the threads of other tenants.
func TestThreadsOfLangGraph(t *testing.T) {
	for _, rt := range threadRoutes {
		t.Run(rt.method+" "+rt.path, func(t *testing.T) {
			text := "sign"
			if rt.verb == serve.Stop { // of a run that works
				text = "slow words"
			}
			h := slowHouse(t, without(rt.verb))
			if text == "sign" {
				_, _, _ = h.ask("t", "POST", "/live/langgraph/threads/a/runs/wait", `{"assistant_id":"desk","input":{"message":"sign"}}`)
			} else {
				h.slow(t.Context(), slowly()["langgraph"][0], slowly()["langgraph"][1])
			}
			path := "/live/langgraph/threads/a" + strings.Replace(rt.path, "RUN", h.runID(), 1)
			_, before, _ := h.ask("t", "GET", "/threads", "")
			if status, text, _ := h.ask("u", rt.method, path, rt.body); status != http.StatusNotFound {
				t.Errorf("another tenant: %d %s", status, text)
			}
			h.forbids(rt.method, path, rt.body)
			if _, after, _ := h.ask("t", "GET", "/threads", ""); after != before {
				t.Errorf("the threads were %s, and are %s", before, after)
			}
		})
	}
}

// runID returns the ID of the run of the thread "a", by its steps.
func (h *house) runID() string {
	h.t.Helper()
	_, text, _ := h.ask("t", "GET", "/threads/a/history", "")
	_, rest, _ := strings.Cut(text, `"run":"`)
	id, _, found := strings.Cut(rest, `"`)
	if !found { // a caller without history
		return h.runOf()
	}
	return id
}

// TestRecoverOfLangGraph holds that a run without an input continues a thread for a caller who may recover it, and is refused where it waits.
func TestRecoverOfLangGraph(t *testing.T) {
	const path, again = "/live/langgraph/threads/a/runs/wait", `{"assistant_id":"desk","input":null}`
	h := newHouse(t, without(serve.Recover))
	_, text, _ := h.ask("t", "POST", path, `{"assistant_id":"desk","input":{"message":"fail"}}`)
	if !strings.Contains(text, `{"__error__":{"error":"failed"`) {
		t.Fatal(text)
	}
	h.forbids("POST", path, again)
	h = newHouse(t, serve.Options{})
	_, _, _ = h.ask("t", "POST", path, `{"assistant_id":"desk","input":{"message":"fail"}}`)
	if status, text, _ := h.ask("t", "POST", path, again); status != http.StatusOK || !strings.Contains(text, `"__error__"`) {
		t.Errorf("%d %s", status, text)
	}
	_, _, _ = h.ask("t", "POST", "/live/langgraph/threads/b/runs/wait", `{"assistant_id":"desk","input":{"message":"sign"}}`)
	status, text, _ := h.ask("t", "POST", "/live/langgraph/threads/b/runs/wait", again)
	if status != http.StatusUnprocessableEntity || !strings.Contains(text, `"field":"input"`) {
		t.Errorf("%d %s", status, text)
	}
}
