package engine

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/driver"
)

// A Joining determines which branches a fork waits for and what their failures do.
type Joining uint8

const (
	JoinFailFast Joining = iota // all have to succeed; the first that fails cancels the others
	JoinAll                     // all have to succeed; all run to their end
	JoinFirst                   // need successes are enough, and cancel the others
	JoinSettled                 // all run to their end; failures are left out, need have to succeed
)

// A Fork runs branches concurrently and waits for them. When it has ended, every branch has: no
// goroutine outlives the node.
type Fork struct {
	run      *Run
	parent   context.Context // of the node
	ctx      context.Context // of the branches
	cancel   context.CancelCauseFunc
	join     Joining
	need     int // successes
	parallel int // the most concurrent branches

	calls    chan outside  // calls of branches on the goroutine of the parent run; nil: it needs none
	freed    chan struct{} // a branch has ended; nil: nothing waits for one
	drive    func(branch int)
	work     func() // of a goroutine: runs branches that were launched
	branches []branch
	begun    int  // how many were given to Go or GoIf
	leftOut  int  // how many of them their condition does not start
	running  int  // how many of them run
	forgiven bool // the branches' failures are not the node's
	wasCut   bool // the node was cancelled before a failure of a branch was its own

	launched atomic.Int32 // how many branches were left to goroutines
	taken    atomic.Int32 // how many of them a goroutine has taken
	starting atomic.Bool  // a goroutine was started that has not run yet
	chained  atomic.Bool  // each goroutine starts the next one; else the goroutine of the run looks after them

	wg        sync.WaitGroup // of the goroutines
	wins      atomic.Int32
	isSettled atomic.Bool // it is known how it ends
}

// A branch is one run of a fork.
type branch struct {
	run        *Run
	transition TransitionID // to its first node
	turn       int32        // which branch was left to a goroutine under this number, modulo how many branches there are
	leftOut    bool
}

// An outside is a call to make on the goroutine of the parent run.
type outside struct {
	do   func()
	done chan struct{}
}

var (
	// errSettled is the cause with which a fork cancels the branches that it no longer needs.
	errSettled = errors.New("the other branches have settled it")
	// errGone is the failure of a branch whose goroutine, or whose fork's goroutine, has exited.
	errGone = errors.New("its goroutine was ended")
)

// ForkOptions are the settings of a fork.
type ForkOptions struct {
	Join        Joining
	Branches    int
	Need        int // how many branches have to succeed, of JoinFirst and JoinSettled
	MaxParallel int // how many branches run at a time
}

// Fork starts a fork of the current node. ctx is the context of the node. drive drives a branch, by its
// number, to its end.
func (r *Run) Fork(ctx context.Context, o ForkOptions, drive func(branch int)) *Fork {
	r.path.requireSlowStep()
	f := &Fork{run: r, join: o.Join, need: o.Need, parallel: o.MaxParallel, drive: drive, branches: make([]branch, o.Branches)}
	f.work = f.take
	f.watch(ctx)
	return f
}

// Go starts the next branch, with the transition to its first node, when fewer than parallel branches
// run, unless the fork is already settled. It runs the last branch on this goroutine if no events of the
// others have to be delivered.
func (f *Fork) Go(b *Run, frame *Frame, name string, transition TransitionID) {
	f.next(true, b, frame, name, transition)
}

// GoIf is Go for a branch that its condition starts. A branch that another process has begun continues, whatever the condition of this
// version of the graph is.
func (f *Fork) GoIf(starts bool, b *Run, frame *Frame, name string, transition TransitionID) {
	f.next(starts, b, frame, name, transition)
}

func (f *Fork) next(starts bool, b *Run, frame *Frame, name string, transition TransitionID) {
	number := f.begun
	f.begun++
	own := &f.branches[number]
	own.run, own.transition = b, transition
	t := f.run.settings.thread
	if !starts && t == nil {
		f.leaveOut(own)
		return
	}
	f.makeRoom()
	settled := f.settled()
	if settled && t == nil {
		return
	}
	b.related.fork, b.related.branch = f, name
	if outer := f.run.related.branch; outer != "" {
		b.related.branch = outer + "/" + name
	}
	b.attach(f.ctx, f.run, frame)
	saved := t != nil && t.loadChild(b, f.run, f.run.Graph().NodeName(f.run.here())+"."+name)
	switch {
	case saved && b.ending.over && !b.ending.Paused():
		f.running++
		f.ended(b) // it failed in another process
	case !starts && !saved:
		b.related = relations{}
		f.leaveOut(own)
	case !settled:
		f.launch(number, f.begun == len(f.branches))
	case !saved: // else it is withdrawn, and what it has done counts
		b.related = relations{}
	}
}

// leaveOut leaves out a branch that its condition does not start: the join does not count it.
func (f *Fork) leaveOut(b *branch) {
	b.leftOut = true
	f.leftOut++
}

// started returns how many branches were started, or would have been.
func (f *Fork) started() int { return len(f.branches) - f.leftOut }

// launch drives a branch to its end. It does that on this goroutine if the branch is the last one, which this
// goroutine would wait for.
func (f *Fork) launch(number int, last bool) {
	f.running++
	if last && f.calls == nil {
		f.handOver()
		f.here(func() { f.finish(number) })
		return
	}
	if s := f.run.settings.scheduler(); s != nil {
		s.Go(f.ctx, func(ctx context.Context) {
			f.branches[number].run.context.Context = ctx
			f.finish(number)
		})
		return
	}
	launched := f.launched.Load()
	f.branches[int(launched)%len(f.branches)].turn = int32(number)
	f.launched.Store(launched + 1)
	f.help()
}

// handOver gives up the processor once, for the branches that were left to goroutines: the first goroutine may drive
// them all. If it waits, or there is another processor, each goroutine starts the next from now on.
func (f *Fork) handOver() {
	if f.chained.Load() || f.taken.Load() == f.launched.Load() {
		return
	}
	if runtime.Gosched(); f.taken.Load() < f.launched.Load() {
		f.chained.Store(true)
		f.help()
	}
}

// help starts a goroutine for the branches that none has taken, unless one that was started has not run yet. A goroutine for each branch would
// cost a fork of eight branches that do nothing 42 % more time, and 13 allocations.
func (f *Fork) help() {
	if f.starting.CompareAndSwap(false, true) {
		f.wg.Add(1)
		go f.work()
	}
}

// take drives branches to their ends that no goroutine has taken, on a goroutine of its own. Before it drives one, it
// starts the goroutine for the next, unless the goroutine of the run is about to: a branch waits for a processor, and never for
// another branch.
func (f *Fork) take() {
	defer f.wg.Done()
	f.starting.Store(false)
	for {
		n := f.taken.Load()
		launched := f.launched.Load()
		if n == launched {
			return
		}
		if !f.taken.CompareAndSwap(n, n+1) {
			continue
		}
		if n+1 < launched && f.chained.Load() {
			f.help()
		}
		f.finish(int(f.branches[int(n)%len(f.branches)].turn))
	}
}

// Forked returns the fork with which the current node continues after a pause, nil if it has none. ctx is the context
// of the node.
func (p *Pauses) Forked(ctx context.Context) *Fork {
	if p.awaited() == nil || p.waiting.fork == nil {
		return nil
	}
	f := p.waiting.fork
	p.waiting = nil
	f.resume(ctx)
	return f
}

// resume continues the fork after a pause, with the branches that are roused. ctx is the context of the node.
func (f *Fork) resume(ctx context.Context) {
	f.watch(ctx)
	for i := range f.branches {
		if b := f.branches[i].run; b.ending.Paused() && b.Pauses().awaited().roused {
			f.again(i)
		}
	}
}

// again continues a branch that has paused.
func (f *Fork) again(number int) {
	b := f.branches[number].run
	b.context = &runContext{Context: f.ctx, run: b}
	f.makeRoom()
	f.launch(number, false)
}

// watch prepares the fork for branches that run within ctx, the context of the node.
func (f *Fork) watch(ctx context.Context) {
	f.parent = ctx
	if f.run.settings.scheduler() != nil { // one branch is executed at a time
		f.ctx, f.cancel = driver.WithCancelCause(ctx)
		return
	}
	f.ctx, f.cancel = context.WithCancelCause(ctx)
	if f.calls = nil; f.run.settings.isWatched() {
		f.calls = make(chan outside)
	}
	if f.freed = nil; len(f.branches) > f.parallel || f.calls != nil { // the one that runs here waits for none
		f.freed = make(chan struct{}, len(f.branches))
	}
	f.chained.Store(f.freed != nil || f.run.settings.thread != nil) // the goroutine of the run may wait for something else
}

// finish drives a branch to its end. A handler may exit its goroutine, as a test's FailNow does:
// that is the failure of the branch.
func (f *Fork) finish(number int) {
	b := f.branches[number].run
	defer f.ended(b)
	defer f.stopPanic(b)
	defer func() {
		if b.ending.over {
			return
		}
		b.recordFailure(cmp.Or(caughtIn(recover(), b.Graph()), errGone))
		b.abort()
	}()
	b.Begin(f.branches[number].transition)
	f.drive(number)
}

// stopPanic ends a branch whose failure could not be recorded for a panic. It is deferred: a panic that leaves the goroutine
// of a branch would end the process.
func (f *Fork) stopPanic(b *Run) {
	if err := caughtIn(recover(), b.Graph()); err != nil {
		b.ending.set(graphgen.Failed, &graphgen.NodeError{Where: b.where(b.here()), Attempt: b.Execution().Attempt(), Err: err})
	}
}

// saveFailure saves the failure of a branch in its thread.
func (f *Fork) saveFailure(t Thread, b *Run) (err error) {
	defer func() { b.Graph().Caught(recover(), &err) }()
	return t.Failed(b)
}

// here calls do, which may run foreign code, on this goroutine. If do ends the goroutine,
// the branches are cancelled, their events are dropped, and here returns when they have ended.
func (f *Fork) here(do func()) {
	returned := false
	defer func() {
		if returned {
			return
		}
		f.cancel(errGone)
		if s := f.run.settings.scheduler(); s != nil {
			s.Wait(f.parent, func() bool { return f.running == 0 })
		}
		for f.freed != nil && f.running > 0 {
			select {
			case c := <-f.calls:
				close(c.done)
			case <-f.freed:
				f.running--
			}
		}
		f.wg.Wait()
	}()
	do()
	returned = true
}

// settled reports whether no further branch is needed.
func (f *Fork) settled() bool {
	return f.isSettled.Load() || f.parent.Err() != nil
}

// makeRoom waits until a further branch may run.
func (f *Fork) makeRoom() {
	if s := f.run.settings.scheduler(); s != nil && f.running >= f.parallel {
		s.Wait(f.parent, func() bool { return f.running < f.parallel })
	}
	for f.running >= f.parallel {
		f.await()
	}
}

// await runs the call of a branch, or counts one that has ended.
func (f *Fork) await() {
	select {
	case c := <-f.calls:
		f.here(func() {
			defer close(c.done)
			c.do()
		})
	case <-f.freed:
		f.running--
	}
}

// ended records the end of a branch, on its goroutine.
func (f *Fork) ended(b *Run) {
	if !b.ending.over {
		b.ending.set(graphgen.Failed, errGone) // not even its failure could be reported
	}
	if t := b.settings.thread; t != nil && !b.ending.Paused() && b.ending.err != nil && !b.ending.isStopped() && !b.ending.endsAll() {
		if err := f.saveFailure(t, b); err != nil {
			b.ending.set(graphgen.Failed, err)
		}
	}
	switch success := b.ending.err == nil; {
	case b.ending.Paused(): // it continues later
	case success && b.ending.reason == graphgen.Stopped: // a dry run: the others show how far they would get
	case b.ending.endsAll():
		f.isSettled.Store(true)
	case success:
		wins := int(f.wins.Add(1))
		b.related.won = f.join != JoinFirst || wins <= f.need
		if f.join == JoinFirst && wins == f.need {
			f.isSettled.Store(true)
		}
	case f.join == JoinFailFast:
		f.isSettled.Store(true)
	}
	if f.isSettled.Load() && (f.join == JoinFailFast || f.join == JoinFirst) { // else those that run continue to their end
		f.cancel(errSettled)
	}
	switch {
	case f.freed != nil:
		f.freed <- struct{}{}
	case f.run.settings.scheduler() != nil:
		f.running--
	}
}

// Wait waits until every branch has ended, and returns the error of the node. It returns errPaused if branches
// have paused that the join still needs.
func (f *Fork) Wait() error {
	f.drain()
	if f.pending() {
		if !f.settled() && !f.run.settings.isStopping() {
			f.cancel(errPaused) // the contexts of this call have ended
			f.run.Pausing().awaitChild(nil, f)
			return errPaused
		}
		f.withdraw()
	}
	f.cancel(errSettled)
	err := f.verdict()
	for i := range f.branches {
		f.run.Join(f.branches[i].run)
	}
	return err
}

// drain waits until no branch runs.
func (f *Fork) drain() {
	if s := f.run.settings.scheduler(); s != nil {
		s.Wait(f.parent, func() bool { return f.running == 0 })
		return
	}
	f.handOver()
	for f.freed != nil && f.running > 0 {
		f.await()
	}
	f.wg.Wait()
	f.running = 0
}

// pending reports whether a branch has paused.
func (f *Fork) pending() bool {
	for i := range f.branches {
		if b := f.branches[i].run; b != nil && b.ending.Paused() {
			return true
		}
	}
	return false
}

// withdraw ends the branches that have paused, as cancelled: no answer of theirs is needed, or the run is to stop.
func (f *Fork) withdraw() {
	cause := errSettled
	if r := f.run; r.settings.isStopping() {
		cause = r.ending.stop(r.where(r.here()), nil)
	}
	f.cancel(cause)
	for i := range f.branches {
		if b := f.branches[i].run; b != nil && b.ending.Paused() {
			f.again(i)
		}
	}
	f.drain()
}

// verdict returns the error of the node, judged by its branches.
func (f *Fork) verdict() error {
	if f.begun == f.leftOut {
		return nil // where nothing is to run, as in a map of an empty list, the node succeeds, however many the join asks for
	}
	var failures []error
	whole, spent := true, false // every branch has run to its end; a budget is spent in one
	for i := range f.branches {
		b := f.branches[i].run
		if f.branches[i].leftOut {
			continue
		}
		if b.related.parent == nil || f.dropped(b) {
			whole = false
			continue
		}
		whole = whole && !b.ending.isStopped()
		switch err := b.Ended(); err {
		case nil:
		case errEnded:
			return errEnded
		default:
			spent = spent || b.more.get().spent != nil
			failures = append(failures, err)
		}
	}
	wins := int(f.wins.Load())
	switch {
	case spent: // the node fails, whatever the join asks for
	case f.join == JoinFirst || f.join == JoinSettled:
		decided := f.join == JoinFirst || whole || f.parent.Err() == nil // else the node was cut before its branches settled it
		if f.forgiven = decided && wins >= f.need; f.forgiven {
			return nil
		}
	case len(failures) == 0 && wins == f.started():
		return nil
	}
	switch {
	case !spent && f.parent.Err() != nil && (f.join != JoinFailFast || len(failures) == 0):
		f.wasCut = true
		return context.Cause(f.parent)
	case len(failures) == 1 && (spent || f.join != JoinSettled && f.join != JoinFirst):
		return failures[0]
	}
	return &graphgen.BranchesError{Branches: f.started(), Succeeded: wins, Errs: failures}
}

// dropped reports whether a branch has ended because it was no longer needed. The context of the run may have ended since; where the context of an
// outer fork has, its branch is dropped, and not one of this fork.
func (f *Fork) dropped(b *Run) bool {
	e, cancelled := b.ending.err.(*graphgen.CancelledError)
	return cancelled && e.Err == errSettled && context.Cause(f.parent) != errSettled
}

// CheckLength returns a LimitError if a list is longer than its bound.
func CheckLength(field string, is, most int) error {
	if is > most {
		return &graphgen.LimitError{Limit: graphgen.LimitLength, Of: field, Used: float64(is), Max: float64(most)}
	}
	return nil
}

// Won reports whether the result of the branch counts.
func (r *Run) Won() bool { return r.related.won }
