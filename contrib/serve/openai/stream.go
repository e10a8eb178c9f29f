package openai

import (
	"encoding/json"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

// stream answers with the events of a response.
func stream(c *serve.Call, x *serve.Exchange, r *request) error {
	w := &responseWriter{call: c, run: x.Run(), response: blankResponse(c, place{c.Thread(), x.Run()}, r.Model, r.Previous)}
	return x.Events(func(to *serve.Stream) serve.Listener {
		w.to = to
		w.speech = speech.Texts{Call: c, Voice: w, Mute: true}
		return serve.Listener{Begin: w.begin, Live: w.speech.Live, End: w.end}
	})
}

// A responseWriter writes the events of a response.
type responseWriter struct {
	call     *serve.Call
	to       *serve.Stream
	speech   speech.Texts
	run      string
	response *response
	n        int
	output   []any
	text     string // of the message that is open
}

// An event is an event of a response. Empty members are left out.
type event struct {
	Type     string       `json:"type"`
	N        int          `json:"sequence_number"`
	Response *response    `json:"response,omitempty"`
	Index    *int         `json:"output_index,omitempty"`
	Content  *int         `json:"content_index,omitempty"`
	Item     any          `json:"item,omitempty"`
	ItemID   string       `json:"item_id,omitempty"`
	Part     *messagePart `json:"part,omitempty"`
	Delta    *string      `json:"delta,omitempty"`
	Text     *string      `json:"text,omitempty"`
	Logprobs *[]struct{}  `json:"logprobs,omitempty"`
	Name     string       `json:"name,omitempty"`
	Args     *string      `json:"arguments,omitempty"`
}

func (w *responseWriter) send(e event) error {
	e.N = w.n
	w.n++
	data, err := json.Marshal(e)
	if err != nil {
		w.call.Report(err)
		return err
	}
	return w.to.Send("", e.Type, data)
}

// begin opens the response.
func (w *responseWriter) begin() error {
	if err := w.send(event{Type: "response.created", Response: w.response}); err != nil {
		return err
	}
	return w.send(event{Type: "response.in_progress", Response: w.response})
}

// Open, Piece, Close and Void write a message. What does not count cannot be taken back.
func (w *responseWriter) Open(string) error {
	n, zero := len(w.output), 0
	m := message(w.run, n, "in_progress", "")
	w.text = ""
	if err := w.send(event{Type: "response.output_item.added", Index: &n, Item: m}); err != nil {
		return err
	}
	part := textPart("")
	return w.send(event{Type: "response.content_part.added", ItemID: m.ID, Index: &n, Content: &zero, Part: &part})
}

func (w *responseWriter) Piece(_, text string) error {
	n, zero := len(w.output), 0
	w.text += text
	id := message(w.run, n, "", "").ID
	return w.send(event{Type: "response.output_text.delta", ItemID: id, Index: &n, Content: &zero, Delta: &text, Logprobs: &[]struct{}{}})
}

func (w *responseWriter) Close(string) error {
	n, zero := len(w.output), 0
	m, part := message(w.run, n, "completed", w.text), textPart(w.text)
	w.output = append(w.output, m)
	for _, e := range []event{
		{Type: "response.output_text.done", ItemID: m.ID, Index: &n, Content: &zero, Text: &w.text, Logprobs: &[]struct{}{}},
		{Type: "response.content_part.done", ItemID: m.ID, Index: &n, Content: &zero, Part: &part},
		{Type: "response.output_item.done", Index: &n, Item: m},
	} {
		if err := w.send(e); err != nil {
			return err
		}
	}
	return nil
}

func (w *responseWriter) Void(id string) error { return w.Close(id) }

// end writes how the run has ended.
func (w *responseWriter) end(e *serve.End) error {
	p := problem(e)
	if p == nil {
		if err := w.speech.End(e); err != nil {
			return err
		}
	} else {
		e.Problem = p
	}
	for _, call := range calls(w.call, w.run, e.Requests) {
		if err := w.ask(itemOf(call)); err != nil {
			return err
		}
	}
	if w.output == nil {
		w.output = []any{}
	}
	w.response.ends(e, w.output)
	kind := "response.completed"
	if w.response.Status == "failed" {
		kind = "response.failed"
	}
	return w.send(event{Type: kind, Response: w.response})
}

// ask writes a call of a function.
func (w *responseWriter) ask(call callItem) error {
	n, none := len(w.output), ""
	w.output = append(w.output, call)
	begun := call
	begun.Status, begun.Arguments = "in_progress", none
	for _, e := range []event{
		{Type: "response.output_item.added", Index: &n, Item: begun},
		{Type: "response.function_call_arguments.delta", ItemID: call.ID, Index: &n, Delta: &call.Arguments},
		{Type: "response.function_call_arguments.done", ItemID: call.ID, Index: &n, Name: call.Name, Args: &call.Arguments},
		{Type: "response.output_item.done", Index: &n, Item: call},
	} {
		if err := w.send(e); err != nil {
			return err
		}
	}
	return nil
}
