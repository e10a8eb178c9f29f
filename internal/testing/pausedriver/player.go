package pausedriver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/answer"
)

// An ended is a run that has ended, or one call of it.
type ended struct {
	out    Output
	err    error
	report graphrt.Report
	*session
}

// pause returns the pause of a call, nil if the run has ended.
func (e *ended) pause() *graphrt.InterruptedError {
	p, _ := errors.AsType[*graphrt.InterruptedError](e.err)
	return p
}

// runTwin makes the run of a twin.
func (s *session) runTwin(twin Calls) *ended {
	e := &ended{session: s}
	e.out, e.err = twin.Run(s.with(context.Background(), 0), s.first(graphrt.WithReport(&e.report))...)
	return e
}

// first returns the options of the call that begins a run.
func (s *session) first(opts ...graphrt.Option) []graphrt.Option {
	if s.dry {
		opts = append(opts, graphrt.WithDryRun())
	}
	return opts
}

// A player makes one run with people.
type player struct {
	*session
	rand   *rand.Rand
	calls  Calls
	other  func() Calls // makes another machine
	want   *ended
	counts map[string]int

	begun    int             // goroutines before the run
	status   map[string]int  // of requests, by ID
	loses    map[string]bool // by ID, whether another branch may make a request needless
	answered []*request      // all requests with an answer, each with a pause that had it
	pauses   []*graphrt.InterruptedError
	cut      bool // a call was cancelled
}

// The status of a request.
const (
	open = 1 + iota
	closed
	withdrawn
)

// A request is one request with the pause that has it.
type request struct {
	graphrt.Request
	p *graphrt.InterruptedError
}

// A mishap is what was wrong with a run.
type mishap struct{ text string }

// must stops the run with a problem.
func must(ok bool, format string, args ...any) {
	if !ok {
		panic(mishap{fmt.Sprintf(format, args...)})
	}
}

// play makes the run, and returns what was wrong with it.
func (p *player) play() (problem string) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case mishap:
			problem = x.text
		default:
			panic(x)
		}
	}()
	p.begun = runtime.NumGoroutine()
	p.status, p.loses = map[string]int{}, map[string]bool{}
	abandons, cancels := -1, -1
	switch p.rand.IntN(8) {
	case 0:
		abandons = p.rand.IntN(6)
	case 1:
		cancels = p.rand.IntN(6)
	}
	e := p.make(func(ctx context.Context, opts ...graphrt.Option) (Output, error) {
		return p.calls.Run(ctx, p.first(opts...)...)
	}, false)
	p.count("runs")
	for n := 0; e.pause() != nil; n++ {
		p.check(e)
		if n == abandons {
			p.count("abandoned")
			return ""
		}
		for range p.rand.IntN(4) {
			p.mischief(e.pause())
		}
		if p.rand.IntN(3) == 0 {
			time.Sleep(time.Duration(p.rand.IntN(20)) * time.Minute)
		}
		if n == cancels {
			e = p.cancelled(e)
			continue
		}
		e = p.step(e)
	}
	p.quiet()
	p.ends(e)
	return ""
}

func (p *player) count(what string) { p.counts[what]++ }

// make makes a call, with random options.
func (p *player) make(do Call, cancels bool) *ended {
	e := &ended{session: p.session}
	p.session.call++
	ctx := p.with(context.Background(), p.session.call)
	if cancels || p.rand.IntN(2) == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		if cancels {
			p.session.cancel, p.session.cancelIn = cancel, 1+p.rand.IntN(3)
		}
	}
	e.out, e.err = do(ctx, p.options(e)...)
	p.session.cancel = nil
	return e
}

// options returns options of a call.
func (p *player) options(e *ended) []graphrt.Option {
	opts := []graphrt.Option{graphrt.WithReport(&e.report)}
	switch p.rand.IntN(6) {
	case 0:
		opts = append(opts, graphrt.WithObserver(func(graphrt.Event) {}))
	case 1:
		nothing := func(context.Context, graphrt.Event) error { return nil }
		opts = append(opts, graphrt.WithHook(graphrt.Hook{Name: "nothing", Before: nothing, After: nothing}))
	case 2:
		opts = append(opts, graphrt.WithTimings())
	}
	return opts
}

// check checks the requests of a pause: those that are not answered, and others that had not been there before.
func (p *player) check(e *ended) {
	p.quiet()
	now := e.pause()
	must(len(now.Requests) > 0 && reflect.DeepEqual(now.Request, now.Requests[0]), "the pause has the request %v, and %v", now.Request, now.Requests)
	p.count("pauses")
	listed := map[string]bool{}
	for _, q := range now.Requests {
		must(!listed[q.ID], "the pause lists the request %s twice", q.ID)
		must(p.status[q.ID] <= open, "the request %s is open again", q.ID)
		n := p.nodes[path(q.Within, q.Node)]
		must(q.Kind != graphrt.RequestDecision || n.Decides && !n.Calls, "%s is a decision", q.ID)
		must(q.Kind != graphrt.RequestToolApproval || n.Calls, "%s is a call that a person approves", q.ID)
		must(q.Kind != graphrt.RequestReply || n.Replies && !n.Tool, "%s is a reply", q.ID)
		must(q.Kind != graphrt.RequestClientTool || n.Tool, "%s is a call of a tool", q.ID)
		if p.status[q.ID] == 0 {
			p.count("requests")
		}
		listed[q.ID], p.status[q.ID], p.loses[q.ID] = true, open, n.Loses
	}
	if len(listed) > 1 {
		p.count("pauses with several requests")
	}
	p.withdraw(listed)
	p.pauses = append(p.pauses, now)
}

// withdraw notes the requests that are no longer open without an answer. That is a problem, unless a branch may
// have ended others.
func (p *player) withdraw(listed map[string]bool) {
	for id, s := range p.status {
		if s == open && !listed[id] {
			must(p.session.failed || p.cut || p.loses[id], "the request %s has disappeared", id)
			p.status[id] = withdrawn
			p.count("withdrawn")
		}
	}
}

// quiet checks that no goroutine of the run is left.
func (p *player) quiet() {
	synctest.Wait()
	if runtime.NumGoroutine() <= p.begun {
		return
	}
	stack := make([]byte, 1<<17) // has no goroutine that is about to end, as the number may
	stack = stack[:runtime.Stack(stack, true)]
	must(bytes.Count(stack, []byte(", synctest bubble ")) <= bubble, "goroutines are left:\n%s", stack)
}

// bubble is how many goroutines package synctest has for a test, with the one of the test.
const bubble = 3

// pick returns a random request of a pause.
func (p *player) pick(of *graphrt.InterruptedError) *request {
	return &request{of.Requests[p.rand.IntN(len(of.Requests))], of}
}

// step answers one or two requests of a pause.
func (p *player) step(e *ended) *ended {
	now := e.pause()
	q := p.pick(now)
	switch n := p.rand.IntN(6); {
	case n == 0 && len(now.Requests) > 1:
		other := p.pick(now)
		for other.ID == q.ID {
			other = p.pick(now)
		}
		return p.both(e, q, other)
	case n == 1:
		return p.twice(q)
	}
	if p.rand.IntN(4) == 0 { // by an earlier pause that has the request too
		for _, old := range p.pauses {
			if old.For(q.ID) != nil {
				q.p = old
				break
			}
		}
	}
	p.takesTime(q)
	next := p.make(p.answer(q), false)
	must(!refused(next.err), "the answer to %s is refused: %v", q.ID, next.err)
	p.done(q)
	p.count("answers")
	return next
}

// takesTime lets the deadline of a late request pass.
func (p *player) takesTime(q *request) {
	if p.nodes[path(q.Within, q.Node)].Late && q.Kind != graphrt.RequestInterrupt {
		time.Sleep(time.Until(q.Deadline) + 1)
		p.count("late")
	}
}

// done notes that a request has its answer.
func (p *player) done(q *request) {
	must(p.status[q.ID] == open, "the request %s was answered twice", q.ID)
	p.status[q.ID] = closed
	p.answered = append(p.answered, q)
}

// stepOf returns the step of a request.
func stepOf(q *request) step {
	return step{path: path(q.Within, q.Node), branch: q.Branch, visit: q.Visit, asks: true}
}

// answer returns the call that gives a request the answer that the twin has beforehand. The call notes it first,
// as the steps behind it may end those of other branches.
func (p *player) answer(q *request) Call {
	do := p.method(q)
	if q.Kind == graphrt.RequestInterrupt {
		return do
	}
	at, n := stepOf(q), p.nodes[path(q.Within, q.Node)]
	return func(ctx context.Context, opts ...graphrt.Option) (Output, error) {
		if n.ends() && p.fails(at, n) {
			p.mu.Lock()
			p.session.failed = true
			p.mu.Unlock()
		}
		out, err := do(ctx, opts...)
		if !refused(err) {
			p.note(at, "", n)
		}
		return out, err
	}
}

// method returns the call that gives a request its answer, typed or in JSON.
func (p *player) method(q *request) Call {
	byJSON := p.rand.IntN(2) == 0
	if q.Kind == graphrt.RequestInterrupt {
		p.count("interrupts")
		if byJSON {
			return p.calls.Answer(q.p, q.ID, []byte(`"continue"`))
		}
		return p.calls.GoOn(q.p.For(q.ID))
	}
	at := stepOf(q)
	n, v := p.nodes[at.path], p.value(at)
	v.Decision = answer.Approve
	if p.fails(at, n) {
		v.Decision = answer.Deny
		p.count("denials")
	}
	if n.Calls {
		p.count("decisions about calls")
		if v.Decision == answer.Approve {
			v.N = p.number(at)
		}
	}
	if byJSON && p.rand.IntN(2) == 0 {
		p.count("streams")
		return p.calls.Stream(q.p, q.ID, encoded(q, v))
	}
	if byJSON {
		return p.calls.Answer(q.p, q.ID, encoded(q, v))
	}
	typed := p.calls.Typed[at.path]
	if n.Tool {
		p.count("results of tools")
	}
	if q.Within != "" && (n.Tool || n.Calls) {
		p.count("typed answers about calls of other graphs")
	}
	must(typed != nil, "no method for %s", at.path)
	if of := q.p; len(p.sameNode(of, q)) == 1 && p.rand.IntN(2) == 0 {
		return typed(of, v)
	}
	return typed(q.p.For(q.ID), v)
}

// sameNode returns the requests of a pause that are of the node of q, whether they are still open or not.
func (p *player) sameNode(of *graphrt.InterruptedError, q *request) (out []string) {
	for _, o := range of.Requests {
		if o.Kind == q.Kind && path(o.Within, o.Node) == path(q.Within, q.Node) {
			out = append(out, o.ID)
		}
	}
	return out
}

// encoded returns an answer in JSON.
func encoded(q *request, v Value) []byte {
	switch {
	case q.Kind == graphrt.RequestToolApproval && v.N > 0:
		return fmt.Appendf(nil, `{"decision":%q,"arguments":{"n":%d}}`, v.Decision, v.N)
	case q.Kind == graphrt.RequestDecision || q.Kind == graphrt.RequestToolApproval:
		return fmt.Appendf(nil, "%q", v.Decision)
	}
	m := map[string]any{}
	if strings.Contains(q.Schema, `"log"`) {
		m["log"] = v.Log
	}
	if strings.Contains(q.Schema, `"total"`) {
		m["total"] = v.Total
	}
	var answer any = m
	if q.Kind == graphrt.RequestClientTool {
		if answer = map[string]any{"result": m}; v.Error() != "" {
			answer = map[string]any{"error": v.Error()}
		}
	}
	text, err := json.Marshal(answer)
	must(err == nil, "%v", err)
	return text
}

// refused reports whether a call was refused.
func refused(err error) bool {
	_, ok := err.(*graphrt.ResumeError)
	return ok
}

// twice gives a request its answer from several goroutines. All but one are refused.
func (p *player) twice(q *request) *ended {
	p.takesTime(q)
	results := p.atOnce(q, q, q)
	var next *ended
	for _, e := range results {
		if refused(e.err) {
			must(errors.Is(e.err, graphrt.ErrResumed), "a second answer to %s: %v", q.ID, e.err)
			p.count("refused")
			continue
		}
		must(next == nil, "the request %s accepts two answers", q.ID)
		next = e
	}
	must(next != nil, "the request %s accepts no answer", q.ID)
	p.done(q)
	p.count("answers")
	p.count("answers given thrice at once")
	return next
}

// atOnce gives answers at once, each from a goroutine of its own.
func (p *player) atOnce(list ...*request) []*ended {
	results := make([]*ended, len(list))
	p.session.call++
	ctx, cancel := context.WithCancel(p.with(context.Background(), p.session.call))
	defer cancel()
	var wg sync.WaitGroup
	for i, q := range list {
		e := &ended{session: p.session}
		results[i] = e
		do, opts := p.answer(q), p.options(e)
		wg.Go(func() { e.out, e.err = do(ctx, opts...) })
	}
	wg.Wait()
	return results
}

// both gives two requests their answers at once. Both are accepted, one after the other, unless the first
// withdraws the second.
func (p *player) both(before *ended, a, b *request) *ended {
	p.takesTime(a)
	p.takesTime(b)
	p.count("pairs of answers at once")
	results := p.atOnce(a, b)
	var next *ended
	for i, q := range []*request{a, b} {
		e, other := results[i], results[1-i]
		if refused(e.err) {
			must(errors.Is(e.err, graphrt.ErrResumed) && (p.session.failed || p.loses[q.ID]), "the answer to %s, with another to %s: %v", q.ID, other.err, e.err)
			now := other.pause()
			must(!refused(other.err) && (now == nil || now.For(q.ID) == nil), "the answers to %s and %s are refused: %v, %v", a.ID, b.ID, e.err, other.err)
			p.count("refused")
			continue
		}
		p.done(q)
		p.count("answers")
		if now := e.pause(); now == nil || now.For(a.ID) == nil && now.For(b.ID) == nil {
			must(next == nil || refused(other.err), "both answers, to %s and %s, end the last pause: %v, %v", a.ID, b.ID, e.err, other.err)
			next = e
		}
	}
	must(next != nil, "no answer, to %s or to %s, is the last: %v, %v", a.ID, b.ID, results[0].err, results[1].err)
	return next
}

// cancelled gives an answer in a context that is cancelled in the middle of the call.
func (p *player) cancelled(e *ended) *ended {
	q := p.pick(e.pause())
	p.takesTime(q)
	p.count("cancelled")
	next := p.make(p.answer(q), true)
	must(!refused(next.err), "the answer to %s is refused: %v", q.ID, next.err)
	p.done(q)
	p.cut = true
	return next
}

// ends checks how a run has ended: as that of the twin.
func (p *player) ends(e *ended) {
	p.withdrawAll(e)
	for _, q := range p.answered[max(0, len(p.answered)-3):] {
		p.isRefused("an answer after the end", p.method(q), graphrt.ErrResumed)
	}
	for _, text := range slices.Concat(p.problems, p.want.problems) {
		must(false, "%s", text)
	}
	if errors.Is(e.err, context.Canceled) || p.cut && e.report.Reason == graphrt.Stopped { // a dry run may stop first
		p.count("ended by cancellation")
		for at, n := range p.effects {
			must(n <= p.want.effects[at] || p.nodes[at.path].FailFast || p.nodes[at.path].Loses, "%v was executed %d times, and %d times in the twin", at, n, p.want.effects[at])
		}
		return
	}
	must((e.err == nil) == (p.want.err == nil), "the run ended with %v, the twin with %v", e.err, p.want.err)
	if e.err == nil {
		p.count("completed")
		must(reflect.DeepEqual(e.out, p.want.out), "the output is %v, that of the twin %v", e.out, p.want.out)
	} else {
		p.count("failed")
	}
	raced := p.want.session.failed || p.session.failed
	must(p.want.session.failed == p.session.failed, "a branch failed: %v, in the twin: %v", p.session.failed, p.want.session.failed)
	for at := range all(p.effects, p.want.effects) {
		have, want := p.effects[at], p.want.effects[at]
		must(have == want || raced && p.nodes[at.path].FailFast || p.nodes[at.path].Loses, "%v was executed %d times, and %d times in the twin", at, have, want)
	}
	must(e.report.Reason == p.want.report.Reason, "the run ended as %v, that of the twin as %v", e.report.Reason, p.want.report.Reason)
	if e.report.Reason == graphrt.Stopped {
		p.count("dry runs that stop")
	}
	if !raced && !p.hasLosers() {
		must(maps.Equal(p.numbers, p.want.numbers), "the numbers of the steps are %v, those of the twin %v", p.numbers, p.want.numbers)
		must(e.report.Steps == p.want.report.Steps, "the run has %d steps, that of the twin %d", e.report.Steps, p.want.report.Steps)
		must(reflect.DeepEqual(e.report.Path, p.want.report.Path), "the path is %v, that of the twin %v", e.report.Path, p.want.report.Path)
	}
}

// hasLosers reports whether the steps of branches depend on which of them is first.
func (p *player) hasLosers() bool {
	for _, n := range p.nodes {
		if n.Loses {
			return true
		}
	}
	return false
}

// all yields the keys of both maps.
func all(a, b map[step]int) map[step]int {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// withdrawAll checks that the requests that a run left open when it ended refuse answers.
func (p *player) withdrawAll(e *ended) {
	p.withdraw(nil)
	if len(p.pauses) == 0 {
		return
	}
	for _, q := range p.pauses[len(p.pauses)-1].Requests {
		if p.status[q.ID] == withdrawn {
			q := &request{q, p.pauses[len(p.pauses)-1]}
			p.isRefused("an answer to a request that is withdrawn", p.method(q), graphrt.ErrResumed)
		}
	}
}
