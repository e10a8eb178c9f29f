package serve

import (
	"context"
	"net/http"
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/durable"
)

// A Beginning is what begins a run.
type Beginning struct {
	Thread       string        // its name; empty: a new one. Of a graph that is not durable there is none
	Conversation *Conversation // what the input is made of; nil: Input
	Input        []byte        // in JSON, as a client gives it
	Stream       bool          // the client is sent its events
	Leave        bool          // the run is stopped when its client goes
	Passing      bool          // the thread is deleted when the call ends; TakeOut takes it out of the store before
	Multitask    string        // what happens while the thread has another run: enqueue, interrupt or rollback; empty: the call is refused
}

// Start begins a run of the graph that is open. A header Idempotency-Key names it.
func (c *Call) Start(s Beginning) (*Exchange, error) {
	g, given := c.call.graph, false
	if s.Conversation != nil {
		in, err := g.inputOf(c.call.access.Caller, *s.Conversation)
		if err != nil {
			return nil, err
		}
		s.Input, given = in, g.given
	}
	c.call.order = c.orderOf(s.Stream, s.Leave)
	c.call.order.passing = s.Passing
	if s.Multitask != "" {
		c.call.order.multi = s.Multitask
	}
	if g.durable == nil {
		return c.startPlain(&s, given)
	}
	if err := c.call.nameRun(c.call.order, s.Thread); err != nil {
		return nil, err
	}
	var err error
	c.call.order.begin, err = g.durable.start(c.call.access.Caller, c.call.name, c.call.order, s.Input, given)
	if err == nil {
		err = c.may(Start)
	}
	if err == nil {
		err = c.call.mayStart()
	}
	if err != nil {
		return nil, err
	}
	if s.Passing {
		if c.call.order.runID != "" {
			return nil, &Problem{
				Status: http.StatusBadRequest, Code: "key", Field: "Idempotency-Key", Detail: "This server does not keep runs: it cannot know a key again.",
			}
		}
		c.forgets()
	}
	return c.begun()
}

// Repeats reports whether the thread that is open has the run of the request's Idempotency-Key: Start gives this run again.
func (c *Call) Repeats() (bool, error) {
	o := new(order)
	if err := c.call.nameRun(o, c.call.access.Thread); err != nil || o.runID == "" {
		return false, err
	}
	at, err := c.call.placeOf(o.runID)
	return at.begin > 0, err
}

// orderOf returns how a run is begun.
func (c *Call) orderOf(stream, leave bool) *order {
	o := &order{answered: answerNow, onGone: goneContinue, multi: multiReject}
	if stream {
		o.answered = answerEvents
	}
	if leave {
		o.onGone = goneCancel
	}
	return o
}

// begun begins the run of the order.
func (c *Call) begun() (*Exchange, error) {
	if err := c.watches(); err != nil {
		return nil, err
	}
	begin := c.call.begun
	if c.call.order.multi != multiReject {
		begin = c.call.begunNext
	}
	r, err := begin()
	at, err := c.call.elsewhere(err)
	if at > 0 {
		return &Exchange{of: c, followed: followed{id: c.call.order.runID, from: at}, after: at - 1}, nil
	}
	if err != nil {
		return nil, err
	}
	c.ends = append(c.ends, r.watch)
	return &Exchange{of: c, followed: r.followed(), after: uint64(max(0, r.after.Load()))}, nil
}

// watches takes the slot of a stream, or of a request that waits, until the call ends.
func (c *Call) watches() error {
	give, err := c.call.takeStream()
	if err == nil {
		c.ends = append(c.ends, give)
	}
	return err
}

// startPlain begins a run that is in no thread. It ends with the call.
func (c *Call) startPlain(s *Beginning, given bool) (*Exchange, error) {
	p, err := c.call.graph.plain.begin(c.call.access.Caller, s.Input, given)
	if err != nil {
		return nil, err
	}
	if err := c.may(Run); err != nil {
		return nil, err
	}
	if s.Stream {
		if err := c.watches(); err != nil {
			return nil, err
		}
	}
	ctx, end, err := c.call.plainContext(p)
	if err != nil {
		return nil, err
	}
	c.ends = append(c.ends, end)
	return &Exchange{of: c, plain: p, ctx: ctx}, nil
}

// A Reply is an answer to a request of a thread.
type Reply struct {
	Request string // its ID
	JSON    []byte
}

// Answer answers requests of the thread that is open, one after the other, and continues its run. If one of them is not open, or an
// answer is not valid, none is answered.
func (c *Call) Answer(replies []Reply, stream, leave bool) (*Exchange, error) {
	requests, err := c.Requests()
	if err != nil {
		return nil, err
	}
	if len(replies) == 0 {
		return nil, &Problem{Status: http.StatusUnprocessableEntity, Code: "invalid", Field: "answer", Detail: "There is no answer."}
	}
	var turns []beginning
	seen := map[string]bool{}
	for _, r := range replies {
		open := slices.ContainsFunc(requests, func(q graphgen.Request) bool { return q.ID == r.Request })
		if !open || seen[r.Request] {
			return nil, &Problem{Status: http.StatusConflict, Code: "closed", Detail: "No open request has that ID."}
		}
		seen[r.Request] = true
		turns = append(turns, c.call.graph.durable.resume(c.call.name, r.Request, r.JSON, c.call.access.Name))
	}
	if len(replies) > 1 {
		if err := c.call.graph.durable.fits(c.call.r.Context(), c.call.name, replies); err != nil {
			return nil, err
		}
	}
	c.call.order = c.orderOf(stream, leave)
	c.call.order.begin = inTurn(turns, func() func() { return c.call.graph.durable.works(c.call.name) })
	return c.begun()
}

// inTurn returns what continues a run by several answers, as long as it waits for the next one. A stream of the run has no pauses between them.
func inTurn(turns []beginning, works func() func()) beginning {
	return func(ctx context.Context, events graphgen.Option) (out []byte, err error) {
		defer works()()
		for i, turn := range turns {
			if out, err = turn(ctx, events); i+1 < len(turns) && graphgen.AsPause(err) == nil {
				break
			}
		}
		return out, err
	}
}

// Join follows the run of the thread that is open, from its step in progress on.
func (c *Call) Join() (*Exchange, error) {
	if err := c.may(Watch); err != nil {
		return nil, err
	}
	if err := c.watches(); err != nil {
		return nil, err
	}
	of, err := c.last()
	if err != nil {
		return nil, err
	}
	return &Exchange{of: c, followed: of, after: c.call.head.Seq}, nil
}

// last returns the run that was the last one of the thread when the call asked first.
func (c *Call) last() (followed, error) {
	if c.call.last.id != "" {
		return c.call.last, nil
	}
	s, err := durable.StateAt(c.call.r.Context(), c.call.graph.durable.store(), c.call.name, 0)
	if err == nil {
		c.call.last = followed{id: s.Run, from: s.Seq}
	}
	return c.call.last, err
}
