package graphotel

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/graphgen/graphgen"
)

// observe makes events of spans of what happens within steps.
func (w *watch) observe(e graphgen.Event) {
	switch e.Kind {
	case graphgen.RunStart, graphgen.RunEnd, graphgen.NodeStart, graphgen.Progress, graphgen.Token, graphgen.ModelStart, graphgen.ModelEnd, graphgen.ToolStart:
		return
	}
	r, span := w.record(e.Run)
	if r == nil {
		return
	}
	switch e.Kind {
	case graphgen.Routed:
		if r.from, r.route = e.Node, e.Route(); e.Dynamic {
			r.from = other
		}
		return
	case graphgen.Retry:
		w.metrics.retries.Add(context.Background(), 1, w.retrySet(placeOf(&e))...)
	}
	if span == nil || !span.IsRecording() {
		return
	}
	if name, attributes := eventOf(&e, r); name != "" {
		span.AddEvent(name, trace.WithAttributes(attributes...))
	}
}

// eventOf returns the event of a span for an event of a run; it has no name if the span has no such event.
func eventOf(e *graphgen.Event, r *record) (name string, attributes []attribute.KeyValue) {
	add := func(a ...attribute.KeyValue) { attributes = append(attributes, a...) }
	if e.Err != nil {
		add(semconv.ErrorTypeKey.String(classOf(e.Err)))
	}
	switch e.Kind {
	case graphgen.Retry:
		attempt, wait := e.Retry()
		add(keyRetry.Int(attempt), keyWait.Float64(wait.Seconds()))
		return eventRetry, attributes
	case graphgen.CacheHit:
		return eventCacheHit, attributes
	case graphgen.RouteRejected:
		return eventReject, attributes
	case graphgen.Mutated:
		_, refused := e.Mutation()
		add(keyRefused.Bool(refused != ""))
		return eventMutation, attributes
	case graphgen.Interrupt:
		return eventPause, attributes
	case graphgen.OverBudget:
		if spent, ok := errors.AsType[*graphgen.LimitError](e.Err); ok && spent.Limit == graphgen.LimitBudget {
			add(keyBudget.String(spent.Of))
		}
		return eventBudget, attributes
	case graphgen.ToolEnd:
		if t := e.Tool(); t.Again {
			add(semconv.GenAIToolName(t.Name))
			return eventReuse, attributes
		}
	case graphgen.NodeEnd:
		if e.Skipped {
			add(keyNode.String(placeOf(e).node))
			return eventSkip, attributes
		}
	case graphgen.NodeFailed:
		if r.step == nil { // its visits are used up, so that it has no span
			add(keyNode.String(placeOf(e).node))
			return eventFailed, attributes
		}
	}
	return "", nil
}
