// Package graphotel makes spans and metrics of the runs of graphs, with the names of OpenTelemetry's
// conventions for generative AI (semconv 1.41.0).
//
//	observer, err := graphotel.New(graphotel.Config{})
//	…
//	m, err := review.NewReview(handlers, model, observer.Option())
//
// A run is a span, and so is each of its steps, each call of a model and each call of a tool. The parent of a span
// is the span of its cause: of a step of a branch the parallel node, of a child run the subgraph
// node, of the run the span of the context that Run was given. A run that pauses and is resumed is one
// span for each part, which links to the one before; all have one conversation ID.
//
// Nothing of what models and tools are given or answer is exported unless Config.Content asks for it, and no
// text of an error. The attributes of metrics have values that the spec bounds.
//
// Everything that is exported is listed in docs/reference/telemetry.md.
package graphotel

import (
	"slices"
	"sync"
	"weak"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/optionset"
)

// Scope is the name of the instrumentation.
const Scope = "github.com/graphgen/graphgen/contrib/otel"

// A Config is what an Observer needs. The zero Config is valid.
type Config struct {
	TracerProvider trace.TracerProvider // nil: the global one
	MeterProvider  metric.MeterProvider // nil: the global one

	// Provider is the provider of the models, such as openai or anthropic. If it is empty, it is derived
	// from the name of the model, where that is one that a provider is known for.
	Provider string

	// Content exports what models and tools are given and what they answer, and the texts of errors. It may
	// be personal, and it may be long.
	Content bool
	// ContentLimit is the most bytes of an exported text; 0: 8,192.
	ContentLimit int
}

// An Observer makes spans and metrics of runs. It may be used by any number of machines and runs.
type Observer struct {
	config  Config
	tracer  trace.Tracer
	metrics metrics
	names   names
	made    made // of options without labels

	mu     sync.Mutex // of what follows
	live   map[*graphgen.RunInfo]*record
	paused map[weak.Pointer[graphgen.RunInfo]]trace.SpanContext // of the last part of runs that wait
}

// New returns an observer. The error is the error of an instrument that the meter provider does not make.
func New(c Config) (*Observer, error) {
	if c.TracerProvider == nil {
		c.TracerProvider = otel.GetTracerProvider()
	}
	if c.MeterProvider == nil {
		c.MeterProvider = otel.GetMeterProvider()
	}
	if c.ContentLimit <= 0 {
		c.ContentLimit = 8 << 10
	}
	o := &Observer{
		config: c,
		tracer: c.TracerProvider.Tracer(Scope, trace.WithSchemaURL(semconv.SchemaURL)),
		live:   map[*graphgen.RunInfo]*record{},
		paused: map[weak.Pointer[graphgen.RunInfo]]trace.SpanContext{},
	}
	if err := o.metrics.make(c.MeterProvider.Meter(Scope, metric.WithSchemaURL(semconv.SchemaURL))); err != nil {
		return nil, err
	}
	return o, nil
}

// Option observes the runs of a machine, if it is given to its constructor, or one run. A run that has it from
// both is observed once, with the labels of the option of Run. Give it to Run to have the calls of models and tools in child runs as well, or
// to the constructor of each machine.
//
// The labels are attributes of every metric of the runs, and of their spans: the labels of a tenant, for example. Their
// values are to be few, as each has metrics of its own. An option with labels is best made once: it keeps what it has made of them.
func (o *Observer) Option(labels ...attribute.KeyValue) graphgen.Option {
	if o == nil {
		return graphgen.Invalid("graphotel.Observer.Option", "the observer is nil: leave it out")
	}
	w := &watch{Observer: o, labels: labels, made: &o.made}
	if len(labels) > 0 {
		w.made = new(made)
	}
	return graphgen.Options(
		optionset.Option(withoutHook),
		graphgen.WithHook(graphgen.Hook{Name: hookName, Begin: w.begin, Around: w.around}),
		graphgen.WithObserver(w.observe),
		graphgen.WithModelWrapper(w.model),
		graphgen.WithToolWrapper(w.tool),
	)
}

const hookName = "otel"

// withoutHook removes the hook that an option before this one has added: an option of Run replaces the option of the
// constructor, with its labels.
func withoutHook(s *optionset.Settings) {
	s.Hooks = slices.DeleteFunc(slices.Clone(s.Hooks), func(h graphgen.Hook) bool { return h.Name == hookName })
}

// A watch is an observer with the labels of an option.
type watch struct {
	*Observer
	labels []attribute.KeyValue
	*made
}

// made is what is made once for all runs with the same labels.
type made struct {
	sets  sync.Map // the attributes of metrics, by what they are made of
	nodes sync.Map // by nodeKey
}
