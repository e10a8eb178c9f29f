package filestore

import (
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// A state is what the folder of a thread has.
type state struct {
	s      *Store
	dir    string
	thread string
	ids    []id // all segments, the last one first
	marks  []mark
	floor  uint64
	stop   bool

	pending bool      // the last lease has no frame yet: its process is about to write one, or ended
	until   time.Time // the end of the lease
	tip     *segment  // the last segment that counts; nil: no segment counts
	head    thread.Head
	damage  *thread.CorruptError // of the tip
}

// last returns the last segment.
func (st *state) last() id {
	if len(st.ids) == 0 {
		return id{}
	}
	return st.ids[0]
}

// exists reports whether the thread has records.
func (st *state) exists() bool { return st.head.Seq > 0 }

// held reports whether a lease holds the thread.
func (st *state) held() bool { return st.until.After(st.s.now()) }

// tries is how often a folder is read again that changes while it is read.
const tries = 100

// read reads the folder of a thread. A folder that is missing is an empty state.
func (s *Store) read(name string) (*state, error) {
	var before mark
	for try := 0; ; try++ {
		st, err := s.readOnce(name)
		if err == nil && st.isCut() && st.marks[0] != before && try < tries { // its segment may have been made while the names were read
			before = st.marks[0]
			continue
		}
		if err == nil || !errors.Is(err, fs.ErrNotExist) || try == tries {
			return st, err
		}
	}
}

func (s *Store) readOnce(name string) (*state, error) {
	st := &state{s: s, dir: s.dir + "/" + folder(name), thread: name, head: thread.Head{Thread: name}}
	names, err := s.f.ReadDir(st.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return st, nil
	}
	if err != nil {
		return nil, err
	}
	st.ids, st.marks = segments(names), marks(names)
	st.floor, st.stop = highest(names, floorEnd), slices.Contains(names, stopName)
	for n, i := range st.ids {
		seg, err := s.segment(st.dir, i, 0)
		if err != nil {
			return nil, err
		}
		if n == 0 || st.pending && seg.leased && i.token == st.last().token { // the lease lasts while its next segment has no bytes
			st.pending, st.until = !seg.leased, seg.until
		}
		if seg.damage != "" && st.damage == nil {
			st.damage = &thread.CorruptError{Thread: name, Where: st.dir + "/" + i.file() + ": " + seg.damage}
		}
		if seg.base != nil {
			st.tip = seg
			break
		}
	}
	if st.tip != nil && !st.tip.gone {
		st.head = st.tip.head()
	}
	if st.damage == nil && st.isCut() {
		m := st.marks[0]
		st.damage = &thread.CorruptError{Thread: name,
			Where: st.dir + "/" + m.id.file() + ": of its first " + strconv.FormatUint(m.size, 10) + " bytes, some are missing"}
	}
	if st.damage != nil {
		st.damage.Good = st.head.Seq
	}
	if st.held() && s.left(st.dir, st.last()) {
		st.until = time.Time{}
	}
	st.head.Stop, st.head.Until = st.stop && st.exists() && !st.head.Status.Ended(), st.until
	return st, nil
}

// isCut reports whether bytes are missing that were synced.
func (st *state) isCut() bool {
	if len(st.marks) == 0 {
		return false
	}
	m := st.marks[0]
	return st.tip == nil || st.tip.compare(m.id) < 0 || st.tip.id == m.id && st.tip.end < m.size
}

// segment reads a file.
func (s *Store) segment(dir string, i id, limit uint64) (*segment, error) {
	data, err := s.f.ReadFile(dir + "/" + i.file())
	if err != nil {
		return nil, err
	}
	return parse(i, data, limit), nil
}

// left reports whether the process that wrote a segment has ended.
func (s *Store) left(dir string, i id) bool {
	f, err := s.f.Open(dir + "/" + id{i.token, 0}.file())
	if err != nil {
		return false
	}
	defer f.Close()
	return f.Left()
}

// previous returns the segment before another one, or nil if it is the first, or if the one before has only records that were pruned.
func (st *state) previous(seg *segment) (*segment, error) {
	if seg.base == nil || seg.base.prev == (id{}) || seg.base.head.Seq < st.floor {
		return nil, nil
	}
	prev, err := st.s.segment(st.dir, seg.base.prev, seg.base.cut)
	if err != nil {
		return nil, err
	}
	where := st.dir + "/" + prev.file() + ": "
	switch {
	case prev.base == nil && prev.damage == "":
		prev.damage = "it has no beginning"
		fallthrough
	case prev.base == nil:
		return nil, &thread.CorruptError{Thread: st.thread, Where: where + prev.damage}
	case prev.damage != "":
		return prev, &thread.CorruptError{Thread: st.thread, Good: prev.head().Seq, Where: where + prev.damage}
	}
	return prev, nil
}

// back calls a function for the records of the thread, the last one first, until it returns false.
func (st *state) back(f func(thread.Record) bool) error {
	seg := st.tip
	if seg == nil || seg.gone {
		return nil
	}
	for {
		for i := len(seg.spots) - 1; i >= 0; i-- {
			records := seg.spots[i].entry().records
			for _, r := range slices.Backward(records) {
				if r.Seq < st.floor || !f(r) {
					return nil
				}
			}
		}
		prev, err := st.previous(seg)
		if err != nil || prev == nil {
			return err
		}
		seg = prev
	}
}

// records returns the records after one number and through another, the first one first. With snapshot, they begin at the
// last snapshot. It reads the folder again when a prune has removed segments in between.
func (st *state) records(after, through uint64, snapshot bool) (records []thread.Record, err error) {
	for try := 0; ; try++ {
		records = nil
		err = st.back(func(r thread.Record) bool {
			if r.Seq <= after {
				return false
			}
			if r.Seq > through {
				return true
			}
			records = append(records, r)
			return !(snapshot && r.Snapshot)
		})
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		if try == tries {
			return nil, &thread.CorruptError{Thread: st.thread, Where: err.Error()}
		}
		next, err := st.s.read(st.thread)
		if err != nil {
			return nil, err
		}
		*st = *next
	}
	slices.Reverse(records)
	return records, err
}
