package graphotel_test

import (
	"testing"

	"go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	graphotel "github.com/graphgen/graphgen/contrib/otel"
)

// configs are the observers that are measured, with the most allocations of a step.
var configs = []struct {
	name        string
	config      graphotel.Config
	allocations float64
}{
	{"spans", graphotel.Config{TracerProvider: sdk.NewTracerProvider(), MeterProvider: noop.NewMeterProvider()}, 6},
	{"spans and metrics",
		graphotel.Config{TracerProvider: sdk.NewTracerProvider(),
			MeterProvider: sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))}, 6},
	{"spans that are not sampled", graphotel.Config{TracerProvider: sdk.NewTracerProvider(sdk.WithSampler(sdk.NeverSample())),
		MeterProvider: noop.NewMeterProvider()}, 3},
	{"no provider", graphotel.Config{TracerProvider: tracenoop.NewTracerProvider(), MeterProvider: noop.NewMeterProvider()}, 2},
}

// TestAllocations holds what the span of a step allocates, with the SDK and without an exporter.
func TestAllocations(t *testing.T) {
	for _, c := range configs {
		o, err := graphotel.New(c.config)
		if err != nil {
			t.Fatal(err)
		}
		if got := testing.AllocsPerRun(1000, graphotel.Step(o)); got > c.allocations {
			t.Errorf("%s: a step has %v allocations, want at most %v", c.name, got, c.allocations)
		} else {
			t.Logf("%s: %v", c.name, got)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	for _, c := range configs {
		b.Run(c.name, func(b *testing.B) {
			o, err := graphotel.New(c.config)
			if err != nil {
				b.Fatal(err)
			}
			step := graphotel.Step(o)
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
		})
	}
}
