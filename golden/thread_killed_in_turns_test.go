package golden_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/thread"
)

// turnsWork is the work of branches of which one fails at first.
type turnsWork struct{ bank *ledger }

func (w turnsWork) do(ctx context.Context, name string) ([]string, error) {
	if w.bank.falls(name) {
		return nil, errors.New("down")
	}
	w.bank.did(ctx)
	return []string{name}, nil
}

func (w turnsWork) Fetch(ctx context.Context) (out durable.TurnsFetchOut, err error) {
	out.Done, err = w.do(ctx, "fetch")
	return out, err
}

func (w turnsWork) Sort(ctx context.Context) (out durable.TurnsSortOut, err error) {
	out.Done, err = w.do(ctx, "sort")
	return out, err
}

func (w turnsWork) Draft(ctx context.Context) (out durable.TurnsDraftOut, err error) {
	out.Done, err = w.do(ctx, "draft")
	return out, err
}

func (w turnsWork) Check(ctx context.Context) (out durable.TurnsCheckOut, err error) {
	out.Done, err = w.do(ctx, "check")
	return out, err
}

// TestKilledTurns holds that a process which ends when some branches of a second attempt have begun leaves nothing of the first
// attempt to the next one: if there is a second attempt, all nodes are executed in it. A failure that was not saved is
// followed by the node that failed alone.
func TestKilledTurns(t *testing.T) {
	const after = "after the failure "
	for at := range 12 {
		for _, during := range []bool{false, true} {
			var now atomic.Int64 // in seconds
			store := thread.NewMemoryAt(func() time.Time { return time.Unix(now.Load(), 0) })
			bank := &ledger{fails: "check"}
			first := true
			out, _ := live(t, func() survivor {
				now.Add(3600)
				s := thread.Store(store)
				if first {
					s, first = &mortal{Store: store, left: at, during: during}, false
				}
				m, err := durable.NewTurns(turnsWork{bank}, thread.With(thread.Settings{Store: s}))
				if err != nil {
					t.Fatal(err)
				}
				return survivorOf(m.Thread("t"), durable.TurnsInput{})
			}, nil)
			if got := canonical(t, out); got != `{"done":["fetch","sort","draft","check"]}` {
				t.Errorf("killed at append %d (%v): the output is %s", at, during, got)
			}
			var keys []string
			for key := range bank.done {
				if strings.HasPrefix(key, after) {
					keys = append(keys, strings.TrimPrefix(key, after))
				}
			}
			if len(keys) != 4 && !slices.Equal(keys, []string{"t.1/right/3"}) {
				t.Errorf("killed at append %d (%v): after the failure, these are executed: %s", at, during, keys)
			}
		}
	}
}
