package harness

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"time"

	"github.com/graphgen/graphgen"
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

// inRealTime reports whether the run is in no bubble, where time passes when all wait.
func (s *Script) inRealTime() bool {
	return s.mode == queued || s.mode == onEngine && s.scenario.RealTime
}

// errTime is why a scenario cannot run in real time.
var errTime = errors.New("the run has the clock of the system, and the scenario one of its own")

// takesTime reports whether a scenario depends on its clock, or on the context of its caller. People do not: they answer immediately.
func (s *Script) takesTime() bool {
	w := s.scenario
	if w.Cancelled || w.Deadline > 0 {
		return true
	}
	for node, steps := range w.Script {
		waits := func(e wire.Entry) bool {
			return e.Hang || e.Cancel || e.After > 0 || e.Takes > 0 && s.humans.answers[node] == nil
		}
		if anyEntry(map[string]wire.Steps[wire.Entry]{node: steps}, waits) {
			return true
		}
	}
	return anyEntry(w.Tools, func(e wire.ToolEntry) bool { return e.Hang || e.Takes > 0 })
}

// awaitPerson waits until a person answers a request. In real time that is immediately, or not at all where the answer is late.
func (s *Script) awaitPerson(ctx context.Context, q *graphgen.Request, due time.Time) error {
	if !s.inRealTime() {
		s.sleep(ctx, due.Sub(s.runTime()))
		return nil
	}
	if !q.Deadline.IsZero() && due.After(q.Deadline) {
		return errTime
	}
	return nil
}

// mostWait is how long a job or a run may take by the clock of the system.
const mostWait = time.Minute

// longest returns the time after which a run is abandoned.
func (s *Script) longest() time.Duration {
	if s.inRealTime() {
		return mostWait
	}
	return 100 * 365 * 24 * time.Hour
}

// recordTime matches the time at which a person has answered.
var recordTime = regexp.MustCompile(`"At":"[^"]*"`)

// untimed returns a result without the times of what people have answered.
func untimed(r *wire.Result) *wire.Result {
	without := *r
	without.State, without.Output = recordTime.ReplaceAll(r.State, nil), recordTime.ReplaceAll(r.Output, nil)
	return &without
}
