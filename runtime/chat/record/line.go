package record

import (
	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/chat/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/internal/failure"
)

// The kinds of lines.
type (
	header   struct{ version int }
	settings struct {
		n       int
		request chat.Request // without purpose and messages
	}
	message struct {
		n, after int
		message  chat.Message
	}
	modelCall struct {
		n        int
		by       string
		purpose  chat.Purpose
		settings int
		messages int
		deltas   []chat.Delta // nil: it was not streamed
		response *response
		failure  *failure.Failure
		late     bool // the time of its context was up
	}
	toolCall struct {
		n               int
		by              string
		name, arguments string
		result          chat.ToolResult
		failure         *failure.Failure
		late            bool // the time of its context was up
	}
	toolList struct {
		n       int
		by      string
		tools   []chat.ToolSpec
		failure *failure.Failure
	}
	end struct{ calls int }
)

// A line is one of them.
type line any

var lineJSON = codec.Union{
	Type: "Line", Discriminator: "kind",
	Labels: []string{"recording", "settings", "message", "model", "tool", "tools", "end"},
}

func encodeLine(l line, e *codec.Encoder) {
	switch l := l.(type) {
	case header:
		e.Variant(&lineJSON, "recording")
		l.EncodeJSON(e)
	case settings:
		e.Variant(&lineJSON, "settings")
		l.EncodeJSON(e)
	case message:
		e.Variant(&lineJSON, "message")
		l.EncodeJSON(e)
	case *modelCall:
		e.Variant(&lineJSON, "model")
		l.EncodeJSON(e)
	case *toolCall:
		e.Variant(&lineJSON, "tool")
		l.EncodeJSON(e)
	case *toolList:
		e.Variant(&lineJSON, "tools")
		l.EncodeJSON(e)
	case end:
		e.Variant(&lineJSON, "end")
		l.EncodeJSON(e)
	}
}

func decodeLine(l *line, d *codec.Decoder) {
	switch codec.ReadLabel(d, &lineJSON) {
	case "recording":
		*l = decoded[header](d)
	case "settings":
		*l = decoded[settings](d)
	case "message":
		*l = decoded[message](d)
	case "model":
		v := decoded[modelCall](d)
		*l = &v
	case "tool":
		v := decoded[toolCall](d)
		*l = &v
	case "tools":
		v := decoded[toolList](d)
		*l = &v
	case "end":
		*l = decoded[end](d)
	}
}

func decoded[T any, P interface {
	*T
	codec.Unmarshaler
}](d *codec.Decoder) (v T) {
	P(&v).DecodeJSON(d)
	return v
}

var headerJSON = codec.Members{Type: "Recording", Names: []string{"version"}}

func (h header) EncodeJSON(e *codec.Encoder) {
	if e.Begin() {
		e.Name("version")
		codec.WriteInt(h.version, e)
		e.End()
	}
}

func (h *header) DecodeJSON(d *codec.Decoder) {
	for o := codec.ReadObject(d, &headerJSON); o.Next(); {
		codec.ReadInt(&h.version, d)
	}
}

var endJSON = codec.Members{Type: "End", Names: []string{"calls"}}

func (l end) EncodeJSON(e *codec.Encoder) {
	if e.Begin() {
		e.Name("calls")
		codec.WriteInt(l.calls, e)
		e.End()
	}
}

func (l *end) DecodeJSON(d *codec.Decoder) {
	for o := codec.ReadObject(d, &endJSON); o.Next(); {
		codec.ReadInt(&l.calls, d)
	}
}

var settingsJSON = codec.Members{
	Type:     "Settings",
	Names:    []string{"n", "model", "system", "system_base64", "tools", "choice", "output", "temperature", "max_tokens", "cache"},
	Optional: []string{"model", "system", "system_base64", "tools", "choice", "output", "temperature", "max_tokens", "cache"},
}

func (l settings) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	r := &l.request
	e.Name("n")
	codec.WriteInt(l.n, e)
	chatjson.WriteString("model", r.Model, e)
	chatjson.WriteText("system", "system_base64", r.System, e)
	chatjson.WriteList("tools", r.Tools, e, encodeToolSpec)
	if r.Choice != (chat.ToolChoice{}) {
		e.Name("choice")
		encodeChoice(r.Choice, e)
	}
	if r.Output != nil {
		e.Name("output")
		encodeSchema(*r.Output, e)
	}
	if r.Temperature != nil {
		e.Name("temperature")
		codec.WriteFloat(*r.Temperature, e)
	}
	chatjson.WriteInt("max_tokens", r.MaxTokens, e)
	chatjson.WriteBool("cache", r.Cache, e)
	e.End()
}

func (l *settings) DecodeJSON(d *codec.Decoder) {
	r := &l.request
	for o := codec.ReadObject(d, &settingsJSON); o.Next(); {
		switch o.Name {
		case "n":
			codec.ReadInt(&l.n, d)
		case "model":
			codec.ReadString(&r.Model, d)
		case "system":
			codec.ReadString(&r.System, d)
		case "system_base64":
			chatjson.ReadBase64(&r.System, d)
		case "tools":
			codec.ReadList(&r.Tools, d, decodeToolSpec)
		case "choice":
			decodeChoice(&r.Choice, d)
		case "output":
			r.Output = new(chat.Schema)
			decodeSchema(r.Output, d)
		case "temperature":
			r.Temperature = new(float64)
			codec.ReadFloat(r.Temperature, d)
		case "max_tokens":
			codec.ReadInt(&r.MaxTokens, d)
		case "cache":
			codec.ReadBool(&r.Cache, d)
		}
	}
}

var messageJSON = codec.Members{Type: "Message", Names: []string{"n", "after", "message"}, Optional: []string{"after"}}

func (l message) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	e.Name("n")
	codec.WriteInt(l.n, e)
	chatjson.WriteInt("after", l.after, e)
	e.Name("message")
	chatjson.EncodeMessage(l.message, e)
	e.End()
}

func (l *message) DecodeJSON(d *codec.Decoder) {
	for o := codec.ReadObject(d, &messageJSON); o.Next(); {
		switch o.Name {
		case "n":
			codec.ReadInt(&l.n, d)
		case "after":
			codec.ReadInt(&l.after, d)
		case "message":
			chatjson.DecodeMessage(&l.message, d)
		}
	}
}
