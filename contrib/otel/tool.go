package graphotel

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

// tool observes the calls of tools.
func (w *watch) tool(next chat.ToolFunc) chat.ToolFunc {
	return func(ctx context.Context, c *chat.ToolCall) (result chat.ToolResult, err error) {
		outer := scopeOf(ctx)
		if outer != nil && outer.of == ofTool {
			return next(ctx, c) // another observer has the call
		}
		w, s := w, &scope{of: ofTool}
		if outer != nil {
			w, s.at, s.run, s.conversation = outer.by, outer.at, outer.run, outer.conversation
		}
		s.by = w
		s.Context, s.span = w.tracer.Start(ctx, "execute_tool "+c.Name, trace.WithAttributes(w.called(s, c)...))
		start := time.Now()
		defer func() {
			if v := recover(); v != nil {
				w.endTool(s, c, start, chat.ToolResult{}, &graphgen.PanicError{})
				panic(v)
			}
			w.endTool(s, c, start, result, err)
		}()
		return next(s, c)
	}
}

// called returns what a span has of a call.
func (w *watch) called(s *scope, c *chat.ToolCall) []attribute.KeyValue {
	attributes := append(make([]attribute.KeyValue, 0, 12),
		semconv.GenAIOperationNameExecuteTool, semconv.GenAIToolName(c.Name), semconv.GenAIToolType("function"), semconv.GenAIConversationID(s.conversation),
		keyGraph.String(s.at.graph), keyNode.String(s.at.node),
	)
	if c.ID != "" {
		attributes = append(attributes, semconv.GenAIToolCallID(c.ID))
	}
	if w.config.Content {
		attributes = append(attributes, semconv.GenAIToolCallArgumentsKey.String(w.clip(c.Arguments)))
	}
	return append(attributes, w.labels...)
}

// endTool ends the span of a call. A tool that there is not is not named: a model has made its name.
func (w *watch) endTool(s *scope, c *chat.ToolCall, start time.Time, result chat.ToolResult, err error) {
	name, class := c.Name, ""
	if err != nil {
		if class = classOf(err); class == "unknown_tool" {
			name = other
			s.span.SetName("execute_tool " + name)
			s.span.SetAttributes(semconv.GenAIToolName(name))
		}
	}
	w.metrics.tool.Record(s, time.Since(start).Seconds(), w.toolSet(s.at, w.names.tools.name(name), class)...)
	if w.config.Content && err == nil {
		s.span.SetAttributes(semconv.GenAIToolCallResultKey.String(w.clip(result.Text)))
	}
	w.fail(s.span, err, class)
	s.span.End()
}
