package pipeline

import (
	"context"
	"sync"
	"time"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat"
)

// A wire is the context of a model that is to answer a request. It counts the calls that go over the
// wire, keeps them within the budget of the run and reports them. chat.Retry and chat.Fallback call
// their models through it, whatever models are around them.
//
// It is shut once the model has answered: what a goroutine of the model sends or calls later is
// neither passed on nor counted.
type wire struct {
	context.Context
	run *graphrt.Run

	mu      sync.Mutex
	stream  func(chat.Delta)
	closed  bool
	open    bool           // a call is under way
	said    *chat.Response // its answer, of which it is not known yet whether models around it take it
	attempt int
	start   time.Time
	purpose chat.Purpose
}

// Value returns the wire as the caller of models.
func (w *wire) Value(key any) any {
	if key == (chat.CallerKey{}) {
		return w
	}
	return w.Context.Value(key)
}

// outermost calls the model of the node.
func (w *wire) outermost(ctx context.Context, m chat.Model, req *chat.Request, stream func(chat.Delta)) (said *chat.Response, err error) {
	if err := w.begin(req); err != nil {
		return nil, err
	}
	defer func() {
		w.run.Caught(recover(), &err)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.end(said, err)
	}()
	return m.Generate(ctx, req, stream)
}

// Call calls a model within another one. The first of these calls is that of the outer model.
func (w *wire) Call(ctx context.Context, m chat.Model, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	if err := w.begin(req); err != nil {
		return nil, err
	}
	said, err := m.Generate(ctx, req, stream)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.end(said, err)
	} else if w.open {
		w.said = said
	}
	return said, err
}

// begin begins a call, unless one is under way that has no answer yet.
func (w *wire) begin(req *chat.Request) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.open && w.said == nil {
		return nil
	}
	w.end(w.said, nil)
	if err := w.run.Asking(); err != nil {
		return err
	}
	w.open, w.purpose = true, req.Purpose
	w.attempt++
	if w.run.Observed() {
		w.start = time.Now()
		w.run.Tell(graphrt.Event{Kind: graphrt.ModelStart, Time: w.start, Call: &graphrt.Call{Name: req.Model, Purpose: w.purpose, Attempt: w.attempt}})
	}
	return nil
}

// end ends the call that is under way, if there is one, and counts what it used.
func (w *wire) end(said *chat.Response, err error) {
	if w.closed || !w.open {
		return
	}
	if said == nil {
		said = w.said
	}
	w.open, w.said = false, nil
	c := graphrt.Call{Purpose: w.purpose, Attempt: w.attempt}
	if said != nil {
		c.Name, c.ID, c.Usage, c.Finish = said.Model, said.ID, said.Usage, said.Finish
	}
	c.Usage = w.run.Asked(c.Usage)
	if w.run.Observed() {
		now := time.Now()
		c.Latency = now.Sub(w.start)
		w.run.Tell(graphrt.Event{Kind: graphrt.ModelEnd, Time: now, Call: &c, Err: err})
	}
}

// pass passes on a piece of the answer.
func (w *wire) pass(d chat.Delta) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.stream(d)
	}
}

func (w *wire) shut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end(nil, nil) // a wrapper has not waited for it
	w.closed = true
}
