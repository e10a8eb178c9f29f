package serve

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/api"
	"github.com/graphgen/graphgen/internal/members"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// An order is what a client asks for with a run.
type order struct {
	begin    beginning
	runID    string        // by the key of the request; empty: it has none
	input    string        // a hash of the input, where the run has an ID
	multi    string        // what happens while another run has the thread
	takeBack bool          // the run takes back the one that was stopped for it
	passing  bool          // no process continues the run
	named    bool          // its client has named the thread
	onGone   string        // what happens when the client has gone
	answered string        // how the client gets the result: now, later, or as events
	patience time.Duration // how long it waits; 0: until the end
}

// The values of multitask, on_disconnect, and how clients get results.
const (
	multiReject, multiInterrupt, multiRollback = "reject", "interrupt", "rollback"
	goneContinue, goneCancel                   = "continue", "cancel"
	answerLater, answerNow, answerEvents       = "later", "now", "events"
)

// stops reports whether the run in progress is stopped for the one of the order.
func (o *order) stops() bool { return o.multi == multiInterrupt || o.multi == multiRollback }

// answering returns how the client wants the result of a run, and how long it waits for it.
func answering(r *http.Request) (string, time.Duration) {
	for _, accepted := range r.Header.Values("Accept") {
		if strings.Contains(accepted, "text/event-stream") {
			return answerEvents, 0
		}
	}
	for _, preferred := range r.Header.Values("Prefer") {
		for p := range strings.SplitSeq(preferred, ",") {
			if name, value, _ := strings.Cut(strings.TrimSpace(p), "="); strings.EqualFold(name, "wait") {
				const longest = 1 << 20
				seconds, _ := strconv.Atoi(value) // 0 where there is none
				return answerNow, time.Duration(min(max(0, seconds), longest)) * time.Second
			}
		}
	}
	return answerLater, 0
}

// maxKey is how many bytes an Idempotency-Key may have.
const maxKey = 255

// openStart reads the request that begins a run, and finds out its thread.
func (c *call) openStart() error {
	if err := c.openGraph(); err != nil {
		return err
	}
	if c.graph.durable == nil {
		return &Problem{Status: http.StatusNotFound, Code: "not_durable", Detail: "Runs of this graph are in no thread: use the path runs."}
	}
	given, err := c.object()
	if err != nil {
		return err
	}
	o := new(order)
	o.answered, o.patience = answering(c.r)
	var asked [3]string
	for i, name := range []string{"thread", "multitask", "on_disconnect"} {
		if asked[i], err = text(given, name); err != nil {
			return err
		}
	}
	if o.multi, err = choice("multitask", asked[1], api.Multitasks...); err != nil {
		return err
	}
	if o.onGone, err = choice("on_disconnect", asked[2], api.Disconnects...); err != nil {
		return err
	}
	if err := c.nameRun(o, asked[0]); err != nil {
		return err
	}
	if given["input"] == nil {
		return &Problem{Status: http.StatusUnprocessableEntity, Code: "invalid", Field: "input", Detail: "The input is missing."}
	}
	o.begin, err = c.graph.durable.start(c.access.Caller, c.name, o, given["input"], false)
	c.order = o
	return err
}

// nameRun names the run of a key, and the thread if the client does not. With a key, a request that is repeated gets the same names.
func (c *call) nameRun(o *order, name string) (err error) {
	o.named = name != ""
	key := c.r.Header.Get("Idempotency-Key")
	if len(key) > maxKey {
		return &Problem{Status: http.StatusBadRequest, Code: "key", Field: "Idempotency-Key", Detail: "A key has at most 255 bytes."}
	}
	if key != "" {
		hash := sha256.Sum256([]byte(c.h.space(c.access.Caller) + "\x00" + c.graph.name + "\x00" + key))
		o.runID = "key-" + hex.EncodeToString(hash[:16])
		if name == "" {
			name = "t-" + hex.EncodeToString(hash[16:])
		}
	}
	if name == "" {
		name = "t-" + strings.ToLower(rand.Text())
	}
	c.access.Thread = name
	c.name, err = c.h.stored(c.access.Caller, name)
	return err
}

// start begins a run in a thread.
func (c *call) start() error {
	if err := c.mayStart(); err != nil {
		return err
	}
	if c.order.multi == multiReject {
		return c.answers(c.begun)
	}
	return c.answers(c.begunNext)
}

// mayStart returns the problem of a thread whose name another graph has. A name that the server has made is new.
func (c *call) mayStart() error {
	if !c.order.named {
		return nil
	}
	return c.isFree(c.name)
}

// isFree returns the problem of a name that a thread of another graph has: where the graphs have different stores, both could have it. An error of the
// other store is not one of this graph.
func (c *call) isFree(name string) error {
	for _, g := range c.h.graphs {
		if g.durable == nil || g == c.graph || isSame(g.durable.store(), c.graph.durable.store()) {
			continue
		}
		switch _, err := headOf(c.r.Context(), g, name); {
		case err == nil:
			return &Problem{Status: http.StatusConflict, Code: "state", Detail: "The thread is of another graph."}
		case c.r.Context().Err() != nil:
			return err
		case !is[*thread.NotFoundError](err):
			of := c.access
			of.Graph = g.name
			c.h.o.Report(of, err)
		}
	}
	return nil
}

// isSame reports whether two guarded stores are one, as far as that is known.
func isSame(a, b thread.Store) bool {
	within := func(s thread.Store) thread.Store {
		if of, ok := s.(interface{ Guarded() thread.Store }); ok {
			return of.Guarded()
		}
		return s
	}
	a, b = within(a), within(b)
	return reflect.ValueOf(a).Comparable() && a == b
}

// answers begins a run, and answers the client.
func (c *call) answers(begun func() (*run, error)) error {
	if c.order.answered != answerLater {
		give, err := c.takeStream()
		if err != nil {
			return err
		}
		defer give()
	}
	return c.finish(begun())
}

// begunNext begins a run after the runs of earlier requests of this process. An order that stops the run in progress needs the verb stop.
func (c *call) begunNext() (*run, error) {
	if c.order.stops() {
		if err := c.authorizedTo(Stop); err != nil {
			return nil, err
		}
	}
	end, room, err := c.h.turns.take(c.r.Context(), c.name, c.h.o.Limits.Queue)
	switch {
	case err != nil:
		return nil, err
	case !room:
		return nil, busy("Too many requests wait for the thread.")
	}
	defer end()
	return c.begunInTurn()
}

// begunInTurn begins a run when the thread has no other one, which is waited for or stopped.
func (c *call) begunInTurn() (*run, error) {
	const shortest, longest, most = 20 * time.Millisecond, time.Second, 3
	refused := 0
	for wait := shortest; ; wait = min(2*wait, longest) {
		r, err := c.begun()
		if err == nil || !isTaken(err) {
			return r, err
		}
		at := c.keyed()
		if at.last && is[*thread.HeldError](err) {
			return nil, err // another process works on the run of the order itself
		}
		other := c.h.here(c.name)
		switch status, problem := c.status(); {
		case problem != nil:
			return nil, problem
		case other != nil && other.graph != c.graph:
			return nil, &Problem{Status: http.StatusConflict, Code: "state", Detail: "The thread is of another graph."}
		case at.begin > 0: // the run of the order has ended: its result is there once the thread is free, and nothing is stopped for it
		case status == thread.Paused:
			return nil, &Problem{Status: http.StatusConflict, Code: "state", Detail: "The run of the thread waits for people: answer its requests."}
		case status != thread.Running && is[*thread.StateError](err):
			if refused++; refused == most { // not for another run: the thread may be of another graph
				return nil, err
			}
		case status == thread.Running && c.order.stops(): // a run of this graph
			if err := c.interrupt(other); err != nil {
				return nil, err
			}
			c.order.takeBack = c.order.multi == multiRollback
		}
		var ended <-chan struct{}
		if other != nil {
			ended = other.done
		}
		select {
		case <-ended:
		case <-c.h.o.Clock.After(wait):
		case <-c.r.Context().Done():
			return nil, context.Cause(c.r.Context())
		case <-c.h.draining:
			return nil, ErrDrained
		}
	}
}

// isTaken reports whether a run was not begun because the thread has another one.
func isTaken(err error) bool {
	state, ok := errors.AsType[*thread.StateError](err)
	return is[*thread.HeldError](err) || ok && state.Run == ""
}

// interrupt stops the run of a thread, in this process or another one.
func (c *call) interrupt(here *run) error {
	if here != nil {
		return c.h.abort(c.r.Context(), here)
	}
	if err := c.h.stop(c.r.Context(), c.graph, c.name); err != nil && !is[*thread.NotFoundError](err) {
		return err
	}
	return nil
}

// status returns the status of the thread, New if it does not exist.
func (c *call) status() (thread.Status, error) {
	head, err := headOf(c.r.Context(), c.graph, c.name)
	if is[*thread.NotFoundError](err) {
		return thread.New, nil
	}
	return head.Status, err
}

// begun begins the run of the order. A run that has saved its end, or that it waits, has the thread for a moment longer: a client that has
// seen this is not refused.
func (c *call) begun() (*run, error) {
	const times, wait = 100, 20 * time.Millisecond
	for n := 1; ; n++ {
		here := c.h.here(c.name)
		r, err := c.begin()
		if !is[*thread.HeldError](err) || n == times {
			return r, err
		}
		switch status, problem := c.status(); {
		case problem != nil:
			return nil, problem
		case status == thread.New || status == thread.Running:
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

// begin begins the run of the order, and returns it once it survives the process. A run of the same key that is under way is that run.
func (c *call) begin() (*run, error) {
	saves := savedByBegin
	switch c.access.Verb {
	case Recover:
		saves = savedBefore
	case Answer:
		saves = savedByNext
	}
	at, err := c.account()
	if err != nil {
		return nil, err
	}
	r, err := c.h.launch(job{
		graph: c.graph, tenant: c.access.Tenant, name: c.name, runID: c.order.runID, input: c.order.input, begin: c.order.begin, account: at, saves: saves,
		ctx: c.r.Context(), slot: true,
		hold:   c.order.answered == answerEvents && saves != savedBefore, // else there may be no record to watch
		counts: c.wire != nil,
	})
	if is[*thread.HeldError](err) {
		if other := c.h.here(c.name); other != nil && other.runID != "" && other.runID == c.order.runID {
			r, err = other, c.sameInput(other.input)
		}
	}
	if err != nil {
		return nil, err
	}
	select {
	case <-r.accepted:
		return r, nil
	case <-r.done:
	case <-c.r.Context().Done():
		if c.order.onGone == goneCancel {
			c.h.gone(r)
		}
		return nil, context.Cause(c.r.Context())
	}
	if err = r.err; is[*graphgen.RunError](err) && !is[*graphgen.InputError](err) {
		err = nil // it ended: so the client gets its end
	}
	if err == nil && c.order.answered == answerEvents && r.after.Load() < 0 {
		err = c.places(r)
	}
	return r, err
}

// places finds out where a run begins of which only the result was to get: the run of the key, or else the last one of the thread.
func (c *call) places(r *run) error {
	at, err := c.placeOf(r.runID)
	if err == nil && at.begin > 0 && r.after.CompareAndSwap(-1, int64(at.begin-1)) {
		r.id.Store(&at.id)
	}
	return err
}

// gone stops a run whose client has gone. It waits for nothing. A stop is of a thread: it is requested for what the run has left alone, since the thread
// may have another run by then.
func (h *Handler) gone(r *run) {
	h.working.Go(func() {
		r.cancel(errAborted)
		<-r.done
		if failed, ok := errors.AsType[*graphgen.RunError](r.err); !ok || failed.Reason != graphgen.Stopped {
			return
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), longestStop)
		defer cancel()
		s, err := durable.StateAt(ctx, r.graph.durable.store(), r.name, 0)
		if err == nil && s.Run == r.named() {
			err = h.stop(ctx, r.graph, r.name)
		}
		if err != nil && !is[*thread.NotFoundError](err) {
			h.o.Report(Access{Verb: Stop, Graph: r.graph.name, Thread: r.name}, err)
		}
	})
}

// longestStop is how long a store is asked to stop the run of a client that has gone.
const longestStop = time.Minute

// finish answers the client of a run.
func (c *call) finish(r *run, err error) error {
	if err != nil {
		begin, err := c.elsewhere(err)
		if begin > 0 {
			return c.finishElsewhere(begin)
		}
		return err
	}
	switch c.order.answered {
	case answerNow:
		return c.finishNow(r)
	case answerEvents:
		return c.finishEvents(r)
	}
	select {
	case <-r.done:
		if !isClosed(r.accepted) { // a run that had ended before
			return c.outcome(r)
		}
	default:
	}
	return c.accept(c.shownRun(r.named()))
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// elsewhere returns the first step of the run of the order, if that was refused because another process works on this run; otherwise 0, and the error. Where
// the thread has a later run, that one is worked on.
func (c *call) elsewhere(err error) (begin uint64, _ error) {
	if !is[*thread.HeldError](err) {
		return 0, err
	}
	at := c.keyed()
	if !at.last {
		return 0, err
	}
	input, err := c.graph.durable.inputAt(c.r.Context(), c.name, at.begin)
	if err == nil {
		err = c.sameInput(input)
	}
	if err != nil {
		return 0, err
	}
	return at.begin, nil
}

// sameInput returns the error of an order whose key has begun a run with another input, by the hash of that input.
func (c *call) sameInput(input string) error {
	if input == "" || input == c.order.input { // earlier versions have saved no hash
		return nil
	}
	return &thread.StateError{Thread: c.name, Run: c.order.runID, Err: thread.ErrOtherInput}
}

// keyed returns where the run of the order begins, which its key identifies.
func (c *call) keyed() place {
	if c.order == nil || c.order.runID == "" {
		return place{}
	}
	at, _ := c.placeOf(c.order.runID) // a store that has an error has it for what follows, too
	return at
}

// finishElsewhere answers the client of a run that another process works on. A client that waits gets the run from this process once the other one has
// ended: then the run is made again from its last step, or its result is there.
func (c *call) finishElsewhere(begin uint64) error {
	switch c.order.answered {
	case answerLater:
		return c.accept(c.order.runID)
	case answerEvents:
		return c.follow(begin-1, false, followed{id: c.order.runID, from: begin})
	}
	var over <-chan time.Time
	if c.order.patience > 0 {
		over = c.h.o.Clock.After(c.order.patience)
	}
	const shortest, longest = 20 * time.Millisecond, time.Second
	for wait := shortest; ; wait = min(2*wait, longest) {
		select {
		case <-c.h.o.Clock.After(wait):
		case <-over:
			return c.accept(c.order.runID)
		case <-c.r.Context().Done():
			return context.Cause(c.r.Context())
		case <-c.h.draining:
			return ErrDrained
		}
		if r, err := c.begin(); !is[*thread.HeldError](err) && !isBusy(err) {
			return c.finish(r, err)
		}
	}
}

// isBusy reports whether a run was not begun because there are too many.
func isBusy(err error) bool {
	p, ok := errors.AsType[*Problem](err)
	return ok && p.Code == "busy"
}

// accept answers that a run survives the process.
func (c *call) accept(id string) error {
	c.locate(c.access.Thread)
	return c.object200(http.StatusAccepted, func(e *codec.Encoder) {
		members.Text("thread", c.access.Thread, e)
		members.Text("run", id, e)
		members.Text("status", "running", e)
	})
}

// finishNow answers with the end of a run. Where the client goes before, the run continues or is stopped; where it waits no longer, it continues.
func (c *call) finishNow(r *run) error {
	var over <-chan time.Time
	if c.order.patience > 0 {
		over = c.h.o.Clock.After(c.order.patience)
	}
	select {
	case <-r.done:
		return c.outcome(r)
	case <-over:
		return c.accept(c.shownRun(r.named()))
	case <-c.r.Context().Done():
		if c.order.onGone == goneCancel {
			c.h.gone(r)
		}
		return context.Cause(c.r.Context())
	}
}

// finishEvents sends the events of a run as they come.
func (c *call) finishEvents(r *run) error {
	defer r.watch()
	err := c.follow(uint64(max(0, r.after.Load())), false, r.followed())
	c.left(r)
	return err
}

// left stops a run whose client has gone, if it wants that.
func (c *call) left(r *run) {
	if c.order.onGone == goneCancel && !isClosed(r.done) && !c.h.isDraining() {
		c.h.gone(r)
	}
}

// outcome sends how a run has ended.
func (c *call) outcome(r *run) error {
	status, p := c.statusOf(r.err)
	if p != nil && !is[*graphgen.RunError](r.err) {
		return p
	}
	code := http.StatusOK
	if status == statusHandedOn {
		code = http.StatusAccepted
	}
	return c.object200(code, func(e *codec.Encoder) {
		members.Text("thread", c.access.Thread, e)
		members.Text("run", c.shownRun(r.named()), e)
		c.writeEnd(e, status, r.out, r.err, p)
	})
}
