package river

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	queue "github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/thread"
)

// A Worker is what one process works on.
type Worker struct {
	// Machines are of all graphs whose jobs are in the queues: an attempt at a job of another graph fails.
	Machines []*Machine

	// Queues has how many jobs of a queue of River work in this process at a time; nil: 10 of DefaultQueue.
	Queues map[string]int

	// Periodic runs begin again and again. One process of all does that.
	Periodic []Periodic

	// Grace is how long steps may last once the context of Work ends; then they are cancelled. 0: 10 seconds. A run is handed on
	// between two steps.
	Grace time.Duration

	// Report is called with each error of a job, of the stores and of River; nil: they are in the log of River. It may be called concurrently.
	Report func(thread string, err error)
}

// errHandedOn is the cause of the end of the context of runs that another process continues.
var errHandedOn = errors.New("river: the worker ends")

// Work works on jobs until the context ends. It returns when no job of this process works any more: runs are handed on to other processes. The error
// is the cause of the context, or why the worker could not start.
//
// Work also looks for jobs and threads whose process was killed, of all queues, and gives them to the workers that are left: at most three times Every
// after the lease of the thread has ended.
func (q *Queue) Work(ctx context.Context, w Worker) error {
	on, err := q.newWorking(w)
	if err != nil {
		return err
	}
	return on.work(ctx)
}

func (on *working) work(ctx context.Context) error {
	if err := on.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("river: %w", err)
	}
	var looking sync.WaitGroup
	looking.Go(func() { on.takeOver(ctx) })
	for _, m := range on.machines {
		looking.Go(func() { on.look(ctx, m) })
	}
	<-ctx.Done()
	close(on.ending)
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), on.Grace)
	defer cancel()
	if on.client.Stop(grace) != nil {
		_ = on.client.StopAndCancel(context.WithoutCancel(ctx)) // the context has no end
	}
	looking.Wait()
	return context.Cause(ctx)
}

// working is a worker that works.
type working struct {
	*Queue
	Worker
	machines map[string]*Machine // by graph
	client   *queue.Client[pgx.Tx]
	ending   chan struct{}
}

func (q *Queue) newWorking(w Worker) (*working, error) {
	if w.Queues == nil {
		w.Queues = map[string]int{DefaultQueue: 10}
	}
	if w.Grace <= 0 {
		w.Grace = 10 * time.Second
	}
	if w.Report == nil {
		w.Report = func(string, error) {}
	}
	on := &working{Queue: q, Worker: w, machines: map[string]*Machine{}, ending: make(chan struct{})}
	for _, m := range w.Machines {
		if err := m.knows(m.graph); err != nil {
			return nil, err
		}
		if on.machines[m.graph] != nil {
			return nil, fmt.Errorf("river: two machines are of the graph %q", m.graph)
		}
		on.machines[m.graph] = m
	}
	c := q.config()
	c.JobTimeout = -1 // the limits of the graph hold
	c.Workers = queue.NewWorkers()
	c.Queues = map[string]queue.QueueConfig{}
	for name, most := range w.Queues {
		c.Queues[name] = queue.QueueConfig{MaxWorkers: most}
	}
	for i := range w.Periodic {
		p, err := q.periodic(&w.Periodic[i])
		if err != nil {
			return nil, err
		}
		c.PeriodicJobs = append(c.PeriodicJobs, p)
	}
	register(on, c.Workers, func(a startArgs) Subject { return a.Subject }, on.start)
	register(on, c.Workers, func(a answerArgs) Subject { return a.Subject }, on.answer)
	register(on, c.Workers, func(a recoverArgs) Subject { return a.Subject }, on.recover)
	register(on, c.Workers, func(a deadlineArgs) Subject { return a.Subject }, on.deadline)
	var err error
	if on.client, err = queue.NewClient(riverpgxv5.New(q.pool), c); err != nil {
		return nil, fmt.Errorf("river: %w", err)
	}
	return on, nil
}

// An attempt is an attempt at a job.
type attempt struct {
	row     *rivertype.JobRow
	about   Subject
	machine *Machine
	watch   graphgen.Option
}

// begun is the key of the metadata of a job that was handed on after it may have changed its thread: River does not count that as an attempt.
const begun = "graphgen:begun"

// again reports whether there was an attempt before that may have changed the thread.
func (a *attempt) again() bool {
	return a.row.Attempt > 1 || strings.Contains(string(a.row.Metadata), `"`+begun+`"`)
}

// handOn returns what has River give a job to another worker after a time.
func handOn(ctx context.Context, after time.Duration) error {
	if err := queue.MetadataSet(ctx, begun, true); err != nil {
		return err
	}
	return queue.JobSnooze(after)
}

// A handler works on the jobs of one kind.
type handler[T queue.JobArgs] struct {
	queue.WorkerDefaults[T]
	on    *working
	about func(T) Subject
	do    func(context.Context, *attempt, T) error
}

func register[T queue.JobArgs](on *working, all *queue.Workers, about func(T) Subject, do func(context.Context, *attempt, T) error) {
	queue.AddWorker(all, &handler[T]{on: on, about: about, do: do})
}

// Timeout implements River's Worker: the limits of the graph hold.
func (h *handler[T]) Timeout(*queue.Job[T]) time.Duration { return -1 }

// NextRetry implements River's Worker.
func (h *handler[T]) NextRetry(job *queue.Job[T]) time.Time {
	if h.on.o.Backoff == nil {
		return time.Time{}
	}
	return time.Now().Add(h.on.o.Backoff(job.Attempt))
}

// Work implements River's Worker. River writes the text of what it returns, or panics with.
func (h *handler[T]) Work(ctx context.Context, job *queue.Job[T]) error {
	defer func() {
		if v := recover(); v != nil {
			panic(writable(fmt.Sprint(v)))
		}
	}()
	a := &attempt{row: job.JobRow, about: h.about(job.Args)}
	err := h.on.attempt(ctx, a, func(ctx context.Context) error { return h.do(ctx, a, job.Args) })
	if err == nil {
		return nil
	}
	return &writableError{err}
}

// A writableError is an error whose text River can write. One that Postgres refuses would keep all jobs of the process from being completed, as River
// writes what has come of many jobs by one statement, and repeats it.
type writableError struct{ err error }

func (e *writableError) Error() string { return writable(e.err.Error()) }
func (e *writableError) Unwrap() error { return e.err }

// writable returns a text without the character 0, which JSON in Postgres cannot have.
func writable(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }

// attempt makes an attempt at a job, and returns what River is to do with it.
func (on *working) attempt(ctx context.Context, a *attempt, do func(context.Context) error) error {
	if on.isEnding() {
		return queue.JobSnooze(0)
	}
	if a.machine = on.machines[a.about.Graph]; a.machine == nil {
		return on.failed(a, fmt.Errorf("this worker has no machine of the graph %q", a.about.Graph))
	}
	if free, err := on.admit(ctx, a); err != nil || !free {
		if err != nil {
			return on.failed(a, err)
		}
		return queue.JobSnooze(on.while(time.Second))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a.watch = graphgen.WithObserver(func(e graphgen.Event) {
		if e.Kind == graphgen.Routed && e.Run.Within == "" && e.Run.Branch == "" && on.isEnding() {
			cancel(errHandedOn)
		}
	})
	err := do(ctx)
	switch held := heldBy(err); {
	case err == nil || graphgen.AsPause(err) != nil:
		return nil
	case held != nil:
		return queue.JobSnooze(on.while(time.Until(held.Until)))
	case isLost(err, a.about.Thread):
		return handOn(ctx, on.while(on.o.Every))
	case ctx.Err() != nil:
		return handOn(ctx, 0)
	case isFinal(err):
		on.Report(a.about.Thread, err)
		return queue.JobCancel(err)
	}
	return on.failed(a, err)
}

// heldBy returns the error of a job whose thread something else works on, nil if it has another one. A run begins with the lease: the error of one is
// that of a handler, about another thread.
func heldBy(err error) *thread.HeldError {
	if is[*graphgen.RunError](err) {
		return nil
	}
	held, _ := errors.AsType[*thread.HeldError](err)
	return held
}

// isLost reports whether a job has lost the lease of its thread: a handler may return the error of another one.
func isLost(err error, name string) bool {
	lost, ok := errors.AsType[*thread.LostError](err)
	return ok && lost.Thread == name
}

// failed reports an error that the next attempt may not have.
func (on *working) failed(a *attempt, err error) error {
	on.Report(a.about.Thread, err)
	return err
}

// isEnding reports whether the context of Work has ended.
func (on *working) isEnding() bool {
	select {
	case <-on.ending:
		return true
	default:
		return false
	}
}

// while returns how long a job waits for something that lasts for a time, at random: between a half and three halves of that, at most Every.
func (on *working) while(d time.Duration) time.Duration {
	d = max(min(d, on.o.Every), 20*time.Millisecond)
	return min(d/2+rand.N(d), on.o.Every)
}

// isFinal reports whether no attempt has another result.
func isFinal(err error) bool {
	if e, ok := errors.AsType[*graphgen.RunError](err); ok {
		return e.Reason != graphgen.Failed || isSpent(e)
	}
	return is[*inputError](err) || isRefused(err) || is[*thread.StateError](err) || is[*thread.NotFoundError](err) ||
		is[*thread.InvalidError](err) || is[*thread.CorruptError](err)
}

// isSpent reports whether a run has failed by a count that is in its thread. A handler may return the error of another run, whose counts are not;
// those of the run's own subgraphs are.
func isSpent(run *graphgen.RunError) bool {
	var spent *graphgen.LimitError
	errtree.As(run.Err, &spent, func(err error) bool {
		switch e := err.(type) {
		case *graphgen.LimitError:
			spent = e
		case *graphgen.RunError:
			return run.Report == nil || e.Report == nil || !strings.HasPrefix(e.Report.ID, run.Report.ID+"/")
		}
		return spent != nil
	})
	return spent != nil && (spent.Limit == graphgen.LimitVisits || spent.Limit == graphgen.LimitDepth)
}

// isRefused reports whether an answer was refused for what it is. A ResumeError may also have an error of the store, or a lease, as its cause.
func isRefused(err error) bool {
	return errors.Is(err, graphgen.ErrResumed) || errors.Is(err, graphgen.ErrOtherNode) || is[*graphgen.AnswerError](err)
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// start begins a run, or continues it where an attempt before was killed or has failed.
func (on *working) start(ctx context.Context, a *attempt, args startArgs) error {
	err := a.machine.start(ctx, args.Thread, args.Run, []byte(args.Input), a.watch)
	if a.again() && is[*thread.SavedError](err) && !isFinal(err) {
		return a.machine.recover(ctx, args.Thread, a.watch)
	}
	return err
}

// answer answers a request. If an attempt before has done that, it continues the run.
func (on *working) answer(ctx context.Context, a *attempt, args answerArgs) error {
	if a.again() {
		info, err := a.machine.info(ctx, args.Thread)
		if err != nil {
			return err
		}
		if requestOf(&info, args.Request) == nil {
			return on.proceed(ctx, a, info.Status)
		}
	}
	return a.machine.resume(ctx, &args, a.watch)
}

// recover continues a run, unless another process has done that.
func (on *working) recover(ctx context.Context, a *attempt, args recoverArgs) error {
	info, err := a.machine.info(ctx, args.Thread)
	switch {
	case err != nil:
		return err
	case info.Status == thread.Paused: // where it was saved by another version
		return a.machine.recover(ctx, args.Thread, a.watch)
	case info.Status.Ended() && !args.Ended && !a.again():
		return nil
	case info.Status == thread.Stopped && args.Ended:
		return a.machine.recover(ctx, args.Thread, a.watch)
	}
	return on.proceed(ctx, a, info.Status)
}

// proceed continues a run that has not ended, or has failed.
func (on *working) proceed(ctx context.Context, a *attempt, status thread.Status) error {
	if status == thread.Running || status == thread.Failed {
		return a.machine.recover(ctx, a.about.Thread, a.watch)
	}
	return nil
}

// late is not valid for any request: before the deadline it is refused, and after it the run learns that it is late.
const late = "late"

// deadline continues a run whose request was not answered in time.
func (on *working) deadline(ctx context.Context, a *attempt, args deadlineArgs) error {
	info, err := a.machine.info(ctx, args.Thread)
	switch {
	case is[*thread.NotFoundError](err): // it was deleted
		return nil
	case err != nil:
		return err
	}
	r := requestOf(&info, args.Request)
	switch {
	case r == nil && a.again():
		return on.proceed(ctx, a, info.Status)
	case r == nil && info.Status == thread.Running: // it may wait again before this job is done, which has no second one of its key
		return queue.JobSnooze(on.while(on.o.Every))
	case r == nil || r.Deadline.IsZero():
		return nil
	}
	if left := time.Until(r.Deadline); left >= 0 { // by the clock of this machine, or the question was asked again
		return queue.JobSnooze(left + time.Millisecond)
	}
	err = a.machine.resume(ctx, &answerArgs{Subject: args.Subject, Request: args.Request, Answer: late}, a.watch)
	if errors.Is(err, graphgen.ErrResumed) || errors.Is(err, graphgen.ErrOtherNode) { // an answer has overtaken it
		return nil
	}
	return err
}

// requestOf returns the open request of an ID, nil if there is none.
func requestOf(info *thread.Info, id string) *graphgen.Request {
	for i := range info.Requests {
		if info.Requests[i].ID == id {
			return &info.Requests[i]
		}
	}
	return nil
}
