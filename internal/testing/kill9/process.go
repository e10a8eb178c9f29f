//go:build unix

// Package kill9 kills processes that run graphs in threads, at every boundary of a step and in every node, and holds that no run
// is lost and that no finished step runs again. Each store of threads runs it in its tests.
package kill9

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/runtime/thread"
)

// An Opener opens the store of an address. A process calls it once.
type Opener func(ctx context.Context, address string) (thread.Store, error)

// Variables of the environment of a process: the graph, the thread, the address of the store, the file for notes, and the point at
// which the process kills itself.
const (
	graphVariable   = "GRAPHGEN_KILL_GRAPH"
	threadVariable  = "GRAPHGEN_KILL_THREAD"
	addressVariable = "GRAPHGEN_KILL_ADDRESS"
	notesVariable   = "GRAPHGEN_KILL_NOTES"
	pointVariable   = "GRAPHGEN_KILL_POINT"
	racingVariable  = "GRAPHGEN_KILL_RACING" // the process goes on at the point, until it is killed
)

// lease is the time of the leases of processes: so long the next process waits.
const lease = 500 * time.Millisecond

// Main is for TestMain. In a process that Run or Transactions starts it makes a run, and does not return. A store with
// transactions gives the function that writes rows.
func Main(open Opener, write Writer) {
	if os.Getenv(graphVariable) == "" {
		return
	}
	if err := process(context.Background(), open, write); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// process makes the run of a thread, or goes on with it, with the answers of people.
func process(ctx context.Context, open Opener, write Writer) error {
	store, err := open(ctx, os.Getenv(addressVariable))
	if err != nil {
		return err
	}
	notes, err := os.OpenFile(os.Getenv(notesVariable), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	v := &victim{Store: store, notes: notes, racing: os.Getenv(racingVariable) != ""}
	v.left, _ = strconv.Atoi(os.Getenv(pointVariable))
	name, graph := os.Getenv(threadVariable), os.Getenv(graphVariable)
	var m *machine
	if graph == payout {
		m, err = newPayout(v, name, write)
	} else {
		m, err = graphs[graph](v, name)
	}
	if err != nil {
		return err
	}
	if err := v.finished(ctx, name); err != nil {
		return err
	}
	out, err := m.run(ctx)
	if err != nil {
		return err
	}
	v.note("points " + strconv.Itoa(v.made))
	v.note("output " + string(out))
	return nil
}

// watching is the method Watch of a machine.
type watching func(context.Context, string, durable.After) iter.Seq2[durable.Event, error]

// A machine makes the run of one thread. Each function returns the output as JSON.
type machine struct {
	start, recover func(context.Context) ([]byte, error)
	answer         func(ctx context.Context, id string, json []byte) ([]byte, error)
	watch          watching
}

// run makes the run to its end.
func (m *machine) run(ctx context.Context) ([]byte, error) {
	out, err := m.recover(ctx)
	for is[*thread.HeldError](err) { // the lease of the process that was killed
		time.Sleep(lease / 20)
		out, err = m.recover(ctx)
	}
	if is[*thread.NotFoundError](err) {
		out, err = m.start(ctx)
		for is[*thread.HeldError](err) {
			time.Sleep(lease / 20)
			out, err = m.start(ctx)
		}
	}
	for range 100 {
		p, paused := errors.AsType[*graphrt.InterruptedError](err)
		if !paused {
			break
		}
		q := p.Requests[len(p.Requests)-1]
		out, err = m.answer(ctx, q.ID, []byte(answers[q.Where.Node]))
	}
	return out, err
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// A victim kills its process with SIGKILL at one of the points that it passes: before and behind what a node does
// outside, and before and behind each append.
type victim struct {
	thread.Store
	mu    sync.Mutex
	left  int // the point; 0: it is not killed
	made  int
	notes *os.File

	racing bool // the process goes on at the point, until it is killed
}

func (v *victim) passes() { v.passesAt("") }

// passesAt passes a point of a kind, which it notes.
func (v *victim) passesAt(kind string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.made++; v.made != v.left {
		return
	}
	if kind != "" {
		v.note("point " + kind)
	}
	p, _ := os.FindProcess(os.Getpid())
	if v.racing {
		go func() { _ = p.Kill() }()
		return
	}
	_ = p.Kill()
	select {}
}

// Append implements thread.Store.
func (v *victim) Append(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
	for range r { // so that the number of points is the same, however records are grouped
		v.passes()
	}
	ack, err := v.Store.Append(ctx, l, h, r)
	for range r {
		v.passes()
	}
	return ack, err
}

// note adds a line to what all processes have done.
func (v *victim) note(line string) {
	if _, err := v.notes.WriteString(line + "\n"); err != nil {
		panic(err)
	}
}

// did is an effect of a node: the bank notes its key, and the place of the node.
func (v *victim) did(ctx context.Context) {
	v.passes()
	i := graphrt.Info(ctx)
	v.note(fmt.Sprintf("effect %s %s:%s#%d", graphrt.IdempotencyKey(ctx), i.Branch, i.Node, i.Visit))
	v.passes()
}

// finished notes the visits of nodes that have ended before this process.
func (v *victim) finished(ctx context.Context, name string) error {
	visits := map[string]int{}
	for step, err := range durable.History(ctx, v.Store, name, 0) {
		if is[*thread.NotFoundError](err) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, c := range step.Changes {
			if c.Ended && c.Node != "" {
				node := branchOf(c.At) + ":" + c.Node
				visits[node]++
				v.note(fmt.Sprintf("finished %s#%d", node, visits[node]))
			}
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
