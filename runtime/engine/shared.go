package engine

import (
	"slices"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/origin"
)

// Sharing returns the link to what a run does with shared ledgers.
func Sharing() origin.Ref { return origin.To(sharedLedgers(ledgers{})) }

// ledgers is the sharing of a run with ledgers.
type ledgers struct{}

// A sharedLedger is one of a budget that a run, or a parent of it, shares with other runs.
type sharedLedger struct {
	origin.Ledger
	of *Run // that ends when it is spent: the outermost run with the ledger
}

// of returns the shared ledgers of the run and of its parents, each once.
func (ledgers) of(r *Run) []sharedLedger {
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

// sharesMoney reports whether a shared ledger of the run itself bounds money.
func (ledgers) sharesMoney(r *Run) bool {
	return r.settings.Limits != nil && slices.ContainsFunc(r.settings.Limits.Ledgers, origin.Ledger.Priced)
}

// spent returns the error of a ledger. It ends a parent too, if the parent has the ledger.
func (l *sharedLedger) spent(err error, r *Run) error {
	if l.of == r {
		return err
	}
	return bound(err, l.of)
}

// reserveCall reserves a call of a model in every shared ledger.
func (l ledgers) reserveCall(r *Run) error {
	list := l.of(r)
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

// countCall counts a reserved call of a model.
func (l ledgers) countCall(r *Run, u chat.Usage) {
	for _, l := range l.of(r) {
		l.Asked(u)
	}
}

// releaseCall releases a reserved call of a model.
func (l ledgers) releaseCall(r *Run) {
	for _, l := range l.of(r) {
		l.GiveBack()
	}
}

// reserveTools reserves calls of tools in every shared ledger.
func (l ledgers) reserveTools(r *Run, calls int) error {
	list := l.of(r)
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

// countTools counts the calls of tools that were made of the reserved ones.
func (l ledgers) countTools(r *Run, held, made int) {
	for _, l := range l.of(r) {
		l.Called(held, made)
	}
}
