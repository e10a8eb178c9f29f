package serve

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/members"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// The statuses of runs that have ended, besides the statuses of threads.
const (
	statusCompleted = "completed"
	statusPaused    = "paused"
	statusStopped   = "stopped"
	statusFailed    = "failed"
	statusHandedOn  = "running" // another process continues it
)

// statusOf returns how a run has ended, and what a client is sent of its error.
func (c *call) statusOf(err error) (string, *Problem) {
	if err == nil {
		return statusCompleted, nil
	}
	failed, ok := errors.AsType[*graphgen.RunError](err)
	store, _ := errors.AsType[*thread.StoreError](err)
	switch {
	case ok && store != nil && errors.Is(err, ErrDrained): // the store has the run as running
		return statusHandedOn, nil
	case ok && store != nil && store.Unsaved: // beside it, there may be any error of a node
		return statusFailed, internal(err)
	case !ok || store != nil:
		return statusFailed, problemOf(err)
	case failed.Reason == graphgen.Paused:
		return statusPaused, nil
	case errors.Is(err, ErrDrained):
		return statusHandedOn, nil
	case failed.Reason == graphgen.Stopped:
		return statusStopped, nil
	}
	if is[*graphgen.InputError](err) {
		return statusFailed, problemOf(err)
	}
	c.h.o.Report(c.access, err)
	p := &Problem{Status: http.StatusInternalServerError, Code: "failed", Detail: "The run has failed."}
	if node, ok := errors.AsType[*graphgen.NodeError](err); ok {
		p.Detail, p.Field = "The run has failed at a node.", node.Where.Node
	}
	if limit, ok := errors.AsType[*graphgen.LimitError](err); ok && failed.Reason == graphgen.Budget && limit.Unpriced == "" {
		p = &Problem{Status: http.StatusTooManyRequests, Code: "budget", Field: budgetFields[limit.Of], Detail: "The run has used a budget up."}
	}
	if c.h.o.Details {
		p.Detail = err.Error()
	}
	return statusFailed, p
}

// ended returns the status of a run that is followed, and the requests that it waits for. The store knows how a run has ended that another process has taken
// over; it has the thread's last run alone in its head.
func (c *call) ended(ctx context.Context, of followed) (status string, requests []graphgen.Request, _ error) {
	if r := of.run; r != nil && !is[*thread.StoreError](r.err) {
		status, p := c.statusOf(r.err)
		if pause := graphgen.AsPause(r.err); pause != nil {
			requests = pause.Requests
		}
		if p != nil && !is[*graphgen.RunError](r.err) {
			return "", nil, p
		}
		return status, requests, nil
	}
	info, err := c.graph.durable.info(ctx, c.name)
	if err != nil {
		return "", nil, err
	}
	last, err := c.lastStep(ctx, of.id)
	switch {
	case err != nil:
		return "", nil, err
	case last != nil:
		return statusAfter(last), nil, nil
	}
	return info.Status.String(), info.Requests, nil
}

// statusAfter returns the status of a run whose end a step has saved.
func statusAfter(s *thread.Step) string {
	switch {
	case s.Failure == "":
		return statusCompleted
	case s.Ended == graphgen.Stopped.String():
		return statusStopped
	}
	return statusFailed
}

// lastStep returns the last step of a run, by its ID in the store, after which the thread had another one; nil: it is the last run, or has no ID.
func (c *call) lastStep(ctx context.Context, run string) (*thread.Step, error) {
	if run == "" {
		return nil, nil
	}
	return c.lastStepOf(ctx, func(id string) bool { return id == run })
}

// lastStepOf is lastStep of the run whose ID in the store fits.
func (c *call) lastStepOf(ctx context.Context, fits func(id string) bool) (last *thread.Step, _ error) {
	store := c.graph.durable.store()
	if s, err := durable.StateAt(ctx, store, c.name, 0); err != nil || fits(s.Run) {
		return nil, err
	}
	for s, err := range durable.History(ctx, store, c.name, 0) {
		switch {
		case err != nil:
			return nil, err
		case s.Run == "" && last != nil || s.Run != "" && fits(s.Run):
			last = &s
		case last != nil:
			return last, nil
		}
	}
	return nil, &thread.NotFoundError{Thread: c.name}
}

// writeEnd writes how a run has ended.
func (c *call) writeEnd(e *codec.Encoder, status string, out []byte, err error, p *Problem) {
	members.Text("status", status, e)
	if len(out) > 0 {
		e.Name("output")
		codec.WriteAny(c.shownOutput(out), e)
	}
	if pause := graphgen.AsPause(err); pause != nil && c.mayAsk(c.graph.name, c.access.Thread) {
		c.writeRequests(e, pause.Requests)
	}
	if p != nil {
		e.Name("problem")
		p.encode(e)
	}
}

// writeRequests writes the member requests. The place in the spec is for developers.
func (c *call) writeRequests(e *codec.Encoder, requests []graphgen.Request) {
	data, err := graphgen.AppendRequests(nil, c.shownRequests(requests))
	if err != nil {
		e.Fail(err.Error())
		return
	}
	list, err := objectOf(data)
	if err != nil {
		e.Fail(err.Error())
		return
	}
	e.Name("requests")
	codec.WriteAny(list["requests"], e)
}

// object200 answers with an object.
func (c *call) object200(status int, members func(*codec.Encoder)) error {
	data, err := object(members)
	if err != nil {
		return err
	}
	return c.bytes(status, "application/json", data)
}

// bytes answers with a body, or without a kind with none.
func (c *call) bytes(status int, kind string, data []byte) error {
	c.wrote = true
	if kind == "" {
		c.w.WriteHeader(status)
		return nil
	}
	c.w.Header().Set("Content-Length", strconv.Itoa(len(data)+1))
	control := http.NewResponseController(c.w)
	timed := control.SetWriteDeadline(time.Now().Add(c.h.o.Limits.Write)) == nil // a test's writer has no connection
	if write(c.w, status, kind, data); timed {
		_ = control.Flush()                       // a client that reads nothing is dropped
		_ = control.SetWriteDeadline(time.Time{}) // it has worked before
	}
	return nil
}

// object returns the JSON of an object.
func object(members func(*codec.Encoder)) ([]byte, error) {
	return codec.Append(nil, codec.Of(members, func(members func(*codec.Encoder), e *codec.Encoder) {
		if e.Begin() {
			members(e)
			e.End()
		}
	}))
}

// locate sets the place of a thread. It is relative to the path of the request: so the handler can be below any other path.
func (c *call) locate(name string) {
	up := strings.Repeat("../", strings.Count(c.rt.Path, "/")-1)
	c.w.Header().Set("Location", up+"threads/"+url.PathEscape(name))
}
