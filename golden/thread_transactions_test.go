package golden_test

import (
	"context"
	"errors"
	"testing"

	"github.com/graphgen/graphgen/golden/transact"
	"github.com/graphgen/graphgen/thread"
)

// A cashier books amounts, outside of a database.
type cashier struct{}

func (cashier) Open(context.Context, transact.PayoutOpenIn) (transact.PayoutOpenOut, error) {
	return transact.PayoutOpenOut{Account: "A"}, nil
}

func (cashier) Book(_ context.Context, in transact.PayoutBookIn) (transact.PayoutBookOut, error) {
	return transact.PayoutBookOut{Booked: []int{in.Amount}}, nil
}

func (cashier) Close(context.Context, transact.PayoutCloseIn) (transact.PayoutCloseOut, transact.PayoutCloseGoto, error) {
	return transact.PayoutCloseOut{Sum: 5}, transact.PayoutCloseGotoEnd, nil
}

func (cashier) Done(context.Context, transact.PayoutDoneIn) error { return nil }

// TestNoTransactions holds that a store without transactions is refused before anything runs, and that runs outside of threads
// need none.
func TestNoTransactions(t *testing.T) {
	store := thread.NewMemory()
	m, err := transact.NewPayout(cashier{}, thread.In(store))
	if err != nil {
		t.Fatal(err)
	}
	in := transact.PayoutInput{Amounts: []int{2, 3}}
	if _, err := m.Thread("t").Start(t.Context(), in); !errors.Is(err, thread.ErrNoTransactions) {
		t.Errorf("Start gives %v", err)
	}
	if _, _, err := store.Load(t.Context(), "t", 0); err == nil {
		t.Error("there is a thread")
	}
	if out, err := m.Run(t.Context(), in); err != nil || out.Sum != 5 {
		t.Errorf("Run gives %+v, %v", out, err)
	}
}
