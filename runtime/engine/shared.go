package engine

import (
	"slices"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/incomparable"
	"github.com/graphgen/graphgen/internal/origin"
)

// sharing is what a run does with the ledgers that it shares. It is an interface, so that only programs with such
// a budget link it.
type sharing interface {
	sharesMoney(r *Run) bool
	ask(r *Run) error
	asked(r *Run, u chat.Usage)
	giveBack(r *Run)
	hold(r *Run, calls int) error
	called(r *Run, held, made int)
}

// Sharing returns the link to what a run does with shared ledgers.
func Sharing() origin.Ref { return origin.To(sharing(ledgers{})) }

// ledgers returns what the run does with the ledgers that it, or a parent, shares; nil: they share none.
func (s *Settings) ledgers() sharing {
	for ; ; s = s.nesting.run.settings {
		if l := s.Limits; l != nil && len(l.Ledgers) > 0 {
			return origin.Of(l.Sharing).(sharing)
		}
		if s.nesting == nil {
			return nil
		}
	}
}

// ledgers is the sharing of a run with ledgers.
type ledgers struct{}

// A sharedLedger is one of a budget that a run, or a parent of it, shares with other runs.
type sharedLedger struct {
	_ incomparable.Struct

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

// ask reserves a call of a model in every shared ledger.
func (l ledgers) ask(r *Run) error {
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

// asked counts a reserved call of a model.
func (l ledgers) asked(r *Run, u chat.Usage) {
	for _, l := range l.of(r) {
		l.Asked(u)
	}
}

// giveBack releases a reserved call of a model.
func (l ledgers) giveBack(r *Run) {
	for _, l := range l.of(r) {
		l.GiveBack()
	}
}

// hold reserves calls of tools in every shared ledger.
func (l ledgers) hold(r *Run, calls int) error {
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

// called counts the calls of tools that were made of the reserved ones.
func (l ledgers) called(r *Run, held, made int) {
	for _, l := range l.of(r) {
		l.Called(held, made)
	}
}
