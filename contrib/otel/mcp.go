package graphotel

import (
	"context"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/semconv/v1.41.0/mcpconv"
	"go.opentelemetry.io/otel/trace"
)

// MCP makes spans and metrics of what is exchanged with servers of the Model Context Protocol, by the conventions
// for its clients. It is a Watcher of contrib/mcp:
//
//	server, err := mcp.Command(argv, mcp.Watch(observer.MCP()))
//
// A call of a tool that a graph makes has its attributes on the span execute_tool, as the conventions ask for; other
// requests have spans of their own. Neither has content.
type MCP struct {
	*Observer
	labels []attribute.KeyValue
}

// MCP returns an observer of servers. The labels are attributes of its metrics and spans, as labels of Option are.
func (o *Observer) MCP(labels ...attribute.KeyValue) *MCP { return &MCP{o, labels} }

// mcpMetrics are the instruments of the conventions for clients of servers.
type mcpMetrics struct {
	operation mcpconv.ClientOperationDuration
	session   mcpconv.ClientSessionDuration
}

// mcpBounds are the boundaries that the conventions advise, in seconds.
var mcpBounds = metric.WithExplicitBucketBoundaries(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)

func (m *mcpMetrics) make(meter metric.Meter) (err error) {
	if m.operation, err = mcpconv.NewClientOperationDuration(meter, mcpBounds); err != nil {
		return err
	}
	m.session, err = mcpconv.NewClientSessionDuration(meter, mcpBounds)
	return err
}

// callTool is the method of the protocol that calls a tool.
const callTool = "tools/call"

// sessionKeys are the attributes of a session that are labels of metrics. Its ID is not among them.
var sessionKeys = []attribute.Key{
	semconv.McpProtocolVersionKey, semconv.NetworkTransportKey, semconv.NetworkProtocolNameKey, semconv.ServerAddressKey, semconv.ServerPortKey,
}

// sessionAttributes returns what is known of a session. A server makes the version of its protocol: there are few.
func (m *MCP) sessionAttributes(session map[string]string) []attribute.KeyValue {
	a := make([]attribute.KeyValue, 0, 12)
	for _, key := range sessionKeys {
		v, ok := session[string(key)]
		switch {
		case !ok:
		case key == semconv.ServerPortKey:
			if port, err := strconv.Atoi(v); err == nil {
				a = append(a, key.Int(port))
			}
		case key == semconv.McpProtocolVersionKey:
			a = append(a, key.String(m.names.protocols.name(v)))
		default:
			a = append(a, key.String(v))
		}
	}
	return append(a, m.labels...)
}

// Request observes a request: see Watcher of contrib/mcp.
func (m *MCP) Request(ctx context.Context, method, tool string, session map[string]string) (context.Context, func(class string, code int64)) {
	labels := append(m.sessionAttributes(session), semconv.McpMethodNameKey.String(method))
	if tool != "" {
		labels = append(labels, semconv.GenAIToolName(m.names.tools.name(tool)))
	}
	if method == callTool {
		labels = append(labels, semconv.GenAIOperationNameExecuteTool)
	}
	outer := scopeOf(ctx)
	within := method == callTool && outer != nil && outer.of == ofTool
	var span trace.Span
	if within {
		span = outer.span
		span.SetAttributes(labels...)
	} else {
		name := method
		if tool != "" {
			name += " " + m.names.tools.name(tool)
		}
		ctx, span = m.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(labels...))
	}
	if id := session[string(semconv.McpSessionIDKey)]; id != "" {
		span.SetAttributes(semconv.McpSessionID(id))
	}
	start := time.Now()
	return ctx, func(class string, code int64) {
		took := time.Since(start).Seconds()
		if class = m.names.classes.name(class); class != "" {
			labels = append(labels, semconv.ErrorTypeKey.String(class))
		}
		if code != 0 {
			status := semconv.RPCResponseStatusCode(m.names.classes.name(strconv.FormatInt(code, 10)))
			labels = append(labels, status)
			span.SetAttributes(status)
		}
		m.metrics.mcp.operation.RecordSet(ctx, took, attribute.NewSet(labels...))
		if within {
			return // the call of the tool ends the span
		}
		if class != "" {
			span.SetStatus(codes.Error, class)
			span.SetAttributes(semconv.ErrorTypeKey.String(class))
		}
		span.End()
	}
}

// Session observes a session: see Watcher of contrib/mcp.
func (m *MCP) Session(session map[string]string) func(class string) {
	labels, start := m.sessionAttributes(session), time.Now()
	return func(class string) {
		m.metrics.mcp.session.RecordSet(context.Background(), time.Since(start).Seconds(), attribute.NewSet(errorType(labels, m.names.classes.name(class))...))
	}
}
