package graphotel

import (
	"context"
	"runtime"
	"time"
	"weak"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/graphgen/graphgen"
)

// begin opens the span of a run, or of the rest of one that was resumed.
func (w *watch) begin(ctx context.Context, e graphgen.Event) (context.Context, func(graphgen.Event)) {
	outer := scopeOf(ctx)
	if outer != nil && outer.run == e.Run && outer.of == ofRun {
		return ctx, nil // a hook of a parent has opened it
	}
	s := &scope{by: w, of: ofRun, at: place{graph: e.Run.Graph}, run: e.Run, conversation: conversation(e.Run, outer)}
	s.Context, s.span = w.tracer.Start(ctx, "invoke_workflow "+e.Run.Graph, w.runOptions(s)...)
	r := w.enter(e.Run, s, nil)
	w.metrics.active.Add(s, 1, w.graphSet(e.Run.Graph))
	start := time.Now()
	return s, func(e graphgen.Event) {
		w.endRun(s, &e, time.Since(start))
		w.leave(s, r)
	}
}

// conversation returns the ID that all parts of a run, and its child runs, have.
func conversation(run *graphgen.RunInfo, outer *scope) string {
	switch {
	case run.Within != "" && outer != nil:
		return outer.conversation
	case run.Thread != "":
		return run.Thread
	}
	return run.ID
}

// runOptions returns what a run's span has from its start, with a link to the part before a pause.
func (w *watch) runOptions(s *scope) []trace.SpanStartOption {
	attributes := append([]attribute.KeyValue{
		semconv.GenAIOperationNameInvokeWorkflow, semconv.GenAIWorkflowName(s.run.Graph),
		semconv.GenAIConversationID(s.conversation), keyRun.String(s.run.ID), keyGraph.String(s.run.Graph),
	}, w.labels...)
	if s.run.Branch != "" {
		attributes = append(attributes, keyBranch.String(s.run.Branch))
	}
	options := []trace.SpanStartOption{trace.WithAttributes(attributes...)}
	key := weak.Make(s.run)
	w.mu.Lock()
	defer w.mu.Unlock()
	if before, ok := w.paused[key]; ok {
		delete(w.paused, key)
		options = append(options, trace.WithLinks(trace.Link{SpanContext: before}))
	}
	return options
}

// endRun ends the span of a run, or of a part of it.
func (w *watch) endRun(s *scope, e *graphgen.Event, took time.Duration) {
	class := ""
	report := e.Report()
	reason := report.Reason
	if reason == graphgen.Paused {
		w.waits(s)
	} else if e.Err != nil {
		class = classOf(e.Err)
	}
	w.metrics.active.Add(s, -1, w.graphSet(s.run.Graph))
	w.metrics.run.Record(s, took.Seconds(), w.runSet(s.run.Graph, reason.String(), class)...)
	if s.span.IsRecording() {
		s.span.SetAttributes(
			keyReason.String(reason.String()), keySteps.Int(report.Steps),
			keyModelCalls.Int(report.ModelCalls), keyToolCalls.Int(report.Tools.Made),
		)
		if report.Usage.Cost > 0 {
			s.span.SetAttributes(keyCost.Float64(report.Usage.Cost))
		}
		w.fail(s.span, e.Err, class)
	}
	s.span.End()
}

// waits keeps the span of a run that pauses, for a link from the next part, as long as the run is in memory.
func (w *watch) waits(s *scope) {
	key := weak.Make(s.run)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paused[key] = s.span.SpanContext()
	runtime.AddCleanup(s.run, w.forget, key)
}

func (o *Observer) forget(key weak.Pointer[graphgen.RunInfo]) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.paused, key)
}
