package durable

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/feed"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/thread"
)

// A watcher is an iteration of Watch.
type watcher struct {
	thread.After
	id      string
	set     *thread.Settings
	yield   func(Watched, error) bool
	seq     uint64 // of the last step that was yielded
	last    mark   // the same with its hash; zero: none was
	tail    *tail
	joined  bool // the tail is shared
	key     any  // by which it is
	news    *feed.Subscription
	state   feed.State
	items   []*feed.Item // that are not yielded yet
	looks   int          // of the tail: a further one is needed; -1: none is
	due     time.Time    // when the store is looked at, if nothing is yielded before; zero: it is not known
	answers map[*graphgen.RunInfo]bool
	begun   bool
	resting bool // all that there was is known to have been yielded
	over    bool // the last step ends the run, or has it wait
}

// follow yields what there is, and waits for more.
func (w *watcher) follow(ctx context.Context) error {
	for {
		if w.items, w.state = w.news.Take(w.items); !w.begun {
			if err := w.begin(ctx, w.state.Running || w.Stay); err != nil {
				return err
			}
		}
		if w.begun {
			if err := w.goOn(ctx); err != nil {
				return err
			}
			if w.state.More && len(w.items) == 0 {
				continue
			}
			if w.over && !w.state.Running && !w.Stay && w.news.Quiet() {
				return nil
			}
		}
		if err := w.rest(); err != nil {
			return err
		}
		if err := w.wait(ctx); err != nil {
			return err
		}
	}
}

// begin reads the thread up to the place where the watch begins, and yields what follows there. Begun is false while the thread does not exist.
func (w *watcher) begin(ctx context.Context, mayCome bool) error {
	err := w.open(ctx, func(_, _ *log, _ *thread.Record, v *record) error {
		w.over = v.closed || v.ended != ""
		return nil
	})
	if err == nil {
		err = w.read(ctx, 0)
	}
	if gone, none := errors.AsType[*thread.NotFoundError](err); none && gone.Seq == 0 && mayCome && w.seq == 0 {
		return nil
	}
	w.begun = err == nil
	return err
}

// open has the watcher read the store itself, after the last step that was yielded.
func (w *watcher) open(ctx context.Context, see sight) error {
	r := newReader(w.set.Store, w.id)
	err := r.begin(ctx, w.seq, see)
	if gone, none := errors.AsType[*thread.NotFoundError](err); none && gone.Seq != 0 {
		err = r.passes(ctx, w.seq)
	}
	if err == nil && r.known && r.seq == w.last.seq && r.log.chain != w.last.chain { // the thread was made again
		err = &thread.StoreError{Thread: w.id, Seq: r.seq, Err: errChain}
	}
	if err == nil {
		w.tail, w.joined, w.looks = newTail(r), false, -1
	}
	return err
}

// join has the watcher share what others read of the thread, once it is as far as they are.
func (w *watcher) join(ctx context.Context) {
	own := w.tail
	if w.joined || own.end().seq != w.seq {
		return
	}
	shared := w.news.Share(w.key, own, nil).(*tail)
	if shared != own {
		met, usable := shared.meets(ctx, own.end())
		if !usable {
			shared = w.news.Share(w.key, own, shared).(*tail)
			met = shared == own
		}
		if !met {
			return
		}
	}
	if w.joined = true; shared != own {
		w.tail, w.looks = shared, -1
	}
}

// goOn yields what is new. While this process has the thread, its news determine how far the store is read: so events and
// steps are in order. A run that begins here meanwhile has news before it has records.
func (w *watcher) goOn(ctx context.Context) error {
	for len(w.items) > 0 {
		i := w.items[0]
		if i.Cut {
			clear(w.answers)
		}
		if i.Seq > w.seq {
			if i.Live && i.Seq > w.state.Saved && w.state.Running {
				return nil
			}
			if err := w.read(ctx, i.Seq); err != nil {
				return err
			}
		}
		if i.Live && i.Seq == w.seq && w.isWhole(&i.Event) {
			if err := w.yields(Watched{Live: &i.Event, Forms: &i.Forms}); err != nil {
				return err
			}
		}
		w.items[0], w.items = nil, w.items[1:]
	}
	if w.items = nil; w.state.Running {
		return nil
	}
	return w.read(ctx, 0)
}

// isWhole reports whether an event is yielded: a piece of an answer whose first pieces were left out is not.
func (w *watcher) isWhole(e *graphgen.Event) bool {
	switch e.Kind {
	case graphgen.ModelStart:
		w.answers[e.Run] = true
	case graphgen.Token:
		return w.answers[e.Run]
	case graphgen.ModelEnd, graphgen.RunEnd:
		delete(w.answers, e.Run)
	}
	return true
}

// read yields the steps through a record; 0: all that there are, unless news determine meanwhile how far to read.
func (w *watcher) read(ctx context.Context, through uint64) error {
	isStale := func() bool { return through == 0 && w.begun && !w.news.Quiet() }
	for more := true; more && (through == 0 || w.seq < through); {
		if isStale() {
			return nil
		}
		steps, err := w.tail.kept(w.seq, through)
		if len(steps) == 0 && err == nil {
			if err = w.rest(); err != nil { // the store may take its time
				return err
			}
			var found bool
			steps, more, found, err = w.tail.take(ctx, taking{w.seq, through, w.looks, w.state.Changes})
			if found && through == 0 && len(steps) > 0 && w.joined {
				w.news.WakeOthers()
			}
		}
		if err == errBehind {
			if err = w.open(ctx, func(_, _ *log, _ *thread.Record, _ *record) error { return nil }); err == nil {
				more = true
				continue
			}
		}
		if err != nil || isStale() {
			return err
		}
		for _, s := range steps {
			w.seq, w.last, w.over = s.seq, s.mark, s.step.Paused || s.step.Ended != ""
			if err := w.yields(Watched{Step: &s.step, Forms: &s.forms}); err != nil {
				return err
			}
		}
	}
	w.join(ctx)
	return nil
}

// yields yields a step or an event.
func (w *watcher) yields(of Watched) error {
	if w.resting, w.due = false, (time.Time{}); !w.yield(of, nil) {
		return errLeft
	}
	return nil
}

// rest reports that everything so far was yielded.
func (w *watcher) rest() error {
	if w.resting {
		return nil
	}
	if w.resting = true; !w.yield(Watched{}, nil) {
		return errLeft
	}
	return nil
}

// runs returns the machine of the run at a place, nil if it has none.
func (m *Machine) runs(place string) *Machine {
	node := ""
	for part := range strings.SplitSeq(strings.TrimPrefix(place, "/"), "/") {
		if part == "" && node != "" && m != nil {
			m = m.sub(node)
		}
		node = nodeOf(part)
	}
	return m
}

// wait returns when there may be more to yield.
func (w *watcher) wait(ctx context.Context) error {
	var look <-chan time.Time
	if !w.state.Running || !w.begun { // else the news have it
		if w.due.IsZero() {
			w.due = time.Now().Add(w.Every)
		}
		timer := time.NewTimer(time.Until(w.due))
		defer timer.Stop()
		look = timer.C
	}
	looks := -1
	if w.tail != nil {
		looks = w.tail.now().looks
	}
	w.looks = -1
	select {
	case <-w.news.Wake(): // by news, or by another one who has looked
	case <-look:
		w.looks, w.due = looks, time.Time{} // unless another one has looked meanwhile
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// unbound returns an event that has left its run.
func unbound(e graphgen.Event) graphgen.Event {
	of, ok := graphgen.Payload[any](e)
	report := e.Report()
	switch e.Details.Of = (origin.Ref{}); {
	case ok:
		e.Details.Of = origin.To(payload{of})
	case report != nil:
		e.Details.Of = origin.To(ended{report})
	}
	return e
}

// A payload is the payload of an event that has left its run.
type payload struct{ of any }

func (p payload) Payload() any { return p.of }

// An ended has the report of a RunEnd event that has left its run.
type ended struct{ report *graphgen.Report }

func (e ended) Report() *graphgen.Report { return e.report }
