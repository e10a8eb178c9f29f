package judges_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
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

// on makes a request at the wire, and holds its status and texts of the answer.
func (h *house) on(method, path, body string, status int, texts ...string) string {
	h.t.Helper()
	got, text, _ := h.ask("t", method, "/live/langgraph"+path, body)
	if got != status {
		h.t.Errorf("%s %s %s: %d, want %d: %s", method, path, body, got, status, text)
	}
	for _, want := range texts {
		if !strings.Contains(text, want) {
			h.t.Errorf("%s %s %s: no %s in %s", method, path, body, want, text)
		}
	}
	return text
}

const desk, orders = `{"assistant_id":"desk","input":{"message":"TEXT"}}`, `{"assistant_id":"orders","input":{"order":"TEXT"}}`

// says runs a graph in a thread.
func (h *house) says(thread, body, text string) string {
	h.t.Helper()
	return h.on("POST", "/threads/"+thread+"/runs/wait", strings.Replace(body, "TEXT", text, 1), 200)
}

// TestSearchOfLangGraph holds that threads of all graphs are found, over all pages of the handler, as a client wants them.
func TestSearchOfLangGraph(t *testing.T) {
	h := newHouse(t, serve.Options{Limits: serve.Limits{Page: 2}})
	h.says("a", orders, "A-7")
	h.says("b", desk, "hi")
	h.says("c", desk, "sign")
	h.says("d", desk, "fail")
	h.says("e", orders, "B-8")
	ids := regexp.MustCompile(`"thread_id":"(\w)"`)
	for _, row := range []struct{ body, want string }{
		{`{}`, "e d c b a"},
		{`{"sort_by":"thread_id"}`, "a b c d e"},
		{`{"limit":2}`, "e d"},
		{`{"limit":2,"offset":1}`, "d c"},
		{`{"offset":9}`, ""},
		{`{"status":"idle"}`, "b"},
		{`{"status":"interrupted"}`, "e c a"},
		{`{"status":"error"}`, "d"},
		{`{"status":"busy"}`, ""},
		{`{"ids":["a","d","x"]}`, "d a"},
		{`{"metadata":{"graph_id":"desk"}}`, "d c b"},
		{`{"metadata":{"assistant_id":"orders"},"status":"interrupted"}`, "e a"},
	} {
		text := h.on("POST", "/threads/search", row.body, 200)
		var got []string
		for _, id := range ids.FindAllStringSubmatch(text, -1) {
			got = append(got, id[1])
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s finds %q, want %q", row.body, got, row.want)
		}
	}
	h.on("POST", "/threads/search", `{"ids":["b"]}`, 200, `"reply":"You wrote: hi"`, `"graph_id":"desk"`)
	h.on("POST", "/threads/count", `{"status":"interrupted"}`, 200, "3")
	h.on("POST", "/threads/search", `{"status":"sesame"}`, 422, `"field":"status"`)
	h.on("POST", "/threads/search", `{"metadata":{"owner":"ann"}}`, 422, `"field":"metadata"`)
	h.on("POST", "/threads/search", `{"values":{"reply":"x"}}`, 422, `"field":"values"`)
	h.on("POST", "/threads/search", `{"sort_by":"status"}`, 422, `"field":"sort_by"`)
	h.on("POST", "/threads", `{"thread_id":"a"}`, 422, `"error":"exists"`)
	h.on("POST", "/threads", `{"thread_id":"a","if_exists":"do_nothing"}`, 200, `"order":"A-7"`)
	h.on("POST", "/threads", `{"metadata":{"owner":"ann"}}`, 422, `"field":"metadata"`)
	h.on("POST", "/threads", `{"supersteps":[{}]}`, 422, `"field":"supersteps"`)
	h.on("POST", "/assistants/search", `{"name":"desk"}`, 200, `[{"assistant_id":"desk"`)
	h.on("POST", "/assistants/count", `{"limit":1}`, 200, "1")
	h.on("POST", "/assistants/search", `{"metadata":{"a":1}}`, 422, `"field":"metadata"`)
	hidden := newHouse(t, without(serve.State))
	hidden.says("a", orders, "A-7")
	if text := hidden.on("POST", "/threads/search", `{}`, 200, `"interrupts":{}`); strings.Contains(text, "A-7") {
		t.Errorf("a caller who may not see the state is sent %s", text)
	}
}

// TestStatesOfLangGraph holds that a checkpoint has the state and the requests of its own run.
func TestStatesOfLangGraph(t *testing.T) {
	h := newHouse(t, serve.Options{})
	h.says("a", desk, "sign")
	h.on("POST", "/threads/a/runs/wait", `{"assistant_id":"desk","command":{"resume":"deny"}}`, 200, `"reply":"withdrawn"`)
	h.says("a", desk, "sign")
	h.on("GET", "/threads/a/state", "", 200, `"next":["sign"]`, "Sign sign?")
	if text := h.on("GET", "/threads/a/state/3", "", 200, `"run_id":"a.1"`, `"next":["sign"]`); strings.Contains(text, "Sign sign?") {
		t.Errorf("a checkpoint of an earlier run asks what the last one asks: %s", text)
	}
	for _, id := range []string{"0", "99", "x", "-1"} {
		h.on("GET", "/threads/a/state/"+id, "", 404, `"field":"checkpoint_id"`)
	}
	last := h.on("POST", "/threads/a/history", `{"limit":1}`, 200)
	h.on("GET", "/threads/a/history?limit=1", "", 200, last)
	h.on("GET", "/threads/a/history?limit=x", "", 422, `"field":"limit"`)
	before := h.on("POST", "/threads/a/history", `{"before":{"configurable":{"checkpoint_id":"3"}}}`, 200)
	for _, form := range []string{`"3"`, `{"checkpoint_id":"3"}`} {
		h.on("POST", "/threads/a/history", `{"before":`+form+`}`, 200, before)
	}
	h.on("POST", "/threads/a/history", `{"before":7}`, 422, `"field":"before"`)
	h.on("POST", "/threads/a/history", `{"metadata":{"step":1}}`, 422, `"field":"metadata"`)
	h.says("f", desk, "fail")
	h.on("GET", "/threads/f/state", "", 200, `"next":["help"]`, `"error":"`)
}

// TestRunsOfLangGraph holds what of a run is refused by name, and what is done.
func TestRunsOfLangGraph(t *testing.T) {
	h := newHouse(t, serve.Options{})
	for _, mode := range []string{"debug", "events", "tasks", "checkpoints", "sesame"} {
		asked := `{"assistant_id":"desk","input":{"message":"hi"},"stream_mode":["values","` + mode + `"]}`
		h.on("POST", "/threads/x/runs/stream", asked, 422, `"field":"stream_mode"`)
	}
	for _, member := range []string{`"on_disconnect":"x"`, `"multitask_strategy":"x"`, `"stream_subgraphs":true`, `"command":{"update":{"a":1}}`} {
		h.on("POST", "/threads/x/runs/wait", `{"assistant_id":"desk","input":{"message":"hi"},`+member+`}`, 422)
	}
	h.on("POST", "/threads/x/runs/wait", `{"assistant_id":"desk","input":{"message":"hi"},"on_completion":"delete"}`, 422, `"field":"on_completion"`)
	h.on("POST", "/threads/x/runs/wait", `{"assistant_id":"greetings","input":{"name":"a"}}`, 422, `"error":"not_durable"`)
	h.on("POST", "/runs", `{"assistant_id":"greetings","input":{"name":"a"}}`, 422, `"error":"not_durable"`)
	h.on("POST", "/runs/wait", `{"assistant_id":"desk","input":null}`, 422, `"field":"input"`)
	h.on("POST", "/runs/wait", `{"assistant_id":"desk","after_seconds":0,"input":{"message":"hi"}}`, 200, "You wrote: hi")
	h.says("a", desk, "post")
	h.on("POST", "/threads/a/runs/wait", `{"assistant_id":"desk","command":{"resume":null}}`, 200, `"reply":"posted"`)
	h.on("GET", "/threads/a/runs?status=error", "", 200, "[]")
	h.on("GET", "/threads/a/runs?status=success", "", 200, `"run_id":"a.1"`)
	h.on("GET", "/threads/a/runs/a.2", "", 404, `"field":"run_id"`)
	h.on("GET", "/threads/a/runs/a.2/stream", "", 404, `"field":"run_id"`)
	h.on("POST", "/threads/a/runs/a.1/cancel?action=rollback", "", 422, `"field":"action"`)
	h.on("GET", "/threads/a/runs/a.1/stream?stream_mode=debug", "", 422, `"field":"stream_mode"`)
	h.on("GET", "/threads/a/runs/a.1/stream?cancel_on_disconnect=1", "", 422, `"field":"cancel_on_disconnect"`)
	h.on("GET", "/threads/a/runs/a.1/stream?cancel_on_disconnect=0", "", 200)
	body := `{"stream_mode":["values","custom"],` + strings.Replace(desk, "TEXT", "hi", 1)[1:]
	_, _, header := h.ask("t", "POST", "/live/langgraph/threads/b/runs/stream", body)
	again := "/threads/b/runs/b.1/stream?stream_mode=values&stream_mode=custom"
	if header.Get("Content-Location") != "/threads/b/runs/b.1" || header.Get("Location") != again {
		t.Errorf("the header is %v", header)
	}
}

// TestBusyThreadOfLangGraph holds what happens to a run while the thread has another one.
func TestBusyThreadOfLangGraph(t *testing.T) {
	h := slowHouse(t, serve.Options{})
	h.slow(t.Context(), slowly()["langgraph"][0], slowly()["langgraph"][1])
	h.on("POST", "/threads/a/runs/wait", strings.Replace(desk, "TEXT", "no", 1), 422, `"error":"held"`)
	next := `{"multitask_strategy":"interrupt",` + strings.Replace(desk, "TEXT", "next", 1)[1:]
	h.on("POST", "/threads/a/runs/wait", next, 200, "You wrote: next")
}

// TestNextRunOfLangGraph holds that a client which joins a run gets the end of that run, also where the next one of the thread begins immediately.
func TestNextRunOfLangGraph(t *testing.T) {
	watches := make(chan struct{}, 10)
	h := slowHouse(t, serve.Options{Authorize: func(_ context.Context, a serve.Access) error {
		if a.Verb == serve.Watch {
			watches <- struct{}{}
		}
		return nil
	}})
	h.says("a", desk, "first")
	h.slow(t.Context(), slowly()["langgraph"][0], slowly()["langgraph"][1])
	run := "/threads/a/runs/" + h.runOf()
	answers := make(chan string, 2)
	for _, path := range []string{"/join", "/stream?stream_mode=values"} {
		go func() {
			_, text, _ := h.ask("t", "GET", "/live/langgraph"+run+path, "")
			answers <- text
		}()
		<-watches
		<-watches // it has found the run, and joins it
	}
	next := `{"multitask_strategy":"interrupt",` + strings.Replace(desk, "TEXT", "next", 1)[1:]
	h.on("POST", "/threads/a/runs/wait", next, 200, "You wrote: next")
	for range 2 {
		if text := <-answers; strings.Contains(text, "next") || strings.Contains(text, "error") {
			t.Errorf("a client of the run that was stopped gets %s", text)
		}
	}
}

// TestRollbackOfLangGraph holds that the history has no checkpoint of a run that was taken back, in pages of any size, and that one which was stopped remains.
func TestRollbackOfLangGraph(t *testing.T) {
	for strategy, remains := range map[string]bool{"interrupt": true, "rollback": false} {
		for _, limit := range []string{"1", "2", "100"} {
			h := slowHouse(t, serve.Options{})
			h.says("a", desk, "first")
			h.slow(t.Context(), slowly()["langgraph"][0], slowly()["langgraph"][1])
			h.on("POST", "/threads/a/runs/wait", `{"multitask_strategy":"`+strategy+`",`+strings.Replace(desk, "TEXT", "next", 1)[1:], 200, "You wrote: next")
			all, before := "", ""
			for range 20 {
				var page []struct {
					Checkpoint struct {
						ID string `json:"checkpoint_id"`
					}
				}
				text := h.on("GET", "/threads/a/history?limit="+limit+before, "", 200)
				if err := json.Unmarshal([]byte(text), &page); err != nil || len(page) == 0 {
					break
				}
				all, before = all+text, "&before="+page[len(page)-1].Checkpoint.ID
			}
			others := strings.Contains(all, "You wrote: first") && strings.Contains(all, "You wrote: next")
			if got := strings.Contains(all, "slow words"); got != remains || !others {
				t.Errorf("%s, pages of %s: the checkpoints of the run are listed (%t): %s", strategy, limit, remains, all)
			}
		}
	}
}

// TestLeftByClientOfLangGraph holds that a run is stopped when its client goes, if it wants that.
func TestLeftByClientOfLangGraph(t *testing.T) {
	h := slowHouse(t, serve.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	h.slow(ctx, slowly()["langgraph"][0], `{"on_disconnect":"cancel",`+slowly()["langgraph"][1][1:])
	cancel()
	if _, text, _ := h.ask("t", "GET", "/threads/a/events", ""); !strings.Contains(text, `"status":"stopped"`) {
		t.Errorf("the run is %s", text)
	}
}

// TestDrainOfLangGraph holds that a client which waits has to come again when the server ends: its run has not failed.
func TestDrainOfLangGraph(t *testing.T) {
	h := slowHouse(t, serve.Options{})
	h.slow(t.Context(), slowly()["langgraph"][0], slowly()["langgraph"][1])
	var all sync.WaitGroup
	waits := make(chan struct{})
	all.Go(func() {
		close(waits)
		status, text, _ := h.ask("t", "GET", "/live/langgraph/threads/a/runs/"+h.runID()+"/join", "")
		if status != http.StatusServiceUnavailable || strings.Contains(text, "__error__") {
			t.Errorf("%d %s", status, text)
		}
	})
	<-waits
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_ = h.handler.Drain(ended) // which cancels the step
	all.Wait()
}

// event returns the data of the last event of a name, and how many there are.
func event(stream, name string) (data string, n int) {
	for _, found := range regexp.MustCompile(`event: `+name+`\ndata: (.*)\n`).FindAllStringSubmatch(stream, -1) {
		data, n = found[1], n+1
	}
	return data, n
}

// TestStreamOfLangGraph holds that the events of a run add up to the state that the thread has, and are of the graph itself.
func TestStreamOfLangGraph(t *testing.T) {
	h := newHouse(t, serve.Options{})
	streams := func(thread, text string) string {
		t.Helper()
		return h.on("POST", "/threads/"+thread+"/runs/stream",
			`{"stream_mode":["values","updates","custom"],`+strings.Replace(desk, "TEXT", text, 1)[1:], 200)
	}
	state := regexp.MustCompile(`^\{"values":(.*),"next":`)
	for _, text := range []string{"hi", "look", "again"} { // the conversation becomes longer
		values, _ := event(streams("a", text), "values")
		want := state.FindStringSubmatch(h.on("GET", "/threads/a/state", "", 200))
		if want == nil || values != want[1] || strings.Count(values, `"content":`) < 2 {
			t.Errorf("%s: the stream ends with %s, want %s", text, values, want)
		}
	}
	both := streams("b", "both")
	var resume []string
	for _, id := range regexp.MustCompile(`event: updates\ndata: \{"__interrupt__":\[\{"id":"([^"]+)"`).FindAllStringSubmatch(both, -1) {
		resume = append(resume, quoted(id[1])+`:"approve"`)
	}
	body := `{"assistant_id":"desk","stream_mode":["updates"],"command":{"resume":{` + strings.Join(resume, ",") + `}}}`
	both += h.on("POST", "/threads/b/runs/stream", body, 200, `{"agreed":{"reply":"agreed"}}`)
	if strings.Contains(both, `{"left":`) || strings.Contains(both, `{"right":`) {
		t.Errorf("steps within branches are sent as steps of the graph: %s", both)
	}
	streams("c", "ask")
	resumed := h.on("POST", "/threads/c/runs/stream", `{"assistant_id":"desk","stream_mode":"custom","command":{"resume":"Ann"}}`, 200)
	if said, n := event(resumed, "custom"); n != 1 || said != `{"node":"greeted","payload":{"name":"Ann"},"text":"Hello Ann."}` {
		t.Errorf("%d events: %s", n, said)
	}
	plain := h.on("POST", "/runs/stream", `{"assistant_id":"greetings","input":{"name":"Ann"}}`, 200)
	if values, n := event(plain, "values"); n != 1 || values != `{"reply":"You wrote: Ann"}` {
		t.Errorf("%d events: %s", n, values)
	}
	hidden := newHouse(t, without(serve.State))
	if got := strings.TrimSpace(hidden.says("a", desk, "hi")); got != `{"reply":"You wrote: hi","stars":0}` {
		t.Errorf("a caller who may not see the state is sent %s", got)
	}
}

// TestRejoinOfLangGraph holds that a client which wants a run from its beginning gets no event of an earlier run.
func TestRejoinOfLangGraph(t *testing.T) {
	h := newHouse(t, serve.Options{})
	h.says("a", desk, "first")
	h.says("a", desk, "second")
	run := regexp.MustCompile(`"run_id":"([^"]+)"`).FindStringSubmatch(h.on("GET", "/threads/a/runs", "", 200))[1]
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+"/live/langgraph/threads/a/runs/"+run+"/stream?stream_mode=updates", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Last-Event-ID", "-1")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if last, n := event(string(text), "updates"); n != 2 || !strings.Contains(last, "You wrote: second") {
		t.Errorf("%d events: %s", n, text)
	}
}
