package postgres

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/graphgen/graphgen/thread"
)

// together makes writes that one statement has, and returns the error of each.
func together(t *testing.T, s *Store, list []*pending) []error {
	t.Helper()
	g := s.group
	for taken := false; !taken; runtime.Gosched() { // a write that waits for a lock has its turn for [patience]
		g.mu.Lock()
		if taken = g.sending == 0; taken {
			g.sending = g.most // as if statements were on their way
		}
		g.mu.Unlock()
	}
	errs := make([]error, len(list))
	var all sync.WaitGroup
	for i, p := range list {
		all.Go(func() { p.ack, errs[i] = g.write(p) })
	}
	for waiting := 0; waiting < len(list); runtime.Gosched() {
		g.mu.Lock()
		waiting = len(g.waiting)
		g.mu.Unlock()
	}
	for range g.most {
		g.sent()
	}
	all.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sending != 0 || len(g.waiting) != 0 {
		t.Errorf("%d statements are on their way, %d writes wait", g.sending, len(g.waiting))
	}
	return errs
}

// step returns the append of records after one.
func step(ctx context.Context, lease thread.Lease, after uint64, data ...string) *pending {
	at := time.Unix(1, 0)
	p := &pending{ctx: ctx, lease: lease, head: thread.Head{
		Thread: lease.Thread, Graph: "g", Status: thread.Running, Seq: after + uint64(len(data)), Created: at, Updated: at, Summary: []byte("{}"),
	}}
	for i, d := range data {
		p.records = append(p.records, thread.Record{Seq: after + uint64(i) + 1, Time: at, Snapshot: after == 0 && i == 0, Data: []byte(d)})
	}
	return p
}

// TestAppendsTogether holds that of the appends of one statement each is as if it was alone: it writes, or is refused with its own error.
func TestAppendsTogether(t *testing.T) {
	s := opened(t, connection(server(t)), Schema(fresh()))
	ctx := t.Context()
	leases := map[string]thread.Lease{}
	names := []string{"none", "one", "three", "lost", "gap", "again", "wrong", "left", "stopped"}
	for _, name := range names {
		lease, _, err := s.Acquire(ctx, name, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		leases[name] = lease
		p := step(ctx, lease, 0, "first")
		if _, err := s.Append(ctx, lease, p.head, p.records); err != nil {
			t.Fatal(err)
		}
	}
	lost := leases["lost"]
	if err := s.Release(ctx, lost); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(ctx, "stopped"); err != nil {
		t.Fatal(err)
	}
	again := step(ctx, leases["again"], 1, "again")
	if _, err := s.Append(ctx, again.lease, again.head, again.records); err != nil {
		t.Fatal(err)
	}
	gone, leave := context.WithCancel(ctx)
	leave()
	list := []*pending{
		step(ctx, leases["none"], 1), step(ctx, leases["one"], 1, "one"), step(ctx, leases["three"], 1, "a", "b", "c"), step(ctx, lost, 1, "late"),
		step(ctx, leases["gap"], 2, "far"), step(ctx, leases["again"], 1, "again"), step(ctx, leases["stopped"], 1, "last"),
	}
	check := func(i int, seq uint64) {
		t.Helper()
		p := list[i]
		head, records, err := s.Load(ctx, p.lease.Thread, 0)
		if err != nil || head.Seq != seq || len(records) != int(seq) || seq == p.head.Seq && string(head.Summary) != "{}" {
			t.Errorf("%s: record %d, %d records: %v", p.lease.Thread, head.Seq, len(records), err)
			return
		}
		for k, r := range p.records {
			if seq == p.head.Seq && string(records[int(r.Seq)-1].Data) != string(r.Data) {
				t.Errorf("%s: record %d of the append is %q", p.lease.Thread, k, records[int(r.Seq)-1].Data)
			}
		}
	}
	errs := together(t, s, list)
	for i, want := range []uint64{1, 2, 4, 1, 1, 2, 2} {
		refused := i == 3 && !isError[*thread.LostError](errs[i]) || i == 4 && !isError[*thread.SeqError](errs[i])
		if refused || i != 3 && i != 4 && (errs[i] != nil || list[i].ack.Until.IsZero() || list[i].ack.Stop != (i == 6)) {
			t.Errorf("%s: %v, %v", list[i].lease.Thread, list[i].ack, errs[i])
		}
		check(i, want)
	}

	// The server refuses a graph that is no text.
	list = []*pending{step(ctx, leases["one"], 2, "two"), step(ctx, leases["wrong"], 1, "w"), step(gone, leases["left"], 1, "l")}
	list[1].head.Graph = "\xff"
	errs = together(t, s, list)
	if errs[0] != nil || !isError[*pgconn.PgError](errs[1]) || !errors.Is(errs[2], context.Canceled) {
		t.Errorf("the errors are %v", errs)
	}
	check(0, 3)
	check(1, 1)
}

func isError[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// trips counts the round trips of connections: each statement or batch is one.
type trips struct{ n atomic.Int64 }

func (c *trips) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.n.Add(1)
	return ctx
}

func (c *trips) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	c.n.Add(1)
	return ctx
}

func (*trips) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData)     {}
func (*trips) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (*trips) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// counted opens a store whose round trips are counted.
func counted(t testing.TB, connection string, opts ...Option) (*Store, *trips) {
	t.Helper()
	config, err := pgxpool.ParseConfig(connection)
	if err != nil {
		t.Fatal(err)
	}
	c := new(trips)
	config.ConnConfig.Tracer = c
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	s, err := New(t.Context(), pool, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

// TestReleaseEnds holds that a release whose context has no deadline does not keep the turn of a statement for longer than a few seconds.
func TestReleaseEnds(t *testing.T) {
	g := &group{most: 0}
	ctx, leave := context.WithCancel(t.Context())
	released := make(chan error)
	go func() { released <- g.release(ctx, thread.Lease{Thread: "a", Token: 1}) }()
	var waiting []*pending
	for ; len(waiting) == 0; runtime.Gosched() {
		g.mu.Lock()
		waiting = g.waiting
		g.mu.Unlock()
	}
	if end, ok := waiting[0].ctx.Deadline(); !ok || time.Until(end) > farewell {
		t.Errorf("the release ends at %v", end)
	}
	leave()
	if err := <-released; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestReleasesTogether holds that releases are in one statement with what others write, and that each is as if it was alone: a lease that was lost to another
// process stays with that, a name without records is deleted, and a thread that is locked keeps nothing else waiting.
func TestReleasesTogether(t *testing.T) {
	s, trips := counted(t, connection(server(t)), Schema(fresh()))
	ctx, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	leases := map[string]thread.Lease{}
	acquire := func(name string) thread.Lease {
		t.Helper()
		lease, _, err := s.Acquire(ctx, name, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		return lease
	}
	for _, name := range []string{"one", "two", "writes", "lost", "locked", "empty"} {
		leases[name] = acquire(name)
		if p := step(ctx, leases[name], 0, "first"); name != "empty" {
			if _, err := s.Append(ctx, p.lease, p.head, p.records); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Release(ctx, leases["lost"]); err != nil {
		t.Fatal(err)
	}
	other := acquire("lost")
	release := func(name string) *pending { return &pending{ctx: ctx, lease: leases[name], releases: true} }
	released := func(name string) bool {
		t.Helper()
		head, _, err := s.Load(ctx, name, 0)
		if err != nil {
			t.Fatal(err)
		}
		return head.Until.IsZero()
	}

	before := trips.n.Load()
	if err := errors.Join(together(t, s, []*pending{release("one"), step(ctx, leases["writes"], 1, "second"), release("two")})...); err != nil {
		t.Error(err)
	}
	if n := trips.n.Load() - before; n != 1 {
		t.Errorf("an append and two releases take %d round trips", n)
	}
	if !released("one") || !released("two") || released("writes") {
		t.Errorf("released: one %t, two %t, the one that writes %t", released("one"), released("two"), released("writes"))
	}
	if err := errors.Join(together(t, s, []*pending{release("lost"), release("empty"), release("writes")})...); err != nil {
		t.Error(err)
	}
	if _, err := s.Renew(ctx, other); err != nil || !released("writes") {
		t.Errorf("another process has the thread: %v; the one that has written is released: %t", err, released("writes"))
	}
	var names int
	if err := s.pool.QueryRow(ctx, named(pgx.Identifier{s.schema}.Sanitize(), `select count(*) from @threads where name = 'empty'`)).Scan(&names); err != nil ||
		names != 0 {
		t.Errorf("%d rows of a name without records: %v", names, err)
	}

	lock, err := s.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Rollback(ctx)
	if _, err := lock.Exec(ctx, named(pgx.Identifier{s.schema}.Sanitize(), `select from @threads where name = 'locked' for update`)); err != nil {
		t.Fatal(err)
	}
	leases["one"] = acquire("one")
	ended := make(chan []error)
	go func() { ended <- together(t, s, []*pending{release("locked"), release("one")}) }()
	for !released("one") {
		if ctx.Err() != nil {
			t.Fatal("a release waits for the lock of another thread")
		}
	}
	if err := lock.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(<-ended...); err != nil || !released("locked") {
		t.Errorf("after the lock the thread is released: %t, %v", released("locked"), err)
	}
}

// TestAppendsOfOneThread holds that appends of one thread are never in one statement: the second finds what the first has written.
func TestAppendsOfOneThread(t *testing.T) {
	s := opened(t, connection(server(t)), Schema(fresh()))
	var list []*pending
	for _, name := range []string{"a", "b"} {
		lease, _, err := s.Acquire(t.Context(), name, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		p := step(t.Context(), lease, 0, "first")
		list = append(list, p, &pending{ctx: p.ctx, lease: p.lease, head: p.head, records: p.records})
	}
	if errs := together(t, s, list); errors.Join(errs...) != nil {
		t.Errorf("appends that are repeated while they wait: %v", errs)
	}
	g := &group{waiting: list}
	if first := g.next(); len(first) != 2 || len(g.waiting) != 2 || first[0].lease.Thread == first[1].lease.Thread {
		t.Errorf("the first statement has %d appends", len(first))
	}
}

// TestLockedThread holds that no append waits for the lock of another thread: neither one of the same statement, nor one that comes alone, however many
// appends wait for locks.
func TestLockedThread(t *testing.T) {
	s := opened(t, connection(server(t))+" pool_max_conns=9", Schema(fresh()))
	ctx, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	var list []*pending // of which those with an odd number are locked
	for i := range 4*mostStatements + 2 {
		lease, _, err := s.Acquire(ctx, fmt.Sprint(i), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, step(ctx, lease, 0, "first"))
	}
	locks, err := s.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer locks.Rollback(ctx)
	if _, err := locks.Exec(ctx, named(pgx.Identifier{s.schema}.Sanitize(), `select from @threads where name::int % 2 = 1 for update`)); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var errs []error
	direct := list[:2*mostStatements] // each comes alone
	grouped := list[2*mostStatements:]
	failed := make([]error, len(direct))
	for i := 1; i < len(direct); i += 2 {
		all.Go(func() { _, failed[i] = s.Append(ctx, direct[i].lease, direct[i].head, direct[i].records) })
	}
	locked := func(n int) {
		t.Helper()
		for waiting := 0; waiting < n; {
			found := s.pool.QueryRow(ctx, `select count(*) from pg_locks where not granted and locktype in ('transactionid', 'tuple')`)
			if err := found.Scan(&waiting); err != nil {
				t.Fatal(err)
			}
		}
	}
	locked(mostStatements)
	for i := 0; i < len(direct); i += 2 {
		if _, err := s.Append(ctx, direct[i].lease, direct[i].head, direct[i].records); err != nil {
			t.Errorf("while appends that come alone wait for locks: %v", err)
		}
	}
	all.Go(func() { errs = together(t, s, grouped) })
	written := func(free int, seq uint64) {
		t.Helper()
		for {
			head, _, err := s.Load(ctx, fmt.Sprint(free), 0)
			if head.Seq == seq {
				return
			}
			if ctx.Err() != nil {
				t.Fatalf("record %d of thread %d waits for the locks of others: %v", seq, free, err)
			}
		}
	}
	for i := 0; i < len(list); i += 2 {
		written(i, 1)
	}
	locked(2*mostStatements + 1)
	next := step(ctx, list[0].lease, 1, "second")
	if _, err := s.Append(ctx, next.lease, next.head, next.records); err != nil {
		t.Errorf("while all wait for locks: %v", err)
	}
	if err := locks.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	if err := errors.Join(append(errs, failed...)...); err != nil {
		t.Error(err)
	}
	for i := 1; i < len(list); i += 2 {
		written(i, 1)
	}
}

// TestManyAppends holds that a statement has a bound, and that one append may have more.
func TestManyAppends(t *testing.T) {
	g := &group{sending: 1}
	for i := range 2*mostWrites + 1 {
		g.waiting = append(g.waiting, step(t.Context(), thread.Lease{Thread: fmt.Sprint(i)}, 0, "x"))
	}
	for _, want := range []int{mostWrites, mostWrites, 1, 0} {
		if got := len(g.next()); got != want {
			t.Errorf("a statement has %d appends, not %d", got, want)
		}
	}
	large := string(make([]byte, mostBytes))
	g = &group{sending: 1}
	for i, data := range []string{"x", large, "y", large} {
		g.waiting = append(g.waiting, step(t.Context(), thread.Lease{Thread: fmt.Sprint(i)}, 0, data))
	}
	for _, want := range []int{2, 1, 1, 0} {
		if got := len(g.next()); got != want {
			t.Errorf("a statement has %d appends, not %d", got, want)
		}
	}
	if g.sending != 0 {
		t.Errorf("%d statements are on their way", g.sending)
	}
}

// TestPlanIsKept holds that the server keeps one plan of the statement of many writes, however few they are, as it does of others after five executions.
func TestPlanIsKept(t *testing.T) {
	s := opened(t, connection(server(t))+" pool_max_conns=1", Schema(fresh()))
	ctx := t.Context()
	for _, statement := range []string{`insert into @threads (name, token) select 'thread ' || i, 0 from generate_series(1, 10000) i`, `analyze @threads`} {
		if _, err := s.pool.Exec(ctx, named(pgx.Identifier{s.schema}.Sanitize(), statement)); err != nil {
			t.Fatal(err)
		}
	}
	var list []*pending
	for _, name := range []string{"one", "two"} {
		lease, _, err := s.Acquire(ctx, name, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, step(ctx, lease, 0, "first"))
	}
	for seq := range uint64(10) {
		for i, p := range list {
			list[i] = step(ctx, p.lease, seq, "next")
		}
		if acks, err := s.writeTogether(ctx, list); err != nil || len(acks) != len(list) {
			t.Fatalf("record %d: %v, %v", seq+1, acks, err)
		}
	}
	var generic, custom int
	err := s.pool.QueryRow(ctx, `select generic_plans, custom_plans from pg_prepared_statements where statement = $1`, s.sql.writeAll).Scan(&generic, &custom)
	if err != nil || generic != 5 || custom != 5 {
		t.Errorf("%d executions by one plan, and %d by plans of their own: want 5 and 5: %v", generic, custom, err)
	}
}
