package durable

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/graphgen/graphgen/internal/feed"
	"github.com/graphgen/graphgen/thread"
)

// keptSteps and keptBytes are how many steps, and bytes of their records, a tail keeps for watchers that have not yielded them. A watcher that needs
// earlier ones reads the store.
const (
	keptSteps = 128
	keptBytes = 256 << 10
)

// errBehind is the error of steps that a tail does not keep any more.
var errBehind = errors.New("the steps are not kept")

// A tail is the last part of a thread that was read. Those who watch the thread in a process share one: each record is read and decoded once for all of
// them.
type tail struct {
	turn   chan struct{} // has a value while nobody reads the store
	reader *reader       // of whose turn it is

	mu    sync.Mutex
	first mark // after which the steps follow
	steps []*savedStep
	bytes int   // of their records
	fail  error // nobody can read further
	looked
}

// A mark is a record with its hash: a thread that is made again under its name has others.
type mark struct {
	seq   uint64
	chain string
}

// A savedStep is what a record saves. It is shared, and not changed.
type savedStep struct {
	mark
	step  thread.Step // with fields that are private
	forms feed.Forms
}

// looked is what a tail knows of the end of the thread in the store.
type looked struct {
	looks   int    // how often the store was read
	changes uint64 // that runs of this process had made before it was read last
	whole   bool   // there was no more then
}

// newTail returns a tail that begins where a reader is.
func newTail(r *reader) *tail {
	t := &tail{turn: make(chan struct{}, 1), reader: r, first: mark{r.seq, r.log.chain}}
	t.turn <- struct{}{}
	return t
}

// end returns the last record that was read. The caller has the lock.
func (t *tail) end() mark {
	if n := len(t.steps); n > 0 {
		return t.steps[n-1].mark
	}
	return t.first
}

// kept returns the steps after a record through another one, 0: all, as far as they are kept.
func (t *tail) kept(seq, through uint64) ([]*savedStep, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := t.end().seq
	switch {
	case seq < t.first.seq:
		return nil, errBehind
	case seq >= last:
		if seq > last {
			return nil, nil
		}
		return nil, t.fail
	}
	list := t.steps
	if seq > t.first.seq {
		list = list[seq-list[0].seq+1:]
	}
	if through > 0 && through < last {
		list = list[:max(0, len(list)-int(last-through))]
	}
	return slices.Clone(list), nil
}

// now returns what is known of the end of the thread.
func (t *tail) now() looked {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.looked
}

// A taking is what take is asked for.
type taking struct {
	seq     uint64 // the record before the first step
	through uint64 // the last one; 0: all
	looks   int    // of all: the store has to be read after so many looks
	changes uint64 // and after so many changes
}

// take reads steps that are not kept. The error is the error of the context, of the store, or errBehind. It reports whether there may be more steps, and
// whether the store was read for these.
func (t *tail) take(ctx context.Context, a taking) (steps []*savedStep, more, read bool, err error) {
	select {
	case <-t.turn:
		defer func() { t.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, false, false, context.Cause(ctx)
	}
	for {
		if steps, err = t.kept(a.seq, a.through); len(steps) > 0 || err != nil { // another one has read them
			return steps, true, false, err
		}
		now := t.now()
		if a.through == 0 && now.whole && now.looks > a.looks && now.changes >= a.changes {
			return nil, false, false, nil
		}
		if steps, more, err = t.look(ctx, a); len(steps) > 0 || err != nil || !more {
			return steps, more, true, err
		}
	}
}

// look reads a page of the store. It returns the steps of it that are asked for.
func (t *tail) look(ctx context.Context, a taking) (steps []*savedStep, more bool, err error) {
	var page []*savedStep
	more, err = t.reader.page(ctx, a.through, func(before, l *log, r *thread.Record, v *record) error {
		page = append(page, &savedStep{mark: mark{r.Seq, l.chain}, step: stepOf(before, l, r, v)})
		return nil
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil { // else nobody knows yet what there is
		t.looked = looked{t.looks + 1, max(t.changes, a.changes), !more}
	}
	for _, s := range page {
		t.bytes += s.step.Bytes
	}
	t.steps = append(t.steps, page...)
	for n := len(t.steps); n > 1 && (n > keptSteps || t.bytes > keptBytes); n-- {
		t.first, t.bytes = t.steps[0].mark, t.bytes-t.steps[0].step.Bytes
		t.steps[0], t.steps = nil, t.steps[1:]
	}
	if t.reader.fails {
		if t.fail = err; len(page) > 0 {
			more, err = true, nil
		}
	}
	for _, s := range page {
		if s.seq > a.seq {
			steps = append(steps, s)
		}
	}
	return steps, more, err
}

// meets reports whether a tail has a record, so that a reader who is there can continue with it. usable is false if no reader should.
func (t *tail) meets(ctx context.Context, at mark) (met, usable bool) {
	for {
		end, met, usable := t.has(at)
		if !usable || at.seq <= end {
			return met, usable
		}
		if steps, _, _, err := t.take(ctx, taking{seq: end, through: at.seq}); err != nil && err != errBehind || err == nil && len(steps) == 0 {
			return false, ctx.Err() != nil
		}
	}
}

// has reports whether a record is among those that are kept, and the last record that was read. The tail is not usable if it cannot get to the record, or has
// another one in its place.
func (t *tail) has(at mark) (end uint64, met, usable bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	end = t.end().seq
	is := t.first
	if k := slices.IndexFunc(t.steps, func(s *savedStep) bool { return s.seq == at.seq }); k >= 0 {
		is = t.steps[k].mark
	}
	switch {
	case t.fail != nil || at.seq > end+keptSteps:
		return end, false, false
	case at.seq < is.seq || at.seq > end: // it was kept, or comes
		return end, false, true
	}
	return end, at == is, at == is
}
