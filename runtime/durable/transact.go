package durable

import (
	"context"
	"strconv"
	"time"

	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/thread"
)

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
	t := &transaction{session: s, run: r, place: r.Saved().Place(), list: list, call: call}
	known, err := t.begin()
	if known || err != nil {
		return err
	}
	defer t.end()
	if err := s.writer.settle(); err != nil {
		return err
	}
	return t.commit(ctx)
}

// A transaction is the call of a handler, and what saves its result.
type transaction struct {
	*session
	run        *engine.Run
	place, key string
	list       *given
	call       func(context.Context) error

	called  bool
	wrong   error    // that the handler has returned
	held    bool     // the lock of the session is, from the moment its record is made
	made    *pending // nil: no record
	kept    record   // what is to be saved apart from what the handler gives
	refused bool     // a try before was not committed, and the handler had no error
}

// begin has other runs wait, unless what the handler gives is known: then it is read.
func (t *transaction) begin() (known bool, err error) {
	err = t.session.locked(func() error {
		t.waits(t.place)
		v := t.log.of(t.place)
		t.key = transactionKey + strconv.Itoa(v.transactions)
		data, saved := v.effects[t.key]
		switch {
		case saved:
			v.transactions++
			known = true
			if err := codec.Unmarshal(data,
				codec.Into(new(given), func(_ *given, d *codec.Decoder) { codec.ReadMembers(t.list, d, "what a handler gave") })); err != nil {
				return &thread.StoreError{Thread: t.id, Err: err}
			}
			return nil
		case t.is(replaying):
			return t.fail(errMoved)
		}
		if err := t.session.failed(); err != nil {
			return err
		}
		t.commits(t.place)
		return nil
	})
	return known, err
}

// end lets other runs continue.
func (t *transaction) end() {
	if !t.held {
		t.mu.Lock()
	}
	t.settles()
	t.mu.Unlock()
	t.settled.Broadcast()
}

// commit makes the transaction. It tries again to begin it as long as the lease lasts, and once to make it where the handler had no error and the
// database did not commit: it was away, or another transaction was in the way. The error of the next try is the node's, as the handler's is.
func (t *transaction) commit(ctx context.Context) error {
	patience, cancel := t.patience()
	defer cancel()
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		asked := time.Now()
		ack, err := t.set.Store.(thread.Transactor).Transact(ctx, t.lease, t.handle)
		switch {
		case t.wrong != nil:
			return t.wrong
		case err == nil:
			t.acknowledged(asked, ack)
			return t.committed()
		case t.made != nil && !isDecided(err) && t.has(t.made): // the reply was lost
			return t.committed()
		case isDecided(err) || !t.isUndone():
			return t.fail(err)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case t.called && t.refused:
			return err
		case t.called:
			t.again()
		case patience.Err() != nil:
			return t.fail(err)
		}
		t.tenure.noteError(err)
		select {
		case <-time.After(wait):
		case <-patience.Done():
		}
	}
}

// committed notes that the transaction is in the store.
func (t *transaction) committed() error {
	t.log.of(t.place).transactions++
	t.recorded(t.made)
	t.writer.skipTo(t.made.head.Seq)
	t.hub.Saved(t.id, t.made.record.Seq)
	return nil
}

// again begins another try of a transaction that was not committed.
func (t *transaction) again() {
	defer t.mu.Unlock()
	t.called, t.held, t.made, t.refused = false, false, nil, true
}

// isUndone reports whether the transaction is not committed, and then forgets what its handler gave. If it is committed later, the next record
// is refused, which has its number.
func (t *transaction) isUndone() bool {
	if !t.called {
		return true
	}
	ctx, cancel := t.patience()
	defer cancel()
	head, _, err := t.set.Store.Load(ctx, t.id, 0)
	if err != nil || t.made == nil || head.Seq != t.head.Seq || t.session.failed() != nil {
		return false
	}
	delete(t.log.of(t.place).effects, t.key)
	t.next = t.kept
	t.session.made.Store(t.head.Seq)
	return true
}

// handle calls the handler, and makes the record of what it gives.
func (t *transaction) handle(ctx context.Context) (head thread.Head, records []thread.Record, err error) {
	t.called = true
	if t.wrong = t.call(ctx); t.wrong != nil {
		return head, nil, t.wrong
	}
	data, err := codec.Marshal(codec.Of(t.list, func(v *given, e *codec.Encoder) { codec.WriteStruct(v, e) }))
	if err != nil {
		t.wrong = err
		return head, nil, err
	}
	t.mu.Lock()
	t.held = true
	if err := t.session.failed(); err != nil {
		return head, nil, err
	}
	if t.run.Execution().Attempts > 1 { // the attempts before it are not made again
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
	ctx, cancel := s.patience()
	defer cancel()
	head, _, err := s.set.Store.Load(ctx, s.id, 0)
	if err != nil || head.Seq != p.head.Seq {
		return false
	}
	about, err := summaryOf(&head, s.set.Seal)
	return err == nil && about.chain == p.chain
}
