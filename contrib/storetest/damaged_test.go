package storetest_test

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/graphgen/graphgen/internal/testing/mortal"
	"github.com/graphgen/graphgen/thread"
)

// A damaged store is one in memory whose threads lose records.
type damaged struct {
	*mortal.Memory
	name  string // of the thread that is damaged
	lost  map[uint64]bool
	moved uint64 // where its head is; 0: where it was
	blind bool   // no damage is found
}

func (d *damaged) remove(name string, from, through uint64) {
	d.name, d.lost = name, map[uint64]bool{}
	for seq := from; seq <= through; seq++ {
		d.lost[seq] = true
	}
}

func (d *damaged) moveHead(name string, seq uint64) { d.name, d.moved = name, seq }

func (d *damaged) is(name string) bool { return name != "" && name == d.name }

// left returns the head of the damaged thread, and what is left of its log.
func (d *damaged) left() (thread.Head, []thread.Record, thread.Span, error) {
	h, _, err := d.Memory.Load(context.Background(), d.name, 0)
	if err != nil {
		return h, nil, thread.Span{}, err
	}
	h.Seq = cmp.Or(d.moved, h.Seq)
	records, err := d.Memory.History(context.Background(), d.name, 0, 0)
	records = slices.DeleteFunc(records, func(r thread.Record) bool { return d.lost[r.Seq] })
	if d.blind || len(records) == 0 {
		return h, records, thread.Span{}, err
	}
	return h, records, thread.Span{First: records[0].Seq, Last: records[len(records)-1].Seq}, err
}

func (d *damaged) Acquire(ctx context.Context, name string, ttl time.Duration) (thread.Lease, thread.Head, error) {
	if d.is(name) && !d.blind {
		h, _, span, err := d.left()
		if err := cmp.Or(err, span.CheckHead(&h)); err != nil {
			return thread.Lease{}, thread.Head{}, err
		}
	}
	return d.Memory.Acquire(ctx, name, ttl)
}

func (d *damaged) Load(ctx context.Context, name string, at uint64) (thread.Head, []thread.Record, error) {
	if !d.is(name) {
		return d.Memory.Load(ctx, name, at)
	}
	h, records, span, err := d.left()
	if err != nil {
		return h, nil, err
	}
	records = slices.DeleteFunc(records, func(r thread.Record) bool { return r.Seq > cmp.Or(at, h.Seq) })
	for i, r := range slices.Backward(records) {
		if r.Snapshot || i == 0 {
			records = records[i:]
			break
		}
	}
	if d.blind {
		return h, records, nil
	}
	return h, records, span.CheckLoad(&h, at, records)
}

func (d *damaged) History(ctx context.Context, name string, after uint64, limit int) ([]thread.Record, error) {
	if !d.is(name) {
		return d.Memory.History(ctx, name, after, limit)
	}
	h, records, span, err := d.left()
	if err != nil {
		return nil, err
	}
	records = slices.DeleteFunc(records, func(r thread.Record) bool { return r.Seq <= after })
	if limit > 0 {
		records = records[:min(limit, len(records))]
	}
	if d.blind {
		return records, nil
	}
	return records, span.CheckHistory(&h, after, limit, records)
}

func (d *damaged) Copy(ctx context.Context, from string, at uint64, head thread.Head) error {
	if d.is(from) && !d.blind {
		h, records, span, err := d.left()
		if err != nil {
			return err
		}
		records = slices.DeleteFunc(records, func(r thread.Record) bool { return r.Seq > at })
		if err := span.CheckCopy(&h, at, int64(len(records))); err != nil {
			return err
		}
	}
	return d.Memory.Copy(ctx, from, at, head)
}

func (d *damaged) Delete(ctx context.Context, name string) error {
	err := d.Memory.Delete(ctx, name)
	if err == nil && name == d.name {
		d.name = ""
	}
	return err
}

// damageBreakages break promises about damage.
var damageBreakages = map[string]func(*broken){
	"no damage is found": func(b *broken) { b.damaged.blind = true },
	"damage is found by readers alone": func(b *broken) {
		b.acquire = b.damaged.Memory.Acquire
	},
	"the last records are not missed by History": func(b *broken) {
		b.history = func(ctx context.Context, name string, after uint64, limit int) ([]thread.Record, error) {
			records, err := b.damaged.History(ctx, name, after, limit)
			if len(records) > 0 {
				err = nil
			}
			return records, err
		}
	},
	"a thread that is damaged is not deleted": func(b *broken) {
		b.delete = func(ctx context.Context, name string) error {
			if name == b.damaged.name {
				return &thread.CorruptError{Thread: name}
			}
			return b.damaged.Delete(ctx, name)
		}
	},
}
