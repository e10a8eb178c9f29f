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
	"net/http"

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
