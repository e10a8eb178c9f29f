package temporal

import (
	"context"
	"errors"
	"sync"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A model may call others several times for one answer, as chat.Retry and chat.Fallback do. One activity makes these calls, as far as the budgets of the
// run have them, and returns them with the answer. The workflow then makes them again for the run, which counts and reports each.

// tries are the calls of models that an activity has made for one answer, where the answer or the error alone does not say what they were.
type tries struct {
	Ended []try `json:"ended"`
	Open  bool  `json:"open,omitempty"`  // the answer is from a further call
	Spent bool  `json:"spent,omitempty"` // the budgets had no further call
}

// A try is a call that has ended.
type try struct {
	Answer  *responded `json:"answer,omitempty"`
	Failure *failure   `json:"failure,omitempty"`
}

// A tally is the chat.Caller of a model in a worker. A call within another one, as of a chat.Retry in a chat.Fallback, is the same call.
type tally struct {
	left graphgen.Budgets // of the runs

	mu   sync.Mutex     // of what follows
	open bool           // a call is under way
	resp *chat.Response // its answer, of which it is not known yet whether models around it take it
	made int
	used chat.Usage
	try  []try
}

// errSpent is the error of a call that the budgets do not have.
var errSpent = errors.New("the budget of the run has no further call of a model")

// Call calls a model within another one.
func (c *tally) Call(ctx context.Context, m chat.Model, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	if !c.begin() {
		return nil, errSpent
	}
	resp, err := m.Generate(ctx, req, stream)
	c.end(resp, err)
	return resp, err
}

// begin begins a call, unless one is under way that has no answer yet. It reports whether the budgets have it.
func (c *tally) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open && c.resp == nil {
		return true
	}
	if c.open {
		c.closes(c.resp, nil)
	}
	l := &c.left
	if l.ModelCalls != 0 && c.made >= l.ModelCalls || l.Tokens != 0 && c.used.Tokens() >= l.Tokens || l.Cost != 0 && c.used.Cost >= l.Cost {
		return false
	}
	c.open = true
	c.made++
	return true
}

// end ends the call that is under way where it has failed, and keeps its answer otherwise.
func (c *tally) end(resp *chat.Response, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !c.open:
	case err != nil:
		c.closes(resp, err)
	default:
		c.resp = resp
	}
}

// closes ends the call that is under way. An answer that models around it have turned into an error was paid for. The lock is held.
func (c *tally) closes(resp *chat.Response, err error) {
	if resp == nil {
		resp = c.resp
	}
	c.open, c.resp = false, nil
	var t try
	if resp != nil {
		c.used = c.used.Add(resp.Usage)
		r, err := respond(resp)
		if err != nil { // what it has used counts
			r, _ = respond(&chat.Response{Message: chat.Message{Role: chat.RoleAssistant}, Usage: resp.Usage, Model: resp.Model, ID: resp.ID})
		}
		t.Answer = r
	}
	if err != nil {
		t.Failure = failureOf(err)
	}
	c.try = append(c.try, t)
}

// of returns the calls that were made for an answer, or for an error; nil: there was no other than the one that the run has counted.
func (c *tally) of(resp *chat.Response, err error) *tries {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && (c.open || c.made == 0 && resp != nil) { // a model that calls no other is the call itself
		c.closes(resp, err)
	}
	t := &tries{Ended: c.try, Open: c.open, Spent: errors.Is(err, errSpent)}
	if len(c.try) == 0 || len(c.try) == 1 && c.try[0].Answer == nil && !t.Open && !t.Spent && err != nil {
		return nil
	}
	return t
}

// A triedError is the error of a model with the calls that were made for it.
type triedError struct {
	error
	tries *tries
}

func (e *triedError) Unwrap() error { return e.error }

// counted makes the calls again that an activity has made for an answer or an error, and returns that. Where the budgets had no further call, the run
// decides whether it has one now. If calls of other branches have used the budgets meanwhile, counted returns the error of the run that has no call left.
func (m *distantModel) counted(ctx context.Context, req *chat.Request, t *tries, resp *chat.Response, err error) (*chat.Response, error) {
	by, ok := ctx.Value(chat.CallerKey{}).(chat.Caller)
	if t == nil || !ok {
		return resp, err
	}
	again := &repeated{ctx: ctx, by: by, req: req}
	for i := range t.Ended {
		_, _ = again.call(t.Ended[i].ends)
	}
	if t.Open {
		resp, err = again.call(func() (*chat.Response, error) { return resp, err })
	}
	switch {
	case again.refused != nil:
		return nil, again.refused
	case t.Spent && err != nil:
		return by.Call(ctx, m, req, nil)
	}
	return resp, err
}

// ends returns what the call has returned.
func (t *try) ends() (resp *chat.Response, err error) {
	if t.Answer != nil {
		resp, err = t.Answer.response()
	}
	if t.Failure != nil {
		err = t.Failure.error()
	}
	return resp, err
}

// repeated are calls that are made again for a run.
type repeated struct {
	ctx     context.Context
	by      chat.Caller
	req     *chat.Request
	refused error // of the run that does not take a call
}

// call makes a call again, which has returned what ends does. One that the run does not take counts too, as do those that follow: they were paid for.
func (r *repeated) call(ends func() (*chat.Response, error)) (*chat.Response, error) {
	begun := false
	m := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		begun = true
		return ends()
	})
	resp, err := r.by.Call(r.ctx, m, r.req, nil)
	if begun || r.refused != nil {
		return resp, err
	}
	r.refused, r.ctx = err, engine.PaidFor(r.ctx)
	return r.by.Call(r.ctx, m, r.req, nil)
}
