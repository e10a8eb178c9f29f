package engine

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/internal/origin"
)

// held is a paused run, until it is resumed.
type held struct {
	run     *Run
	whole   any // the generated run that run is a part of
	machine any
	node    NodeID
	taken   atomic.Bool
}

// A Question is what a node asks a person. Generated code writes it.
type Question struct {
	Choices []string
	Schema  string
	Timeout time.Duration
	State   any // a copy of the state as it is: what is committed later does not reach it

	Text
	shown []graphrt.Shown
	name  string // of what is shown next
}

// Under names the value that is shown next.
func (q *Question) Under(name string) *Question { q.name = name; return q }

// Show shows a text with the question.
func (q *Question) Show(text string) {
	q.shown = append(q.shown, graphrt.Shown{Name: q.name, Text: text})
}

// ShowInt shows a number.
func (q *Question) ShowInt(n int) { q.Show(strconv.Itoa(n)) }

// ShowFloat shows a number.
func (q *Question) ShowFloat(f float64) { q.Show(strconv.FormatFloat(f, 'g', -1, 64)) }

// ShowBool shows true or false.
func (q *Question) ShowBool(b bool) { q.Show(strconv.FormatBool(b)) }

// ShowJSON shows a value with the question. If err is not nil, the node fails.
func (q *Question) ShowJSON(data []byte, err error) {
	q.shown = append(q.shown, graphrt.Shown{Name: q.name, Text: string(data), JSON: true})
	q.flawed(err)
}

// Pause ends this call of the machine with a question. machine is the one that may resume it, and
// whole the generated run. An error fails the node: there is no question.
func (r *Run) Pause(machine, whole any, q *Question) error {
	if q.err != nil {
		return q.err
	}
	r.attentive()
	p := &graphrt.InterruptedError{Where: r.where(r.At), Question: strings.TrimSpace(string(q.text)), Shown: q.shown, Choices: q.Choices, Schema: q.Schema}
	p.Origin = origin.To(&held{run: r, whole: whole, machine: machine, node: r.At})
	if q.Timeout > 0 {
		p.Deadline = time.Now().Add(q.Timeout)
	}
	r.withExtra().asked = q.State
	if r.graph.Timeout > 0 {
		r.withExtra().left -= time.Since(r.extra().running)
	}
	if r.watched() {
		r.notify(&graphrt.Event{Kind: graphrt.Interrupt, Node: p.Node, Text: p.Question})
	}
	r.end(graphrt.Paused, p)
	return nil
}

// Answered reports, once a pause, whether the current node has its answer.
func (r *Run) Answered() bool {
	answered := r.extra().answered
	r.withExtra().answered = false
	return answered
}

// Answer returns why a request was not approved: a DeniedError or a LateError, else nil.
func (r *Run) Answer() error { return r.extra().withheld }

// Withheld records that the run takes the spec's transition for a denied or late answer.
func (r *Run) Withheld() {
	r.attentive()
	r.withExtra().outcome = withheld
}

// ResumeDecision resumes a run that paused at a node of a machine, with a decision. If it
// returns a ResumeError, nothing has changed.
func ResumeDecision[R any](ctx context.Context, p *graphrt.InterruptedError, machine any, at NodeID, answer graphrt.Decision, opts []graphrt.Option) (*R, error) {
	var invalid error
	if answer.String() == "" {
		invalid = &graphrt.AnswerError{Err: errors.New("neither approve nor deny")}
	}
	h, late, err := claim(ctx, p, machine, at, invalid)
	if err != nil {
		return nil, err
	}
	verdict := late
	if verdict == nil && answer != graphrt.Approve {
		verdict = &graphrt.DeniedError{}
	}
	h.run.goOn(ctx, verdict, opts)
	return h.whole.(*R), nil
}

// ResumeReply resumes a run that paused at a node of a machine, with an answer that the
// generated code keeps. invalid is the reason why the answer is invalid, nil if it is valid.
func ResumeReply[R any](ctx context.Context, p *graphrt.InterruptedError, machine any, at NodeID, invalid error, opts []graphrt.Option) (*R, error) {
	if invalid != nil {
		invalid = &graphrt.AnswerError{Err: invalid}
	}
	h, late, err := claim(ctx, p, machine, at, invalid)
	if err != nil {
		return nil, err
	}
	h.run.goOn(ctx, late, opts)
	return h.whole.(*R), nil
}

// claim takes a pause for the caller alone. A late answer is not validated: any answer
// resumes a run whose deadline has passed.
func claim(ctx context.Context, p *graphrt.InterruptedError, machine any, at NodeID, invalid error) (h *held, late, err error) {
	if p != nil {
		h, _ = origin.Of(p.Origin).(*held)
	}
	if h == nil {
		return nil, nil, &graphrt.ResumeError{Err: graphrt.ErrNoPause}
	}
	refuse := func(why error) (*held, error, error) {
		return nil, nil, &graphrt.ResumeError{Where: p.Where, Err: why}
	}
	if now := time.Now(); !p.Deadline.IsZero() && now.After(p.Deadline) {
		late, invalid = &graphrt.LateError{Deadline: p.Deadline, By: now.Sub(p.Deadline)}, nil
	}
	switch {
	case h.machine != machine:
		return refuse(graphrt.ErrOtherMachine)
	case h.node != at:
		return refuse(graphrt.ErrOtherNode)
	case h.taken.Load():
		return refuse(graphrt.ErrResumed)
	case ctx.Err() != nil:
		return refuse(context.Cause(ctx))
	case invalid != nil:
		return refuse(invalid)
	case !h.taken.CompareAndSwap(false, true):
		return refuse(graphrt.ErrResumed)
	}
	return h, late, nil
}

// goOn continues the run at its paused node with an answer.
func (r *Run) goOn(ctx context.Context, verdict error, opts []graphrt.Option) {
	r.settings = r.settings.with(opts)
	r.over, r.reason, r.withExtra().err = false, graphrt.Completed, nil
	r.withExtra().answered, r.withExtra().withheld, r.withExtra().asked = true, verdict, nil
	r.context = &runContext{run: r} // code that kept the one before sees its end
	r.under(ctx)
	if r.watched() {
		x := r.withExtra()
		r.observed().clock = time.Time{}
		if x.started = true; x.begun.IsZero() {
			x.begun = r.now()
		}
		r.opens()
	}
	if r.promptsFit() {
		r.schedule()
	}
}

// under gives the run a new context, with the rest of its timeout.
func (r *Run) under(ctx context.Context) {
	if limit := r.graph.Timeout; limit > 0 {
		x := r.withExtra()
		x.running = time.Now()
		ctx, x.cancel = context.WithTimeoutCause(ctx, x.left, &graphrt.TimeoutError{Scope: "run", Limit: limit})
	}
	r.context.Context, r.asks = ctx, ctx.Done() != nil
}

// IsDenied reports whether err is, or wraps, a DeniedError.
func IsDenied(err error) bool {
	_, ok := errors.AsType[*graphrt.DeniedError](err)
	return ok
}

// IsLate reports whether err is, or wraps, a LateError.
func IsLate(err error) bool {
	_, ok := errors.AsType[*graphrt.LateError](err)
	return ok
}
