package pipeline

import (
	"cmp"
	"context"
	"sync"
	"time"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/detail"
	"github.com/graphgen/graphgen/runtime/internal/engine"
	"github.com/graphgen/graphgen/runtime/internal/incomparable"
)

// A wire carries the calls of models, for one answer after another. It counts the calls, keeps them
// within the budget of the run and reports them.
type wire struct {
	mu       sync.Mutex // of what follows, but the lines
	run      *engine.Run
	line     *line // of the model that is to answer; nil: there is none
	stream   func(chat.Delta)
	resp     *chat.Response // the answer of the call under way, of which it is not known yet whether models around it take it
	open     bool           // a call is under way
	replaced bool           // options of the run replace texts of the prompt
	attempt  int32
	start    time.Time
	purpose  chat.Purpose
	asked    string // the model that the request names

	version string // of the prompt; empty: the request has no text of an author
	counted int    // 1 + the number of the run's count of its calls; 0: there was none since the prompt was written

	first line
	spare []line
}

// A line is the context of one model that is to answer a request. chat.Retry and chat.Fallback call
// their models through it, whatever models are around them.
//
// It is shut once the model has answered: what a goroutine of the model sends or calls later is
// neither passed on nor counted. So no line serves two answers.
type line struct {
	_ incomparable.Struct

	Context context.Context
	wire    *wire
}

func (l *line) Deadline() (time.Time, bool) { return l.Context.Deadline() }
func (l *line) Done() <-chan struct{}       { return l.Context.Done() }
func (l *line) Err() error                  { return l.Context.Err() }

// Value returns the line as the caller of models.
func (l *line) Value(key any) any {
	if key == (chat.CallerKey{}) {
		return l
	}
	return l.Context.Value(key)
}

// PromptVersion returns the version of the prompt that is answered.
func (l *line) PromptVersion() string {
	w := l.wire
	w.mu.Lock()
	version := w.version
	w.mu.Unlock()
	return version
}

// newLine returns a line. Those of a tool loop are allocated together.
func (w *wire) newLine(ctx context.Context) *line {
	const together = 10
	l := &w.first
	if l.wire != nil {
		if len(w.spare) == 0 {
			w.spare = make([]line, together)
		}
		l, w.spare = &w.spare[0], w.spare[1:]
	}
	l.Context, l.wire = ctx, w
	return l
}

// under sets the version of the prompt of the next requests.
func (w *wire) under(version string, replaced bool) {
	w.mu.Lock()
	w.version, w.replaced, w.counted = version, replaced, 0
	w.mu.Unlock()
}

// generate has a model answer a request, on a line of its own.
func (w *wire) generate(ctx context.Context, run *engine.Run, model chat.Model, req *chat.Request, stream func(chat.Delta)) (resp *chat.Response, err error) {
	l := w.newLine(ctx)
	if err := w.connect(l, run, req, stream); err != nil {
		return nil, err
	}
	wraps := run.WrapsModels()
	defer func() {
		panicked := recover()
		w.mu.Lock()
		defer w.mu.Unlock()
		if run.Caught(panicked, &err); wraps {
			w.end(l, nil, nil) // a wrapper has not waited for the call
		} else {
			w.end(l, resp, err)
		}
		w.line, w.stream = nil, nil
	}()
	if stream != nil {
		stream = l.pass
	}
	if !wraps {
		return l.send(l, model, req, stream)
	}
	return run.WrapModel(chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		return l.wrapped(ctx, model, req, stream)
	})).Generate(l, req, stream)
}

// connect makes l the line of the next answer. It begins the call of the model unless wrappers are to do that.
func (w *wire) connect(l *line, run *engine.Run, req *chat.Request, stream func(chat.Delta)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.run != run {
		w.counted = 0
	}
	w.run, w.line, w.stream, w.resp, w.open, w.attempt = run, l, stream, nil, false, 0
	if run.WrapsModels() {
		return nil
	}
	return w.begin(l, req)
}

// wrapped calls the model of the node within wrappers.
func (l *line) wrapped(ctx context.Context, m chat.Model, req *chat.Request, stream func(chat.Delta)) (resp *chat.Response, err error) {
	w := l.wire
	if err := w.begins(l, req); err != nil {
		return nil, err
	}
	defer func() {
		panicked := recover()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.run.Caught(panicked, &err)
		w.end(l, resp, err)
	}()
	return l.send(ctx, m, req, stream)
}

// send calls the model of the node, or repeats its answer.
func (l *line) send(ctx context.Context, m chat.Model, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	run := l.wire.run
	if t := run.Thread(); t != nil {
		return t.Model(ctx, run, func() (*chat.Response, error) { return m.Generate(ctx, req, stream) })
	}
	return m.Generate(ctx, req, stream)
}

// Call calls a model within another one. The first of these calls is that of the outer model.
func (l *line) Call(ctx context.Context, m chat.Model, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	w := l.wire
	if err := w.begins(l, req); err != nil {
		return nil, err
	}
	resp, err := m.Generate(ctx, req, stream)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.end(l, resp, err)
	} else if w.line == l && w.open {
		w.resp = resp
	}
	return resp, err
}

// begins is begin for who does not hold the lock.
func (w *wire) begins(l *line, req *chat.Request) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.begin(l, req)
}

// begin begins a call, unless one is under way that has no answer yet.
func (w *wire) begin(l *line, req *chat.Request) error {
	if w.line != l || w.open && w.resp == nil {
		return nil
	}
	if w.open {
		w.end(l, w.resp, nil)
	}
	if err := w.run.Asking(); err != nil {
		return err
	}
	if w.open = true; w.purpose != req.Purpose {
		w.purpose, w.counted = req.Purpose, 0
	}
	if w.run.Timed() {
		w.start, w.asked = time.Now(), req.Model
		w.attempt++
	}
	if w.run.Observed() {
		w.run.Emit(graphrt.Event{Kind: graphrt.ModelStart, Time: w.start, Call: &graphrt.Call{Name: req.Model, Purpose: w.purpose, Prompt: w.version, Attempt: int(w.attempt)}})
	}
	return nil
}

// end ends the call that is under way, if there is one, and counts what it used.
func (w *wire) end(l *line, resp *chat.Response, err error) {
	if w.line != l || !w.open {
		return
	}
	if resp == nil {
		resp = w.resp
	}
	w.open, w.resp = false, nil
	var used chat.Usage
	if resp != nil {
		used = resp.Usage
	}
	w.run.Asked(&used)
	switch {
	case w.counted > 0:
		w.run.AskedAgain(w.counted - 1)
	case w.version != "":
		w.counted = 1 + w.run.AskedBy(w.purpose, w.version, w.replaced)
	}
	if w.run.Timed() {
		w.ended(resp, &used, err)
	}
}

// ended reports the end of a call.
func (w *wire) ended(resp *chat.Response, used *chat.Usage, err error) {
	now := time.Now()
	c := &graphrt.Call{Purpose: w.purpose, Prompt: w.version, Attempt: int(w.attempt), Usage: *used, Latency: now.Sub(w.start)}
	if resp != nil {
		c.Name, c.ID, c.Finish = resp.Model, resp.ID, resp.Finish
	}
	if w.run.Keeps() {
		w.run.Modelled(&detail.Call{
			Attempt: c.Attempt, Model: cmp.Or(c.Name, w.asked), Purpose: c.Purpose, Prompt: c.Prompt, Finish: c.Finish, Usage: c.Usage, Latency: c.Latency, Err: err,
		})
	}
	w.run.Emit(graphrt.Event{Kind: graphrt.ModelEnd, Time: now, Call: c, Err: err})
}

// pass passes on a piece of the answer.
func (l *line) pass(d chat.Delta) {
	w := l.wire
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.line == l {
		w.stream(d)
	}
}
