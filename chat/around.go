package chat

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen/internal/errtree"
)

// A Backoff describes how calls are repeated. A field that is 0 has its default.
type Backoff struct {
	Attempts int           // calls in all; 3
	Wait     time.Duration // before the second; half a second
	Factor   float64       // by which the wait grows each time; 2
	MaxWait  time.Duration // 8 seconds
	// Patience is the longest wait that a provider may ask for, a minute. One that asks for more
	// is not called again.
	Patience time.Duration
}

// Retry returns a model that calls m again after transient errors, such as a
// ModelError of kind RateLimited or Unreachable. Half of each wait is random; it is never shorter
// than the provider asks for. The error is the error of the last call.
//
// It does not call again in these cases:
//
//   - a piece of the answer has been streamed, because shown text cannot be taken back;
//   - the context has ended, or would end before the wait does;
//   - the run that the context belongs to is to stop, which ends a wait immediately.
func Retry(m Model, b Backoff) Model {
	b = b.complete()
	again := func(ctx context.Context, req *Request, stream func(Delta)) (*Response, error) {
		heard, stream := listen(stream)
		for tries := 1; ; tries++ {
			resp, err := call(ctx, m, req, stream)
			if err == nil || heard.streamed() || tries >= b.Attempts || !errtree.Transient(err) {
				return resp, err
			}
			wait := b.wait(tries, jitter(ctx, tries))
			if asked := errtree.RetryAfter(err); asked > b.Patience {
				return resp, err
			} else if asked > wait {
				wait = asked
			}
			if why := sleep(ctx, wait, err); why != nil {
				return resp, why
			}
		}
	}
	return &around{again, func(name string) string { return Unpriced(m, name) }}
}

// An around is a model around others.
type around struct {
	ModelFunc
	unpriced func(name string) string
}

// Unpriced returns which of the models within has no price.
func (a *around) Unpriced(name string) string { return a.unpriced(name) }

func (b Backoff) complete() Backoff {
	or := func(d *time.Duration, otherwise time.Duration) {
		if *d == 0 {
			*d = otherwise
		}
	}
	or(&b.Wait, time.Second/2)
	or(&b.MaxWait, 8*time.Second)
	or(&b.Patience, time.Minute)
	if b.Attempts == 0 {
		b.Attempts = 3
	}
	if b.Factor == 0 {
		b.Factor = 2
	}
	return b
}

// wait returns the wait after the given number of calls. jitter is from 0 to 1.
func (b Backoff) wait(tries int, jitter float64) time.Duration {
	most := min(float64(b.Wait)*math.Pow(b.Factor, float64(tries-1)), float64(b.MaxWait))
	if !(most >= 1) {
		return 0
	}
	return time.Duration(most/2 + jitter*most/2)
}

// An ear is between a model and a stream, and records whether anything was streamed. Without a
// stream it is nil.
type ear struct {
	stream func(Delta)
	heard  bool
}

// listen returns what a model streams to instead of stream.
func listen(stream func(Delta)) (*ear, func(Delta)) {
	if stream == nil {
		return nil, nil
	}
	e := &ear{stream: stream}
	return e, e.hear
}

func (e *ear) hear(d Delta) {
	e.heard = true
	e.stream(d)
}

// streamed reports whether anything was.
func (e *ear) streamed() bool { return e != nil && e.heard }

// A Caller calls the models of Retry and Fallback. The Caller of a run counts each call, keeps it within
// the budget, and reports it.
type Caller interface {
	Call(ctx context.Context, m Model, req *Request, stream func(Delta)) (*Response, error)
}

// A Versioned is a Caller that has the version of the prompt which the calls are made for.
type Versioned interface {
	// PromptVersion returns a hash of what the author of the prompt wrote. It is empty if no author did, or once the model has
	// answered.
	PromptVersion() string
}

// CallerKey is the key of the Caller in the context of a model that a run asks. A model of your own
// that makes several calls for one answer can call through it too.
type CallerKey struct{}

func call(ctx context.Context, m Model, req *Request, stream func(Delta)) (*Response, error) {
	if c, ok := ctx.Value(CallerKey{}).(Caller); ok {
		return c.Call(ctx, m, req, stream)
	}
	return m.Generate(ctx, req, stream)
}

// A Waiter waits between two calls of a model. The Waiter of a run sees when the run is to stop.
type Waiter interface {
	// Wait waits for d, and returns nil. Where no further call may be made it returns immediately: err,
	// the error of the last call, or an error that wraps it.
	Wait(ctx context.Context, d time.Duration, err error) error
}

// WaiterKey is the key of the Waiter in the context of a run.
type WaiterKey struct{}

// A pacer is the Waiter of a run: it has the clock of the run, and jitter that is the same when a step is executed again.
type pacer interface {
	Waiter
	Now() time.Time
	Jitter(ctx context.Context, tries int) float64 // from 0 to 1
}

// jitter returns the jitter of a wait, from 0 to 1.
func jitter(ctx context.Context, tries int) float64 {
	if p, ok := ctx.Value(WaiterKey{}).(pacer); ok {
		return p.Jitter(ctx, tries)
	}
	return rand.Float64()
}

// until returns how long it is until a time.
func until(ctx context.Context, t time.Time) time.Duration {
	if p, ok := ctx.Value(WaiterKey{}).(pacer); ok {
		return t.Sub(p.Now())
	}
	return time.Until(t)
}

// sleep waits after a call with an error. It returns nil if another call may follow, else the error
// to return. It does not wait if the context is known to end before.
func sleep(ctx context.Context, wait time.Duration, err error) error {
	if deadline, ok := ctx.Deadline(); ok && until(ctx, deadline) <= wait || ctx.Err() != nil {
		return err
	}
	if w, ok := ctx.Value(WaiterKey{}).(Waiter); ok {
		return w.Wait(ctx, wait, err)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		if ctx.Err() == nil {
			return nil
		}
	case <-ctx.Done():
	}
	return err
}

// Fallback returns a model that calls the models in order until one answers. It continues with
// the next after errors that the next one may not have: transient ones, and a ModelError of kind
// ContextTooLong, BadRequest (another provider may know the model, have a key, or take the
// parameter) or Malformed. One of kind Refused ends the search, because it is an answer: to ask another model
// after a refusal, add an edge to the graph. A streamed piece of the answer, the end of the context
// and a stop of the run end it too. If more than one model was called and none answers, the error
// is a *FallbackError.
//
// Each call begins with the first. A request's Model, and the Opaque parts of its
// conversation, belong to the first one. The others do not receive them, and the Opaque parts
// of their answers are left out.
func Fallback(models ...Model) Model {
	chain := func(ctx context.Context, req *Request, stream func(Delta)) (*Response, error) {
		heard, stream := listen(stream)
		var last *Response
		var errs []error
		for i, m := range models {
			if i == 1 {
				req = forOthers(req)
			}
			resp, err := call(ctx, m, req, stream)
			if err == nil {
				if i > 0 {
					resp = ofOthers(resp)
				}
				return resp, nil
			}
			last, errs = resp, append(errs, err)
			if heard.streamed() || ctx.Err() != nil || !anotherMay(err) {
				break
			}
			if why := sleep(ctx, 0, err); why != nil {
				errs[i] = why
				break
			}
		}
		if len(errs) == 1 {
			return last, errs[0]
		}
		return last, &FallbackError{errs}
	}
	return &around{chain, func(name string) string {
		for i, m := range models {
			if missing := Unpriced(m, name); missing != "" {
				return missing + " at place " + strconv.Itoa(i+1) + " of a fallback"
			}
			name = "" // which is the first one's
		}
		return ""
	}}
}

// A FallbackError reports that no model of a Fallback answered.
type FallbackError struct {
	Errs []error // in the order in which they were called
}

func (e *FallbackError) Error() string {
	if len(e.Errs) == 0 {
		return "there is no model to call"
	}
	var b strings.Builder
	b.WriteString("no model answered")
	for i, err := range e.Errs {
		b.WriteString(", " + strconv.Itoa(i+1) + ": " + err.Error())
	}
	return b.String()
}

// Unwrap returns the errors of the models.
func (e *FallbackError) Unwrap() []error { return e.Errs }

// anotherMay reports whether another model may answer what one has failed to.
func anotherMay(err error) bool {
	return !IsKind(err, Refused) && (IsKind(err, ContextTooLong) || IsKind(err, BadRequest) || IsKind(err, Malformed) || errtree.Transient(err))
}

// forOthers returns the request without what only the provider understands that it was
// made for.
func forOthers(req *Request) *Request {
	other := *req
	other.Model = ""
	for i := range req.Messages {
		if !req.Messages[i].Opaque() {
			continue
		}
		if &other.Messages[0] == &req.Messages[0] {
			other.Messages = slices.Clone(req.Messages)
		}
		other.Messages[i] = req.Messages[i].Plain()
	}
	return &other
}

// ofOthers is forOthers of an answer.
func ofOthers(resp *Response) *Response {
	if resp == nil || !resp.Message.Opaque() {
		return resp
	}
	other := *resp
	other.Message = resp.Message.Plain()
	return &other
}
