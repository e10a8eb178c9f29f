package transacts

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen/golden/transact"
	"github.com/graphgen/graphgen/internal/testing/mortal"
	"github.com/graphgen/graphgen/thread"
)

func newDatabase() *Database {
	m := &mortal.Memory{Memory: thread.NewMemory()}
	return &Database{Store: m, Write: m.Write, Spoil: func(ctx context.Context) error { return m.Write(ctx, "") }, Rows: m.Rows}
}

func TestMemory(t *testing.T) {
	db := newDatabase()
	Run(t, db)
	Guards(t, db)
	Cancel(t, db)
	Failures(t, db)
	Refusals(t, db)
}

// A deaf store goes on when the context of a call has ended. It fails one call.
type deaf struct {
	thread.Transactor
	renews bool // the call is Renew
	left   int  // transactions before the one that fails; negative: none does
}

func (s *deaf) Renew(ctx context.Context, l thread.Lease) (thread.Ack, error) {
	if s.renews {
		return thread.Ack{}, mortal.ErrKilled
	}
	return s.Transactor.Renew(ctx, l)
}

func (s *deaf) Transact(ctx context.Context, l thread.Lease, f func(context.Context) (thread.Head, []thread.Record, error)) (thread.Ack, error) {
	s.left--
	fails := s.left == -1
	return s.Transactor.Transact(context.WithoutCancel(ctx), l, func(ctx context.Context) (thread.Head, []thread.Record, error) {
		h, r, err := f(ctx)
		if fails {
			return h, r, mortal.ErrKilled
		}
		return h, r, err
	})
}

// TestFailedSession holds that a thread to which nothing more can be saved commits no transaction, and begins none: whether that
// turns out while a handler is under way, or while a branch waits for the transaction of another one.
func TestFailedSession(t *testing.T) {
	for name, row := range map[string]struct {
		store *deaf
		slow  string
		want  []string // rows
	}{
		"the lease is lost within a transaction":    {&deaf{renews: true, left: -1}, "close", []string{"book 2", "book 3", "open"}},
		"the transaction of another branch is lost": {&deaf{left: 1}, "book", []string{"open"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db := newDatabase()
				row.store.Transactor = db.Store
				w := &teller{db: db, thread: "a", handled: map[string]int{}, opened: 1, hold: func(text string) {
					if strings.HasPrefix(text, row.slow) {
						time.Sleep(time.Minute)
					}
				}}
				m, err := transact.NewPayout(Teller{w.writes, w.closed}, thread.With(thread.Settings{Store: row.store, Lease: time.Minute}))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := m.Thread("a").Start(t.Context(), transact.PayoutInput{Amounts: []int{2, 3}}); !isUnsaved(err) {
					t.Errorf("the run ends with %v", err)
				}
				if have := db.Of("a"); !slices.Equal(have, row.want) {
					t.Errorf("the rows are %q, want %q", have, row.want)
				}
				db.Agrees(t, "a")
				if len(w.handled) != len(row.want)+1 {
					t.Errorf("the handlers were called for %v", w.handled)
				}
			})
		})
	}
}
