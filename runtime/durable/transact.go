package durable

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/internal/engine"
	"github.com/graphgen/graphgen/runtime/thread"
)

// ErrNoTransactions is the error of the methods for threads of a machine whose graph has nodes with transaction: true, and whose
// store has no transactions.
var ErrNoTransactions = errors.New("the graph has nodes with transaction: true, and the store has no transactions")

// transactionKey begins the keys of what transactions have given.
const transactionKey = "transaction."

// Transact calls a handler in a transaction of the store, which saves what the handler gives: list lists it. If it was
// saved in this step before, the handler is not called. Outside of a thread it calls the handler. It is for generated code.
func Transact(ctx context.Context, r *engine.Run, list func(*codec.Object), call func(context.Context) error) error {
	s, ok := r.Thread().(*session)
	if !ok {
		return call(ctx)
	}
	return s.transact(ctx, r, &given{list}, call)
}

// given is what a handler gives, whose members a function lists.
type given struct{ list func(*codec.Object) }

func (v *given) JSONMembers(o *codec.Object) { v.list(o) }

// transact makes a transaction. Records of other runs wait until it has ended: they have a place in the order of records.
// What the handler gives is saved under the number of transactions that the step has had, as attempts that have failed leave
// nothing.
func (s *session) transact(ctx context.Context, r *engine.Run, list *given, call func(context.Context) error) error {
	place := r.Place()
	s.mu.Lock()
	s.waits(place)
	v := s.log.of(place)
	key := transactionKey + strconv.Itoa(v.transactions)
	data, known := v.effects[key]
	switch {
	case known:
		v.transactions++
		s.mu.Unlock()
		if err := codec.Unmarshal(data, codec.Into(new(given), func(_ *given, d *codec.Decoder) { codec.ReadMembers(list, d, "what a handler gave") })); err != nil {
			return &LoadError{Thread: s.id, Err: err}
		}
		return nil
	case s.quiet.Load():
		defer s.mu.Unlock()
		return s.fail(errMoved)
	case s.failure != nil:
		defer s.mu.Unlock()
		return s.failure
	}
	if err := s.settle(); err != nil {
		s.mu.Unlock()
		return err
	}
	s.within, s.transacts = place, true
	s.mu.Unlock()
	t := &transaction{session: s, run: r, place: place, key: key, list: list, call: call}
	defer t.end()
	return t.commit(ctx)
}

// A transaction is the call of a handler, and what saves its result.
type transaction struct {
	*session
	run        *engine.Run
	place, key string
	list       *given
	call       func(context.Context) error

	called bool
	failed error    // the handler has
	locked bool     // the session is, from the moment its record is made
	made   *pending // nil: there is no record
	kept   record   // what is to be saved apart from what the handler gives
}

// end lets other runs go on.
func (t *transaction) end() {
	if !t.locked {
		t.mu.Lock()
	}
	t.transacts = false
	t.mu.Unlock()
	t.settled.Broadcast()
}

// commit makes the transaction. It tries again to begin it as long as the lease lasts.
func (t *transaction) commit(ctx context.Context) error {
	begun := time.Now()
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		ack, err := t.set.Store.(thread.Transactor).Transact(ctx, t.lease, t.handle)
		switch {
		case t.failed != nil:
			return t.failed
		case err == nil:
			t.acked(ack)
		case t.made != nil && !isDecided(err) && t.has(t.made): // the reply was lost
		case ctx.Err() != nil && !isDecided(err) && t.isUndone():
			return context.Cause(ctx)
		case t.called || isDecided(err) || time.Since(begun) > t.lease.TTL:
			if !t.locked {
				t.mu.Lock()
				t.locked = true
			}
			return t.fail(err)
		default:
			time.Sleep(wait)
			continue
		}
		t.log.of(t.place).transactions++
		t.saved(t.made)
		t.hub.Saved(t.id, t.made.record.Seq)
		return nil
	}
}

// isUndone reports whether the transaction was surely not committed, and then forgets what its handler gave: the run, or its
// branch, was cancelled in the midst of it.
func (t *transaction) isUndone() bool {
	if !t.called {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), t.lease.TTL)
	defer cancel()
	head, _, err := t.set.Store.Load(ctx, t.id, 0)
	if err != nil || t.made == nil || head.Seq != t.head.Seq || t.failure != nil {
		return false
	}
	delete(t.log.of(t.place).effects, t.key)
	t.next = t.kept
	return true
}

// handle calls the handler, and makes the record of what it gives.
func (t *transaction) handle(ctx context.Context) (head thread.Head, records []thread.Record, err error) {
	t.called = true
	if t.failed = t.call(ctx); t.failed != nil {
		return head, nil, t.failed
	}
	data, err := codec.Marshal(codec.Of(t.list, func(v *given, e *codec.Encoder) { codec.WriteStruct(v, e) }))
	if err != nil {
		t.failed = err
		return head, nil, err
	}
	t.mu.Lock()
	t.locked = true
	if t.failure != nil {
		return head, nil, t.failure
	}
	if attempt, _ := t.run.Try(); attempt > 1 { // the attempts before it are not made again
		i := t.run.Image()
		if err := t.enter(t.run, &i, "", false); err != nil {
			return head, nil, err
		}
	}
	t.kept = t.next
	t.log.of(t.place).effects[t.key] = data
	t.next.effects = append(t.next.effects, effect{t.place, t.key, data})
	if t.made, err = t.prepare(thread.Running, summary{}); err != nil {
		return head, nil, err
	}
	return t.made.head, []thread.Record{t.made.record}, nil
}

// has reports whether the thread has a record, of which the reply was lost.
func (s *session) has(p *pending) bool {
	ctx, cancel := context.WithTimeout(context.Background(), s.lease.TTL)
	defer cancel()
	head, _, err := s.set.Store.Load(ctx, s.id, 0)
	if err != nil || head.Seq != p.head.Seq {
		return false
	}
	about, err := summaryOf(&head, s.set.Seal)
	return err == nil && about.chain == p.chain
}

// waits returns when no other run has a transaction. The session is locked.
func (s *session) waits(place string) {
	for s.transacts && s.within != place {
		s.settled.Wait()
	}
}
