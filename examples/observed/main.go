// Observed runs two graphs of the examples, a librarian with a model and tools that play a recording, and a publisher whose source
// is missing, and shows what of them can be observed: a log, a span tree, a summary, and metrics for a dashboard.
//
//	go run ./examples/observed                    # one run of each: the log on stderr; span trees and summaries on stdout
//	go run ./examples/observed -listen :9464      # runs without end, whose metrics are at http://localhost:9464/metrics
//
// With OTEL_EXPORTER_OTLP_ENDPOINT, such as http://localhost:4318, the spans go there too.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	otelprom "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	graphotel "github.com/graphgen/graphgen/contrib/otel"
	"github.com/graphgen/graphgen/contrib/otel/oteltest"
	graphslog "github.com/graphgen/graphgen/contrib/slog"
	"github.com/graphgen/graphgen/examples/fallback"
	"github.com/graphgen/graphgen/examples/librarian"
)

func main() {
	listen := flag.String("listen", "", "the address of /metrics, such as :9464; without it there is one run of each graph")
	every := flag.Duration("every", time.Second, "the time between two rounds of runs, with -listen")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := observe(ctx, *listen, *every, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "observed:", err)
		os.Exit(1)
	}
}

// observe makes runs and shows them.
func observe(ctx context.Context, listen string, every time.Duration, out, logs io.Writer) error {
	d, err := newDesk(ctx, logs)
	if err != nil {
		return err
	}
	defer d.close()
	if listen == "" {
		return d.show(ctx, out)
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: d.handler(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(l) }()
	defer func() { _ = server.Close() }()
	fmt.Fprintf(out, "metrics are at http://%s/metrics\n", l.Addr())
	for {
		if err := d.round(ctx); err != nil && ctx.Err() == nil {
			return err
		}
		d.spans.Reset()
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(every):
		}
	}
}

// A desk makes runs, and has what they export.
type desk struct {
	options []graphgen.RunOption
	spans   *tracetest.InMemoryExporter
	tracer  *trace.TracerProvider
	metrics *prometheus.Registry
	reports [2]graphgen.Report
}

// newDesk wires logs, spans and metrics, as a program does that is in production.
func newDesk(ctx context.Context, logs io.Writer) (*desk, error) {
	d := &desk{spans: tracetest.NewInMemoryExporter(), metrics: prometheus.NewRegistry()}
	exporters := []trace.TracerProviderOption{trace.WithSyncer(d.spans)}
	if os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" {
		exporter, err := otlptracehttp.New(ctx)
		if err != nil {
			return nil, err
		}
		exporters = append(exporters, trace.WithBatcher(exporter))
	}
	d.tracer = trace.NewTracerProvider(exporters...)
	reader, err := otelprom.New(otelprom.WithRegisterer(d.metrics))
	if err != nil {
		return nil, err
	}
	observer, err := graphotel.New(graphotel.Config{TracerProvider: d.tracer, MeterProvider: metric.NewMeterProvider(metric.WithReader(reader))})
	if err != nil {
		return nil, err
	}
	logger := slog.New(graphslog.Handler(slog.NewTextHandler(logs, nil)))
	d.options = []graphgen.RunOption{
		observer.Option(), graphslog.Option(logger), graphgen.WithTimings(),
		graphgen.WithModelWrapper(func(m chat.Model) chat.Model { return chat.Priced(m, chat.Price{Input: 0.25, Output: 2}) }),
	}
	return d, nil
}

// close sends the spans that are left.
func (d *desk) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = d.tracer.Shutdown(ctx)
}

// handler serves the metrics.
func (d *desk) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(d.metrics, promhttp.HandlerOpts{}))
	return mux
}

// show makes a round, and writes its spans and summaries.
func (d *desk) show(ctx context.Context, out io.Writer) error {
	if err := d.round(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "spans:\n\n%s", oteltest.Tree(d.spans.GetSpans()))
	for i := range d.reports {
		fmt.Fprintf(out, "\n%s", d.reports[i].Summary())
	}
	return nil
}

// round makes one run of each graph.
func (d *desk) round(ctx context.Context) error {
	_, err := librarian.Replay(ctx, append(d.options, graphgen.WithReport(&d.reports[0]))...)
	return errors.Join(err, d.publish(ctx))
}

// publish has the publisher fall back to a mirror: its source is locked.
func (d *desk) publish(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "observed")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	in := fallback.FallbackInput{Source: filepath.Join(dir, "source"), Mirror: filepath.Join(dir, "mirror"), Target: filepath.Join(dir, "target")}
	for _, file := range []string{in.Source, fallback.Lock(in.Source), in.Mirror} {
		if err := os.WriteFile(file, []byte("Otters swim.\n"+fallback.End+"\n"), 0o600); err != nil {
			return err
		}
	}
	m, err := fallback.NewFallback(fallback.Reader{})
	if err != nil {
		return err
	}
	_, err = m.Run(ctx, in, append(d.options, graphgen.WithReport(&d.reports[1]))...)
	return err
}
