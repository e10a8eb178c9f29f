package serve

import (
	"context"
	"sync"
)

// Slots are how many of a kind there may be at a time, in all and of a tenant.
type slots struct {
	most, tenant int

	mu   sync.Mutex
	used int
	of   map[string]int
}

// take takes a slot, unless there is none.
func (s *slots) take(tenant string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used >= s.most || s.of[tenant] >= s.tenant {
		return false
	}
	if s.of == nil {
		s.of = map[string]int{}
	}
	s.used++
	s.of[tenant]++
	return true
}

// give gives a slot back.
func (s *slots) give(tenant string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used--
	if s.of[tenant]--; s.of[tenant] == 0 {
		delete(s.of, tenant)
	}
}

// turns are the requests of this process that wait to begin a run in a thread, in their order.
type turns struct {
	mu sync.Mutex
	of map[string][]chan struct{} // the first one has its turn
}

// take waits until no earlier request for a thread waits. It reports whether the queue had room. The function returned ends the turn.
func (t *turns) take(ctx context.Context, name string, most int) (end func(), ok bool, err error) {
	t.mu.Lock()
	if len(t.of[name]) >= most {
		t.mu.Unlock()
		return nil, false, nil
	}
	if t.of == nil {
		t.of = map[string][]chan struct{}{}
	}
	mine := make(chan struct{})
	t.of[name] = append(t.of[name], mine)
	if len(t.of[name]) == 1 {
		close(mine)
	}
	t.mu.Unlock()
	end = func() { t.leave(name, mine) }
	select {
	case <-mine:
		return end, true, nil
	case <-ctx.Done():
		end()
		return nil, true, context.Cause(ctx)
	}
}

// leave takes a request out of the queue, and lets the next one have its turn.
func (t *turns) leave(name string, mine chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.of[name]
	for i, c := range list {
		if c != mine {
			continue
		}
		rest := append(list[:i:i], list[i+1:]...)
		if len(rest) == 0 {
			delete(t.of, name)
			return
		}
		t.of[name] = rest
		if i == 0 {
			close(rest[0])
		}
		return
	}
}
