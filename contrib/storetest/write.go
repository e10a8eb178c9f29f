package storetest

import (
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// fullHead has a value in every field that a writer sets.
func fullHead(name string) thread.Head {
	zone := time.FixedZone("east", 5*60*60)
	return thread.Head{
		Thread: name, Graph: "review", Shape: "0123456789abcdef", Status: thread.Paused, Seq: 1,
		Created: start.Add(123456789).In(zone), Updated: start.Add(time.Hour), Expires: start.Add(1000 * time.Hour),
		Summary: []byte("{\"ask\":\"\x00\xff\"}"),
	}
}

// oddNames are names that are hard for file systems and query languages. No two of them are the same thread.
var oddNames = []string{
	"a", "A", "a/b", "a:b", "a\\b", ".", "..", "../a", "a ", " a", "a.", "%61", "%", "a%2fb", "a_b", "aXb", "*", "CON", "nul.txt",
	"'; drop table heads; --", "\"", "\n", "ä", "a\u0308", "日本語", "🧵", "{a}", "a}b{c", strings.Repeat("x", thread.MaxName), strings.Repeat("/", thread.MaxName),
	strings.Repeat("/", thread.MaxName-1) + "a", strings.Repeat("é", thread.MaxName/2),
}

var appendClauses = []clause{
	{"returns the end of the lease", func(e *env) {
		w := e.begin("a")
		e.clock.Advance(ttl / 2)
		ack := w.add("Sa")
		equal(e, "end of the lease", ack.Until, thread.Moment(e.clock.Now().Add(ttl)))
		equal(e, "stop", ack.Stop, false)
	}},
	{"returns what was appended", func(e *env) {
		e.write("a", "Sone")
		head := e.loads("a", 0, "1:Sone")
		equal(e, "number", head.Seq, 1)
	}},
	{"keeps all bytes of data", func(e *env) {
		var all strings.Builder
		for i := range 256 {
			all.WriteByte(byte(i))
		}
		texts := []string{"S", "", all.String(), "日本語 🧵", strings.Repeat(all.String(), 4096)}
		e.write("a", texts...)
		records, err := e.s.History(e.ctx, "a", 0, 0)
		e.ok(err)
		counts(e, "records", records, len(texts))
		for i, r := range records {
			sameRecord(e, r, record(uint64(i+1), texts[i]))
		}
	}},
	{"keeps which records are snapshots", func(e *env) {
		e.write("a", "Sa", "b", "Sc", "d")
		e.logs("a", "1:Sa 2:b 3:Sc 4:d")
	}},
	{"keeps times to the microsecond in UTC", func(e *env) {
		w := e.begin("a")
		head, records := w.next("Sa")
		records[0].Time = time.Date(1999, 12, 31, 23, 59, 59, 123456789, time.FixedZone("west", -3600))
		_, err := e.s.Append(e.ctx, w.lease, head, records)
		e.ok(err)
		_, got, err := e.s.Load(e.ctx, "a", 0)
		e.ok(err)
		counts(e, "records", got, 1)
		equal(e, "time", got[0].Time, time.Date(2000, 1, 1, 0, 59, 59, 123456000, time.UTC))
	}},
	{"keeps every field of the head", func(e *env) {
		w := e.begin("a")
		want := fullHead("a")
		_, err := e.s.Append(e.ctx, w.lease, want, []thread.Record{record(1, "Sa")})
		e.ok(err)
		w.release()
		sameHead(e, e.loads("a", 0, "1:Sa"), want)
	}},
	{"keeps a head of zero values", func(e *env) {
		w := e.begin("a")
		want := thread.Head{Thread: "a", Status: thread.Running, Seq: 1}
		_, err := e.s.Append(e.ctx, w.lease, want, []thread.Record{{Seq: 1, Snapshot: true, Data: []byte("S")}})
		e.ok(err)
		w.release()
		sameHead(e, e.loads("a", 0, "1:S"), want)
		_, records, err := e.s.Load(e.ctx, "a", 0)
		e.ok(err)
		counts(e, "records", records, 1)
		equal(e, "time is zero", records[0].Time.IsZero(), true)
	}},
	{"takes a name with separators for another thread", func(e *env) {
		e.write("a", "Sa")
		e.write("a/b", "Sb", "c")
		e.write("a:b", "Sd")
		e.logs("a", "1:Sa")
		e.logs("a/b", "1:Sb 2:c")
		e.logs("a:b", "1:Sd")
	}},
	{"takes names of every kind", func(e *env) {
		for i, name := range oddNames {
			e.write(name, "S"+strconv.Itoa(i))
		}
		for i, name := range oddNames {
			equal(e, "name", e.loads(name, 0, "1:S"+strconv.Itoa(i)).Thread, name)
		}
		heads, err := e.s.List(e.ctx, thread.Filter{})
		e.ok(err)
		equal(e, "threads", len(heads), len(oddNames))
	}},
	{"refuses names that no thread may have", func(e *env) {
		for _, name := range []string{"", "a\x00b", "\xff", strings.Repeat("x", thread.MaxName+1)} {
			_, _, err := e.s.Acquire(e.ctx, name, ttl)
			fails[*thread.InvalidError](e, err)
		}
	}},
	{"keeps all of several appends", func(e *env) {
		e.write("a", "Sa", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k")
		e.logs("a", "1:Sa 2:b 3:c 4:d 5:e 6:f 7:g 8:h 9:i 10:j 11:k")
	}},
	{"leaves other threads alone", func(e *env) {
		a, b := e.begin("a"), e.begin("b")
		a.add("Sa")
		b.add("Sb")
		a.add("c")
		b.add("Sd")
		e.logs("a", "1:Sa 2:c")
		e.logs("b", "1:Sb 2:Sd")
	}},
	{"refuses a number that does not follow", func(e *env) {
		w := e.begin("a")
		w.head.Seq = 1
		_, err := w.try("b")
		equal(e, "last", fails[*thread.SeqError](e, err).Last, 0)
		w.head.Seq = 0
		w.add("Sa")
		for _, last := range []uint64{0, 2, 7} {
			w.head.Seq = last
			_, err := w.try("Sx")
			refused := fails[*thread.SeqError](e, err)
			equal(e, "last", refused.Last, 1)
			equal(e, "first", refused.First, last+1)
		}
		e.logs("a", "1:Sa")
	}},
	{"refuses arguments that no store accepts", func(e *env) {
		w := e.begin("a")
		good, records := w.next("Sa")
		for _, change := range []func(*thread.Head, []thread.Record){
			func(h *thread.Head, _ []thread.Record) { h.Thread = "b" },
			func(h *thread.Head, _ []thread.Record) { h.Status = thread.New },
			func(h *thread.Head, _ []thread.Record) { h.Status = 200 },
			func(h *thread.Head, _ []thread.Record) { h.Seq = 2 },
			func(_ *thread.Head, r []thread.Record) { r[0].Snapshot = false },
		} {
			head, changed := good, []thread.Record{records[0]}
			change(&head, changed)
			_, err := e.s.Append(e.ctx, w.lease, head, changed)
			fails[*thread.InvalidError](e, err)
		}
		e.missing("a")
	}},
	{"forgets what a later head leaves out", func(e *env) {
		w := e.begin("a")
		w.head = fullHead("a")
		w.head.Seq = 0
		w.add("Sa")
		w.set(func(h *thread.Head) { h.Summary, h.Shape, h.Expires = nil, "", time.Time{} })
		head := e.loads("a", 0, "1:Sa")
		equal(e, "summary", string(head.Summary), "")
		equal(e, "shape", head.Shape, "")
		equal(e, "expires", head.Expires, time.Time{})
	}},
	{"keeps the time of the first head as the time of the thread", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		w.head.Created = start.Add(time.Hour)
		w.add("b")
		equal(e, "created", e.loads("a", 0, "1:Sa 2:b").Created, thread.Moment(start))
	}},
	{"keeps no reference to its arguments", func(e *env) {
		w := e.begin("a")
		head, records := w.next("Sa")
		head.Summary = []byte("sum")
		_, err := e.s.Append(e.ctx, w.lease, head, records)
		e.ok(err)
		copy(head.Summary, "XXX")
		copy(records[0].Data, "XX")
		got, loaded, err := e.s.Load(e.ctx, "a", 0)
		e.ok(err)
		counts(e, "records", loaded, 1)
		copy(got.Summary, "YYY")
		copy(loaded[0].Data, "YY")
		equal(e, "summary", string(e.loads("a", 0, "1:Sa").Summary), "sum")
	}},
}

var batchClauses = []clause{
	{"keeps several records of one append", func(e *env) {
		e.begin("a").add("Sa", "b", "c")
		e.logs("a", "1:Sa 2:b 3:c")
	}},
	{"keeps their order", func(e *env) {
		texts, want := []string{"S"}, []string{"1:S"}
		for i := 2; i <= 200; i++ {
			texts, want = append(texts, strconv.Itoa(i)), append(want, strconv.Itoa(i)+":"+strconv.Itoa(i))
		}
		e.begin("a").add(texts...)
		e.logs("a", strings.Join(want, " "))
	}},
	{"keeps batches and single records", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		w.add("b", "c")
		w.add("d")
		w.add("e", "Sf")
		e.logs("a", "1:Sa 2:b 3:c 4:d 5:e 6:Sf")
	}},
	{"keeps every field of each record", func(e *env) {
		w := e.begin("a")
		head, records := w.next("Sa", "b", "Sc")
		_, err := e.s.Append(e.ctx, w.lease, head, records)
		e.ok(err)
		got, err := e.s.History(e.ctx, "a", 0, 0)
		e.ok(err)
		counts(e, "records", got, 3)
		for i := range records {
			sameRecord(e, got[i], records[i])
		}
	}},
	{"writes nothing of a batch that does not follow", func(e *env) {
		w := e.begin("a")
		w.add("Sa", "b")
		w.head.Seq, w.head.Summary = 1, []byte("wrong")
		_, err := w.try("x", "y", "z")
		fails[*thread.SeqError](e, err)
		equal(e, "summary", string(e.loads("a", 0, "1:Sa 2:b").Summary), "")
	}},
	{"refuses a batch with a gap", func(e *env) {
		w := e.begin("a")
		head, records := w.next("Sa", "b", "c")
		records[1].Seq = 7
		_, err := e.s.Append(e.ctx, w.lease, head, records)
		fails[*thread.InvalidError](e, err)
		e.missing("a")
	}},
	{"writes a repeated append once", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		head, records := w.next("b", "c")
		for range 3 {
			ack, err := e.s.Append(e.ctx, w.lease, head, records)
			e.ok(err)
			equal(e, "end of the lease", ack.Until, thread.Moment(e.clock.Now().Add(ttl)))
		}
		w.head = head
		w.add("d")
		e.logs("a", "1:Sa 2:b 3:c 4:d")
	}},
	{"refuses other records of the same numbers", func(e *env) {
		w := e.begin("a")
		w.add("Sa")
		last := w.head
		w.add("b", "c")
		for _, texts := range [][]string{{"b", "x"}, {"x", "c"}, {"b", "Sc"}, {"b"}, {"b", "c", "d"}, {"c"}} {
			w.head = last
			_, err := w.try(texts...)
			fails[*thread.SeqError](e, err)
		}
		e.logs("a", "1:Sa 2:b 3:c")
	}},
	{"keeps the same numbers of two threads apart", func(e *env) {
		a, b := e.begin("a"), e.begin("b")
		a.add("Sa", "b")
		b.add("Sx", "y")
		a.add("c")
		e.logs("a", "1:Sa 2:b 3:c")
		e.logs("b", "1:Sx 2:y")
	}},
	{"replaces the head alone", func(e *env) {
		w := e.begin("a")
		w.add("Sa", "b")
		for range 2 {
			w.set(func(h *thread.Head) { h.Status, h.Summary = thread.Paused, []byte("asks") })
		}
		head := e.loads("a", 0, "1:Sa 2:b")
		equal(e, "status", head.Status, thread.Paused)
		equal(e, "summary", string(head.Summary), "asks")
		w.head.Seq = 1
		_, err := e.s.Append(e.ctx, w.lease, w.head, nil)
		fails[*thread.SeqError](e, err)
	}},
}
