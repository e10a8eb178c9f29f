package aisdk

import (
	"encoding/json"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

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
