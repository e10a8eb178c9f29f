package river

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	queue "github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// A Dead is a dead letter: a job that is not tried again by itself. Its thread is as the last attempt has left it. River deletes it after a week,
// or after a day where Final is set.
type Dead struct {
	Job      int64
	Kind     string // start, answer, recover or deadline
	Graph    string
	Thread   string
	Tenant   string
	Attempts int
	Final    bool   // no further attempt would have another result, or the job was cancelled; else its attempts are used up
	Error    string // of the last attempt
	At       time.Time
}

// Dead returns the dead letters, the oldest jobs first, at most limit of them: 1 to 10,000. After is the Job of the last one of the page before;
// 0: from the first.
func (q *Queue) Dead(ctx context.Context, after int64, limit int) ([]Dead, error) {
	p := queue.NewJobListParams().Kinds(kinds...).States(rivertype.JobStateDiscarded, rivertype.JobStateCancelled).
		OrderBy(queue.JobListOrderByID, queue.SortOrderAsc).First(limit).Where("id > @after", queue.NamedArgs{"after": after})
	page, err := q.client.JobList(ctx, p)
	if err != nil {
		return nil, err
	}
	var list []Dead
	for _, row := range page.Jobs {
		d := Dead{Job: row.ID, Kind: strings.TrimPrefix(row.Kind, "graphgen."), Attempts: row.Attempt, Final: row.State == rivertype.JobStateCancelled}
		var a Subject
		if err := json.Unmarshal(row.EncodedArgs, &a); err != nil {
			return nil, fmt.Errorf("river: job %d: %w", row.ID, err)
		}
		d.Graph, d.Thread, d.Tenant = a.Graph, a.Thread, a.Tenant
		if n := len(row.Errors); n > 0 {
			d.Error = row.Errors[n-1].Error
		}
		if row.FinalizedAt != nil {
			d.At = *row.FinalizedAt
		}
		list = append(list, d)
	}
	return list, nil
}

// Retry tries a dead letter again, immediately: once more than its attempts were. It does not continue a run that was stopped, as a stop holds until Recover
// is called. The error is river.ErrNotFound of River if there is no job of that ID.
func (q *Queue) Retry(ctx context.Context, job int64) error {
	_, err := q.client.JobRetry(ctx, job)
	return err
}
