package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/internal/testing/dbserver"
	"github.com/graphgen/graphgen/thread"
)

// workerVariable has the connection string of a process that works, and aloneVariable is set where each of its appends is a statement of its own.
const workerVariable, aloneVariable = "GRAPHGEN_POSTGRES_WORKER", "GRAPHGEN_POSTGRES_ALONE"

// atOnce is how many runs a worker has at a time, and runSteps how many nodes each has.
const atOnce, runSteps = 32, 10

// A scribe writes one page of a journal in a millisecond.
type scribe struct{}

func (scribe) Write(ctx context.Context, _ durable.JournalWriteIn) (durable.JournalWriteOut, error) {
	select {
	case <-time.After(time.Millisecond):
	case <-ctx.Done():
	}
	return durable.JournalWriteOut{Entries: []string{"a page of the journal"}, Pages: 1}, ctx.Err()
}

// workerMain makes runs until its standard input ends, and prints how many.
func workerMain() {
	to := os.Getenv(workerVariable)
	if to == "" {
		return
	}
	n, err := makeRuns(to)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(n)
	os.Exit(0)
}

// An ungrouped store sends each append by a statement of its own.
type ungrouped struct{ *Store }

func (u ungrouped) Append(ctx context.Context, lease thread.Lease, head thread.Head, records []thread.Record) (thread.Ack, error) {
	ack, _, err := u.appendOnce(ctx, u.pool, lease, head, records)
	return ack, err
}

func makeRuns(to string) (int64, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, err := Open(ctx, to)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	var in thread.Store = s
	if os.Getenv(aloneVariable) != "" {
		in = ungrouped{s}
	}
	m, err := durable.NewJournal(scribe{}, thread.In(in))
	if err != nil {
		return 0, err
	}
	var ended atomic.Int64
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	for i := range atOnce {
		all.Go(func() {
			for k := 0; ctx.Err() == nil; k++ {
				_, err := m.Thread(fmt.Sprintf("%d-%d-%d", os.Getpid(), i, k)).Start(ctx, durable.JournalInput{Basis: "b", Most: runSteps})
				switch {
				case err == nil:
					ended.Add(1)
				case ctx.Err() == nil:
					failed.Store(&err)
					return
				}
			}
		})
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	n := ended.Load()
	cancel()
	all.Wait()
	if err := failed.Load(); err != nil {
		return n, *err
	}
	return n, nil
}

// BenchmarkWorkers measures how many runs of ten nodes 1, 2 and 4 processes end in a second, with the server beside them: with appends that share
// statements, and in turns with them with statements of their own.
func BenchmarkWorkers(b *testing.B) {
	server := dbserver.Postgres(b)
	defer server.Close()
	to := "host=" + server.Dir + " user=postgres database=postgres"
	for _, processes := range []int{1, 2, 4} {
		b.Run(strconv.Itoa(processes), func(b *testing.B) {
			const lasts = 3 * time.Second
			var ended, alone int64
			for b.Loop() {
				n, err := work(b.Context(), to, processes, lasts)
				one, wrong := work(b.Context(), to, processes, lasts, aloneVariable+"=1")
				if err := errors.Join(err, wrong); err != nil {
					b.Fatal(err)
				}
				ended, alone = ended+n, alone+one
			}
			b.ReportMetric(float64(ended)/float64(b.N)/lasts.Seconds(), "runs/s")
			b.ReportMetric(float64(alone)/float64(b.N)/lasts.Seconds(), "alone/s")
			b.ReportMetric(float64(ended)/float64(alone), "x")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// A releasing store sends each release by a statement of its own.
type releasing struct{ *Store }

func (r releasing) Release(ctx context.Context, lease thread.Lease) error {
	p := pending{ctx: ctx, lease: lease, releases: true}
	p.alone(r.Store)
	return p.err
}

// BenchmarkRoundTrips counts the round trips of a run of ten nodes, of 1 and of 32 runs at a time: with releases that share statements, and with
// statements of their own.
func BenchmarkRoundTrips(b *testing.B) {
	s, trips := counted(b, connection(server(b)), Schema(fresh()))
	for _, at := range []int{1, atOnce} {
		for name, in := range map[string]thread.Store{"shared": s, "alone": releasing{s}} {
			b.Run(fmt.Sprintf("%d/%s", at, name), func(b *testing.B) {
				m, err := durable.NewJournal(scribe{}, thread.In(in))
				if err != nil {
					b.Fatal(err)
				}
				before, runs := trips.n.Load(), 0
				for b.Loop() {
					var all sync.WaitGroup
					for i := range at {
						all.Go(func() {
							_, err := m.Thread(fmt.Sprint(at, name, b.N, i, runs)).Start(b.Context(), durable.JournalInput{Basis: "b", Most: runSteps})
							if err != nil {
								b.Error(err)
							}
						})
					}
					all.Wait()
					runs += at
				}
				b.ReportMetric(float64(trips.n.Load()-before)/float64(runs), "trips/run")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// work has processes make runs for a time.
func work(ctx context.Context, to string, processes int, lasts time.Duration, env ...string) (ended int64, _ error) {
	ctx, cancel := context.WithTimeout(ctx, lasts+time.Minute)
	defer cancel()
	var wrong error
	var outs []func() (int64, error)
	for range processes {
		cmd := exec.CommandContext(ctx, os.Args[0])
		cmd.Env = append(append(os.Environ(), workerVariable+"="+to), env...)
		in, err := cmd.StdinPipe()
		if err != nil {
			return 0, err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return 0, err
		}
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		outs = append(outs, func() (n int64, err error) {
			in.Close()
			_, err = fmt.Fscan(out, &n)
			return n, errors.Join(err, cmd.Wait())
		})
	}
	time.Sleep(lasts)
	for _, end := range outs {
		n, err := end()
		ended, wrong = ended+n, errors.Join(wrong, err)
	}
	return ended, wrong
}
