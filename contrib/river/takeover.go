package river

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"github.com/graphgen/graphgen/thread"
)

// takeOver looks again and again for jobs whose process has ended.
func (on *working) takeOver(ctx context.Context) {
	seen := map[int64]time.Time{}
	for ctx.Err() == nil {
		found, err := on.freeJobs(ctx, seen)
		if seen = found; err != nil && ctx.Err() == nil {
			on.Report("", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(on.o.Every/2 + rand.N(on.o.Every)):
		}
	}
}

// stuckPage is how many jobs freeJobs reads at a time.
const stuckPage = 1000

// freeJobs gives jobs to other workers whose threads no lease holds, at this look and at the one before: their processes have ended. It returns the jobs of
// this look, with the times of their attempts. A process that is only slow, such as one that is stopped, finds the thread held when it continues.
func (on *working) freeJobs(ctx context.Context, before map[int64]time.Time) (seen map[int64]time.Time, err error) {
	x, now := on.client.Driver().GetExecutor(), time.Now()
	seen = map[int64]time.Time{}
	for after := int64(0); ; {
		page, err := x.JobGetStuck(ctx, &riverdriver.JobGetStuckParams{AfterID: after, Max: stuckPage, Schema: on.o.Schema, StuckHorizon: now})
		if err != nil || len(page) == 0 {
			return seen, err
		}
		after = page[len(page)-1].ID
		free, err := on.unheld(ctx, page)
		if err != nil {
			return seen, err
		}
		twice := free[:0]
		for _, job := range free {
			seen[job.ID] = *job.AttemptedAt
			if at, ok := before[job.ID]; ok && at.Equal(*job.AttemptedAt) {
				twice = append(twice, job)
			}
		}
		if len(twice) > 0 {
			if _, err := x.JobRescueMany(ctx, on.rescue(twice, now)); err != nil {
				return seen, err
			}
		}
		if len(page) < stuckPage {
			return seen, nil
		}
	}
}

// unheld returns the jobs about threads that no lease holds.
func (on *working) unheld(ctx context.Context, jobs []*rivertype.JobRow) (free []*rivertype.JobRow, err error) {
	var of, names []string
	for _, job := range jobs {
		var a Subject
		if slices.Contains(kinds, job.Kind) {
			if err := json.Unmarshal(job.EncodedArgs, &a); err != nil {
				return nil, err
			}
			names = append(names, a.Thread)
		}
		of = append(of, a.Thread)
	}
	held, err := on.store.Held(ctx, names)
	for i, job := range jobs {
		if of[i] != "" && !slices.Contains(held, of[i]) {
			free = append(free, job)
		}
	}
	return free, err
}

// rescue returns what River writes of jobs whose process has ended: another worker gets them next, and those without an attempt left are dead letters.
func (on *working) rescue(jobs []*rivertype.JobRow, before time.Time) *riverdriver.JobRescueManyParams {
	now := time.Now().UTC()
	p := &riverdriver.JobRescueManyParams{Schema: on.o.Schema, StuckHorizon: before}
	for _, job := range jobs {
		text, _ := json.Marshal(rivertype.AttemptError{At: now, Attempt: job.Attempt, Error: "the process of the worker has ended"}) // it has no other types
		state, finalized := rivertype.JobStateAvailable, (*time.Time)(nil)
		if job.Attempt >= job.MaxAttempts {
			state, finalized = rivertype.JobStateDiscarded, &now
		}
		p.ID, p.Error, p.FinalizedAt = append(p.ID, job.ID), append(p.Error, text), append(p.FinalizedAt, finalized)
		p.ScheduledAt, p.State = append(p.ScheduledAt, now), append(p.State, string(state))
	}
	return p
}

// look inserts jobs for threads that no job is about, such as threads of another program, and for threads that wait in another version of their graph.
func (on *working) look(ctx context.Context, m *Machine) {
	_ = thread.Recover(ctx, on.store, thread.Recovery{ // which returns the cause
		Graph: m.graph, Shape: m.shape, Every: on.o.Every,
		Run: func(ctx context.Context, name string) error {
			_, _, err := on.insert(ctx, recoverArgs{Subject: on.about(m.graph, name)}, name, 0, time.Time{})
			return err
		},
		Report: on.Report,
	})
}

// admit reports whether a job may work, as far as its tenant is concerned. A lock lets one job of the tenant at a time be admitted. A job that is admitted has
// that in its row with the time of its attempt, and counts while it is running: a process that is killed takes a slot no longer than its job does.
func (on *working) admit(ctx context.Context, a *attempt) (bool, error) {
	tenant := a.about.Tenant
	if on.o.TenantJobs <= 0 || tenant == "" {
		return true, nil
	}
	tx, err := on.pool.Begin(ctx)
	if err != nil {
		return false, err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended($1, 26471))`, on.o.Schema+"\x01"+tenant); err != nil {
		return false, err
	}
	var works int
	err = tx.QueryRow(ctx, `select count(*) from `+on.schema+`river_job
		where state = 'running' and args->>'tenant' = $1 and kind = any($2) and id <> $3
		and metadata->>'graphgen:admitted' = extract(epoch from attempted_at)::text`,
		tenant, kinds, a.row.ID).Scan(&works)
	if err != nil || works >= on.o.TenantJobs {
		return false, err
	}
	_, err = tx.Exec(ctx, `update `+on.schema+`river_job
		set metadata = metadata || jsonb_build_object('graphgen:admitted', extract(epoch from attempted_at)::text) where id = $1`, a.row.ID)
	if err != nil {
		return false, err
	}
	return true, tx.Commit(ctx)
}
