package judges_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/mcp"
	"github.com/graphgen/graphgen/contrib/serve/openai"
)

// asks begins a run that waits over MCP, and returns its requestState.
func (h *house) asks(path, text string) string {
	h.t.Helper()
	_, got, _ := h.ask("t", "POST", path, toolCall(`"arguments":{"message":`+quoted(text)+`}`))
	state := regexp.MustCompile(`"requestState":"([^"]+)"`).FindStringSubmatch(got)
	if state == nil {
		h.t.Fatalf("no state in %s", got)
	}
	return state[1]
}

// accepts answers the request sign of a state with an action.
func accepts(state, action string) string {
	return toolCall(`"arguments":{},"requestState":` + quoted(state) + `,"inputResponses":{"sign":{"action":"` + action + `","content":{"approve":true}}}`)
}

// TestForgedState holds that a requestState continues a run only if the server has made it, and as it was made.
func TestForgedState(t *testing.T) {
	h := newHouse(t, serve.Options{})
	h.handler.Handle("/live/mcp2", mcp.New(h.handler, mcp.Options{Key: []byte("another key")}))
	h.handler.Handle("/live/mcp3", mcp.New(h.handler, mcp.Options{}))
	state := h.asks("/live/mcp/", "sign")
	data, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil {
		t.Fatal(err)
	}
	changed := func(old, to string) string {
		text := strings.Replace(string(data), old, to, 1)
		if text == string(data) {
			t.Fatalf("no %s in the state", old)
		}
		return base64.RawURLEncoding.EncodeToString([]byte(text))
	}
	graph := func(body string) string { return strings.Replace(body, `"name":"desk"`, `"name":"orders"`, 1) }
	for name, body := range map[string]string{
		"of another key":         accepts(h.asks("/live/mcp2/", "sign"), "accept"),
		"of a key of a process":  accepts(h.asks("/live/mcp3/", "sign"), "accept"),
		"with another request":   accepts(changed(`"sign.1"`, `"sign.1","ask.1"`), "accept"),
		"with space":             accepts(changed(`["desk"`, `[ "desk"`), "accept"),
		"with another sum":       accepts(base64.RawURLEncoding.EncodeToString(append([]byte{data[0] + 1}, data[1:]...)), "accept"),
		"that is short":          accepts("AAAA", "accept"),
		"with a call of a graph": graph(accepts(state, "accept")),
	} {
		status, text, _ := h.ask("t", "POST", "/live/mcp/", body)
		if status != http.StatusConflict || !strings.Contains(text, `"data":{"code":"state"}`) {
			t.Errorf("a state %s: %d %s", name, status, text)
		}
	}
	if _, text, _ := h.ask("t", "POST", "/live/mcp/", accepts(state, "accept")); !strings.Contains(text, "signed") {
		t.Errorf("the state of the server: %s", text)
	}
}

// TestStateOfBefore holds that a requestState is of one run of its thread.
func TestStateOfBefore(t *testing.T) {
	h := newHouse(t, serve.Options{})
	state := h.asks("/live/mcp/", "sign")
	if _, text, _ := h.ask("t", "POST", "/live/mcp/", accepts(state, "accept")); !strings.Contains(text, "signed") {
		t.Fatal(text)
	}
	_, list, _ := h.ask("t", "GET", "/threads", "")
	name := regexp.MustCompile(`"thread":"(t-[^"]+)"`).FindStringSubmatch(list)[1]
	_, _, _ = h.ask("t", "POST", "/graphs/desk/threads", `{"thread":`+quoted(name)+`,"input":{"message":"sign"}}`)
	_, _, _ = h.ask("t", "GET", "/threads/"+name+"/events", "") // until it waits
	status, text, _ := h.ask("t", "POST", "/live/mcp/", accepts(state, "accept"))
	if _, list, _ := h.ask("t", "GET", "/threads", ""); status != http.StatusConflict || !strings.Contains(list, `"paused"`) {
		t.Errorf("%d %s, and the threads are %s", status, text, list)
	}
}

// TestDeclined holds that a user who declines or cancels has not said yes, whatever the form has.
func TestDeclined(t *testing.T) {
	h := newHouse(t, serve.Options{})
	for _, action := range []string{"decline", "cancel"} {
		if _, text, _ := h.ask("t", "POST", "/live/mcp/", accepts(h.asks("/live/mcp/", "sign"), action)); !strings.Contains(text, "withdrawn") {
			t.Errorf("%s: %s", action, text)
		}
	}
	if status, text, _ := h.ask("t", "POST", "/live/mcp/", accepts(h.asks("/live/mcp/", "sign"), "perhaps")); status != http.StatusUnprocessableEntity {
		t.Errorf("%d %s", status, text)
	}
}

// TestOtherGraph holds that a graph does not open the thread of another one.
func TestOtherGraph(t *testing.T) {
	for _, wire := range []string{"aisdk", "agui", "chat completions", "responses"} {
		h, w := newHouse(t, serve.Options{}), tongues[wire]
		path, body := w.say("sign")
		_, text, _ := h.ask("t", "POST", path, body)
		path, body = w.answer(w.asked.FindStringSubmatch(text)[1], "decision", `"approve"`)
		path, body = strings.Replace(path, "/desk", "/orders", 1), strings.Replace(body, `"model":"desk"`, `"model":"orders"`, 1)
		status, text, _ := h.ask("t", "POST", path, body)
		if _, state, _ := h.ask("t", "GET", "/threads/a", ""); status < 404 || !strings.Contains(state, `"paused"`) {
			t.Errorf("%s: %d %s, and the thread is %s", wire, status, text, state)
		}
	}
}

// TestShow holds that Options.Show chooses the events of runs that are in no thread, too.
func TestShow(t *testing.T) {
	for _, show := range []bool{true, false} {
		h := newHouse(t, serve.Options{Show: func(*graphgen.Event) bool { return show }})
		_, text, _ := h.ask("t", "POST", "/live/ai/greetings", `{"messages":[{"id":"u","role":"user","parts":[{"type":"text","text":"Ann"}]}]}`)
		if strings.Contains(text, "data-step") != show || !strings.Contains(joined(text), "You wrote: Ann") {
			t.Errorf("events are shown (%t): %s", show, text)
		}
	}
}

// TestStoppedWithoutStream holds that StopOnDisconnect stops a run whose client waits for one answer.
func TestStoppedWithoutStream(t *testing.T) {
	h := slowHouse(t, serve.Options{})
	h.handler.Handle("/stops", openai.New(h.handler, openai.Options{StopOnDisconnect: true}))
	asked := make(chan struct{})
	next := h.clerk.Next
	h.clerk.Next = func(ctx context.Context) {
		select {
		case asked <- struct{}{}:
		default:
		}
		next(ctx)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, body := tongues["responses"].say("slow words")
	r, err := http.NewRequestWithContext(ctx, "POST", h.url+"/stops/responses", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if response, err := http.DefaultClient.Do(r); err == nil {
			_ = response.Body.Close()
		}
	}()
	<-asked
	cancel()
	<-gone
	if _, text, _ := h.ask("t", "GET", "/threads/a/events", ""); !strings.Contains(text, `"status":"stopped"`) {
		t.Errorf("the run is %s", text)
	}
}
