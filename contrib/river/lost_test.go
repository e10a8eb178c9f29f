package river

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/river/rivertest"
	"github.com/graphgen/graphgen/thread"
)

// A losing store has lost the lease at the first append after a pause: another process has got the thread.
type losing struct {
	thread.Transactor
	mu           sync.Mutex
	paused, lost map[string]bool
}

// Append implements thread.Store.
func (s *losing) Append(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
	s.mu.Lock()
	loses := s.paused[h.Thread] && !s.lost[h.Thread]
	if s.lost[h.Thread] = s.lost[h.Thread] || loses; h.Status == thread.Paused {
		s.paused[h.Thread] = true
	}
	s.mu.Unlock()
	if loses {
		return thread.Ack{}, &thread.LostError{Thread: h.Thread, Token: l.Token}
	}
	return s.Transactor.Append(ctx, l, h, r)
}

// TestLostAnswers holds that an answer, and a deadline, whose attempt has lost the thread is tried again.
func TestLostAnswers(t *testing.T) {
	// On a busy machine, looks that follow each other fast take a job for one of a process that has ended, as no lease holds its thread.
	q := made(t, func(o *Options) { o.Attempts, o.Every = 1, 2*time.Second })
	s := &losing{Transactor: q.Store(), paused: map[string]bool{}, lost: map[string]bool{}}
	m, err := rivertest.NewClaim(&clerk{}, thread.With(thread.Settings{Store: s, Lease: lease}))
	if err != nil {
		t.Fatal(err)
	}
	work(t, q, Worker{Machines: []*Machine{Durable(m)}})
	start(t, q, "late", 1, "hurry")
	start(t, q, "answered", 1, "sign")
	asked := reaches(t, m, "answered", thread.Paused)
	if _, err := q.Answer(t.Context(), Reply{Graph: "claim", Thread: "answered", Request: asked[0].ID, Answer: "deny"}); err != nil {
		t.Fatal(err)
	}
	ends(t, m, "late", "expired", 1)
	ends(t, m, "answered", "refused", 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if dead, err := q.Dead(t.Context(), 0, 10); err != nil || len(dead) > 0 || len(s.lost) != 2 {
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
