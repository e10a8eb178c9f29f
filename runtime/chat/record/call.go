package record

import (
	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/chat/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/internal/failure"
)

var modelCallJSON = codec.Members{
	Type:     "Model",
	Names:    []string{"n", "by", "purpose", "settings", "messages", "deltas", "response", "error", "late"},
	Optional: []string{"by", "purpose", "messages", "deltas", "response", "error", "late"},
}

func (c modelCall) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	e.Name("n")
	codec.WriteInt(c.n, e)
	chatjson.WriteString("by", c.by, e)
	chatjson.WriteString("purpose", string(c.purpose), e)
	e.Name("settings")
	codec.WriteInt(c.settings, e)
	chatjson.WriteInt("messages", c.messages, e)
	if c.deltas != nil {
		e.Name("deltas")
		codec.WriteList(c.deltas, e, encodeDelta)
	}
	if c.response != nil {
		e.Name("response")
		c.response.EncodeJSON(e)
	}
	failure.Write("error", c.failure, e)
	chatjson.WriteBool("late", c.late, e)
	e.End()
}

func (c *modelCall) DecodeJSON(d *codec.Decoder) {
	for o := codec.ReadObject(d, &modelCallJSON); o.Next(); {
		switch o.Name {
		case "n":
			codec.ReadInt(&c.n, d)
		case "by":
			codec.ReadString(&c.by, d)
		case "purpose":
			codec.ReadString((*string)(&c.purpose), d)
		case "settings":
			codec.ReadInt(&c.settings, d)
		case "messages":
			codec.ReadInt(&c.messages, d)
		case "deltas":
			codec.ReadList(&c.deltas, d, decodeDelta)
		case "response":
			c.response = new(response)
			c.response.DecodeJSON(d)
		case "error":
			c.failure = new(failure.Failure)
			c.failure.DecodeJSON(d)
		case "late":
			codec.ReadBool(&c.late, d)
		}
	}
}

// A response is one whose message has a number.
type response struct {
	as int
	chat.Response
}

var responseJSON = codec.Members{
	Type:     "Response",
	Names:    []string{"as", "message", "finish", "usage", "model", "id"},
	Optional: []string{"finish", "usage", "model", "id"},
}

func (r response) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	e.Name("as")
	codec.WriteInt(r.as, e)
	e.Name("message")
	chatjson.EncodeMessage(r.Message, e)
	chatjson.WriteString("finish", string(r.Finish), e)
	if r.Usage != (chat.Usage{}) {
		e.Name("usage")
		chatjson.EncodeUsage(r.Usage, e)
	}
	chatjson.WriteString("model", r.Model, e)
	chatjson.WriteString("id", r.ID, e)
	e.End()
}

func (r *response) DecodeJSON(d *codec.Decoder) {
	for o := codec.ReadObject(d, &responseJSON); o.Next(); {
		switch o.Name {
		case "as":
			codec.ReadInt(&r.as, d)
		case "message":
			chatjson.DecodeMessage(&r.Message, d)
		case "finish":
			codec.ReadString((*string)(&r.Finish), d)
		case "usage":
			chatjson.DecodeUsage(&r.Usage, d)
		case "model":
			codec.ReadString(&r.Model, d)
		case "id":
			codec.ReadString(&r.ID, d)
		}
	}
}

var toolCallJSON = codec.Members{
	Type:     "Tool",
	Names:    []string{"n", "by", "name", "arguments", "arguments_base64", "result", "error", "late"},
	Optional: []string{"by", "arguments", "arguments_base64", "result", "error", "late"},
}

func (c toolCall) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	e.Name("n")
	codec.WriteInt(c.n, e)
	chatjson.WriteString("by", c.by, e)
	e.Name("name")
	codec.WriteString(c.name, e)
	chatjson.WriteText("arguments", "arguments_base64", c.arguments, e)
	if c.result.Text != "" || len(c.result.Media) > 0 {
		e.Name("result")
		encodeToolResult(c.result, e)
	}
	failure.Write("error", c.failure, e)
	chatjson.WriteBool("late", c.late, e)
	e.End()
}

func (c *toolCall) DecodeJSON(d *codec.Decoder) {
	for o := codec.ReadObject(d, &toolCallJSON); o.Next(); {
		switch o.Name {
		case "n":
			codec.ReadInt(&c.n, d)
		case "by":
			codec.ReadString(&c.by, d)
		case "name":
			codec.ReadString(&c.name, d)
		case "arguments":
			codec.ReadString(&c.arguments, d)
		case "arguments_base64":
			chatjson.ReadBase64(&c.arguments, d)
		case "result":
			decodeToolResult(&c.result, d)
		case "error":
			c.failure = new(failure.Failure)
			c.failure.DecodeJSON(d)
		case "late":
			codec.ReadBool(&c.late, d)
		}
	}
}

var toolListJSON = codec.Members{Type: "Tools", Names: []string{"n", "by", "tools", "error"}, Optional: []string{"by", "error"}}

func (c toolList) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	e.Name("n")
	codec.WriteInt(c.n, e)
	chatjson.WriteString("by", c.by, e)
	e.Name("tools")
	codec.WriteList(c.tools, e, encodeToolSpec)
	failure.Write("error", c.failure, e)
	e.End()
}

func (c *toolList) DecodeJSON(d *codec.Decoder) {
	for o := codec.ReadObject(d, &toolListJSON); o.Next(); {
		switch o.Name {
		case "n":
			codec.ReadInt(&c.n, d)
		case "by":
			codec.ReadString(&c.by, d)
		case "tools":
			codec.ReadList(&c.tools, d, decodeToolSpec)
		case "error":
			c.failure = new(failure.Failure)
			c.failure.DecodeJSON(d)
		}
	}
}
