package durable

import (
	"context"

	"github.com/graphgen/graphgen/thread"
)

// takeBack has the run that begins take back the last one, and returns what the thread had before that.
func (s *session) takeBack(ctx context.Context) (*log, error) {
	const pruned = "has a run that cannot be taken back: records before it were pruned"
	first, err := s.lastBegin(ctx)
	switch {
	case err != nil:
		return nil, err
	case first == 0:
		return nil, refuse(s.id, pruned)
	}
	s.next.back = first
	if first == 1 || len(s.m.Carries) == 0 {
		return newLog(s.m.sealing(s.set)), nil
	}
	l, _, _, err := loaded(ctx, s.set.Store, s.id, first-1, s.m.sealing(s.set))
	if is[*thread.NotFoundError](err) {
		return nil, refuse(s.id, pruned)
	}
	return l, err
}

// lastBegin returns the number of the first record of the last run, or of what that has taken back; 0 if it was pruned.
func (s *session) lastBegin(ctx context.Context) (first uint64, err error) {
	err = follow(ctx, s.set.Store, s.id, 0, func(before, _ *log, r *thread.Record, v *record) bool {
		switch {
		case !r.Snapshot || v.run == before.run || v.forked.Thread != "": // the run continues
		case v.back > 0:
			first = v.back
		case before.run == "" && r.Seq > 1:
			first = 0
		default:
			first = r.Seq
		}
		return true
	})
	return first, err
}
