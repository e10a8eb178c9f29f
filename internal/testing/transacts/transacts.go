// Package transacts tests that nodes with transaction: true write exactly once to the database of a store.
package transacts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/transact"
	"github.com/graphgen/graphgen/internal/testing/mortal"
	"github.com/graphgen/graphgen/thread"
)

// A Database is the database of a store, with a table of rows.
type Database struct {
	Store thread.Transactor
	Write func(ctx context.Context, row string) error // in the transaction of the context
	Spoil func(ctx context.Context) error             // has the database refuse the transaction of the context at its end
	Rows  func() []string                             // that are committed
}

// each calls run for every write of a run, and every way in which a process ends there. The writes are the writes of the longest run.
func (db *Database) each(t *testing.T, prefix string, least int, run func(name string, how mortal.End, s *mortal.Store)) {
	writes := 0
	for at := 0; at <= writes; at++ {
		for how := mortal.Before; how <= mortal.LostCommit; how++ {
			name := fmt.Sprintf("%s-%d-%d", prefix, at, how)
			left := at
			run(name, how, &mortal.Store{Transactor: db.Store, Ended: func() { db.Agrees(t, name) }, Ends: func(thread.Head, bool) mortal.End {
				if left--; left == -1 {
					return how
				}
				return mortal.Lives
			}})
			head, _, err := db.Store.Load(t.Context(), name, 0)
			if err != nil {
				t.Fatal(err)
			}
			writes = max(writes, int(head.Seq))
		}
	}
	if writes < least {
		t.Errorf("a run has %d records", writes)
	}
}

// A Teller has the handlers of a graph that books amounts, each with a row. The first attempt to open an account fails when it has written.
type Teller struct {
	Write  func(ctx context.Context, row string) error
	Closed func(ctx context.Context) bool // whether an attempt to open an account fails
}

// Open opens an account, and sends a letter.
func (w Teller) Open(ctx context.Context, _ transact.PayoutOpenIn) (transact.PayoutOpenOut, error) {
	if err := w.Write(ctx, "open"); err != nil {
		return transact.PayoutOpenOut{}, err
	}
	_, err := thread.Once(ctx, "letter", func(context.Context) ([]byte, error) { return nil, nil })
	if w.Closed(ctx) {
		return transact.PayoutOpenOut{}, graphgen.Transient(errors.New("the office is closed"))
	}
	return transact.PayoutOpenOut{Account: "A"}, err
}

// Book books an amount.
func (w Teller) Book(ctx context.Context, in transact.PayoutBookIn) (transact.PayoutBookOut, error) {
	return transact.PayoutBookOut{Booked: []int{in.Amount}}, w.Write(ctx, "book "+strconv.Itoa(in.Amount))
}

// Close closes the account.
func (w Teller) Close(ctx context.Context, in transact.PayoutCloseIn) (transact.PayoutCloseOut, transact.PayoutCloseGoto, error) {
	sum := 0
	for _, n := range in.Booked {
		sum += n
	}
	return transact.PayoutCloseOut{Sum: sum}, transact.PayoutCloseGotoDone, w.Write(ctx, "close "+in.Account)
}

// Done does nothing.
func (w Teller) Done(context.Context, transact.PayoutDoneIn) error { return nil }

// Booked are the rows of a run that books 2 and 3: what each finished step has written.
var Booked = []string{"book 2", "book 3", "close A", "open"}

// A teller is a Teller of one thread, in a process of the test.
type teller struct {
	db      *Database
	thread  string
	mu      sync.Mutex
	opened  int
	handled map[string]int
	hold    func(row string)
	spoil   func(ctx context.Context, row string) error

	cancelAt string // the row behind which the run is cancelled, once
	cancel   context.CancelFunc
}

func (w *teller) writes(ctx context.Context, row string) error {
	if w.hold != nil {
		w.hold(row)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handled[row]++
	err := w.db.Write(ctx, w.thread+": "+row)
	if err == nil && w.spoil != nil {
		err = w.spoil(ctx, row)
	}
	if row == w.cancelAt {
		w.cancelAt = ""
		w.cancel()
	}
	return err
}

func (w *teller) closed(context.Context) bool {
	w.opened++
	return w.opened == 1
}

// Run kills a process at each of its writes, before and after it, and holds that each row is there exactly when the record of
// its step is, and exactly once at the end.
func Run(t *testing.T, db *Database) {
	attempts := 0
	db.each(t, "killed", 8, func(name string, how mortal.End, s *mortal.Store) {
		w := &teller{db: db, thread: name, handled: map[string]int{}}
		retried := false
		s.Ended = func() {
			db.Agrees(t, name)
			retried = how.IsCommitted() && w.handled["open"] == 2 && len(db.Of(name)) == 1
		}
		out, report, err := w.live(t.Context(), t, minute(s))
		for killed := 0; err != nil; killed++ {
			db.Agrees(t, name)
			ended := errors.Is(err, mortal.ErrKilled)
			if how.Survives() {
				ended = isUnsaved(err)
			}
			if !ended || killed > 2 || how == mortal.LostReply {
				t.Fatalf("%s: %v", name, err)
			}
			out, report, err = w.live(t.Context(), t, minute(db.Store))
		}
		if retried && report.Retries != 1 {
			t.Errorf("%s: the second attempt was committed, and the report has %d retries", name, report.Retries)
		}
		attempts += report.Retries
		if !slices.Equal(db.Of(name), Booked) {
			t.Errorf("%s: the rows are %q, want %q", name, db.Of(name), Booked)
		}
		if out.Account != "A" || !slices.Equal(out.Booked, []int{2, 3}) || out.Sum != 5 {
			t.Errorf("%s: the output is %+v", name, out)
		}
		if how.IsCommitted() && w.handled["close A"] != 1 {
			t.Errorf("%s: the handler of close was called %d times", name, w.handled["close A"])
		}
	})
	if attempts == 0 {
		t.Error("no report has a retry")
	}
}

// A drawer gives the number of the next row as a ticket.
type drawer struct {
	db     *Database
	thread string
}

func (w drawer) Draw(ctx context.Context, _ transact.RaffleDrawIn) (transact.RaffleDrawOut, error) {
	n := len(w.db.Of(w.thread)) + 1
	return transact.RaffleDrawOut{Ticket: n}, w.db.Write(ctx, w.thread+": draw "+strconv.Itoa(n))
}

func (drawer) Wins(_ context.Context, in transact.RaffleWinsIn, out transact.RaffleDrawOut) error {
	if out.Ticket < in.Least {
		return graphgen.Reject("too small")
	}
	return nil
}

// Guards kills a process at each of its writes where a guard refuses what the first transactions of a step have given, and holds that
// each of them is made once, also where the process that continues has the earlier ones from the thread.
func Guards(t *testing.T, db *Database) {
	db.each(t, "refused", 4, func(name string, _ mortal.End, s *mortal.Store) {
		draw := func(s thread.Store) (transact.RaffleOutput, error) {
			m, err := transact.NewRaffle(drawer{db, name}, thread.With(minute(s)))
			if err != nil {
				t.Fatal(err)
			}
			out, err := m.Thread(name).Recover(t.Context())
			if is[*thread.NotFoundError](err) {
				return m.Thread(name).Start(t.Context(), transact.RaffleInput{Least: 3})
			}
			return out, err
		}
		out, err := draw(s)
		for range 2 {
			if db.Agrees(t, name); err != nil {
				out, err = draw(db.Store)
			}
		}
		if want := []string{"draw 1", "draw 2", "draw 3"}; err != nil || out.Ticket != 3 || !slices.Equal(db.Of(name), want) {
			t.Errorf("%s: the run ends with %+v, %v, and the rows are %q, want %q", name, out, err, db.Of(name), want)
		}
	})
}

// Cancel cancels runs when a handler has written, before its transaction is committed, and holds that what it has given is not saved:
// the run that continues calls the handler again.
func Cancel(t *testing.T, db *Database) {
	for _, row := range []string{"open", "book 2", "book 3", "close A"} {
		for i, kept := range []thread.Settings{{}, {Snapshot: 1}, {Mode: thread.Async}} {
			name := "cancelled-" + row + "-" + strconv.Itoa(i)
			w := &teller{db: db, thread: name, handled: map[string]int{}, cancelAt: row, opened: 1}
			var ctx context.Context
			ctx, w.cancel = context.WithCancel(t.Context())
			set := kept
			set.Store, set.Lease = db.Store, time.Minute
			if _, _, err := w.live(ctx, t, set); !errors.Is(err, context.Canceled) || is[*thread.StoreError](err) {
				t.Fatalf("%s: the run ends with %v", name, err)
			}
			db.Agrees(t, name)
			out, _, err := w.live(t.Context(), t, set)
			if err != nil || out.Sum != 5 {
				t.Errorf("%s: the run ends with %+v, %v", name, out, err)
			}
			db.Agrees(t, name)
			if !slices.Equal(db.Of(name), Booked) {
				t.Errorf("%s: the rows are %q, want %q", name, db.Of(name), Booked)
			}
			if w.handled[row] != 2 {
				t.Errorf("%s: its handler was called %d times", name, w.handled[row])
			}
		}
	}
}

// An ending is a store whose leases are lost when a handler is under way. It continues when the context of a call has ended.
type ending struct {
	thread.Transactor
	mu    sync.Mutex
	lost  bool
	under context.Context // of the last transaction
}

func (s *ending) Renew(ctx context.Context, l thread.Lease) (thread.Ack, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost {
		return thread.Ack{}, mortal.ErrKilled
	}
	return s.Transactor.Renew(ctx, l)
}

func (s *ending) Transact(ctx context.Context, l thread.Lease, f func(context.Context) (thread.Head, []thread.Record, error)) (thread.Ack, error) {
	s.mu.Lock()
	s.under = ctx
	s.mu.Unlock()
	return s.Transactor.Transact(context.WithoutCancel(ctx), l, f)
}

// lose loses the lease, and waits until the session has found out.
func (s *ending) lose() {
	s.mu.Lock()
	s.lost = true
	under := s.under
	s.mu.Unlock()
	<-under.Done()
}

// Failures loses the lease while a handler is under way, and holds that its transaction is not committed.
func Failures(t *testing.T, db *Database) {
	const name = "failed"
	s := &ending{Transactor: db.Store}
	w := &teller{db: db, thread: name, handled: map[string]int{}, opened: 1, hold: func(row string) {
		if row == "close A" {
			s.lose()
		}
	}}
	set := thread.Settings{Store: s, Lease: 3 * time.Second}
	if _, _, err := w.live(t.Context(), t, set); !isUnsaved(err) {
		t.Errorf("the run ends with %v", err)
	}
	db.Agrees(t, name)
	if want := []string{"book 2", "book 3", "open"}; !slices.Equal(db.Of(name), want) || w.handled["close A"] != 1 {
		t.Errorf("the rows are %q, want %q; the handlers were called for %v", db.Of(name), want, w.handled)
	}
}

// Refusals has the database refuse transactions whose handlers have no error, and holds that a transaction is made again once, that its node then
// fails, and that the run can continue.
func Refusals(t *testing.T, db *Database) {
	for _, times := range []int{1, 2} {
		name := "refusals-" + strconv.Itoa(times)
		refused := 0
		w := &teller{db: db, thread: name, handled: map[string]int{}, opened: 1}
		w.spoil = func(ctx context.Context, row string) error {
			if refused == times || row != "close A" {
				return nil
			}
			refused++
			return db.Spoil(ctx)
		}
		out, _, err := w.live(t.Context(), t, minute(db.Store))
		if times == 2 {
			db.Agrees(t, name)
			end, _ := errors.AsType[*graphgen.RunError](err)
			node, failed := errors.AsType[*graphgen.NodeError](err)
			if !failed || node.Where.Node != "close" || end.Reason != graphgen.Failed || is[*thread.StoreError](err) {
				t.Errorf("%s: the run ends with %v", name, err)
			}
			if want := []string{"book 2", "book 3", "open"}; !slices.Equal(db.Of(name), want) {
				t.Errorf("%s: the rows are %q, want %q", name, db.Of(name), want)
			}
			out, _, err = w.live(t.Context(), t, minute(db.Store))
		}
		if err != nil || out.Sum != 5 || w.handled["close A"] != times+1 {
			t.Errorf("%s: the run ends with %+v, %v, and the handlers were called for %v", name, out, err, w.handled)
		}
		db.Agrees(t, name)
		if !slices.Equal(db.Of(name), Booked) {
			t.Errorf("%s: the rows are %q, want %q", name, db.Of(name), Booked)
		}
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// isUnsaved reports whether a run has ended because a step was not saved.
func isUnsaved(err error) bool {
	e, ok := errors.AsType[*thread.StoreError](err)
	return ok && e.Unsaved
}

// minute gives processes leases of a minute.
func minute(s thread.Store) thread.Settings { return thread.Settings{Store: s, Lease: time.Minute} }

// live starts the run of a teller, or continues it.
func (w *teller) live(ctx context.Context, t *testing.T, set thread.Settings) (out transact.PayoutOutput, report graphgen.Report, err error) {
	t.Helper()
	m, err := transact.NewPayout(Teller{w.writes, w.closed}, thread.With(set))
	if err != nil {
		t.Fatal(err)
	}
	out, err = m.Thread(w.thread).Recover(ctx, graphgen.WithReport(&report))
	if is[*thread.NotFoundError](err) {
		out, err = m.Thread(w.thread).Start(ctx, transact.PayoutInput{Amounts: []int{2, 3}}, graphgen.WithReport(&report))
	}
	return out, report, err
}

// Of returns the rows of a thread, sorted. Each begins with the name of its thread and a colon.
func (db *Database) Of(name string) (list []string) {
	for _, row := range db.Rows() {
		if of, ok := strings.CutPrefix(row, name+": "); ok {
			list = append(list, of)
		}
	}
	slices.Sort(list)
	return list
}

// Agrees holds that a thread has as many records of transactions as rows, and returns these. A server may commit what a
// process that was killed has sent, so that both are read until nothing changes.
func (db *Database) Agrees(t *testing.T, name string) (rows []string) {
	t.Helper()
	for saved, then := -1, -2; saved != then; {
		then = saved
		rows = db.Of(name)
		if saved = transactions(t, db.Store, name); saved == then && len(rows) != saved {
			t.Errorf("%s: %d transactions are saved, and the rows are %q", name, saved, rows)
		}
	}
	return rows
}

// transactions returns how many transactions a thread has saved.
func transactions(t *testing.T, s thread.Store, name string) (saved int) {
	t.Helper()
	records, err := s.History(t.Context(), name, 0, 0)
	if err != nil && !is[*thread.NotFoundError](err) {
		t.Error(err)
	}
	known := map[string]bool{}
	for _, r := range records {
		var record struct {
			Run     string // of a record of the whole run, which has what steps that go on were given before
			Effects []struct {
				At, Key string
				Gave    json.RawMessage
			}
		}
		if err := json.Unmarshal(r.Data, &record); err != nil {
			t.Error(err)
		}
		for _, e := range record.Effects {
			given := fmt.Sprintf("%s %s %s", e.At, e.Key, e.Gave)
			if strings.HasPrefix(e.Key, "transaction.") && (record.Run == "" || !known[given]) {
				saved++
			}
			known[given] = true
		}
	}
	return saved
}
