package durable

import (
	"errors"
	"strconv"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/quote"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A SavedError is an error of a run that another process made, as text. Of what it was, retries know as much as they ask for.
type SavedError struct {
	Text string

	transient, permanent bool
	wait                 time.Duration
}

func (e *SavedError) Error() string { return e.Text }

// Transient reports whether the error was transient.
func (e *SavedError) Transient() bool { return e.transient }

// Permanent reports whether no policy retries the error.
func (e *SavedError) Permanent() bool { return e.permanent }

// RetryAfter returns the wait that the error asked for, 0 if it asked for none.
func (e *SavedError) RetryAfter() time.Duration { return e.wait }

// savedError returns what is saved of an error.
func savedError(err error) *SavedError {
	if e, ok := err.(*SavedError); ok {
		return e
	}
	e := &SavedError{Text: err.Error(), transient: graphgen.IsTransient(err), permanent: engine.IsPermanent(err)}
	if w, ok := errors.AsType[interface {
		error
		RetryAfter() time.Duration
	}](err); ok {
		e.wait = w.RetryAfter()
	}
	return e
}

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
