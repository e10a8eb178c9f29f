package river

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/river/rivertest"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/thread"
)

// workerVariable is the variable of the environment that gives a process the connection string and the schema of its queue.
const workerVariable = "GRAPHGEN_RIVER"

// workerProcess is a worker, and does not return, in a process that a test starts.
func workerProcess() {
	text := os.Getenv(workerVariable)
	if text == "" {
		return
	}
	to, schema, _ := strings.Cut(text, "|")
	panic(workAt(context.Background(), to, schema))
}

// gate is the key of the advisory lock with which a test has effects wait between the bank and their records.
const gate = 7

// workAt works on a queue. The bank notes the key of each effect.
func workAt(ctx context.Context, to, schema string) error {
	pool, err := pgxpool.New(ctx, fmt.Sprint(to, " pool_max_conns=12 application_name=", os.Getpid()))
	if err != nil {
		return err
	}
	o := options(schema)
	o.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	q, err := New(ctx, pool, o)
	if err != nil {
		return err
	}
	effect := func(ctx context.Context, claim string) error {
		_, err := pool.Exec(ctx, `insert into `+q.schema+`bank values ($1, $2, 1) on conflict (key) do update set times = bank.times + 1`,
			graphgen.IdempotencyKey(ctx), claim)
		if err == nil {
			_, err = pool.Exec(ctx, `select pg_advisory_xact_lock_shared($1)`, gate)
		}
		return err
	}
	m, err := rivertest.NewClaim(&clerk{note: effect, pay: effect}, thread.With(thread.Settings{Store: q.Store(), Lease: lease}))
	if err != nil {
		return err
	}
	return q.Work(ctx, Worker{Machines: []*Machine{Durable(m)}, Queues: map[string]int{DefaultQueue: 4}, Report: func(thread string, err error) {
		fmt.Fprintln(os.Stderr, thread, err)
	}})
}

// A process is a worker that runs.
type process struct {
	cmd *exec.Cmd
	err bytes.Buffer
}

func startProcess(t *testing.T, schema string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0])}
	p.cmd.Env = append(os.Environ(), workerVariable+"="+server(t)+"|"+schema)
	p.cmd.Stderr = &p.err
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	return p
}

// kill ends a process as kill -9 does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // a process that has been killed
	_ = p.cmd.Wait()         // it was killed
}

// closeGate has effects wait until the function returned is called.
func closeGate(t *testing.T, q *Queue) (open func()) {
	t.Helper()
	tx, err := q.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `select pg_advisory_xact_lock($1)`, gate); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// waitsAtGate reports whether an effect of a process waits.
func (p *process) waitsAtGate(t *testing.T, q *Queue) (waits bool) {
	t.Helper()
	err := q.pool.QueryRow(t.Context(), `select exists (select from pg_locks join pg_stat_activity using (pid)
		where application_name = $1 and locktype = 'advisory' and objid = $2 and not granted)`,
		fmt.Sprint(p.cmd.Process.Pid), gate).Scan(&waits)
	if err != nil {
		t.Fatal(err)
	}
	return waits
}

// TestKilledWorkers kills workers of two that work on threads, each time between an effect and its record. No thread is lost, and the bank has the keys of runs
// that were not killed: each step once.
func TestKilledWorkers(t *testing.T) {
	const notes, each = 12, 8
	kills := tier.Pick(3, 8, 100)
	threads := each * kills
	q := made(t)
	m := machine(t, q, &clerk{})
	if _, err := q.pool.Exec(t.Context(), `create table `+q.schema+`bank (key text primary key, claim text, times int)`); err != nil {
		t.Fatal(err)
	}
	effects := func() int { return count(t, q, `select coalesce(sum(times), 0) from %sbank`) }
	hurries := func(i int) bool { return tier.Full() && i%4 == 3 } // a deadline is late by half a minute where River's leader was killed
	answered := map[string]bool{}
	var workers [2]*process
	for i := range workers {
		workers[i] = startProcess(t, q.o.Schema)
	}
	for d := range tier.Draws(t, 1) {
		draw := d.Rand()
		for k := range kills {
			open := closeGate(t, q)
			for i := range each { // as many as the two work on at a time, so that each of them has some
				i += k * each
				how := []string{"", "sign", "", ""}[i%4]
				if hurries(i) {
					how = "hurry"
				}
				start(t, q, fmt.Sprint(i), notes, how)
			}
			i := draw.IntN(2)
			until(t, "an effect without its record", func() bool { return workers[i].waitsAtGate(t, q) })
			workers[i].kill()
			more := effects() + 1 + draw.IntN(3*notes)
			open()
			workers[i] = startProcess(t, q.o.Schema)
			until(t, "more effects", func() bool { return effects() >= more })
			answerAll(t, q, m, answered)
		}
	}
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		answerAll(t, q, m, answered)
		if count(t, q, `select count(*) from %sthreads where status = $1`, int(thread.Completed)) == threads {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d of %d threads are left\n%s\n%s", count(t, q, `select count(*) from %sthreads where status <> $1`, int(thread.Completed)), threads,
				left(t, q), &workers[0].err)
		}
	}
	want := 0
	for i := range threads {
		name, as, keys := fmt.Sprint(i), "paid", notes+1
		if hurries(i) {
			as, keys = "expired", notes
		}
		ends(t, m, name, as, notes)
		if n := count(t, q, `select count(*) from %sbank where claim = $1`, name); n != keys {
			t.Errorf("thread %s has made effects with %d keys, want %d", name, n, keys)
		}
		want += keys
	}
	again := effects() - want
	if dead, err := q.Dead(t.Context(), 0, 10); err != nil || len(dead) > 0 {
		t.Errorf("dead letters: %+v, %v", dead, err)
	}
	taken := count(t, q, `select coalesce(sum((metadata->>'river:rescue_count')::int), 0) from %sriver_job`)
	if taken < kills || again < kills || again > taken { // on a slow machine leases of living workers end, too
		t.Errorf("%d jobs were taken over after %d kills, and %d effects made again, want one of each kill at least and one of each job at most",
			taken, kills, again)
	}
	t.Logf("%d kills of two workers, %d threads: none is lost; %d jobs were taken over; %d effects, %d made again with the same key",
		kills, threads, taken, effects(), again)
}

// left returns what is known of threads that have not ended.
func left(t *testing.T, q *Queue) (text string) {
	t.Helper()
	rows, err := q.pool.Query(t.Context(), `
		select concat_ws(' ', t.name, t.status, t.until - now(), j.kind, j.state, j.attempt, j.scheduled_at - now(), j.errors)
		from `+q.schema+`threads t left join `+q.schema+`river_job j on j.args->>'thread' = t.name and j.state <> 'completed'
		where t.status <> $1 limit 20`,
		int(thread.Completed))
	if err != nil {
		t.Fatal(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, "\n")
}

// answerAll approves what threads ask that wait to be signed, once each.
func answerAll(t *testing.T, q *Queue, m *rivertest.Claim, answered map[string]bool) {
	t.Helper()
	for h, err := range m.Threads(t.Context(), thread.Filter{Status: []thread.Status{thread.Paused}}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range h.Requests {
			if r.Node != "sign" || answered[h.Name] {
				continue
			}
			answered[h.Name] = true
			if _, err := q.Answer(t.Context(), Reply{Graph: "claim", Thread: h.Name, Request: r.ID, Answer: "approve"}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
