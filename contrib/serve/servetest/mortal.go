package servetest

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// A Mortal is a store whose process is killed when a call has returned: after it, no call reaches the store, and a lease lasts for its time.
type Mortal struct {
	thread.Store
	Kill string // Acquire, Append or Release; empty: no call

	dead atomic.Bool
}

var errKilled = errors.New("the process was killed")

// reaches returns an error if the process was killed, and kills it by a call.
func (m *Mortal) reaches(call string, does func() error) error {
	if m.dead.Load() {
		return errKilled
	}
	err := does()
	if m.Kill == call {
		m.dead.Store(true)
	}
	return err
}

// Acquire implements thread.Store.
func (m *Mortal) Acquire(ctx context.Context, name string, ttl time.Duration) (lease thread.Lease, head thread.Head, err error) {
	err = m.reaches("Acquire", func() error {
		lease, head, err = m.Store.Acquire(ctx, name, ttl)
		return err
	})
	return lease, head, err
}

// Renew implements thread.Store.
func (m *Mortal) Renew(ctx context.Context, l thread.Lease) (ack thread.Ack, err error) {
	err = m.reaches("Renew", func() error {
		ack, err = m.Store.Renew(ctx, l)
		return err
	})
	return ack, err
}

// Release implements thread.Store.
func (m *Mortal) Release(ctx context.Context, l thread.Lease) error {
	return m.reaches("Release", func() error { return m.Store.Release(ctx, l) })
}

// Append implements thread.Store.
func (m *Mortal) Append(ctx context.Context, l thread.Lease, h thread.Head, records []thread.Record) (ack thread.Ack, err error) {
	err = m.reaches("Append", func() error {
		ack, err = m.Store.Append(ctx, l, h, records)
		return err
	})
	return ack, err
}

// Delete implements thread.Store.
func (m *Mortal) Delete(ctx context.Context, name string) error {
	return m.reaches("Delete", func() error { return m.Store.Delete(ctx, name) })
}
