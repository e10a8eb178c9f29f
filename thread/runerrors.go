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

// A SavedError is an error of a run that another process made, as text. Of what it was, retries know as much as they ask for.
type SavedError struct {
	Text         string
	WasTransient bool
	WasPermanent bool          // no policy retries it
	Wait         time.Duration // that it asked for before a retry; 0: none
}

func (e *SavedError) Error() string { return e.Text }

// Transient reports whether the error was transient.
func (e *SavedError) Transient() bool { return e.WasTransient }

// Permanent reports whether no policy retries the error.
func (e *SavedError) Permanent() bool { return e.WasPermanent }

// RetryAfter returns the wait that the error asked for, 0 if it asked for none.
func (e *SavedError) RetryAfter() time.Duration { return e.Wait }

// A MissingError reports that a saved run is at something that the graph does not have.
type MissingError struct{ What, Name string }

func (e *MissingError) Error() string {
	return "the graph has no " + e.What + " " + quote.Text(e.Name)
}

// A VersionError reports that a thread was saved by another version of a graph, and that this one cannot go on with it.
// The thread is unchanged: a program of the other version goes on with it.
type VersionError struct {
	Thread string
	Graph  string
	Saved  string // the shape of the graph that saved the thread
	Shape  string // the shape of this one
	Err    error  // what is missing, or differs
}

func (e *VersionError) Error() string {
	return "thread " + quote.Text(e.Thread) + " was saved by another version of graph " + quote.Text(e.Graph) +
		" (shape " + quote.Text(e.Saved) + ", not " + quote.Text(e.Shape) + "): " + e.Err.Error()
}

// Unwrap returns Err.
func (e *VersionError) Unwrap() error { return e.Err }

// A SaveError ends a run of which a step could not be saved: the step may be executed again.
type SaveError struct {
	Thread string
	Err    error
}

func (e *SaveError) Error() string {
	return "thread " + quote.Text(e.Thread) + ": a step was not saved: " + e.Err.Error()
}

// Unwrap returns Err.
func (e *SaveError) Unwrap() error { return e.Err }

// EndsRun returns true: no failure route is taken.
func (e *SaveError) EndsRun() bool { return true }

// A GapError reports that steps behind the last one that was seen are not in a thread any more, or that it never had that step. Who
// watches the thread begins anew, with the state that it has.
type GapError struct {
	Thread string
	After  uint64 // the last one that was seen
	First  uint64 // the first record that follows; 0: none does
}

func (e *GapError) Error() string {
	if e.First == 0 {
		return "thread " + quote.Text(e.Thread) + " has no record " + strconv.FormatUint(e.After, 10)
	}
	return "thread " + quote.Text(e.Thread) + ": the records between " + strconv.FormatUint(e.After,
		10) + " and " + strconv.FormatUint(e.First, 10) + " were pruned"
}

// A StateError reports that a thread is not as a call needs it.
type StateError struct {
	Thread  string
	Problem string
}

func (e *StateError) Error() string { return "thread " + quote.Text(e.Thread) + " " + e.Problem }

// A LoadError reports that the records of a thread cannot be read.
type LoadError struct {
	Thread string
	Seq    uint64 // of the record; 0: of none
	Err    error
}

func (e *LoadError) Error() string {
	at := ""
	if e.Seq > 0 {
		at = ", record " + strconv.FormatUint(e.Seq, 10)
	}
	return "thread " + quote.Text(e.Thread) + at + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *LoadError) Unwrap() error { return e.Err }

// EndsRun returns true: no failure route is taken.
func (e *LoadError) EndsRun() bool { return true }

// A RunIDError reports that Start was given the ID of a run that the thread has had, and has no result of that run to return.
type RunIDError struct {
	Thread string
	Run    string // the ID
	Err    error  // ErrOtherInput, ErrRunPruned, ErrRunForked or ErrNumberedRun
}

func (e *RunIDError) Error() string {
	return "thread " + quote.Text(e.Thread) + ": run " + quote.Text(e.Run) + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *RunIDError) Unwrap() error { return e.Err }

// Why a RunIDError has no result.
var (
	ErrOtherInput  = errors.New("the thread has had this run, with another input")
	ErrRunPruned   = errors.New("the thread has had this run, and its records were pruned")
	ErrRunForked   = errors.New("this run is of another thread, of which the thread is a fork")
	ErrNumberedRun = errors.New("the thread gives such IDs itself, to runs without one")
)

// A LeaseError is the cause of the end of a run whose process did not reach the store before its lease had ended: another process
// may have the thread.
type LeaseError struct {
	Thread string
	TTL    time.Duration
	Err    error // of the last call that the store did not acknowledge; nil: there is none
}

func (e *LeaseError) Error() string {
	text := "the lease of thread " + quote.Text(e.Thread) + " has ended: the store has acknowledged no call for " + e.TTL.String()
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns Err.
func (e *LeaseError) Unwrap() error { return e.Err }
