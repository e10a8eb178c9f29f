package record

import (
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
)

type jsonToolSpec chat.ToolSpec

func (t *jsonToolSpec) JSONMembers(o *codec.Object) {
	codec.SparseMember(o, "name", &t.Name, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "doc", &t.Doc, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "schema", &t.Schema, codec.ReadString, codec.WriteString)
}

func encodeToolSpec(t chat.ToolSpec, e *codec.Encoder) { codec.WriteStruct((*jsonToolSpec)(&t), e) }
func decodeToolSpec(t *chat.ToolSpec, d *codec.Decoder) {
	codec.ReadStruct((*jsonToolSpec)(t), d, "ToolSpec")
}

type jsonSchema chat.Schema

func (s *jsonSchema) JSONMembers(o *codec.Object) {
	codec.SparseMember(o, "name", &s.Name, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "json", &s.JSON, codec.ReadString, codec.WriteString)
}

func encodeSchema(s chat.Schema, e *codec.Encoder)  { codec.WriteStruct((*jsonSchema)(&s), e) }
func decodeSchema(s *chat.Schema, d *codec.Decoder) { codec.ReadStruct((*jsonSchema)(s), d, "Schema") }

var modeJSON = codec.Enum{Type: "Mode", Names: []string{"auto", "none", "required", "named"}}

type jsonChoice chat.ToolChoice

func (c *jsonChoice) JSONMembers(o *codec.Object) {
	mode := c.Mode + 1 // enums count from 1
	codec.Member(o, "mode", &mode,
		func(v *chat.ToolMode, d *codec.Decoder) { codec.ReadEnum(v, d, &modeJSON) },
		func(v chat.ToolMode, e *codec.Encoder) { codec.WriteEnum(v, e, &modeJSON) })
	c.Mode = mode - 1
	codec.SparseMember(o, "name", &c.Name, codec.ReadString, codec.WriteString)
}

func encodeChoice(c chat.ToolChoice, e *codec.Encoder) { codec.WriteStruct((*jsonChoice)(&c), e) }
func decodeChoice(c *chat.ToolChoice, d *codec.Decoder) {
	codec.ReadStruct((*jsonChoice)(c), d, "Choice")
}

type jsonDelta chat.Delta

func (v *jsonDelta) JSONMembers(o *codec.Object) {
	chatjson.TextMember(o, "text", &v.Text)
	chatjson.TextMember(o, "reasoning", &v.Reasoning)
	codec.SparseMember(o, "tool", &v.Tool, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "tool_id", &v.ToolID, codec.ReadString, codec.WriteString)
}

func encodeDelta(v chat.Delta, e *codec.Encoder)  { codec.WriteStruct((*jsonDelta)(&v), e) }
func decodeDelta(v *chat.Delta, d *codec.Decoder) { codec.ReadStruct((*jsonDelta)(v), d, "Delta") }

type jsonToolResult chat.ToolResult

func (r *jsonToolResult) JSONMembers(o *codec.Object) {
	chatjson.TextMember(o, "text", &r.Text)
	codec.SparseListMember(o, "media", &r.Media, chatjson.DecodeMedia, chatjson.EncodeMedia)
}

func encodeToolResult(r chat.ToolResult, e *codec.Encoder) {
	codec.WriteStruct((*jsonToolResult)(&r), e)
}
func decodeToolResult(r *chat.ToolResult, d *codec.Decoder) {
	codec.ReadStruct((*jsonToolResult)(r), d, "ToolResult")
}
