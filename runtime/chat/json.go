package chat

import (
	"unicode/utf8"

	"github.com/graphgen/graphgen/runtime/codec"
)

// The JSON of conversations, for checkpoints and recordings. What is empty is left out. Texts
// that are not UTF-8, as tools may give them, are kept as they are, in members of their own.

var roleJSON = codec.Enum{Type: "Role", Names: []string{"user", "assistant", "tool", "system"}}

// EncodeJSON writes the role by its name. One that is not set is an error.
func (r Role) EncodeJSON(e *codec.Encoder) { codec.WriteEnum(r, e, &roleJSON) }

// DecodeJSON reads the role by its name.
func (r *Role) DecodeJSON(d *codec.Decoder) { codec.ReadEnum(r, d, &roleJSON) }

var messageJSON = codec.Members{
	Type:     "Message",
	Names:    []string{"role", "text", "text_base64", "media", "calls", "reasoning", "call", "name", "failed"},
	Optional: []string{"text", "text_base64", "media", "calls", "reasoning", "call", "name", "failed"},
}

// EncodeJSON writes the message as a JSON object.
func (m Message) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	e.Name("role")
	m.Role.EncodeJSON(e)
	writeText("text", "text_base64", m.Text, e)
	writeList("media", m.Media, e, Media.EncodeJSON)
	writeList("calls", m.Calls, e, ToolCall.EncodeJSON)
	writeList("reasoning", m.Reasoning, e, Reasoning.EncodeJSON)
	writeString("call", m.Call, e)
	writeString("name", m.Name, e)
	writeBool("failed", m.Failed, e)
	e.End()
}

// DecodeJSON reads the message from a JSON object.
func (m *Message) DecodeJSON(d *codec.Decoder) {
	*m = Message{}
	o := codec.ReadObject(d, &messageJSON)
	for o.Next() {
		switch o.Name {
		case "role":
			m.Role.DecodeJSON(d)
		case "text":
			codec.ReadString(&m.Text, d)
		case "text_base64":
			readBase64(&m.Text, d)
		case "media":
			codec.ReadList(&m.Media, d, (*Media).DecodeJSON)
		case "calls":
			codec.ReadList(&m.Calls, d, (*ToolCall).DecodeJSON)
		case "reasoning":
			codec.ReadList(&m.Reasoning, d, (*Reasoning).DecodeJSON)
		case "call":
			codec.ReadString(&m.Call, d)
		case "name":
			codec.ReadString(&m.Name, d)
		case "failed":
			codec.ReadBool(&m.Failed, d)
		}
	}
}

var mediaJSON = codec.Members{Type: "Media", Names: []string{"type", "url", "data", "name"}, Partial: true}

// EncodeJSON writes the media as a JSON object, their bytes in base64.
func (m Media) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	writeString("type", m.Type, e)
	writeString("url", m.URL, e)
	if len(m.Data) > 0 {
		e.Name("data")
		codec.WriteBytes(m.Data, e)
	}
	writeString("name", m.Name, e)
	e.End()
}

// DecodeJSON reads the media from a JSON object.
func (m *Media) DecodeJSON(d *codec.Decoder) {
	*m = Media{}
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
		}
	}
}

var reasoningJSON = codec.Members{Type: "Reasoning", Names: []string{"text", "text_base64", "opaque", "hidden"}, Partial: true}

// EncodeJSON writes the reasoning as a JSON object.
func (r Reasoning) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	writeText("text", "text_base64", r.Text, e)
	writeString("opaque", r.Opaque, e)
	writeBool("hidden", r.Hidden, e)
	e.End()
}

// DecodeJSON reads the reasoning from a JSON object.
func (r *Reasoning) DecodeJSON(d *codec.Decoder) {
	*r = Reasoning{}
	o := codec.ReadObject(d, &reasoningJSON)
	for o.Next() {
		switch o.Name {
		case "text":
			codec.ReadString(&r.Text, d)
		case "text_base64":
			readBase64(&r.Text, d)
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

// EncodeJSON writes the call as a JSON object, its arguments as the text that they are.
func (c ToolCall) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	writeString("id", c.ID, e)
	writeString("name", c.Name, e)
	writeText("arguments", "arguments_base64", c.Arguments, e)
	writeString("opaque", c.Opaque, e)
	e.End()
}

// DecodeJSON reads the call from a JSON object.
func (c *ToolCall) DecodeJSON(d *codec.Decoder) {
	*c = ToolCall{}
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
			readBase64(&c.Arguments, d)
		case "opaque":
			codec.ReadString(&c.Opaque, d)
		}
	}
}

var usageJSON = codec.Members{
	Type: "Usage", Names: []string{"input", "output", "reasoning", "cache_read", "cache_write", "cost"}, Partial: true,
}

// EncodeJSON writes the usage as a JSON object.
func (u Usage) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	writeInt("input", u.Input, e)
	writeInt("output", u.Output, e)
	writeInt("reasoning", u.Reasoning, e)
	writeInt("cache_read", u.CacheRead, e)
	writeInt("cache_write", u.CacheWrite, e)
	if u.Cost != 0 {
		e.Name("cost")
		codec.WriteFloat(u.Cost, e)
	}
	e.End()
}

// DecodeJSON reads the usage from a JSON object.
func (u *Usage) DecodeJSON(d *codec.Decoder) {
	*u = Usage{}
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

// writeText writes a member that may hold any bytes: under its name if they are UTF-8, and
// else under the other one, in base64.
func writeText(name, base64, v string, e *codec.Encoder) {
	if utf8.ValidString(v) {
		writeString(name, v, e)
		return
	}
	e.Name(base64)
	codec.WriteBytes([]byte(v), e)
}

func readBase64(v *string, d *codec.Decoder) {
	var data []byte
	codec.ReadBytes(&data, d)
	*v = string(data)
}

func writeString(name, v string, e *codec.Encoder) {
	if v != "" {
		e.Name(name)
		codec.WriteString(v, e)
	}
}

func writeBool(name string, v bool, e *codec.Encoder) {
	if v {
		e.Name(name)
		codec.WriteBool(v, e)
	}
}

func writeInt(name string, v int, e *codec.Encoder) {
	if v != 0 {
		e.Name(name)
		codec.WriteInt(v, e)
	}
}

func writeList[T any](name string, v []T, e *codec.Encoder, write codec.Writer[T]) {
	if len(v) > 0 {
		e.Name(name)
		codec.WriteList(v, e, write)
	}
}
