package storetest

import (
	"context"
	"errors"

	"github.com/graphgen/graphgen/thread"
)

// transacts returns the store as a Transactor, and skips the clause if it is not one.
func (e *env) transacts() thread.Transactor {
	e.Helper()
	s, ok := e.s.(thread.Transactor)
	if !ok {
		e.Skip("the store has no transactions")
	}
	return s
}

// step returns what a handler does in a transaction: it writes its effect, and returns records.
func (w *writer) step(texts ...string) func(context.Context) (thread.Head, []thread.Record, error) {
	return func(ctx context.Context) (thread.Head, []thread.Record, error) {
		if err := w.back.Effect(ctx); err != nil {
			return thread.Head{}, nil, err
		}
		head, records := w.next(texts...)
		return head, records, nil
	}
}

var transactionClauses = []clause{
	{"has the effect and the records", func(e *env) {
		s := e.transacts()
		w := e.begin("a")
		ack, err := s.Transact(e.ctx, w.lease, w.step("Sa", "b"))
		e.ok(err)
		equal(e, "end of the lease", ack.Until, thread.Moment(e.clock.Now().Add(ttl)))
		equal(e, "effects", e.back.Effects(), 1)
		equal(e, "number", e.loads("a", 0, "1:Sa 2:b").Seq, 2)
		w.head.Seq = 2
		e.ok(s.Stop(e.ctx, "a"))
		ack, err = s.Transact(e.ctx, w.lease, w.step("c"))
		e.ok(err)
		equal(e, "stop", ack.Stop, true)
		equal(e, "effects", e.back.Effects(), 2)
	}},
	{"has neither after an error of the handler", func(e *env) {
		s := e.transacts()
		w := e.begin("a")
		w.add("Sa")
		broken := errors.New("broken")
		_, err := s.Transact(e.ctx, w.lease, func(ctx context.Context) (thread.Head, []thread.Record, error) {
			head, records, err := w.step("b")(ctx)
			return head, records, errors.Join(err, broken)
		})
		equal(e, "the error is the handler's", errors.Is(err, broken), true)
		equal(e, "effects", e.back.Effects(), 0)
		e.logs("a", "1:Sa")
		w.add("c")
	}},
	{"has neither after a panic of the handler", func(e *env) {
		s := e.transacts()
		w := e.begin("a")
		w.add("Sa")
		func() {
			defer func() { equal(e, "panic", recover(), any("broken")) }()
			_, _ = s.Transact(e.ctx, w.lease, func(ctx context.Context) (thread.Head, []thread.Record, error) {
				_, _, _ = w.step("b")(ctx)
				panic("broken")
			})
		}()
		equal(e, "effects", e.back.Effects(), 0)
		w.add("c")
		e.logs("a", "1:Sa 2:c")
	}},
	{"does not run the handler of a lost writer", func(e *env) {
		s := e.transacts()
		w := e.begin("a")
		w.add("Sa")
		w.takeover()
		_, err := s.Transact(e.ctx, w.lease, func(context.Context) (thread.Head, []thread.Record, error) {
			e.Error("the handler ran")
			return thread.Head{}, nil, nil
		})
		fails[*thread.LostError](e, err)
	}},
	{"has neither when the records do not follow", func(e *env) {
		s := e.transacts()
		w := e.begin("a")
		w.add("Sa")
		w.head.Seq = 7
		_, err := s.Transact(e.ctx, w.lease, w.step("b"))
		fails[*thread.SeqError](e, err)
		equal(e, "effects", e.back.Effects(), 0)
		e.logs("a", "1:Sa")
	}},
	{"has neither when the arguments are refused", func(e *env) {
		s := e.transacts()
		w := e.begin("a")
		_, err := s.Transact(e.ctx, w.lease, w.step("no snapshot"))
		fails[*thread.InvalidError](e, err)
		equal(e, "effects", e.back.Effects(), 0)
		e.missing("a")
	}},
}
