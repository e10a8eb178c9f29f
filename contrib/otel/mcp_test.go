package graphotel_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	graphotel "github.com/graphgen/graphgen/contrib/otel"
	"github.com/graphgen/graphgen/contrib/otel/internal/desk"
	"github.com/graphgen/graphgen/contrib/otel/oteltest"
)

// session is what contrib/mcp knows of a session over HTTP.
var session = map[string]string{
	"network.transport": "tcp", "network.protocol.name": "http", "server.address": "tools.example", "server.port": "8080",
	"mcp.protocol.version": "2025-11-25", "mcp.session.id": "s1",
}

// exchange makes the requests of a session, with a call in the tool of a run.
func exchange(t *testing.T, o *office, m *graphotel.MCP) {
	t.Helper()
	end := m.Session(session)
	_, list := m.Request(t.Context(), "tools/list", "", session)
	list("", 0)
	_, call := m.Request(t.Context(), "tools/call", "search", session)
	call("-32602", -32602)
	remote := graphgen.WithToolWrapper(func(next chat.ToolFunc) chat.ToolFunc {
		return func(ctx context.Context, c *chat.ToolCall) (chat.ToolResult, error) {
			if c.Name != "look" {
				return next(ctx, c)
			}
			_, end := m.Request(ctx, "tools/call", c.Name, session)
			end("tool_error", 0)
			return chat.ToolResult{}, errors.New(secret)
		}
	})
	_, err := o.machine(0).Run(t.Context(), desk.DeskInput{Question: "why"}, o.observe.Option(), remote)
	if graphgen.AsPause(err) == nil {
		t.Fatal(err)
	}
	end("")
}

// TestMCP holds the spans and metrics of a session: a call of a tool that a graph makes has its attributes on the span of the tool.
func TestMCP(t *testing.T) {
	o := newOffice(t, graphotel.Config{})
	exchange(t, o, o.observe.MCP(attribute.String("user.id", "a")))
	if wrong := oteltest.Unknown(o.spans.GetSpans(), o.metrics()); wrong != nil {
		t.Errorf("there are no %q", wrong)
	}
	var spans []string
	for _, s := range o.spans.GetSpans() {
		if method := value(s.Attributes, "mcp.method.name"); method != "" {
			spans = append(spans, fmt.Sprintf("%s, %s: %s %s %s %s %s", s.Name, s.SpanKind, method, value(s.Attributes, "mcp.session.id"),
				value(s.Attributes, "server.port"), value(s.Attributes, "rpc.response.status_code"), s.Status.Description))
		}
	}
	want := `tools/list, client: tools/list s1 8080  
tools/call search, client: tools/call s1 8080 -32602 -32602
execute_tool look, internal: tools/call s1 8080  _OTHER`
	if got := strings.Join(spans, "\n"); got != want {
		t.Errorf("the spans are\n%s", got)
	}
	count := map[string]uint64{}
	for _, m := range o.metrics().ScopeMetrics[0].Metrics {
		if data, ok := m.Data.(metricdata.Histogram[float64]); ok && strings.HasPrefix(m.Name, "mcp.") {
			for _, p := range data.DataPoints {
				if p.Attributes.HasValue("mcp.session.id") || !p.Attributes.HasValue("user.id") {
					t.Errorf("%s has the attributes %s", m.Name, p.Attributes.Encoded(attribute.DefaultEncoder()))
				}
				method, _ := p.Attributes.Value("mcp.method.name")
				class, _ := p.Attributes.Value("error.type")
				count[strings.TrimSpace(m.Name+" "+method.AsString()+" "+class.AsString())] += p.Count
			}
		}
	}
	for name, n := range map[string]uint64{
		"mcp.client.session.duration": 1, "mcp.client.operation.duration tools/list": 1,
		"mcp.client.operation.duration tools/call -32602": 1, "mcp.client.operation.duration tools/call tool_error": 1,
	} {
		if count[name] != n {
			t.Errorf("%s is %d, want %d: %v", name, count[name], n, count)
		}
	}
}

// TestMCPLabelsAreBounded holds that a server cannot make a new series with each answer.
func TestMCPLabelsAreBounded(t *testing.T) {
	o := newOffice(t, graphotel.Config{})
	m := o.observe.MCP()
	for i := range 1000 {
		s := map[string]string{"mcp.protocol.version": fmt.Sprint("v", i), "mcp.session.id": fmt.Sprint("s", i)}
		_, end := m.Request(t.Context(), "tools/call", fmt.Sprint("tool", i), nil)
		end("", 0)
		_, end = m.Request(t.Context(), "ping", "", nil)
		end(fmt.Sprint(i), int64(i))
		m.Session(s)("")
	}
	for _, metric := range o.metrics().ScopeMetrics[0].Metrics {
		if data, ok := metric.Data.(metricdata.Histogram[float64]); ok && len(data.DataPoints) > 500 {
			t.Errorf("%s has %d series", metric.Name, len(data.DataPoints))
		}
	}
}
