package filestore

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// A key names a lease in this process.
type key struct {
	thread string
	token  uint64
}

// smallSize is how many bytes of records a segment copies of the one before it, so that threads with many short leases
// do not have a segment for each.
const smallSize = 16 << 10

// Acquire implements thread.Store.
func (s *Store) Acquire(ctx context.Context, name string, ttl time.Duration) (thread.Lease, thread.Head, error) {
	h, err := s.acquire(ctx, name, ttl)
	if err != nil {
		return thread.Lease{}, thread.Head{}, err
	}
	head := h.head
	head.Stop, head.Until = h.ack(h.lease.Until, view{stop: h.stop}).Stop, h.lease.Until
	head.Summary = append([]byte(nil), head.Summary...)
	return h.lease, head, nil
}

// settled reads the folder of a thread that no lease holds. It waits a moment for a process that is acquiring it.
func (s *Store) settled(ctx context.Context, name string) (*state, error) {
	for wait := 0; ; wait++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		st, err := s.read(name)
		switch {
		case err != nil:
			return nil, err
		case st.held():
			return nil, &thread.HeldError{Thread: name, Until: st.until}
		case !st.pending || wait == tries: // that process has ended
			return st, nil
		}
		s.pause()
	}
}

func (s *Store) acquire(ctx context.Context, name string, ttl time.Duration) (*handle, error) {
	if err := cmp.Or(thread.CheckName(name), thread.CheckTTL(name, ttl)); err != nil {
		return nil, err
	}
	for {
		st, err := s.settled(ctx, name)
		if err != nil {
			return nil, err
		}
		h, err := s.fence(st, ttl)
		if err != nil {
			return nil, err
		}
		if h == nil { // another process was first
			continue
		}
		if st, err = s.read(name); err == nil && st.damage != nil {
			err = st.damage
		}
		if err == nil {
			err = h.begin(st)
		}
		if err != nil {
			h.leave()
			return nil, err
		}
		s.mu.Lock()
		s.leases[key{name, h.lease.Token}] = h
		s.mu.Unlock()
		return h, nil
	}
}

// fence creates the first segment of a lease. From here on, no process can write under a lease before it. It returns nil
// if another process has created one.
func (s *Store) fence(st *state, ttl time.Duration) (*handle, error) {
	token := st.last().token + 1
	if len(st.ids) == 0 {
		names, err := s.f.ReadDir(s.dir + "/" + tokensName)
		if err != nil {
			return nil, err
		}
		token = highest(names, tokenEnd) + 1
		if err := s.f.Mkdir(st.dir); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	until := thread.Moment(s.now().Add(ttl))
	h := &handle{s: s, dir: st.dir, seg: id{token, 0}, lease: thread.Lease{Thread: st.thread, Token: token, TTL: ttl, Until: until}}
	f, err := s.f.Create(st.dir + "/" + h.seg.file())
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	h.f, h.first = f, f
	for try := 0; f.Lock() != nil && try < tries; try++ {
		s.pause()
	}
	if err := h.write(untilFrame(kindLease, until)); err != nil {
		h.leave()
		return nil, err
	}
	names, err := s.f.ReadDir(st.dir)
	if err != nil {
		h.leave()
		return nil, err
	}
	for _, i := range segments(names) {
		if i != h.seg && (i.compare(h.seg) > 0 || i.token > st.last().token) {
			h.leave()
			return nil, nil
		}
	}
	return h, nil
}

// leave gives up a lease that has written nothing.
func (h *handle) leave() {
	h.close()
	_ = h.s.f.Remove(h.dir + "/" + h.seg.file())
}

// begin lets the segment continue from the one before it, as it is after the fence. The last append of the earlier segment may
// not be durable, so it is written again, and all of them are if they are small. An append that is followed by another one, by a
// renewal or by a release is durable. The base is the last frame: without it, the segment does not count.
func (h *handle) begin(st *state) error {
	b := base{head: thread.Head{Thread: h.lease.Thread}}
	h.head, h.stop, h.marks = st.head, st.stop, st.marks
	h.head.Stop, h.head.Until = false, time.Time{}
	var again []spot
	if tip := st.tip; tip != nil && !tip.gone {
		again = tip.spots
		n := len(again)
		size := uint64(0)
		for _, s := range again {
			size += s.end - s.off
		}
		b = *tip.base
		if size <= smallSize {
			h.rests = append(h.rests, tip.id)
		} else {
			kept := n
			if tip.last == kindAppend {
				kept--
			}
			if kept > 0 {
				b = base{prev: tip.id, cut: max(again[kept-1].end, tip.begun), head: again[kept-1].entry().head}
			}
			again = again[kept:]
		}
	} else if err := h.clean(st); err != nil {
		return err
	}
	var frames []byte
	for _, s := range again {
		e := s.entry()
		frames = append(frames, appendFrame(h.lease.Until, e.head, e.records)...)
	}
	if err := h.write(append(frames, baseFrame(b)...)); err != nil {
		return err
	}
	return h.syncFile()
}

// clean removes what a thread that is gone has left in the folder of a new one: the request to stop, and which records were pruned.
func (h *handle) clean(st *state) error {
	if !st.stop && st.floor == 0 {
		return nil
	}
	names, err := h.s.f.ReadDir(h.dir)
	for _, name := range names {
		if name == stopName || strings.HasSuffix(name, floorEnd) {
			err = errors.Join(err, h.unlink(name))
		}
	}
	return err
}

// handle returns the handle of a lease.
func (s *Store) handle(lease thread.Lease) (*handle, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.leases[key{lease.Thread, lease.Token}]
	if h == nil {
		return nil, &thread.LostError{Thread: lease.Thread, Token: lease.Token}
	}
	return h, nil
}

// forget removes the handle of a lease that has ended. The handle is locked.
func (s *Store) forget(h *handle) {
	if h.ended {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.leases, key{h.lease.Thread, h.lease.Token})
	}
}

// Renew implements thread.Store.
func (s *Store) Renew(ctx context.Context, lease thread.Lease) (thread.Ack, error) {
	h, err := s.handle(lease)
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return thread.Ack{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	defer s.forget(h)
	if _, err := h.check(); err != nil {
		return thread.Ack{}, err
	}
	return h.renew(thread.Moment(s.now().Add(lease.TTL)))
}

// Append implements thread.Store. When it returns without an error, the records are synced to the disk.
func (s *Store) Append(ctx context.Context, lease thread.Lease, head thread.Head, records []thread.Record) (thread.Ack, error) {
	h, err := s.handle(lease)
	if err := cmp.Or(thread.CheckAppend(lease, head, records), ctx.Err(), err); err != nil {
		return thread.Ack{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	defer s.forget(h)
	return h.append(head, records)
}

// Release implements thread.Store.
func (s *Store) Release(_ context.Context, lease thread.Lease) error {
	h, err := s.handle(lease)
	if err != nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	defer s.forget(h)
	if _, err := h.check(); err != nil {
		if _, lost := errors.AsType[*thread.LostError](err); lost {
			return nil
		}
		h.close()
		return err
	}
	if h.head.Seq == 0 {
		return h.remove()
	}
	if h.broken {
		err = h.rotate(time.Time{})
	}
	if err == nil {
		err = h.write(newFrame(kindRelease, 0).finish())
		h.note()
	}
	h.close()
	return err
}
