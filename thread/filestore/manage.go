package filestore

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// brief is the time of the leases that the store takes for itself.
const brief = time.Minute

// Stop implements thread.Store.
func (s *Store) Stop(ctx context.Context, name string) error {
	st, err := s.find(ctx, name)
	if err != nil || st.stop || st.head.Status.Ended() {
		return err
	}
	f, err := s.f.Create(st.dir + "/" + stopName)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), s.f.SyncDir(st.dir))
}

// Copy implements thread.Store. It reads the log once, and has all of it in memory.
func (s *Store) Copy(ctx context.Context, from string, at uint64, head thread.Head) error {
	if err := thread.CheckCopy(at, head); err != nil {
		return err
	}
	st, err := s.find(ctx, from)
	if err != nil {
		return err
	}
	if st.damage != nil && at > st.head.Seq {
		return st.damage
	}
	records, err := st.records(0, at, false)
	_, corrupt := errors.AsType[*thread.CorruptError](err)
	switch {
	case err != nil && !corrupt:
		return err
	case len(records) == 0 || records[len(records)-1].Seq != at || !records[0].Snapshot:
		return cmp.Or(err, error(&thread.NotFoundError{Thread: from, Seq: at}))
	}
	other, err := s.read(head.Thread)
	if err == nil && other.exists() {
		err = &thread.StateError{Thread: head.Thread, Err: thread.ErrExists}
	}
	if err != nil {
		return err
	}
	h, err := s.acquire(ctx, head.Thread, brief)
	if err != nil {
		return err
	}
	if h.head.Seq > 0 {
		return errors.Join(&thread.StateError{Thread: head.Thread, Err: thread.ErrExists}, s.Release(ctx, h.lease))
	}
	h.mu.Lock()
	err = h.fill(head, records)
	h.mu.Unlock()
	if err != nil {
		h.head.Seq = 0
	}
	return errors.Join(err, s.Release(context.WithoutCancel(ctx), h.lease))
}

// fill writes the records of a copy into a segment that counts when all of them are in it, unless the lease was lost meanwhile.
func (h *handle) fill(head thread.Head, records []thread.Record) error {
	seg := id{h.seg.token, h.seg.part + 1}
	f, err := h.s.f.Create(h.dir + "/" + seg.file())
	if err != nil {
		return err
	}
	h.f, h.seg, h.size, h.synced, h.named = f, seg, 0, 0, false
	err = h.write(untilFrame(kindLease, h.lease.Until))
	for size, first := 0, 0; first < len(records) && err == nil; {
		last := first
		for size = 0; last < len(records) && (size == 0 || size < fullSize); last++ {
			size += len(records[last].Data) + 1
		}
		head.Seq = records[last-1].Seq
		err = h.write(appendFrame(h.lease.Until, head, records[first:last]))
		first = last
	}
	if err == nil {
		err = h.write(baseFrame(base{head: thread.Head{Thread: h.lease.Thread}}))
	}
	if err == nil {
		err = h.sync()
	}
	if err == nil {
		_, err = h.confirm(records)
	}
	h.head = head
	return err
}

// Prune implements thread.Store. Records that it removes are gone immediately; their bytes are freed segment by segment, and
// the segment with the first record that is kept remains whole.
func (s *Store) Prune(ctx context.Context, name string, before uint64) (int, error) {
	st, err := s.find(ctx, name)
	if err != nil {
		return 0, err
	}
	records, err := st.records(0, st.head.Seq, false)
	if err != nil {
		return 0, err
	}
	n, first := 0, uint64(0) // the last snapshot at or before the number
	for i, r := range records {
		if r.Snapshot && r.Seq <= before {
			n, first = i, r.Seq
		}
	}
	if n == 0 {
		return 0, nil
	}
	if err := raise(s.f, st.dir, first, floorEnd); err != nil {
		return 0, err
	}
	return n, st.free(first)
}

// free removes the segments that have no record from a number on. The last one is synced before: it may have the
// records of segments that do not count any more.
func (st *state) free(first uint64) error {
	keep := map[id]bool{st.tip.id: true}
	for seg := st.tip; seg.base.prev != (id{}) && seg.base.head.Seq >= first; {
		prev, err := st.previous(seg)
		if err != nil || prev == nil {
			return err
		}
		keep[prev.id] = true
		seg = prev
	}
	f, err := st.s.f.Open(st.dir + "/" + st.tip.file())
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close(), st.s.f.SyncDir(st.dir)); err != nil {
		return err
	}
	for n := len(st.ids) - 1; n >= 0; n-- { // the first one first
		if i := st.ids[n]; i.token < st.tip.token && !keep[i] || i.token == st.tip.token && i.part > 0 && i.part < st.tip.part && !keep[i] {
			if err := st.s.f.Remove(st.dir + "/" + i.file()); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// Delete implements thread.Store.
func (s *Store) Delete(ctx context.Context, name string) error {
	_, err := s.find(ctx, name)
	if _, corrupt := errors.AsType[*thread.CorruptError](err); err != nil && !corrupt {
		return err
	}
	_, err = s.delete(ctx, name, func(*state) bool { return true })
	return err
}

// delete removes a thread that no lease holds, under a condition.
func (s *Store) delete(ctx context.Context, name string, condition func(*state) bool) (bool, error) {
	for {
		st, err := s.settled(ctx, name)
		if err != nil {
			return false, err
		}
		if len(st.ids) == 0 || !condition(st) {
			return false, nil
		}
		h, err := s.fence(st, brief)
		if err != nil {
			return false, err
		}
		if h == nil {
			continue
		}
		if st, err = s.read(name); err != nil || !condition(st) { // as it is after the fence
			h.leave()
			return false, err
		}
		return st.exists(), h.remove()
	}
}

// remove removes the thread of a lease. The thread is gone once that is in the segment of the lease, which is the last file to be removed: where
// another one cannot be, it remains for the next Acquire or Sweep.
func (h *handle) remove() error {
	defer h.close()
	frames := append(newFrame(kindGone, 0).finish(), baseFrame(base{head: thread.Head{Thread: h.lease.Thread}})...)
	if err := h.write(frames); err != nil {
		return err
	}
	if err := h.sync(); err != nil {
		return err
	}
	if err := raise(h.s.f, h.s.dir+"/"+tokensName, h.lease.Token, tokenEnd); err != nil {
		return err
	}
	names, err := h.s.f.ReadDir(h.dir)
	if err != nil {
		return err
	}
	ids := segments(names)
	slices.Reverse(ids) // the first one first
	for _, i := range ids {
		if i.compare(h.seg) < 0 && h.unlink(i.file()) != nil {
			return nil
		}
	}
	for _, name := range names {
		if _, segment := parseID(name); !segment && h.unlink(name) != nil {
			return nil
		}
	}
	if h.unlink(h.seg.file()) == nil {
		_ = h.s.f.Remove(h.dir) // not if another process has a segment there
	}
	return nil
}

// Sweep implements thread.Store. It leaves out threads that are damaged.
func (s *Store) Sweep(ctx context.Context) (int, error) {
	names, err := s.names()
	if err != nil {
		return 0, err
	}
	n := 0
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		deleted, err := s.delete(ctx, name, func(st *state) bool {
			return st.damage == nil && (st.head.Seq == 0 || !st.head.Expires.IsZero() && !st.head.Expires.After(s.now()))
		})
		if deleted {
			n++
		}
		if _, held := errors.AsType[*thread.HeldError](err); err != nil && !held {
			return n, err
		}
	}
	return n, nil
}
