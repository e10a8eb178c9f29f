package storetest_test

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/graphgen/graphgen/contrib/storetest"
	"github.com/graphgen/graphgen/thread"
)

// A broken store breaks promises of a store in memory: a call that is set replaces that of the store.
type broken struct {
	thread.Store
	clause  string // the name of the test
	acquire func(context.Context, string, time.Duration) (thread.Lease, thread.Head, error)
	renew   func(context.Context, thread.Lease) (thread.Ack, error)
	release func(context.Context, thread.Lease) error
	append  func(context.Context, thread.Lease, thread.Head, []thread.Record) (thread.Ack, error)
	load    func(context.Context, string, uint64) (thread.Head, []thread.Record, error)
	history func(context.Context, string, uint64, int) ([]thread.Record, error)
	list    func(context.Context, thread.Filter) ([]thread.Head, error)
	stop    func(context.Context, string) error
	copy    func(context.Context, string, uint64, thread.Head) error
	prune   func(context.Context, string, uint64) (int, error)
	delete  func(context.Context, string) error
	sweep   func(context.Context) (int, error)

	damaged *damaged // the store that is broken

	transact func(context.Context, thread.Lease, func(context.Context) (thread.Head, []thread.Record, error)) (thread.Ack, error)
	effect   func(context.Context) error
}

func (b *broken) Acquire(ctx context.Context, name string, ttl time.Duration) (thread.Lease, thread.Head, error) {
	if b.acquire != nil {
		return b.acquire(ctx, name, ttl)
	}
	return b.Store.Acquire(ctx, name, ttl)
}

func (b *broken) Renew(ctx context.Context, l thread.Lease) (thread.Ack, error) {
	if b.renew != nil {
		return b.renew(ctx, l)
	}
	return b.Store.Renew(ctx, l)
}

func (b *broken) Release(ctx context.Context, l thread.Lease) error {
	if b.release != nil {
		return b.release(ctx, l)
	}
	return b.Store.Release(ctx, l)
}

func (b *broken) Append(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
	if b.append != nil {
		return b.append(ctx, l, h, r)
	}
	return b.Store.Append(ctx, l, h, r)
}

func (b *broken) Load(ctx context.Context, name string, at uint64) (thread.Head, []thread.Record, error) {
	if b.load != nil {
		return b.load(ctx, name, at)
	}
	return b.Store.Load(ctx, name, at)
}

func (b *broken) History(ctx context.Context, name string, after uint64, limit int) ([]thread.Record, error) {
	if b.history != nil {
		return b.history(ctx, name, after, limit)
	}
	return b.Store.History(ctx, name, after, limit)
}

func (b *broken) List(ctx context.Context, f thread.Filter) ([]thread.Head, error) {
	if b.list != nil {
		return b.list(ctx, f)
	}
	return b.Store.List(ctx, f)
}

func (b *broken) Stop(ctx context.Context, name string) error {
	if b.stop != nil {
		return b.stop(ctx, name)
	}
	return b.Store.Stop(ctx, name)
}

func (b *broken) Copy(ctx context.Context, from string, at uint64, h thread.Head) error {
	if b.copy != nil {
		return b.copy(ctx, from, at, h)
	}
	return b.Store.Copy(ctx, from, at, h)
}

func (b *broken) Prune(ctx context.Context, name string, before uint64) (int, error) {
	if b.prune != nil {
		return b.prune(ctx, name, before)
	}
	return b.Store.Prune(ctx, name, before)
}

func (b *broken) Delete(ctx context.Context, name string) error {
	if b.delete != nil {
		return b.delete(ctx, name)
	}
	return b.Store.Delete(ctx, name)
}

func (b *broken) Sweep(ctx context.Context) (int, error) {
	if b.sweep != nil {
		return b.sweep(ctx)
	}
	return b.Store.Sweep(ctx)
}

// Transact implements thread.Transactor, as every store of TestBroken is one.
func (b *broken) Transact(ctx context.Context, l thread.Lease, f func(context.Context) (thread.Head, []thread.Record, error)) (thread.Ack, error) {
	if b.transact != nil {
		return b.transact(ctx, l, f)
	}
	return b.Store.(thread.Transactor).Transact(ctx, l, f)
}

// reads changes what Load, History, List and Acquire return.
func reads(head func(*thread.Head), record func(*thread.Record)) func(*broken) {
	return func(b *broken) {
		s := b.Store
		b.acquire = func(ctx context.Context, name string, ttl time.Duration) (thread.Lease, thread.Head, error) {
			l, h, err := s.Acquire(ctx, name, ttl)
			head(&h)
			return l, h, err
		}
		b.load = func(ctx context.Context, name string, at uint64) (thread.Head, []thread.Record, error) {
			h, records, err := s.Load(ctx, name, at)
			head(&h)
			for i := range records {
				record(&records[i])
			}
			return h, records, err
		}
		b.history = func(ctx context.Context, name string, after uint64, limit int) ([]thread.Record, error) {
			records, err := s.History(ctx, name, after, limit)
			for i := range records {
				record(&records[i])
			}
			return records, err
		}
		b.list = func(ctx context.Context, f thread.Filter) ([]thread.Head, error) {
			heads, err := s.List(ctx, f)
			for i := range heads {
				head(&heads[i])
			}
			return heads, err
		}
	}
}

func heads(f func(*thread.Head)) func(*broken)     { return reads(f, func(*thread.Record) {}) }
func records(f func(*thread.Record)) func(*broken) { return reads(func(*thread.Head) {}, f) }

// A shared is a map for concurrent writers.
type shared[V any] struct {
	mu sync.Mutex
	m  map[string]V
}

func (s *shared[V]) get(name string) V {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m[name]
}

func (s *shared[V]) set(name string, v V) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = map[string]V{}
	}
	s.m[name] = v
}

// names calls the store with another name of a thread.
func names(f func(string) string) func(*broken) {
	return func(b *broken) {
		s := b.Store
		var back shared[string]
		b.acquire = func(ctx context.Context, name string, ttl time.Duration) (thread.Lease, thread.Head, error) {
			back.set(f(name), name)
			l, h, err := s.Acquire(ctx, f(name), ttl)
			l.Thread, h.Thread = name, name
			return l, h, err
		}
		b.append = func(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
			l.Thread, h.Thread = f(l.Thread), f(h.Thread)
			return s.Append(ctx, l, h, r)
		}
		b.release = func(ctx context.Context, l thread.Lease) error {
			l.Thread = f(l.Thread)
			return s.Release(ctx, l)
		}
		b.load = func(ctx context.Context, name string, at uint64) (thread.Head, []thread.Record, error) {
			h, r, err := s.Load(ctx, f(name), at)
			h.Thread = name
			return h, r, err
		}
		b.history = func(ctx context.Context, name string, after uint64, limit int) ([]thread.Record, error) {
			return s.History(ctx, f(name), after, limit)
		}
		b.list = func(ctx context.Context, filter thread.Filter) ([]thread.Head, error) {
			heads, err := s.List(ctx, filter)
			for i := range heads {
				heads[i].Thread = cmp.Or(back.get(heads[i].Thread), heads[i].Thread)
			}
			return heads, err
		}
	}
}

// filters changes what a filter selects.
func filters(f func(*thread.Filter)) func(*broken) {
	return func(b *broken) {
		s := b.Store
		b.list = func(ctx context.Context, filter thread.Filter) ([]thread.Head, error) {
			f(&filter)
			return s.List(ctx, filter)
		}
	}
}

// instead changes an error of every call into another one.
func instead[E error](to error) func(*broken) {
	change := func(err error) error {
		if _, is := errors.AsType[E](err); is {
			return to
		}
		return err
	}
	return func(b *broken) {
		s := b.Store
		b.acquire = func(ctx context.Context, name string, ttl time.Duration) (thread.Lease, thread.Head, error) {
			l, h, err := s.Acquire(ctx, name, ttl)
			return l, h, change(err)
		}
		b.renew = func(ctx context.Context, l thread.Lease) (thread.Ack, error) {
			ack, err := s.Renew(ctx, l)
			return ack, change(err)
		}
		b.append = func(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
			ack, err := s.Append(ctx, l, h, r)
			return ack, change(err)
		}
		b.load = func(ctx context.Context, name string, at uint64) (thread.Head, []thread.Record, error) {
			h, r, err := s.Load(ctx, name, at)
			return h, r, change(err)
		}
		b.history = func(ctx context.Context, name string, after uint64, limit int) ([]thread.Record, error) {
			r, err := s.History(ctx, name, after, limit)
			return r, change(err)
		}
		b.stop = func(ctx context.Context, name string) error { return change(s.Stop(ctx, name)) }
		b.copy = func(ctx context.Context, from string, at uint64, h thread.Head) error {
			return change(s.Copy(ctx, from, at, h))
		}
		b.prune = func(ctx context.Context, name string, before uint64) (int, error) {
			n, err := s.Prune(ctx, name, before)
			return n, change(err)
		}
		b.delete = func(ctx context.Context, name string) error { return change(s.Delete(ctx, name)) }
	}
}

// forced takes the last lease of a thread from its holder, as a store without checks does.
func forced(b *broken, clock *storetest.Clock) func(thread.Lease) thread.Lease {
	s := b.Store
	var last shared[thread.Lease]
	b.acquire = func(ctx context.Context, name string, ttl time.Duration) (thread.Lease, thread.Head, error) {
		l, h, err := s.Acquire(ctx, name, ttl)
		if err == nil {
			last.set(name, l)
		}
		return l, h, err
	}
	return func(l thread.Lease) thread.Lease { return last.get(l.Thread) }
}
