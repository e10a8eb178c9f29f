package river

import (
	"errors"
	"fmt"
	"time"

	queue "github.com/riverqueue/river"
)

// A Periodic begins a run again and again, each in a thread of its own, whose name is Name, a slash and the time, such as digest/2026-11-28T15:00:00Z.
type Periodic struct {
	Name  string
	Graph string
	Input any // of each run, as of an Order

	// Every is the time between two runs, at least a second: they begin at the multiples of it since the year 1, in UTC. At each time one run begins,
	// however many processes there are and however often they end. Of the times at which no process works, the last one is made up for.
	Every time.Duration

	Priority int // as of an Order
}

// periodic returns the periodic job of River. What decides whether a run has begun is the name of its thread and the ID of its run.
func (q *Queue) periodic(p *Periodic) (*queue.PeriodicJob, error) {
	data, err := encoded(p.Name, p.Input)
	switch {
	case p.Name == "" || p.Graph == "":
		err = errors.New("a periodic run has no name or no graph")
	case p.Every < time.Second:
		err = fmt.Errorf("the periodic run %q has less than a second between two", p.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("river: %w", err)
	}
	every, graph, name, priority := p.Every, p.Graph, p.Name, p.Priority
	return queue.NewPeriodicJob(multiples(every), func() (queue.JobArgs, *queue.InsertOpts) {
		at := tick(time.Now(), every).Format(time.RFC3339)
		return startOf(q.In(nil).about(graph, name+"/"+at), at, data), &queue.InsertOpts{
			Priority: priority, Queue: q.o.Queue(name + "/" + at), UniqueOpts: queue.UniqueOpts{ByArgs: true, ByState: living},
		}
	}, &queue.PeriodicJobOpts{RunOnStart: true}), nil
}

// early is how much earlier River may begin a run than at its time.
const early = 100 * time.Millisecond

// tick returns the time of the run that River begins at a moment.
func tick(now time.Time, every time.Duration) time.Time { return now.UTC().Add(early).Truncate(every) }

func startOf(a Subject, run string, input []byte) startArgs {
	return startArgs{Subject: a, Run: run, Input: string(input)}
}

// multiples is the schedule of the multiples of a time.
type multiples time.Duration

// Next implements River's PeriodicSchedule.
func (m multiples) Next(after time.Time) time.Time {
	return after.UTC().Truncate(time.Duration(m)).Add(time.Duration(m))
}
