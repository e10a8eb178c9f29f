// Package requestjson is the JSON of what a paused run waits for, for programs that show the questions. Empty values are left out.
//
//	if p, ok := errors.AsType[*graphrt.InterruptedError](err); ok {
//		data, problem := requestjson.Append(nil, p)
//	}
//
// The answer to a request, in JSON as its member answer describes, is for the method Answer of the machine. The file
// docs/reference/requests.schema.json is the JSON Schema of what the package writes. It is not part of package graphrt so that
// a program without it does not link codecs.
package requestjson

import (
	"github.com/go-json-experiment/json/jsontext"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/internal/members"
)

// Append writes the requests of a pause at the end of b, as one JSON object without white space.
func Append(b []byte, p *graphrt.InterruptedError) ([]byte, error) { return codec.Append(b, Pause{p}) }

// Pause is a pause whose requests encode themselves.
type Pause struct{ *graphrt.InterruptedError }

// EncodeJSON writes the requests as a JSON object.
func (v Pause) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	e.Name("requests")
	codec.WriteList(v.Requests, e, write)
	e.End()
}

// MarshalJSON is for encoding/json.
func (v Pause) MarshalJSON() ([]byte, error) { return codec.Marshal(v) }

// MarshalJSONTo is for encoding/json/v2, and for streams of package jsontext.
func (v Pause) MarshalJSONTo(to *jsontext.Encoder) error { return codec.MarshalTo(v, to) }

// write writes one request.
func write(q graphrt.Request, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	members.Text("id", q.ID, e)
	members.Text("kind", string(q.Kind), e)
	members.Text("graph", q.Graph, e)
	members.Text("within", q.Within, e)
	members.Text("branch", q.Branch, e)
	members.Text("node", q.Node, e)
	chatjson.WriteInt("step", q.Step, e)
	chatjson.WriteInt("visit", q.Visit, e)
	members.Text("file", q.Pos.File, e)
	chatjson.WriteInt("line", q.Pos.Line, e)
	chatjson.WriteInt("col", q.Pos.Col, e)
	members.Text("question", q.Question, e)
	chatjson.WriteList("shown", q.Shown, e, writeShown)
	members.Text("tool", q.Tool, e)
	if q.Arguments != "" {
		e.Name("arguments")
		codec.WriteAny([]byte(q.Arguments), e)
	}
	chatjson.WriteList("choices", q.Choices, e, codec.WriteString)
	e.Name("answer")
	writeAnswer(&q, e)
	if !q.Deadline.IsZero() {
		e.Name("deadline")
		codec.WriteTime(q.Deadline, e)
	}
	e.End()
}

// writeShown writes a value that a person is shown: JSON as value, another one as text.
func writeShown(s graphrt.Shown, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	members.Text("name", s.Name, e)
	if s.JSON {
		e.Name("value")
		codec.WriteAny([]byte(s.Text), e)
	} else {
		members.Text("text", s.Text, e)
	}
	e.End()
}

// writeAnswer writes the JSON Schema of the answer.
func writeAnswer(q *graphrt.Request, e *codec.Encoder) {
	if q.Schema != "" {
		codec.WriteAny([]byte(q.Schema), e)
		return
	}
	if !e.Begin() {
		return
	}
	switch {
	case q.Kind == graphrt.RequestInterrupt:
		e.Name("const")
		codec.WriteString("continue", e)
	case len(q.Choices) > 0:
		e.Name("enum")
		codec.WriteList(q.Choices, e, codec.WriteString)
	default:
		e.Name("type")
		codec.WriteString("string", e)
	}
	e.End()
}
