package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/bounded"
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/tidwall/gjson"
)

// readWhole reads an answer in one piece.
func (m *Model) readWhole(body []byte, a *answer) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return &chat.ModelError{Kind: chat.Malformed, Message: "it is empty"}
	}
	body, err := bounded.JSON(body)
	if err != nil {
		return err
	}
	var c sdk.ChatCompletion
	if err := json.Unmarshal(body, &c); err != nil {
		return &chat.ModelError{Kind: chat.Malformed, Message: "it is not JSON", Text: m.excerpt(body), Err: err}
	}
	if e := gjson.GetBytes(body, "error"); e.IsObject() || e.Type == gjson.String {
		return m.errorIn(body)
	}
	a.id, a.model = c.ID, c.Model
	a.setUsage(&c.Usage)
	for i := range c.Choices {
		choice := &c.Choices[i]
		if choice.Index != 0 {
			continue
		}
		message := &choice.Message
		p := &piece{
			content: message.Content, refusal: message.Refusal, raw: message.JSON.Content.Raw(),
			extra: message.JSON.ExtraFields, finish: choice.FinishReason,
		}
		for j := range message.ToolCalls {
			// The place counts: a server that sends indices here too may send the same one for all.
			f := callOf(message.ToolCalls[j].RawJSON())
			f.index, f.indexed = int64(j), true
			p.calls = append(p.calls, f)
		}
		if err := a.add(p); err != nil {
			return err
		}
	}
	return nil
}

// callOf reads a tool call of a message.
func callOf(raw string) fragment {
	c := gjson.Parse(raw)
	return fragment{
		id: c.Get("id").String(), name: c.Get("function.name").String(),
		arguments: argumentsOf(c.Get("function.arguments").Raw), opaque: opaqueExtra(c.Get(fieldExtra).Raw),
	}
}

// argumentsOf returns the arguments, which are a string of JSON, or of some servers that JSON itself.
func argumentsOf(raw string) string {
	switch v := gjson.Parse(raw); {
	case v.Type == gjson.String:
		return v.Str
	case v.IsObject():
		return raw
	}
	return ""
}

func opaqueExtra(raw string) string {
	if raw == "" || raw == "null" {
		return ""
	}
	return opaquePrefix + fieldExtra + ":" + raw
}

// readEvents reads an answer of server-sent events. It is whole if the server marks its end, or
// gives the reason why it ended.
func (m *Model) readEvents(ctx context.Context, res *http.Response, a *answer) error {
	events, done := ssestream.NewDecoder(res), false
	some := false
	for !done && events.Next() {
		if err := ctx.Err(); err != nil { // of many events that were read together
			return err
		}
		some = true
		e := events.Event()
		switch data := bytes.TrimSpace(e.Data); {
		case string(data) == "[DONE]":
			done = true
		case e.Type == "error":
			return m.errorIn(data)
		case len(data) == 0: // some servers keep a connection alive by it
		case e.Type == "" || e.Type == "message":
			if err := m.readEvent(data, a); err != nil {
				return err
			}
		}
	}
	switch err := events.Err(); {
	case err != nil:
		return cut(err)
	case a.finish != "", done && !a.halfCall():
		return nil
	case !some && !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream"):
		return &chat.ModelError{Kind: chat.Malformed, Message: "it is not a stream of events but " + res.Header.Get("Content-Type")}
	}
	return cut(io.ErrUnexpectedEOF)
}

// readEvent reads the data of one event.
func (m *Model) readEvent(data []byte, a *answer) error {
	data, err := bounded.JSON(data)
	if err != nil {
		return err
	}
	var c sdk.ChatCompletionChunk
	if err := json.Unmarshal(data, &c); err != nil {
		return &chat.ModelError{Kind: chat.Malformed, Message: "an event of the stream is not JSON", Text: m.excerpt(data), Err: err}
	}
	if e := gjson.GetBytes(data, "error"); e.IsObject() || e.Type == gjson.String {
		return m.errorIn(data)
	}
	if a.id == "" {
		a.id = c.ID
	}
	if a.model == "" {
		a.model = c.Model
	}
	if c.JSON.Usage.Valid() {
		a.setUsage(&c.Usage)
	}
	for i := range c.Choices {
		choice := &c.Choices[i]
		if choice.Index != 0 {
			continue
		}
		delta := &choice.Delta
		p := &piece{
			content: delta.Content, refusal: delta.Refusal, raw: delta.JSON.Content.Raw(),
			extra: delta.JSON.ExtraFields, finish: choice.FinishReason,
		}
		for j := range delta.ToolCalls {
			p.calls = append(p.calls, fragmentOf(&delta.ToolCalls[j]))
		}
		if err := a.add(p); err != nil {
			return err
		}
	}
	return nil
}

func fragmentOf(c *sdk.ChatCompletionChunkChoiceDeltaToolCall) fragment {
	return fragment{
		id: c.ID, name: c.Function.Name, arguments: argumentsOf(c.Function.JSON.Arguments.Raw()),
		opaque: opaqueExtra(fieldRaw(c.JSON.ExtraFields, fieldExtra)),
		index:  c.Index, indexed: c.JSON.Index.Valid(),
	}
}

// cut returns the error of an answer that could not be read to its end.
func cut(err error) error {
	if chat.IsKind(err, chat.Malformed) {
		return err
	}
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return &chat.ModelError{Kind: chat.Malformed, Message: "an event of the stream is too long"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errCutOff
	}
	return &chat.ModelError{Kind: chat.Unreachable, Err: err}
}

var errCutOff = errors.New("the answer was cut off")
