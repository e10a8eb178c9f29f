package river

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/river/rivertest"
	"github.com/graphgen/graphgen/internal/testing/dbserver"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/thread"
)

// shared is the server of the tests.
var shared *dbserver.Server

func TestMain(m *testing.M) {
	workerProcess()
	code := m.Run()
	if shared != nil {
		shared.Close()
	}
	os.Exit(code)
}

// server returns the connection string of the server of the tests.
func server(t testing.TB) string {
	t.Helper()
	if shared == nil {
		// A server that is killed has written what it committed: only a crash of the machine tells whether it was synced.
		fast := []string{"fsync=off", "full_page_writes=off"}
		shared = dbserver.Postgres(t, tier.Pick(fast, fast, nil)...)
	}
	return "host=" + shared.Dir + " user=postgres database=postgres"
}

var schemas atomic.Int64

// every is the time between two looks in tests.
const every = 200 * time.Millisecond

// calm is the time between two looks in tests that count attempts. On a busy machine, two looks that follow each other fast take a job that has no lease yet
// for one of a process that has ended, which is an attempt.
const calm = 2 * time.Second

// once has jobs be dead letters after one attempt.
func once(o *Options) { o.Attempts, o.Every = 1, calm }

// lease is the time of the leases of tests.
const lease = 500 * time.Millisecond

// made makes a queue in a schema, an empty one makes a new schema.
func made(t testing.TB, change ...func(*Options)) *Queue {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), server(t)+" pool_max_conns=20")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	o := options(fmt.Sprintf("queue_%d", schemas.Add(1)))
	for _, c := range change {
		c(&o)
	}
	q, err := New(t.Context(), pool, o)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func options(schema string) Options {
	return Options{
		Schema: schema, Every: every, Backoff: func(int) time.Duration { return 20 * time.Millisecond }, Logger: slog.New(slog.DiscardHandler),
	}
}

// A clerk works on claims by functions; nil: the step is done.
type clerk struct {
	note, pay func(ctx context.Context, claim string) error
}

func (c *clerk) Note(ctx context.Context, in rivertest.ClaimNoteIn) (rivertest.ClaimNoteOut, error) {
	if c.note != nil {
		return rivertest.ClaimNoteOut{Notes: 1}, c.note(ctx, in.Claim)
	}
	return rivertest.ClaimNoteOut{Notes: 1}, nil
}

func (c *clerk) Pay(ctx context.Context, in rivertest.ClaimPayIn) (rivertest.ClaimPayOut, error) {
	if c.pay != nil {
		return rivertest.ClaimPayOut{Status: "paid"}, c.pay(ctx, in.Claim)
	}
	return rivertest.ClaimPayOut{Status: "paid"}, nil
}

// machine returns the machine of a clerk over a queue.
func machine(t testing.TB, q *Queue, c *clerk) *rivertest.Claim {
	t.Helper()
	m, err := rivertest.NewClaim(c, thread.With(thread.Settings{Store: q.Store(), Lease: lease}))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// work works on a queue until the function returned is called, or the test ends.
func work(t testing.TB, q *Queue, w Worker) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- q.Work(ctx, w) }()
	end = func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the worker ends with %v", err)
		}
		ended <- context.Canceled
	}
	t.Cleanup(end)
	return end
}

// claim returns the input of a claim of so many notes.
func claim(name string, most int, ask string) rivertest.ClaimInput {
	return rivertest.ClaimInput{Claim: name, Most: &most, Ask: &ask}
}

// start starts the thread of a claim.
func start(t testing.TB, q *Queue, name string, most int, ask string) Job {
	t.Helper()
	job, err := q.Start(t.Context(), Order{Graph: "claim", Thread: name, Input: claim(name, most, ask)})
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// until polls until a condition holds.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after a minute: not %s", what)
		}
	}
}

// status returns the status of a thread, and the requests that are open.
func status(t testing.TB, m *rivertest.Claim, name string) (thread.Status, []graphgen.Request) {
	t.Helper()
	info, err := m.Thread(name).Info(t.Context())
	if is[*thread.NotFoundError](err) {
		return thread.New, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return info.Status, info.Requests
}

// reaches waits for a status of a thread, without a lease.
func reaches(t testing.TB, m *rivertest.Claim, name string, want thread.Status) []graphgen.Request {
	t.Helper()
	var requests []graphgen.Request
	until(t, name+" "+want.String(), func() bool {
		var is thread.Status
		is, requests = status(t, m, name)
		return is == want
	})
	return requests
}

// ends holds how a claim has ended.
func ends(t testing.TB, m *rivertest.Claim, name, want string, notes int) {
	t.Helper()
	reaches(t, m, name, thread.Completed)
	s, err := m.Thread(name).StateAt(t.Context(), 0)
	if err != nil || s.Status != want || s.Notes != notes {
		t.Errorf("%s has ended as %q with %d notes, want %q with %d: %v", name, s.Status, s.Notes, want, notes, err)
	}
}

// count returns a number that a statement selects; @ is the schema.
func count(t testing.TB, q *Queue, statement string, args ...any) (n int) {
	t.Helper()
	if err := q.pool.QueryRow(t.Context(), fmt.Sprintf(statement, q.schema), args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
