package durable

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/feed"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/thread"
)

// watch yields what the method Watch of a thread does.
func (m *Machine) watch(ctx context.Context, id string, after thread.After) iter.Seq2[thread.Event, error] {
	return func(yield func(thread.Event, error) bool) {
		set, err := m.settings()
		if err != nil {
			yield(thread.Event{}, err)
			return
		}
		hub, _ := origin.Of(set.Feed.Origin()).(*feed.Hub)
		w := &watcher{
			m: m, After: after, id: id, yield: yield, news: hub.Subscribe(id), answers: map[*graphgen.RunInfo]bool{},
			reader: newReader(set.Store, id),
		}
		defer w.news.Close()
		if w.Every <= 0 {
			w.Every = thread.DefaultEvery
		}
		switch err := w.follow(ctx); {
		case err == nil, err == errLeft:
		case ctx.Err() != nil:
			yield(thread.Event{}, context.Cause(ctx))
		default:
			yield(thread.Event{}, err)
		}
	}
}

// A watcher is an iteration of Watch.
type watcher struct {
	thread.After
	m       *Machine
	id      string
	yield   func(thread.Event, error) bool
	reader  *reader
	news    *feed.Subscription
	items   []feed.Item // that are not yielded yet
	answers map[*graphgen.RunInfo]bool
	over    bool // the last step ends the run, or has it wait
}

// follow yields what there is, and waits for more.
func (w *watcher) follow(ctx context.Context) error {
	for begun := false; ; {
		items, running := w.news.Take()
		if w.items = append(w.items, items...); !begun {
			var err error
			if begun, err = w.begin(ctx, running || w.Stay); err != nil {
				return err
			}
			w.reader.stale = func() bool { return !w.news.Quiet() }
		}
		if begun {
			if err := w.goOn(ctx, running); err != nil {
				return err
			}
			if w.over && !running && !w.Stay && w.news.Quiet() {
				return nil
			}
		}
		if err := w.wait(ctx, running && begun); err != nil {
			return err
		}
	}
}

// begin reads the thread up to the place where the watch begins, and yields what is behind it. It reports whether the thread
// exists.
func (w *watcher) begin(ctx context.Context, mayCome bool) (bool, error) {
	err := w.reader.begin(ctx, w.Seq, func(_, _ *log, _ *thread.Record, v *record) error {
		w.over = v.closed || v.ended != ""
		return nil
	})
	gone, none := errors.AsType[*thread.NotFoundError](err)
	if none && gone.Seq != 0 {
		err = w.reader.passes(ctx, w.Seq)
	}
	if err == nil {
		err = w.read(ctx, 0)
		gone, none = errors.AsType[*thread.NotFoundError](err)
	}
	if none && gone.Seq == 0 && mayCome && w.Seq == 0 {
		return false, nil
	}
	return err == nil, err
}

// goOn yields what is new. While this process has the thread, its news determine how far the store is read: so events and
// steps are in order. A run that begins here meanwhile has news before it has records.
func (w *watcher) goOn(ctx context.Context, running bool) error {
	for len(w.items) > 0 {
		i := &w.items[0]
		if i.Cut {
			clear(w.answers)
		}
		if i.Seq > w.reader.seq {
			if i.Live && !w.isSaved(i.Seq) && running {
				return nil
			}
			if err := w.read(ctx, i.Seq); err != nil {
				return err
			}
		}
		if i.Live && i.Seq == w.reader.seq && w.isWhole(&i.Event) && !w.yield(thread.Event{Live: i.Event}, nil) {
			return errLeft
		}
		w.items = w.items[1:]
	}
	if running {
		return nil
	}
	return w.read(ctx, 0)
}

// isSaved reports whether the news have that a record is in the store.
func (w *watcher) isSaved(seq uint64) bool {
	return slices.ContainsFunc(w.items, func(i feed.Item) bool { return !i.Live && i.Seq >= seq })
}

// isWhole reports whether an event is yielded: it is no piece of an answer whose first pieces were left out.
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

// read yields the steps through a record; 0: all that there are.
func (w *watcher) read(ctx context.Context, through uint64) error {
	return w.reader.read(ctx, through, func(before, l *log, r *thread.Record, v *record) error {
		s := stepOf(before, l, r, v)
		w.over = s.Paused || s.Ended != ""
		for i := range s.Changes {
			c := &s.Changes[i]
			c.Written = w.m.Shown(c.At, c.Written)
		}
		if !w.yield(thread.Event{Seq: s.Seq, Saved: s}, nil) {
			return errLeft
		}
		return nil
	})
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
func (w *watcher) wait(ctx context.Context, running bool) error {
	var look <-chan time.Time
	if !running { // else the news have it
		timer := time.NewTimer(w.Every)
		defer timer.Stop()
		look = timer.C
	}
	select {
	case <-w.news.Wake():
	case <-look:
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

// A payload is that of an event that has left its run.
type payload struct{ of any }

func (p payload) Payload() any { return p.of }

// An ended has the report of a RunEnd event that has left its run.
type ended struct{ report *graphgen.Report }

func (e ended) Report() *graphgen.Report { return e.report }
