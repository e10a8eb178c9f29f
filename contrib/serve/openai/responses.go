package openai

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

// A request is a request for a response.
type request struct {
	Model        string          `json:"model"`
	Input        json.RawMessage `json:"input"`
	Instructions string          `json:"instructions"`
	Stream       bool            `json:"stream"`
	Background   bool            `json:"background"`
	Previous     string          `json:"previous_response_id"`
	Conversation json.RawMessage `json:"conversation"`
	Text         struct {
		Format struct {
			Type string `json:"type"`
		} `json:"format"`
	} `json:"text"`
	Metadata map[string]string `json:"metadata"`
}

// An item is an element of the input of a response.
type item struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Call      string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

// respond answers a request for a response.
func (w *wire) respond(c *serve.Call) error {
	var r request
	if err := speech.Read(c, &r); err != nil {
		return err
	}
	if err := c.OpenGraph(r.Model); err != nil {
		return modelProblem(err)
	}
	switch {
	case r.Background:
		return speech.Invalid("background", "A response is waited for, or streamed.")
	case r.Text.Format.Type != "" && r.Text.Format.Type != "text":
		return speech.Invalid("text.format", "The graph has the form of its output.")
	}
	name, err := w.threadOf(c, &r)
	if err != nil {
		return err
	}
	list, outputs, err := r.messages()
	if err != nil {
		return err
	}
	var x *serve.Exchange
	if len(outputs) > 0 {
		x, err = w.answers(c, outputs, r.Stream)
	} else {
		var turns *serve.Conversation
		if turns, err = speech.Conversation(list); err == nil {
			x, err = c.Start(serve.Beginning{Thread: name, Conversation: turns, Stream: r.Stream, Leave: w.StopOnDisconnect})
		}
	}
	if err != nil {
		return err
	}
	if r.Stream {
		return stream(c, x, &r)
	}
	end, err := x.Wait()
	if err != nil {
		return err
	}
	if p := problem(end); p != nil {
		return p
	}
	of := blankResponse(c, place{c.Thread(), x.Run()}, r.Model, r.Previous)
	of.ends(end, outputsOf(c, x.Run(), end))
	return reply(c, of)
}

// threadOf returns the thread of a conversation, or of the response before this one; empty: a new one.
func (w *wire) threadOf(c *serve.Call, r *request) (string, error) {
	name := r.Metadata["thread"]
	if len(r.Conversation) > 0 && string(r.Conversation) != "null" {
		var of struct{ ID string }
		if json.Unmarshal(r.Conversation, &name) != nil && json.Unmarshal(r.Conversation, &of) == nil {
			name = of.ID
		}
		if name == "" || r.Previous != "" {
			return "", speech.Invalid("conversation", "It is an ID, without a previous response.")
		}
	}
	if r.Previous == "" {
		return name, nil
	}
	p, ok := placeOf(r.Previous)
	if !ok {
		return "", noResponse("previous_response_id")
	}
	if _, err := openPlace(c, p, "previous_response_id"); err != nil {
		return "", err
	}
	return p.thread, nil
}

// openPlace opens the thread of a response, which must be of its last run.
func openPlace(c *serve.Call, p place, field string) (*serve.End, error) {
	if err := c.OpenThread(p.thread); err != nil {
		if serve.IsNotFound(err) {
			return nil, noResponse(field)
		}
		return nil, err
	}
	run, end, err := c.Ended()
	if err != nil {
		return nil, err
	}
	if run != p.run {
		return nil, &serve.Problem{Status: http.StatusConflict, Code: "state", Field: field, Detail: "The response is not the last one of its thread."}
	}
	return end, nil
}

func noResponse(field string) error {
	return &serve.Problem{Status: http.StatusNotFound, Code: "not_found", Field: field, Detail: "There is no such response."}
}

// messages returns the input as messages, and the outputs of function calls that are at its end.
func (r *request) messages() (list []chat.Message, outputs []output, err error) {
	if r.Instructions != "" {
		list = append(list, chat.Message{Role: chat.RoleSystem, Text: r.Instructions})
	}
	text := ""
	if json.Unmarshal(r.Input, &text) == nil && len(r.Input) > 0 {
		return append(list, chat.UserText(text)), nil, nil
	}
	var items []item
	if json.Unmarshal(r.Input, &items) != nil {
		return nil, nil, speech.Invalid("input", "It is a text, or a list of items.")
	}
	for i := range items {
		it, at := &items[i], speech.Index("input", i)
		switch it.Type {
		case "", "message":
			of := chat.Message{Role: roles[it.Role]}
			if of.Role == 0 {
				return nil, nil, speech.Invalid(at+".role", "It is user, assistant, system or developer.")
			}
			if err := fill(&of, it.Content, at+".content"); err != nil {
				return nil, nil, err
			}
			list, outputs = append(list, of), nil
		case "function_call":
			call := chat.ToolCall{ID: it.Call, Name: it.Name, Arguments: it.Arguments}
			list, outputs = append(list, chat.Message{Role: chat.RoleAssistant, Calls: []chat.ToolCall{call}}), nil
		case "function_call_output":
			text, err := textOf(it.Output, at+".output")
			if err != nil {
				return nil, nil, err
			}
			list = append(list, chat.Message{Role: chat.RoleTool, Call: it.Call, Text: text})
			outputs = append(outputs, output{it.Call, text})
		case "reasoning": // of an earlier response
		default:
			return nil, nil, speech.Invalid(at+".type", "The graph takes no item of this type.")
		}
	}
	return list, outputs, nil
}

// retrieve sends a response again, as it is.
func (w *wire) retrieve(c *serve.Call) error {
	p, end, err := openResponse(c)
	if err != nil {
		return err
	}
	return resend(c, p, end)
}

// cancel stops the run of a response.
func (w *wire) cancel(c *serve.Call) error {
	p, end, err := openResponse(c)
	if err != nil {
		return err
	}
	if end.Status == "running" {
		if err := c.Stop(); err != nil {
			return err
		}
		end = &serve.End{Status: "stopped"}
	}
	return resend(c, p, end)
}

// openResponse opens the thread of the response of the path.
func openResponse(c *serve.Call) (place, *serve.End, error) {
	p, ok := placeOf(c.Request().PathValue("response"))
	if !ok {
		return p, nil, noResponse("response")
	}
	end, err := openPlace(c, p, "response")
	return p, end, err
}

// resend answers with a response of an earlier request.
func resend(c *serve.Call, p place, end *serve.End) error {
	of := blankResponse(c, p, c.Graph().Name, "")
	of.ends(end, outputsOf(c, p.run, end))
	return reply(c, of)
}

// A response is what is made of a request.
type response struct {
	ID           string            `json:"id"`
	Object       string            `json:"object"`
	Created      int64             `json:"created_at"`
	Status       string            `json:"status"`
	Error        *responseFault    `json:"error"`
	Incomplete   *struct{}         `json:"incomplete_details"`
	Instructions *string           `json:"instructions"`
	Metadata     map[string]string `json:"metadata"`
	Model        string            `json:"model"`
	Output       []any             `json:"output"`
	Parallel     bool              `json:"parallel_tool_calls"`
	Temperature  *float64          `json:"temperature"`
	TopP         *float64          `json:"top_p"`
	Choice       string            `json:"tool_choice"`
	Tools        []struct{}        `json:"tools"`
	Previous     *string           `json:"previous_response_id"`
	Conversation *conversation     `json:"conversation"`
	Usage        *responseUsage    `json:"usage,omitempty"`
}

type conversation struct {
	ID string `json:"id"`
}

type responseFault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type responseUsage struct {
	Input         int            `json:"input_tokens"`
	InputDetails  map[string]int `json:"input_tokens_details"`
	Output        int            `json:"output_tokens"`
	OutputDetails map[string]int `json:"output_tokens_details"`
	Total         int            `json:"total_tokens"`
}

// A messageItem is a message of the output.
type messageItem struct {
	ID      string        `json:"id"`
	Type    string        `json:"type"`
	Status  string        `json:"status"`
	Role    string        `json:"role"`
	Content []messagePart `json:"content"`
}

type messagePart struct {
	Type        string     `json:"type"`
	Text        string     `json:"text"`
	Annotations []struct{} `json:"annotations"`
	Logprobs    []struct{} `json:"logprobs"`
}

// A callItem is a call of a function of the output.
type callItem struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Status    string `json:"status"`
	Call      string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func blankResponse(c *serve.Call, p place, model, previous string) *response {
	r := &response{
		ID: p.id(), Object: "response", Created: c.Now().Unix(), Status: "in_progress", Metadata: map[string]string{}, Model: model, Output: []any{},
		Parallel: true, Choice: "auto", Tools: []struct{}{},
	}
	if previous != "" {
		r.Previous = &previous
	}
	if p.thread != "" {
		r.Conversation = &conversation{p.thread}
	}
	return r
}

// ends sets how the run has ended.
func (r *response) ends(e *serve.End, outputs []any) {
	r.Output = outputs
	if u := e.Usage; u != nil {
		r.Usage = &responseUsage{
			u.Input, map[string]int{"cached_tokens": u.CacheRead}, u.Output, map[string]int{"reasoning_tokens": u.Reasoning}, u.Input + u.Output,
		}
	}
	switch {
	case e.Status == "running" && e.Problem == nil:
		r.Status = "in_progress"
	case e.Status == "stopped":
		r.Status = "cancelled"
	default:
		r.Status = "completed"
	}
	if p := e.Problem; p != nil {
		r.Status, r.Error = "failed", &responseFault{p.Code, p.Error()}
	}
}

// outputsOf returns the output of a run that has ended, or waits.
func outputsOf(c *serve.Call, run string, e *serve.End) []any {
	list := []any{}
	if e.Text != "" {
		list = append(list, message(run, 0, "completed", e.Text))
	}
	for _, call := range calls(c, run, e.Requests) {
		list = append(list, itemOf(call))
	}
	return list
}

func message(run string, n int, status, text string) messageItem {
	m := messageItem{"msg_" + run + "_" + strconv.Itoa(n), "message", status, "assistant", []messagePart{}}
	if text != "" {
		m.Content = append(m.Content, textPart(text))
	}
	return m
}

func textPart(text string) messagePart {
	return messagePart{"output_text", text, []struct{}{}, []struct{}{}}
}

func itemOf(call toolCall) callItem {
	return callItem{"fc_" + call.ID, "function_call", "completed", call.ID, call.Function.Name, call.Function.Arguments}
}

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
