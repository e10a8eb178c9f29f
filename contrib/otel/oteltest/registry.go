package oteltest

import (
	_ "embed"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// registry lists the attributes and metrics of the conventions, version 1.41.0, one in a line. It is written
// from the constants of package semconv by go test ./contrib/otel/oteltest -update.
//
//go:embed registry.txt
var registry string

// own lists the attributes, events and metrics besides the conventions'.
//
//go:embed own.txt
var own string

// Unknown returns the names of attributes, events and metrics that neither the conventions nor graphgen have.
func Unknown(spans tracetest.SpanStubs, metrics metricdata.ResourceMetrics) []string {
	known := map[string]bool{}
	for line := range strings.Lines(registry + own) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, _, _ := strings.Cut(rest, " ")
		known[kind+" "+name] = true
	}
	var unknown []string
	see := func(name string) {
		if !known[name] && !slices.Contains(unknown, name) {
			unknown = append(unknown, name)
		}
	}
	attributes := func(list []attribute.KeyValue) {
		for _, a := range list {
			see("attribute " + string(a.Key))
		}
	}
	for _, s := range spans {
		see("span " + strings.Fields(s.Name)[0])
		attributes(s.Attributes)
		for _, e := range s.Events {
			see("event " + e.Name)
			attributes(e.Attributes)
		}
	}
	eachPoint(metrics, func(metric string, set attribute.Set) {
		see("metric " + metric)
		attributes(set.ToSlice())
	})
	slices.Sort(unknown)
	return unknown
}

// eachPoint calls f for each set of attributes of each metric.
func eachPoint(metrics metricdata.ResourceMetrics, f func(metric string, set attribute.Set)) {
	for _, scope := range metrics.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Histogram[float64]:
				points(m.Name, data.DataPoints, func(p *metricdata.HistogramDataPoint[float64]) attribute.Set { return p.Attributes }, f)
			case metricdata.Histogram[int64]:
				points(m.Name, data.DataPoints, func(p *metricdata.HistogramDataPoint[int64]) attribute.Set { return p.Attributes }, f)
			case metricdata.Sum[int64]:
				points(m.Name, data.DataPoints, func(p *metricdata.DataPoint[int64]) attribute.Set { return p.Attributes }, f)
			case metricdata.Sum[float64]:
				points(m.Name, data.DataPoints, func(p *metricdata.DataPoint[float64]) attribute.Set { return p.Attributes }, f)
			default:
				f(m.Name+" of an unknown form", attribute.Set{})
			}
		}
	}
}

func points[P any](name string, list []P, of func(*P) attribute.Set, f func(string, attribute.Set)) {
	for i := range list {
		f(name, of(&list[i]))
	}
}
