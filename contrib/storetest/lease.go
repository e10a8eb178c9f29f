package storetest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/graphgen/graphgen/thread"
)

var leaseClauses = []clause{
	{"is given to one at a time", func(e *env) {
		w := e.begin("a")
		for _, s := range []thread.Store{e.s, e.back.Open()} {
			_, _, err := s.Acquire(e.ctx, "a", ttl)
			held := fails[*thread.HeldError](e, err)
			equal(e, "end of the lease", held.Until, w.lease.Until)
		}
		e.begin("b")
	}},
	{"has an end", func(e *env) {
		w := e.begin("a")
		equal(e, "end of the lease", w.lease.Until, thread.Moment(e.clock.Now().Add(ttl)))
		equal(e, "time", w.lease.TTL, ttl)
		e.clock.Advance(ttl - time.Millisecond)
		_, _, err := e.s.Acquire(e.ctx, "a", ttl)
		fails[*thread.HeldError](e, err)
		e.clock.Advance(time.Millisecond)
		e.begin("a")
	}},
	{"is given again when it is released", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		w.release()
		equal(e, "end of the lease", e.loads("a", 0, "1:Sa").Until, time.Time{})
		e.acquire(e.back.Open(), "a").add("b")
	}},
	{"lasts longer by a renewal", func(e *env) {
		w := e.begin("a")
		for range 5 {
			e.clock.Advance(ttl * 3 / 4)
			ack, err := e.s.Renew(e.ctx, w.lease)
			e.ok(err)
			equal(e, "end of the lease", ack.Until, thread.Moment(e.clock.Now().Add(ttl)))
			_, _, err = e.s.Acquire(e.ctx, "a", ttl)
			fails[*thread.HeldError](e, err)
		}
	}},
	{"lasts longer by an append", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		for range 5 {
			e.clock.Advance(ttl * 3 / 4)
			w.add("b")
			_, _, err := e.back.Open().Acquire(e.ctx, "a", ttl)
			fails[*thread.HeldError](e, err)
		}
	}},
	{"remains good after its time until another follows", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		e.clock.Advance(10 * ttl)
		w.add("b")
		e.clock.Advance(10 * ttl)
		_, err := e.s.Renew(e.ctx, w.lease)
		e.ok(err)
		_, _, err = e.s.Acquire(e.ctx, "a", ttl)
		fails[*thread.HeldError](e, err)
	}},
	{"is released several times without effect", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		w.release()
		w.release()
		other := e.begin("a")
		w.release()
		other.add("b")
		_, _, err := e.s.Acquire(e.ctx, "a", ttl)
		fails[*thread.HeldError](e, err)
	}},
	{"has a token greater than all before", func(e *env) {
		last := uint64(0)
		for i := range 12 {
			w := e.acquire(e.back.Open(), "a")
			if w.lease.Token <= last {
				e.Errorf("token %d follows %d", w.lease.Token, last)
			}
			last = w.lease.Token
			if w.head.Seq == 0 {
				w.add("S")
			}
			switch i % 3 {
			case 0:
				w.release()
			case 1:
				e.clock.Advance(ttl)
			case 2:
				w.release()
				e.ok(e.s.Delete(e.ctx, "a"))
			}
		}
	}},
	{"makes no thread by itself", func(e *env) {
		w := e.begin("a")
		sameHead(e, w.head, thread.Head{Thread: "a", Until: w.lease.Until})
		e.missing("a")
		e.lists(thread.Filter{})
		fails[*thread.NotFoundError](e, e.s.Stop(e.ctx, "a"))
		fails[*thread.NotFoundError](e, e.s.Delete(e.ctx, "a"))
		w.release()
		e.missing("a")
		e.lists(thread.Filter{})
	}},
	{"comes with the head", func(e *env) {
		w := e.begin("a")
		want := fullHead("a")
		_, err := e.s.Append(e.ctx, w.lease, want, []thread.Record{record(1, "Sa")})
		e.ok(err)
		w.release()
		again := e.acquire(e.back.Open(), "a")
		want.Until = again.lease.Until
		sameHead(e, again.head, want)
	}},
	{"needs a positive time", func(e *env) {
		for _, d := range []time.Duration{0, -time.Second} {
			_, _, err := e.s.Acquire(e.ctx, "a", d)
			fails[*thread.InvalidError](e, err)
		}
	}},
	{"is given to one of many that ask concurrently", func(e *env) {
		for range 5 {
			var mu sync.Mutex
			var wg sync.WaitGroup
			got := 0
			for range 8 {
				s := e.back.Open()
				wg.Go(func() {
					_, _, err := s.Acquire(e.ctx, "a", ttl)
					mu.Lock()
					defer mu.Unlock()
					if err == nil {
						got++
					} else if _, held := errors.AsType[*thread.HeldError](err); !held {
						e.Errorf("the error is %T (%v), want *thread.HeldError", err, err)
					}
				})
			}
			wg.Wait()
			equal(e, "leases", got, 1)
			e.clock.Advance(ttl)
		}
	}},
	{"is not given with a context that has ended", func(e *env) {
		ctx, cancel := context.WithCancel(e.ctx)
		cancel()
		if _, _, err := e.s.Acquire(ctx, "a", ttl); err == nil {
			e.Error("Acquire had no error")
		}
		w := e.begin("b")
		head, records := w.next("Sb")
		if _, err := e.s.Append(ctx, w.lease, head, records); err == nil {
			e.Error("Append had no error")
		}
		w.add("Sb")
		e.logs("b", "1:Sb")
	}},
}

// takeover lets the lease of a writer run out, and gives the thread to another.
func (w *writer) takeover() *writer {
	w.Helper()
	w.clock.Advance(ttl)
	return w.acquire(w.back.Open(), w.lease.Thread)
}

// lost holds that a writer can do nothing more.
func (w *writer) lost() {
	w.Helper()
	_, err := w.try("late")
	equal(w.env, "token", fails[*thread.LostError](w.env, err).Token, w.lease.Token)
	_, err = w.s.Renew(w.ctx, w.lease)
	fails[*thread.LostError](w.env, err)
	w.release()
}

var fenceClauses = []clause{
	{"refuses a writer that another followed", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		other := w.takeover()
		w.lost()
		other.add("b")
		w.lost()
		w.head.Seq = 2
		w.lost()
		e.logs("a", "1:Sa 2:b")
	}},
	{"refuses a writer that another followed and left", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		w.takeover().release()
		w.lost()
		e.logs("a", "1:Sa")
	}},
	{"refuses a writer that released", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		w.release()
		w.lost()
		e.logs("a", "1:Sa")
	}},
	{"refuses a lease that was never given", func(e *env) {
		e.write("a", "Sa")
		w := &writer{e, e.s, thread.Lease{Thread: "a", TTL: ttl}, thread.Head{Thread: "a", Seq: 1}}
		w.lost()
		w.lease.Token = 1 << 40
		w.lost()
		e.logs("a", "1:Sa")
		e.begin("a")
	}},
	{"refuses the head of a lost writer", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		w.takeover()
		w.head.Status = thread.Failed
		_, err := w.try()
		fails[*thread.LostError](e, err)
		equal(e, "status", e.loads("a", 0, "1:Sa").Status, thread.Running)
	}},
	{"refuses the repeated append of a lost writer", func(e *env) {
		w := e.begin("a")
		head, records := w.next("Sa")
		_, err := e.s.Append(e.ctx, w.lease, head, records)
		e.ok(err)
		w.takeover()
		_, err = e.s.Append(e.ctx, w.lease, head, records)
		fails[*thread.LostError](e, err)
	}},
	{"refuses the writer of a thread that was deleted", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		e.clock.Advance(ttl)
		e.ok(e.s.Delete(e.ctx, "a"))
		w.lost()
		w.head.Seq = 0
		_, err := w.try("Sx")
		fails[*thread.LostError](e, err)
		e.missing("a")
	}},
	{"refuses the writer of a thread that was deleted and made again", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		e.clock.Advance(ttl)
		e.ok(e.s.Delete(e.ctx, "a"))
		for range 3 {
			other := e.begin("a")
			if other.head.Seq == 0 {
				other.add("Sx")
			}
			w.lost()
			other.release()
		}
		e.logs("a", "1:Sx")
	}},
	{"refuses a writer of a name that was swept or copied to", func(e *env) {
		w := e.begin("a")
		e.clock.Advance(ttl)
		e.sweeps(0)
		e.write("b", "Sb")
		e.ok(e.s.Copy(e.ctx, "b", 1, copyHead("a", 1)))
		w.head.Seq = 1
		w.lost()
		e.logs("a", "1:Sb")
	}},
	{"has one history of many takeovers", func(e *env) {
		w, want := e.begin("a"), "1:S"
		w.add("S")
		for i := range 20 {
			other := w.takeover()
			w.lost()
			other.add(string(rune('a' + i)))
			want += " " + show([]thread.Record{record(uint64(i+2), string(rune('a'+i)))})
			w = other
		}
		e.logs("a", want)
	}},
	{"gives the next writer all that was written", func(e *env) {
		w := e.begin("a")
		w.add("Sa", "b")
		other := w.takeover()
		equal(e, "number", other.head.Seq, 2)
		_, records, err := other.s.Load(e.ctx, "a", 0)
		e.ok(err)
		equal(e, "records", show(records), "1:Sa 2:b")
	}},
}

var stopClauses = []clause{
	{"is seen by the next append", func(e *env) {
		w := e.begin("a")
		equal(e, "stop", w.add("Sa").Stop, false)
		e.ok(e.back.Open().Stop(e.ctx, "a"))
		equal(e, "stop", w.add("b").Stop, true)
		equal(e, "stop", w.add("c").Stop, true)
	}},
	{"is seen by the next renewal", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		e.ok(e.s.Stop(e.ctx, "a"))
		ack, err := e.s.Renew(e.ctx, w.lease)
		e.ok(err)
		equal(e, "stop", ack.Stop, true)
	}},
	{"is seen by the next writer", func(e *env) {
		e.write("a", "Sa")
		e.ok(e.s.Stop(e.ctx, "a"))
		e.ok(e.s.Stop(e.ctx, "a"))
		equal(e, "stop", e.begin("a").head.Stop, true)
		equal(e, "stop", e.loads("a", 0, "1:Sa").Stop, true)
	}},
	{"remains while the thread pauses", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		e.ok(e.s.Stop(e.ctx, "a"))
		w.set(func(h *thread.Head) { h.Status = thread.Paused })
		w.release()
		equal(e, "stop", e.loads("a", 0, "1:Sa").Stop, true)
	}},
	{"is cleared by the end", func(e *env) {
		for _, status := range []thread.Status{thread.Completed, thread.Failed, thread.Stopped} {
			w := e.begin(status.String())
			w.add("Sa")
			e.ok(e.s.Stop(e.ctx, status.String()))
			w.set(func(h *thread.Head) { h.Status = status })
			w.release()
			equal(e, "stop", e.begin(status.String()).head.Stop, false)
		}
	}},
	{"does nothing to a thread that has ended", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		w.set(func(h *thread.Head) { h.Status = thread.Completed })
		e.ok(e.s.Stop(e.ctx, "a"))
		equal(e, "stop", w.add("b").Stop, false)
	}},
	{"does not find a thread that was never written", func(e *env) {
		fails[*thread.NotFoundError](e, e.s.Stop(e.ctx, "a"))
	}},
}

var clockClauses = []clause{
	{"set back, leaves the holder its lease", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		e.clock.Advance(-time.Hour)
		_, _, err := e.back.Open().Acquire(e.ctx, "a", ttl)
		fails[*thread.HeldError](e, err)
		w.add("b")
		e.logs("a", "1:Sa 2:b")
	}},
	{"set back, is mended by the next renewal", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		e.clock.Advance(-time.Hour)
		w.add("b")
		other := w.takeover()
		w.lost()
		other.add("c")
		e.logs("a", "1:Sa 2:b 3:c")
	}},
	{"set forward, makes one history", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		e.clock.Advance(time.Hour)
		other := e.acquire(e.back.Open(), "a")
		e.clock.Advance(-time.Hour)
		w.lost()
		other.add("b")
		w.lost()
		e.logs("a", "1:Sa 2:b")
	}},
	{"set back between two leases, has greater tokens", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		w.release()
		e.clock.Advance(-24 * time.Hour)
		other := e.begin("a")
		if other.lease.Token <= w.lease.Token {
			e.Errorf("token %d follows %d", other.lease.Token, w.lease.Token)
		}
		w.lost()
		other.add("b")
	}},
}
