package judges_test

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
	"github.com/graphgen/graphgen/contrib/serve/mcp"
)

// without are options of a policy that refuses one verb.
func without(verb serve.Verb) serve.Options {
	return serve.Options{Authorize: func(_ context.Context, a serve.Access) error {
		if a.Verb == verb {
			return errors.New("sesame")
		}
		return nil
	}}
}

// forbids makes a request that the policy must refuse.
func (h *house) forbids(method, path, body string) {
	h.t.Helper()
	if status, text, _ := h.ask("t", method, path, body); status != http.StatusForbidden || strings.Contains(text, "sesame") {
		h.t.Errorf("%s %s: %d %s", method, path, status, text)
	}
}

// runOf returns the ID of the run of the thread "a".
func (h *house) runOf() string {
	h.t.Helper()
	_, text, _ := h.ask("t", "GET", "/threads/a/state", "")
	run := regexp.MustCompile(`"run":"([^"]+)"`).FindStringSubmatch(text)
	if run == nil {
		h.t.Fatalf("no run in %s", text)
	}
	return run[1]
}

// task returns a request about the task of the thread "a" over A2A.
func (h *house) task(method string) string {
	h.t.Helper()
	id := speech.Call{Thread: "a", Run: h.runOf()}.String()
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"id":` + quoted(id) + `}}`
}

// TestPolicy holds that a caller without a verb can do over no wire what the verb is for.
func TestPolicy(t *testing.T) {
	t.Run("graphs", func(t *testing.T) {
		h := newHouse(t, without(serve.Graphs))
		h.handler.Handle("/old", mcp.New(h.handler, mcp.Options{}))
		h.forbids("GET", "/live/openai/v1/models", "")
		h.forbids("GET", "/live/openai/v1/models/desk", "")
		h.forbids("GET", "/live/a2a/desk/.well-known/agent-card.json", "")
		h.forbids("POST", "/old/", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	})
	t.Run("start", func(t *testing.T) {
		h := newHouse(t, without(serve.Start))
		for _, w := range tongues {
			path, body := w.say("sign")
			h.forbids("POST", path, body)
		}
		if _, text, _ := h.ask("t", "GET", "/threads", ""); !strings.Contains(text, `"threads":[]`) {
			t.Errorf("there are threads: %s", text)
		}
	})
	t.Run("run", func(t *testing.T) {
		h := newHouse(t, without(serve.Run))
		h.forbids("POST", "/live/ai/greetings", `{"messages":[{"id":"u","role":"user","parts":[{"type":"text","text":"Ann"}]}]}`)
		h.forbids("POST", "/live/openai/v1/responses", `{"model":"greetings","input":"Ann"}`)
	})
	t.Run("answer", func(t *testing.T) {
		for wire, w := range tongues {
			h := newHouse(t, without(serve.Answer))
			path, body := w.say("sign")
			_, text, _ := h.ask("t", "POST", path, body)
			if wire == "own" {
				_, _, _ = h.ask("t", "GET", "/threads/a/events", "") // until it waits
				_, text, _ = h.ask("t", "GET", "/threads/a/requests", "")
			}
			asked := w.asked.FindStringSubmatch(text)
			if asked == nil {
				t.Fatalf("%s: nothing is asked: %s", wire, text)
			}
			path, body = w.answer(asked[1], "decision", `"approve"`)
			h.forbids("POST", path, body)
			if _, text, _ := h.ask("t", "GET", "/threads", ""); wire != "mcp sealed" && !strings.Contains(text, `"paused"`) || len(h.staff.Done) > 0 {
				t.Errorf("%s: the run was touched: %s", wire, text)
			}
		}
	})
	t.Run("requests", func(t *testing.T) {
		for wire, w := range tongues {
			h := newHouse(t, without(serve.Requests))
			path, body := w.say("sign")
			status, text, _ := h.ask("t", "POST", path, body)
			if strings.Contains(text, "Sign sign?") || strings.Contains(path, "openai") && status != http.StatusForbidden { // there is no answer
				t.Errorf("%s has the question: %d %s", wire, status, text)
			}
		}
	})
	t.Run("read", func(t *testing.T) {
		h := slowHouse(t, without(serve.Read))
		h.slow(t.Context(), slowly()["aisdk"][0], slowly()["aisdk"][1])
		h.forbids("GET", "/live/ai/desk/a/stream", "")
	})
	t.Run("watch", func(t *testing.T) {
		h := slowHouse(t, without(serve.Watch))
		h.slow(t.Context(), slowly()["aisdk"][0], slowly()["aisdk"][1])
		h.forbids("GET", "/live/ai/desk/a/stream", "")
		h.forbids("POST", "/live/a2a/desk", h.task("GetTask"))
		h.forbids("POST", "/live/a2a/desk", h.task("SubscribeToTask"))
	})
	t.Run("stop", func(t *testing.T) {
		h := slowHouse(t, without(serve.Stop))
		h.slow(t.Context(), slowly()["aisdk"][0], slowly()["aisdk"][1])
		h.forbids("POST", "/live/a2a/desk", h.task("CancelTask"))
		for _, strategy := range []string{"interrupt", "rollback"} {
			h.forbids("POST", "/graphs/desk/threads", `{"thread":"a","multitask":"`+strategy+`","input":{"message":"next"}}`)
			next := `{"multitask_strategy":"` + strategy + `",` + strings.Replace(desk, "TEXT", "next", 1)[1:]
			h.forbids("POST", "/live/langgraph/threads/a/runs/wait", next)
		}
		if _, text, _ := h.ask("t", "GET", "/threads/a", ""); !strings.Contains(text, `"running"`) {
			t.Errorf("the run is %s", text)
		}
	})
	t.Run("state", func(t *testing.T) {
		for _, o := range []serve.Options{{}, without(serve.State)} {
			h := newHouse(t, o)
			path, body := tongues["agui"].say("sign")
			_, text, _ := h.ask("t", "POST", path, body)
			call := tongues["agui"].asked.FindStringSubmatch(text)
			path, body = tongues["agui"].answer(call[1], "decision", `"approve"`)
			_, text, _ = h.ask("t", "POST", path, body)
			if may := o.Authorize == nil; strings.Contains(text, `"STATE_SNAPSHOT","snapshot":{"message":"sign"`) != may {
				t.Errorf("the snapshot is sent to a caller who may see the state (%t): %s", may, text)
			}
		}
	})
	t.Run("describe", func(t *testing.T) {
		for _, o := range []serve.Options{{}, without(serve.Describe)} {
			h := newHouse(t, o)
			h.handler.Handle("/old", mcp.New(h.handler, mcp.Options{}))
			_, text, _ := h.ask("t", "POST", "/old/", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			if may := o.Authorize == nil; strings.Contains(text, "maxLength") != may || !strings.Contains(text, `"name":"desk"`) {
				t.Errorf("the schemas are sent to a caller who may read them (%t): %s", may, text)
			}
		}
	})
}
