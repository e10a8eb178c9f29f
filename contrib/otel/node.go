package graphotel

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/graphgen/graphgen"
)

// around opens the span of a step.
func (w *watch) around(ctx context.Context, e graphgen.Event, next func(context.Context) error) error {
	outer := scopeOf(ctx)
	if outer != nil && outer.of == ofNode && outer.run == e.Run && outer.step == e.Step {
		return next(ctx) // a hook of a parent has opened it
	}
	n := w.node(&e)
	s := &scope{by: w, of: ofNode, at: n.at, run: e.Run, step: e.Step, visit: e.Visit}
	if outer != nil {
		s.conversation = outer.conversation
	}
	s.Context, s.span = w.tracer.Start(ctx, n.span)
	r := w.enter(e.Run, outer, s)
	if s.span.IsRecording() {
		n.describe(s, r, &e)
	}
	var start time.Time
	measured := w.metrics.node.Enabled(ctx)
	if measured {
		start = time.Now()
	}
	result := failed
	defer func() { // also after a panic outside of a node
		if measured {
			w.metrics.node.Record(s, time.Since(start).Seconds(), n.outcome(w, result)...)
		}
		s.span.End()
		w.leave(s, r)
	}()
	err := next(s)
	if err == nil {
		result = ok
		return nil
	}
	if graphgen.AsPause(err) != nil {
		result = paused
		return err
	}
	w.fail(s.span, err, classOf(err))
	return err
}

// An outcome is how a step ended.
type outcome uint8

const (
	ok outcome = iota
	failed
	paused
)

var outcomeNames = [...]string{"ok", "failed", "paused"}

// A node is what the steps of a node have in common. It is made once.
type node struct {
	at         place
	span       string               // the name of its spans
	attributes []attribute.KeyValue // of its spans
	outcomes   [len(outcomeNames)]atomic.Pointer[[]metric.RecordOption]
}

// outcome returns the attributes of the metric of an outcome.
func (n *node) outcome(w *watch, o outcome) []metric.RecordOption {
	if options := n.outcomes[o].Load(); options != nil {
		return *options
	}
	labels := append(n.at.attributes(keyOutcome.String(outcomeNames[o])), w.labels...)
	options := []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(labels...))}
	n.outcomes[o].Store(&options)
	return options
}

// A nodeKey identifies a node, by what its spans and metrics have of it.
type nodeKey struct {
	place
	file      string
	line      int32
	isDynamic bool
}

// node returns what the steps of the node of an event have in common.
func (w *watch) node(e *graphgen.Event) *node {
	key := nodeKey{placeOf(e), e.Run.File, e.Line, e.Dynamic}
	if n, ok := w.nodes.Load(key); ok {
		return n.(*node)
	}
	n := &node{at: key.place, span: invokeNode + " " + key.node}
	n.attributes = append(key.attributes(operationNode), w.labels...)
	if e.Dynamic {
		n.attributes = append(n.attributes, keyDynamic.Bool(true))
	}
	if e.Line > 0 {
		n.attributes = append(n.attributes, semconv.CodeFilePath(e.Run.File), semconv.CodeLineNumber(int(e.Line)))
	}
	first, _ := w.nodes.LoadOrStore(key, n)
	return first.(*node)
}

// placeOf returns the place of an event. The node of a run that has added it is not named.
func placeOf(e *graphgen.Event) place {
	at := place{graph: e.Run.Graph, node: e.Node, kind: e.NodeKind}
	if e.Dynamic {
		at.node = other
	}
	return at
}

// An attributeList is room for the attributes of a step. A span copies what it is given.
type attributeList struct{ list []attribute.KeyValue }

var attributeLists = sync.Pool{New: func() any { return &attributeList{make([]attribute.KeyValue, 0, 24)} }}

// describe sets the attributes of a step.
func (n *node) describe(s *scope, r *record, e *graphgen.Event) {
	a := attributeLists.Get().(*attributeList)
	a.list = append(append(a.list[:0], n.attributes...), semconv.GenAIConversationID(s.conversation), keyStep.Int(e.Step), keyVisit.Int(e.Visit))
	if e.Run.Branch != "" {
		a.list = append(a.list, keyBranch.String(e.Run.Branch))
	}
	if r.route != (graphgen.Route{}) {
		a.list = append(a.list, keyRouteRule.String(r.route.Rule.String()))
		if r.from != "" {
			a.list = append(a.list, keyRouteFrom.String(r.from))
		}
		if r.route.Label != "" {
			a.list = append(a.list, keyRouteLabel.String(r.route.Label))
		}
	}
	s.span.SetAttributes(a.list...)
	attributeLists.Put(a) // with its texts, until garbage is collected
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
