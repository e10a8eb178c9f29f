// Package storetest has the tests that every store of threads has to pass. A package with a store calls Run in a
// test; each clause of the contract is a subtest, on threads of its own.
//
// The clauses of the groups append, batch, load, list, delete, sweep, copy, prune and history have the subjects of the 89
// clauses of the suite that LangGraph publishes for its stores. The other groups are about leases, writers that are lost,
// clocks, processes that end, and calls at the same time.
package storetest

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// A Backend is where the threads of one clause are kept.
type Backend struct {
	// Open returns a store of the threads. It is called several times in a clause: each store is as one of another process.
	// Stores that have to be closed are closed by a cleanup of the test.
	Open func() thread.Store

	// Lasting is set where threads outlive the stores: a store that is opened after another was left has its threads.
	Lasting bool

	// Effect writes to the database of a [thread.Transactor], in the transaction of the context. Effects counts what was
	// committed. Both are needed for a store that is a Transactor, and only for it.
	Effect  func(context.Context) error
	Effects func() int

	// Damage changes what is stored, as a disk or a person does. Without it, the clauses about damage are skipped: nothing can be lost.
	Damage *Damage
}

// A Damage changes a thread where it is stored, without a store.
type Damage struct {
	Remove func(thread string, from, through uint64) // takes records away
	Head   func(thread string, seq uint64)           // moves the head to another record; nil: the head is not apart from the records
}

// Run tests a store. The function new returns a backend without threads, for one clause; its stores have to
// take the time from the clock.
func Run(t *testing.T, new func(t *testing.T, clock *Clock) Backend) {
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			for _, c := range g.clauses {
				t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
					clock := &Clock{now: start}
					e := &env{T: t, ctx: t.Context(), clock: clock, back: new(t, clock)}
					e.s = e.back.Open()
					c.check(e)
				})
			}
		})
	}
}

// start is the time at which every clause begins.
var start = time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)

// A Clock is the clock of the stores in a test. Its time changes by Advance alone.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock; a negative duration sets it back.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

type group struct {
	name    string
	clauses []clause
}

// A clause is one promise of the contract. Its name is what the store does.
type clause struct {
	name  string
	check func(*env)
}

var groups = []group{
	{"append", appendClauses},
	{"batch", batchClauses},
	{"load", loadClauses},
	{"list", listClauses},
	{"delete", deleteClauses},
	{"sweep", sweepClauses},
	{"copy", copyClauses},
	{"prune", pruneClauses},
	{"history", historyClauses},
	{"lease", leaseClauses},
	{"fence", fenceClauses},
	{"stop", stopClauses},
	{"clock", clockClauses},
	{"crash", crashClauses},
	{"concurrent", concurrentClauses},
	{"large", largeClauses},
	{"damage", damageClauses},
	{"transaction", transactionClauses},
}

// ttl is the time of leases in the clauses.
const ttl = time.Minute

// An env is what a clause works with.
type env struct {
	*testing.T
	ctx   context.Context
	clock *Clock
	back  Backend
	s     thread.Store
}

// ok ends the clause if a call had an error.
func (e *env) ok(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// equal reports two values that differ.
func equal[T comparable](e *env, what string, got, want T) {
	e.Helper()
	if got != want {
		e.Errorf("%s: %v, want %v", what, got, want)
	}
}

// counts ends the clause if a list has another length.
func counts[T any](e *env, what string, list []T, want int) {
	e.Helper()
	if len(list) != want {
		e.Fatalf("%s: %d, want %d", what, len(list), want)
	}
}

// fails returns the error as one of type E, and ends the clause if it is another.
func fails[E error](e *env, err error) E {
	e.Helper()
	typed, ok := errors.AsType[E](err)
	if !ok {
		e.Fatalf("the error is %T (%v), want %T", err, err, typed)
	}
	return typed
}

// A writer holds the lease of a thread.
type writer struct {
	*env
	s     thread.Store
	lease thread.Lease
	head  thread.Head
}

// acquire gets a thread through a store.
func (e *env) acquire(s thread.Store, name string) *writer {
	e.Helper()
	lease, head, err := s.Acquire(e.ctx, name, ttl)
	e.ok(err)
	return &writer{e, s, lease, head}
}

// begin gets a thread.
func (e *env) begin(name string) *writer {
	e.Helper()
	return e.acquire(e.s, name)
}

// record returns a record. A text that starts with S is a snapshot.
func record(seq uint64, text string) thread.Record {
	return thread.Record{Seq: seq, Time: start.Add(time.Duration(seq) * time.Second), Snapshot: strings.HasPrefix(text, "S"), Data: []byte(text)}
}

// next returns a head and records that follow the writer's.
func (w *writer) next(texts ...string) (thread.Head, []thread.Record) {
	head := w.head
	head.Graph, head.Status, head.Updated = "review", thread.Running, start
	if head.Seq == 0 {
		head.Created = start
	}
	var records []thread.Record
	for _, text := range texts {
		head.Seq++
		records = append(records, record(head.Seq, text))
	}
	return head, records
}

// try appends records of these texts in one call.
func (w *writer) try(texts ...string) (thread.Ack, error) {
	head, records := w.next(texts...)
	ack, err := w.s.Append(w.ctx, w.lease, head, records)
	if err == nil {
		w.head = head
	}
	return ack, err
}

// add appends records of these texts in one call, which has to succeed.
func (w *writer) add(texts ...string) thread.Ack {
	w.Helper()
	ack, err := w.try(texts...)
	w.ok(err)
	return ack
}

// set replaces the head alone.
func (w *writer) set(change func(*thread.Head)) {
	w.Helper()
	change(&w.head)
	_, err := w.s.Append(w.ctx, w.lease, w.head, nil)
	w.ok(err)
}

func (w *writer) release() {
	w.Helper()
	w.ok(w.s.Release(w.ctx, w.lease))
}

// write makes a thread with one Append for each text, and releases it.
func (e *env) write(name string, texts ...string) {
	e.Helper()
	w := e.begin(name)
	for _, text := range texts {
		w.add(text)
	}
	w.release()
}

// show writes records as text: 1:Sa 2:b.
func show(records []thread.Record) string {
	var parts []string
	for _, r := range records {
		text := string(r.Data)
		if len(text) > 20 {
			text = text[:20] + "…"
		}
		if r.Snapshot != strings.HasPrefix(text, "S") {
			text += " with a wrong flag"
		}
		parts = append(parts, strconv.FormatUint(r.Seq, 10)+":"+text)
	}
	return strings.Join(parts, " ")
}

// loads holds what Load returns for a record.
func (e *env) loads(name string, at uint64, want string) thread.Head {
	e.Helper()
	head, records, err := e.s.Load(e.ctx, name, at)
	e.ok(err)
	equal(e, "Load of "+name+" at "+strconv.FormatUint(at, 10), show(records), want)
	return head
}

// logs holds the whole history of a thread.
func (e *env) logs(name, want string) {
	e.Helper()
	records, err := e.s.History(e.ctx, name, 0, 0)
	e.ok(err)
	equal(e, "history of "+name, show(records), want)
}

// missing holds that a thread does not exist.
func (e *env) missing(name string) {
	e.Helper()
	_, _, err := e.s.Load(e.ctx, name, 0)
	equal(e, "record that is not found", fails[*thread.NotFoundError](e, err).Seq, 0)
}

// lists holds the names that a filter selects.
func (e *env) lists(filter thread.Filter, want ...string) []thread.Head {
	e.Helper()
	heads, err := e.s.List(e.ctx, filter)
	e.ok(err)
	var names []string
	for _, h := range heads {
		names = append(names, h.Thread)
	}
	if equal(e, "list", strings.Join(names, "|"), strings.Join(want, "|")); e.Failed() {
		e.FailNow()
	}
	return heads
}

// sameHead reports the fields of a head that differ.
func sameHead(e *env, got, want thread.Head) {
	e.Helper()
	equal(e, "thread", got.Thread, want.Thread)
	equal(e, "graph", got.Graph, want.Graph)
	equal(e, "shape", got.Shape, want.Shape)
	equal(e, "status", got.Status, want.Status)
	equal(e, "number", got.Seq, want.Seq)
	equal(e, "created", got.Created, thread.Moment(want.Created))
	equal(e, "updated", got.Updated, thread.Moment(want.Updated))
	equal(e, "expires", got.Expires, thread.Moment(want.Expires))
	equal(e, "summary", string(got.Summary), string(want.Summary))
	equal(e, "stop", got.Stop, want.Stop)
	equal(e, "end of the lease", got.Until, thread.Moment(want.Until))
}

// sameRecord reports the fields of a record that differ.
func sameRecord(e *env, got, want thread.Record) {
	e.Helper()
	equal(e, "number", got.Seq, want.Seq)
	equal(e, "time", got.Time, thread.Moment(want.Time))
	equal(e, "snapshot", got.Snapshot, want.Snapshot)
	equal(e, "length of the data", len(got.Data), len(want.Data))
	equal(e, "the data is the same", string(got.Data) == string(want.Data), true)
}
