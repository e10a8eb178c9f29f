package thread

import (
	"errors"
	"strconv"
	"time"

	"github.com/graphgen/graphgen/internal/quote"
)

// ErrNoStore is the error of the methods for threads of a machine without a store.
var ErrNoStore = errors.New("the machine has no store for threads: give its constructor the option thread.In")

// ErrNoKeys is the error of the methods for threads of a machine whose graph has secret fields, and that has no keys.
var ErrNoKeys = errors.New("the graph has secret fields: give the machine keys, by Seal of thread.Settings")

// ErrNoTransactions is the error of the methods for threads of a machine whose graph has nodes with transaction: true, and whose
// store has no transactions.
var ErrNoTransactions = errors.New("the graph has nodes with transaction: true, and the store has no transactions")

// A SavedError is an error of a run that another process made, as text: its type is not saved. errors.As finds no other type in it; use
// its methods, as retries do.
type SavedError struct {
	Text         string
	WasTransient bool
	Decided      bool          // an error of its tree has a method Transient that decides
	WasPermanent bool          // no policy retries it
	Wait         time.Duration // that it asked for before a retry; 0: none
}

func (e *SavedError) Error() string { return e.Text }

// Transient reports whether the error was transient.
func (e *SavedError) Transient() bool { return e.WasTransient }

// Decides reports whether Transient has an answer: of several branches that failed, the first one with an answer decides. See graphgen.IsTransient.
func (e *SavedError) Decides() bool { return e.Decided || e.WasTransient || e.Wait > 0 }

// Permanent reports whether no policy retries the error.
func (e *SavedError) Permanent() bool { return e.WasPermanent }

// RetryAfter returns the wait that the error asked for, 0 if it asked for none.
func (e *SavedError) RetryAfter() time.Duration { return e.Wait }

// A VersionError reports that a thread was saved by another version of a graph, and that this version cannot continue it. The thread is
// unchanged: continue it by a program of the other version, or give the graph a migration.
type VersionError struct {
	Thread string
	Graph  string
	Saved  string // the shape of the graph that saved the thread
	Shape  string // the shape of this one
	Err    error  // what is missing, or differs; or the error of the migration
}

func (e *VersionError) Error() string {
	return "thread " + quote.Text(e.Thread) + " was saved by another version of graph " + quote.Text(e.Graph) +
		" (shape " + quote.Text(e.Saved) + ", not " + quote.Text(e.Shape) + "): " + e.Err.Error()
}

// Unwrap returns Err.
func (e *VersionError) Unwrap() error { return e.Err }

// A StoreError ends a run of which a step could not be saved, or is the error of a call for a thread whose records cannot be read. Find the
// reason in Err: an error of the store, a LostError, a KeyError, the error of a type that cannot read its value. When that is mended, Recover
// continues the run after the last step that was saved.
type StoreError struct {
	Thread  string
	Unsaved bool   // a step was not saved: Recover executes it again. false: records cannot be read
	Seq     uint64 // of the record that cannot be read; 0: of none
	Err     error
}

func (e *StoreError) Error() string {
	text := "thread " + quote.Text(e.Thread)
	if e.Seq > 0 {
		text += ", record " + strconv.FormatUint(e.Seq, 10)
	}
	if e.Unsaved {
		text += ": a step was not saved"
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *StoreError) Unwrap() error { return e.Err }

// EndsRun returns true: no failure route is taken.
func (e *StoreError) EndsRun() bool { return true }

// A GapError is the error of Watch for a step that the thread does not have: the steps after it were pruned, or the thread never had it.
// Watch the thread again from 0: the first step that it still has is a snapshot, with the whole state.
type GapError struct {
	Thread string
	After  uint64 // the last step that was seen
	First  uint64 // the first record that follows; 0: none does
}

func (e *GapError) Error() string {
	if e.First == 0 {
		return "thread " + quote.Text(e.Thread) + " has no record " + strconv.FormatUint(e.After, 10)
	}
	return "thread " + quote.Text(e.Thread) + ": the records between " + strconv.FormatUint(e.After,
		10) + " and " + strconv.FormatUint(e.First, 10) + " were pruned"
}
