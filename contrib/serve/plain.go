package serve

import (
	"cmp"
	"context"
	"net/http"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/feed"
	"github.com/graphgen/graphgen/internal/members"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/durable"
)

// runPlain makes a run that is in no thread. It ends when its client goes.
func (c *call) runPlain() error {
	if c.graph.plain == nil {
		return &Problem{Status: http.StatusNotFound, Code: "durable", Detail: "Runs of this graph are in threads: use the path threads."}
	}
	given, err := c.object()
	if err != nil {
		return err
	}
	if given["input"] == nil {
		return &Problem{Status: http.StatusUnprocessableEntity, Code: "invalid", Field: "input", Detail: "The input is missing."}
	}
	p, err := c.graph.plain.begin(c.access.Caller, given["input"], false)
	if err != nil {
		return err
	}
	ctx, end, err := c.plainContext(p)
	if err != nil {
		return err
	}
	defer end()
	if how, _ := answering(c.r); how == answerEvents {
		return c.streamPlain(ctx, p)
	}
	out, err := p.run(ctx)
	status, problem := c.statusOf(err)
	if problem != nil && (!is[*graphgen.RunError](err) || is[*graphgen.InputError](err)) {
		return problem
	}
	if status == statusHandedOn { // no other process continues it
		return ErrDrained
	}
	return c.object200(http.StatusOK, func(e *codec.Encoder) { c.writeEnd(e, status, out, err, problem) })
}

// plainContext returns the context of a run that is in no thread, which takes a slot and uses the account of its tenant. The function returned gives them
// back.
func (c *call) plainContext(p *plainRun) (_ context.Context, _ func(), err error) {
	if p.account, err = c.account(); err != nil {
		return nil, nil, err
	}
	if !c.h.takePlain() {
		p.account.leave()
		return nil, nil, ErrDrained
	}
	if !c.h.runs.slots.take(c.access.Tenant) {
		p.account.leave()
		c.h.working.Done()
		return nil, nil, busy("Too many runs work at the moment.")
	}
	ctx, cancel := context.WithCancelCause(c.r.Context())
	unlink := context.AfterFunc(c.h.life, func() { cancel(context.Cause(c.h.life)) })
	return ctx, func() {
		unlink()
		cancel(nil)
		p.account.end()
		c.h.runs.slots.give(c.access.Tenant)
		c.h.working.Done()
	}, nil
}

// takePlain notes that a run works, unless the handler drains.
func (h *Handler) takePlain() bool {
	h.runs.mu.Lock()
	defer h.runs.mu.Unlock()
	if h.runs.closed {
		return false
	}
	h.working.Add(1)
	return true
}

// streamPlain sends the events of a run, and its end.
func (c *call) streamPlain(ctx context.Context, p *plainRun) error {
	give, err := c.takeStream()
	if err != nil {
		return err
	}
	defer give()
	s, end := c.newStream()
	defer end()
	to := c.ownEvents(s, followed{})
	events, output := p.stream(ctx)
	for e := range events {
		if err := cmp.Or(to.live(durable.Watched{Live: &e, Forms: new(feed.Forms)}), to.rest()); err != nil {
			return err
		}
	}
	out, err := output()
	status, problem := c.statusOf(err)
	return s.send("", "end", func(e *codec.Encoder) {
		if status == statusHandedOn {
			status = statusStopped
		}
		members.Text("status", status, e)
		c.writeEnd(e, "", out, err, problem)
	})
}
