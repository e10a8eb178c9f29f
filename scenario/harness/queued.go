package harness

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/thread"
)

// A Queue runs the threads of a machine as jobs: workers call the methods of its threads.
type Queue interface {
	// Store returns the store of the threads.
	Store() thread.Store
	// Start inserts the job that begins a run, and Answer the job that answers a request of one: encoding/json makes JSON of the input and the answer. Their
	// error is why the job is refused.
	Start(ctx context.Context, thread, run string, input any) error
	Answer(ctx context.Context, thread, request string, answer any, by, note string) error
	// Close ends the workers.
	Close()
}

// queuedRun is a run by a queue.
type queuedRun struct {
	Queue
	options  []graphgen.CallOption // of the calls of the workers
	outcomes chan outcome
}

// An outcome is what a call of a thread has returned to a worker.
type outcome struct {
	out any
	err error
}

// Queued reports whether the run is made by a queue.
func (s *Script) Queued() bool { return s.mode == queued }

// InQueue sets the queue.
func (s *Script) InQueue(q Queue) { s.queue = &queuedRun{Queue: q, outcomes: make(chan outcome, 1)} }

// A Threaded is a machine with threads.
type Threaded[M, I, O, S any] interface {
	Thread(name string) thread.Thread[M, I, O, S]
	Durable() *durable.Machine
}

// Called returns the machine for workers: calls of its threads have the options of the run, and the script gets what they return.
func Called[M, I, O, S any](s *Script, m Threaded[M, I, O, S]) Threaded[M, I, O, S] {
	return called[M, I, O, S]{m, s}
}

type called[M, I, O, S any] struct {
	Threaded[M, I, O, S]
	script *Script
}

func (c called[M, I, O, S]) Thread(name string) thread.Thread[M, I, O, S] {
	return calledThread[M, I, O, S]{c.Threaded.Thread(name), c.script}
}

type calledThread[M, I, O, S any] struct {
	thread.Thread[M, I, O, S]
	script *Script
}

func (c calledThread[M, I, O, S]) Start(ctx context.Context, in I, opts ...graphgen.RunOption) (O, error) {
	for _, o := range c.script.queue.options {
		opts = append(opts, o)
	}
	out, err := c.Thread.Start(ctx, in, opts...)
	c.script.returned(out, err)
	return out, err
}

func (c calledThread[M, I, O, S]) Resume(ctx context.Context, a graphgen.Answer[M], opts ...graphgen.ResumeOption) (O, error) {
	out, err := c.Thread.Resume(ctx, a, append(opts, resuming(c.script.queue.options)...)...)
	c.script.returned(out, err)
	return out, err
}

func (c calledThread[M, I, O, S]) Recover(ctx context.Context, opts ...graphgen.CallOption) (O, error) {
	out, err := c.Thread.Recover(ctx, append(opts, c.script.queue.options...)...)
	c.script.returned(out, err)
	return out, err
}

// returned passes on what a call has returned, unless the worker makes it again.
func (s *Script) returned(out any, err error) {
	if is[*thread.HeldError](err) || is[*thread.LostError](err) {
		return
	}
	select {
	case s.queue.outcomes <- outcome{out, err}:
	default:
		_ = s.mistake(fmt.Sprintf("a job too many has returned %v, %v", out, err))
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// byQueue inserts a job, and returns what its call has returned.
func byQueue[O any](s *Script, insert func() error) (out O, err error) {
	if err := insert(); err != nil {
		return out, err
	}
	select {
	case o := <-s.queue.outcomes:
		out, _ = o.out.(O)
		return out, o.err
	case <-time.After(mostWait):
		err := errors.New("no worker has done the job")
		s.problem = err
		return out, err
	}
}

// queuedThread returns the name of the thread of a scenario in the queue, which has others.
func (s *Script) queuedThread() string { return fmt.Sprint(threadName, "-", s.scenario.ID) }

// compareInQueue runs a scenario by a queue, and returns what differs from the first run.
func compareInQueue(t *testing.T, w *wire.Scenario, graph func(*Script) error, first *wire.Result) string {
	other := runOnce(t, w, graph, queued, nil)
	if other.Problem != "" {
		return modeNames[queued] + ": " + other.Problem
	}
	other.Passed, other.LeftOut = first.Passed, first.LeftOut // the details of a report are of one process
	if d := differsElsewhere(untimed(first), untimed(other)); d != "" {
		return modeNames[queued] + ": " + d
	}
	return ""
}
