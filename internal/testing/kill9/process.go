//go:build unix

// Package kill9 kills processes that run graphs in threads, at every boundary of a step and in every node, and holds that no run
// is lost and that no finished step runs again. Each store of threads runs it in its tests.
package kill9

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// An Opener opens the store of an address. A process calls it once.
type Opener func(ctx context.Context, address string) (thread.Store, error)

// A Writer writes a row in the transaction of a context.
type Writer func(ctx context.Context, row string) error

// lease is the time of the leases of processes: so long the next process waits.
const lease = 500 * time.Millisecond

// orderVariable is the variable of the environment that gives a process its order, as JSON.
const orderVariable = "GRAPHGEN_KILL"

// An order is what a process has to do: to make the run of a thread, or to continue it.
type order struct {
	Graph, Thread string
	Address       string // of the store
	Notes         string // the file of the notes of all processes
	Point         int    // at which the process kills itself; 0: none
	Racing        bool   // it goes on at the point, until it is killed
}

// process starts a process, waits for its end, and reports an end that was not to be expected.
func (o order) process(t *testing.T) (killed, ended bool) {
	text, err := json.Marshal(o)
	if err != nil {
		t.Error(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), orderVariable+"="+string(text))
	out, err := cmd.CombinedOutput()
	killed = err != nil && o.Point > 0 && cmd.ProcessState != nil && cmd.ProcessState.ExitCode() < 0
	if err != nil && !killed && !outran(out) {
		t.Errorf("%s: %v\n%s", text, err, out)
	}
	return killed, err == nil
}

// outran reports whether a process ended because the machine was too slow for its lease.
func outran(out []byte) bool {
	return slices.ContainsFunc([]string{"deadline exceeded", "is lost", "the store has acknowledged no call for"}, func(text string) bool {
		return bytes.Contains(out, []byte(text))
	})
}

// note adds a line to the notes.
func (o order) note(line string) error {
	f, err := os.OpenFile(o.Notes, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}

// notes yields what processes have noted: kinds, and of what. The name of the thread is replaced.
func (o order) notes(t *testing.T) iter.Seq2[string, string] {
	return func(yield func(kind, of string) bool) {
		text, err := os.ReadFile(o.Notes)
		if err != nil {
			t.Error(err)
		}
		for line := range strings.Lines(strings.ReplaceAll(string(text), o.Thread, "t")) {
			if kind, of, _ := strings.Cut(strings.TrimSpace(line), " "); !yield(kind, of) {
				return
			}
		}
	}
}

// crowd returns functions that begin runs, four at a time, as most of their time is the wait for leases, and that wait for all.
func crowd() (begin func(run func()), wait func()) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, 4)
	return func(run func()) {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			run()
		})
	}, wg.Wait
}

// Main is for TestMain. In a process that Run or Transactions starts it makes a run, and does not return. A store with
// transactions gives the function that writes rows.
func Main(open Opener, write Writer) {
	text := os.Getenv(orderVariable)
	if text == "" {
		return
	}
	var o order
	err := json.Unmarshal([]byte(text), &o)
	if err == nil {
		err = o.run(context.Background(), open, write)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// run makes the run of a thread, or continues it, with the answers of people.
func (o order) run(ctx context.Context, open Opener, write Writer) error {
	store, err := open(ctx, o.Address)
	if err != nil {
		return err
	}
	v := &victim{Store: store, order: o, write: write}
	m, err := v.machine()
	if err != nil {
		return err
	}
	if err := v.finished(ctx); err != nil {
		return err
	}
	out, err := m.run(ctx)
	if err != nil {
		return err
	}
	return o.note("points " + strconv.Itoa(v.made) + "\noutput " + string(out))
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// A victim kills its process with SIGKILL at one of the points that it passes: before and after what a node does
// outside, and before and after each append.
type victim struct {
	thread.Store
	order
	write Writer
	mu    sync.Mutex
	made  int // points
}

// machine returns the machine of the graph and the thread.
func (v *victim) machine() (*machine, error) {
	var s thread.Store = v
	if in, ok := v.Store.(thread.Transactor); ok {
		s = transacting{v, in}
	}
	return graphs[v.Graph](v, thread.With(thread.Settings{Store: s, Lease: lease}))
}

// passes passes a point of a kind, which it notes if it is not empty.
func (v *victim) passes(kind string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.made++; v.made != v.Point {
		return
	}
	if kind != "" {
		_ = v.note("point " + kind)
	}
	p, _ := os.FindProcess(os.Getpid())
	if v.Racing {
		go func() { _ = p.Kill() }()
		return
	}
	_ = p.Kill()
	select {}
}

// Append implements thread.Store.
func (v *victim) Append(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
	for range r { // so that the number of points is the same, however records are grouped
		v.passes("")
	}
	ack, err := v.Store.Append(ctx, l, h, r)
	for range r {
		v.passes("")
	}
	return ack, err
}

// did is an effect of a node: the bank notes its key, and the place of the node.
func (v *victim) did(ctx context.Context) error {
	v.passes("")
	i := graphgen.Info(ctx)
	err := v.note(fmt.Sprintf("effect %s %s:%s#%d", graphgen.IdempotencyKey(ctx), i.Branch, i.Node, i.Visit))
	v.passes("")
	return err
}

// finished notes the visits of nodes that have ended before this process.
func (v *victim) finished(ctx context.Context) error {
	visits := map[string]int{}
	for step, err := range durable.History(ctx, v.Store, v.Thread, 0) {
		if is[*thread.NotFoundError](err) {
			return nil
		}
		for _, c := range step.Changes {
			if c.Ended && c.Node != "" {
				node := branchOf(c.At) + ":" + c.Node
				visits[node]++
				err = errors.Join(err, v.note(fmt.Sprintf("finished %s#%d", node, visits[node])))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// branchOf returns the branches of a place: those of /each.0/panel//review.law are 0/law.
func branchOf(place string) string {
	var branches []string
	for node := range strings.SplitSeq(place, "/") {
		if _, branch, in := strings.Cut(node, "."); in {
			branches = append(branches, branch)
		}
	}
	return strings.Join(branches, "/")
}
