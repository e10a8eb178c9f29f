package thread

import (
	"context"
	"time"

	"github.com/graphgen/graphgen/internal/caught"
)

// Guard returns a store whose methods return a *graphgen.PanicError where the methods of s panic. A [Transactor] remains one; a panic of
// the function that it calls passes. Runs of threads and [Recover] call their stores by it.
func Guard(s Store) Store {
	switch s := s.(type) {
	case *guarded, *guardedTransactor:
		return s
	case Transactor:
		return &guardedTransactor{guarded{s}, s}
	}
	return &guarded{s}
}

type guarded struct{ s Store }

// Guarded returns the store, by which a server knows that machines have the same.
func (g *guarded) Guarded() Store { return g.s }

func (g *guarded) Acquire(ctx context.Context, thread string, ttl time.Duration) (lease Lease, head Head, err error) {
	defer caught.Panic(&err)
	return g.s.Acquire(ctx, thread, ttl)
}

func (g *guarded) Renew(ctx context.Context, lease Lease) (ack Ack, err error) {
	defer caught.Panic(&err)
	return g.s.Renew(ctx, lease)
}

func (g *guarded) Release(ctx context.Context, lease Lease) (err error) {
	defer caught.Panic(&err)
	return g.s.Release(ctx, lease)
}

func (g *guarded) Append(ctx context.Context, lease Lease, head Head, records []Record) (ack Ack, err error) {
	defer caught.Panic(&err)
	return g.s.Append(ctx, lease, head, records)
}

func (g *guarded) Load(ctx context.Context, thread string, at uint64) (head Head, records []Record, err error) {
	defer caught.Panic(&err)
	return g.s.Load(ctx, thread, at)
}

func (g *guarded) History(ctx context.Context, thread string, after uint64, limit int) (records []Record, err error) {
	defer caught.Panic(&err)
	return g.s.History(ctx, thread, after, limit)
}

func (g *guarded) List(ctx context.Context, filter Filter) (heads []Head, err error) {
	defer caught.Panic(&err)
	return g.s.List(ctx, filter)
}

func (g *guarded) Stop(ctx context.Context, thread string) (err error) {
	defer caught.Panic(&err)
	return g.s.Stop(ctx, thread)
}

func (g *guarded) Copy(ctx context.Context, from string, at uint64, head Head) (err error) {
	defer caught.Panic(&err)
	return g.s.Copy(ctx, from, at, head)
}

func (g *guarded) Prune(ctx context.Context, thread string, before uint64) (n int, err error) {
	defer caught.Panic(&err)
	return g.s.Prune(ctx, thread, before)
}

func (g *guarded) Delete(ctx context.Context, thread string) (err error) {
	defer caught.Panic(&err)
	return g.s.Delete(ctx, thread)
}

func (g *guarded) Sweep(ctx context.Context) (n int, err error) {
	defer caught.Panic(&err)
	return g.s.Sweep(ctx)
}

type guardedTransactor struct {
	guarded
	t Transactor
}

func (g *guardedTransactor) Transact(ctx context.Context, lease Lease, fn func(context.Context) (Head, []Record, error)) (ack Ack, err error) {
	within := false
	defer func() {
		if !within { // else it is of fn
			caught.Value(recover(), &err)
		}
	}()
	return g.t.Transact(ctx, lease, func(ctx context.Context) (Head, []Record, error) {
		within = true
		head, records, err := fn(ctx)
		within = false
		return head, records, err
	})
}
