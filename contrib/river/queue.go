package river

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	queue "github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/graphgen/graphgen/contrib/postgres"
	"github.com/graphgen/graphgen/thread"
)

// Options configure a Queue. What is zero is the default. All processes of a queue have the same.
type Options struct {
	// Schema has the tables of the threads and of River: letters, digits and underscores; graphgen.
	Schema string

	// Attempts is how often a job is tried before it is a dead letter; 25. A process that was killed counts as an attempt.
	Attempts int

	// Backoff is the time between two attempts of a job that has failed so many times; nil: the fourth power of that in seconds, as River has it.
	Backoff func(failed int) time.Duration

	// Tenant returns the tenant of a thread, and TenantJobs how many jobs of one tenant work at a time, in all processes together; 0: any number.
	// Jobs beyond that wait, and do not count as attempts. A job counts no more once another process has taken it over, though its step may still
	// work where its own process was only slow. Nil: there are no tenants.
	Tenant     func(thread string) string
	TenantJobs int

	// Queue returns the queue of River for the jobs of a thread: small letters, digits, - and _. A Worker names the queues that it works on. A
	// tenant with a queue of its own does not wait for the jobs of others. Nil: DefaultQueue.
	Queue func(thread string) string

	// Every is the time between two looks for threads whose process has ended, on average, and the longest that a job waits for a thread before it
	// tries again; 10 seconds.
	Every time.Duration

	// Logger gets what River and the workers report; nil: warnings and errors to the standard output.
	Logger *slog.Logger
}

// DefaultQueue is the queue of River for the jobs of Options without Queue.
const DefaultQueue = queue.QueueDefault

// DefaultAttempts and DefaultEvery are what Options without Attempts and Every have.
const (
	DefaultAttempts = queue.MaxAttemptsDefault
	DefaultEvery    = 10 * time.Second
)

func (o *Options) defaults() {
	if o.Schema == "" {
		o.Schema = "graphgen"
	}
	if o.Attempts <= 0 {
		o.Attempts = DefaultAttempts
	}
	if o.Every <= 0 {
		o.Every = DefaultEvery
	}
	if o.Tenant == nil {
		o.Tenant = func(string) string { return "" }
	}
	if o.Queue == nil {
		o.Queue = func(string) string { return DefaultQueue }
	}
}

// A Queue inserts jobs about threads, and works on them. It is safe for concurrent use.
type Queue struct {
	Inserter // inserts jobs in transactions of their own

	o      Options
	pool   *pgxpool.Pool
	store  *postgres.Store
	client *queue.Client[pgx.Tx] // inserts and lists; each worker has one of its own
	schema string                // quoted, with a dot
}

// New returns a queue over the connections of the caller, who closes them. It brings the tables of the threads and of River to the versions of this program,
// while other processes wait.
func New(ctx context.Context, pool *pgxpool.Pool, o Options) (*Queue, error) {
	o.defaults()
	plain, err := postgres.New(ctx, pool, postgres.Schema(o.Schema))
	if err != nil {
		return nil, err
	}
	q := &Queue{o: o, pool: pool, schema: pgx.Identifier{o.Schema}.Sanitize() + "."}
	q.Inserter.q = q
	if q.client, err = queue.NewClient(riverpgxv5.New(pool), q.config()); err != nil {
		return nil, fmt.Errorf("river: %w", err)
	}
	q.store = plain.Writing(postgres.Beside{When: hasDeadline, Write: q.insertDeadlines})
	return q, q.migrate(ctx)
}

// Store returns the store of the machines of the queue. With the record of a pause it inserts the jobs of the deadlines, in one transaction.
func (q *Queue) Store() thread.Transactor { return q.store }

// config returns what all clients of River have.
func (q *Queue) config() *queue.Config {
	return &queue.Config{
		Schema: q.o.Schema, Logger: q.o.Logger, MaxAttempts: q.o.Attempts,
		FetchCooldown: 20 * time.Millisecond, // with River's 100 ms, ten jobs at a time are at most a hundred a second
	}
}

// migrate makes the tables of River. A lock lets one process at a time do that.
func (q *Queue) migrate(ctx context.Context) error {
	const key = 0x67677276 // of the lock, for all schemas
	c, err := q.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	tx, err := c.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) // which releases the lock
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, key); err != nil {
		return err
	}
	if q.pool.Config().MaxConns < 2 {
		return errors.New("river: the pool has one connection: a queue needs two at least")
	}
	m, err := rivermigrate.New(riverpgxv5.New(q.pool), &rivermigrate.Config{Schema: q.o.Schema, Logger: q.logger()})
	if err != nil {
		return err
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("river: the tables of jobs: %w", err)
	}
	return nil
}

// logger returns the logger, with which migrations are quiet unless they fail.
func (q *Queue) logger() *slog.Logger {
	if q.o.Logger != nil {
		return q.o.Logger
	}
	return slog.New(slog.DiscardHandler)
}
