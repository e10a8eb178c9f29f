package thread

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Memory is a store in the memory of one process. What it keeps ends with the process. It is for tests,
// and for runs that have to pause but not to survive.
type Memory struct {
	now func() time.Time

	mu      sync.Mutex
	token   uint64 // the last that was given to any thread
	threads map[string]*memoryThread
	sorted  []*memoryThread // by their names, also some that are gone
	added   []*memoryThread // that are not among them yet
	gone    int             // how many of both are gone
}

// A memoryThread is a thread, or the name of one that is leased and has no records.
type memoryThread struct {
	name    string
	gone    bool // it was removed
	head    Head // Until is the end of the lease
	token   uint64
	records []Record // ascending, without what was pruned; the first is a snapshot
}

var _ Store = (*Memory)(nil)

// NewMemory returns an empty store.
func NewMemory() *Memory { return NewMemoryAt(time.Now) }

// NewMemoryAt returns an empty store with a clock, for tests.
func NewMemoryAt(now func() time.Time) *Memory {
	return &Memory{now: now, threads: map[string]*memoryThread{}}
}

// find returns a thread that has records.
func (m *Memory) find(thread string) (*memoryThread, error) {
	if t := m.threads[thread]; t != nil && len(t.records) > 0 {
		return t, nil
	}
	return nil, &NotFoundError{Thread: thread}
}

// add adds a thread.
func (m *Memory) add(t *memoryThread) {
	if old := m.threads[t.name]; old != nil {
		m.remove(old)
	}
	m.threads[t.name], m.added = t, append(m.added, t)
}

// remove removes a thread.
func (m *Memory) remove(t *memoryThread) {
	delete(m.threads, t.name)
	t.gone, t.records = true, nil
	if m.gone++; m.gone > len(m.threads) {
		m.sort()
	}
}

// sort sorts the threads. It costs little after one that had few to add.
func (m *Memory) sort() {
	if m.gone+len(m.added) == 0 {
		return
	}
	slices.SortFunc(m.added, byName)
	old, list := m.sorted, make([]*memoryThread, 0, len(m.threads))
	for _, t := range m.added {
		n, _ := slices.BinarySearchFunc(old, t.name, isBefore)
		list, old = append(append(list, old[:n]...), t), old[n:]
	}
	list = append(list, old...)
	m.sorted, m.added, m.gone = slices.DeleteFunc(list, func(t *memoryThread) bool { return t.gone }), nil, 0
}

func byName(a, b *memoryThread) int             { return strings.Compare(a.name, b.name) }
func isBefore(t *memoryThread, name string) int { return strings.Compare(t.name, name) }

// held returns the thread of a lease, if the lease is the last one.
func (m *Memory) held(lease Lease) (*memoryThread, error) {
	if t := m.threads[lease.Thread]; t != nil && t.token == lease.Token && lease.Token != 0 {
		return t, nil
	}
	return nil, &LostError{Thread: lease.Thread, Token: lease.Token}
}

// extend makes the lease of a thread last from now on.
func (m *Memory) extend(t *memoryThread, ttl time.Duration) Ack {
	t.head.Until = Moment(m.now().Add(ttl))
	return Ack{Until: t.head.Until, Stop: t.head.Stop}
}

// Acquire implements Store.
func (m *Memory) Acquire(ctx context.Context, thread string, ttl time.Duration) (Lease, Head, error) {
	if err := cmp.Or(CheckName(thread), CheckTTL(thread, ttl), ctx.Err()); err != nil {
		return Lease{}, Head{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.threads[thread]
	if t == nil {
		t = &memoryThread{name: thread, head: Head{Thread: thread}}
		m.add(t)
	}
	if t.head.Held(m.now()) {
		return Lease{}, Head{}, &HeldError{thread, t.head.Until}
	}
	m.token++
	t.token = m.token
	ack := m.extend(t, ttl)
	return Lease{Thread: thread, Token: t.token, TTL: ttl, Until: ack.Until}, cloneHead(t.head), nil
}

// Renew implements Store.
func (m *Memory) Renew(ctx context.Context, lease Lease) (Ack, error) {
	if err := ctx.Err(); err != nil {
		return Ack{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.held(lease)
	if err != nil {
		return Ack{}, err
	}
	return m.extend(t, lease.TTL), nil
}

// Release implements Store.
func (m *Memory) Release(_ context.Context, lease Lease) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t, err := m.held(lease); err == nil {
		t.token, t.head.Until = 0, time.Time{}
		if len(t.records) == 0 {
			m.remove(t)
		}
	}
	return nil
}

// Append implements Store.
func (m *Memory) Append(ctx context.Context, lease Lease, head Head, records []Record) (Ack, error) {
	if err := cmp.Or(CheckAppend(lease, head, records), ctx.Err()); err != nil {
		return Ack{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.held(lease)
	if err != nil {
		return Ack{}, err
	}
	if first := head.Seq - uint64(len(records)) + 1; first != t.head.Seq+1 {
		n := len(t.records) - len(records)
		if n >= 0 && head.Seq == t.head.Seq && Same(t.records[n:], records) {
			return m.extend(t, lease.TTL), nil
		}
		return Ack{}, &SeqError{lease.Thread, t.head.Seq, first}
	}
	for _, r := range records {
		t.records = append(t.records, cloneRecord(r))
	}
	t.replace(head)
	return m.extend(t, lease.TTL), nil
}

// replace sets the head that a writer gives.
func (t *memoryThread) replace(head Head) {
	kept := t.head
	t.head = cloneHead(head)
	t.head.Until = kept.Until
	t.head.Stop = kept.Stop && !head.Status.Ended()
	if kept.Seq > 0 {
		t.head.Created = kept.Created
	}
}

// Load implements Store.
func (m *Memory) Load(ctx context.Context, thread string, at uint64) (Head, []Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.find(thread)
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return Head{}, nil, err
	}
	if at == 0 {
		at = t.head.Seq
	}
	end, ok := t.index(at)
	if !ok {
		return Head{}, nil, &NotFoundError{thread, at}
	}
	return cloneHead(t.head), cloneRecords(t.records[t.snapshot(end) : end+1]), nil
}

// index returns the place of a record, or the place of the first one after it.
func (t *memoryThread) index(seq uint64) (int, bool) {
	return slices.BinarySearchFunc(t.records, seq, func(r Record, seq uint64) int { return cmp.Compare(r.Seq, seq) })
}

// snapshot returns the place of the last snapshot at or before a place.
func (t *memoryThread) snapshot(i int) int {
	for i > 0 && !t.records[i].Snapshot {
		i--
	}
	return i
}

// History implements Store.
func (m *Memory) History(ctx context.Context, thread string, after uint64, limit int) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.find(thread)
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	i, found := t.index(after)
	if found {
		i++
	}
	end := len(t.records)
	if limit > 0 && limit < end-i {
		end = i + limit
	}
	return cloneRecords(t.records[i:end]), nil
}

// List implements Store.
func (m *Memory) List(ctx context.Context, filter Filter) ([]Head, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sort()
	var page []Head
	first, _ := slices.BinarySearchFunc(m.sorted, max(filter.Prefix, filter.After), isBefore)
	for _, t := range m.sorted[first:] {
		if len(page) == filter.Page() || !strings.HasPrefix(t.name, filter.Prefix) {
			break
		}
		if len(t.records) > 0 && filter.Match(t.head, m.now()) {
			page = append(page, cloneHead(t.head))
		}
	}
	return page, nil
}

// Stop implements Store.
func (m *Memory) Stop(ctx context.Context, thread string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.find(thread)
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	t.head.Stop = !t.head.Status.Ended()
	return nil
}

// Copy implements Store.
func (m *Memory) Copy(ctx context.Context, from string, at uint64, head Head) error {
	if err := cmp.Or(CheckCopy(at, head), ctx.Err()); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.find(from)
	if err != nil {
		return err
	}
	end, ok := t.index(at)
	if !ok {
		return &NotFoundError{from, at}
	}
	switch other := m.threads[head.Thread]; {
	case other == nil:
	case len(other.records) > 0:
		return &StateError{Thread: head.Thread, Err: ErrExists}
	case other.head.Held(m.now()):
		return &HeldError{head.Thread, other.head.Until}
	}
	fork := &memoryThread{name: head.Thread, records: cloneRecords(t.records[:end+1])}
	fork.replace(head)
	m.add(fork)
	return nil
}

// Prune implements Store.
func (m *Memory) Prune(ctx context.Context, thread string, before uint64) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.find(thread)
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return 0, err
	}
	i, found := t.index(before)
	if !found {
		i--
	}
	if i < 0 {
		return 0, nil
	}
	n := t.snapshot(i)
	t.records = slices.Clone(t.records[n:])
	return n, nil
}

// Delete implements Store.
func (m *Memory) Delete(ctx context.Context, thread string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.find(thread)
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	if t.head.Held(m.now()) {
		return &HeldError{thread, t.head.Until}
	}
	m.remove(t)
	return nil
}

// Sweep implements Store.
func (m *Memory) Sweep(ctx context.Context) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now, n := m.now(), 0
	for _, t := range m.threads {
		switch expires := t.head.Expires; {
		case t.head.Held(now):
		case len(t.records) == 0: // a lease that was left
			m.remove(t)
		case !expires.IsZero() && !expires.After(now):
			m.remove(t)
			n++
		}
	}
	return n, nil
}

func cloneHead(h Head) Head {
	h.Summary = bytes.Clone(h.Summary)
	h.Created, h.Updated, h.Expires = Moment(h.Created), Moment(h.Updated), Moment(h.Expires)
	return h
}

func cloneRecord(r Record) Record {
	r.Time, r.Data = Moment(r.Time), bytes.Clone(r.Data)
	return r
}

func cloneRecords(records []Record) []Record {
	out := make([]Record, len(records))
	for i, r := range records {
		out[i] = cloneRecord(r)
	}
	return out
}
