package durable

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/thread"
)

// historyPage is how many records are read in one call.
const historyPage = 500

// History yields the steps of a thread after a record, in order. It executes nothing, needs no machine, and leaves out what is sealed. The last pair
// has the error, if there is one.
func History(ctx context.Context, s thread.Store, id string, after uint64) iter.Seq2[thread.Step, error] {
	return func(yield func(thread.Step, error) bool) {
		err := follow(ctx, s, id, after, func(before, l *log, r *thread.Record, v *record) bool {
			return r.Seq <= after || yield(stepOf(before, l, r, v), nil)
		})
		if err != nil {
			yield(thread.Step{}, err)
		}
	}
}

// Replay yields the state of a thread after each of its records from one on, through another; 0 is the first, and the
// last. The states are what the records add up to: no handler, model or tool is called. The last pair has the
// error, if there is one.
func Replay(ctx context.Context, s thread.Store, id string, from, through uint64) iter.Seq2[*thread.State, error] {
	return func(yield func(*thread.State, error) bool) {
		err := follow(ctx, s, id, 0, func(_, l *log, r *thread.Record, v *record) bool {
			switch {
			case through > 0 && r.Seq > through:
				return false
			case r.Seq < from:
				return true
			}
			return yield(stateOf(id, l, r), nil)
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// follow calls see for each record from the last snapshot through the record after on, and for all later ones, with what the
// records before add up to, and what they add up to with it. It ends when see returns false.
func follow(ctx context.Context, s thread.Store, id string, after uint64, see func(before, l *log, r *thread.Record, v *record) bool) error {
	r := newReader(s, id)
	sees := func(before, l *log, rec *thread.Record, v *record) error {
		if !see(before, l, rec, v) {
			return errLeft
		}
		return nil
	}
	err := r.begin(ctx, after, sees)
	if err == nil {
		err = r.read(ctx, 0, sees)
	}
	if err == errLeft {
		return nil
	}
	return err
}

// stepOf returns what a record saves.
func stepOf(before, l *log, r *thread.Record, v *record) thread.Step {
	s := thread.Step{
		Seq: r.Seq, Time: r.Time, Bytes: len(r.Data), Snapshot: r.Snapshot, Ended: v.ended, Failure: v.failure,
		Paused: v.closed, Forked: v.forked, TakesBack: v.back,
	}
	begins := r.Snapshot && v.run != before.run
	if begins {
		s.Run = v.run
	}
	for i := range v.runs {
		e := &v.runs[i]
		var was *codec.Cells
		if old := before.runs[e.place]; old != nil && r.Snapshot && (!begins || s.Forked.Thread != "") {
			was = &old.cells
		}
		if c, changed := changeOf(l, e, was, r.Snapshot); changed {
			s.Changes = append(s.Changes, c)
		}
	}
	for _, e := range v.effects {
		if old := before.runs[e.place]; !r.Snapshot || old == nil || old.effects[e.key] == nil {
			s.Calls = append(s.Calls, thread.Call{At: e.place, Key: e.key, JSON: e.json})
		}
	}
	for _, d := range v.verdicts {
		if _, known := before.verdicts[d.id]; !r.Snapshot || !known {
			s.Answers = append(s.Answers, thread.Answered{ID: d.id, Decision: d.what(), Late: d.Late})
		}
	}
	for _, q := range v.open {
		s.Open = append(s.Open, q.id)
	}
	return s
}

// changeOf returns what an entry changes, and whether that is more than counters. An entry of a snapshot has all that is
// saved of its run: it is compared with what was saved before.
func changeOf(l *log, e *entry, was *codec.Cells, whole bool) (thread.Change, bool) {
	is := &l.of(e.place).cells
	c := thread.Change{At: e.place, Ended: e.step || whole, Failed: text(is, ".failed")}
	position(&c, is)
	moved := !whole || was == nil
	for _, name := range []string{".to", ".at", ".path", endedCell} {
		moved = moved || !bytes.Equal(is.Value(name), was.Value(name))
	}
	if whole {
		for _, name := range slices.Sorted(is.Names()) {
			if value := is.Value(name); isField(name) && (was == nil || !bytes.Equal(was.Value(name), value)) {
				c.Written = append(c.Written, thread.Value{Name: name, JSON: value})
			}
		}
		return c, moved || len(c.Written) > 0
	}
	members := membersOf(e.cells)
	for _, name := range sortedNames(members) {
		field, added := strings.CutSuffix(name, "+")
		if isField(name) {
			c.Written = append(c.Written, thread.Value{Name: field, JSON: members[name], Added: added})
		}
	}
	_, within := members[".at"]
	return c, e.step || e.fresh || within || len(c.Written) > 0
}
