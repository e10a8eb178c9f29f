package engine

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/decimal"
	"github.com/graphgen/graphgen/internal/origin"
)

// A Question is what a node asks a person. Generated code writes it.
type Question struct {
	Choices []string
	Schema  string
	Timeout time.Duration
	Reply   any                               // a pointer to the place of the answer; nil: it is a decision
	Accept  func(data []byte) (func(), error) // decodes an answer in JSON, and returns what commits it

	Text
	shown []graphgen.Shown
	name  string // of what is shown next
}

// Under names the value that is shown next.
func (q *Question) Under(name string) *Question { q.name = name; return q }

// Show shows a text with the question.
func (q *Question) Show(text string) {
	q.shown = append(q.shown, graphgen.Shown{Name: q.name, Text: text})
}

// ShowInt shows a number.
func (q *Question) ShowInt(n int) { q.Show(strconv.Itoa(n)) }

// ShowFloat shows a number.
func (q *Question) ShowFloat(f float64) { q.Show(string(decimal.Append(nil, f))) }

// ShowBool shows true or false.
func (q *Question) ShowBool(b bool) { q.Show(strconv.FormatBool(b)) }

// ShowJSON shows a value with the question. If err is not nil, the node fails.
func (q *Question) ShowJSON(data []byte, err error) {
	q.shown = append(q.shown, graphgen.Shown{Name: q.name, Text: string(data), JSON: true})
	q.flawed(err)
}

// Ask pauses the run with a question. An error fails the node: there is no question, or no more time for an
// answer.
func (p *Pauses) Ask(q *Question) error {
	if q.err != nil {
		return q.err
	}
	r := p.run
	if r.IsCancelled() { // no person is asked, and the one who was has no more time
		p.Withdraw()
		return context.Cause(r.context.Context)
	}
	kind := graphgen.RequestDecision
	if q.Reply != nil {
		kind = graphgen.RequestReply
	}
	asked := &request{run: r, node: r.At, reply: q.Reply, accept: q.Accept, Request: graphgen.Request{
		ID: p.requestID(""), Where: r.where(r.here()), Within: r.settings.location(), Kind: kind,
		Question: strings.TrimSpace(string(q.text)), Shown: q.shown, Choices: q.Choices, Schema: q.Schema,
	}}
	if q.Timeout > 0 {
		asked.Deadline = r.settings.Now().Add(q.Timeout)
	}
	if t := r.settings.thread; t != nil {
		t.Asks(&asked.Request)
	}
	p.add(asked)
	p.suspend()
	return nil
}

// Answered reports, once a pause, whether the current node has its answer.
func (p *Pauses) Answered() bool {
	if p == nil || !p.answered {
		return false
	}
	p.answered, p.waiting = false, nil
	return true
}

// Cleared reports whether a person has decided on the current node before, in this step, or before the tool loop
// to which the step belongs.
func (p *Pauses) Cleared() bool {
	r := p.run
	if p.Answered() {
		r.path.requireSlowStep()
		r.more.Cleared = true
		return true
	}
	if t := r.settings.thread; t != nil && !r.more.Cleared {
		if d := t.Decided(p.requestID("")); d != nil {
			r.path.requireSlowStep()
			r.more.Cleared, p.withheld = true, d.reason()
			return true
		}
	}
	return r.more.Cleared || r.path.InToolLoop()
}

// Withheld records that the run takes the spec's transition for a denied or late answer.
func (p *Pauses) Withheld() {
	p.run.path.requireSlowStep()
	p.run.more.outcome = withheld
}

// Resume resumes a run of a machine with an answer to one of the requests of p. R is its generated run. If the error is a ResumeError, nothing has
// changed.
func Resume[R, M any](ctx context.Context, p *graphgen.Pause, machine *M, of graphgen.Answer[M], opts []graphgen.ResumeOption) (*R, error) {
	a, by := answerOf(of.ID, of.Origin), &call{options: opts}
	h := heldBy(p)
	if h == nil || h.reopen == nil || h.pause.machine != any(machine) {
		return resumeBy[R](ctx, p, machine, by, a)
	}
	again, err := h.reopened(ctx, p, opts)
	if err != nil {
		return nil, err
	}
	by.applied = again.Options
	r, err := resumeBy[R](ctx, again.Pause, machine, by, a)
	if err != nil {
		again.Release()
	}
	return r, err
}

// resumeBy is Resume for a pause that is in memory.
func resumeBy[R any](ctx context.Context, p *graphgen.Pause, machine any, by *call, a *answer) (*R, error) {
	q, err := requestOf(p, machine, a)
	if err != nil {
		return nil, err
	}
	commit, late, err := q.claim(ctx, by, a)
	if err != nil {
		return nil, &graphgen.ResumeError{Where: q.Where, Err: err}
	}
	defer func() {
		if !q.pause.resumed { // an observer has ended the goroutine
			q.pause.settled = false
			q.pause.end()
		}
	}()
	q.answer(commit, late)
	q.record()
	r := q.pause.run
	if t := r.settings.thread; t != nil {
		if err := t.Answered(q.ID, q.decision(late)); err != nil {
			return nil, &graphgen.ResumeError{Where: q.Where, Err: err}
		}
	}
	r.Pausing().resume(ctx)
	q.pause.resumed = true
	return any(r.viewer).(*R), nil
}

// CheckAnswer returns the error with which Resume would refuse an answer now, nil if it would take it. It changes nothing. Nothing of the run is
// executed meanwhile.
func CheckAnswer[M any](p *graphgen.Pause, machine *M, of graphgen.Answer[M]) error {
	a := answerOf(of.ID, of.Origin)
	q, err := requestOf(p, machine, a)
	if err != nil {
		return err
	}
	_, invalid := a.decode(q)
	switch {
	case q.isAnswered():
		err = graphgen.ErrResumed
	case invalid != nil && (q.Deadline.IsZero() || !q.pause.asked.Now().After(q.Deadline)):
		err = &graphgen.AnswerError{Err: invalid}
	default:
		return nil
	}
	return &graphgen.ResumeError{Where: q.Where, Err: err}
}

// OpenRequests returns the requests of a pause that still take an answer. Nothing of the run is executed meanwhile.
func OpenRequests(p *graphgen.Pause) (open []graphgen.Request) {
	h := heldBy(p)
	for i := range p.Requests {
		of := &p.Requests[i]
		if h == nil || !slices.ContainsFunc(h.requests, func(q *request) bool { return q.ID == of.ID && q.isAnswered() }) {
			open = append(open, *of)
		}
	}
	return open
}

// isAnswered reports whether a request takes no answer any more. While the run is executed, one without an answer may be closed yet.
func (q *request) isAnswered() bool {
	return q.claimed.Load() || len(q.pause.turn) == 0 && !q.isOpen()
}

// Invalid returns why an answer of a generated function is invalid, nil if it is valid.
func Invalid[M any](of graphgen.Answer[M]) error {
	_, invalid := answerOf(of.ID, of.Origin).decode(nil)
	return invalid
}

// heldBy returns what a pause leads to, nil if it leads nowhere.
func heldBy(p *graphgen.Pause) *held {
	if p == nil {
		return nil
	}
	h, _ := origin.Of(p.Origin).(*held)
	return h
}

// requestOf returns the one request of p that an answer fits.
func requestOf(p *graphgen.Pause, machine any, a *answer) (*request, error) {
	h := heldBy(p)
	if h == nil {
		return nil, notResumed(p, graphgen.ErrNoPause)
	}
	if h.pause.machine != machine {
		return nil, notResumed(p, graphgen.ErrOtherMachine)
	}
	var found *request
	for _, q := range h.requests {
		if !a.matches(q) || !slices.ContainsFunc(p.Requests, func(of graphgen.Request) bool { return of.ID == q.ID }) {
			continue
		}
		if found != nil {
			return nil, notResumed(p, graphgen.ErrSeveral)
		}
		found = q
	}
	if found == nil {
		return nil, notResumed(p, graphgen.ErrOtherNode)
	}
	return found, nil
}

// notResumed returns the error for a pause, which may be nil, of which no request was found.
func notResumed(p *graphgen.Pause, err error) error {
	wrong := &graphgen.ResumeError{Err: err}
	if p != nil && len(p.Requests) > 0 {
		wrong.Where = p.Requests[0].Where
	}
	return wrong
}

// claim takes a request, and the turn to resume its run, for the caller alone. A late answer is not validated:
// any answer resumes a run whose deadline has passed.
func (q *request) claim(ctx context.Context, by *call, a *answer) (commit func(*request), late, err error) {
	commit, invalid := a.decode(q)
	if now := q.pause.asked.Now(); !q.Deadline.IsZero() && now.After(q.Deadline) {
		late, invalid = &graphgen.LateError{Deadline: q.Deadline, By: now.Sub(q.Deadline)}, nil
	}
	switch {
	case q.claimed.Load():
		return nil, nil, graphgen.ErrResumed
	case ctx.Err() != nil:
		return nil, nil, context.Cause(ctx)
	case invalid != nil:
		return nil, nil, &graphgen.AnswerError{Err: invalid}
	case !q.claimed.CompareAndSwap(false, true):
		return nil, nil, graphgen.ErrResumed
	}
	if !q.pause.takeTurn(ctx) {
		q.claimed.Store(false)
		return nil, nil, context.Cause(ctx)
	}
	if !q.isOpen() {
		<-q.pause.turn
		return nil, nil, graphgen.ErrResumed
	}
	if err := q.pause.run.Pausing().accept(by); err != nil {
		q.claimed.Store(false)
		<-q.pause.turn
		return nil, nil, err
	}
	return commit, late, nil
}

// takeTurn waits for the turn, as the answer to another request may be in progress. It returns false if the context has ended before.
func (p *pause) takeTurn(ctx context.Context) bool {
	if s := p.asked.scheduler(); s != nil {
		s.Wait(ctx, func() bool { return len(p.turn) == 0 || ctx.Err() != nil })
	}
	select {
	case p.turn <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// isOpen reports whether the run still waits for the answer. The caller has the turn.
func (q *request) isOpen() bool {
	return !q.pause.lost && q.run.ending.Paused() && slices.Contains(q.run.Pauses().awaited().requests, q)
}

// answer gives the run the answer, and rouses it.
func (q *request) answer(commit func(*request), late error) {
	p := q.run.more.pauses
	switch {
	case q.apart != nil:
		q.apart.addLate(q, late)
		p.drop(q)
	case q.held != nil:
		q.held.Late = late
		p.drop(q)
	default:
		p.answered, p.withheld = true, late
	}
	if late == nil {
		commit(q)
	}
	q.run.Pausing().rouse()
}

// drop takes a request from those for which the run waits.
func (p *Pauses) drop(q *request) {
	w := p.waiting
	w.requests = slices.DeleteFunc(slices.Clone(w.requests), func(other *request) bool { return other == q })
}

// record keeps what was answered, by whom and when.
func (q *request) record() {
	given := &q.pause.run.settings.Settings
	if q.apart != nil {
		q.apart.sign(given.Person)
		return
	}
	p := q.run.Pausing()
	p.record = &Record{Decision: graphgen.Approve.String(), At: q.pause.run.settings.Now()}
	if person := given.Person; person != nil {
		p.record.By, p.record.Note = person.Name, person.Note
	}
	switch {
	case IsLate(p.withheld):
		p.record.Decision = "late"
	case p.withheld != nil:
		p.record.Decision = graphgen.Deny.String()
	case q.reply != nil:
		p.record.Decision = string(graphgen.RequestReply)
	}
}

// accept adds the options of a call to a paused run. If one does not fit, it returns why, and the run is as before.
func (p *Pauses) accept(by *call) error {
	before := p.run.settings
	p.run.settings = by.on(before)
	err := p.checkSettings()
	if err != nil {
		p.run.settings = before
	}
	return err
}

// checkSettings returns why the run, or one of another machine for which it waits, cannot continue with its options.
func (p *Pauses) checkSettings() error {
	if err := p.run.Graph().unfit(&p.run.settings.Settings); err != nil {
		return err
	}
	if len(p.run.Graph().Models) > 0 {
		if a := p.run.Agent(); a.unaffordable(a.own) != nil {
			return a.unaffordable(a.own)
		}
	}
	for _, b := range p.nestedRuns() {
		before := b.settings
		b.settings = b.settings.inherited(p.run.settings)
		err := b.Pausing().checkSettings()
		if b.settings = before; err != nil {
			return err
		}
	}
	return nil
}

// nestedRuns lists the runs of other machines for which the run and its child runs wait.
func (p *Pauses) nestedRuns() (list []*Run) {
	w := p.awaited()
	switch {
	case w == nil:
	case w.child != nil && w.child.related.parent == nil:
		return []*Run{w.child}
	case w.child != nil:
		return w.child.Pauses().nestedRuns()
	case w.fork != nil:
		for i := range w.fork.branches {
			if b := w.fork.branches[i].run; b != nil && b.ending.Paused() {
				list = append(list, b.Pauses().nestedRuns()...)
			}
		}
	}
	return list
}

// IsDenied reports whether err is, or wraps, a DeniedError.
func IsDenied(err error) bool {
	_, ok := errors.AsType[*graphgen.DeniedError](err)
	return ok
}

// IsLate reports whether err is, or wraps, a LateError.
func IsLate(err error) bool {
	_, ok := errors.AsType[*graphgen.LateError](err)
	return ok
}

// A Reopened is a paused run of a thread in the memory of the process that answers it.
type Reopened struct {
	Pause   *graphgen.Pause
	Options *Applied // of the machine and of the call that answers
	Release func()   // the answer is not valid: the thread waits as before
}

// Lead makes Resume reopen the thread of a pause.
func Lead(p *graphgen.Pause, machine any, reopen func(context.Context, []graphgen.ResumeOption) (*Reopened, error)) {
	p.Origin = origin.To(&held{pause: &pause{machine: machine}, reopen: reopen})
}

// reopened returns the pause of a thread with the requests that p has; all, if it has none.
func (h *held) reopened(ctx context.Context, p *graphgen.Pause, opts []graphgen.ResumeOption) (*Reopened, error) {
	again, err := h.reopen(ctx, opts)
	if err != nil {
		return nil, notResumed(p, err)
	}
	if len(p.Requests) > 0 {
		narrowed := *again.Pause
		narrowed.Requests = slices.DeleteFunc(slices.Clone(narrowed.Requests), func(q graphgen.Request) bool {
			return !slices.ContainsFunc(p.Requests, func(of graphgen.Request) bool { return of.ID == q.ID })
		})
		if again.Pause = &narrowed; len(narrowed.Requests) == 0 {
			again.Release()
			return nil, notResumed(p, graphgen.ErrResumed)
		}
	}
	return again, nil
}
