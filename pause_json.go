package graphgen

import (
	"github.com/graphgen/graphgen/internal/members"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
)

// AppendRequests appends requests, of a Pause or of a thread, to b as one JSON object without white space, for programs that
// show the questions. Empty values are left out. The answer to a request, in JSON as its member answer describes, is for AnswerJSON. The file
// docs/reference/requests.schema.json is its JSON Schema.
//
//	if p := graphgen.AsPause(err); p != nil {
//		data, problem := graphgen.AppendRequests(nil, p.Requests)
//	}
func AppendRequests(b []byte, requests []Request) ([]byte, error) {
	return codec.Append(b, requestList(requests))
}

// A requestList are requests that encode themselves.
type requestList []Request

// EncodeJSON writes the requests as a JSON object.
func (l requestList) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	e.Name("requests")
	codec.WriteList(l, e, writeRequest)
	e.End()
}

// writeRequest writes one request.
func writeRequest(q Request, e *codec.Encoder) {
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
func writeShown(s Shown, e *codec.Encoder) {
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
func writeAnswer(q *Request, e *codec.Encoder) {
	if q.Schema != "" {
		codec.WriteAny([]byte(q.Schema), e)
		return
	}
	if !e.Begin() {
		return
	}
	switch {
	case q.Kind == RequestInterrupt:
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
