package graphotel

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	graphrt "github.com/graphgen/graphgen/runtime"
)

// around opens the span of a step.
func (w *watch) around(ctx context.Context, e graphrt.Event, next func(context.Context) error) error {
	outer := scopeOf(ctx)
	if outer != nil && outer.of == ofNode && outer.run == e.Run && outer.step == e.Step {
		return next(ctx) // a hook of a parent has opened it
	}
	s := &scope{by: w, of: ofNode, at: placeOf(&e), run: e.Run, step: e.Step, visit: e.Visit}
	if outer != nil {
		s.conversation = outer.conversation
	}
	s.Context, s.span = w.tracer.Start(ctx, w.spanName(s.at.node))
	r := w.enter(e.Run, outer, s)
	if s.span.IsRecording() {
		w.describe(s, r, &e)
	}
	start := time.Now()
	outcome := "failed"
	defer func() { // also after a panic, which is none of a node
		w.metrics.node.Record(s, time.Since(start).Seconds(), w.nodeSet(s.at, outcome)...)
		s.span.End()
		w.leave(s, r)
	}()
	err := next(s)
	_, paused := errors.AsType[*graphrt.InterruptedError](err)
	switch {
	case err == nil:
		outcome = "ok"
	case paused:
		outcome = "paused"
	default:
		w.fail(s.span, err, classOf(err))
	}
	return err
}

// placeOf returns the place of an event. The node of a run that has added it is not named.
func placeOf(e *graphrt.Event) place {
	at := place{graph: e.Run.Graph, node: e.Node, kind: e.NodeKind}
	if e.Dynamic {
		at.node = other
	}
	return at
}

// spanName returns the name of a node's span, which is made once.
func (o *Observer) spanName(node string) string {
	if name, ok := o.names.spans.Load(node); ok {
		return name.(string)
	}
	name := invokeNode + " " + node
	o.names.spans.Store(node, name)
	return name
}

// An attributeList is room for the attributes of a step. A span copies what it is given.
type attributeList struct{ list []attribute.KeyValue }

var attributeLists = sync.Pool{New: func() any { return &attributeList{make([]attribute.KeyValue, 0, 24)} }}

// describe sets the attributes of a step.
func (w *watch) describe(s *scope, r *record, e *graphrt.Event) {
	a := attributeLists.Get().(*attributeList)
	a.list = append(a.list[:0],
		operationNode, semconv.GenAIConversationID(s.conversation), keyGraph.String(s.at.graph), keyNode.String(s.at.node), keyKind.String(s.at.kind),
		keyStep.Int(e.Step), keyVisit.Int(e.Visit),
	)
	if e.Run.Branch != "" {
		a.list = append(a.list, keyBranch.String(e.Run.Branch))
	}
	if e.Dynamic {
		a.list = append(a.list, keyDynamic.Bool(true))
	}
	if r.route != nil {
		a.list = append(a.list, keyRouteRule.String(r.route.Rule.String()))
		if r.from != "" {
			a.list = append(a.list, keyRouteFrom.String(r.from))
		}
		if r.route.Label != "" {
			a.list = append(a.list, keyRouteLabel.String(r.route.Label))
		}
	}
	if e.Line > 0 {
		a.list = append(a.list, semconv.CodeFilePath(e.Run.File), semconv.CodeLineNumber(int(e.Line)))
	}
	s.span.SetAttributes(append(a.list, w.labels...)...)
	clear(a.list)
	attributeLists.Put(a)
}

var operationNode = semconv.GenAIOperationNameKey.String(invokeNode)

// fail gives a span the class of an error, and its text where content is exported.
func (o *Observer) fail(span trace.Span, err error, class string) {
	if class == "" || !span.IsRecording() {
		return
	}
	text := class
	if o.config.Content {
		text = o.clip(err.Error())
	}
	span.SetStatus(codes.Error, text)
	span.SetAttributes(semconv.ErrorTypeKey.String(class))
}
