package serve

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// An Exchange is a run that a call of a wire has begun, continues or follows. Events or Wait is called once.
type Exchange struct {
	of *Call
	followed
	after uint64 // the last step that its client has

	plain *plainRun // nil: it is in a thread
	ctx   context.Context
	used  *chat.Usage // of a run that is in no thread
}

// Run returns the ID of the run, as far as it is known: a run that is in no thread has one with its first event.
func (x *Exchange) Run() string {
	c := x.of.call
	if x.run != nil {
		return c.shownRun(x.run.named())
	}
	return c.shownRun(x.id)
}

// An End is how a run has ended, or why a client is sent no more of it.
type End struct {
	Status   string             // completed, paused, stopped, failed, or running where the client has to come again
	Output   []byte             // in JSON, of a run that is complete
	Text     string             // of the output
	Requests []graphgen.Request // that are open, if the caller may see them
	Usage    *chat.Usage        // of models, by the run so far; nil: it is not known, since another call has made it
	Problem  *Problem           // of a run that has failed, or was not continued; nil: none
}

// Events answers with the events of the run, which the listener takes as they come. The header of the answer must be set before.
func (x *Exchange) Events(listener func(*Stream) Listener) error {
	c := x.of.call
	s, end := c.newStream()
	defer end()
	defer s.flush() // what was sent last
	sends := &Stream{s: s, holds: x.plain == nil}
	to := &wireEvents{x: x, Listener: listener(sends), stream: s, show: c.shows(), renames: renames{}}
	if x.plain != nil {
		return x.plainEvents(to)
	}
	if c.h.isDraining() {
		return to.fail(x.handedOn())
	}
	err := c.followTo(s.ctx, to, thread.After{Seq: x.after}, x.followed)
	if x.run != nil {
		c.left(x.run)
	}
	if err == ErrDrained {
		return to.fail(x.handedOn())
	}
	return err
}

// handedOn returns the problem of a run that another process continues. To repeat the request that has begun it would begin another one, unless it has a key.
// No process continues a run whose thread is deleted with the call.
func (x *Exchange) handedOn() *Problem {
	p := drained
	if x.run != nil && x.run.runID == "" && !x.of.passing {
		p.Detail, p.Retry = "The server ends, and another process continues the run.", 0
	}
	return &p
}

// plainEvents is Events of a run that is in no thread. It continues while the handler drains, and ends with its client.
func (x *Exchange) plainEvents(to *wireEvents) error {
	events, output := x.plain.stream(x.ctx)
	for e := range events {
		x.counts(&e)
		if err := to.event(&e); err != nil {
			return err
		}
	}
	return to.ends(x.plainEnd(output()))
}

// counts notes what a run has used that is in no thread.
func (x *Exchange) counts(e *graphgen.Event) {
	if e.Kind == graphgen.RunEnd && e.Run.Within == "" && e.Run.Branch == "" {
		x.used = &e.Report().Usage
	}
}

// plainEnd returns how a run has ended that is in no thread.
func (x *Exchange) plainEnd(out []byte, err error) *End {
	e := x.endOf(out, err)
	switch {
	case e.Status == statusPaused:
		e.Requests = nil
		e.Problem = &Problem{
			Status: http.StatusNotImplemented, Code: "not_durable", Field: "graph",
			Detail: "The run waits for an answer, and its graph is not durable: nothing keeps it.",
		}
	case e.Status == statusHandedOn: // no other process continues it
		e.Problem = &drained
	}
	return e
}

// Wait returns how the run has ended, when it has, or waits for answers.
func (x *Exchange) Wait() (*End, error) {
	c := x.of.call
	if x.plain != nil {
		events, output := x.plain.stream(x.ctx)
		for e := range events {
			x.counts(&e)
		}
		return x.plainEnd(output()), nil
	}
	if x.run == nil {
		return x.waitFor()
	}
	select {
	case <-x.run.done:
		return x.endOf(x.run.out, x.run.err), nil
	case <-c.r.Context().Done():
		c.left(x.run)
		return nil, context.Cause(c.r.Context())
	}
}

// waitFor waits for the end of a run that may be in another process. The drain of this one ends the wait.
func (x *Exchange) waitFor() (end *End, err error) {
	c := x.of.call
	ctx, cancel := context.WithCancelCause(c.r.Context())
	defer cancel(nil)
	go func() {
		select {
		case <-c.h.draining:
			cancel(ErrDrained)
		case <-ctx.Done():
		}
	}()
	to := &wireEvents{x: x, show: c.shows(), renames: renames{}, Listener: Listener{End: func(e *End) error { end = e; return nil }}}
	err = c.followTo(ctx, to, thread.After{Seq: x.after}, x.followed)
	return end, err
}

// endOf returns how a run has ended, by what its call returns.
func (x *Exchange) endOf(out []byte, err error) *End {
	c := x.of.call
	e := &End{Output: c.shownOutput(out), Usage: x.used}
	if x.run != nil {
		e.Usage = x.run.used.Load()
	}
	if e.Status, e.Problem = c.statusOf(err); e.Status == statusHandedOn {
		e.Problem = x.handedOn()
	}
	if pause := graphgen.AsPause(err); pause != nil {
		e.Requests = x.of.Shown(pause.Requests)
	}
	x.says(e)
	return e
}

// says adds the text of the output.
func (x *Exchange) says(e *End) {
	text, err := x.of.call.graph.textOf(e.Output)
	if err != nil {
		x.of.Report(err)
		e.Problem = &Problem{Status: http.StatusInternalServerError, Code: codeInternal, Detail: "The output of the run has no text."}
	}
	e.Text = text
}

// saved returns how the run has ended, by what the store has.
func (x *Exchange) saved() (*End, error) {
	c := x.of.call
	end, err := x.savedLast()
	step, wrong := c.lastStep(c.r.Context(), x.id) // after the thread was read: what that gave may be of a later run
	if wrong != nil || step == nil {
		return end, cmp.Or(err, wrong)
	}
	end = &End{Status: statusAfter(step)}
	switch end.Status {
	case statusCompleted:
		s, err := durable.StateAt(c.r.Context(), c.graph.durable.store(), c.name, step.Seq)
		if err != nil {
			return nil, err
		}
		end.Output = c.shownOutput(c.graph.durable.output(s.Runs[0].Fields))
		x.says(end)
	case statusFailed:
		end.Problem = hasFailed()
	}
	return end, nil
}

// hasFailed is the problem of a run of which the store knows that it has failed.
func hasFailed() *Problem {
	return &Problem{Status: http.StatusInternalServerError, Code: "failed", Detail: "The run has failed."}
}

// savedLast is saved of the last run of a thread.
func (x *Exchange) savedLast() (*End, error) {
	c := x.of.call
	info, err := c.graph.durable.info(c.r.Context(), c.name)
	if err != nil {
		return nil, err
	}
	e := &End{Status: info.Status.String()}
	switch info.Status {
	case thread.Completed: // its output again: nothing is executed
		r, err := c.again()
		if r == nil {
			return nil, err
		}
		return x.endOf(r.out, err), nil
	case thread.Paused:
		e.Requests = x.of.Shown(info.Requests)
	case thread.Failed:
		e.Problem = hasFailed()
	}
	return e, nil
}

// again returns the run of a thread that is completed, with its output. Several requests, also of other processes, may want it at the same time: they
// take turns.
func (c *call) again() (*run, error) {
	const times, wait = 100, 20 * time.Millisecond
	for n := 1; ; n++ {
		here := c.h.here(c.name)
		r, err := c.h.launch(job{graph: c.graph, tenant: c.access.Tenant, name: c.name, begin: c.graph.durable.recover(c.name), ctx: c.r.Context()})
		if err == nil {
			select {
			case <-r.done:
				err = r.err
			case <-c.r.Context().Done():
				return nil, context.Cause(c.r.Context())
			}
		}
		if !is[*thread.HeldError](err) {
			return r, err
		}
		if n == times {
			return nil, err
		}
		var ended <-chan struct{}
		if here != nil {
			ended = here.done
		}
		select {
		case <-ended:
		case <-c.h.o.Clock.After(wait):
		case <-c.r.Context().Done():
			return nil, context.Cause(c.r.Context())
		}
	}
}

// Ended returns the last run of the thread that is open, and how it has ended, or what it waits for. One that works has the status running.
func (c *Call) Ended() (run string, end *End, err error) {
	if err := c.may(Watch); err != nil {
		return "", nil, err
	}
	x := &Exchange{of: c}
	if x.followed, err = c.last(); err == nil {
		end, err = x.saved()
	}
	return x.Run(), end, err
}

// shownRequests returns requests without what is for developers.
func (c *call) shownRequests(requests []graphgen.Request) []graphgen.Request {
	shown := slices.Clone(requests)
	for i := range shown {
		if !c.h.o.Details {
			shown[i].Pos = graphgen.Position{}
		}
	}
	return shown
}

// State returns the fields of the outermost run after the last step that its client has, if the caller may see the state.
func (x *Exchange) State() []thread.Value {
	c := x.of.call
	if x.plain != nil || x.after == 0 {
		return nil
	}
	if !c.mayAlso(State, c.graph.name, c.access.Thread) {
		return nil
	}
	s, err := durable.StateAt(c.r.Context(), c.graph.durable.store(), c.name, x.after)
	if err != nil {
		x.of.Report(err)
		return nil
	}
	return c.shown("", s.Runs[0].Fields)
}
