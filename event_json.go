package graphgen

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/graphgen/graphgen/internal/members"
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
	if !v.Time.IsZero() {
		e.Name("time")
		codec.WriteTime(v.Time, e)
	}
	if v.Run != nil {
		writeRunInfo(v.Run, e)
	}
	v.writeStep(e)
	chatjson.WriteText("text", "text_base64", v.Text, e)
	chatjson.WriteText("reasoning", "reasoning_base64", v.Reasoning, e)
	members.Text("reason", v.Reason, e)
	if took := (*Event)(v).Took(); took > 0 {
		members.Span("took_ms", took, e)
	} else {
		members.Span("wait_ms", v.Wait, e)
	}
	err := v.writePayload(e)
	if v.Err != nil {
		err = v.Err
	}
	members.Error("error", err, e)
	if v.Route != nil {
		e.Name("route")
		writeRoute(v.Route, e)
	}
	if v.Call != nil {
		e.Name("call")
		writeEventCall(v.Call, e)
	}
	if report := (*Event)(v).Report(); report != nil {
		e.Name("report")
		writeEventReport(report, e)
	}
	e.End()
}

// writePayload writes what a node of kind say sends. A payload without JSON is left out, for the rest of the
// event is sound.
func (v *eventView) writePayload(e *codec.Encoder) error {
	if v.Kind != Say {
		return nil
	}
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
	chatjson.WriteInt("attempt", v.Attempt, e)
	chatjson.WriteBool("skipped", v.Skipped, e)
	chatjson.WriteBool("dynamic", v.Dynamic, e)
	at := (*Event)(v).Pos()
	members.Text("file", at.File, e)
	chatjson.WriteInt("line", at.Line, e)
	chatjson.WriteInt("col", at.Col, e)
}

func writeRunInfo(r *RunInfo, e *codec.Encoder) {
	members.Text("run", r.ID, e)
	members.Text("thread", r.Thread, e)
	members.Text("graph", r.Graph, e)
	members.Text("within", r.Within, e)
	members.Text("branch", r.Branch, e)
}

func writeRoute(r *Route, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	members.Text("to", r.To, e)
	members.Text("rule", r.Rule.String(), e)
	members.Text("reason", r.Reason, e)
	members.Text("label", r.Label, e)
	e.End()
}

func writeEventCall(c *Call, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	members.Text("name", c.Name, e)
	members.Text("id", c.ID, e)
	members.Span("latency_ms", c.Latency, e)
	chatjson.WriteBool("again", c.Again, e)
	members.Text("purpose", string(c.Purpose), e)
	members.Text("prompt", c.Prompt, e)
	chatjson.WriteInt("attempt", c.Attempt, e)
	members.Usage(c.Usage, e)
	members.Text("finish", string(c.Finish), e)
	e.End()
}

func writeEventReport(r *Report, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	members.Text("reason", r.Reason.String(), e)
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
