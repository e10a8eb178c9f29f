package river

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	queue "github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/thread"
)

// TestJobs holds that a claim is started, waits for a person, is answered and paid, each by a job, and that a transaction of the program decides whether
// its jobs are there.
func TestJobs(t *testing.T) {
	q := made(t)
	m := machine(t, q, &clerk{})
	work(t, q, Worker{Machines: []*Machine{Durable(m)}})
	start(t, q, "one", 3, "sign")
	asked := reaches(t, m, "one", thread.Paused)

	reply := Reply{Graph: "claim", Thread: "one", Request: asked[0].ID, Answer: "approve", By: "ann"}
	tx, err := q.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.In(tx).Answer(t.Context(), reply); err != nil {
		t.Fatal(err)
	}
	if _, err := q.In(tx).Start(t.Context(), Order{Graph: "claim", Thread: "never", Input: claim("never", 1, "")}); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := count(t, q, `select count(*) from %sriver_job where kind = 'graphgen.answer' or args->>'thread' = 'never'`); n != 0 {
		t.Errorf("a transaction that was rolled back has left %d jobs", n)
	}

	if tx, err = q.pool.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := q.In(tx).Answer(t.Context(), reply); err != nil {
		t.Fatal(err)
	}
	if is, _ := status(t, m, "one"); is != thread.Paused {
		t.Errorf("before the commit the thread is %s", is)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	ends(t, m, "one", "paid", 3)
}

// TestRows holds what a job has of its order.
func TestRows(t *testing.T) {
	q := made(t, func(o *Options) { o.Queue, o.Tenant, o.Attempts = tenantOf, tenantOf, 7 })
	at := time.Now().Add(time.Hour).Truncate(time.Millisecond)
	if _, err := q.Start(t.Context(), Order{Graph: "claim", Thread: "gold/1", Input: claim("one", 1, ""), Priority: 3, At: at}); err != nil {
		t.Fatal(err)
	}
	if count(t, q, `select count(*) from %sriver_job
		where queue = 'gold' and args->>'tenant' = 'gold' and priority = 3 and max_attempts = 7 and scheduled_at = $1`, at) != 1 {
		t.Error("the job is not as ordered")
	}
}

// TestTexts holds that a job has JSON as it was given: with its spaces, and with the character 0, which Postgres refuses in a text.
func TestTexts(t *testing.T) {
	q := made(t)
	m := machine(t, q, &clerk{})
	const input = `{ "most": 1, "claim": "<a\u0000>" }`
	if _, err := q.Start(t.Context(), Order{Graph: "claim", Thread: "one", Input: json.RawMessage(input)}); err != nil {
		t.Fatal(err)
	}
	if count(t, q, `select count(*) from %sriver_job where args->>'input' = $1`, input) != 1 {
		t.Error("the input of the job is not the text that was given")
	}
	work(t, q, Worker{Machines: []*Machine{Durable(m)}})
	ends(t, m, "one", "paid", 1)
	if s, err := m.Thread("one").StateAt(t.Context(), 0); err != nil || s.Claim != "<a\x00>" {
		t.Errorf("the claim is %q: %v", s.Claim, err)
	}
	if _, err := q.Start(t.Context(), Order{Graph: "claim", Thread: "two", Input: []byte(`{"claim": `)}); err == nil {
		t.Error("an input that is no JSON is in a job")
	}
}

func TestUniqueJobs(t *testing.T) {
	q := made(t)
	ctx := t.Context()
	order := Order{Graph: "claim", Thread: "one", Run: "first", Input: claim("one", 1, "")}
	first, err := q.Start(ctx, order)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := q.Start(ctx, order); err != nil || !again.Known || again.ID != first.ID {
		t.Errorf("the same order again: %+v, %v", again, err)
	}
	other := order
	other.Graph = "other"
	if _, err = q.Start(ctx, other); !is[*BusyError](err) {
		t.Errorf("the same run of another graph: %v", err)
	}
	order.Run = "second"
	if _, err = q.Start(ctx, order); !is[*BusyError](err) || !strings.Contains(err.Error(), `is to start run "first" already`) {
		t.Errorf("another run of the thread: %v", err)
	}
	reply := Reply{Graph: "claim", Thread: "one", Request: "r", Answer: "approve"}
	if _, err := q.Answer(ctx, reply); err != nil {
		t.Error(err)
	}
	if _, err := q.Answer(ctx, reply); !is[*BusyError](err) || !strings.Contains(err.Error(), `has an answer to request "r" already`) {
		t.Errorf("another answer: %v", err)
	}
	reply.Request = "s"
	if _, err := q.Answer(ctx, reply); err != nil {
		t.Errorf("an answer to another request: %v", err)
	}
	for range 2 {
		for _, request := range []string{"r", "s"} {
			args := deadlineArgs{Subject: q.about("claim", "one"), Request: request, At: "soon"}
			if _, _, err := q.insert(ctx, args, "one", 0, time.Time{}); err != nil {
				t.Error(err)
			}
		}
	}
	if n := count(t, q, `select count(*) from %sriver_job where kind = 'graphgen.deadline'`); n != 2 {
		t.Errorf("%d deadlines of two requests", n)
	}
	look := recoverArgs{Subject: q.about("claim", "one")} // as workers insert it, which does not continue what has failed
	if job, _, err := q.insert(ctx, look, "one", 0, time.Time{}); err != nil || job.Known {
		t.Errorf("a recovery of a worker: %+v, %v", job, err)
	}
	one, err := q.Recover(ctx, "claim", "one")
	if err == nil && one.Known {
		t.Error("a recovery is taken for the one of a worker")
	}
	if err != nil {
		t.Error(err)
	}
	if two, err := q.Recover(ctx, "claim", "one"); err != nil || two.ID != one.ID {
		t.Errorf("the second recovery is job %d, the first %d: %v", two.ID, one.ID, err)
	}
	if _, err := q.Start(ctx, Order{Graph: "claim", Thread: "", Input: claim("", 1, "")}); !is[*thread.InvalidError](err) {
		t.Errorf("a thread without a name: %v", err)
	}
	if _, err := q.Start(ctx, Order{Graph: "claim", Thread: "big", Input: claim(strings.Repeat("x", MaxInput), 1, "")}); !is[*SizeError](err) {
		t.Errorf("a large input: %v", err)
	}
	reply.Request, reply.Answer = "t", strings.Repeat("x", MaxInput)
	if _, err := q.Answer(ctx, reply); !is[*SizeError](err) {
		t.Errorf("a large answer: %v", err)
	}
}

// TestHeldThread holds that a job waits for a thread that something else works on, without using up its attempts.
func TestHeldThread(t *testing.T) {
	q := made(t, once)
	m := machine(t, q, &clerk{})
	held, _, err := q.Store().Acquire(t.Context(), "one", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	work(t, q, Worker{Machines: []*Machine{Durable(m)}})
	start(t, q, "one", 1, "")
	until(t, "waiting", func() bool {
		return count(t, q, `select count(*) from %sriver_job where (metadata->>'snoozes')::int >= 2`) == 1
	})
	if is, _ := status(t, m, "one"); is != thread.New {
		t.Errorf("the thread is %s", is)
	}
	if err := q.Store().Release(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	ends(t, m, "one", "paid", 1)
}

// TestDeadline holds that a run that is not answered learns it at the deadline, and that the job of the deadline is in the transaction of the pause.
func TestDeadline(t *testing.T) {
	q := made(t)
	m := machine(t, q, &clerk{})
	work(t, q, Worker{Machines: []*Machine{Durable(m)}})
	start(t, q, "long", 1, "sign")
	r := reaches(t, m, "long", thread.Paused)[0]
	var at string
	err := q.pool.QueryRow(t.Context(), `select args->>'at' from `+q.schema+`river_job
		where kind = 'graphgen.deadline' and args->>'thread' = 'long'`).Scan(&at)
	if err != nil || at != r.Deadline.UTC().Format(time.RFC3339Nano) {
		t.Errorf("the job of the deadline is at %s, the deadline %v: %v", at, r.Deadline, err)
	}
	start(t, q, "short", 1, "hurry")
	ends(t, m, "short", "expired", 1)
	if is, _ := status(t, m, "long"); is != thread.Paused {
		t.Errorf("long before its deadline the thread is %s", is)
	}
}

// TestDeadlineInTransaction holds that the job of a deadline is there if the transaction of the pause is committed.
func TestDeadlineInTransaction(t *testing.T) {
	q := made(t)
	ctx := t.Context()
	if _, err := machine(t, q, &clerk{}).Thread("one").Start(ctx, claim("one", 1, "sign")); graphgen.AsPause(err) == nil {
		t.Fatal(err)
	}
	jobs := func() int { return count(t, q, `select count(*) from %sriver_job where kind = 'graphgen.deadline'`) }
	if jobs() != 1 {
		t.Errorf("%d jobs of the deadline", jobs())
	}
	if _, err := q.pool.Exec(ctx, `delete from `+q.schema+`river_job`); err != nil {
		t.Fatal(err)
	}
	head, _, err := q.Store().Load(ctx, "one", 0)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := q.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.insertDeadlines(ctx, tx, &head); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	if jobs() != 0 {
		t.Errorf("a transaction that was rolled back has left %d jobs", jobs())
	}
}

// TestAnsweredDeadline holds that a deadline has no effect on what was answered, and that it waits for one that is later than its job.
func TestAnsweredDeadline(t *testing.T) {
	q := made(t)
	m := machine(t, q, &clerk{})
	work(t, q, Worker{Machines: []*Machine{Durable(m)}})
	start(t, q, "one", 1, "sign")
	asked := reaches(t, m, "one", thread.Paused)
	early := func(at string) int64 {
		args := deadlineArgs{Subject: q.about("claim", "one"), Request: asked[0].ID, At: at}
		job, _, err := q.insert(t.Context(), args, "one", 0, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		return job.ID
	}
	waits := early("before")
	until(t, "put off", func() bool {
		return count(t, q, `select count(*) from %sriver_job
			where id = $1 and state = 'scheduled' and scheduled_at > now() + interval '50 minutes'`, waits) == 1
	})
	if is, _ := status(t, m, "one"); is != thread.Paused {
		t.Errorf("the thread is %s", is)
	}
	if _, err := q.Answer(t.Context(), Reply{Graph: "claim", Thread: "one", Request: asked[0].ID, Answer: "deny"}); err != nil {
		t.Fatal(err)
	}
	ends(t, m, "one", "refused", 1)
	done := early("after")
	until(t, "done", func() bool {
		return count(t, q, `select count(*) from %sriver_job where id = $1 and state = 'completed'`, done) == 1
	})
	ends(t, m, "one", "refused", 1)
}

// TestDeadlineMeanwhile holds that the job of a deadline waits while the run works on another answer: it may wait for this one again before the job is
// done, and a job of its own would be the same one.
func TestDeadlineMeanwhile(t *testing.T) {
	on := &working{Queue: &Queue{o: Options{Every: every}}}
	for is, waits := range map[thread.Status]bool{thread.Running: true, thread.Paused: false, thread.Completed: false, thread.Stopped: false} {
		a := &attempt{row: &rivertype.JobRow{}, machine: &Machine{info: func(context.Context, string) (thread.Info, error) {
			return thread.Info{Status: is}, nil
		}}}
		err := on.deadline(t.Context(), a, deadlineArgs{Request: "r"})
		if snooze, ok := errors.AsType[*queue.JobSnoozeError](err); ok != waits || ok && snooze.Duration > every || !ok && err != nil {
			t.Errorf("the thread is %s: %v", is, err)
		}
	}
}

// tally counts what works at the same time.
type tally struct {
	mu        sync.Mutex
	now, most map[string]int
}

func (c *tally) add(of string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now == nil {
		c.now, c.most = map[string]int{}, map[string]int{}
	}
	c.now[of] += n
	c.most[of] = max(c.most[of], c.now[of])
}

func tenantOf(thread string) string {
	tenant, _, _ := strings.Cut(thread, "/")
	return tenant
}

func TestTenants(t *testing.T) {
	// With looks that follow each other fast, a job that has no lease yet is taken over, and counts no more while it works.
	q := made(t, func(o *Options) { o.Tenant, o.TenantJobs, o.Every = tenantOf, 2, calm })
	c := new(tally)
	m := machine(t, q, &clerk{note: func(_ context.Context, claim string) error {
		c.add(tenantOf(claim), 1)
		time.Sleep(20 * time.Millisecond)
		c.add(tenantOf(claim), -1)
		return nil
	}})
	var names []string
	for _, tenant := range []string{"a", "b", "c"} {
		for i := range 5 {
			names = append(names, fmt.Sprintf("%s/%d", tenant, i))
		}
	}
	for _, name := range names {
		start(t, q, name, 3, "")
	}
	for range 2 {
		work(t, q, Worker{Machines: []*Machine{Durable(m)}})
	}
	for _, name := range names {
		ends(t, m, name, "paid", 3)
	}
	for _, tenant := range []string{"a", "b", "c"} {
		if c.most[tenant] != 2 {
			t.Errorf("%d jobs of tenant %s worked at a time, want 2", c.most[tenant], tenant)
		}
	}
}

// TestQueues holds that a worker works on the queues that it names, and that priorities decide in which order.
func TestQueues(t *testing.T) {
	q := made(t, func(o *Options) { o.Queue = tenantOf })
	var mu sync.Mutex
	var order []string
	m := machine(t, q, &clerk{note: func(_ context.Context, claim string) error {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, claim)
		return nil
	}})
	for i, priority := range []int{4, 2, 3, 1} {
		name := fmt.Sprintf("gold/%d", i)
		if _, err := q.Start(t.Context(), Order{Graph: "claim", Thread: name, Input: claim(name, 1, ""), Priority: priority}); err != nil {
			t.Fatal(err)
		}
	}
	start(t, q, "lead/0", 1, "")
	end := work(t, q, Worker{Machines: []*Machine{Durable(m)}, Queues: map[string]int{"gold": 1}})
	for i := range 4 {
		ends(t, m, fmt.Sprintf("gold/%d", i), "paid", 1)
	}
	end()
	if got := strings.Join(order, " "); got != "gold/3 gold/1 gold/2 gold/0" {
		t.Errorf("the order is %s", got)
	}
	if is, _ := status(t, m, "lead/0"); is != thread.New {
		t.Errorf("a thread of another queue is %s", is)
	}
}

func TestDeadLetters(t *testing.T) {
	q := made(t, func(o *Options) { o.Attempts, o.Every = 3, calm })
	var mu sync.Mutex
	broken, notes, tries := true, 0, 0
	m := machine(t, q, &clerk{
		note: func(context.Context, string) error {
			mu.Lock()
			defer mu.Unlock()
			notes++
			return nil
		},
		pay: func(context.Context, string) error {
			mu.Lock()
			defer mu.Unlock()
			if tries++; broken {
				return errors.New("the bank is closed")
			}
			return nil
		},
	})
	work(t, q, Worker{Machines: []*Machine{Durable(m)}})
	start(t, q, "one", 2, "")
	if _, err := q.Start(t.Context(), Order{Graph: "claim", Thread: "two", Input: json.RawMessage(`{"claim": 7}`)}); err != nil {
		t.Fatal(err)
	}
	var dead []Dead
	until(t, "two dead letters", func() bool {
		var err error
		if dead, err = q.Dead(t.Context(), 0, 10); err != nil {
			t.Fatal(err)
		}
		return len(dead) == 2
	})
	if d := dead[0]; d.Thread != "one" || d.Kind != "start" || d.Final || d.Attempts != 3 || !strings.Contains(d.Error, "the bank is closed") {
		t.Errorf("the first dead letter is %+v", d)
	}
	if d := dead[1]; d.Thread != "two" || !d.Final || d.Attempts != 1 || !strings.Contains(d.Error, "the input is not valid") {
		t.Errorf("the second dead letter is %+v", d)
	}
	if page, err := q.Dead(t.Context(), dead[0].Job, 10); err != nil || len(page) != 1 || page[0].Job != dead[1].Job {
		t.Errorf("the next page: %+v, %v", page, err)
	}
	mu.Lock()
	broken = false
	mu.Unlock()
	if err := q.Retry(t.Context(), dead[0].Job); err != nil {
		t.Fatal(err)
	}
	ends(t, m, "one", "paid", 2)
	if notes != 2 || tries != 4 {
		t.Errorf("%d notes and %d payments were tried, want 2 and 4", notes, tries)
	}
}

// TestErrorTexts holds that an error, or a panic, whose text has the character 0, which Postgres refuses, leaves the other jobs of the worker alone.
func TestErrorTexts(t *testing.T) {
	q := made(t, once)
	bad := errors.New("a\x00b")
	m := machine(t, q, &clerk{pay: func(_ context.Context, claim string) error {
		if claim == "good" {
			return nil
		}
		return bad
	}})
	var reported atomic.Bool
	work(t, q, Worker{Machines: []*Machine{Durable(m)}, Report: func(thread string, err error) {
		if reported.Store(errors.Is(err, bad) && strings.Contains(err.Error(), "a\x00b")); thread == "panic" {
			panic(err)
		}
	}})
	for _, name := range []string{"bad", "panic", "good"} {
		start(t, q, name, 1, "")
	}
	ends(t, m, "good", "paid", 1)
	var dead []Dead
	until(t, "two dead letters and a job that is done", func() bool {
		var err error
		if dead, err = q.Dead(t.Context(), 0, 10); err != nil {
			t.Fatal(err)
		}
		return len(dead) == 2 && count(t, q, `select count(*) from %sriver_job where state = 'completed'`) == 1
	})
	for _, d := range dead {
		if !strings.Contains(d.Error, "a\uFFFDb") {
			t.Errorf("the dead letter is %+v", d)
		}
	}
	if !reported.Load() {
		t.Error("Report gets another error than the one of the handler")
	}
}

// TestForeignErrors holds that a run has failed whose handler returns what another run has ended with: a pause, a limit, or a thread that is held or lost.
// It waits for nothing then, and is tried again.
func TestForeignErrors(t *testing.T) {
	for name, foreign := range map[string]error{
		"held": &thread.HeldError{Thread: "other"}, "lost": &thread.LostError{Thread: "other"},
		"paused": &graphgen.RunError{Reason: graphgen.Paused, Err: &graphgen.InterruptedError{Pause: &graphgen.Pause{}}},
		"visits": &graphgen.RunError{Reason: graphgen.Failed, Err: &graphgen.LimitError{Limit: graphgen.LimitVisits, Max: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			q := made(t, func(o *Options) { o.Attempts, o.Every = 2, calm })
			var tries sync.Map
			m := machine(t, q, &clerk{pay: func(_ context.Context, claim string) error {
				if _, again := tries.LoadOrStore(claim, true); again {
					return nil
				}
				return foreign
			}})
			var reports atomic.Int32
			work(t, q, Worker{Machines: []*Machine{Durable(m)}, Report: func(string, error) { reports.Add(1) }})
			start(t, q, "started", 1, "")
			start(t, q, "answered", 1, "sign")
			asked := reaches(t, m, "answered", thread.Paused)
			if _, err := q.Answer(t.Context(), Reply{Graph: "claim", Thread: "answered", Request: asked[0].ID, Answer: "approve"}); err != nil {
				t.Fatal(err)
			}
			ends(t, m, "started", "paid", 1)
			ends(t, m, "answered", "paid", 1)
			if reports.Load() != 2 {
				t.Errorf("%d errors are reported", reports.Load())
			}
		})
	}
}

// TestLooks holds that a worker continues threads that no job is about, and that a recovery continues one that failed.
func TestLooks(t *testing.T) {
	q := made(t, once)
	ctx, cancel := context.WithCancelCause(t.Context())
	calls := 0
	other := machine(t, q, &clerk{note: func(context.Context, string) error {
		if calls++; calls == 2 {
			cancel(errors.New("the process ends"))
		}
		return nil
	}})
	if _, err := other.Thread("left").Start(ctx, claim("left", 5, "")); err == nil {
		t.Fatal("the run has not ended")
	}
	if is, _ := status(t, other, "left"); is != thread.Running {
		t.Fatalf("the thread is %s", is)
	}
	failing := machine(t, q, &clerk{pay: func(context.Context, string) error { return errors.New("closed") }})
	if _, err := failing.Thread("failed").Start(t.Context(), claim("failed", 1, "")); err == nil {
		t.Fatal("the run has not failed")
	}
	m := machine(t, q, &clerk{})
	work(t, q, Worker{Machines: []*Machine{Durable(m)}})
	ends(t, m, "left", "paid", 5)
	if is, _ := status(t, m, "failed"); is != thread.Failed {
		t.Errorf("a thread that has failed is %s", is)
	}
	if _, err := q.Recover(t.Context(), "claim", "failed"); err != nil {
		t.Fatal(err)
	}
	ends(t, m, "failed", "paid", 1)
}

// TestHandOn holds that a worker that ends gives its runs to another between two steps, which is not an attempt.
func TestHandOn(t *testing.T) {
	q := made(t, once)
	var notes atomic.Int32
	third, passed := make(chan struct{}), make(chan struct{})
	m := machine(t, q, &clerk{note: func(context.Context, string) error {
		if notes.Add(1) == 3 {
			close(third)
			<-passed
		}
		return nil
	}})
	on, err := q.newWorking(Worker{Machines: []*Machine{Durable(m)}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error)
	go func() { ended <- on.work(ctx) }()
	start(t, q, "one", 6, "")
	<-third
	cancel()
	<-on.ending
	close(passed)
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if is, _ := status(t, m, "one"); is != thread.Running || notes.Load() != 3 {
		t.Errorf("the thread is %s after %d notes", is, notes.Load())
	}
	work(t, q, Worker{Machines: []*Machine{Durable(m)}})
	ends(t, m, "one", "paid", 6)
	if dead, err := q.Dead(t.Context(), 0, 10); err != nil || len(dead) > 0 || notes.Load() != 6 {
		t.Errorf("%d notes, want 6; dead letters: %+v, %v", notes.Load(), dead, err)
	}
}

// TestGrace holds that a worker that ends cancels steps that last longer than its grace.
func TestGrace(t *testing.T) {
	q := made(t)
	began := make(chan struct{}, 2)
	m := machine(t, q, &clerk{note: func(ctx context.Context, _ string) error {
		began <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}})
	end := work(t, q, Worker{Machines: []*Machine{Durable(m)}, Grace: time.Millisecond})
	start(t, q, "one", 1, "")
	<-began
	end()
	if is, _ := status(t, m, "one"); is != thread.Running {
		t.Errorf("the thread is %s", is)
	}
	work(t, q, Worker{Machines: []*Machine{Durable(machine(t, q, &clerk{}))}})
	ends(t, m, "one", "paid", 1)
}

// TestTick holds that a run which River begins early has its own time, and not the one before.
func TestTick(t *testing.T) {
	at := time.Date(2026, 11, 28, 15, 0, 0, 0, time.UTC)
	for after, want := range map[time.Duration]time.Time{
		-early: at, -time.Millisecond: at, 0: at, time.Hour - early - 1: at, time.Hour - early: at.Add(time.Hour),
	} {
		if got := tick(at.Add(after).In(time.FixedZone("", 3600)), time.Hour); got != want {
			t.Errorf("%v after it, River begins the run of %v, want %v", after, got, want)
		}
	}
}

// TestPeriodic holds that at each time one run begins, with two processes of which one ends.
func TestPeriodic(t *testing.T) {
	q := made(t, func(o *Options) { o.Queue = tenantOf })
	var mu sync.Mutex
	keys := map[string]int{}
	m := machine(t, q, &clerk{pay: func(_ context.Context, claim string) error {
		mu.Lock()
		defer mu.Unlock()
		keys[claim]++
		return nil
	}})
	digest := Periodic{Name: "digest", Graph: "claim", Input: claim("digest", 1, ""), Every: time.Second, Priority: 3}
	w := Worker{Machines: []*Machine{Durable(m)}, Queues: map[string]int{"digest": 10}, Periodic: []Periodic{digest}}
	end := work(t, q, w)
	work(t, q, w)
	done := func() (n int) {
		for h, err := range m.Threads(t.Context(), thread.Filter{Prefix: "digest/", Status: []thread.Status{thread.Completed}}) {
			if err != nil {
				t.Fatal(err)
			}
			if _, err := time.Parse("digest/"+time.RFC3339, h.Name); err != nil {
				t.Error(err)
			}
			n++
		}
		return n
	}
	until(t, "two runs", func() bool { return done() >= 2 })
	end()
	before := done()
	until(t, "two more", func() bool { return done() >= before+2 })
	if n := count(t, q, `select count(*) from %sriver_job where priority <> 3`); n != 0 {
		t.Errorf("%d jobs have another priority", n)
	}
	mu.Lock()
	defer mu.Unlock()
	if n := done(); keys["digest"] > n+1 {
		t.Errorf("%d payments of %d runs", keys["digest"], n)
	}
}

func TestWrongWorkers(t *testing.T) {
	q := made(t)
	m := Durable(machine(t, q, &clerk{}))
	large := Periodic{Name: "x", Graph: "claim", Every: time.Hour, Input: strings.Repeat("x", MaxInput)}
	for name, row := range map[string]struct {
		w    Worker
		want string
	}{
		"two machines of a graph": {Worker{Machines: []*Machine{m, m}}, `river: two machines are of the graph "claim"`},
		"no time":                 {Worker{Periodic: []Periodic{{Name: "x", Graph: "claim"}}}, `river: the periodic run "x" has less than a second`},
		"no name":                 {Worker{Periodic: []Periodic{{Every: time.Hour}}}, "river: a periodic run has no name or no graph"},
		"a large input":           {Worker{Periodic: []Periodic{large}}, `river: thread "x": 262146 bytes`},
		"secret fields":           {Worker{Machines: []*Machine{secret(t, q)}}, `river: graph "claim": it has secret fields`},
		"no such queue":           {Worker{Queues: map[string]int{"Ä": 1}}, "river: queue name is invalid"},
	} {
		if err := q.Work(t.Context(), row.w); err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%s: %v, want %s", name, err, row.want)
		}
	}
}

// BenchmarkJobs measures how many runs of two steps one and two workers make, each with ten jobs at a time.
func BenchmarkJobs(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			q := made(b)
			m := machine(b, q, &clerk{})
			for i := range b.N {
				start(b, q, fmt.Sprint(i), 1, "")
			}
			b.ResetTimer()
			for range workers {
				work(b, q, Worker{Machines: []*Machine{Durable(m)}})
			}
			until(b, "done", func() bool {
				return count(b, q, `select count(*) from %sthreads where status = $1`, int(thread.Completed)) == b.N
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}
