package graphotel

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

// model observes a model that a node asks.
func (w *watch) model(next chat.Model) chat.Model {
	return chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (resp *chat.Response, err error) {
		outer := scopeOf(ctx)
		if outer != nil && outer.of == ofModel {
			return next.Generate(ctx, req, stream) // another observer has the call
		}
		a := &asking{watch: w, base: ctx}
		if outer != nil {
			a.watch = outer.by
		}
		a.caller, _ = ctx.Value(chat.CallerKey{}).(chat.Caller)
		a.scope.by, a.scope.of = a.watch, ofModel
		if outer != nil {
			a.scope.at, a.scope.run, a.scope.conversation = outer.at, outer.run, outer.conversation
		}
		a.scope.Context = a.begin(req)
		defer func() {
			if v := recover(); v != nil {
				a.finish(nil, &graphgen.PanicError{})
				panic(v)
			}
			a.finish(resp, err)
		}()
		return next.Generate(a, req, a.listen(stream))
	})
}

// An asking is an answer that a node asks for, as the context of the models that may be called for it: those
// that chat.Retry and chat.Fallback call. Each call that goes over the wire has a span.
type asking struct {
	*watch
	scope  scope
	base   context.Context // of the node
	caller chat.Caller     // of the run

	mu    sync.Mutex // of what follows
	call  *call      // the one under way, or the last one
	calls int
	open  bool           // it is under way
	resp  *chat.Response // its answer, of which it is not known yet whether models around it take it
	heard time.Time      // its last piece
	shut  bool           // the node has its answer
}

// A call is a call of a model.
type call struct {
	ctx     context.Context
	span    trace.Span
	request *chat.Request
	start   time.Time
}

// Deadline, Done and Err are from the context in which the answer is requested.
func (a *asking) Deadline() (time.Time, bool) { return a.base.Deadline() }

// Done returns the channel of the context.
func (a *asking) Done() <-chan struct{} { return a.base.Done() }

// Err returns the error of the context.
func (a *asking) Err() error { return a.base.Err() }

// Value returns the scope of the call and the caller of models for their keys.
func (a *asking) Value(key any) any {
	switch key {
	case scopeKey{}:
		return &a.scope
	case chat.CallerKey{}:
		if a.caller != nil {
			return a
		}
	}
	return a.scope.Context.Value(key)
}

// Call calls a model within another one. The first of these calls is the call of the outer model.
func (a *asking) Call(ctx context.Context, m chat.Model, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	begun := false
	inner := chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		begun = true
		return m.Generate(a.again(ctx, req), req, stream)
	})
	resp, err := a.caller.Call(ctx, inner, req, stream)
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case !begun: // the run does not allow the call
	case err != nil:
		a.end(resp, err)
	case a.open:
		a.resp = resp
	}
	return resp, err
}

// again begins another call, unless one is under way that has no answer yet. It returns the context of the call.
func (a *asking) again(ctx context.Context, req *chat.Request) context.Context {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.shut || a.open && a.resp == nil {
		return ctx
	}
	a.end(a.resp, nil)
	a.started(req)
	return trace.ContextWithSpan(ctx, a.call.span)
}

// begin begins the first call, and returns its context.
func (a *asking) begin(req *chat.Request) context.Context {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.started(req)
	return a.call.ctx
}

// started begins a call. The lock is held.
func (a *asking) started(req *chat.Request) {
	c := &call{request: req, start: time.Now()}
	name := "chat"
	if req.Model != "" {
		name += " " + a.names.models.name(req.Model)
	}
	a.calls++
	c.ctx, c.span = a.tracer.Start(a.base, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(a.asked(req)...))
	a.call, a.open, a.resp, a.heard = c, true, nil, time.Time{}
}

// asked returns what a span has of a request.
func (a *asking) asked(req *chat.Request) []attribute.KeyValue {
	attributes := append(make([]attribute.KeyValue, 0, 20),
		semconv.GenAIOperationNameChat, semconv.GenAIProviderNameKey.String(a.provider(req.Model)), semconv.GenAIConversationID(a.scope.conversation),
		keyGraph.String(a.scope.at.graph), keyNode.String(a.scope.at.node), keyPurpose.String(string(req.Purpose)), keyCall.Int(a.calls),
	)
	if p, ok := a.caller.(chat.Versioned); ok && p.PromptVersion() != "" {
		attributes = append(attributes, keyPrompt.String(p.PromptVersion()))
	}
	if req.Model != "" {
		attributes = append(attributes, semconv.GenAIRequestModel(req.Model))
	}
	if req.MaxTokens > 0 {
		attributes = append(attributes, semconv.GenAIRequestMaxTokens(req.MaxTokens))
	}
	if req.Temperature != nil {
		attributes = append(attributes, semconv.GenAIRequestTemperature(*req.Temperature))
	}
	output := semconv.GenAIOutputTypeText
	if req.Output != nil {
		output = semconv.GenAIOutputTypeJSON
	}
	attributes = append(append(attributes, output), a.labels...)
	if a.config.Content {
		attributes = append(attributes, a.given(req)...)
	}
	return attributes
}

// listen returns what a model streams to, which takes the time of each piece.
func (a *asking) listen(stream func(chat.Delta)) func(chat.Delta) {
	if stream == nil {
		return nil
	}
	return func(d chat.Delta) {
		a.piece()
		stream(d)
	}
}

func (a *asking) piece() {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.open {
		return
	}
	c := a.call
	set := a.modelSet(a.scope.at, a.provider(c.request.Model), a.modelLabel(c.request.Model), "", "", "")
	if a.heard.IsZero() {
		took := now.Sub(c.start).Seconds()
		a.metrics.firstChunk.RecordSet(c.ctx, took, set.attributes)
		c.span.SetAttributes(semconv.GenAIRequestStream(true), semconv.GenAIResponseTimeToFirstChunk(took))
	} else {
		a.metrics.chunk.RecordSet(c.ctx, now.Sub(a.heard).Seconds(), set.attributes)
	}
	a.heard = now
}

func (a *asking) modelLabel(name string) string {
	if name == "" {
		return ""
	}
	return a.names.models.name(name)
}

// finish ends the last call, when the node has its answer.
func (a *asking) finish(resp *chat.Response, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end(resp, err)
	a.shut = true
}

// end ends the call that is under way, if there is one. The lock is held.
func (a *asking) end(resp *chat.Response, err error) {
	if !a.open || a.shut {
		return
	}
	a.open = false
	if resp == nil {
		resp = a.resp
	}
	c, class := a.call, ""
	if err != nil {
		class = classOf(err)
	}
	a.count(c, resp, class, err)
	if c.span.IsRecording() {
		if resp != nil {
			c.span.SetAttributes(a.answered(resp)...)
		}
		a.fail(c.span, err, class)
	}
	c.span.End()
}

// count counts a call, unless the run did not allow it.
func (a *asking) count(c *call, resp *chat.Response, class string, err error) {
	if spent, ok := err.(*graphgen.LimitError); ok && spent.Limit == graphgen.LimitBudget {
		return
	}
	if _, stopped := errors.AsType[*graphgen.StopError](err); stopped {
		return
	}
	answered, provider := "", a.provider(c.request.Model)
	if resp != nil {
		answered = a.modelLabel(resp.Model)
		if provider == other {
			provider = a.provider(resp.Model)
		}
	}
	asked := a.modelLabel(c.request.Model)
	a.metrics.duration.RecordSet(c.ctx, time.Since(c.start).Seconds(), a.modelSet(a.scope.at, provider, asked, answered, class, "").attributes)
	if resp == nil {
		return
	}
	input, output := a.modelSet(a.scope.at, provider, asked, answered, "", "input"), a.modelSet(a.scope.at, provider, asked, answered, "", "output")
	a.metrics.tokens.RecordSet(c.ctx, int64(resp.Usage.Input), input.attributes)
	a.metrics.tokens.RecordSet(c.ctx, int64(resp.Usage.Output), output.attributes)
	if resp.Usage.Cost > 0 {
		a.metrics.cost.Add(c.ctx, resp.Usage.Cost, a.modelSet(a.scope.at, provider, asked, answered, "", "").add...)
	}
}

// answered returns what a span has of an answer.
func (a *asking) answered(resp *chat.Response) []attribute.KeyValue {
	attributes := append(make([]attribute.KeyValue, 0, 10),
		semconv.GenAIUsageInputTokens(resp.Usage.Input), semconv.GenAIUsageOutputTokens(resp.Usage.Output))
	if resp.Model != "" {
		attributes = append(attributes, semconv.GenAIResponseModel(resp.Model))
		if a.provider(a.call.request.Model) == other {
			attributes = append(attributes, semconv.GenAIProviderNameKey.String(a.provider(resp.Model)))
		}
	}
	if resp.ID != "" {
		attributes = append(attributes, semconv.GenAIResponseID(resp.ID))
	}
	if resp.Finish != "" {
		attributes = append(attributes, semconv.GenAIResponseFinishReasons(string(resp.Finish)))
	}
	if n := resp.Usage.CacheRead; n > 0 {
		attributes = append(attributes, semconv.GenAIUsageCacheReadInputTokens(n))
	}
	if n := resp.Usage.CacheWrite; n > 0 {
		attributes = append(attributes, semconv.GenAIUsageCacheCreationInputTokens(n))
	}
	if n := resp.Usage.Reasoning; n > 0 {
		attributes = append(attributes, semconv.GenAIUsageReasoningOutputTokens(n))
	}
	if resp.Usage.Cost > 0 {
		attributes = append(attributes, keyCost.Float64(resp.Usage.Cost))
	}
	if a.config.Content {
		attributes = append(attributes, a.spoken(resp))
	}
	return attributes
}
