package serve

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/members"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// watch sends the steps of a thread after the last one that the client has, and what follows.
func (c *call) watch() error {
	field, last := "after", c.query.Get("after")
	if seen := c.r.Header.Get("Last-Event-ID"); seen != "" { // a browser that connects again repeats the query
		field, last = "Last-Event-ID", seen
	}
	after, err := number(field, last)
	if err != nil {
		return err
	}
	stay, err := choice("stay", c.query.Get("stay"), "0", "1")
	if err != nil {
		return err
	}
	return c.follow(after, stay == "1", followed{})
}

// A followed is the run of which a client is sent what a thread has. Zero: the client is sent all.
type followed struct {
	run  *run   // of this process; nil: the client has not begun it, or another process works on it
	id   string // empty: it is not known
	from uint64 // from this record on the thread has no run but this one, and later ones
}

// followed returns the run, for a client that is sent what follows the last record before it.
func (r *run) followed() followed { return followed{r, r.named(), uint64(max(0, r.after.Load())) + 1} }

// isOther reports whether another run begins with a step, or an event is of another run or of a child run of one.
func (f *followed) isOther(of durable.Watched) bool {
	switch {
	case f.id == "":
	case of.Step != nil:
		return of.Step.Run != "" && of.Step.Run != f.id
	case of.Live != nil && of.Live.Run != nil:
		r := of.Live.Run
		return r.ID != f.id && (r.Within == "" || !strings.HasPrefix(r.ID, f.id+"/"))
	}
	return false
}

// follow sends a thread as server-sent events, until the end of its run, or where it waits for people; with stay, as long as the client reads. Of a run that
// is followed, it is the end of that one, also where the thread has a later one.
func (c *call) follow(after uint64, stay bool, of followed) error {
	if c.h.isDraining() {
		return ErrDrained
	}
	give, err := c.takeStream()
	if err != nil {
		return err
	}
	defer give()
	s, end := c.newStream()
	defer end()
	return c.followTo(s.ctx, c.ownEvents(s, of), thread.After{Seq: after, Stay: stay}, of)
}

// Events are what takes the events of a thread, as one client gets them.
type events interface {
	step(of durable.Watched) error
	live(of durable.Watched) error
	rest() error           // nothing follows for now: what was taken goes to the client
	gap() error            // the thread does not have the step after the last one that the client has
	end() error            // the run has ended, or waits
	fail(p *Problem) error // nothing follows
}

// followTo gives what follows after a step, until the thread has ended or waits, or the run that is followed has.
func (c *call) followTo(ctx context.Context, to events, after thread.After, of followed) error {
	f, r := &follower{call: c, ctx: ctx, to: to, After: after, followed: of}, of.run
	for {
		ended := r == nil || isClosed(r.done)
		if over, err := f.pass(); over || err != nil {
			return err
		}
		if ended {
			return to.end()
		}
		r.watch()
		var again <-chan time.Time
		if !f.passed {
			again = c.h.o.Clock.After(thread.DefaultEvery)
		}
		select { // a run whose next step is not saved yet, and that no feed is about
		case <-r.done:
		case <-again:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// A follower gives a thread.
type follower struct {
	thread.After
	followed
	call   *call
	ctx    context.Context
	to     events
	passed bool // the run has ended: the thread has a later one
}

// pass gives what there is, and what follows, until the thread has ended or waits, or has a later run. It reports whether the client has to begin again.
func (f *follower) pass() (over bool, err error) {
	c := f.call
	if f.passed {
		return false, nil
	}
	for e, err := range c.graph.durable.watch(f.ctx, c.name, f.After) {
		if f.run != nil {
			f.run.watch()
		}
		other, at := f.isOther(e), f.Seq
		if e.Step != nil {
			at = e.Step.Seq
		}
		switch {
		case is[*thread.GapError](err):
			return true, f.to.gap()
		case err != nil && f.ctx.Err() != nil:
			return true, context.Cause(f.ctx)
		case err != nil:
			return true, f.to.fail(problemOf(err))
		case other && at >= f.from:
			f.passed = true
			return false, f.to.rest()
		case other && e.Live != nil: // of the run before, which has just ended
		case e.Step != nil:
			f.Seq = at
			err = f.to.step(e)
		case e.Live != nil:
			err = f.to.live(e)
		default:
			err = f.to.rest()
		}
		if err != nil {
			return true, err
		}
	}
	return false, f.to.rest()
}

// renames has the runs of events by the names that clients know.
type renames map[*graphgen.RunInfo]*graphgen.RunInfo

// takeStream takes the slot of a stream or a request that waits, unless the call has it. The function returned gives it back.
func (c *call) takeStream() (give func(), err error) {
	if c.streams {
		return func() {}, nil
	}
	if !c.h.streams.take(c.access.Tenant) {
		return nil, busy("Too many streams are open, or requests wait, at the moment.")
	}
	c.streams = true
	return func() {
		c.streams = false
		c.h.streams.give(c.access.Tenant)
	}, nil
}

// ownEvents sends the events of the handler's own routes. Clients that are sent the same share the bytes.
type ownEvents struct {
	call   *call
	of     followed
	stream *stream
	show   func(*graphgen.Event) bool
	form   any
}

// A form is the key of the bytes of an event: clients of one handler that know the thread by the same name are sent the same.
type form struct {
	of     *Handler
	graph  *Graph
	thread string
}

func (c *call) ownEvents(s *stream, of followed) *ownEvents {
	return &ownEvents{call: c, of: of, stream: s, show: c.shows(), form: form{c.h, c.graph, c.access.Thread}}
}

// end sends how a run has ended, or what it waits for.
func (o *ownEvents) end() error {
	c, s := o.call, o.stream
	status, requests, err := c.ended(s.ctx, o.of)
	if err != nil {
		return o.fail(problemOf(err))
	}
	return s.send("", "end", func(e *codec.Encoder) {
		members.Text("status", status, e)
		if status == statusPaused && c.mayAsk(c.graph.name, c.access.Thread) {
			c.writeRequests(e, requests)
		}
	})
}

// step sends a saved step.
func (o *ownEvents) step(of durable.Watched) error {
	data, err := of.Forms.Of(o.form, func() ([]byte, error) {
		step := o.call.shownStep(*of.Step)
		data, err := step.AppendJSON(nil)
		return frame(strconv.FormatUint(step.Seq, 10), "step", data), err
	})
	if err != nil {
		return err
	}
	return o.stream.add(data)
}

// live sends an event of a run, if clients are shown it.
func (o *ownEvents) live(of durable.Watched) error {
	c := o.call
	data, err := of.Forms.Of(o.form, func() ([]byte, error) {
		e := *of.Live
		if !o.show(&e) {
			return nil, nil
		}
		c.shownEvent(&e, renames{})
		data, err := e.AppendJSON(nil)
		return frame("", "live", data), err
	})
	if err != nil {
		c.h.o.Report(c.access, err)
		return nil
	}
	if data == nil || !c.maySee(of.Live) {
		return nil
	}
	return o.stream.add(data)
}

func (o *ownEvents) rest() error { return o.stream.flush() }

func (o *ownEvents) gap() error { return o.stream.send("", "reset", func(*codec.Encoder) {}) }

// fail sends a problem, after which the stream ends.
func (o *ownEvents) fail(p *Problem) error {
	if data, err := codec.Append(nil, codec.Of(p, (*Problem).encode)); err == nil {
		_ = o.stream.write("", "problem", data) // the stream ends anyway
	}
	return p
}

// Shown reports whether clients are sent a live event, where the options have no Show: the beginning and the end of nodes and runs, transitions,
// messages, requests and the texts of answers are sent; of a graph with secret fields, these three are not. Calls of models and tools, with their arguments
// and results, are not.
func Shown(e *graphgen.Event) bool {
	switch e.Kind {
	case graphgen.RunStart, graphgen.NodeStart, graphgen.NodeEnd, graphgen.NodeFailed, graphgen.Routed, graphgen.Retry, graphgen.Say, graphgen.Interrupt,
		graphgen.RunEnd:
		return true
	case graphgen.Token:
		piece := e.Token()
		return piece.Text != "" && piece.Tool == ""
	}
	return false
}

// shows returns what selects live events. Of a graph with secret fields, texts may have any of these.
func (c *call) shows() func(*graphgen.Event) bool {
	switch {
	case c.h.o.Show != nil:
		return c.h.o.Show
	case c.h.o.Details:
		return func(*graphgen.Event) bool { return true }
	case c.graph.durable != nil && c.graph.durable.secret():
		return func(e *graphgen.Event) bool {
			return Shown(e) && e.Kind != graphgen.Token && e.Kind != graphgen.Say && e.Kind != graphgen.Interrupt
		}
	}
	return Shown
}

// errHidden is the error of events whose errors clients are not sent.
var errHidden = errors.New("it has failed")

// maySee reports whether the caller is sent an event that clients are shown.
func (c *call) maySee(e *graphgen.Event) bool {
	return e.Kind != graphgen.Interrupt || c.mayAsk(c.graph.name, c.access.Thread)
}

// shownEvent makes of a live event what clients are shown, with the names that they know.
func (c *call) shownEvent(e *graphgen.Event, names renames) {
	if run := e.Run; run != nil {
		if names[run] == nil {
			shown := *run
			shown.ID = c.shownRun(run.ID)
			if run.Thread != "" {
				shown.Thread = c.access.Thread
			}
			names[run] = &shown
		}
		e.Run = names[run]
	}
	if report := e.Report(); report != nil && report.Reason == graphgen.Paused {
		e.Err = nil // a pause is not an error, and the questions are for callers with the verb requests, at the end of the stream
	}
	if !c.h.o.Details {
		withoutDetails(e)
	}
}

// withoutDetails removes from an event what is for developers: places in specs, texts of errors, conditions, answers of verbose nodes.
func withoutDetails(e *graphgen.Event) {
	e.Line, e.Col = 0, 0
	if e.Err != nil {
		e.Err = errHidden
	}
	switch e.Kind {
	case graphgen.NodeEnd, graphgen.NodeFailed, graphgen.RunStart:
		e.Details.Text, e.Details.More = "", nil
	case graphgen.Routed:
		route := e.Route()
		route.Reason = ""
		e.Details.More = &route
	case graphgen.Interrupt:
		q := e.Request()
		q.Pos = graphgen.Position{}
		e.Details.More = &q
	}
}

// A stream is a response that is a series of server-sent events. Its context ends with the request, with the handler, and when the client reads nothing.
type stream struct {
	ctx     context.Context
	control *http.ResponseController
	h       *Handler

	mu   sync.Mutex // events and comments are written by two goroutines
	w    http.ResponseWriter
	dead error
}

// newStream begins a response. The function returned ends it.
func (c *call) newStream() (*stream, func()) {
	ctx, cancel := context.WithCancelCause(c.r.Context())
	s := &stream{ctx: ctx, control: http.NewResponseController(c.w), h: c.h, w: c.w}
	head := c.w.Header()
	head.Set("Content-Type", "text/event-stream")
	head.Set("X-Accel-Buffering", "no") // proxies would hold events back
	c.wrote = true
	c.w.WriteHeader(http.StatusOK)
	var first []byte // without one, the header alone: a client that joins a run knows that it has
	if c.wire == nil {
		first = []byte("retry: 1000\n\n")
	}
	_ = s.raw(first)
	var beats sync.WaitGroup
	beats.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-c.h.draining:
				cancel(ErrDrained)
				return
			case <-c.h.o.Clock.After(c.h.o.Limits.Heartbeat):
				if err := s.raw([]byte(":\n\n")); err != nil {
					cancel(err)
					return
				}
			}
		}
	})
	return s, func() {
		cancel(nil)
		beats.Wait()
		_ = s.control.SetWriteDeadline(time.Time{}) // a recorder has none
	}
}

// send sends an object as an event.
func (s *stream) send(id, event string, of func(*codec.Encoder)) error {
	data, err := object(of)
	if err != nil {
		return err
	}
	return s.write(id, event, data)
}

// write sends an event.
func (s *stream) write(id, event string, data []byte) error { return s.raw(frame(id, event, data)) }

// frame returns the bytes of an event. JSON is on one line: so no text of a client or a model begins a line.
func frame(id, event string, data []byte) []byte {
	b := make([]byte, 0, len(id)+len(event)+len(data)+len("id: \nevent: \ndata: \n\n"))
	if id != "" {
		b = append(append(append(b, "id: "...), id...), '\n')
	}
	if event != "" {
		b = append(append(append(b, "event: "...), event...), '\n')
	}
	return append(append(append(b, "data: "...), data...), "\n\n"...)
}

// raw writes and flushes.
func (s *stream) raw(b []byte) error {
	if err := s.add(b); err != nil {
		return err
	}
	return s.flush()
}

// add writes without flushing. A client that does not read is dropped.
func (s *stream) add(b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead == nil {
		_ = s.control.SetWriteDeadline(time.Now().Add(s.h.o.Limits.Write)) // a recorder has none
		_, s.dead = s.w.Write(b)
	}
	return s.dead
}

// flush sends what was written.
func (s *stream) flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead == nil {
		s.dead = s.control.Flush()
	}
	return s.dead
}
