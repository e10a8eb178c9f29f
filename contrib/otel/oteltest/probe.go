package oteltest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	graphotel "github.com/graphgen/graphgen/contrib/otel"
	graphslog "github.com/graphgen/graphgen/contrib/slog"
	"github.com/graphgen/graphgen/hooks"
)

// Probe returns an option that observes a run, and a function that returns its spans as a tree. Below that are
// lines with what is wrong: a name that nothing lists, content in a span, a metric or a log, a span of another conversation, or
// a value of a metric that the spec does not bound. The logs are written by contrib/slog and package hooks.
func Probe() (graphgen.Option, func() string) {
	spans, reader := tracetest.NewInMemoryExporter(), metric.NewManualReader()
	observer, err := graphotel.New(graphotel.Config{
		TracerProvider: sdk.NewTracerProvider(sdk.WithSyncer(spans), sdk.WithRawSpanLimits(sdk.SpanLimits{
			AttributeValueLengthLimit: -1, AttributeCountLimit: -1, EventCountLimit: -1, LinkCountLimit: -1,
			AttributePerEventCountLimit: -1, AttributePerLinkCountLimit: -1,
		})),
		MeterProvider: metric.NewMeterProvider(metric.WithReader(reader)),
	})
	if err != nil {
		return graphgen.Options(), err.Error
	}
	var t taint
	var log logged
	option := graphgen.Options(observer.Option(), graphslog.Option(slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		hooks.Log(&log),
		graphgen.WithObserver(t.observe), graphgen.WithModelWrapper(t.model), graphgen.WithToolWrapper(t.tool))
	return option, func() string {
		var metrics metricdata.ResourceMetrics
		if err := reader.Collect(context.Background(), &metrics); err != nil {
			return err.Error()
		}
		problems := slices.Concat(Unknown(spans.GetSpans(), metrics), conversations(spans.GetSpans()),
			t.leaks(spans.GetSpans(), metrics), t.logged(log.String()))
		text := Tree(spans.GetSpans())
		for _, p := range problems {
			text += "WRONG " + p + "\n"
		}
		return text
	}
}

// A logged is what loggers have written.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// conversations returns the spans that are of another conversation than the first.
func conversations(spans tracetest.SpanStubs) (wrong []string) {
	first := ""
	for _, s := range spans {
		for _, a := range s.Attributes {
			if a.Key != "gen_ai.conversation.id" {
				continue
			}
			if first == "" {
				first = a.Value.AsString()
			}
			if a.Value.AsString() != first || first == "" {
				wrong = append(wrong, fmt.Sprintf("the conversation %q of %s is not %q", a.Value.AsString(), s.Name, first))
			}
		}
	}
	return wrong
}

// A taint is the content that a run has seen: what models and tools were given, and what they answered.
type taint struct {
	mu    sync.Mutex
	texts []string
	names []string // of dynamic nodes
}

// shortest is the length from which a text is content, and no word that a spec may have as well.
const shortest = 12

func (t *taint) see(texts ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); len(line) >= shortest {
				t.texts = append(t.texts, line)
			}
		}
	}
}

func (t *taint) observe(e graphgen.Event) {
	t.see(e.Answer(), e.Rejected(), e.Message(), e.Token().Text, e.Token().Reasoning, e.Tool().Arguments, e.Tool().Result, e.Request().Question)
	_, text := e.Progress()
	change, refused := e.Mutation()
	t.see(text, change, refused)
	if e.Err != nil && e.Kind != graphgen.OverBudget {
		t.see(e.Err.Error())
	}
	if report := e.Report(); report != nil && report.Detail != nil {
		if out, ok := report.Detail.Output.(json.Marshaler); ok {
			var value any
			if data, err := out.MarshalJSON(); err == nil && json.Unmarshal(data, &value) == nil {
				t.output(value)
			}
		}
	}
	if e.Dynamic {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.names = append(t.names, e.Node)
	}
}

func (t *taint) model(next chat.Model) chat.Model {
	return chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		t.see(req.System)
		for i := range req.Messages {
			t.see(req.Messages[i].Text)
		}
		resp, err := next.Generate(ctx, req, stream)
		if resp != nil {
			t.see(resp.Message.Text)
		}
		return resp, err
	})
}

func (t *taint) tool(next chat.ToolFunc) chat.ToolFunc {
	return func(ctx context.Context, c *chat.ToolCall) (chat.ToolResult, error) {
		result, err := next(ctx, c)
		t.see(c.Arguments, result.Text)
		return result, err
	}
}

// output sees the texts of an output.
func (t *taint) output(value any) {
	switch value := value.(type) {
	case string:
		if _, err := time.Parse(time.RFC3339, value); err != nil { // a log has times of its own
			t.see(value)
		}
	case []any:
		for _, v := range value {
			t.output(v)
		}
	case map[string]any:
		for _, v := range value {
			t.output(v)
		}
	}
}

// logged returns the lines of logs that have content, and a mistake if nothing was logged.
func (t *taint) logged(log string) (found []string) {
	if log == "" {
		return []string{"nothing is logged"}
	}
	for line := range strings.Lines(log) {
		for _, seen := range t.texts {
			quoted, err := json.Marshal(seen) // as the logs quote it
			if err != nil || strings.Contains(line, seen) || strings.Contains(line, string(quoted[1:len(quoted)-1])) {
				found = append(found, fmt.Sprintf("the log has the content %q: %s", seen, strings.TrimSpace(line)))
				break
			}
		}
	}
	return found
}

// leaks returns the texts and names that were exported and must not be.
func (t *taint) leaks(spans tracetest.SpanStubs, metrics metricdata.ResourceMetrics) (found []string) {
	check := func(where, text string) {
		for _, seen := range t.texts {
			if strings.Contains(text, seen) {
				found = append(found, fmt.Sprintf("%s has the content %q", where, seen))
				return
			}
		}
		if slices.Contains(t.names, text) {
			found = append(found, fmt.Sprintf("%s has the name %q, which is not of the spec", where, text))
		}
	}
	attributes := func(where string, list []attribute.KeyValue) {
		for _, a := range list {
			check(where+": "+string(a.Key), a.Value.String())
		}
	}
	for _, s := range spans {
		check("a name", s.Name)
		check("the status of "+s.Name, s.Status.Description)
		attributes(s.Name, s.Attributes)
		for _, e := range s.Events {
			attributes(s.Name+", "+e.Name, e.Attributes)
		}
	}
	eachPoint(metrics, func(metric string, set attribute.Set) { attributes(metric, set.ToSlice()) })
	return found
}
