// Package oteltest shows in tests what package graphotel exports: spans as a tree, as text, and names that the
// conventions do not have.
package oteltest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// Tree returns spans as text, in the order of their ends: a line for each span, and one for each of its events,
// indented below its parent's line. Branches are in the order of their names. Times, IDs, what the name of a
// span has already, and usual values are left out.
func Tree(spans tracetest.SpanStubs) string {
	t := tree{children: map[trace.SpanID][]*tracetest.SpanStub{}}
	known := map[trace.SpanID]bool{}
	for i := range spans {
		known[spans[i].SpanContext.SpanID()] = true
	}
	for i := range spans {
		s := &spans[i]
		parent := s.Parent.SpanID()
		if !known[parent] {
			parent = trace.SpanID{}
		}
		t.children[parent] = append(t.children[parent], s)
	}
	t.write(trace.SpanID{}, "")
	return t.text.String()
}

type tree struct {
	text     strings.Builder
	children map[trace.SpanID][]*tracetest.SpanStub
}

// write writes the spans in a span.
func (t *tree) write(parent trace.SpanID, indent string) {
	list := t.children[parent]
	slices.SortStableFunc(list, func(a, b *tracetest.SpanStub) int { return cmp.Compare(branch(a), branch(b)) })
	for i := 0; i < len(list); i++ { // the calls of a turn are made concurrently
		end := i
		for end < len(list) && strings.HasPrefix(list[end].Name, "execute_tool") && branch(list[end]) == branch(list[i]) {
			end++
		}
		slices.SortStableFunc(list[i:end], func(a, b *tracetest.SpanStub) int { return cmp.Compare(line(a), line(b)) })
		i = max(i, end-1)
	}
	for _, s := range list {
		t.text.WriteString(indent + line(s) + "\n")
		for _, e := range s.Events {
			t.text.WriteString(indent + "  * " + strings.TrimPrefix(e.Name, "graphgen.") + values(e.Attributes, "graphgen.retry.wait") + "\n")
		}
		t.write(s.SpanContext.SpanID(), indent+"  ")
	}
}

func branch(s *tracetest.SpanStub) string {
	for _, a := range s.Attributes {
		if a.Key == "graphgen.branch" {
			return a.Value.AsString()
		}
	}
	return ""
}

// line returns the text of a span.
func line(s *tracetest.SpanStub) string {
	text := s.Name + values(s.Attributes, silent...)
	if s.Status.Code == codes.Error {
		text += " !" + status(s)
	}
	if len(s.Links) > 0 {
		text += fmt.Sprintf(" (%d links)", len(s.Links))
	}
	return text
}

// status returns the class of an error. Of branches at the same time, the schedule decides which one fails and which
// ones are cancelled for that: both are one class.
func status(s *tracetest.SpanStub) string {
	if class := s.Status.Description; branch(s) == "" || class != "cancelled" && class != "_OTHER" {
		return class
	}
	return "_OTHER|cancelled"
}

// silent are the attributes that repeat the span's name, that differ from run to run, or that
// are the same everywhere.
var silent = []attribute.Key{
	"gen_ai.operation.name", "gen_ai.conversation.id", "gen_ai.workflow.name", "gen_ai.tool.name", "gen_ai.tool.type", "gen_ai.request.model",
	"gen_ai.response.time_to_first_chunk", "graphgen.run.id", "graphgen.graph.name", "graphgen.node.name", "code.file.path", "code.line.number", "error.type",
}

// usual are the attributes and values that most spans have.
var usual = []string{
	"provider.name=_OTHER", "model.call=1", "model.purpose=answer", "output.type=text", "request.stream=true", `response.finish_reasons=["stop"]`,
	"usage.input_tokens=0", "usage.output_tokens=0", "run.model_calls=0", "run.tool_calls=0", "visit=1", "route.rule=next",
}

// values returns attributes as text, in the order of their names, without some of them.
func values(attributes []attribute.KeyValue, without ...attribute.Key) string {
	var list []string
	for _, a := range attributes {
		name := strings.TrimPrefix(strings.TrimPrefix(string(a.Key), "graphgen."), "gen_ai.")
		text := name + "=" + a.Value.String()
		if !slices.Contains(without, a.Key) && !slices.Contains(usual, text) {
			list = append(list, text)
		}
	}
	slices.Sort(list)
	if len(list) == 0 {
		return ""
	}
	return " " + strings.Join(list, " ")
}
