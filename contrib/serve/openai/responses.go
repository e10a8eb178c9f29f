package openai

import (
	"encoding/json"
	"net/http"

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
	if err := openThread(c, p, "previous_response_id"); err != nil {
		return "", err
	}
	again, err := c.Repeats() // then the response is not the last one any more
	if err == nil && !again {
		_, err = lastEnd(c, p, "previous_response_id")
	}
	return p.thread, err
}

// openThread opens the thread of a response.
func openThread(c *serve.Call, p place, field string) error {
	err := c.OpenThread(p.thread)
	if serve.IsNotFound(err) {
		return noResponse(field)
	}
	return err
}

// lastEnd returns how the run of a response has ended, which must be the last one of the thread that is open.
func lastEnd(c *serve.Call, p place, field string) (*serve.End, error) {
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
			if err := speech.Content(&of, it.Content, at+".content"); err != nil {
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
		if _, end, err = c.Ended(); err != nil { // a run of another process works until its next node
			return err
		}
	}
	return resend(c, p, end)
}

// openResponse opens the thread of the response of the path.
func openResponse(c *serve.Call) (place, *serve.End, error) {
	p, ok := placeOf(c.Request().PathValue("response"))
	if !ok {
		return p, nil, noResponse("response")
	}
	if err := openThread(c, p, "response"); err != nil {
		return p, nil, err
	}
	end, err := lastEnd(c, p, "response")
	return p, end, err
}

// resend answers with a response of an earlier request.
func resend(c *serve.Call, p place, end *serve.End) error {
	of := blankResponse(c, p, c.Graph().Name, "")
	of.ends(end, outputsOf(c, p.run, end))
	return reply(c, of)
}
