package storetest

import (
	"time"

	"github.com/graphgen/graphgen/thread"
)

var deleteClauses = []clause{
	{"removes the records", func(e *env) {
		e.write("a", "Sa", "b")
		e.ok(e.s.Delete(e.ctx, "a"))
		e.missing("a")
		_, err := e.s.History(e.ctx, "a", 0, 0)
		fails[*thread.NotFoundError](e, err)
	}},
	{"removes the head", func(e *env) {
		e.write("a", "Sa", "b")
		e.ok(e.s.Delete(e.ctx, "a"))
		e.lists(thread.Filter{})
	}},
	{"leaves the name free", func(e *env) {
		w := e.begin("a")
		w.head.Summary, w.head.Shape = []byte("sum"), "shape"
		w.add("Sa", "b")
		e.ok(e.s.Stop(e.ctx, "a"))
		w.release()
		e.ok(e.s.Delete(e.ctx, "a"))
		again := e.begin("a")
		sameHead(e, again.head, thread.Head{Thread: "a", Until: again.lease.Until})
		again.add("Sx")
		e.loads("a", 0, "1:Sx")
	}},
	{"leaves other threads alone", func(e *env) {
		for _, name := range []string{"a", "aa", "a/b", "b"} {
			e.write(name, "S"+name)
		}
		e.ok(e.s.Delete(e.ctx, "a"))
		e.lists(thread.Filter{}, "a/b", "aa", "b")
		e.loads("a/b", 0, "1:Sa/b")
	}},
	{"does not find a thread that was never written", func(e *env) {
		fails[*thread.NotFoundError](e, e.s.Delete(e.ctx, "a"))
	}},
}

// expiring makes a thread that expires after some time.
func (e *env) expiring(name string, after time.Duration) {
	e.Helper()
	w := e.begin(name)
	w.add("S"+name, "b")
	w.set(func(h *thread.Head) { h.Expires = start.Add(after) })
	w.release()
}

// sweeps holds how many threads Sweep removes.
func (e *env) sweeps(want int) {
	e.Helper()
	n, err := e.s.Sweep(e.ctx)
	e.ok(err)
	equal(e, "threads swept", n, want)
}

var sweepClauses = []clause{
	{"removes a thread that has expired", func(e *env) {
		e.expiring("a", time.Hour)
		e.sweeps(0)
		e.clock.Advance(time.Hour)
		e.sweeps(1)
		e.lists(thread.Filter{})
	}},
	{"removes several", func(e *env) {
		for _, name := range []string{"a", "b", "c"} {
			e.expiring(name, time.Hour)
		}
		e.clock.Advance(2 * time.Hour)
		e.sweeps(3)
		e.lists(thread.Filter{})
	}},
	{"keeps threads that expire later or never", func(e *env) {
		e.expiring("a", time.Hour)
		e.expiring("b", 3*time.Hour)
		e.write("c", "Sc")
		e.clock.Advance(2 * time.Hour)
		e.sweeps(1)
		e.lists(thread.Filter{}, "b", "c")
		e.loads("b", 0, "1:Sb 2:b")
	}},
	{"removes the records", func(e *env) {
		e.expiring("a", time.Hour)
		e.clock.Advance(2 * time.Hour)
		e.sweeps(1)
		e.missing("a")
		e.write("a", "Sx")
		e.logs("a", "1:Sx")
	}},
	{"does nothing without threads", func(e *env) {
		e.sweeps(0)
	}},
	{"does nothing a second time", func(e *env) {
		e.expiring("a", time.Hour)
		e.clock.Advance(2 * time.Hour)
		e.sweeps(1)
		e.sweeps(0)
	}},
	{"keeps a thread that is held until its lease ends", func(e *env) {
		e.expiring("a", time.Hour)
		e.clock.Advance(2 * time.Hour)
		w := e.begin("a")
		e.sweeps(0)
		w.add("c")
		w.release()
		e.logs("a", "1:Sa 2:b 3:c")
		e.sweeps(1)
	}},
}

// copyHead is the head of a copy.
func copyHead(name string, at uint64) thread.Head {
	h := fullHead(name)
	h.Seq = at
	return h
}

var copyClauses = []clause{
	{"makes a thread with the records", func(e *env) {
		e.write("a", "Sa", "b")
		e.ok(e.s.Copy(e.ctx, "a", 2, copyHead("b", 2)))
		e.loads("b", 0, "1:Sa 2:b")
		e.lists(thread.Filter{}, "a", "b")
	}},
	{"copies all records through the number", func(e *env) {
		e.write("a", "Sa", "b", "Sc", "d", "e")
		e.ok(e.s.Copy(e.ctx, "a", 4, copyHead("b", 4)))
		e.logs("b", "1:Sa 2:b 3:Sc 4:d")
		e.loads("b", 2, "1:Sa 2:b")
	}},
	{"keeps every field of the records", func(e *env) {
		e.write("a", "Sa", "b")
		e.ok(e.s.Copy(e.ctx, "a", 2, copyHead("b", 2)))
		e.clock.Advance(time.Hour)
		records, err := e.s.History(e.ctx, "b", 0, 0)
		e.ok(err)
		counts(e, "records", records, 2)
		for i, r := range records {
			sameRecord(e, r, record(uint64(i+1), []string{"Sa", "b"}[i]))
		}
	}},
	{"has the head given, without lease and stop", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		e.ok(e.s.Stop(e.ctx, "a"))
		want := copyHead("b", 1)
		given := want
		given.Stop, given.Until = true, e.clock.Now().Add(time.Hour)
		e.ok(e.s.Copy(e.ctx, "a", 1, given))
		sameHead(e, e.loads("b", 0, "1:Sa"), want)
	}},
	{"continues with the next number", func(e *env) {
		e.write("a", "Sa", "b", "c")
		e.ok(e.s.Copy(e.ctx, "a", 2, copyHead("b", 2)))
		w := e.begin("b")
		equal(e, "number", w.head.Seq, 2)
		w.add("x")
		e.logs("b", "1:Sa 2:b 3:x")
	}},
	{"refuses a name that is taken or leased", func(e *env) {
		e.write("a", "Sa", "b")
		e.write("b", "Sx")
		for _, to := range []string{"b", "a"} {
			state := fails[*thread.StateError](e, e.s.Copy(e.ctx, "a", 1, copyHead(to, 1)))
			equal(e, "thread that exists", state.Thread, to)
			equal(e, "reason", state.Err, thread.ErrExists)
		}
		e.begin("c")
		fails[*thread.HeldError](e, e.s.Copy(e.ctx, "a", 1, copyHead("c", 1)))
		e.logs("b", "1:Sx")
		e.missing("c")
		fails[*thread.InvalidError](e, e.s.Copy(e.ctx, "a", 1, copyHead("d", 2)))
		fails[*thread.InvalidError](e, e.s.Copy(e.ctx, "a", 1, copyHead("", 1)))
	}},
	{"leaves the thread alone", func(e *env) {
		e.write("a", "Sa", "b", "c")
		e.ok(e.s.Copy(e.ctx, "a", 2, copyHead("b", 2)))
		w := e.begin("b")
		w.add("x")
		w.release()
		e.ok(e.s.Delete(e.ctx, "b"))
		equal(e, "status", e.loads("a", 0, "1:Sa 2:b 3:c").Status, thread.Running)
	}},
	{"does not find a thread or record that was never written", func(e *env) {
		err := e.s.Copy(e.ctx, "a", 1, copyHead("b", 1))
		equal(e, "record", fails[*thread.NotFoundError](e, err).Seq, 0)
		e.write("a", "Sa", "b", "Sc")
		err = e.s.Copy(e.ctx, "a", 4, copyHead("b", 4))
		equal(e, "record", fails[*thread.NotFoundError](e, err).Seq, 4)
		e.prunes("a", 3, 2)
		fails[*thread.NotFoundError](e, e.s.Copy(e.ctx, "a", 2, copyHead("b", 2)))
		e.missing("b")
	}},
}

// prunes holds how many records Prune removes.
func (e *env) prunes(name string, before uint64, want int) {
	e.Helper()
	n, err := e.s.Prune(e.ctx, name, before)
	e.ok(err)
	equal(e, "records pruned", n, want)
}

var pruneClauses = []clause{
	{"removes what is before the last snapshot", func(e *env) {
		e.write("a", "Sa", "b", "Sc", "d", "Se", "f")
		e.prunes("a", 6, 4)
		e.logs("a", "5:Se 6:f")
		_, _, err := e.s.Load(e.ctx, "a", 4)
		equal(e, "record", fails[*thread.NotFoundError](e, err).Seq, 4)
	}},
	{"removes from each thread by itself", func(e *env) {
		e.write("a", "Sa", "b", "Sc")
		e.write("b", "Sa", "Sb", "c")
		e.prunes("a", 3, 2)
		e.prunes("b", 3, 1)
		e.logs("a", "3:Sc")
		e.logs("b", "2:Sb 3:c")
	}},
	{"keeps the snapshot that a number needs", func(e *env) {
		e.write("a", "Sa", "b", "Sc", "d", "Se", "f")
		e.prunes("a", 4, 2)
		e.logs("a", "3:Sc 4:d 5:Se 6:f")
		e.prunes("a", 5, 2)
		e.logs("a", "5:Se 6:f")
	}},
	{"keeps what can be loaded", func(e *env) {
		w := e.begin("a")
		w.add("Sa", "b", "Sc", "d", "Se", "f")
		e.prunes("a", 4, 2)
		e.loads("a", 3, "3:Sc")
		e.loads("a", 4, "3:Sc 4:d")
		e.loads("a", 6, "5:Se 6:f")
		w.add("g")
		e.loads("a", 0, "5:Se 6:f 7:g")
	}},
	{"never removes the last snapshot", func(e *env) {
		e.write("a", "Sa", "b", "c")
		e.prunes("a", 1<<40, 0)
		e.logs("a", "1:Sa 2:b 3:c")
		w := e.begin("a")
		w.add("Sd")
		w.release()
		e.prunes("a", 1<<40, 3)
		e.logs("a", "4:Sd")
	}},
	{"leaves other threads alone", func(e *env) {
		e.write("a", "Sa", "Sb")
		e.write("b", "Sa", "Sb")
		e.prunes("a", 2, 1)
		e.logs("b", "1:Sa 2:Sb")
	}},
	{"does nothing a second time", func(e *env) {
		e.write("a", "Sa", "b", "Sc")
		e.prunes("a", 2, 0)
		e.prunes("a", 3, 2)
		e.prunes("a", 3, 0)
		e.prunes("a", 1, 0)
		e.prunes("a", 0, 0)
		e.logs("a", "3:Sc")
	}},
	{"does not find a thread that was never written", func(e *env) {
		_, err := e.s.Prune(e.ctx, "a", 1)
		fails[*thread.NotFoundError](e, err)
	}},
}
