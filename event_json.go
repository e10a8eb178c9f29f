package graphgen

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/members"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
)

// AppendJSON appends the event to b as one JSON object without white space, for logs and streams to other programs. Empty values are left
// out. Texts that are not UTF-8, which tools may return, are kept unchanged, in members of their own.
//
//	graphgen.WithObserver(func(e graphgen.Event) {
//		line, err := e.AppendJSON(line[:0])
//		…
//	})
func (e *Event) AppendJSON(b []byte) ([]byte, error) { return codec.Append(b, (*eventView)(e)) }

// MarshalJSON returns the JSON of AppendJSON.
func (e Event) MarshalJSON() ([]byte, error) { return codec.Marshal((*eventView)(&e)) }

// MarshalJSONTo writes the JSON of AppendJSON for encoding/json/v2, and for streams of package jsontext.
func (e Event) MarshalJSONTo(to *jsontext.Encoder) error {
	return codec.MarshalTo((*eventView)(&e), to)
}

// An eventView is an event that encodes itself, and is not copied.
type eventView Event

// EncodeJSON writes the event as a JSON object.
func (v *eventView) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	e.Name("kind")
	codec.WriteString(v.Kind.String(), e)
	chatjson.WriteInt("n", v.N, e)
	chatjson.WriteInt("record", v.Record, e)
	if !v.Time.IsZero() {
		e.Name("time")
		codec.WriteTime(v.Time, e)
	}
	if v.Run != nil {
		writeRunInfo(v.Run, e)
	}
	v.writeStep(e)
	err := v.Err
	if problem := v.writeDetails(e); err == nil {
		err = problem
	}
	members.Error("error", err, e)
	members.Text("error_kind", errorKind(err), e)
	e.End()
}

// errorKind returns the kind of the error of a model or a tool in a tree of errors; empty: it has none.
func errorKind(err error) string {
	if e, ok := errors.AsType[*chat.ModelError](err); ok && e.Kind >= chat.RateLimited && e.Kind <= chat.Malformed {
		return e.Kind.String()
	}
	if e, ok := errors.AsType[*chat.ToolError](err); ok && e.Kind >= chat.UnknownTool && e.Kind <= chat.CallDenied {
		return e.Kind.String()
	}
	return ""
}

// writeDetails writes what the kind of the event has besides. The error is that the payload of a message has no JSON.
func (v *eventView) writeDetails(e *codec.Encoder) error {
	of := (*Event)(v)
	if written, ok := v.Details.More.(origin.Fields); ok {
		e.Name("written")
		written.EncodeJSON(e)
	}
	switch v.Kind {
	case NodeEnd, NodeFailed:
		members.Span("took_ms", of.Took(), e)
		chatjson.WriteText("text", "text_base64", v.Details.Text, e)
	case Routed:
		writeRoute(of.Route(), e)
	case Retry:
		attempt, wait := of.Retry()
		chatjson.WriteInt("attempt", attempt, e)
		members.Span("wait_ms", wait, e)
	case Progress, Mutated:
		reason, _ := v.Details.More.(string)
		chatjson.WriteText("text", "text_base64", v.Details.Text, e)
		members.Text("reason", reason, e)
	case Token:
		v.writeToken(e)
	case ModelStart, ModelEnd:
		v.writeModel(e)
	case ToolStart, ToolEnd:
		writeTool(of.Tool(), e)
	case Say:
		chatjson.WriteText("text", "text_base64", v.Details.Text, e)
		return v.writePayload(e)
	case Interrupt:
		e.Name("request")
		writeQuestion(of.Request(), e)
	case RunEnd:
		v.writeEnd(e)
	default:
		chatjson.WriteText("text", "text_base64", v.Details.Text, e)
	}
	return nil
}

// writeEnd writes the requests of a pause, and the report.
func (v *eventView) writeEnd(e *codec.Encoder) {
	if p := AsPause(v.Err); p != nil {
		chatjson.WriteList("requests", p.Requests, e, writeQuestion)
	}
	if report := (*Event)(v).Report(); report != nil {
		e.Name("report")
		writeEventReport(report, e)
	}
}

// writeQuestion writes a request without the values of the state that a person is shown: events go where they need not.
func writeQuestion(q Request, e *codec.Encoder) {
	q.Shown = nil
	writeRequest(q, e)
}

// writeToken writes a piece of an answer, and to which call it belongs.
func (v *eventView) writeToken(e *codec.Encoder) {
	d := (*Event)(v).Token()
	chatjson.WriteText("text", "text_base64", d.Text, e)
	chatjson.WriteText("reasoning", "reasoning_base64", d.Reasoning, e)
	writeModel(ModelEvent{Call: v.Details.Number}, e)
	if d.Tool != "" {
		writeTool(ToolEvent{ID: d.ToolID, Name: d.Tool}, e)
	}
}

// writeModel writes a call of a model, with its request or its answer where the run has WithExchanges.
func (v *eventView) writeModel(e *codec.Encoder) {
	m := (*Event)(v).Model()
	writeModel(m, e)
	if sent := (*Event)(v).Sent(); sent != nil {
		writeSent(sent, &m, e)
	}
	if received := (*Event)(v).Received(); received != nil {
		e.Name("received")
		chatjson.EncodeMessage(received.Message, e)
	}
}

// writePayload writes what a node of kind say sends. A payload without JSON is left out, for the rest of the
// event is sound.
func (v *eventView) writePayload(e *codec.Encoder) error {
	payload, ok := Payload[codec.Marshaler](Event(*v))
	if !ok {
		return nil
	}
	data, err := codec.Marshal(payload)
	if err == nil {
		e.Name("payload")
		codec.WriteAny(data, e)
	}
	return err
}

func (v *eventView) writeStep(e *codec.Encoder) {
	members.Text("node", v.Node, e)
	members.Text("node_kind", v.NodeKind, e)
	chatjson.WriteInt("step", v.Step, e)
	chatjson.WriteInt("visit", v.Visit, e)
	chatjson.WriteBool("skipped", v.Skipped, e)
	chatjson.WriteBool("dynamic", v.Dynamic, e)
	chatjson.WriteBool("resumed", v.Resumed, e)
	at := (*Event)(v).Pos()
	members.Text("file", at.File, e)
	chatjson.WriteInt("line", at.Line, e)
	chatjson.WriteInt("col", at.Col, e)
}

func writeRunInfo(r *RunInfo, e *codec.Encoder) {
	members.Text("run", r.ID, e)
	members.Text("thread", r.Thread, e)
	members.Text("graph", r.Graph, e)
	members.Text("shape", r.Shape, e)
	members.Text("within", r.Within, e)
	members.Text("branch", r.Branch, e)
}

func writeRoute(r Route, e *codec.Encoder) {
	if e.Name("route"); !e.Begin() {
		return
	}
	members.Text("to", r.To, e)
	members.Text("rule", r.Rule.String(), e)
	members.Text("reason", r.Reason, e)
	members.Text("label", r.Label, e)
	chatjson.WriteInt("transition", r.Transition, e)
	e.End()
}

func writeModel(m ModelEvent, e *codec.Encoder) {
	if e.Name("model"); !e.Begin() {
		return
	}
	chatjson.WriteInt("call", m.Call, e)
	members.Text("name", m.Name, e)
	members.Text("purpose", string(m.Purpose), e)
	members.Text("prompt", m.Prompt, e)
	chatjson.WriteInt("attempt", m.Attempt, e)
	members.Text("id", m.ID, e)
	members.Text("finish", string(m.Finish), e)
	members.Usage(m.Usage, e)
	members.Span("latency_ms", m.Latency, e)
	e.End()
}

func writeTool(t ToolEvent, e *codec.Encoder) {
	if e.Name("tool"); !e.Begin() {
		return
	}
	members.Text("id", t.ID, e)
	chatjson.WriteInt("by", t.By, e)
	members.Text("name", t.Name, e)
	chatjson.WriteText("arguments", "arguments_base64", t.Arguments, e)
	chatjson.WriteText("result", "result_base64", t.Result, e)
	members.Span("latency_ms", t.Latency, e)
	chatjson.WriteBool("again", t.Again, e)
	e.End()
}

// writeSent writes the request of a call. One that continues another request has only the messages that are added.
func writeSent(r *chat.Request, m *ModelEvent, e *codec.Encoder) {
	if e.Name("sent"); !e.Begin() {
		return
	}
	chatjson.WriteInt("continues", m.Continues, e)
	chatjson.WriteInt("same", m.Same, e)
	if m.Continues == 0 {
		members.Text("system", r.System, e)
		chatjson.WriteList("tools", r.Tools, e, writeToolSpec)
		if r.Choice.Mode != chat.Auto {
			members.Text("choice", choiceOf(r.Choice), e)
		}
		if r.Output != nil {
			writeSchema("output", r.Output.JSON, e)
		}
		if r.Temperature != nil {
			e.Name("temperature")
			codec.WriteFloat(*r.Temperature, e)
		}
		chatjson.WriteInt("max_tokens", r.MaxTokens, e)
	}
	chatjson.WriteList("messages", r.Messages[m.Same:], e, chatjson.EncodeMessage)
	e.End()
}

// choiceOf returns whether a model calls tools: none, required, or the name of the tool that it calls.
func choiceOf(c chat.ToolChoice) string {
	switch c.Mode {
	case chat.None:
		return "none"
	case chat.Required:
		return "required"
	}
	return c.Name
}

func writeToolSpec(t chat.ToolSpec, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	members.Text("name", t.Name, e)
	members.Text("doc", t.Doc, e)
	writeSchema("schema", t.Schema, e)
	e.End()
}

// writeSchema writes a JSON Schema, as text where it is not JSON: an injected tool may have any.
func writeSchema(name, schema string, e *codec.Encoder) {
	if schema == "" {
		return
	}
	if jsontext.Value(schema).IsValid() {
		e.Name(name)
		codec.WriteAny([]byte(schema), e)
	} else {
		members.Text(name, schema, e)
	}
}

func writeEventReport(r *Report, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	members.Text("reason", r.Reason.String(), e)
	members.Text("ending", r.Ending, e)
	chatjson.WriteInt("steps", r.Steps, e)
	chatjson.WriteInt("failures", len(r.Failures), e)
	chatjson.WriteInt("refusals", len(r.Refusals), e)
	chatjson.WriteInt("retries", r.Retries, e)
	chatjson.WriteInt("cache_hits", r.CacheHits, e)
	chatjson.WriteInt("skips", r.Skips, e)
	chatjson.WriteInt("rejected", r.Rejected, e)
	chatjson.WriteInt("hook_failures", r.HookFailures, e)
	chatjson.WriteInt("model_calls", r.ModelCalls, e)
	members.Usage(r.Usage, e)
	chatjson.WriteInt("tool_calls", r.Tools.Made, e)
	chatjson.WriteInt("tool_failures", r.Tools.Failed, e)
	chatjson.WriteInt("tool_repeats", r.Tools.Deduplicated, e)
	e.End()
}
