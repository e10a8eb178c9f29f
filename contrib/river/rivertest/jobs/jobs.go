// Package jobs runs the scenarios of durable graphs as jobs of River, by two workers. Variables of the environment, such as PGHOST, name the database.
package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/graphgen/graphgen/contrib/river"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// A Queue is the queue of one run of a scenario, a harness.Queue. The runs of a process have one schema, and each thread has a queue of River of its own.
type Queue struct {
	pool    *pgxpool.Pool
	queue   *river.Queue
	machine *river.Machine
	graph   string

	end     context.CancelFunc
	workers sync.WaitGroup
}

// Open opens a queue without workers.
func Open() (*Queue, error) {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, "")
	if err != nil {
		return nil, err
	}
	q, err := river.New(ctx, pool, river.Options{
		Schema: fmt.Sprint("scenarios_", os.Getpid()), Logger: slog.New(slog.DiscardHandler), Queue: func(thread string) string { return thread },
		Backoff: func(int) time.Duration { return time.Hour }, // a scenario has one attempt
	})
	if err != nil {
		pool.Close()
		return nil, err
	}
	return &Queue{pool: pool, queue: q}, nil
}

// Work sets the machine of the workers.
func Work[M, In, Out, S any, PIn interface {
	*In
	UnmarshalJSON([]byte) error
}](q *Queue, m interface {
	Thread(name string) thread.Thread[M, In, Out, S]
	Durable() *durable.Machine
}) {
	q.machine, q.graph = river.Durable[M, In, Out, S, PIn](m), m.Durable().Graph.Name
}

// Store returns the store of the threads.
func (q *Queue) Store() thread.Store { return q.queue.Store() }

// Start inserts the job that begins the run, and begins the workers.
func (q *Queue) Start(ctx context.Context, thread, run string, input any) error {
	_, err := q.queue.Start(ctx, river.Order{Graph: q.graph, Thread: thread, Run: run, Input: input, Machine: q.machine})
	if err == nil {
		q.work(thread)
	}
	return err
}

// work begins the workers on a thread.
func (q *Queue) work(thread string) {
	ctx, end := context.WithCancel(context.Background())
	q.end = end
	for range 2 {
		q.workers.Go(func() {
			_ = q.queue.Work(ctx, river.Worker{Machines: []*river.Machine{q.machine}, Queues: map[string]int{thread: 2}}) // ctx has ended
		})
	}
}

// Answer inserts the job that answers a request.
func (q *Queue) Answer(ctx context.Context, thread, request string, answer any, by, note string) error {
	_, err := q.queue.Answer(ctx, river.Reply{
		Graph: q.graph, Thread: thread, Request: request, Answer: answer, By: by, Note: note, Machine: q.machine,
	})
	return err
}

// Close ends the workers.
func (q *Queue) Close() {
	if q.end != nil {
		q.end()
	}
	q.workers.Wait()
	q.pool.Close()
}
