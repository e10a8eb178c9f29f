package thread

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/caught"
)

// A Recovery configures [Recover]. What is zero is the default.
type Recovery struct {
	// Run continues a thread: it calls the method Recover of its handle, which gets the lease.
	Run func(ctx context.Context, thread string) error

	Graph  string // whose threads are recovered; empty: the threads of all graphs
	Prefix string // of the names of the threads

	// Shape is the shape of the machine, from the function Shape. With it and Graph, Run is also called for threads that wait and were saved by
	// another version of the graph: the method Recover saves them in the version of the machine, or continues them where the
	// author has moved them. Programs of earlier versions cannot continue them afterwards. Empty: they wait for their answers.
	Shape string

	AtOnce  int           // threads that run at a time; 4
	Every   time.Duration // between two looks at the store, on average; 10 seconds
	Longest time.Duration // between two attempts of a thread whose Run has errors; 10 minutes

	// Report is called with each error of the store, with no thread, and each error of Run. A pause, a lease of another
	// process and what follows the end of the context are not reported. It may be called concurrently.
	Report func(thread string, err error)

	Clock Clock // for tests
}

// A Clock is the time by which Recover waits.
type Clock interface {
	Now() time.Time
	After(time.Duration) <-chan time.Time
}

type wallClock struct{}

func (wallClock) Now() time.Time                         { return time.Now() }
func (wallClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// Recover looks again and again for threads whose run has not ended and that no lease holds, and calls Run for each: the
// processes of these threads have ended. With a Shape, it does the same for threads that wait in another version. It returns when the
// context ends, after each Run has returned, with the cause.
// Nothing else ends it: the error of a store is reported, and a thread whose Run has an error or panics is tried again
// after a time that doubles. Times vary by a half at random.
//
// Any number of processes can recover the threads of a store: the lease gives a thread to one of them.
func Recover(ctx context.Context, s Store, r Recovery) error {
	w := &worker{Recovery: r, store: Guard(s), tries: map[string]*attempts{}}
	w.defaults()
	defer w.running.Wait()
	for {
		w.look(ctx)
		select {
		case <-w.Clock.After(vary(w.Every)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// A worker recovers threads.
type worker struct {
	Recovery
	store   Store
	slots   chan struct{}
	running sync.WaitGroup

	mu    sync.Mutex
	tries map[string]*attempts // of threads that run, or whose last Run had an error
}

// attempts are the attempts at one thread.
type attempts struct {
	runs  bool
	wait  time.Duration // before the next one
	again time.Time     // the earliest time of it
}

func (w *worker) defaults() {
	if w.AtOnce <= 0 {
		w.AtOnce = 4
	}
	if w.Every <= 0 {
		w.Every = 10 * time.Second
	}
	if w.Longest <= 0 {
		w.Longest = 10 * time.Minute
	}
	if w.Report == nil {
		w.Report = func(string, error) {}
	}
	if w.Clock == nil {
		w.Clock = wallClock{}
	}
	w.slots = make(chan struct{}, w.AtOnce)
}

// vary returns a time between a half and three halves of one.
func vary(d time.Duration) time.Duration { return d/2 + rand.N(d) }

// filter selects the threads to recover, and maybe more.
func (w *worker) filter() Filter {
	f := Filter{Graph: w.Graph, Prefix: w.Prefix, Status: []Status{Running}, Unleased: true}
	if w.Shape != "" && w.Graph != "" {
		f.Status = append(f.Status, Paused)
	}
	return f
}

// wants reports whether a thread that the filter selects is to be recovered.
func (w *worker) wants(h *Head) bool { return h.Status == Running || h.Shape != w.Shape }

// look starts the threads that the store lists, and waits while as many run as may. The threads of a page are
// in a random order: workers that look at the same time try different ones.
func (w *worker) look(ctx context.Context) {
	w.forget()
	f := w.filter()
	for {
		page, err := w.store.List(ctx, f)
		if err != nil {
			w.report(ctx, "", err)
			return
		}
		if len(page) > 0 {
			f.After = page[len(page)-1].Thread
		}
		last := len(page) < f.Page()
		rand.Shuffle(len(page), func(i, j int) { page[i], page[j] = page[j], page[i] })
		for i := range page {
			if w.wants(&page[i]) && !w.start(ctx, page[i].Thread) {
				return
			}
		}
		if last {
			return
		}
	}
}

// start starts a thread, unless it runs in this worker or has to wait. It reports whether the context has not ended.
func (w *worker) start(ctx context.Context, thread string) bool {
	t := w.take(thread)
	if t == nil {
		return ctx.Err() == nil
	}
	select {
	case w.slots <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	w.running.Go(func() {
		failed := true
		defer func() {
			w.ended(t, thread, failed)
			<-w.slots
		}()
		failed = w.attempt(ctx, thread)
	})
	return true
}

// take marks a thread as running. It returns nil if the thread is not to be started.
func (w *worker) take(thread string) *attempts {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.tries[thread]
	if t == nil {
		t = new(attempts)
		w.tries[thread] = t
	}
	if t.runs || w.Clock.Now().Before(t.again) {
		return nil
	}
	t.runs = true
	return t
}

// attempt runs a thread, and reports whether that failed. It looks at the thread again first: since it was listed,
// another worker may have brought it to an end.
func (w *worker) attempt(ctx context.Context, thread string) (failed bool) {
	f := w.filter()
	f.Prefix, f.Limit = thread, 1
	page, err := w.store.List(ctx, f)
	switch {
	case err != nil:
		w.report(ctx, "", err)
		return true
	case len(page) == 0 || page[0].Thread != thread || !w.wants(&page[0]):
		return false
	}
	if err = w.run(ctx, thread); err == nil {
		return page[0].Status == Paused // where it still waits in another version, it is tried again later
	}
	w.report(ctx, thread, err)
	return true
}

// run calls Run. A panic is an error; a pause and a lease of another process are none.
func (w *worker) run(ctx context.Context, thread string) (err error) {
	defer caught.Panic(&err)
	if err = w.Run(ctx, thread); waits(err) {
		return nil
	}
	return err
}

// waits reports whether a run has paused, or another process has its thread. What a handler returns of another run or thread is the failure of its own.
func waits(err error) bool {
	if run, ok := errors.AsType[*graphgen.RunError](err); ok {
		return run.Reason == graphgen.Paused
	}
	_, held := errors.AsType[*HeldError](err)
	_, paused := errors.AsType[*graphgen.InterruptedError](err)
	return held || paused
}

// report calls Report. A panic in it ends nothing.
func (w *worker) report(ctx context.Context, thread string, err error) {
	defer caught.Panic(&err)
	if ctx.Err() == nil {
		w.Report(thread, err)
	}
}

// ended notes that an attempt has ended.
func (w *worker) ended(t *attempts, thread string, failed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !failed {
		delete(w.tries, thread)
		return
	}
	t.runs, t.wait = false, min(max(2*t.wait, w.Every), w.Longest)
	t.again = w.Clock.Now().Add(vary(t.wait))
}

// forget removes threads that were not listed for long: they have ended elsewhere.
func (w *worker) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for thread, t := range w.tries {
		if !t.runs && w.Clock.Now().Sub(t.again) > 2*w.Longest {
			delete(w.tries, thread)
		}
	}
}
