// Package langgraph serves graphs to clients of the API of LangGraph's server, such as @langchain/langgraph-sdk and its hook useStream.
//
//	h, err := serve.New(options, serve.Durable("support", m))
//	h.Handle("/langgraph", langgraph.New(h))
//
// and in a client:
//
//	const client = new Client({ apiUrl: "https://shop.example/langgraph" });
//	const thread = await client.threads.create();
//	for await (const e of client.runs.stream(thread.thread_id, "support", { input })) …
//
// A graph is an assistant, and a thread a thread, whose records are its checkpoints. What a run waits for are interrupts, which a command resumes.
// docs/guides/serve-clients.md has what this wire does not carry; what a client asks for beyond that is refused by name.
package langgraph

import (
	"encoding/json"
	"net/http"

	"github.com/graphgen/graphgen/contrib/serve"
)

// New returns a handler for the graphs of h.
func New(h *serve.Handler) http.Handler {
	return h.Mount(serve.Wire{
		Routes: []serve.WireRoute{
			{Method: "GET", Path: "/ok", Do: ok},
			{Method: "GET", Path: "/info", Do: info},
			{Method: "POST", Path: "/assistants/search", Do: searchAssistants},
			{Method: "POST", Path: "/assistants/count", Do: countAssistants},
			{Method: "GET", Path: "/assistants/{assistant}", Do: readAssistant},
			{Method: "GET", Path: "/assistants/{assistant}/schemas", Do: schemas},
			{Method: "POST", Path: "/threads", Do: createThread},
			{Method: "POST", Path: "/threads/search", Do: searchThreads},
			{Method: "POST", Path: "/threads/count", Do: countThreads},
			{Method: "GET", Path: "/threads/{thread}", Do: readThread},
			{Method: "DELETE", Path: "/threads/{thread}", Do: deleteThread},
			{Method: "POST", Path: "/threads/{thread}/copy", Do: copyThread},
			{Method: "GET", Path: "/threads/{thread}/state", Do: readState},
			{Method: "GET", Path: "/threads/{thread}/state/{checkpoint}", Do: readState},
			{Method: "POST", Path: "/threads/{thread}/state/checkpoint", Do: readCheckpoint},
			{Method: "GET", Path: "/threads/{thread}/history", Do: history},
			{Method: "POST", Path: "/threads/{thread}/history", Do: history},
			{Method: "GET", Path: "/threads/{thread}/runs", Do: listRuns},
			{Method: "POST", Path: "/threads/{thread}/runs", Do: createRun},
			{Method: "POST", Path: "/threads/{thread}/runs/stream", Do: streamRun},
			{Method: "POST", Path: "/threads/{thread}/runs/wait", Do: waitRun},
			{Method: "GET", Path: "/threads/{thread}/runs/{run}", Do: readRun},
			{Method: "GET", Path: "/threads/{thread}/runs/{run}/join", Do: joinRun},
			{Method: "GET", Path: "/threads/{thread}/runs/{run}/stream", Do: joinStream},
			{Method: "POST", Path: "/threads/{thread}/runs/{run}/cancel", Do: cancelRun},
			{Method: "POST", Path: "/runs", Do: createRun},
			{Method: "POST", Path: "/runs/stream", Do: streamRun},
			{Method: "POST", Path: "/runs/wait", Do: waitRun},
		},
		Headers: []string{"X-Api-Key"},
		Refuse:  refuse,
	})
}

// A fault is an error, as clients are sent it.
type fault struct {
	Error   string `json:"error"`
	Message string `json:"message"`
	Field   string `json:"field,omitempty"`
}

func faultOf(p *serve.Problem) fault { return fault{p.Code, p.Error(), p.Field} }

// refuse answers with an error. Clients repeat a request that is refused with 409 or 503: what must not be repeated has another status here, such as a
// thread that has another run, and a run that another process continues.
func refuse(w http.ResponseWriter, p *serve.Problem) {
	p.WriteRetry(w.Header())
	status := p.Status
	if status == http.StatusConflict || status == http.StatusServiceUnavailable && p.Retry == 0 {
		status = http.StatusUnprocessableEntity
	}
	data, _ := json.Marshal(faultOf(p)) // of texts
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // a client that is gone
}

// reply answers with JSON.
func reply(c *serve.Call, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, "application/json", data)
}

func ok(c *serve.Call) error { return reply(c, map[string]bool{"ok": true}) }

func info(c *serve.Call) error {
	return reply(c, map[string]any{"version": "graphgen", "flags": map[string]bool{"assistants": true, "crons": false}})
}

// unsupported is the problem of what clients may ask for, and this wire does not carry.
func unsupported(field, detail string) error {
	return &serve.Problem{Status: http.StatusUnprocessableEntity, Code: "unsupported", Field: field, Detail: detail}
}

// isGiven reports whether a member of a request has a value that asks for something.
func isGiven(data json.RawMessage) bool {
	switch string(data) {
	case "", "null", "[]", "{}", "false", "0":
		return false
	}
	return true
}
