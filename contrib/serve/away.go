package serve

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// A thread that waits can be taken out of its store, and brought back by a later call, at any process: so a server need not keep runs that wait. It is all
// that a store has of the thread, in the bytes that the store has.

// A packed is the head of a thread that was taken out of its store.
type packed struct {
	Name     string // as clients know it
	Graph    string
	Shape    string
	Created  time.Time
	Updated  time.Time
	Summary  []byte
	Tenant   string
	Whole    []bool // which records are snapshots
	Recorded []time.Time
}

// TakeOut returns the thread of the call, whose run waits, for BringBack of a later call. Who has the bytes can read all that the run has, and continue it: a
// client gets them encrypted. They are at most a quarter of what a request may have.
func (c *Call) TakeOut() ([]byte, error) {
	ctx, store := c.call.r.Context(), c.call.graph.durable.store()
	head, _, err := store.Load(ctx, c.call.name, 0)
	if err != nil {
		return nil, err
	}
	records, err := store.History(ctx, c.call.name, 0, 0)
	switch {
	case err != nil:
		return nil, err
	case head.Status != thread.Paused || len(records) == 0 || records[0].Seq != 1 || head.Seq != uint64(len(records)):
		return nil, errors.New("serve: a thread that does not wait, or whose first records were pruned, is not taken out")
	}
	p := packed{
		Name: c.call.access.Thread, Graph: head.Graph, Shape: head.Shape, Created: head.Created, Updated: head.Updated, Summary: head.Summary,
		Tenant: c.call.access.Tenant,
	}
	for i := range records {
		p.Whole, p.Recorded = append(p.Whole, records[i].Snapshot), append(p.Recorded, records[i].Time)
	}
	data, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	data = append(binary.AppendUvarint(nil, uint64(len(data))), data...)
	for i := range records {
		data = append(binary.AppendUvarint(data, uint64(len(records[i].Data))), records[i].Data...)
	}
	if int64(len(data)) > c.call.h.o.Limits.Body/4 {
		return nil, &Problem{Status: http.StatusUnprocessableEntity, Code: "too_large", Detail: "What the run has is too large for its client to keep."}
	}
	return data, nil
}

// unpack reads what TakeOut has returned.
func unpack(data []byte) (p packed, records []thread.Record, err error) {
	next := func() (part []byte, ok bool) {
		n, used := binary.Uvarint(data)
		if used <= 0 || n > uint64(len(data)-used) {
			return nil, false
		}
		part, data = data[used:used+int(n)], data[used+int(n):]
		return part, true
	}
	head, ok := next()
	if !ok || json.Unmarshal(head, &p) != nil || len(p.Whole) == 0 || len(p.Whole) != len(p.Recorded) {
		return p, nil, errors.New("serve: this is no thread that was taken out")
	}
	for i := range p.Whole {
		part, ok := next()
		if !ok {
			return p, nil, errors.New("serve: a thread that was taken out lacks a record")
		}
		records = append(records, thread.Record{Seq: uint64(i + 1), Time: p.Recorded[i], Snapshot: p.Whole[i], Data: part})
	}
	return p, records, nil
}

// BringBack opens a thread that TakeOut has taken out of its store, for the tenant that had it and a caller who may answer its requests. The call has it alone,
// and what is left of it is deleted when the call ends. A thread that another call has brought back is an error with the status 409. A thread that was
// brought back by a process that was killed is brought back again when its lease has ended, or when the time of a lease has passed since it was brought back.
func (c *Call) BringBack(data []byte) error {
	p, records, err := unpack(data)
	if err != nil {
		return err
	}
	g := c.call.graph
	if p.Tenant != c.call.access.Tenant || g.durable == nil || p.Graph != g.durable.graph() {
		problem := noThread
		return &problem
	}
	c.call.access.Thread = p.Name
	if c.call.name, err = c.call.h.stored(c.call.access.Caller, p.Name); err == nil {
		err = c.may(Answer)
	}
	if err != nil {
		return err
	}
	if !c.call.h.brought.add(c.call.name) {
		return &Problem{Status: http.StatusConflict, Code: "closed", Detail: "No open request has that ID."}
	}
	lease, err := c.acquireAway()
	if err != nil {
		c.call.h.brought.remove(c.call.name)
		return err
	}
	ctx, store := c.call.r.Context(), g.durable.store()
	defer func() { _ = store.Release(context.WithoutCancel(ctx), lease) }() // else it ends by itself
	c.forgets()
	_, err = store.Append(ctx, lease, thread.Head{
		Thread: c.call.name, Graph: p.Graph, Shape: p.Shape, Status: thread.Paused, Seq: uint64(len(records)), Created: p.Created, Updated: p.Updated,
		Expires: c.call.h.o.Clock.Now().Add(thread.DefaultLease), Summary: p.Summary,
	}, records)
	return err
}

// acquireAway acquires the name of a thread that its client keeps. A thread that a killed process has left there is deleted.
func (c *Call) acquireAway() (lease thread.Lease, err error) {
	ctx, store := c.call.r.Context(), c.call.graph.durable.store()
	for {
		var head thread.Head
		if lease, head, err = store.Acquire(ctx, c.call.name, thread.DefaultLease); err != nil || head.Status == thread.New {
			return lease, err
		}
		if err = store.Release(ctx, lease); err == nil && !c.call.h.isLeft(&head) {
			err = &thread.HeldError{Thread: c.call.name}
		}
		if err == nil {
			err = store.Delete(ctx, c.call.name)
		}
		if err != nil && !is[*thread.NotFoundError](err) {
			return lease, err
		}
	}
}

// isLeft reports whether a thread that no lease holds was one of a call whose process was killed.
func (h *Handler) isLeft(head *thread.Head) bool {
	return durable.IsPassing(head) && (head.Status == thread.Running || h.o.Clock.Now().After(head.Expires))
}

// names are names of threads that calls of this process have.
type names struct {
	mu  sync.Mutex
	has map[string]bool
}

// add adds a name, unless it is there.
func (n *names) add(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.has[name] {
		return false
	}
	if n.has == nil {
		n.has = map[string]bool{}
	}
	n.has[name] = true
	return true
}

func (n *names) remove(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.has, name)
}

// forgets has the thread of the call deleted when the call ends.
func (c *Call) forgets() {
	c.passing = true
	c.ends = append(c.ends, c.Forget)
}

// Forget deletes the thread of a passing run, or one that was brought back, with the run if it works. The end of the call does, too: so the client
// has its answer after it.
func (c *Call) Forget() {
	if !c.passing {
		return
	}
	c.passing = false
	defer c.call.h.brought.remove(c.call.name)
	if r := c.call.h.here(c.call.name); r != nil { // its client has gone, or another process is to continue it
		r.watch()
		r.cancel(errAborted)
		<-r.done
	}
	if err := c.call.forget(); err != nil {
		c.Report(err)
	}
}

// forget deletes a thread. A recovery may have it for a moment.
func (c *call) forget() error {
	const times, wait = 100, 20 * time.Millisecond
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), 10*time.Second)
	defer cancel()
	for n := 1; ; n++ {
		err := c.graph.durable.store().Delete(ctx, c.name)
		switch {
		case is[*thread.NotFoundError](err):
			return nil
		case !is[*thread.HeldError](err) || n == times:
			return err
		}
		select {
		case <-c.h.o.Clock.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
