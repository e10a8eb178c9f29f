package thread

import (
	"bytes"
	"cmp"
	"context"
	"maps"
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
}

// A memoryThread is a thread, or the name of one that is leased and has no records.
type memoryThread struct {
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
		t = &memoryThread{head: Head{Thread: thread}}
		m.threads[thread] = t
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
			delete(m.threads, lease.Thread)
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
	if limit > 0 {
		end = min(end, i+limit)
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
	var page []Head
	for _, t := range m.threads {
		if len(t.records) > 0 && filter.Match(t.head, m.now()) {
			page = append(page, t.head)
		}
	}
	slices.SortFunc(page, func(a, b Head) int { return strings.Compare(a.Thread, b.Thread) })
	page = page[:min(len(page), filter.Page())]
	for i, h := range page {
		page[i] = cloneHead(h)
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
	fork := &memoryThread{records: cloneRecords(t.records[:end+1])}
	fork.replace(head)
	m.threads[head.Thread] = fork
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
	delete(m.threads, thread)
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
	maps.DeleteFunc(m.threads, func(_ string, t *memoryThread) bool {
		if t.head.Held(now) {
			return false
		}
		if len(t.records) == 0 { // a lease that was left
			return true
		}
		expired := !t.head.Expires.IsZero() && !t.head.Expires.After(now)
		if expired {
			n++
		}
		return expired
	})
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
