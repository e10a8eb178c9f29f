package graphotel_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	graphotel "github.com/graphgen/graphgen/contrib/otel"
	"github.com/graphgen/graphgen/contrib/otel/internal/desk"
	"github.com/graphgen/graphgen/contrib/otel/oteltest"
)

// secret is in everything that handlers, models and tools give.
const secret = "SECRET-7c1f"

// An office makes the runs of the tests, and has what they export.
type office struct {
	t       testing.TB
	spans   *tracetest.InMemoryExporter
	reader  *metric.ManualReader
	tracer  trace.TracerProvider
	observe *graphotel.Observer
}

func newOffice(t testing.TB, c graphotel.Config, options ...sdk.TracerProviderOption) *office {
	t.Helper()
	o := &office{t: t, spans: tracetest.NewInMemoryExporter(), reader: metric.NewManualReader()}
	if options == nil {
		options = []sdk.TracerProviderOption{sdk.WithSyncer(o.spans)}
	}
	o.tracer = sdk.NewTracerProvider(options...)
	c.TracerProvider, c.MeterProvider = o.tracer, metric.NewMeterProvider(metric.WithReader(o.reader))
	observer, err := graphotel.New(c)
	if err != nil {
		t.Fatal(err)
	}
	o.observe = observer
	return o
}

// model asks for the tool, then answers; the first call that is not the first for its answer fails at first.
func model(fails int) chat.Model {
	var mu sync.Mutex
	resp := &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: secret}, Finish: chat.Stop, Model: "gpt-5-mini",
		ID: "r1", Usage: chat.Usage{Input: 10, Output: 5, Cost: 0.5}}
	calls := *resp
	calls.Finish = chat.ToolCalls
	calls.Message.Calls = []chat.ToolCall{{ID: "c1", Name: "look", Arguments: `{"word":"` + secret + `"}`}, {ID: "c2", Name: secret, Arguments: `{}`}}
	m := chat.ModelFunc(func(_ context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		if fails > 0 {
			fails--
			return nil, &chat.ModelError{Kind: chat.Unreachable, Status: 503, Err: errors.New(secret)}
		}
		if stream != nil {
			stream(chat.Delta{Text: secret})
			stream(chat.Delta{Text: secret})
		}
		if len(req.Messages) == 1 && len(req.Tools) > 0 {
			return &calls, nil
		}
		return resp, nil
	})
	return chat.Retry(m, chat.Backoff{Wait: 1})
}

func (o *office) machine(fails int, options ...graphgen.Option) *desk.Desk {
	o.t.Helper()
	check, err := desk.NewCheck(model(0), options...)
	if err != nil {
		o.t.Fatal(err)
	}
	work := &desk.Work{Secret: secret, Fails: fails}
	m, err := desk.NewDesk(work, work, model(fails), check, options...)
	if err != nil {
		o.t.Fatal(err)
	}
	return m
}

// run runs a machine to its end, over its pause.
func (o *office) run(ctx context.Context, m *desk.Desk, options ...graphgen.Option) {
	o.t.Helper()
	all := graphgen.Options(options...)
	_, err := m.Run(ctx, desk.DeskInput{Question: secret}, all)
	p := graphgen.AsPause(err)
	if p == nil {
		o.t.Fatal(err)
	}
	if _, err := m.Resume(ctx, p, desk.AnswerDeskApprove(graphgen.Approve), all); err != nil {
		o.t.Fatal(err)
	}
}

func (o *office) metrics() (m metricdata.ResourceMetrics) {
	o.t.Helper()
	if err := o.reader.Collect(context.Background(), &m); err != nil {
		o.t.Fatal(err)
	}
	return m
}

// whole is the span tree of a run of the desk, in which the model and a node fail once.
const whole = `invoke_workflow desk cost=1.5 run.model_calls=4 run.reason=interrupted run.steps=8 run.tool_calls=2
  invoke_node plan node.kind=func route.rule=entry step=1
    * retry error.type=_OTHER retry.attempt=1
  invoke_node gather node.kind=parallel route.from=plan step=2
    invoke_node first_part branch=left node.kind=func step=3
    invoke_node second_part branch=right node.kind=func step=3
  invoke_node answer node.kind=prompt route.from=gather step=5
    chat prompt.version=abe84beec477 !transport
    chat cost=0.5 model.call=2 prompt.version=abe84beec477 provider.name=openai response.finish_reasons=["tool_calls"] response.id=r1 response.model=gpt-5-mini usage.input_tokens=10 usage.output_tokens=5
    execute_tool _OTHER tool.call.id=c2 !unknown_tool
    execute_tool look tool.call.id=c1
  invoke_node answer node.kind=prompt route.from=answer route.rule=tool loop step=6 visit=2
    chat cost=0.5 prompt.version=abe84beec477 provider.name=openai response.id=r1 response.model=gpt-5-mini usage.input_tokens=10 usage.output_tokens=5
  invoke_node check node.kind=subgraph route.from=answer step=7
    invoke_workflow check cost=0.5 run.model_calls=1 run.reason=completed run.steps=1
      invoke_node judge node.kind=prompt route.rule=entry step=1
        chat cost=0.5 prompt.version=408fbef451b7 provider.name=openai response.id=r1 response.model=gpt-5-mini usage.input_tokens=10 usage.output_tokens=5
  invoke_node approve node.kind=human route.from=check step=8
    * pause
invoke_workflow desk cost=1.5 run.model_calls=4 run.reason=completed run.steps=9 run.tool_calls=2 (1 links)
  invoke_node send node.kind=func route.from=approve step=9
`

// TestOptionFromBoth holds that a run is observed once, whether its option is given to constructors, to Run
// and Resume, or to all of them.
func TestOptionFromBoth(t *testing.T) {
	trees := map[string]string{}
	for _, name := range []string{"constructors", "run", "both"} {
		o := newOffice(t, graphotel.Config{})
		option := o.observe.Option()
		var made, given []graphgen.Option
		if name != "run" {
			made = append(made, option)
		}
		if name != "constructors" {
			given = append(given, o.observe.Option())
		}
		o.run(t.Context(), o.machine(1, made...), given...)
		trees[name] = oteltest.Tree(o.spans.GetSpans())
		if wrong := oteltest.Unknown(o.spans.GetSpans(), o.metrics()); wrong != nil {
			t.Errorf("%s: there are no %q", name, wrong)
		}
	}
	for name, tree := range trees {
		if tree != whole {
			t.Errorf("%s: the spans are\n%s", name, tree)
		}
	}
}

// TestPartsOfARun holds that the parts of a run that pauses are one conversation, linked, and each in the span
// of its call.
func TestPartsOfARun(t *testing.T) {
	o := newOffice(t, graphotel.Config{})
	m := o.machine(0, o.observe.Option())
	ctx, request := o.tracer.Tracer("test").Start(t.Context(), "request")
	o.run(ctx, m)
	request.End()
	var parts tracetest.SpanStubs
	for _, s := range o.spans.GetSpans() {
		if s.Name == "invoke_workflow desk" {
			parts = append(parts, s)
		}
		if s.SpanContext.TraceID() != request.SpanContext().TraceID() {
			t.Errorf("%s is in another trace", s.Name)
		}
	}
	if len(parts) != 2 || len(parts[0].Links) != 0 || len(parts[1].Links) != 1 || !parts[1].Links[0].SpanContext.Equal(parts[0].SpanContext) {
		t.Fatalf("the parts are %v", parts)
	}
	for _, p := range parts {
		if p.Parent.SpanID() != request.SpanContext().SpanID() || value(p.Attributes,
			"gen_ai.conversation.id") != value(parts[0].Attributes, "graphgen.run.id") {
			t.Errorf("the part has the parent %v and %v", p.Parent, p.Attributes)
		}
	}
}

func value(attributes []attribute.KeyValue, key attribute.Key) string {
	for _, a := range attributes {
		if a.Key == key {
			return a.Value.String()
		}
	}
	return ""
}

// TestContent holds that content is exported where it is asked for, and nowhere else.
func TestContent(t *testing.T) {
	keys := []attribute.Key{"gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result",
		"gen_ai.tool.definitions"}
	for _, content := range []bool{false, true} {
		o := newOffice(t, graphotel.Config{Content: content, ContentLimit: 100})
		o.run(t.Context(), o.machine(1, o.observe.Option()))
		found := map[attribute.Key]bool{}
		for _, s := range o.spans.GetSpans() {
			if strings.Contains(s.Name, secret) || !content && strings.Contains(s.Status.Description, secret) {
				t.Errorf("content %t: the span %s has the status %q", content, s.Name, s.Status.Description)
			}
			for _, e := range s.Events {
				for _, a := range e.Attributes {
					if strings.Contains(a.Value.String(), secret) {
						t.Errorf("the event %s has %s", e.Name, a.Value.String())
					}
				}
			}
			for _, a := range s.Attributes {
				if strings.Contains(a.Value.String(), secret) {
					found[a.Key] = true
				}
				if len(a.Value.String()) > 1000 {
					t.Errorf("%s has %d bytes", a.Key, len(a.Value.String()))
				}
			}
		}
		for _, key := range keys[:4] {
			if found[key] != content {
				t.Errorf("content %t: the content is in %v", content, found)
			}
		}
		if !content && len(found) > 0 {
			t.Errorf("the content is in %v", found)
		}
		for _, m := range o.metrics().ScopeMetrics[0].Metrics {
			if text, _ := m.Data.(interface{ String() string }); text != nil && strings.Contains(text.String(), secret) {
				t.Errorf("the metric %s has content", m.Name)
			}
		}
	}
}

// TestMetrics holds that the calls of models are measured with the names of the conventions, and labels of
// an option are on each metric.
func TestMetrics(t *testing.T) {
	o := newOffice(t, graphotel.Config{Provider: "azure.ai.openai"})
	m := o.machine(1, o.observe.Option(attribute.String("graphgen.test.tenant", "of the machine")))
	o.run(t.Context(), m, o.observe.Option(attribute.String("graphgen.test.tenant", "a")))
	o.run(t.Context(), m, o.observe.Option(attribute.String("graphgen.test.tenant", "b")))
	count := map[string]uint64{}
	for _, metric := range o.metrics().ScopeMetrics[0].Metrics {
		add := func(set attribute.Set, n uint64) {
			tenant, _ := set.Value("graphgen.test.tenant")
			count[metric.Name+" "+tenant.AsString()] += n
		}
		switch data := metric.Data.(type) {
		case metricdata.Histogram[float64]:
			for _, p := range data.DataPoints {
				add(p.Attributes, p.Count)
			}
		case metricdata.Histogram[int64]:
			for _, p := range data.DataPoints {
				add(p.Attributes, uint64(p.Sum))
			}
		case metricdata.Sum[int64]:
			for _, p := range data.DataPoints {
				add(p.Attributes, uint64(p.Value))
			}
		case metricdata.Sum[float64]:
			for _, p := range data.DataPoints {
				add(p.Attributes, uint64(p.Value*10))
			}
		}
	}
	want := map[string]uint64{
		"gen_ai.client.operation.duration a": 4, "gen_ai.client.operation.duration b": 3, // the model fails once
		"gen_ai.client.operation.time_to_first_chunk a": 3, "gen_ai.client.operation.time_to_first_chunk b": 3,
		"gen_ai.client.operation.time_per_output_chunk a": 3, "gen_ai.client.operation.time_per_output_chunk b": 3,
		"gen_ai.client.token.usage a": 45, "gen_ai.client.token.usage b": 45,
		"graphgen.model.cost a": 15, "graphgen.model.cost b": 15,
		"graphgen.node.duration a": 10, "graphgen.node.duration b": 10,
		"graphgen.node.retries a": 1, "graphgen.node.retries b": 1,
		"graphgen.run.active a": 0, "graphgen.run.active b": 0,
		"graphgen.run.duration a": 3, "graphgen.run.duration b": 3,
		"graphgen.tool.duration a": 2, "graphgen.tool.duration b": 2,
	}
	for name, n := range want {
		if count[name] != n {
			t.Errorf("%s is %d, want %d", name, count[name], n)
		}
	}
	if len(count) != len(want) {
		t.Errorf("the metrics are %v", count)
	}
}

// TestLabelsAreBounded holds that models which a provider names anew each time, and labels that conventions have of them, are a bounded
// number of series.
func TestLabelsAreBounded(t *testing.T) {
	o := newOffice(t, graphotel.Config{})
	m := o.machine(0, o.observe.Option())
	for i := range 500 {
		named := chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
			resp, err := model(0).Generate(ctx, req, stream)
			answer := *resp
			answer.Model = fmt.Sprint("model-", i)
			return &answer, err
		})
		o.run(t.Context(), m, graphgen.WithModel(named))
	}
	for _, metric := range o.metrics().ScopeMetrics[0].Metrics {
		series := 0
		switch data := metric.Data.(type) {
		case metricdata.Histogram[float64]:
			series = len(data.DataPoints)
		case metricdata.Histogram[int64]:
			series = len(data.DataPoints)
		case metricdata.Sum[float64]:
			series = len(data.DataPoints)
		}
		if series > 2*2*(200+1) { // two nodes, two types of tokens
			t.Errorf("%s has %d series", metric.Name, series)
		}
	}
}

// TestOTLP holds that a receiver of OTLP over HTTP gets what is in memory.
func TestOTLP(t *testing.T) {
	var mu sync.Mutex
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var sent collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &sent)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			http.Error(w, "no traces", http.StatusBadRequest)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for _, resource := range sent.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				for _, s := range scope.Spans {
					line := s.Name + " " + string(s.ParentSpanId) + " " + scope.SchemaUrl
					for _, a := range s.Attributes {
						line += " " + a.Key
					}
					got = append(got, line)
				}
			}
		}
	}))
	defer server.Close()
	exporter, err := otlptracehttp.New(t.Context(), otlptracehttp.WithEndpointURL(server.URL+"/v1/traces"), otlptracehttp.WithInsecure())
	if err != nil {
		t.Fatal(err)
	}
	memory := tracetest.NewInMemoryExporter()
	o := newOffice(t, graphotel.Config{}, sdk.WithSyncer(memory), sdk.WithBatcher(exporter))
	o.run(t.Context(), o.machine(1, o.observe.Option()))
	if err := o.tracer.(*sdk.TracerProvider).ForceFlush(t.Context()); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, s := range memory.GetSpans() {
		parent := ""
		if id := s.Parent.SpanID(); id.IsValid() {
			parent = string(id[:])
		}
		line := s.Name + " " + parent + " " + s.InstrumentationScope.SchemaURL
		for _, a := range s.Attributes {
			line += " " + string(a.Key)
		}
		want = append(want, line)
	}
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || len(got) < 16 {
		t.Errorf("the receiver got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestConcurrentRuns holds that runs at once have a trace each, and that nothing is kept of runs that have
// ended, or whose pause nothing holds.
func TestConcurrentRuns(t *testing.T) {
	o := newOffice(t, graphotel.Config{})
	m := o.machine(1, o.observe.Option())
	const runs = 50
	var wait sync.WaitGroup
	for range runs {
		wait.Go(func() {
			_, err := m.Run(context.Background(), desk.DeskInput{Question: secret}, graphgen.WithRunID("the same"))
			if graphgen.AsPause(err) == nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	traces := map[trace.TraceID]int{}
	for _, s := range o.spans.GetSpans() {
		traces[s.SpanContext.TraceID()]++
	}
	for _, n := range traces {
		if n < 13 || n > 17 {
			t.Errorf("a trace has %d spans", n)
		}
	}
	if len(traces) != runs {
		t.Errorf("there are %d traces", len(traces))
	}
	for range 100 {
		if collect(); graphotel.Kept(o.observe) == 0 {
			return
		}
	}
	t.Errorf("the observer keeps %d runs", graphotel.Kept(o.observe))
}

// collect collects garbage, and returns when the cleanup of an object that is garbage has run.
func collect() {
	done := make(chan struct{})
	garbage := &struct{ self *int }{new(int)}
	runtime.AddCleanup(garbage, func(done chan struct{}) { close(done) }, done)
	runtime.GC()
	<-done
}
