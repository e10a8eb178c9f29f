package golden_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/thread"
)

// lookUps returns a model that has a tool called n times in its first turn.
func lookUps(n int) chat.Model {
	return chat.ModelFunc(func(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		said := chat.Message{Role: chat.RoleAssistant, Text: "done"}
		if len(req.Messages) == 1 {
			said.Text = ""
			for i := range n {
				said.Calls = append(said.Calls, chat.ToolCall{ID: fmt.Sprint(i), Name: "look_up", Arguments: fmt.Sprintf(`{"order":"%d"}`, i)})
			}
		}
		return &chat.Response{Message: said, Finish: chat.Stop}, nil
	})
}

// A remote store takes its time for each append. It holds that one is under way at a time.
type remote struct {
	thread.Store
	takes          time.Duration
	appends, going atomic.Int32
	overlapped     atomic.Bool
	largest        int
}

func (s *remote) Append(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
	if s.going.Add(1) > 1 {
		s.overlapped.Store(true)
	}
	defer s.going.Add(-1)
	s.appends.Add(1)
	s.largest = max(s.largest, len(r))
	time.Sleep(s.takes)
	return s.Store.Append(ctx, l, h, r)
}

// TestCallsThatEndTogether holds that the results of calls which end at the same time are saved by few appends: the records that are made
// during one are in the next.
func TestCallsThatEndTogether(t *testing.T) {
	appends := func(t *testing.T, n int) (count int32) {
		synctest.Test(t, func(t *testing.T) {
			store := &remote{Store: thread.NewMemory(), takes: 40 * time.Millisecond}
			m, err := durable.NewClerk(clerkWork{new(ledger)}, clerkTools{new(ledger)}, lookUps(n), thread.In(store))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Thread("t").Start(t.Context(), durable.ClerkInput{Message: "otters"}); err != nil {
				t.Fatal(err)
			}
			if store.overlapped.Load() {
				t.Error("two appends were under way at a time")
			}
			count = store.appends.Load()
		})
		return count
	}
	one, eight := appends(t, 1), appends(t, 8)
	if more := eight - one; more > 3 {
		t.Errorf("eight calls need %d appends, want at most 4", more+1)
	}
}

// TestKilledTurn holds that a process which is killed at an append of several records has saved all of them or none, and that no call
// whose record is saved is made again.
func TestKilledTurn(t *testing.T) {
	for name, kept := range map[string]thread.Settings{"each step": {}, "snapshots alone": {Snapshot: 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				killedIn(t, 40*time.Millisecond, kept, 8, func(kept thread.Option, bank *ledger) survivor {
					m, err := durable.NewClerk(clerkWork{bank}, clerkTools{bank}, lookUps(8), kept)
					if err != nil {
						t.Fatal(err)
					}
					return survivorOf(m.Thread("t"), durable.ClerkInput{Message: "otters"})
				}, nil)
			})
		})
	}
}
