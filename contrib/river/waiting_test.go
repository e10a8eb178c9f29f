package river

import (
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/thread"
)

// TestManyWaiting answers a person's request in a database with very many threads that wait, each with the job of its deadline. What is read for it
// does not grow with them.
func TestManyWaiting(t *testing.T) {
	n := tier.Pick(2000, 10_000, 100_000)
	q := made(t)
	m := machine(t, q, &clerk{})
	start(t, q, "real", 1, "sign")
	end := work(t, q, Worker{Machines: []*Machine{Durable(m)}})
	info := func() thread.Info {
		t.Helper()
		info, err := m.Thread("real").Info(t.Context())
		if err != nil && !is[*thread.NotFoundError](err) {
			t.Fatal(err)
		}
		return info
	}
	until(t, "a thread that waits", func() bool { return info().Status == thread.Paused })
	setup, err := q.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	do := func(statement string, args ...any) {
		t.Helper()
		if _, err := setup.Exec(t.Context(), strings.ReplaceAll(statement, "@", q.schema), args...); err != nil {
			t.Fatal(err)
		}
	}
	do(`insert into @threads (name, token, seq, status, graph, shape, created, updated, expires, summary)
		select 'waits ' || g, 0, seq, status, graph, shape, created, updated, expires, summary from @threads, generate_series(1, $1) g`, n)
	do(`insert into @records select t.id, r.seq, r.time, r.snapshot, r.data from @threads t, @records r where t.name like 'waits %'
		and r.thread = (select id from @threads where name = 'real')`)
	do(`insert into @river_job (args, kind, max_attempts, metadata, priority, queue, state, scheduled_at)
		select jsonb_set(args, '{thread}', to_jsonb('waits ' || g)), kind, max_attempts, metadata, priority, queue, state, scheduled_at
		from @river_job, generate_series(1, $1) g where state = 'scheduled'`, n)
	do(`analyze @threads`)
	do(`analyze @records`)
	do(`analyze @river_job`)
	if jobs := count(t, q, `select count(*) from %sriver_job where state = 'scheduled'`); jobs != n+1 {
		t.Fatalf("%d jobs of deadlines", jobs)
	}
	number := func(statement string, args ...any) (n int) {
		t.Helper()
		if err := q.pool.QueryRow(t.Context(), statement, args...).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	scanned := func() int { // rows that were read without an index
		t.Helper()
		return number(`select sum(seq_tup_read)::int from pg_stat_user_tables where schemaname || '.' = $1 and relname in ('threads', 'records')`,
			strings.ReplaceAll(q.schema, `"`, ""))
	}
	do(`select count(*) from @records where octet_length(data) < 0`)
	do(`select pg_stat_force_next_flush()`)
	setup.Release()
	before := scanned()
	if before < n {
		t.Fatalf("%d rows are counted, which are less than one statement has read", before)
	}
	begun := time.Now()
	if _, err := q.Answer(t.Context(), Reply{Graph: "claim", Thread: "real", Request: info().Requests[0].ID, Answer: "approve"}); err != nil {
		t.Fatal(err)
	}
	until(t, "the end of the run", func() bool { return info().Status == thread.Completed })
	t.Logf("%d threads wait: the answer to one has ended its run after %s", n, time.Since(begun).Round(time.Millisecond))
	end()
	q.pool.Reset() // a connection reports what it has read when it ends
	until(t, "the end of the connections", func() bool {
		return number(`select count(*)::int from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`) == 0
	})
	if read, most := scanned()-before, 100; read > most {
		t.Errorf("%d rows were read without an index, not at most %d", read, most)
	}
}
