package pipeline

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/internal/incomparable"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A wire carries the calls of models, for one answer after another. It counts the calls, keeps them
// within the budget of the run and reports them. Once a model has its line, the lock of that line is the wire's.
type wire struct {
	run      *engine.Run    // of the last answer
	resp     *chat.Response // the answer of the call under way, of which it is not known yet whether models around it take it
	open     bool           // a call is under way
	replaced bool           // options of the run replace texts of the prompt
	attempt  int32
	call     int32      // the number of the last call; 0: it has none
	saved    bool       // the call that is under way is none: its answer is that of another process, which reported it
	ended    int        // how many calls have ended
	used     chat.Usage // by them
	start    time.Time
	purpose  chat.Purpose
	asked    string // the model that the request names

	version string // of the prompt; empty: the request has no text of an author
	counted int    // 1 + the number of the run's count of its calls; 0: there was none since the prompt was written

	exchange origin.Exchange // of a run that reports exchanges

	first line
	lines []line // those of a tool loop, which are allocated together
}

// A line is the context of one model that is to answer a request. chat.Retry and chat.Fallback call
// their models through it, whatever models are around them.
//
// It is shut once the model has answered: what a goroutine of the model sends or calls later is
// neither passed on nor counted. So no line serves two answers.
type line struct {
	_ incomparable.Struct

	Context context.Context
	mu      sync.Mutex
	wire    *wire // nil: the line is shut
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

// PromptVersion returns the version of the prompt that is answered; empty: the line is shut.
func (l *line) PromptVersion() (version string) {
	l.mu.Lock()
	if l.wire != nil {
		version = l.wire.version
	}
	l.mu.Unlock()
	return version
}

// newLine returns the line of the next answer.
func (w *wire) newLine(ctx context.Context) *line {
	const together = 10
	l := &w.first
	if l.Context != nil {
		n := len(w.lines)
		if n == cap(w.lines) {
			w.lines, n = make([]line, 0, together), 0
		}
		w.lines = w.lines[:n+1]
		l = &w.lines[n]
	}
	l.Context, l.wire = ctx, w
	return l
}

// under sets the version of the prompt of the next requests.
func (w *wire) under(version string, replaced bool) {
	w.version, w.replaced, w.counted = version, replaced, 0
}

// generate has a model answer a request, on a line of its own.
func (w *wire) generate(ctx context.Context, run *engine.Run, model chat.Model, req *chat.Request, streams bool) (resp *chat.Response, err error) {
	if w.run != run {
		w.run, w.counted = run, 0
	}
	w.resp, w.open, w.attempt = nil, false, 0
	l := w.newLine(ctx)
	var stream func(chat.Delta)
	if streams && run.Observed() {
		stream = l.pass
	}
	wraps := len(run.Settings().ModelWrappers) > 0
	if !wraps {
		w.saved = isSaved(run)
		if err := w.begin(req); err != nil {
			return nil, err
		}
	}
	defer func() {
		run.Caught(recover(), &err)
		if wraps {
			l.shut(nil, nil) // a wrapper has not waited for the call
		} else {
			l.shut(resp, err)
		}
	}()
	if !wraps {
		return l.send(l, run, model, req, stream)
	}
	return callModel(l, run.Settings().WrapModel(chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		return l.wrapped(ctx, run, model, req, stream)
	})), req, stream)
}

// callModel calls a model, whose error may be of foreign code.
func callModel(ctx context.Context, m chat.Model, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	resp, err := m.Generate(ctx, req, stream)
	return resp, errtree.Sound(err)
}

// shut ends the call that is under way, if there is one, and shuts the line.
func (l *line) shut(resp *chat.Response, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wire.end(resp, err)
	l.wire = nil
}

// wrapped calls the model of the node within wrappers.
func (l *line) wrapped(ctx context.Context, run *engine.Run, m chat.Model, req *chat.Request, stream func(chat.Delta)) (resp *chat.Response, err error) {
	if err := l.begins(req, isSaved(run)); err != nil {
		return nil, err
	}
	defer func() {
		run.Caught(recover(), &err)
		l.ends(resp, err)
	}()
	return l.send(ctx, run, m, req, stream)
}

// isSaved reports whether the answer of the next call is saved in the run's thread.
func isSaved(run *engine.Run) bool {
	t := run.Thread()
	return t != nil && t.Saved(run)
}

// send calls the model of the node, or repeats its answer.
func (l *line) send(ctx context.Context, run *engine.Run, m chat.Model, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	if t := run.Thread(); t != nil {
		return t.Model(ctx, run, l, func() (*chat.Response, error) { return callModel(ctx, m, req, stream) })
	}
	return callModel(ctx, m, req, stream)
}

// Calls implements engine.Counter.
func (l *line) Calls() (n int, used chat.Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.wire
	if w == nil {
		return 0, used
	}
	if n = w.ended; w.open {
		n++
	}
	return n, w.used
}

// Repeat implements engine.Counter.
func (l *line) Repeat(n int, used chat.Usage) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for ; n > 0 && l.wire != nil; n-- {
		if err := l.wire.run.Agent().ReserveCall(); err != nil {
			return err
		}
		l.wire.counts(&used)
		used = chat.Usage{}
	}
	return nil
}

// Number implements engine.Counter.
func (l *line) Number() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wire == nil {
		return 0
	}
	return int(l.wire.call)
}

// Numbered implements engine.Counter.
func (l *line) Numbered(number int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wire != nil {
		l.wire.call = int32(number)
	}
}

// Call calls a model within another one. The first of these calls is that of the outer model.
func (l *line) Call(ctx context.Context, m chat.Model, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	if err := l.begins(req, false); err != nil {
		return nil, err
	}
	resp, err := callModel(ctx, m, req, stream)
	if err != nil {
		l.ends(resp, err)
	} else {
		l.answers(resp)
	}
	return resp, err
}

// begins begins a call, unless one is under way that has no answer yet, or the line is shut.
func (l *line) begins(req *chat.Request, saved bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wire == nil {
		return nil
	}
	l.wire.saved = saved
	return l.wire.begin(req)
}

// answers keeps the answer of the call that is under way, unless the line is shut.
func (l *line) answers(resp *chat.Response) {
	l.mu.Lock()
	if w := l.wire; w != nil && w.open {
		w.resp = resp
	}
	l.mu.Unlock()
}

// ends ends the call that is under way, unless the line is shut.
func (l *line) ends(resp *chat.Response, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wire != nil {
		l.wire.end(resp, err)
	}
}

// pass passes on a piece of the answer, unless the line is shut.
func (l *line) pass(d chat.Delta) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wire != nil {
		l.wire.run.Streams(int(l.wire.call), d)
	}
}

// begin begins a call, unless one is under way that has no answer yet.
func (w *wire) begin(req *chat.Request) error {
	if w.open {
		if w.resp == nil {
			return nil
		}
		w.end(w.resp, nil)
	}
	if err := w.run.Agent().ReserveCall(); err != nil {
		return err
	}
	if w.open = true; w.purpose != req.Purpose {
		w.purpose, w.counted = req.Purpose, 0
	}
	if w.run.Agent().IsTimed() {
		w.start, w.asked = w.run.Now(), req.Model
		w.attempt++
	}
	if !w.saved {
		w.call = int32(w.run.Agent().NextCall())
	}
	if w.run.Observed() && !w.saved {
		m := &graphgen.ModelEvent{Call: int(w.call), Name: req.Model, Purpose: w.purpose, Prompt: w.version, Attempt: int(w.attempt)}
		if keeps := w.run.Settings().Exchanges(); keeps != nil {
			if w.exchange == nil {
				w.exchange = keeps()
			}
			var sent *chat.Request
			sent, m.Continues, m.Same = w.exchange.Sends(m.Call, req)
			m.Origin = origin.To(sent)
		}
		w.run.Emit(graphgen.Event{Kind: graphgen.ModelStart, Time: w.start, Details: origin.Details{More: m}})
	}
	return nil
}

// end ends the call that is under way, if there is one, and counts what it used.
func (w *wire) end(resp *chat.Response, err error) {
	if !w.open {
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
	w.counts(&used)
	if w.run.Agent().IsTimed() {
		w.reports(resp, &used, err)
	}
}

// counts counts a call.
func (w *wire) counts(used *chat.Usage) {
	w.run.Agent().CountCall(used)
	w.ended, w.used = w.ended+1, w.used.Add(*used)
	switch {
	case w.counted > 0:
		w.run.Agent().CountPromptAgain(w.counted - 1)
	case w.version != "":
		w.counted = 1 + w.run.Agent().CountPrompt(w.purpose, w.version, w.replaced)
	}
}

// reports reports the end of a call.
func (w *wire) reports(resp *chat.Response, used *chat.Usage, err error) {
	now := w.run.Now()
	m := &graphgen.ModelEvent{
		Call: int(w.call), Purpose: w.purpose, Prompt: w.version, Attempt: int(w.attempt), Usage: *used, Latency: now.Sub(w.start),
	}
	if resp != nil {
		m.Name, m.ID, m.Finish = resp.Model, resp.ID, resp.Finish
	}
	if w.run.Keeps() {
		w.run.Agent().DetailCall(&graphgen.ModelCall{
			Attempt: m.Attempt, Model: cmp.Or(m.Name, w.asked), Purpose: m.Purpose, Prompt: m.Prompt, Finish: m.Finish,
			Usage: m.Usage, Latency: m.Latency, Err: err,
		})
	}
	if w.saved {
		return
	}
	if resp != nil && w.run.Settings().Exchanges() != nil {
		m.Origin = origin.To(resp)
	}
	w.run.Emit(graphgen.Event{Kind: graphgen.ModelEnd, Time: now, Err: err, Details: origin.Details{More: m}})
}
