// Package agui serves graphs to front ends that speak AG-UI, version 1.0, such as CopilotKit.
//
//	h, err := serve.New(options, serve.Durable("support", m))
//	h.Handle("/agui", agui.New(h))
//
// and in a page:
//
//	const agent = new HttpAgent({ url: "/agui/support", threadId });
//
// The thread of a client is the thread. A message of a user starts a run. What a run waits for are interrupts of its end, and calls of tools of the client,
// which the next run of the client answers. The state of the graph is a snapshot, and patches by what each step writes. The README of serve has what
// this wire cannot carry.
package agui

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

// Options are the options of New.
type Options struct {
	StopOnDisconnect bool // a run is stopped when its client goes, such as by abortRun; without it the run continues
}

// New returns a handler for the graphs of h that take messages: POST /{graph}.
func New(h *serve.Handler, options ...Options) http.Handler {
	w := &wire{}
	if len(options) > 0 {
		w.Options = options[0]
	}
	return h.Mount(serve.Wire{Routes: []serve.WireRoute{{Method: "POST", Path: "/{graph}", Do: w.run}}, Refuse: refuse})
}

type wire struct{ Options }

// refuse answers with the event of a run that has failed.
func refuse(w http.ResponseWriter, p *serve.Problem) {
	p.WriteRetry(w.Header())
	data, _ := json.Marshal(failure(p)) // of texts
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(data, '\n')) // a client that is gone
}

func failure(p *serve.Problem) event {
	return event{Type: "RUN_ERROR", Message: p.Error(), Code: p.Code}
}

// A request is what a run is asked for: RunAgentInput. Tools and the state of the client are not among it: the graph has its own.
type request struct {
	ThreadID string    `json:"threadId"`
	RunID    string    `json:"runId"`
	Messages []message `json:"messages"`
	Resume   []struct {
		ID      string          `json:"interruptId"`
		Status  string          `json:"status"`
		Payload json.RawMessage `json:"payload"`
	} `json:"resume"`
}

// run starts a run by a message of a user, or continues one by answers.
func (w *wire) run(c *serve.Call) error {
	if err := c.OpenGraph(c.Request().PathValue("graph")); err != nil {
		return err
	}
	var r request
	if err := speech.Read(c, &r); err != nil {
		return err
	}
	switch {
	case r.ThreadID == "" && c.Graph().Durable:
		return speech.Invalid("threadId", "The run has no thread.")
	case r.RunID == "":
		return speech.Invalid("runId", "The run has no ID.")
	}
	last := len(r.Messages) - 1
	if len(r.Resume) > 0 || last >= 0 && r.Messages[last].Role == "tool" {
		return w.answer(c, &r)
	}
	list, err := conversation(r.Messages)
	if err != nil {
		return err
	}
	turns, err := speech.Conversation(list)
	if err != nil {
		return err
	}
	x, err := c.Start(serve.Beginning{Thread: r.ThreadID, Conversation: turns, Stream: true, Leave: w.StopOnDisconnect})
	if err != nil {
		return err
	}
	return stream(c, x, &r, nil)
}

// answer continues a run by entries that resume it, and by results of tools of the client.
func (w *wire) answer(c *serve.Call, r *request) error {
	waits, err := speech.Open(c, r.ThreadID)
	if err != nil {
		return err
	}
	var replies []serve.Reply
	var settled []event
	for i := range r.Resume {
		e := &r.Resume[i]
		q := waits.Find(e.ID)
		if q == nil {
			return speech.Closed()
		}
		data, err := resumes(q, c.Now(), e.Status, e.Payload)
		if err != nil {
			return err
		}
		replies = append(replies, serve.Reply{Request: q.ID, JSON: data})
		if q.Kind == graphgen.RequestToolApproval {
			text := string(data)
			settled = append(settled, event{Type: "TOOL_CALL_RESULT", MessageID: "result_" + e.ID, ToolCallID: e.ID, Content: &text, Role: "tool"})
		}
	}
	for i := range r.Messages {
		m := &r.Messages[i]
		q := waits.Find(m.ToolCallID)
		if m.Role != "tool" || q == nil || q.Kind != graphgen.RequestClientTool {
			continue
		}
		data, err := m.result(q)
		if err != nil {
			return err
		}
		replies = append(replies, serve.Reply{Request: q.ID, JSON: data})
	}
	if len(replies) == 0 {
		return speech.Closed()
	}
	x, err := c.Answer(replies, true, w.StopOnDisconnect)
	if err != nil {
		return err
	}
	return stream(c, x, r, settled)
}

// resumes returns the answer of an entry. What was left undecided is a no, or a tool that has failed.
func resumes(q *graphgen.Request, now time.Time, status string, payload json.RawMessage) ([]byte, error) {
	switch status {
	case "cancelled":
		switch {
		case !q.Deadline.IsZero() && now.After(q.Deadline): // any answer is late
			return []byte("null"), nil
		case q.Kind == graphgen.RequestClientTool:
			return speech.Failed(q, "it was cancelled")
		}
		return speech.Decided(q, false, "")
	case "resolved":
	default:
		return nil, speech.Invalid("resume.status", "It is resolved or cancelled.")
	}
	var decided struct {
		Approved *bool
		Reason   string
	}
	yes, isDecision := speech.YesNo(payload)
	switch {
	case speech.IsApproval(q) && isDecision:
		return speech.Decided(q, yes, "")
	case speech.IsApproval(q) && json.Unmarshal(payload, &decided) == nil && decided.Approved != nil:
		return speech.Decided(q, *decided.Approved, decided.Reason)
	case len(payload) == 0:
		return nil, speech.Invalid("resume.payload", "The answer has no value.")
	}
	return payload, nil
}
