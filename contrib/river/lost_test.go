package river

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/river/rivertest"
	"github.com/graphgen/graphgen/thread"
)

// A losing store has lost the lease at an append after a pause, of a thread at the one that its name ends with: another process has got the thread.
type losing struct {
	thread.Transactor
	mu    sync.Mutex
	after map[string]int // appends since the pause began, with it
	lost  map[string]bool
}

// Append implements thread.Store.
func (s *losing) Append(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
	s.mu.Lock()
	n := s.after[h.Thread]
	if n > 0 || h.Status == thread.Paused {
		s.after[h.Thread]++
	}
	loses := n > 0 && strings.HasSuffix(h.Thread, fmt.Sprint(" ", n)) && !s.lost[h.Thread]
	if loses {
		s.lost[h.Thread] = true
	}
	s.mu.Unlock()
	if loses {
		return thread.Ack{}, &thread.LostError{Thread: h.Thread, Token: l.Token}
	}
	return s.Transactor.Append(ctx, l, h, r)
}

// TestLostAnswers holds that an answer, and a deadline, whose attempt has lost the thread is tried again.
func TestLostAnswers(t *testing.T) {
	q := made(t, once)
	s := &losing{Transactor: q.Store(), after: map[string]int{}, lost: map[string]bool{}}
	m, err := rivertest.NewClaim(&clerk{}, thread.With(thread.Settings{Store: s, Lease: lease}))
	if err != nil {
		t.Fatal(err)
	}
	work(t, q, Worker{Machines: []*Machine{Durable(m)}})
	for _, n := range []string{" 1", " 2"} { // of the answer, and of the step after it
		start(t, q, "late"+n, 1, "hurry")
		start(t, q, "answered"+n, 1, "sign")
	}
	for _, n := range []string{" 1", " 2"} {
		asked := reaches(t, m, "answered"+n, thread.Paused)
		if _, err := q.Answer(t.Context(), Reply{Graph: "claim", Thread: "answered" + n, Request: asked[0].ID, Answer: "deny"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []string{" 1", " 2"} {
		ends(t, m, "late"+n, "expired", 1)
		ends(t, m, "answered"+n, "refused", 1)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if dead, err := q.Dead(t.Context(), 0, 10); err != nil || len(dead) > 0 || len(s.lost) != 4 {
		t.Errorf("dead letters: %+v, %v; the lease of %v was lost", dead, err, s.lost)
	}
}

// TestHeldDeadline holds that a deadline waits for a thread that something else holds.
func TestHeldDeadline(t *testing.T) {
	q := made(t)
	m := machine(t, q, &clerk{})
	if _, err := m.Thread("one").Start(t.Context(), claim("one", 1, "hurry")); graphgen.AsPause(err) == nil {
		t.Fatal(err)
	}
	held, _, err := q.Store().Acquire(t.Context(), "one", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	work(t, q, Worker{Machines: []*Machine{Durable(m)}})
	until(t, "put off", func() bool {
		return count(t, q, `select count(*) from %sriver_job where (metadata->>'snoozes')::int > 0`) == 1
	})
	if err := q.Store().Release(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	ends(t, m, "one", "expired", 1)
}
