package golden_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
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

// TestKilledPrompts holds that a run which waits, or is killed at any of its appends, within a tool loop reports the version of its prompt for all calls,
// where an option replaces the prompt, too.
func TestKilledPrompts(t *testing.T) {
	for name, opts := range map[string][]thread.Option{"its own prompt": nil, "another prompt": {graphgen.WithPrompt("answer", "Be kind.")}} {
		reported := func(at int, during bool) []graphgen.PromptCount {
			var now atomic.Int64 // in seconds
			store := thread.NewMemoryAt(func() time.Time { return time.Unix(now.Load(), 0) })
			var rep graphgen.Report
			bank, first := new(ledger), true
			live(t, func() survivor {
				now.Add(3600)
				s := thread.Store(store)
				if first {
					s, first = &mortal{Store: store, left: at, during: during}, false
				}
				m := newClerk(t, bank, append(slices.Clip(opts), thread.In(s))...)
				return survivorOf(m.Thread("t"), durable.ClerkInput{Message: "otters"}, graphgen.WithReport(&rep))
			}, clerkAnswers)
			return rep.Prompts
		}
		want := reported(100, false)
		if len(want) != 1 || want[0].Replaced != (opts != nil) || want[0].ModelCalls != 4 {
			t.Errorf("%s: the prompts are %+v", name, want)
		}
		for at := range 16 {
			for _, during := range []bool{false, true} {
				if got := reported(at, during); !slices.Equal(got, want) {
					t.Errorf("%s, killed at append %d (%v): the prompts are %+v, want %+v", name, at, during, got, want)
				}
			}
		}
	}
}
