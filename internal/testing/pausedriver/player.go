package pausedriver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
)

// An ended is a run that has ended, or one call of it.
type ended struct {
	out    Output
	err    error
	report graphgen.Report
	*session
}

// pause returns the pause of a call, nil if the run has ended.
func (e *ended) pause() *graphgen.InterruptedError {
	p, _ := errors.AsType[*graphgen.InterruptedError](e.err)
	return p
}

// run makes the call that begins a run.
func (s *session) run(ctx context.Context, do Call, opts ...graphgen.Option) (Output, error) {
	if s.dry {
		opts = append(opts, graphgen.WithDryRun())
	}
	return do(ctx, opts...)
}

// runTwin makes the run of a twin.
func (s *session) runTwin(twin Calls) *ended {
	e := &ended{session: s}
	e.out, e.err = s.run(s.with(context.Background(), 0), twin.Run, graphgen.WithReport(&e.report))
	return e
}

// A player makes one run with people.
type player struct {
	*session
	rand   *rand.Rand
	calls  Calls
	other  func() Calls // makes another machine
	want   *ended
	counts map[string]int

	status   map[string]int  // of requests, by ID
	loses    map[string]bool // by ID, whether another branch may make a request needless
	answered []*request      // all requests with an answer, each with a pause that had it
	pauses   []*graphgen.InterruptedError
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
	graphgen.Request
	p *graphgen.InterruptedError
}

// A mishap is what was wrong with a run.
type mishap struct{ text string }

// must stops the run with a problem.
func must(ok bool, format string, args ...any) {
	if !ok {
		panic(mishap{fmt.Sprintf(format, args...)})
	}
}

// play makes the run. It stops with what is wrong with it.
func (p *player) play() {
	p.status, p.loses = map[string]int{}, map[string]bool{}
	abandons, cancels := -1, -1
	switch p.rand.IntN(8) {
	case 0:
		abandons = p.rand.IntN(6)
	case 1:
		cancels = p.rand.IntN(6)
	}
	e := p.make(func(ctx context.Context, opts ...graphgen.Option) (Output, error) {
		return p.session.run(ctx, p.calls.Run, opts...)
	}, false)
	p.count("runs")
	for n := 0; e.pause() != nil; n++ {
		p.check(e)
		if n == abandons {
			p.count("abandoned")
			return
		}
		for range p.rand.IntN(4) {
			p.mischief(e.pause())
		}
		if p.rand.IntN(3) == 0 {
			time.Sleep(time.Duration(p.rand.IntN(20)) * time.Minute)
		}
		if n == cancels {
			q := p.pick(e.pause())
			p.count("cancelled")
			e, p.cut = p.one(q, true), true
			continue
		}
		e = p.step(e)
	}
	p.quiet()
	p.ends(e)
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
func (p *player) options(e *ended) []graphgen.Option {
	opts := []graphgen.Option{graphgen.WithReport(&e.report)}
	switch p.rand.IntN(6) {
	case 0:
		opts = append(opts, graphgen.WithObserver(func(graphgen.Event) {}))
	case 1:
		nothing := func(context.Context, graphgen.Event) error { return nil }
		opts = append(opts, graphgen.WithHook(graphgen.Hook{Name: "nothing", Before: nothing, After: nothing}))
	case 2:
		opts = append(opts, graphgen.WithTimings())
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
		must(q.Kind != graphgen.RequestDecision || n.Decides && !n.Calls, "%s is a decision", q.ID)
		must(q.Kind != graphgen.RequestToolApproval || n.Calls, "%s is a call that a person approves", q.ID)
		must(q.Kind != graphgen.RequestReply || n.Replies && !n.Tool, "%s is a reply", q.ID)
		must(q.Kind != graphgen.RequestClientTool || n.Tool, "%s is a call of a tool", q.ID)
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

// quiet checks that no goroutine of the run is left. It looks at the goroutines of the bubble, which are certain once all of them wait: how many
// the process has is not.
func (p *player) quiet() {
	synctest.Wait()
	stack := make([]byte, 1<<17)
	stack = stack[:runtime.Stack(stack, true)]
	must(bytes.Count(stack, []byte(", synctest bubble ")) <= bubble, "goroutines are left:\n%s", stack)
}

// bubble is how many goroutines package synctest has for a test, with the one of the test.
const bubble = 3

// pick returns a random request of a pause.
func (p *player) pick(of *graphgen.InterruptedError) *request {
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
	p.count("answers")
	return p.one(q, false)
}

// one gives a request its answer, in a context that may be cancelled in the middle of the call.
func (p *player) one(q *request, cancels bool) *ended {
	p.takesTime(q)
	next := p.make(p.answer(q), cancels)
	must(!refused(next.err), "the answer to %s is refused: %v", q.ID, next.err)
	p.done(q)
	return next
}

// takesTime lets the deadline of a late request pass.
func (p *player) takesTime(q *request) {
	if p.nodes[path(q.Within, q.Node)].Late && q.Kind != graphgen.RequestInterrupt {
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

// ends checks how a run has ended: as that of the twin.
func (p *player) ends(e *ended) {
	p.withdrawAll(e)
	for at, n := range p.effects {
		if node := p.nodes[at.path]; node.Routes > 0 {
			p.counts["routes chosen by a "+map[bool]string{false: "model", true: "handler"}[node.Works]] += n
		}
	}
	for _, q := range p.answered[max(0, len(p.answered)-3):] {
		p.isRefused("an answer after the end", p.method(q), graphgen.ErrResumed)
	}
	for _, text := range slices.Concat(p.problems, p.want.problems) {
		must(false, "%s", text)
	}
	if errors.Is(e.err, context.Canceled) || p.cut && e.report.Reason == graphgen.Stopped { // a dry run may stop first
		p.count("ended by cancellation")
		for at, n := range p.effects {
			must(n <= p.want.effects[at] || p.nodes[at.path].FailFast || p.nodes[at.path].Loses,
				"%v was executed %d times, and %d times in the twin", at, n, p.want.effects[at])
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
	both := maps.Clone(p.effects)
	maps.Copy(both, p.want.effects)
	for at := range both {
		have, want := p.effects[at], p.want.effects[at]
		must(have == want || raced && p.nodes[at.path].FailFast || p.nodes[at.path].Loses, "%v was executed %d times, and %d times in the twin", at, have, want)
	}
	must(e.report.Reason == p.want.report.Reason, "the run ended as %v, that of the twin as %v", e.report.Reason, p.want.report.Reason)
	if e.report.Reason == graphgen.Stopped {
		p.count("dry runs that stop")
	}
	loses := func(n Node) bool { return n.Loses } // which branch is first determines the steps of the others
	if !raced && !slices.ContainsFunc(slices.Collect(maps.Values(p.nodes)), loses) {
		must(maps.Equal(p.numbers, p.want.numbers), "the numbers of the steps are %v, those of the twin %v", p.numbers, p.want.numbers)
		must(e.report.Steps == p.want.report.Steps, "the run has %d steps, that of the twin %d", e.report.Steps, p.want.report.Steps)
		must(reflect.DeepEqual(e.report.Path, p.want.report.Path), "the path is %v, that of the twin %v", e.report.Path, p.want.report.Path)
	}
}

// withdrawAll checks that the requests that a run left open when it ended refuse answers.
func (p *player) withdrawAll(e *ended) {
	p.withdraw(nil)
	for _, last := range p.pauses[max(0, len(p.pauses)-1):] {
		for _, q := range last.Requests {
			if p.status[q.ID] == withdrawn {
				p.isRefused("an answer to a request that is withdrawn", p.method(&request{q, last}), graphgen.ErrResumed)
			}
		}
	}
}
