package filestore

import (
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// A handle writes under a lease.
type handle struct {
	s     *Store
	dir   string
	lease thread.Lease

	mu     sync.Mutex
	first  file // of the lease; its lock shows that the process is alive
	f      file // the segment that is written to
	seg    id
	size   uint64 // of its frames
	synced uint64 // how many of its bytes are synced, to the end of a frame
	named  bool   // the name of the segment is synced
	broken bool   // a write to the segment had an error: what is after synced does not count
	ended  bool   // the lease
	head   thread.Head
	stop   bool   // a stop was requested when the lease began
	last   spot   // of the last append of the segment
	rests  []id   // segments whose records the segment has, too
	marks  []mark // of the thread
}

// A segment is followed by another one when it has so many bytes, and before a snapshot when it has so many.
const (
	fullSize     = 1 << 20
	snapshotSize = 64 << 10
)

func (h *handle) close() {
	h.ended = true
	_ = h.f.Close()
	if h.first != h.f {
		_ = h.first.Close()
	}
}

// A view is what a holder sees in the folder of its thread.
type view struct{ lost, stop bool }

// look reads the folder. The thread is lost if another lease followed, or if it was deleted. That is right for all that
// was written before the call: a process that acquires a thread creates a segment before it reads the segments of others.
func (h *handle) look() (view, error) {
	names, err := h.s.f.ReadDir(h.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return view{lost: true}, nil
	}
	ids := segments(names)
	lost := len(ids) > 0 && ids[0].token > h.lease.Token || !slices.Contains(ids, h.seg)
	return view{lost, slices.Contains(names, stopName)}, err
}

// check returns an error when the lease is lost.
func (h *handle) check() (view, error) {
	lost := error(&thread.LostError{Thread: h.lease.Thread, Token: h.lease.Token})
	if h.ended {
		return view{}, lost
	}
	seen, err := h.look()
	if err == nil && seen.lost {
		h.close()
		return view{}, lost
	}
	return seen, err
}

// write adds a frame to the segment.
func (h *handle) write(frame []byte) error {
	_, err := h.f.WriteAt(frame, int64(h.size))
	if err != nil {
		h.broken = true
		return err
	}
	h.size += uint64(len(frame))
	return nil
}

// syncFile makes what is in the segment durable. Every frame is synced before the next one is written, so that bytes
// before a whole frame can only be wrong if they have changed.
func (h *handle) syncFile() error {
	if err := h.f.Sync(); err != nil {
		h.broken = true
		return err
	}
	h.synced = h.size
	return nil
}

// sync makes the name of the segment durable, and what is in it.
func (h *handle) sync() error {
	fresh := !h.named
	if fresh {
		if err := errors.Join(h.s.f.SyncDir(h.dir), h.s.f.SyncDir(h.s.dir)); err != nil {
			h.broken = true
			return err
		}
		h.named = true
	}
	if err := h.syncFile(); err != nil {
		return err
	}
	if fresh {
		h.note()
	}
	for _, i := range h.rests {
		_ = h.s.f.Remove(h.dir + "/" + i.file())
	}
	h.rests = nil
	return nil
}

// note makes the mark of the segment, instead of the earlier ones. It is not synced: without it, less damage is found.
func (h *handle) note() {
	m := mark{h.seg, h.synced}
	if !h.named || slices.Contains(h.marks, m) {
		return
	}
	f, err := h.s.f.Create(h.dir + "/" + m.file())
	if err != nil {
		return
	}
	_ = f.Close()
	for _, old := range h.marks {
		_ = h.s.f.Remove(h.dir + "/" + old.file())
	}
	h.marks = []mark{m}
}

// rotate continues in another segment. After an error, the bytes after the last sync are left out: whether they are on the
// disk is unknown, also when another sync of the same file succeeds.
func (h *handle) rotate(until time.Time) error {
	next := h.seg
	var f file
	for {
		next.part++
		made, err := h.s.f.Create(h.dir + "/" + next.file())
		if err == nil {
			f = made
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	frames := append(untilFrame(kindLease, until), baseFrame(base{prev: h.seg, cut: h.synced, head: h.head})...)
	_, err := f.WriteAt(frames, 0)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Close(), h.unlink(next.file()))
	}
	if h.f != h.first {
		_ = h.f.Close()
	}
	h.f, h.seg, h.size, h.synced = f, next, uint64(len(frames)), uint64(len(frames))
	h.named, h.broken, h.last = false, false, spot{}
	return nil
}

// append is Append with arguments that were checked. The handle is locked.
func (h *handle) append(head thread.Head, records []thread.Record) (thread.Ack, error) {
	if _, err := h.check(); err != nil {
		return thread.Ack{}, err
	}
	until := thread.Moment(h.s.now().Add(h.lease.TTL))
	if first := head.Seq - uint64(len(records)) + 1; first != h.head.Seq+1 {
		if repeated, err := h.repeats(records); !repeated || err != nil {
			return thread.Ack{}, errors.Join(err, &thread.SeqError{Thread: h.lease.Thread, Last: h.head.Seq, First: first})
		}
		return h.renew(until)
	}
	if h.head.Seq > 0 {
		head.Created = h.head.Created
	}
	if h.head.Status.Ended() {
		if err := h.clear(); err != nil {
			return thread.Ack{}, err
		}
	}
	full := h.size > fullSize || h.size > snapshotSize && len(records) > 0 && records[0].Snapshot
	if h.broken || full {
		if err := h.rotate(until); err != nil {
			return thread.Ack{}, err
		}
	}
	off := h.size
	frame := appendFrame(until, head, records)
	if err := h.write(frame); err != nil {
		return thread.Ack{}, err
	}
	if err := h.sync(); err != nil {
		return thread.Ack{}, err
	}
	seen, err := h.confirm(records)
	if err != nil {
		h.synced, h.broken = off, true // the call may be repeated
		return thread.Ack{}, err
	}
	head.Summary = append([]byte(nil), head.Summary...)
	h.head, h.last = head, spot{off: off, end: h.size}
	if head.Status.Ended() {
		if err := h.clear(); err != nil {
			return thread.Ack{}, err
		}
	}
	return h.ack(until, seen), nil
}

// confirm finds out whether records that were written are in the thread: another process may have acquired it meanwhile.
func (h *handle) confirm(records []thread.Record) (view, error) {
	seen, err := h.look()
	if err != nil || !seen.lost {
		return seen, err
	}
	h.close()
	var st *state
	for wait := 0; ; wait++ {
		if st, err = h.s.read(h.lease.Thread); err != nil {
			return view{}, err
		}
		if st.tip == nil || st.tip.token != h.lease.Token {
			break
		}
		if wait == tries {
			return view{}, errors.New("filestore: another process acquires the thread; whether it has the records is open")
		}
		h.s.pause()
	}
	if len(records) > 0 {
		first, last := records[0].Seq, records[len(records)-1].Seq
		if stored, err := st.records(first-1, last, false); err == nil && thread.Same(stored, records) {
			return seen, nil
		}
	}
	return view{}, &thread.LostError{Thread: h.lease.Thread, Token: h.lease.Token}
}

// repeats reports whether records equal the records of the last append.
func (h *handle) repeats(records []thread.Record) (bool, error) {
	if h.last.end == 0 || len(records) == 0 {
		return false, nil
	}
	data, err := h.s.f.ReadFile(h.dir + "/" + h.seg.file())
	if err != nil || uint64(len(data)) < h.last.end {
		return false, err
	}
	payload, ok := frameAt(data[h.last.off:])
	return ok && thread.Same(spot{payload: payload}.entry().records, records), nil
}

// renew makes the lease last until a time.
func (h *handle) renew(until time.Time) (thread.Ack, error) {
	if h.broken {
		if err := h.rotate(until); err != nil {
			return thread.Ack{}, err
		}
	} else if err := h.write(untilFrame(kindRenew, until)); err != nil {
		return thread.Ack{}, err
	} else if err := h.syncFile(); err != nil {
		return thread.Ack{}, err
	}
	seen, err := h.check()
	return h.ack(until, seen), err
}

// ack returns the answer to the holder.
func (h *handle) ack(until time.Time, seen view) thread.Ack {
	return thread.Ack{Until: until, Stop: seen.stop && h.head.Seq > 0 && !h.head.Status.Ended()}
}

// clear removes the request to stop.
func (h *handle) clear() error { return h.unlink(stopName) }

// unlink removes a file of the thread, if there is one.
func (h *handle) unlink(name string) error {
	if err := h.s.f.Remove(h.dir + "/" + name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
