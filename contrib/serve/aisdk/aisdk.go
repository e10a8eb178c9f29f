// Package aisdk serves graphs to the chats of the AI SDK of Vercel (npm ai, version 7): UI message streams, version 1.
//
//	h, err := serve.New(options, serve.Durable("support", m))
//	h.Handle("/ai", aisdk.New(h))
//
// and in a page:
//
//	useChat({ id, transport: new DefaultChatTransport({ api: "/ai/support" }) })
//
// The ID of a chat is the name of a thread. A message of a user starts a run. What a run waits for are tool calls of the message: approvals for
// decisions, calls of tools and interrupts, results for replies and tools of the client. docs/guides/serve-clients.md has what this wire does not carry.
package aisdk

import (
	"encoding/json"
	"net/http"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
	"github.com/graphgen/graphgen/thread"
)

// Options are the options of New.
type Options struct {
	// StopOnDisconnect stops a run whose client goes, such as by the function stop of a chat. Without it the run continues, and the chat can resume its
	// stream.
	StopOnDisconnect bool
}

// New returns a handler for the graphs of h that take messages: POST /{graph}, and GET /{graph}/{chat}/stream for a chat that resumes.
func New(h *serve.Handler, options ...Options) http.Handler {
	w := &wire{}
	if len(options) > 0 {
		w.Options = options[0]
	}
	return h.Mount(serve.Wire{
		Routes: []serve.WireRoute{
			{Method: "POST", Path: "/{graph}", Do: w.send},
			{Method: "GET", Path: "/{graph}/{chat}/stream", Do: w.resume},
		},
		Headers: []string{"User-Agent"},
		Refuse:  refuse,
	})
}

type wire struct{ Options }

// refuse answers with a text: the client makes the message of its error of it.
func refuse(w http.ResponseWriter, p *serve.Problem) {
	p.WriteRetry(w.Header())
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(p.Status)
	_, _ = w.Write([]byte(p.Error())) // a client that is gone
}

// A request is the body of a request of DefaultChatTransport.
type request struct {
	ID       string    `json:"id"`
	Messages []message `json:"messages"`
	Trigger  string    `json:"trigger"`
}

// send starts a run by a message of a user, or continues one by the answers that a message of the assistant has.
func (w *wire) send(c *serve.Call) error {
	if err := c.OpenGraph(c.Request().PathValue("graph")); err != nil {
		return err
	}
	var r request
	if err := speech.Read(c, &r); err != nil {
		return err
	}
	switch {
	case r.Trigger != "" && r.Trigger != "submit-message" && r.Trigger != "regenerate-message":
		return speech.Invalid("trigger", "It is submit-message or regenerate-message.")
	case r.ID == "" && c.Graph().Durable:
		return speech.Invalid("id", "The chat has no ID.")
	case len(r.Messages) == 0:
		return speech.Invalid("messages", "There is no message.")
	}
	if last := &r.Messages[len(r.Messages)-1]; last.Role == "assistant" && c.Graph().Durable {
		return w.answer(c, &r, last)
	}
	list, err := conversation(r.Messages)
	if err != nil {
		return err
	}
	turns, err := speech.Conversation(list)
	if err != nil {
		return err
	}
	x, err := c.Start(serve.Beginning{Thread: r.ID, Conversation: turns, Stream: true, Leave: w.StopOnDisconnect})
	if err != nil {
		return err
	}
	return stream(c, x, &writer{call: c})
}

// answer continues the run of a chat by what its user has decided.
func (w *wire) answer(c *serve.Call, r *request, last *message) error {
	waits, err := speech.Open(c, r.ID)
	if err != nil {
		return err
	}
	to := &writer{call: c, message: last.ID, has: map[string]bool{}}
	var replies []serve.Reply
	for i := range last.Parts {
		p := &last.Parts[i]
		call, ok := speech.ParseCall(p.ToolCallID)
		if !ok || !waits.Has(call) {
			continue
		}
		to.has[p.ToolCallID] = true
		q := waits.Find(p.ToolCallID)
		if q == nil || !p.answers() {
			continue
		}
		data, err := p.answer(q)
		if err != nil {
			return err
		}
		replies = append(replies, serve.Reply{Request: q.ID, JSON: data})
		to.answered = append(to.answered, settled{p.ToolCallID, data, p.State == "approval-responded" && !p.Approval.Approved})
	}
	if len(replies) == 0 {
		return speech.Closed()
	}
	x, err := c.Answer(replies, true, w.StopOnDisconnect)
	if err != nil {
		return err
	}
	return stream(c, x, to)
}

// resume sends the rest of the run of a chat. Where none works, there is nothing to resume.
func (w *wire) resume(c *serve.Call) error {
	if err := c.OpenGraph(c.Request().PathValue("graph")); err != nil {
		return err
	}
	if !c.Graph().Durable {
		return c.NoContent()
	}
	if err := c.OpenThread(c.Request().PathValue("chat")); err != nil {
		if serve.IsNotFound(err) {
			return c.NoContent()
		}
		return err
	}
	status, err := c.Status()
	if err != nil {
		return err
	}
	if status != thread.Running {
		return c.NoContent()
	}
	x, err := c.Join()
	if err != nil {
		return err
	}
	return stream(c, x, &writer{call: c})
}

// stream answers with a run as a UI message stream.
func stream(c *serve.Call, x *serve.Exchange, to *writer) error {
	c.Header().Set("x-vercel-ai-ui-message-stream", "v1")
	to.run = x.Run()
	return x.Events(func(s *serve.Stream) serve.Listener {
		to.to = s
		to.speech = speech.Texts{Call: c, Voice: to}
		return serve.Listener{Begin: to.begin, Live: to.live, End: to.end}
	})
}

// Settled is a tool call that the request has answered.
type settled struct {
	call   string
	answer json.RawMessage
	denied bool
}

// A writer writes the chunks of a message.
type writer struct {
	call     *serve.Call
	to       *serve.Stream
	speech   speech.Texts
	message  string // the ID of the message that is continued; empty: a new one
	run      string
	answered []settled
	has      map[string]bool // the calls that the message of the client has
}

// A chunk is an element of the stream. Empty members are left out.
type chunk struct {
	Type         string          `json:"type"`
	ID           string          `json:"id,omitempty"`
	MessageID    string          `json:"messageId,omitempty"`
	Delta        *string         `json:"delta,omitempty"`
	ToolCallID   string          `json:"toolCallId,omitempty"`
	ToolName     string          `json:"toolName,omitempty"`
	Input        json.RawMessage `json:"input,omitempty"`
	Output       json.RawMessage `json:"output,omitempty"`
	ApprovalID   string          `json:"approvalId,omitempty"`
	Reason       string          `json:"reason,omitempty"`
	Title        string          `json:"title,omitempty"`
	Data         any             `json:"data,omitempty"`
	Transient    bool            `json:"transient,omitempty"`
	ErrorText    string          `json:"errorText,omitempty"`
	FinishReason string          `json:"finishReason,omitempty"`
}

func (w *writer) send(c chunk) error {
	data, err := json.Marshal(c)
	if err != nil {
		w.call.Report(err)
		return err
	}
	return w.to.Send("", "", data)
}

// begin opens the message, and settles the calls that are answered.
func (w *writer) begin() error {
	if w.message == "" && w.run != "" {
		w.message = "msg_" + w.run
	}
	if err := w.send(chunk{Type: "start", MessageID: w.message}); err != nil {
		return err
	}
	for _, s := range w.answered {
		c := chunk{Type: "tool-output-available", ToolCallID: s.call, Output: s.answer}
		if s.denied {
			c = chunk{Type: "tool-output-denied", ToolCallID: s.call}
		}
		if err := w.send(c); err != nil {
			return err
		}
	}
	return nil
}

// A stepData is the data of a part about a node.
type stepData struct {
	Node   string `json:"node"`
	Graph  string `json:"graph,omitempty"`
	Branch string `json:"branch,omitempty"`
	Status string `json:"status"`
}

// live writes what happens.
func (w *writer) live(e *graphgen.Event) error {
	status := ""
	switch e.Kind {
	case graphgen.NodeStart:
		status = "started"
	case graphgen.NodeEnd:
		status = "ended"
	case graphgen.NodeFailed:
		status = "failed"
	case graphgen.Say:
		if data := speech.Payload(e); data != nil {
			if err := w.send(chunk{Type: "data-say", Data: map[string]any{"node": e.Node, "payload": data}}); err != nil {
				return err
			}
		}
	}
	if status != "" && e.Run != nil {
		d := stepData{Node: e.Node, Graph: e.Run.Graph, Branch: e.Run.Branch, Status: status}
		if err := w.send(chunk{Type: "data-step", Data: d, Transient: true}); err != nil {
			return err
		}
	}
	return w.speech.Live(e)
}

// Open, Piece, Close and Void write a text. Each is a step of the message, so that it can be taken back.
func (w *writer) Open(id string) error {
	if err := w.send(chunk{Type: "start-step"}); err != nil {
		return err
	}
	return w.send(chunk{Type: "text-start", ID: id})
}

func (w *writer) Piece(id, text string) error {
	return w.send(chunk{Type: "text-delta", ID: id, Delta: &text})
}

func (w *writer) Close(id string) error {
	if err := w.send(chunk{Type: "text-end", ID: id}); err != nil {
		return err
	}
	return w.send(chunk{Type: "finish-step"})
}

func (w *writer) Void(string) error {
	if err := w.send(chunk{Type: "reset-step"}); err != nil {
		return err
	}
	return w.send(chunk{Type: "finish-step"})
}

// end writes how the run has ended, or what it waits for.
func (w *writer) end(e *serve.End) error {
	if err := w.speech.End(e); err != nil {
		return err
	}
	finish := "stop"
	switch {
	case e.Problem != nil:
		finish = "error"
		if err := w.send(chunk{Type: "error", ErrorText: e.Problem.Error()}); err != nil {
			return err
		}
	case e.Status == "stopped":
		finish = ""
		if err := w.send(chunk{Type: "abort", Reason: "the run was stopped"}); err != nil {
			return err
		}
	case e.Status == "paused":
		finish = "tool-calls"
		if err := w.ask(e.Requests); err != nil {
			return err
		}
	}
	if err := w.send(chunk{Type: "finish", FinishReason: finish}); err != nil {
		return err
	}
	return w.to.Send("", "", []byte("[DONE]"))
}

// ask writes the requests that the message does not have yet, as a step of their own.
func (w *writer) ask(requests []graphgen.Request) error {
	begun := false
	for i := range requests {
		q := &requests[i]
		id := speech.Call{Thread: w.call.Thread(), Run: w.run, Request: q.ID}.String()
		if w.has[id] {
			continue
		}
		if !begun {
			if err := w.send(chunk{Type: "start-step"}); err != nil {
				return err
			}
			begun = true
		}
		c := chunk{Type: "tool-input-available", ToolCallID: id, ToolName: speech.Tool(q), Title: q.Question, Input: speech.Arguments(q)}
		if err := w.send(c); err != nil {
			return err
		}
		if speech.IsApproval(q) {
			if err := w.send(chunk{Type: "tool-approval-request", ApprovalID: id, ToolCallID: id, Reason: q.Question}); err != nil {
				return err
			}
		}
	}
	if !begun {
		return nil
	}
	return w.send(chunk{Type: "finish-step"})
}
