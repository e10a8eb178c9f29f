package record

import (
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/failure"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
)

func (c *modelCall) JSONMembers(o *codec.Object) {
	o.Int("n", &c.n)
	codec.SparseMember(o, "by", &c.by, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "purpose", (*string)(&c.purpose), codec.ReadString, codec.WriteString)
	o.Int("settings", &c.settings)
	codec.SparseMember(o, "messages", &c.messages, codec.ReadInt, codec.WriteInt)
	optional(o, "deltas", &c.deltas, c.deltas != nil,
		func(v *[]chat.Delta, d *codec.Decoder) { codec.ReadList(v, d, decodeDelta) },
		func(v []chat.Delta, e *codec.Encoder) { codec.WriteList(v, e, encodeDelta) })
	codec.OptionalMember(o, "response", &c.response,
		func(v *response, d *codec.Decoder) { codec.ReadStruct(v, d, "Response") },
		func(v response, e *codec.Encoder) { codec.WriteStruct(&v, e) })
	failed(o, &c.failure)
	codec.SparseMember(o, "late", &c.late, codec.ReadBool, codec.WriteBool)
}

// optional lists a value that may be absent, and is written if it is given.
func optional[T any](o *codec.Object, name string, v *T, given bool, read codec.Reader[T], write codec.Writer[T]) {
	var at *T
	if given {
		at = v
	}
	if codec.OptionalMember(o, name, &at, read, write); at != nil && at != v {
		*v = *at
	}
}

func failed(o *codec.Object, f **failure.Failure) {
	codec.OptionalMember(o, "error", f, failure.Read, failure.Write)
}

// A response is one whose message has a number.
type response struct {
	as int
	chat.Response
}

func (r *response) JSONMembers(o *codec.Object) {
	o.Int("as", &r.as)
	codec.Member(o, "message", &r.Message, chatjson.DecodeMessage, chatjson.EncodeMessage)
	codec.SparseMember(o, "finish", (*string)(&r.Finish), codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "usage", &r.Usage, chatjson.DecodeUsage, chatjson.EncodeUsage)
	codec.SparseMember(o, "model", &r.Model, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "id", &r.ID, codec.ReadString, codec.WriteString)
}

func (c *toolCall) JSONMembers(o *codec.Object) {
	o.Int("n", &c.n)
	codec.SparseMember(o, "by", &c.by, codec.ReadString, codec.WriteString)
	o.String("name", &c.name)
	chatjson.TextMember(o, "arguments", &c.arguments)
	optional(o, "result", &c.result, c.result.Text != "" || len(c.result.Media) > 0, decodeToolResult, encodeToolResult)
	failed(o, &c.failure)
	codec.SparseMember(o, "late", &c.late, codec.ReadBool, codec.WriteBool)
}

func (c *toolList) JSONMembers(o *codec.Object) {
	o.Int("n", &c.n)
	codec.SparseMember(o, "by", &c.by, codec.ReadString, codec.WriteString)
	codec.ListMember(o, "tools", &c.tools, decodeToolSpec, encodeToolSpec)
	failed(o, &c.failure)
}
