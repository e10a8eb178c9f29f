package a2a

import (
	"encoding/json"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/jsonrpc"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

// A part is a part of a message.
type part struct {
	Text      *string         `json:"text,omitempty"`
	Raw       string          `json:"raw,omitempty"`
	URL       string          `json:"url,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	Filename  string          `json:"filename,omitempty"`
	MediaType string          `json:"mediaType,omitempty"`
}

// A message is a message of a client, or of a task.
type message struct {
	ID      string `json:"messageId"`
	Context string `json:"contextId,omitempty"`
	Task    string `json:"taskId,omitempty"`
	Role    string `json:"role"`
	Parts   []part `json:"parts"`
}

// send starts a run by a message, or continues one.
func send(c *serve.Call, r *jsonrpc.Request) (any, error) {
	var p struct {
		Message       message `json:"message"`
		Configuration struct {
			Immediately bool `json:"returnImmediately"`
		} `json:"configuration"`
	}
	streams := r.Method == "SendStreamingMessage"
	if json.Unmarshal(r.Params, &p) != nil || p.Message.Role != "ROLE_USER" || len(p.Message.Parts) == 0 {
		return nil, &jsonrpc.Fault{Code: jsonrpc.Params, Message: "the message is not one of a user, with parts"}
	}
	if p.Configuration.Immediately {
		return nil, &jsonrpc.Fault{Code: codeUnsupported, Message: "a message is waited for, or streamed"}
	}
	of, data, err := read(&p.Message)
	if err != nil {
		return nil, err
	}
	var x *serve.Exchange
	switch {
	case p.Message.Task != "":
		x, err = respond(c, &p.Message, of.Text, data, streams)
	case data != nil:
		x, err = c.Start(serve.Beginning{Thread: p.Message.Context, Input: data, Stream: streams})
	default:
		turns := &serve.Conversation{Messages: []chat.Message{of}, Text: of.Text}
		x, err = c.Start(serve.Beginning{Thread: p.Message.Context, Conversation: turns, Stream: streams})
	}
	if err != nil {
		return nil, err
	}
	if streams {
		return nil, stream(c, r, x)
	}
	end, err := x.Wait()
	if err != nil {
		return nil, err
	}
	return map[string]any{"task": taskOf(c, x.Run(), end)}, nil
}

// read returns a message as a model has it, and the data of its only part, if it is of data.
func read(m *message) (of chat.Message, data json.RawMessage, err error) {
	of.Role = chat.RoleUser
	for i := range m.Parts {
		p, at := &m.Parts[i], speech.Index("message.parts", i)
		switch {
		case p.Text != nil:
			if of.Text != "" {
				of.Text += "\n"
			}
			of.Text += *p.Text
		case p.Raw != "" || p.URL != "":
			link := p.URL
			if p.Raw != "" {
				link = "data:" + p.MediaType + ";base64," + p.Raw
			}
			file, err := speech.File(link, p.MediaType, p.Filename)
			if err != nil {
				return of, nil, speech.Invalid(at, err.Error())
			}
			of.Media = append(of.Media, file)
		case len(p.Data) > 0 && len(m.Parts) == 1:
			return of, p.Data, nil
		default:
			return of, nil, speech.Invalid(at, "It has a text or a file, or it is the only part, with data.")
		}
	}
	return of, nil, nil
}

// respond answers the requests of a task: its only one by a text or by data, several by an object with their IDs.
func respond(c *serve.Call, m *message, text string, data json.RawMessage, streams bool) (*serve.Exchange, error) {
	at, end, err := find(c, m.Task)
	if err != nil {
		return nil, err
	}
	if m.Context != "" && m.Context != at.Thread {
		return nil, speech.Invalid("message.contextId", "The task is of another context.")
	}
	if end.Status != "paused" {
		return nil, speech.Closed()
	}
	requests, err := c.Requests()
	if err != nil {
		return nil, err
	}
	var replies []serve.Reply
	var several map[string]json.RawMessage
	for i := range requests {
		q := &requests[i]
		var value []byte
		switch {
		case len(requests) == 1 && data == nil:
			value, err = speech.Written(q, text)
		case len(requests) == 1:
			value, err = speech.Given(q, data)
		case json.Unmarshal(data, &several) != nil:
			return nil, speech.Invalid("message.parts", "Several requests are open: the part has data, with the answers by their IDs.")
		case several[q.ID] == nil:
			continue
		default:
			value, err = speech.Given(q, several[q.ID])
		}
		if err != nil {
			return nil, err
		}
		replies = append(replies, serve.Reply{Request: q.ID, JSON: value})
	}
	return c.Answer(replies, streams, false)
}
