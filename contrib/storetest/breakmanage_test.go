package storetest_test

import (
	"context"
	"errors"
	"slices"

	"github.com/graphgen/graphgen/thread"
)

// manageBreakages break promises of Copy, Prune, Delete and Sweep.
var manageBreakages = map[string]func(*broken){
	"copies have the last record": func(b *broken) {
		s := b.Store
		b.copy = func(ctx context.Context, from string, at uint64, h thread.Head) error {
			if head, _, err := s.Load(ctx, from, 0); err == nil {
				at = head.Seq
				h.Seq = at
			}
			return s.Copy(ctx, from, at, h)
		}
	},
	"copies begin at the last snapshot": func(b *broken) {
		s := b.Store
		b.copy = func(ctx context.Context, from string, at uint64, h thread.Head) error {
			err := s.Copy(ctx, from, at, h)
			if err == nil {
				_, err = s.Prune(ctx, h.Thread, at)
			}
			return err
		}
	},
	"copies have the head of the thread": func(b *broken) {
		s := b.Store
		b.copy = func(ctx context.Context, from string, at uint64, h thread.Head) error {
			if head, _, err := s.Load(ctx, from, 0); err == nil {
				head.Thread, head.Seq = h.Thread, h.Seq
				h = head
			}
			return s.Copy(ctx, from, at, h)
		}
	},
	"copies are stopped": func(b *broken) {
		s := b.Store
		b.copy = func(ctx context.Context, from string, at uint64, h thread.Head) error {
			return errors.Join(s.Copy(ctx, from, at, h), s.Stop(ctx, h.Thread))
		}
	},
	"copies replace other threads": func(b *broken) {
		s := b.Store
		b.copy = func(ctx context.Context, from string, at uint64, h thread.Head) error {
			if from != h.Thread {
				_ = s.Delete(ctx, h.Thread)
			}
			return s.Copy(ctx, from, at, h)
		}
	},
	"copies move the thread": func(b *broken) {
		s := b.Store
		b.copy = func(ctx context.Context, from string, at uint64, h thread.Head) error {
			err := s.Copy(ctx, from, at, h)
			_ = s.Delete(ctx, from)
			return err
		}
	},
	"copies do nothing": func(b *broken) {
		b.copy = func(context.Context, string, uint64, thread.Head) error { return nil }
	},
	"pruning removes nothing": func(b *broken) {
		b.prune = func(context.Context, string, uint64) (int, error) { return 0, nil }
	},
	"pruning removes all but the last snapshot": func(b *broken) {
		s := b.Store
		b.prune = func(ctx context.Context, name string, _ uint64) (int, error) { return s.Prune(ctx, name, 1<<50) }
	},
	"pruning returns nothing": func(b *broken) {
		s := b.Store
		b.prune = func(ctx context.Context, name string, before uint64) (int, error) {
			_, err := s.Prune(ctx, name, before)
			return 0, err
		}
	},
	"pruning reaches all threads": func(b *broken) {
		s := b.Store
		b.prune = func(ctx context.Context, name string, before uint64) (int, error) {
			heads, _ := s.List(ctx, thread.Filter{})
			for _, h := range heads {
				if h.Thread != name {
					_, _ = s.Prune(ctx, h.Thread, before)
				}
			}
			return s.Prune(ctx, name, before)
		}
	},
	"pruning hides records from histories": func(b *broken) {
		s := b.Store
		var floor shared[uint64]
		b.prune = func(ctx context.Context, name string, before uint64) (int, error) {
			n, err := s.Prune(ctx, name, before)
			floor.set(name, before)
			return n, err
		}
		b.load = func(ctx context.Context, name string, at uint64) (thread.Head, []thread.Record, error) {
			h, r, err := s.Load(ctx, name, at)
			return h, slices.DeleteFunc(r, func(r thread.Record) bool { return r.Seq < floor.get(name) && r.Seq < h.Seq }), err
		}
	},
	"deleting does nothing": func(b *broken) {
		s := b.Store
		b.delete = func(ctx context.Context, name string) error {
			_, _, err := s.Load(ctx, name, 0)
			return err
		}
	},
	"deleting removes threads with a common prefix": func(b *broken) {
		s := b.Store
		b.delete = func(ctx context.Context, name string) error {
			heads, _ := s.List(ctx, thread.Filter{Prefix: name + "/"})
			for _, h := range heads {
				_ = s.Delete(ctx, h.Thread)
			}
			return s.Delete(ctx, name)
		}
	},
	"sweeping does nothing": func(b *broken) {
		b.sweep = func(context.Context) (int, error) { return 0, nil }
	},
	"sweeping removes all threads": func(b *broken) {
		s := b.Store
		b.sweep = func(ctx context.Context) (int, error) {
			heads, _ := s.List(ctx, thread.Filter{})
			for _, h := range heads {
				_ = s.Delete(ctx, h.Thread)
			}
			return len(heads), nil
		}
	},
	"sweeping counts one more": func(b *broken) {
		s := b.Store
		b.sweep = func(ctx context.Context) (int, error) {
			n, err := s.Sweep(ctx)
			return n + 1, err
		}
	},
}
