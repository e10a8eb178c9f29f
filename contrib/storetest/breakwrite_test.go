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

// writeBreakages break promises of Append and of leases.
var writeBreakages = map[string]func(*broken){
	"heads are not replaced without records": func(b *broken) {
		s := b.Store
		b.append = func(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
			if len(r) == 0 {
				return s.Renew(ctx, l)
			}
			return s.Append(ctx, l, h, r)
		}
	},
	"batches are single appends": func(b *broken) {
		s := b.Store
		b.append = func(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (ack thread.Ack, err error) {
			if len(r) == 0 {
				return s.Append(ctx, l, h, nil)
			}
			for i := range r {
				part := h
				part.Seq = r[i].Seq
				if ack, err = s.Append(ctx, l, part, r[i:i+1]); err != nil {
					return ack, err
				}
			}
			return ack, err
		}
	},
	"repeated appends are refused": func(b *broken) {
		s := b.Store
		b.append = func(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
			if now, _, err := s.Load(ctx, l.Thread, 0); err == nil && len(r) > 0 && now.Seq >= r[0].Seq {
				return thread.Ack{}, &thread.SeqError{Thread: l.Thread, Last: now.Seq, First: r[0].Seq}
			}
			return s.Append(ctx, l, h, r)
		}
	},
	"appends keep references": func(b *broken) {
		s := b.Store
		var kept shared[[]byte]
		b.append = func(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
			kept.set(l.Thread, h.Summary)
			return s.Append(ctx, l, h, r)
		}
		b.load = func(ctx context.Context, name string, at uint64) (thread.Head, []thread.Record, error) {
			h, r, err := s.Load(ctx, name, at)
			h.Summary = kept.get(name)
			return h, r, err
		}
	},
	"the time of creation is that of the last head": func(b *broken) {
		s := b.Store
		var created shared[time.Time]
		b.append = func(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
			created.set(l.Thread, h.Created)
			return s.Append(ctx, l, h, r)
		}
		b.load = func(ctx context.Context, name string, at uint64) (thread.Head, []thread.Record, error) {
			h, r, err := s.Load(ctx, name, at)
			h.Created = thread.Moment(created.get(name))
			return h, r, err
		}
	},
	"renewing does nothing": func(b *broken) {
		b.renew = func(context.Context, thread.Lease) (thread.Ack, error) { return thread.Ack{}, nil }
	},
	"releasing does nothing": func(b *broken) {
		b.release = func(context.Context, thread.Lease) error { return nil }
	},
	"releasing a lost lease is an error": func(b *broken) {
		s := b.Store
		b.release = func(ctx context.Context, l thread.Lease) error {
			if _, err := s.Renew(ctx, l); err != nil {
				return err
			}
			return s.Release(ctx, l)
		}
	},
	"leases last for an hour": func(b *broken) {
		s := b.Store
		b.acquire = func(ctx context.Context, name string, ttl time.Duration) (thread.Lease, thread.Head, error) {
			return s.Acquire(ctx, name, max(ttl, time.Hour*time.Duration(min(ttl, 1))))
		}
	},
	"leases make threads": func(b *broken) {
		s := b.Store
		b.acquire = func(ctx context.Context, name string, ttl time.Duration) (thread.Lease, thread.Head, error) {
			l, h, err := s.Acquire(ctx, name, ttl)
			if err == nil && h.Seq == 0 {
				h.Status, h.Seq = thread.Running, 1
				_, err = s.Append(ctx, l, h, []thread.Record{{Seq: 1, Snapshot: true, Data: []byte("S")}})
			}
			return l, h, err
		}
	},
	"contexts are not looked at": func(b *broken) {
		s := b.Store
		b.acquire = func(ctx context.Context, name string, ttl time.Duration) (thread.Lease, thread.Head, error) {
			return s.Acquire(context.WithoutCancel(ctx), name, ttl)
		}
	},
	"stops are forgotten": func(b *broken) {
		s := b.Store
		b.stop = func(ctx context.Context, name string) error {
			_, _, err := s.Load(ctx, name, 0)
			return err
		}
	},
	"stops are of ended threads, too": func(b *broken) {
		s := b.Store
		var stopped shared[bool]
		b.stop = func(ctx context.Context, name string) error {
			stopped.set(name, true)
			return s.Stop(ctx, name)
		}
		b.acquire = func(ctx context.Context, name string, ttl time.Duration) (thread.Lease, thread.Head, error) {
			l, h, err := s.Acquire(ctx, name, ttl)
			h.Stop = stopped.get(name)
			return l, h, err
		}
		b.append = func(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
			ack, err := s.Append(ctx, l, h, r)
			ack.Stop = stopped.get(l.Thread)
			return ack, err
		}
	},
	"stops are cleared by pauses": func(b *broken) {
		s := b.Store
		b.append = func(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
			if h.Status == thread.Paused {
				ended := h
				ended.Status = thread.Stopped
				if ack, err := s.Append(ctx, l, ended, r); err != nil {
					return ack, err
				}
				r = nil
			}
			return s.Append(ctx, l, h, r)
		}
	},
	"acknowledged records are lost now and then": func(b *broken) {
		s := b.Store
		var mu sync.Mutex
		n := 0
		b.append = func(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
			mu.Lock()
			n++
			lose := n%5 == 0
			mu.Unlock()
			if lose {
				return s.Renew(ctx, l)
			}
			return s.Append(ctx, l, h, r)
		}
	},
	"large data is refused": func(b *broken) {
		s := b.Store
		b.append = func(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
			if len(r) > 0 && len(r[0].Data) > 1<<20 || len(h.Summary) > 1<<16 {
				return thread.Ack{}, errors.New("too large")
			}
			return s.Append(ctx, l, h, r)
		}
	},
	"logs have ten records": func(b *broken) {
		s := b.Store
		b.load = func(ctx context.Context, name string, at uint64) (thread.Head, []thread.Record, error) {
			h, r, err := s.Load(ctx, name, at)
			return h, r[max(0, len(r)-10):], err
		}
	},
}

// transactBreakages break promises of Transact.
var transactBreakages = map[string]func(*broken){
	"transactions go on after an error": func(b *broken) {
		s := b.Store.(thread.Transactor)
		b.transact = func(ctx context.Context, l thread.Lease, f func(context.Context) (thread.Head, []thread.Record, error)) (thread.Ack, error) {
			var failed error
			ack, err := s.Transact(ctx, l, func(ctx context.Context) (head thread.Head, records []thread.Record, err error) {
				head, records, failed = f(ctx)
				return head, records, nil
			})
			return ack, cmp.Or(failed, err)
		}
	},
	"transactions do not renew the lease": func(b *broken) {
		s := b.Store.(thread.Transactor)
		b.transact = func(ctx context.Context, l thread.Lease, f func(context.Context) (thread.Head, []thread.Record, error)) (thread.Ack, error) {
			_, err := s.Transact(ctx, l, f)
			return thread.Ack{}, err
		}
	},
	"effects are outside of transactions": func(b *broken) {
		m := b.damaged.Memory
		b.effect = func(ctx context.Context) error {
			m.Commit("effect")
			return nil
		}
	},
}

// clockBreakages break promises of leases, with a look at the clock.
var clockBreakages = map[string]func(*broken, *storetest.Clock){
	"no fence": func(b *broken, clock *storetest.Clock) {
		s, last := b.Store, forced(b, clock)
		b.append = func(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
			return s.Append(ctx, last(l), h, r)
		}
		b.renew = func(ctx context.Context, l thread.Lease) (thread.Ack, error) { return s.Renew(ctx, last(l)) }
		b.transact = func(ctx context.Context, l thread.Lease, f func(context.Context) (thread.Head, []thread.Record, error)) (thread.Ack, error) {
			return s.(thread.Transactor).Transact(ctx, last(l), f)
		}
	},
	"leases end with their time": func(b *broken, clock *storetest.Clock) {
		s := b.Store
		b.append = func(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
			if now, _, err := s.Load(ctx, l.Thread, 0); err == nil && !now.Held(clock.Now()) {
				return thread.Ack{}, &thread.LostError{Thread: l.Thread, Token: l.Token}
			}
			return s.Append(ctx, l, h, r)
		}
	},
	"leases are not renewed by appends": func(b *broken, clock *storetest.Clock) {
		s := b.Store
		b.append = func(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
			l.TTL = l.Until.Sub(clock.Now())
			return s.Append(ctx, l, h, r)
		}
	},
	"tokens are those of the clock": func(b *broken, clock *storetest.Clock) {
		s := b.Store
		var tokens shared[uint64]
		b.acquire = func(ctx context.Context, name string, ttl time.Duration) (thread.Lease, thread.Head, error) {
			l, h, err := s.Acquire(ctx, name, ttl)
			tokens.set(name, l.Token)
			l.Token = uint64(clock.Now().UnixMicro())
			return l, h, err
		}
		b.append = func(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
			l.Token = tokens.get(l.Thread)
			return s.Append(ctx, l, h, r)
		}
	},
}
