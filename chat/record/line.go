package record

import (
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/failure"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
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
	write := func(label string, v codec.Struct) {
		e.Variant(&lineJSON, label)
		codec.WriteStruct(v, e)
	}
	switch l := l.(type) {
	case header:
		write("recording", &l)
	case settings:
		write("settings", &l)
	case message:
		write("message", &l)
	case *modelCall:
		write("model", l)
	case *toolCall:
		write("tool", l)
	case *toolList:
		write("tools", l)
	case end:
		write("end", &l)
	}
}

func decodeLine(l *line, d *codec.Decoder) {
	switch codec.ReadLabel(d, &lineJSON) {
	case "recording":
		*l = *decoded[header](d, "Recording")
	case "settings":
		*l = *decoded[settings](d, "Settings")
	case "message":
		*l = *decoded[message](d, "Message")
	case "model":
		*l = decoded[modelCall](d, "Model")
	case "tool":
		*l = decoded[toolCall](d, "Tool")
	case "tools":
		*l = decoded[toolList](d, "Tools")
	case "end":
		*l = *decoded[end](d, "End")
	}
}

func decoded[T any, P interface {
	*T
	codec.Struct
}](d *codec.Decoder, name string) *T {
	v := new(T)
	codec.ReadStruct(P(v), d, name)
	return v
}

func (h *header) JSONMembers(o *codec.Object) { o.Int("version", &h.version) }

func (l *end) JSONMembers(o *codec.Object) { o.Int("calls", &l.calls) }

func (l *settings) JSONMembers(o *codec.Object) {
	r := &l.request
	o.Int("n", &l.n)
	codec.SparseMember(o, "model", &r.Model, codec.ReadString, codec.WriteString)
	chatjson.TextMember(o, "system", &r.System)
	codec.SparseListMember(o, "tools", &r.Tools, decodeToolSpec, encodeToolSpec)
	codec.SparseMember(o, "choice", &r.Choice, decodeChoice, encodeChoice)
	codec.OptionalMember(o, "output", &r.Output, decodeSchema, encodeSchema)
	codec.OptionalMember(o, "temperature", &r.Temperature, codec.ReadFloat, codec.WriteFloat)
	codec.SparseMember(o, "max_tokens", &r.MaxTokens, codec.ReadInt, codec.WriteInt)
	codec.SparseMember(o, "cache", &r.Cache, codec.ReadBool, codec.WriteBool)
}

func (l *message) JSONMembers(o *codec.Object) {
	o.Int("n", &l.n)
	codec.SparseMember(o, "after", &l.after, codec.ReadInt, codec.WriteInt)
	codec.Member(o, "message", &l.message, chatjson.DecodeMessage, chatjson.EncodeMessage)
}
