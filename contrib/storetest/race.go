package storetest

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// After a process ends, its store is left as it is, and another one is opened.
var crashClauses = []clause{
	{"before the first record leaves no thread", func(e *env) {
		e.begin("a")
		s := e.back.Open()
		_, _, err := s.Acquire(e.ctx, "a", ttl)
		fails[*thread.HeldError](e, err)
		e.clock.Advance(ttl)
		e.missing("a")
		other := e.acquire(s, "a")
		sameHead(e, other.head, thread.Head{Thread: "a", Until: other.lease.Until})
		other.add("Sa")
		e.logs("a", "1:Sa")
	}},
	{"between records leaves all that were acknowledged", func(e *env) {
		want := ""
		for i := range uint64(10) {
			w := e.acquire(e.back.Open(), "a")
			equal(e, "number", w.head.Seq, i)
			w.add("S" + strconv.FormatUint(i, 10))
			want = strings.TrimSpace(want + " " + show([]thread.Record{record(i+1, "S"+strconv.FormatUint(i, 10))}))
			e.clock.Advance(ttl)
		}
		e.logs("a", want)
	}},
	{"leaves threads, leases and stops as they were", func(e *env) {
		if !e.back.Lasting {
			e.Skip("the threads end with the store")
		}
		w := e.begin("a")
		w.add("Sa", "b", "Sc")
		e.prunes("a", 3, 2)
		e.ok(e.s.Stop(e.ctx, "a"))
		e.write("b", "Sb")
		e.ok(e.s.Delete(e.ctx, "b"))
		e.s = e.back.Open()
		head := e.loads("a", 0, "3:Sc")
		equal(e, "stop", head.Stop, true)
		equal(e, "end of the lease", head.Until, w.lease.Until)
		_, _, err := e.s.Acquire(e.ctx, "a", ttl)
		fails[*thread.HeldError](e, err)
		e.missing("b")
		e.logs("a", "3:Sc")
		e.clock.Advance(ttl)
		other := e.begin("a")
		w.lost()
		other.add("d")
	}},
	{"is found by lists", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		e.write("b", "Sb")
		e.clock.Advance(ttl)
		e.begin("c").add("Sc")
		left := thread.Filter{Unleased: true, Status: []thread.Status{thread.Running}, Prefix: "a"}
		e.lists(left, "a")
		e.begin("a")
		e.lists(left)
	}},
}

// steps is how many steps the clauses with concurrent calls make.
func steps() int {
	if testing.Short() {
		return 20
	}
	return 100
}

// during appends records of a thread, a snapshot every seven, and calls another function during each append but the first.
func (e *env) during(name string, call func(s thread.Store) error) {
	e.Helper()
	w := e.begin(name)
	w.add("S1")
	calling := make(chan struct{})
	done := make(chan struct{})
	var wg sync.WaitGroup
	s := e.back.Open()
	wg.Go(func() {
		defer close(calling)
		for {
			select {
			case <-done:
				return
			case calling <- struct{}{}:
				if err := call(s); err != nil {
					e.Errorf("%v", err)
					return
				}
			}
		}
	})
	for i := 2; i <= steps(); i++ {
		if _, goesOn := <-calling; !goesOn {
			break // a call has failed
		}
		text := strconv.Itoa(i)
		if i%7 == 0 {
			text = "S" + text
		}
		if _, err := w.try(text); err != nil {
			e.Errorf("%v", err)
			break
		}
	}
	close(done)
	wg.Wait()
}

// whole reports what is wrong with records that have to begin with a snapshot and follow one another.
func whole(records []thread.Record) error {
	if len(records) == 0 || !records[0].Snapshot {
		return errors.New("the records begin without a snapshot: " + show(records))
	}
	for i, r := range records {
		if r.Seq != records[0].Seq+uint64(i) || strings.TrimPrefix(string(r.Data), "S") != strconv.FormatUint(r.Seq, 10) {
			return errors.New("the records do not follow one another: " + show(records))
		}
	}
	return nil
}

var concurrentClauses = []clause{
	{"loads fit together while a thread runs", func(e *env) {
		e.during("a", func(s thread.Store) error {
			head, records, err := s.Load(e.ctx, "a", 0)
			if err == nil {
				err = whole(records)
			}
			if last := len(records) - 1; err == nil && records[last].Seq != head.Seq {
				err = errors.New("the head is of record " + strconv.FormatUint(head.Seq, 10) + ", the records are " + show(records))
			}
			return err
		})
	}},
	{"histories and lists fit together while a thread runs", func(e *env) {
		e.during("a", func(s thread.Store) error {
			heads, err := s.List(e.ctx, thread.Filter{Prefix: "a"})
			if err != nil || len(heads) != 1 {
				return errors.Join(err, errors.New(strconv.Itoa(len(heads))+" threads in the list"))
			}
			records, err := s.History(e.ctx, "a", 0, 0)
			if err == nil {
				err = whole(records)
			}
			if err == nil && uint64(len(records)) < heads[0].Seq {
				err = errors.New("the history has less than the list")
			}
			return err
		})
	}},
	{"copies are whole while a thread runs", func(e *env) {
		n := 0
		e.during("a", func(s thread.Store) error {
			head, _, err := s.Load(e.ctx, "a", 0)
			if err != nil {
				return err
			}
			n++
			to := "copy " + strconv.Itoa(n)
			if err := s.Copy(e.ctx, "a", head.Seq, copyHead(to, head.Seq)); err != nil {
				return err
			}
			_, records, err := s.Load(e.ctx, to, 0)
			if err == nil {
				err = whole(records)
			}
			return err
		})
	}},
	{"pruning leaves what can be loaded while a thread runs", func(e *env) {
		e.during("a", func(s thread.Store) error {
			if _, err := s.Prune(e.ctx, "a", 1<<40); err != nil {
				return err
			}
			_, records, err := s.Load(e.ctx, "a", 0)
			if err == nil {
				err = whole(records)
			}
			return err
		})
		records, err := e.s.History(e.ctx, "a", 0, 0)
		e.ok(err)
		e.ok(whole(records))
		equal(e, "last record", records[len(records)-1].Seq, uint64(steps()))
	}},
	{"deletes and sweeps do not touch a thread that runs", func(e *env) {
		e.during("a", func(s thread.Store) error {
			if _, held := errors.AsType[*thread.HeldError](s.Delete(e.ctx, "a")); !held {
				return errors.New("the thread was deleted")
			}
			_, err := s.Sweep(e.ctx)
			return err
		})
		equal(e, "number", e.begin("b").head.Seq, 0)
		head, _, err := e.s.Load(e.ctx, "a", 0)
		e.ok(err)
		equal(e, "number", head.Seq, uint64(steps()))
	}},
	{"writers of many threads do not disturb one another", func(e *env) {
		var wg sync.WaitGroup
		for i := range 8 {
			name, s := "thread "+strconv.Itoa(i), e.back.Open()
			wg.Go(func() {
				lease, head, err := s.Acquire(e.ctx, name, ttl)
				w := &writer{e, s, lease, head}
				for k := 1; k <= 10 && err == nil; k++ {
					_, err = w.try("S" + strconv.Itoa(k))
				}
				if err != nil {
					e.Errorf("%v", err)
				}
			})
		}
		wg.Wait()
		for i := range 8 {
			records, err := e.s.History(e.ctx, "thread "+strconv.Itoa(i), 0, 0)
			e.ok(err)
			e.ok(whole(records))
			equal(e, "records", len(records), 10)
		}
	}},
	{"a lease that ends during appends makes one history", takeovers},
	{"a resume during the pause has all of it", func(e *env) {
		for i := range steps() / 4 {
			name := "thread " + strconv.Itoa(i)
			w := e.begin(name)
			w.add("S1")
			var wg sync.WaitGroup
			wg.Go(func() {
				head, records := w.next("2")
				head.Status, head.Summary = thread.Paused, []byte("asks")
				_, err := w.s.Append(e.ctx, w.lease, head, records)
				if err := errors.Join(err, w.s.Release(e.ctx, w.lease)); err != nil {
					e.Errorf("%v", err)
				}
			})
			s := e.back.Open()
			for try := 0; ; try++ {
				_, head, err := s.Acquire(e.ctx, name, ttl)
				if try == 10_000 {
					wg.Wait()
					e.Fatal("the thread was not released")
				}
				if err == nil {
					equal(e, "status", head.Status, thread.Paused)
					equal(e, "number", head.Seq, 2)
					equal(e, "summary", string(head.Summary), "asks")
					break
				}
				fails[*thread.HeldError](e, err)
				time.Sleep(10 * time.Microsecond)
			}
			wg.Wait()
		}
	}},
	{"two answers are taken one after the other", func(e *env) {
		for _, order := range []string{"xy", "yx"} {
			e.write(order, "Sasks x and y")
			first := e.begin(order)
			second := e.back.Open()
			_, _, err := second.Acquire(e.ctx, order, ttl)
			fails[*thread.HeldError](e, err)
			stale := first.head
			first.add(order[:1])
			first.release()
			w := e.acquire(second, order)
			equal(e, "number", w.head.Seq, 2)
			w.head = stale
			_, err = w.try(order[1:])
			equal(e, "last", fails[*thread.SeqError](e, err).Last, 2)
			w.head.Seq = 2
			w.add(order[1:])
			e.logs(order, "1:Sasks x and y 2:"+order[:1]+" 3:"+order[1:])
		}
	}},
}

// takeovers lets several writers fight for a thread whose leases end all the time. Each acknowledged record is in the
// history once, in the order of the tokens, and no writer that follows misses one.
func takeovers(e *env) {
	var mu sync.Mutex
	acknowledged := map[uint64]string{}
	var wg sync.WaitGroup
	for i := range 4 {
		s := e.back.Open()
		wg.Go(func() {
			for range steps() / 4 {
				lease, head, err := s.Acquire(e.ctx, "a", ttl)
				if _, held := errors.AsType[*thread.HeldError](err); held {
					e.clock.Advance(ttl / 3)
					continue
				}
				w := &writer{e, s, lease, head}
				for k := 0; k < 5 && err == nil; k++ {
					text := "S" + strconv.Itoa(i) + "." + strconv.FormatUint(lease.Token, 10)
					if _, err = w.try(text); err == nil {
						mu.Lock()
						if was, twice := acknowledged[w.head.Seq]; twice {
							e.Errorf("record %d was acknowledged as %s and as %s", w.head.Seq, was, text)
						}
						acknowledged[w.head.Seq] = text
						mu.Unlock()
					}
					e.clock.Advance(ttl / 3)
				}
				if seq, wrong := errors.AsType[*thread.SeqError](err); wrong {
					e.Errorf("a writer did not know the last record: %v", seq)
					return
				}
			}
		})
	}
	wg.Wait()
	records, err := e.s.History(e.ctx, "a", 0, 0)
	e.ok(err)
	for i, r := range records {
		equal(e, "number", r.Seq, uint64(i+1))
		if was, ok := acknowledged[r.Seq]; ok {
			equal(e, "record "+strconv.Itoa(i+1), string(r.Data), was)
			delete(acknowledged, r.Seq)
		}
	}
	equal(e, "acknowledged records that are missing", len(acknowledged), 0)
}

var largeClauses = []clause{
	{"has records of 64 MB", func(e *env) {
		size := 64 << 20
		if testing.Short() {
			size = 4 << 20
		}
		w := e.begin("a")
		data := strings.Repeat("0123456789abcdef", size/16-1)
		w.add("S" + data)
		w.add("small")
		_, records, err := e.back.Open().Load(e.ctx, "a", 0)
		e.ok(err)
		counts(e, "records", records, 2)
		sameRecord(e, records[0], record(1, "S"+data))
	}},
	{"refuses records that are too large together", func(e *env) {
		w := e.begin("a")
		head, records := w.next("Sa", "b")
		half := make([]byte, thread.MaxData/2+1)
		records[0].Data, records[1].Data = half, half
		_, err := e.s.Append(e.ctx, w.lease, head, records)
		fails[*thread.InvalidError](e, err)
		e.missing("a")
	}},
	{"has a summary of 1 MB", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		w.set(func(h *thread.Head) { h.Summary = []byte(strings.Repeat("x", 1<<20)) })
		equal(e, "length of the summary", len(e.lists(thread.Filter{}, "a")[0].Summary), 1<<20)
	}},
	{"has a thousand records of a thread", func(e *env) {
		w := e.begin("a")
		w.add("S")
		n := steps() * 10
		for range n {
			w.head.Updated = w.head.Updated.Add(time.Second)
			w.add("x")
		}
		head, records, err := e.s.Load(e.ctx, "a", 0)
		e.ok(err)
		equal(e, "number", head.Seq, uint64(n+1))
		equal(e, "records", len(records), n+1)
	}},
}
