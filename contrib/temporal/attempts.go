package temporal

import (
	"context"
	"errors"
	"sync"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

// A model may call others several times for one answer, as chat.Retry and chat.Fallback do. One activity makes these calls, as far as the budgets of the
// run have them, and returns them with the answer. The workflow then makes them again for the run, which counts and reports each.

// tries are the calls of models that an activity has made for one answer, where it has made several.
type tries struct {
	Ended []try `json:"ended"`
	Open  bool  `json:"open,omitempty"`  // the answer is that of a further call
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
	if c.open && err != nil {
		c.closes(resp, err)
	}
	t := &tries{Ended: c.try, Open: c.open, Spent: errors.Is(err, errSpent)}
	if len(c.try) == 0 || len(c.try) == 1 && c.try[0].Answer == nil && !t.Open && !t.Spent && err != nil {
		return nil
	}
	return t
}

// A triedError is the error of a model after several calls.
type triedError struct {
	error
	tries *tries
}

func (e *triedError) Unwrap() error { return e.error }

// counted makes the calls again that an activity has made for an answer or an error, and returns that. Where the budgets had no further call, the run
// decides whether it has one now.
func (m *distantModel) counted(ctx context.Context, req *chat.Request, t *tries, resp *chat.Response, err error) (*chat.Response, error) {
	by, ok := ctx.Value(chat.CallerKey{}).(chat.Caller)
	if t == nil || !ok {
		return resp, err
	}
	for i := range t.Ended {
		if refused := t.Ended[i].again(ctx, by, req); refused != nil {
			return nil, refused
		}
	}
	switch {
	case t.Spent && err != nil:
		return by.Call(ctx, m, req, nil)
	case t.Open:
		return by.Call(ctx, chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) { return resp, err }), req, nil)
	}
	return resp, err
}

// again makes the call again for a run. It returns the error of the run that does not take it.
func (t *try) again(ctx context.Context, by chat.Caller, req *chat.Request) (refused error) {
	begun := false
	_, err := by.Call(ctx, chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (resp *chat.Response, err error) {
		if begun = true; t.Answer != nil {
			resp, err = t.Answer.response()
		}
		if t.Failure != nil {
			err = t.Failure.error()
		}
		return resp, err
	}), req, nil)
	if begun {
		return nil
	}
	return err
}
