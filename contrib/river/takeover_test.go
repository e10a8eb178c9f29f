package river

import (
	"context"
	"testing"
	"time"

	"github.com/riverqueue/river/rivertype"
)

// TestUnheld holds which jobs a worker takes over: jobs that it has seen twice in one attempt, of threads that no lease holds.
func TestUnheld(t *testing.T) {
	q := made(t, func(o *Options) { o.Attempts = 2 })
	on, err := q.newWorking(Worker{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	set := func(job int64, attempt int, at time.Time) {
		t.Helper()
		if _, err := q.pool.Exec(ctx, `update `+q.schema+`river_job set state = 'running', attempt = $2, attempted_at = $3 where id = $1`,
			job, attempt, at); err != nil {
			t.Fatal(err)
		}
	}
	states := func(want map[int64]rivertype.JobState) {
		t.Helper()
		for job, state := range want {
			if row, err := on.client.JobGet(ctx, job); err != nil || row.State != state {
				t.Errorf("job %d is %s, want %s: %v", job, row.State, state, err)
			}
		}
	}
	const running, free, dead = rivertype.JobStateRunning, rivertype.JobStateAvailable, rivertype.JobStateDiscarded
	var seen map[int64]time.Time
	look := func() {
		t.Helper()
		if seen, err = on.freeJobs(ctx, seen); err != nil {
			t.Fatal(err)
		}
	}
	first := time.Now().Add(-time.Hour)
	left, last, held, again := start(t, q, "left", 1, "").ID, start(t, q, "last", 1, "").ID, start(t, q, "held", 1, "").ID, start(t, q, "again", 1, "").ID
	for job, attempt := range map[int64]int{left: 1, last: 2, held: 1, again: 1} {
		set(job, attempt, first)
	}
	foreign := start(t, q, "foreign", 1, "").ID
	set(foreign, 1, first)
	if _, err := q.pool.Exec(ctx, `update `+q.schema+`river_job set kind = 'mail' where id = $1`, foreign); err != nil {
		t.Fatal(err)
	}
	lease, _, err := q.Store().Acquire(ctx, "held", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	look()
	states(map[int64]rivertype.JobState{left: running, last: running, held: running, again: running, foreign: running})
	set(again, 1, first.Add(time.Minute))
	look()
	states(map[int64]rivertype.JobState{left: free, last: dead, held: running, again: running, foreign: running})
	if err := q.Store().Release(context.WithoutCancel(ctx), lease); err != nil {
		t.Fatal(err)
	}
	look()
	states(map[int64]rivertype.JobState{held: running, again: free, foreign: running})
	look()
	states(map[int64]rivertype.JobState{held: free, foreign: running})
}

// TestAdmit holds which jobs take a slot of their tenant: jobs that run, in the attempt in which they were admitted.
func TestAdmit(t *testing.T) {
	q := made(t, func(o *Options) { o.Tenant, o.TenantJobs = tenantOf, 1 })
	on, err := q.newWorking(Worker{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	attempts := map[string]*attempt{}
	set := func(name, state string, at time.Time) {
		t.Helper()
		if _, err := q.pool.Exec(ctx, `update `+q.schema+`river_job set state = $2::text::`+q.schema+`river_job_state, attempt = 1, attempted_at = $3
			where id = $1`, attempts[name].row.ID, state, at); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	for _, name := range []string{"a/1", "a/2", "b/1"} {
		row, err := on.client.JobGet(ctx, start(t, q, name, 1, "").ID)
		if err != nil {
			t.Fatal(err)
		}
		attempts[name] = &attempt{row: row, about: q.about("claim", name)}
		set(name, "running", now)
	}
	admits := func(name string, want bool) {
		t.Helper()
		if got, err := on.admit(ctx, attempts[name]); err != nil || got != want {
			t.Errorf("%s is admitted: %t, want %t: %v", name, got, want, err)
		}
	}
	admits("a/1", true)
	admits("a/1", true)
	admits("a/2", false)
	admits("b/1", true)
	set("a/1", "scheduled", now) // it is put off
	admits("a/2", true)
	set("a/2", "scheduled", now)
	set("a/1", "running", now.Add(time.Second)) // not yet admitted again
	set("a/2", "running", now.Add(time.Second))
	admits("a/2", true)
	admits("a/1", false)
}
