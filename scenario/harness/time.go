package harness

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/graphgen/graphgen/scenario/wire"
)

// wait waits, unless the context ends before; then it returns the context's error.
func (s *Script) wait(ctx context.Context, at place, d time.Duration) error {
	if c := s.coroutines; c != nil {
		over := false
		defer c.After(ctx, d, func() { over = true })()
		if c.Wait(ctx, func() bool { return over || ctx.Err() != nil }); over {
			return nil
		}
		s.cutShort(ctx, at)
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		s.cutShort(ctx, at)
		return ctx.Err()
	}
}

// cutShort records that an execution was cancelled while it waited. A timeout of its own does not
// count.
func (s *Script) cutShort(ctx context.Context, at place) {
	if !errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name := at.node
	if slices.ContainsFunc(s.scenario.PlaceOf(at.node).Levels, func(l wire.Level) bool { return l.Index == wire.Element }) {
		name += " " + at.branch
	}
	s.cut = append(s.cut, placed[string]{name, s.key(at)})
}

// A span is the time of an execution.
type span struct{ from, to time.Time }

// takeTime records the time since an execution began, if any has passed.
func (s *Script) takeTime(from time.Time) {
	to := s.now()
	if !to.After(from) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spans = append(s.spans, span{from, to})
}

// mostAtOnce returns the most spans that overlap. Spans that only touch do not overlap.
func mostAtOnce(spans []span) int {
	var begins, ends []time.Time
	for _, s := range spans {
		begins, ends = append(begins, s.from), append(ends, s.to)
	}
	slices.SortFunc(begins, time.Time.Compare)
	slices.SortFunc(ends, time.Time.Compare)
	most, over := 0, 0
	for i, begin := range begins {
		for !ends[over].After(begin) {
			over++
		}
		most = max(most, i+1-over)
	}
	return most
}
