package scriptdriver

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
)

// A Call is one of a method of a machine that makes or resumes a run, without its context and options.
type Call func(ctx context.Context, to *Ended, opts ...graphgen.CallOption)

// Running returns options for a call that begins a run.
func Running(opts []graphgen.CallOption) (list []graphgen.RunOption) {
	for _, o := range opts {
		list = append(list, o)
	}
	return list
}

// Resuming returns options for a call that resumes a run.
func Resuming(opts []graphgen.CallOption) (list []graphgen.ResumeOption) {
	for _, o := range opts {
		list = append(list, o)
	}
	return list
}

// An Ended is what a call has returned.
type Ended struct {
	State, Output string
	Empty         bool // neither has a value
	Err           error

	report *graphgen.Report
	at     int
}

// Returned records what a call has returned, with the values of the state and the output.
func (e *Ended) Returned(state, output string, err error, values ...any) {
	e.State, e.Output, e.Err = state, output, err
	e.Empty = !slices.ContainsFunc(values, func(v any) bool { return !reflect.ValueOf(v).IsZero() })
}

// Events reads a stream to its end. It returns the output and the error of the run.
func Events[O any](p *Player, stream *graphgen.Stream[O]) (O, error) {
	for e := range stream.Events() {
		p.event(e)
	}
	return stream.Output()
}

// Interrupted is the text of the cause of the cancellations.
const Interrupted = "interrupted by the script"

var errInterrupt = errors.New(Interrupted)

// run makes one run.
func run(m Machine, mode Mode, script *Script, sights map[string]int) Result {
	if mode.Threads > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(mode.Threads))
	}
	p := &Player{machine: m, script: script, mode: mode, ctx: context.Background(), breaks: script.Break, played: map[string]int{}, models: map[string]bool{},
		start: time.Now(), people: people{keys: map[string]string{}, sights: sights}}
	if mode.Cancellable {
		cancellable, cancel := context.WithCancelCause(p.ctx)
		defer cancel(nil)
		p.ctx = cancellable
		if mode.Cancelled {
			p.interrupt = func() { cancel(errInterrupt) }
		}
	}
	if mode.Stopped {
		var stop graphgen.Stopper
		p.interrupt = stop.Stop
		p.given = append(p.given, graphgen.WithStopper(&stop))
	}
	if mode.Observed {
		p.given = append(p.given, graphgen.WithObserver(p.event))
	}
	if mode.Hooks {
		p.given = append(p.given, nothing, graphgen.WithTimings())
	}
	if mode.Death != "" {
		p.given = append(p.given, p.inThread(mode))
	}
	m.Run(p)
	return p.report(p.ended)
}

// nothing is a hook that does nothing.
var nothing = graphgen.WithHook(graphgen.Hook{
	Name:   "nothing",
	Before: func(context.Context, graphgen.Event) error { return nil },
	After:  func(context.Context, graphgen.Event) error { return nil },
})

// Streams reports whether the run is made as a stream of its events.
func (p *Player) Streams() bool { return p.mode.Stream }

// Play makes a run. start begins it, and the methods of its machine answer its requests; alien has methods of another machine.
func (p *Player) Play(start Call, own, alien *Methods) {
	p.own, p.alien = own, alien
	p.ended = p.make(start)[0]
	for n := 0; ; n++ {
		at := p.ended.pause()
		if at == nil {
			break
		}
		p.paused(p.ended)
		next := request{at.Requests[FirstAnswered(p.script, at.Requests)], at}
		if p.mode.Misused {
			p.act = &p.script.Acts[n%len(p.script.Acts)]
			if p.mode.Cut && p.act.Cancel < 0 {
				p.got.Cut = true
				break
			}
			p.ended = p.misused(next)
			continue
		}
		p.takesTime(next)
		p.ended = p.make(p.answer(next, Try{By: map[bool]string{true: ByEvents}[p.mode.Stream]}))[0]
	}
	if p.mode.Misused {
		p.ends()
	}
}

// paused records a pause.
func (p *Player) paused(e *Ended) {
	p.got.Pauses, p.pauses = append(p.got.Pauses, PauseText(e.at, e.pause().Requests)), append(p.pauses, e.pause())
	if p.mode.Misused {
		p.checks(e.pause())
	}
}

// takesTime lets the time pass that answers take.
func (p *Player) takesTime(list ...request) {
	time.Sleep(tick)
	for _, q := range list {
		if e := AnswerTo(p.script, q.Request); e.Kind == Late && !q.Deadline.IsZero() && time.Until(q.Deadline) >= 0 {
			time.Sleep(time.Until(q.Deadline) + tick)
		}
	}
}

// pause returns the pause of a call, nil if the run has ended.
func (e *Ended) pause() *graphgen.Pause { return graphgen.AsPause(e.Err) }

// waitsFor reports whether the run has paused with a request.
func (e *Ended) waitsFor(id string) bool { at := e.pause(); return at != nil && has(at, id) }

// callKey is the key of the number of a call in its context.
type callKey struct{}

// make makes calls, concurrently if there are several. The contexts of a misused machine end with the calls.
func (p *Player) make(calls ...Call) []*Ended {
	p.call++
	ctx, opts := p.ctx, slices.Clone(p.given)
	if p.mode.Misused {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(context.WithValue(ctx, callKey{}, p.call))
		defer cancel(nil)
		if act := p.act; act != nil {
			opts = append(opts, []graphgen.CallOption{graphgen.WithTimings(), nothing, graphgen.WithObserver(func(graphgen.Event) {})}[:act.Options]...)
			p.breaks, p.interrupt = p.calls+act.Cancel, nil
			if p.mode.Cut {
				p.interrupt = func() { p.got.Cut = true; cancel(errInterrupt) }
			}
		}
	}
	if p.mode.Dry && p.call == 1 {
		opts = append(opts, graphgen.WithDryRun())
	}
	ends := make([]*Ended, len(calls))
	var wg sync.WaitGroup
	for i, do := range calls[1:] {
		wg.Go(func() { ends[1+i] = p.makeOne(ctx, do, slices.Clone(opts)) })
	}
	ends[0] = p.makeOne(ctx, calls[0], slices.Clone(opts))
	wg.Wait()
	return ends
}

func (p *Player) makeOne(ctx context.Context, do Call, opts []graphgen.CallOption) *Ended {
	e := &Ended{report: new(graphgen.Report)}
	do(ctx, e, append(opts, graphgen.WithReport(e.report))...)
	e.at = p.now()
	return e
}

// quiet checks that no goroutine of the run is left. It looks at the goroutines of the bubble, which are certain once all of them wait.
func (p *Player) quiet() {
	synctest.Wait()
	stack := make([]byte, 1<<14)
	stack = stack[:runtime.Stack(stack, true)]
	if bytes.Count(stack, []byte(", synctest bubble ")) > bubble {
		p.wrong("goroutines are left:\n%s", stack)
	}
}

// bubble is how many goroutines package synctest has for a test, with the one of the test.
const bubble = 3
