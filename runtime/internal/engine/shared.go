package engine

import (
	"slices"

	"github.com/graphgen/graphgen/runtime/internal/incomparable"
	"github.com/graphgen/graphgen/runtime/internal/origin"
)

// A sharedLedger is one of a budget that a run, or a parent of it, shares with other runs.
type sharedLedger struct {
	_ incomparable.Struct

	origin.Ledger
	of *Run // that ends when it is spent: the outermost run with the ledger
}

// ledgers returns the shared ledgers of the run and of its parents, each once.
func (r *Run) ledgers() []sharedLedger {
	var list []sharedLedger
	for at := r; ; at = at.settings.nesting.run {
		if at.settings.Limits != nil {
			for _, l := range at.settings.Limits.Ledgers {
				list = add(list, sharedLedger{Ledger: l, of: at})
			}
		}
		if at.settings.nesting == nil {
			return list
		}
	}
}

// add adds a ledger, or replaces it.
func add(list []sharedLedger, l sharedLedger) []sharedLedger {
	for i := range list {
		if list[i].Ledger == l.Ledger {
			list[i] = l
			return list
		}
	}
	return append(list, l)
}

// sharesMoney reports whether a shared ledger of the run bounds money.
func (r *Run) sharesMoney() bool {
	if r.settings.Limits == nil {
		return false
	}
	return slices.ContainsFunc(r.settings.Limits.Ledgers, origin.Ledger.Priced)
}

// spent returns the error of a ledger. It ends a parent too, if the parent has the ledger.
func (l *sharedLedger) spent(err error, r *Run) error {
	if l.of == r {
		return err
	}
	return bound(err, l.of)
}

// askShared reserves a call of a model in every shared ledger.
func (r *Run) askShared() error {
	list := r.ledgers()
	for i := range list {
		if err := list[i].Ask(); err != nil {
			for _, l := range list[:i] {
				l.GiveBack()
			}
			return list[i].spent(err, r)
		}
	}
	return nil
}

// giveBackShared releases a reserved call of a model.
func (r *Run) giveBackShared() {
	for _, l := range r.ledgers() {
		l.GiveBack()
	}
}

// holdShared reserves calls of tools in every shared ledger.
func (r *Run) holdShared(calls int) error {
	list := r.ledgers()
	for i := range list {
		if err := list[i].Hold(calls); err != nil {
			for _, l := range list[:i] {
				l.Called(calls, 0)
			}
			return list[i].spent(err, r)
		}
	}
	return nil
}

// calledShared counts the calls of tools that were made of the reserved ones.
func (r *Run) calledShared(held, made int) {
	for _, l := range r.ledgers() {
		l.Called(held, made)
	}
}
