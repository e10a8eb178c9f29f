package graphgen

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/graphgen/graphgen/internal/members"
	"github.com/graphgen/graphgen/mutation"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
)

// AppendJSON appends the report to b as one JSON object without white space, for logs, stores and other programs. Empty values are left
// out. It returns an error if the output has no JSON, and appends the object without the output. The file
// docs/reference/report.schema.json is its JSON Schema.
func (r *Report) AppendJSON(b []byte) ([]byte, error) {
	output, problem := outputOf(r)
	b, err := codec.Append(b, &reportView{r, output})
	if err != nil {
		return b, err
	}
	return b, problem
}

// MarshalJSON returns the JSON of AppendJSON, without an output that has no JSON.
func (r Report) MarshalJSON() ([]byte, error) {
	output, _ := outputOf(&r)
	return codec.Marshal(&reportView{&r, output})
}

// MarshalJSONTo writes the JSON of MarshalJSON for encoding/json/v2, and for streams of package jsontext.
func (r Report) MarshalJSONTo(to *jsontext.Encoder) error {
	output, _ := outputOf(&r)
	return codec.MarshalTo(&reportView{&r, output}, to)
}

// A reportView is a report with the JSON of its output; nil: it has none.
type reportView struct {
	*Report
	output []byte
}

// outputOf returns the JSON of the output. Generated output types have the method.
func outputOf(r *Report) ([]byte, error) {
	if r.Detail == nil {
		return nil, nil
	}
	output, ok := r.Detail.Output.(interface{ MarshalJSON() ([]byte, error) })
	if !ok {
		return nil, nil
	}
	data, err := output.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return data, nil
}

// EncodeJSON writes the report as a JSON object.
func (v *reportView) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	r, d := v.Report, v.Detail
	if d == nil {
		d = &RunDetail{}
	}
	members.Text("graph", r.Graph, e)
	members.Text("run", r.ID, e)
	e.Name("reason")
	codec.WriteString(r.Reason.String(), e)
	members.Text("ending", r.Ending, e)
	chatjson.WriteInt("steps", r.Steps, e)
	chatjson.WriteInt("details_from", d.From, e)
	members.Span("duration_ms", d.Duration, e)
	writeSums(r, d, e)
	writePath(r, d, e)
	writeNodes(r, d, e)
	chatjson.WriteList("calls", d.Calls, e, writeModelCall)
	chatjson.WriteInt("calls_dropped", d.CallsDropped, e)
	chatjson.WriteList("prompts", r.Prompts, e, writePrompt)
	chatjson.WriteList("transitions", r.Transitions, e, writeTransition)
	chatjson.WriteList("failures", r.Failures, e, writeFailure)
	chatjson.WriteList("guards", d.Guards, e, writeGuard)
	chatjson.WriteList("refusals", r.Refusals, e, writeRefusal)
	chatjson.WriteList("left_out", d.LeftOut, e, writeBlock)
	chatjson.WriteList("changes", r.Mutations, e, writeChange)
	chatjson.WriteList("nested", r.Nested, e, writeNested)
	chatjson.WriteInt("nested_dropped", r.NestedDropped, e)
	if v.output != nil {
		e.Name("output")
		codec.WriteAny(v.output, e)
	}
	e.End()
}

// writeSums writes the members that count over the run.
func writeSums(r *Report, d *RunDetail, e *codec.Encoder) {
	chatjson.WriteInt("retries", r.Retries, e)
	chatjson.WriteInt("cache_hits", r.CacheHits, e)
	chatjson.WriteInt("skips", r.Skips, e)
	chatjson.WriteInt("rejected", r.Rejected, e)
	chatjson.WriteInt("hook_failures", r.HookFailures, e)
	chatjson.WriteInt("model_calls", r.ModelCalls, e)
	members.Span("model_ms", d.ModelTime, e)
	members.Usage(r.Usage, e)
	writeTools(r.Tools, e)
	members.Span("tool_ms", d.ToolTime, e)
}

func writeTools(c ToolCount, e *codec.Encoder) {
	chatjson.WriteInt("tool_calls", c.Made, e)
	chatjson.WriteInt("tool_failures", c.Failed, e)
	chatjson.WriteInt("tool_repeats", c.Deduplicated, e)
}

// writePath writes the steps, each with its time.
func writePath(r *Report, d *RunDetail, e *codec.Encoder) {
	i := -1
	chatjson.WriteList("path", r.Path, e, func(v Visit, e *codec.Encoder) {
		i++
		object(e, func() {
			members.Text("node", v.Node, e)
			chatjson.WriteInt("visit", v.Visit, e)
			if i < len(d.Times) {
				members.Span("took_ms", d.Times[i], e)
			}
			if i < len(d.Steps) {
				writeStep(&d.Steps[i], e)
			}
		})
	})
	chatjson.WriteInt("dropped", r.Dropped, e)
}

// writeStep writes what models and tools did in a step.
func writeStep(s *StepDetail, e *codec.Encoder) {
	chatjson.WriteInt("model_calls", s.ModelCalls, e)
	members.Span("model_ms", s.ModelTime, e)
	members.Usage(s.Usage, e)
	writeTools(ToolCount{Made: s.ToolCalls, Failed: s.ToolFailures, Deduplicated: s.Deduplicated}, e)
	members.Span("tool_ms", s.ToolTime, e)
}

func writeNodes(r *Report, d *RunDetail, e *codec.Encoder) {
	i := -1
	chatjson.WriteList("nodes", r.Nodes, e, func(n NodeCount, e *codec.Encoder) {
		i++
		var more NodeDetail
		if i < len(d.Nodes) {
			more = d.Nodes[i]
		}
		object(e, func() {
			members.Text("node", n.Node, e)
			members.Text("kind", more.Kind, e)
			chatjson.WriteInt("visits", n.Visits, e)
			members.Span("took_ms", n.Time, e)
			chatjson.WriteInt("model_calls", n.ModelCalls, e)
			members.Span("model_ms", more.ModelTime, e)
			members.Usage(n.Usage, e)
			writeTools(n.Tools, e)
			members.Span("tool_ms", more.ToolTime, e)
		})
	})
}

func writeModelCall(c ModelCall, e *codec.Encoder) {
	object(e, func() {
		members.Text("node", c.Node, e)
		members.Text("branch", c.Branch, e)
		chatjson.WriteInt("visit", c.Visit, e)
		chatjson.WriteInt("attempt", c.Attempt, e)
		members.Text("model", c.Model, e)
		members.Text("purpose", string(c.Purpose), e)
		members.Text("prompt", c.Prompt, e)
		members.Text("finish", string(c.Finish), e)
		members.Usage(c.Usage, e)
		members.Span("latency_ms", c.Latency, e)
		members.Error("error", c.Err, e)
	})
}

func writePrompt(p PromptCount, e *codec.Encoder) {
	object(e, func() {
		members.Text("node", p.Node, e)
		members.Text("purpose", string(p.Purpose), e)
		members.Text("version", p.Version, e)
		chatjson.WriteBool("replaced", p.Replaced, e)
		chatjson.WriteInt("model_calls", p.ModelCalls, e)
	})
}

func writeTransition(w TransitionCount, e *codec.Encoder) {
	object(e, func() {
		members.Text("from", w.From, e)
		members.Text("to", w.To, e)
		members.Text("rule", w.Rule.String(), e)
		members.Text("condition", w.Text, e)
		members.Text("label", w.Label, e)
		writePos(w.Pos, e)
		chatjson.WriteInt("count", w.Count, e)
	})
}

func writeFailure(f Failure, e *codec.Encoder) {
	object(e, func() {
		if f.Err != nil {
			writeWhere(&f.Err.Where, e)
			chatjson.WriteInt("attempt", f.Err.Attempt, e)
			members.Error("error", f.Err.Err, e)
		}
		chatjson.WriteBool("soft", f.Soft, e)
		chatjson.WriteBool("cleared", f.Cleared, e)
	})
}

func writeGuard(g GuardCount, e *codec.Encoder) {
	object(e, func() {
		members.Text("node", g.Node, e)
		members.Text("guard", g.Guard, e)
		chatjson.WriteInt("passed", g.Passed, e)
		chatjson.WriteInt("refused", g.Refused, e)
	})
}

func writeRefusal(f Refusal, e *codec.Encoder) {
	object(e, func() {
		writeWhere(&f.Where, e)
		chatjson.WriteInt("attempt", f.Attempt, e)
		chatjson.WriteList("guards", f.Guards, e, func(g GuardFailure, e *codec.Encoder) {
			object(e, func() {
				members.Text("guard", g.Guard, e)
				members.Text("message", g.Message, e)
			})
		})
	})
}

func writeBlock(b OmittedBlock, e *codec.Encoder) {
	object(e, func() {
		members.Text("node", b.Node, e)
		members.Text("branch", b.Branch, e)
		chatjson.WriteInt("visit", b.Visit, e)
		members.Text("block", b.Block, e)
	})
}

func writeChange(c mutation.Entry, e *codec.Encoder) {
	object(e, func() {
		members.Text("node", c.Node, e)
		chatjson.WriteInt("step", c.Step, e)
		members.Text("action", string(c.Action), e)
		members.Text("text", c.Text, e)
		members.Text("refused", c.Refused, e)
	})
}

func writeNested(n NestedReport, e *codec.Encoder) {
	object(e, func() {
		members.Text("node", n.Node, e)
		members.Text("branch", n.Branch, e)
		chatjson.WriteInt("visit", n.Visit, e)
		chatjson.WriteInt("attempt", n.Attempt, e)
		if n.Report != nil {
			e.Name("report")
			output, _ := outputOf(n.Report)
			(&reportView{n.Report, output}).EncodeJSON(e)
		}
	})
}

// writeWhere writes where in a run something happened.
func writeWhere(w *Where, e *codec.Encoder) {
	members.Text("branch", w.Branch, e)
	members.Text("node", w.Node, e)
	chatjson.WriteInt("step", w.Step, e)
	chatjson.WriteInt("visit", w.Visit, e)
	writePos(w.Pos, e)
}

func writePos(p Position, e *codec.Encoder) {
	members.Text("file", p.File, e)
	chatjson.WriteInt("line", p.Line, e)
	chatjson.WriteInt("col", p.Col, e)
}

// object writes an object.
func object(e *codec.Encoder, write func()) {
	if e.Begin() {
		write()
		e.End()
	}
}
