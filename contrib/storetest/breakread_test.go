package storetest_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// loadsFit is the clause in which each load has an append at its side.
const loadsFit = "TestBroken/concurrent/loads_fit_together_while_a_thread_runs"

// readBreakages break promises of reading.
var readBreakages = map[string]func(*broken){
	"no end of leases in answers": func(b *broken) {
		s := b.Store
		b.append = func(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
			ack, err := s.Append(ctx, l, h, r)
			ack.Until = time.Time{}
			return ack, err
		}
	},
	"data ends at the byte 0":       records(func(r *thread.Record) { r.Data, _, _ = bytes.Cut(r.Data, []byte{0}) }),
	"data ends at 1,000 bytes":      records(func(r *thread.Record) { r.Data = r.Data[:min(len(r.Data), 1000)] }),
	"all records are snapshots":     records(func(r *thread.Record) { r.Snapshot = true }),
	"times have milliseconds":       records(func(r *thread.Record) { r.Time = r.Time.Truncate(time.Millisecond) }),
	"times are of a zone":           records(func(r *thread.Record) { r.Time = r.Time.In(time.FixedZone("x", 3600)) }),
	"zero times are those of Unix":  records(func(r *thread.Record) { r.Time = cmp.Or(r.Time, time.Unix(0, 0).UTC()) }),
	"numbers are one more":          records(func(r *thread.Record) { r.Seq++ }),
	"no shape":                      heads(func(h *thread.Head) { h.Shape = "" }),
	"no summary":                    heads(func(h *thread.Head) { h.Summary = nil }),
	"no expiry":                     heads(func(h *thread.Head) { h.Expires = time.Time{} }),
	"no stop":                       heads(func(h *thread.Head) { h.Stop = false }),
	"always running":                heads(func(h *thread.Head) { h.Status = thread.Running }),
	"no number of the head":         heads(func(h *thread.Head) { h.Seq = 0 }),
	"no end of the lease in heads":  heads(func(h *thread.Head) { h.Until = time.Time{} }),
	"no name in heads":              heads(func(h *thread.Head) { h.Thread = "" }),
	"always expiring":               heads(func(h *thread.Head) { h.Expires = cmp.Or(h.Expires, time.Unix(1, 0)) }),
	"names without case":            names(strings.ToLower),
	"names end at a separator":      names(func(n string) string { n, _, _ = strings.Cut(n, "/"); return cmp.Or(n, "/") }),
	"names have colons for slashes": names(func(n string) string { return strings.ReplaceAll(n, "/", ":") }),
	"names have 20 bytes":           names(func(n string) string { return n[:min(len(n), 20)] }),
	"no selection by graph":         filters(func(f *thread.Filter) { f.Graph = "" }),
	"no selection by status":        filters(func(f *thread.Filter) { f.Status = nil }),
	"selection by one status":       filters(func(f *thread.Filter) { f.Status = f.Status[:min(1, len(f.Status))] }),
	"no selection by prefix":        filters(func(f *thread.Filter) { f.Prefix = "" }),
	"no selection by lease":         filters(func(f *thread.Filter) { f.Unleased = false }),
	"no beginning of pages":         filters(func(f *thread.Filter) { f.After = "" }),
	"no end of pages":               filters(func(f *thread.Filter) { f.Limit = 0 }),
	"pages of one":                  filters(func(f *thread.Filter) { f.Limit = 1 }),
	"no error NotFound":             instead[*thread.NotFoundError](errors.New("not found")),
	"no error at all for NotFound":  instead[*thread.NotFoundError](nil),
	"no error Held":                 instead[*thread.HeldError](nil),
	"no error Lost":                 instead[*thread.LostError](nil),
	"no error Seq":                  instead[*thread.SeqError](nil),
	"no error Exists":               instead[*thread.StateError](nil),
	"no reason Exists":              instead[*thread.StateError](&thread.StateError{Thread: "b", Err: errors.New("exists")}),
	"no error Invalid":              instead[*thread.InvalidError](nil),
	"lists in another order": func(b *broken) {
		s := b.Store
		b.list = func(ctx context.Context, f thread.Filter) ([]thread.Head, error) {
			heads, err := s.List(ctx, f)
			slices.Reverse(heads)
			return heads, err
		}
	},
	"lists have no threads": func(b *broken) {
		b.list = func(context.Context, thread.Filter) ([]thread.Head, error) { return nil, nil }
	},
	"lists have one thread more": func(b *broken) {
		s := b.Store
		b.list = func(ctx context.Context, f thread.Filter) ([]thread.Head, error) {
			heads, err := s.List(ctx, f)
			return append(heads, thread.Head{Thread: "zz"}), err
		}
	},
	"loads begin at the first record": func(b *broken) {
		s := b.Store
		b.load = func(ctx context.Context, name string, at uint64) (thread.Head, []thread.Record, error) {
			h, r, err := s.Load(ctx, name, at)
			if err == nil {
				r, err = s.History(ctx, name, 0, int(r[len(r)-1].Seq))
			}
			return h, r, err
		}
	},
	"loads have all records": func(b *broken) {
		s := b.Store
		b.load = func(ctx context.Context, name string, at uint64) (thread.Head, []thread.Record, error) {
			return s.Load(ctx, name, 0)
		}
	},
	"loads are made of two reads": func(b *broken) {
		s := b.Store
		between := func() {}
		b.load = func(ctx context.Context, name string, at uint64) (thread.Head, []thread.Record, error) {
			h, _, err := s.Load(ctx, name, at)
			if err != nil {
				return h, nil, err
			}
			between()
			_, r, err := s.Load(ctx, name, at)
			return h, r, err
		}
		if b.clause != loadsFit {
			return
		}
		reads, writes := make(chan struct{}), make(chan struct{})
		between = func() {
			reads <- struct{}{}
			<-writes
		}
		b.append = func(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
			if r[0].Seq > 1 { // a load begins with each of these
				<-reads
				defer func() { writes <- struct{}{} }()
			}
			return s.Append(ctx, l, h, r)
		}
	},
	"histories have no limit": func(b *broken) {
		s := b.Store
		b.history = func(ctx context.Context, name string, after uint64, _ int) ([]thread.Record, error) {
			return s.History(ctx, name, after, 0)
		}
	},
	"histories begin at the first record": func(b *broken) {
		s := b.Store
		b.history = func(ctx context.Context, name string, _ uint64, limit int) ([]thread.Record, error) {
			return s.History(ctx, name, 0, limit)
		}
	},
	"histories have the last record first": func(b *broken) {
		s := b.Store
		b.history = func(ctx context.Context, name string, after uint64, limit int) ([]thread.Record, error) {
			r, err := s.History(ctx, name, after, limit)
			slices.Reverse(r)
			return r, err
		}
	},
	"histories lose the last record": func(b *broken) {
		s := b.Store
		b.history = func(ctx context.Context, name string, after uint64, limit int) ([]thread.Record, error) {
			r, err := s.History(ctx, name, after, limit)
			return r[:max(0, len(r)-1)], err
		}
	},
}
