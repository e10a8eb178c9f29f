// Package chatjson is the JSON of conversations, for checkpoints and recordings. Empty values
// are left out. Texts that are not UTF-8, which tools may return, are kept unchanged, in
// members of their own.
//
// It is not part of package chat, which depends on no codec.
package chatjson

import (
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
)

var roleJSON = codec.Enum{Type: "Role", Names: []string{"user", "assistant", "tool", "system"}}

// EncodeRole writes the role by its name. One that is not set is an error.
func EncodeRole(r chat.Role, e *codec.Encoder) { codec.WriteEnum(r, e, &roleJSON) }

// DecodeRole reads the role by its name.
func DecodeRole(r *chat.Role, d *codec.Decoder) { codec.ReadEnum(r, d, &roleJSON) }

var messageJSON = codec.Members{
	Type:     "Message",
	Names:    []string{"role", "text", "text_base64", "media", "calls", "reasoning", "voice", "call", "name", "failed"},
	Optional: []string{"text", "text_base64", "media", "calls", "reasoning", "voice", "call", "name", "failed"},
}

// EncodeMessage writes the message as a JSON object.
func EncodeMessage(m chat.Message, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	e.Name("role")
	EncodeRole(m.Role, e)
	WriteText("text", "text_base64", m.Text, e)
	WriteList("media", m.Media, e, EncodeMedia)
	WriteList("calls", m.Calls, e, EncodeToolCall)
	WriteList("reasoning", m.Reasoning, e, EncodeReasoning)
	WriteString("voice", m.Voice, e)
	WriteString("call", m.Call, e)
	WriteString("name", m.Name, e)
	WriteBool("failed", m.Failed, e)
	e.End()
}

// DecodeMessage reads the message from a JSON object.
func DecodeMessage(m *chat.Message, d *codec.Decoder) {
	*m = chat.Message{}
	o := codec.ReadObject(d, &messageJSON)
	for o.Next() {
		switch o.Name {
		case "role":
			DecodeRole(&m.Role, d)
		case "text":
			codec.ReadString(&m.Text, d)
		case "text_base64":
			ReadBase64(&m.Text, d)
		case "media":
			codec.ReadList(&m.Media, d, DecodeMedia)
		case "calls":
			codec.ReadList(&m.Calls, d, DecodeToolCall)
		case "reasoning":
			codec.ReadList(&m.Reasoning, d, DecodeReasoning)
		case "voice":
			codec.ReadString(&m.Voice, d)
		case "call":
			codec.ReadString(&m.Call, d)
		case "name":
			codec.ReadString(&m.Name, d)
		case "failed":
			codec.ReadBool(&m.Failed, d)
		}
	}
}

// The members that a document has instead of the bytes, as in package media: the number of the media
// that is attached, and how many bytes it has.
const (
	attachment = "attachment"
	bytes      = "bytes"
)

var mediaJSON = codec.Members{Type: "Media", Names: []string{"type", "url", "data", "name", attachment, bytes}, Partial: true}

// EncodeMedia writes the media as a JSON object, their bytes in base64. Where the reader of the document gets
// media beside it, or none, the object has the number of the media or its size.
func EncodeMedia(m chat.Media, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	WriteString("type", m.Type, e)
	number, apart := e.Attach(m)
	if number == 0 {
		WriteString("url", m.URL, e)
	}
	switch {
	case number > 0:
		WriteInt(attachment, number, e)
	case apart:
		WriteInt(bytes, len(m.Data), e)
	case len(m.Data) > 0:
		codec.WriteBytes(m.Data, e.Name("data"))
	}
	WriteString("name", m.Name, e)
	e.End()
}

// DecodeMedia reads the media from a JSON object.
func DecodeMedia(m *chat.Media, d *codec.Decoder) {
	*m = chat.Media{}
	var number, size int
	o := codec.ReadObject(d, &mediaJSON)
	for o.Next() {
		switch o.Name {
		case "type":
			codec.ReadString(&m.Type, d)
		case "url":
			codec.ReadString(&m.URL, d)
		case "data":
			codec.ReadBytes(&m.Data, d)
		case "name":
			codec.ReadString(&m.Name, d)
		case attachment:
			codec.ReadInt(&number, d)
		case bytes:
			codec.ReadInt(&size, d)
		}
	}
	if number == 0 && size == 0 {
		return
	}
	kept, ok := d.Attached(number).(chat.Media)
	if !ok || kept.Type != m.Type {
		d.Fail("there is no media beside the document: want it as data or url")
		return
	}
	*m = kept
}

var reasoningJSON = codec.Members{Type: "Reasoning", Names: []string{"text", "text_base64", "opaque", "hidden"}, Partial: true}

// EncodeReasoning writes the reasoning as a JSON object.
func EncodeReasoning(r chat.Reasoning, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	WriteText("text", "text_base64", r.Text, e)
	WriteString("opaque", r.Opaque, e)
	WriteBool("hidden", r.Hidden, e)
	e.End()
}

// DecodeReasoning reads the reasoning from a JSON object.
func DecodeReasoning(r *chat.Reasoning, d *codec.Decoder) {
	*r = chat.Reasoning{}
	o := codec.ReadObject(d, &reasoningJSON)
	for o.Next() {
		switch o.Name {
		case "text":
			codec.ReadString(&r.Text, d)
		case "text_base64":
			ReadBase64(&r.Text, d)
		case "opaque":
			codec.ReadString(&r.Opaque, d)
		case "hidden":
			codec.ReadBool(&r.Hidden, d)
		}
	}
}

var toolCallJSON = codec.Members{
	Type: "ToolCall", Names: []string{"id", "name", "arguments", "arguments_base64", "opaque"}, Partial: true,
}

// EncodeToolCall writes the call as a JSON object, its arguments as the text that they are.
func EncodeToolCall(c chat.ToolCall, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	WriteString("id", c.ID, e)
	WriteString("name", c.Name, e)
	WriteText("arguments", "arguments_base64", c.Arguments, e)
	WriteString("opaque", c.Opaque, e)
	e.End()
}

// DecodeToolCall reads the call from a JSON object.
func DecodeToolCall(c *chat.ToolCall, d *codec.Decoder) {
	*c = chat.ToolCall{}
	o := codec.ReadObject(d, &toolCallJSON)
	for o.Next() {
		switch o.Name {
		case "id":
			codec.ReadString(&c.ID, d)
		case "name":
			codec.ReadString(&c.Name, d)
		case "arguments":
			codec.ReadString(&c.Arguments, d)
		case "arguments_base64":
			ReadBase64(&c.Arguments, d)
		case "opaque":
			codec.ReadString(&c.Opaque, d)
		}
	}
}

var usageJSON = codec.Members{
	Type: "Usage", Names: []string{"input", "output", "reasoning", "cache_read", "cache_write", "cost"}, Partial: true,
}

// EncodeUsage writes the usage as a JSON object.
func EncodeUsage(u chat.Usage, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	WriteInt("input", u.Input, e)
	WriteInt("output", u.Output, e)
	WriteInt("reasoning", u.Reasoning, e)
	WriteInt("cache_read", u.CacheRead, e)
	WriteInt("cache_write", u.CacheWrite, e)
	if u.Cost != 0 {
		e.Name("cost")
		codec.WriteFloat(u.Cost, e)
	}
	e.End()
}

// DecodeUsage reads the usage from a JSON object.
func DecodeUsage(u *chat.Usage, d *codec.Decoder) {
	*u = chat.Usage{}
	o := codec.ReadObject(d, &usageJSON)
	for o.Next() {
		switch o.Name {
		case "input":
			codec.ReadInt(&u.Input, d)
		case "output":
			codec.ReadInt(&u.Output, d)
		case "reasoning":
			codec.ReadInt(&u.Reasoning, d)
		case "cache_read":
			codec.ReadInt(&u.CacheRead, d)
		case "cache_write":
			codec.ReadInt(&u.CacheWrite, d)
		case "cost":
			codec.ReadFloat(&u.Cost, d)
		}
	}
}
