package engine

import (
	"slices"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/origin"
)

// sharedLedgers are the ledgers of budgets that a run, and the runs around it, share with other runs. Without any, they bound nothing.
type sharedLedgers []sharedLedger

// A sharedLedger is one of them.
type sharedLedger struct {
	origin.Ledger
	of *Run // that ends when it is spent: the outermost run with the ledger
}

// sharedBy returns the shared ledgers of the run and of its parents, each once. It returns none of a run that its thread replays.
func sharedBy(r *Run) sharedLedgers {
	if r.replays() {
		return nil
	}
	var list sharedLedgers
	for at := r; ; at = at.settings.nesting.run {
		if at.settings.Limits != nil {
			for _, l := range at.settings.Limits.Ledgers {
				list = list.with(sharedLedger{Ledger: l, of: at})
			}
		}
		if at.settings.nesting == nil {
			return list
		}
	}
}

// with adds a ledger, or replaces it.
func (list sharedLedgers) with(l sharedLedger) sharedLedgers {
	for i := range list {
		if list[i].Ledger == l.Ledger {
			list[i] = l
			return list
		}
	}
	return append(list, l)
}

// sharesMoney reports whether a shared ledger of the run itself bounds money.
func (s *Settings) sharesMoney() bool {
	return s.Limits != nil && slices.ContainsFunc(s.Limits.Ledgers, origin.Ledger.Priced)
}

// spent returns the error of a ledger. It ends a parent too, if the parent has the ledger.
func (l *sharedLedger) spent(err error, r *Run) error {
	if l.of == r {
		return err
	}
	return bound(err, l.of)
}

// reserveCall reserves a call of a model in every ledger.
func (list sharedLedgers) reserveCall(r *Run) error {
	for i := range list {
		if err := list[i].Ask(); err != nil {
			list[:i].releaseCall()
			return list[i].spent(err, r)
		}
	}
	return nil
}

// holdCall reserves a call of a model that was made, whether or not one is left.
func (list sharedLedgers) holdCall() {
	for _, l := range list {
		l.AskPaid()
	}
}

// countCall counts a reserved call of a model.
func (list sharedLedgers) countCall(u chat.Usage) {
	for _, l := range list {
		l.Asked(u)
	}
}

// releaseCall releases a reserved call of a model.
func (list sharedLedgers) releaseCall() {
	for _, l := range list {
		l.GiveBack()
	}
}

// reserveTools reserves calls of tools in every ledger.
func (list sharedLedgers) reserveTools(r *Run, calls int) error {
	for i := range list {
		if err := list[i].Hold(calls); err != nil {
			list[:i].countTools(calls, 0)
			return list[i].spent(err, r)
		}
	}
	return nil
}

// countTools counts the calls of tools that were made of the reserved ones.
func (list sharedLedgers) countTools(held, made int) {
	for _, l := range list {
		l.Called(held, made)
	}
}
