package storetest

import (
	"math"
	"strconv"

	"github.com/graphgen/graphgen/thread"
)

var loadClauses = []clause{
	{"does not find a thread that was never written", func(e *env) {
		e.missing("a")
		_, _, err := e.s.Load(e.ctx, "a", 3)
		fails[*thread.NotFoundError](e, err)
	}},
	{"returns the last record for 0", func(e *env) {
		e.write("a", "Sa", "b")
		equal(e, "number", e.loads("a", 0, "1:Sa 2:b").Seq, 2)
	}},
	{"returns the records through a number", func(e *env) {
		e.write("a", "Sa", "b", "c")
		e.loads("a", 1, "1:Sa")
		e.loads("a", 2, "1:Sa 2:b")
		e.loads("a", 3, "1:Sa 2:b 3:c")
	}},
	{"returns the name", func(e *env) {
		e.write("a b", "Sa")
		equal(e, "thread", e.loads("a b", 1, "1:Sa").Thread, "a b")
	}},
	{"returns every field of the records", func(e *env) {
		e.write("a", "Sa", "b", "c")
		_, records, err := e.s.Load(e.ctx, "a", 0)
		e.ok(err)
		counts(e, "records", records, 3)
		for i, r := range records {
			sameRecord(e, r, record(uint64(i+1), []string{"Sa", "b", "c"}[i]))
		}
	}},
	{"returns the head as it is, also for an earlier record", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		w.add("b")
		w.set(func(h *thread.Head) { h.Status = thread.Completed })
		head := e.loads("a", 1, "1:Sa")
		equal(e, "number", head.Seq, 2)
		equal(e, "status", head.Status, thread.Completed)
	}},
	{"begins at the last snapshot", func(e *env) {
		e.write("a", "Sa", "b", "Sc", "d", "e", "Sf")
		e.loads("a", 0, "6:Sf")
		e.loads("a", 5, "3:Sc 4:d 5:e")
		e.loads("a", 3, "3:Sc")
		e.loads("a", 2, "1:Sa 2:b")
	}},
	{"begins at the last snapshot of a batch", func(e *env) {
		e.begin("a").add("Sa", "b", "Sc", "d")
		e.loads("a", 0, "3:Sc 4:d")
	}},
	{"returns records of its thread only", func(e *env) {
		e.write("a", "Sa", "b")
		e.write("a/b", "Sx", "y", "z")
		e.loads("a", 0, "1:Sa 2:b")
	}},
	{"does not find a record that was never written", func(e *env) {
		e.write("a", "Sa", "b")
		_, _, err := e.s.Load(e.ctx, "a", 3)
		equal(e, "record", fails[*thread.NotFoundError](e, err).Seq, 3)
	}},
}

// several makes threads of two graphs with several statuses.
func several(e *env) {
	for _, row := range []struct {
		name, graph string
		status      thread.Status
	}{
		{"user-1/b", "chat", thread.Running}, {"user-1/a", "chat", thread.Paused}, {"user-2/a", "review", thread.Paused},
		{"user-2/b", "review", thread.Completed}, {"user_1", "chat", thread.Failed}, {"user%", "review", thread.Stopped},
	} {
		w := e.begin(row.name)
		w.add("S" + row.name)
		w.set(func(h *thread.Head) { h.Graph, h.Status = row.graph, row.status })
		w.release()
	}
}

var listClauses = []clause{
	{"has all threads", func(e *env) {
		several(e)
		e.lists(thread.Filter{}, "user%", "user-1/a", "user-1/b", "user-2/a", "user-2/b", "user_1")
	}},
	{"selects by graph", func(e *env) {
		several(e)
		e.lists(thread.Filter{Graph: "chat"}, "user-1/a", "user-1/b", "user_1")
	}},
	{"selects by the beginning of the name", func(e *env) {
		several(e)
		e.lists(thread.Filter{Prefix: "user-1/"}, "user-1/a", "user-1/b")
	}},
	{"has the order of the bytes", func(e *env) {
		for _, name := range []string{"b", "ä", "B", "a", "é", "_", "A", "z", "a-b", "aa", "🧵", "\uffee"} {
			e.write(name, "S")
		}
		e.lists(thread.Filter{}, "A", "B", "_", "a", "a-b", "aa", "b", "z", "ä", "é", "\uffee", "🧵")
	}},
	{"selects by status", func(e *env) {
		several(e)
		e.lists(thread.Filter{Status: []thread.Status{thread.Paused}}, "user-1/a", "user-2/a")
	}},
	{"selects by several statuses", func(e *env) {
		several(e)
		e.lists(thread.Filter{Status: []thread.Status{thread.Stopped, thread.Failed}}, "user%", "user_1")
	}},
	{"begins after a name", func(e *env) {
		several(e)
		e.lists(thread.Filter{After: "user-1/b"}, "user-2/a", "user-2/b", "user_1")
		e.lists(thread.Filter{After: "user-1/aa"}, "user-1/b", "user-2/a", "user-2/b", "user_1")
	}},
	{"ends at the limit", func(e *env) {
		several(e)
		e.lists(thread.Filter{Limit: 1}, "user%")
		e.lists(thread.Filter{Limit: 100}, "user%", "user-1/a", "user-1/b", "user-2/a", "user-2/b", "user_1")
	}},
	{"has pages", func(e *env) {
		several(e)
		e.lists(thread.Filter{Limit: 2}, "user%", "user-1/a")
		e.lists(thread.Filter{Limit: 2, After: "user-1/a"}, "user-1/b", "user-2/a")
		var names []string
		for h, err := range thread.All(e.ctx, e.s, thread.Filter{Limit: 4}) {
			e.ok(err)
			if names = append(names, h.Thread); len(names) > 6 {
				break
			}
		}
		equal(e, "threads on all pages", len(names), 6)
	}},
	{"selects by graph and status", func(e *env) {
		several(e)
		e.lists(thread.Filter{Graph: "review", Status: []thread.Status{thread.Paused, thread.Failed}}, "user-2/a")
	}},
	{"is empty without threads", func(e *env) {
		e.lists(thread.Filter{})
	}},
	{"has every field of the heads", func(e *env) {
		w := e.begin("a")
		want := fullHead("a")
		_, err := e.s.Append(e.ctx, w.lease, want, []thread.Record{record(1, "Sa")})
		e.ok(err)
		e.ok(e.s.Stop(e.ctx, "a"))
		want.Stop, want.Until = true, e.clock.Now().Add(ttl)
		sameHead(e, e.lists(thread.Filter{}, "a")[0], want)
	}},
	{"takes a prefix for text, not for a pattern", func(e *env) {
		several(e)
		e.lists(thread.Filter{Prefix: "user_"}, "user_1")
		e.lists(thread.Filter{Prefix: "user%"}, "user%")
		e.lists(thread.Filter{Prefix: "*"})
		e.lists(thread.Filter{Prefix: "user[-]"})
		e.lists(thread.Filter{Prefix: "USER"})
	}},
	{"selects by all of several conditions", func(e *env) {
		several(e)
		e.lists(thread.Filter{Graph: "chat", Prefix: "user-", Status: []thread.Status{thread.Running, thread.Paused}, After: "user-1/a", Limit: 9}, "user-1/b")
	}},
	{"is empty if one condition fails", func(e *env) {
		several(e)
		e.lists(thread.Filter{Graph: "none", Prefix: "user-"})
		e.lists(thread.Filter{Graph: "chat", Prefix: "user-2"})
		e.lists(thread.Filter{After: "z"})
	}},
	{"selects threads without a lease", func(e *env) {
		e.write("a", "S")
		e.begin("b").add("S")
		e.begin("c").add("S")
		e.lists(thread.Filter{Unleased: true}, "a")
		e.clock.Advance(ttl / 2)
		e.acquire(e.back.Open(), "a")
		e.clock.Advance(ttl / 2)
		e.lists(thread.Filter{Unleased: true}, "b", "c")
	}},
}

var historyClauses = []clause{
	{"has the oldest record first", func(e *env) {
		e.write("a", "Sa", "b", "c")
		e.logs("a", "1:Sa 2:b 3:c")
	}},
	{"has the records before the last snapshot", func(e *env) {
		e.write("a", "Sa", "b", "Sc", "d")
		e.logs("a", "1:Sa 2:b 3:Sc 4:d")
	}},
	{"begins after a number", func(e *env) {
		e.write("a", "Sa", "b", "Sc", "d")
		records, err := e.s.History(e.ctx, "a", 2, 0)
		e.ok(err)
		equal(e, "history", show(records), "3:Sc 4:d")
	}},
	{"ends at the limit", func(e *env) {
		e.write("a", "Sa", "b", "Sc", "d")
		for limit, want := range map[int]string{1: "2:b", 2: "2:b 3:Sc", 3: "2:b 3:Sc 4:d", 4: "2:b 3:Sc 4:d", math.MaxInt: "2:b 3:Sc 4:d"} {
			records, err := e.s.History(e.ctx, "a", 1, limit)
			e.ok(err)
			equal(e, "history", show(records), want)
		}
	}},
	{"is empty after the last record", func(e *env) {
		e.write("a", "Sa", "b")
		for _, after := range []uint64{2, 3, 1 << 40} {
			records, err := e.s.History(e.ctx, "a", after, 0)
			e.ok(err)
			equal(e, "records", len(records), 0)
		}
	}},
	{"has every field", func(e *env) {
		e.write("a", "Sa", "b")
		records, err := e.s.History(e.ctx, "a", 1, 1)
		e.ok(err)
		counts(e, "records", records, 1)
		sameRecord(e, records[0], record(2, "b"))
	}},
	{"has pages", func(e *env) {
		texts := []string{"S"}
		for i := range 49 {
			texts = append(texts, strconv.Itoa(i))
		}
		e.begin("a").add(texts...)
		n, after := 0, uint64(0)
		for n <= 50 {
			records, err := e.s.History(e.ctx, "a", after, 7)
			e.ok(err)
			if len(records) == 0 {
				break
			}
			n, after = n+len(records), records[len(records)-1].Seq
		}
		equal(e, "records on all pages", n, 50)
	}},
	{"does not find a thread that was never written", func(e *env) {
		_, err := e.s.History(e.ctx, "a", 0, 0)
		fails[*thread.NotFoundError](e, err)
	}},
}
