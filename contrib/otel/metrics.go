package graphotel

import (
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/semconv/v1.41.0/genaiconv"
)

// metrics are the instruments. Those of the conventions are typed there.
type metrics struct {
	duration   genaiconv.ClientOperationDuration
	tokens     genaiconv.ClientTokenUsage
	firstChunk genaiconv.ClientOperationTimeToFirstChunk
	chunk      genaiconv.ClientOperationTimePerOutputChunk

	run     metric.Float64Histogram
	node    metric.Float64Histogram
	tool    metric.Float64Histogram
	active  metric.Int64UpDownCounter
	retries metric.Int64Counter
	cost    metric.Float64Counter
	mcp     mcpMetrics
}

// The boundaries that the conventions advise: seconds of a call, of a piece of an answer, and tokens.
var (
	callBounds  = metric.WithExplicitBucketBoundaries(0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
	chunkBounds = metric.WithExplicitBucketBoundaries(0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5)
	firstBounds = metric.WithExplicitBucketBoundaries(0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0)
	tokenBounds = metric.WithExplicitBucketBoundaries(1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864)
	// Steps without a model take microseconds, runs up to hours.
	stepBounds = metric.WithExplicitBucketBoundaries(0.0001, 0.001, 0.01, 0.04, 0.16, 0.64, 2.56, 10.24, 40.96, 163.84, 655.36, 2621.44)
)

// make makes the instruments.
func (m *metrics) make(meter metric.Meter) error {
	var errs [11]error
	m.duration, errs[0] = genaiconv.NewClientOperationDuration(meter, callBounds)
	m.tokens, errs[1] = genaiconv.NewClientTokenUsage(meter, tokenBounds)
	m.firstChunk, errs[2] = genaiconv.NewClientOperationTimeToFirstChunk(meter, firstBounds)
	m.chunk, errs[3] = genaiconv.NewClientOperationTimePerOutputChunk(meter, chunkBounds)
	m.run, errs[4] = meter.Float64Histogram("graphgen.run.duration", metric.WithUnit("s"), stepBounds,
		metric.WithDescription("Duration of runs, or of their parts between pauses."))
	m.node, errs[5] = meter.Float64Histogram("graphgen.node.duration", metric.WithUnit("s"), stepBounds,
		metric.WithDescription("Duration of steps, with all their attempts."))
	m.tool, errs[6] = meter.Float64Histogram("graphgen.tool.duration", metric.WithUnit("s"), callBounds,
		metric.WithDescription("Duration of calls of tools."))
	m.active, errs[7] = meter.Int64UpDownCounter("graphgen.run.active", metric.WithUnit("{run}"),
		metric.WithDescription("Runs that have begun and not ended."))
	m.retries, errs[8] = meter.Int64Counter("graphgen.node.retries", metric.WithUnit("{retry}"),
		metric.WithDescription("Executions of nodes after a first one of the same step."))
	m.cost, errs[9] = meter.Float64Counter("graphgen.model.cost", metric.WithUnit("{USD}"),
		metric.WithDescription("Price of the calls of models, where it is known."))
	errs[10] = m.mcp.make(meter)
	return errors.Join(errs[:]...)
}

// A setKey is what the attributes of a metric are made of.
type setKey struct {
	of                byte
	at                place
	a, b, c, d, class string
}

// A set is made once: as a set, and as options.
type set struct {
	attributes attribute.Set
	record     []metric.RecordOption
	add        []metric.AddOption
}

// set returns the attributes for a key, which attributes makes the first time.
func (w *watch) set(key setKey, attributes func() []attribute.KeyValue) *set {
	if s, ok := w.sets.Load(key); ok {
		return s.(*set)
	}
	made := &set{attributes: attribute.NewSet(append(attributes(), w.labels...)...)}
	of := metric.WithAttributeSet(made.attributes)
	made.record, made.add = []metric.RecordOption{of}, []metric.AddOption{of}
	s, _ := w.sets.LoadOrStore(key, made)
	return s.(*set)
}

func (w *watch) graphSet(graph string) metric.AddOption {
	return w.set(setKey{of: 'g', a: graph}, func() []attribute.KeyValue {
		return []attribute.KeyValue{keyGraph.String(graph)}
	}).add[0]
}

func (w *watch) runSet(graph, reason, class string) []metric.RecordOption {
	return w.set(setKey{of: 'r', a: graph, b: reason, class: class}, func() []attribute.KeyValue {
		return errorType([]attribute.KeyValue{keyGraph.String(graph), keyReason.String(reason)}, class)
	}).record
}

func (p place) attributes(more ...attribute.KeyValue) []attribute.KeyValue {
	return append([]attribute.KeyValue{keyGraph.String(p.graph), keyNode.String(p.node), keyKind.String(p.kind)}, more...)
}

func (w *watch) retrySet(at place) []metric.AddOption {
	return w.set(setKey{of: 'a', at: at}, func() []attribute.KeyValue { return at.attributes() }).add
}

func (w *watch) toolSet(at place, tool, class string) []metric.RecordOption {
	return w.set(setKey{of: 't', at: at, a: tool, class: class}, func() []attribute.KeyValue {
		return errorType(at.attributes(semconv.GenAIToolName(tool)), class)
	}).record
}

// modelSet returns the attributes of a call. The type of tokens is empty where none are counted.
func (w *watch) modelSet(at place, provider, asked, answered, class, tokens string) *set {
	return w.set(setKey{of: 'm', at: at, a: provider, b: asked, c: answered, d: tokens, class: class}, func() []attribute.KeyValue {
		a := at.attributes(semconv.GenAIOperationNameChat, semconv.GenAIProviderNameKey.String(provider))
		if asked != "" {
			a = append(a, semconv.GenAIRequestModel(asked))
		}
		if answered != "" {
			a = append(a, semconv.GenAIResponseModel(answered))
		}
		if tokens != "" {
			a = append(a, semconv.GenAITokenTypeKey.String(tokens))
		}
		return errorType(a, class)
	})
}
