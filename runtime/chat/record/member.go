package record

import (
	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/chat/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
)

var toolSpecJSON = codec.Members{Type: "ToolSpec", Names: []string{"name", "doc", "schema"}, Partial: true}

func encodeToolSpec(t chat.ToolSpec, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	chatjson.WriteString("name", t.Name, e)
	chatjson.WriteString("doc", t.Doc, e)
	chatjson.WriteString("schema", t.Schema, e)
	e.End()
}

func decodeToolSpec(t *chat.ToolSpec, d *codec.Decoder) {
	for o := codec.ReadObject(d, &toolSpecJSON); o.Next(); {
		switch o.Name {
		case "name":
			codec.ReadString(&t.Name, d)
		case "doc":
			codec.ReadString(&t.Doc, d)
		case "schema":
			codec.ReadString(&t.Schema, d)
		}
	}
}

var schemaJSON = codec.Members{Type: "Schema", Names: []string{"name", "json"}, Partial: true}

func encodeSchema(s chat.Schema, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	chatjson.WriteString("name", s.Name, e)
	chatjson.WriteString("json", s.JSON, e)
	e.End()
}

func decodeSchema(s *chat.Schema, d *codec.Decoder) {
	for o := codec.ReadObject(d, &schemaJSON); o.Next(); {
		switch o.Name {
		case "name":
			codec.ReadString(&s.Name, d)
		case "json":
			codec.ReadString(&s.JSON, d)
		}
	}
}

var (
	choiceJSON = codec.Members{Type: "Choice", Names: []string{"mode", "name"}, Optional: []string{"name"}}
	modeJSON   = codec.Enum{Type: "Mode", Names: []string{"auto", "none", "required", "named"}}
)

func encodeChoice(c chat.ToolChoice, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	e.Name("mode")
	codec.WriteEnum(c.Mode+1, e, &modeJSON) // enums count from 1
	chatjson.WriteString("name", c.Name, e)
	e.End()
}

func decodeChoice(c *chat.ToolChoice, d *codec.Decoder) {
	for o := codec.ReadObject(d, &choiceJSON); o.Next(); {
		switch o.Name {
		case "mode":
			codec.ReadEnum(&c.Mode, d, &modeJSON)
			c.Mode--
		case "name":
			codec.ReadString(&c.Name, d)
		}
	}
}

var deltaJSON = codec.Members{Type: "Delta", Names: []string{"text", "text_base64", "reasoning", "reasoning_base64", "tool"}, Partial: true}

func encodeDelta(v chat.Delta, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	chatjson.WriteText("text", "text_base64", v.Text, e)
	chatjson.WriteText("reasoning", "reasoning_base64", v.Reasoning, e)
	chatjson.WriteString("tool", v.Tool, e)
	e.End()
}

func decodeDelta(v *chat.Delta, d *codec.Decoder) {
	for o := codec.ReadObject(d, &deltaJSON); o.Next(); {
		switch o.Name {
		case "text":
			codec.ReadString(&v.Text, d)
		case "text_base64":
			chatjson.ReadBase64(&v.Text, d)
		case "reasoning":
			codec.ReadString(&v.Reasoning, d)
		case "reasoning_base64":
			chatjson.ReadBase64(&v.Reasoning, d)
		case "tool":
			codec.ReadString(&v.Tool, d)
		}
	}
}

var toolResultJSON = codec.Members{Type: "ToolResult", Names: []string{"text", "text_base64", "media"}, Partial: true}

func encodeToolResult(r chat.ToolResult, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	chatjson.WriteText("text", "text_base64", r.Text, e)
	chatjson.WriteList("media", r.Media, e, chatjson.EncodeMedia)
	e.End()
}

func decodeToolResult(r *chat.ToolResult, d *codec.Decoder) {
	for o := codec.ReadObject(d, &toolResultJSON); o.Next(); {
		switch o.Name {
		case "text":
			codec.ReadString(&r.Text, d)
		case "text_base64":
			chatjson.ReadBase64(&r.Text, d)
		case "media":
			codec.ReadList(&r.Media, d, chatjson.DecodeMedia)
		}
	}
}
