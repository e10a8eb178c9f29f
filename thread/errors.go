package thread

import (
	"errors"
	"strconv"
	"time"

	"github.com/graphgen/graphgen/internal/quote"
)

// A HeldError is the error of a call that needs a thread without a lease: another process or call works on it. Try again later, or stop
// the thread and wait until it is released.
type HeldError struct {
	Thread string
	Until  time.Time // when the lease ends, unless it is renewed
}

func (e *HeldError) Error() string {
	return "thread " + quote.Text(e.Thread) + " is held by another run until " + e.Until.UTC().Format(time.RFC3339Nano)
}

// A LostError is the error of a call whose lease has ended: another lease followed it, it was released, or its thread was deleted. The call
// has written nothing. It is also the cause of the end of a run whose process did not reach the store before its lease had ended: TTL is
// then set. In both cases another process may have the thread. Write nothing more by the lease; Recover continues the run when
// no lease holds the thread.
type LostError struct {
	Thread string
	Token  uint64
	TTL    time.Duration // for which the store acknowledged no call; 0: the store has refused the lease
	Err    error         // of the last call that was not acknowledged; nil: none had an error
}

func (e *LostError) Error() string {
	if e.TTL == 0 {
		return "thread " + quote.Text(e.Thread) + ": lease " + strconv.FormatUint(e.Token, 10) + " is lost"
	}
	text := "the lease of thread " + quote.Text(e.Thread) + " has ended: the store has acknowledged no call for " + e.TTL.String()
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns Err.
func (e *LostError) Unwrap() error { return e.Err }

// A SeqError is the error of an Append whose records do not follow the last one of the thread. It has written nothing. The caller has a log
// that is not the log of the store: read the thread again.
type SeqError struct {
	Thread string
	Last   uint64 // of the thread
	First  uint64 // of the records
}

func (e *SeqError) Error() string {
	return "thread " + quote.Text(e.Thread) + ": record " + strconv.FormatUint(e.First, 10) + " does not follow record " + strconv.FormatUint(e.Last, 10)
}

// A NotFoundError is the error of a call for a thread or a record that does not exist: it never did, or it was deleted or pruned. Begin the
// thread with Start, or choose a later record.
type NotFoundError struct {
	Thread string
	Seq    uint64 // of the record; 0: the thread does not exist
}

func (e *NotFoundError) Error() string {
	if e.Seq == 0 {
		return "thread " + quote.Text(e.Thread) + " does not exist"
	}
	return "thread " + quote.Text(e.Thread) + " has no record " + strconv.FormatUint(e.Seq, 10)
}

// A StateError reports that a thread is not as a call needs it. The call has changed nothing. Err has the reason, and what to do: a run of the
// thread that has not ended is continued by Recover, a run that waits by Resume. With Run, Start was given the ID of a run that the thread
// cannot begin, and has no result of: use another ID.
type StateError struct {
	Thread string
	Run    string // the ID of the run; empty: the error is about the thread
	Err    error  // one of the errors below, or a text
}

func (e *StateError) Error() string {
	if e.Run != "" {
		return "thread " + quote.Text(e.Thread) + ": run " + quote.Text(e.Run) + ": " + e.Err.Error()
	}
	return "thread " + quote.Text(e.Thread) + " " + e.Err.Error()
}

// Unwrap returns Err.
func (e *StateError) Unwrap() error { return e.Err }

// ErrExists is the Err of a StateError if the thread that Copy or Fork would make exists. Give the copy another name.
var ErrExists = errors.New("exists")

// These are the Err of a StateError with the ID of a run.
var (
	ErrOtherInput  = errors.New("the thread has had this run, with another input")
	ErrRunPruned   = errors.New("the thread has had this run, and its records were pruned")
	ErrRunForked   = errors.New("this run is of another thread, of which the thread is a fork")
	ErrNumberedRun = errors.New("the thread gives such IDs itself, to runs without one")
)

// A CorruptError is the error of reading a thread whose stored bytes are damaged. Records through Good are intact: Load and Copy work up to
// them. Copy the thread at Good and recover the copy, or restore the store from a backup.
type CorruptError struct {
	Thread string
	Good   uint64 // the last record before the damage; 0: none
	Where  string // a file and an offset, or a row
}

func (e *CorruptError) Error() string {
	return "thread " + quote.Text(e.Thread) + " is damaged after record " + strconv.FormatUint(e.Good, 10) + ": " + e.Where
}

// A SchemaError is the error of opening a store that a later version of its package has written. Use a program with that version.
type SchemaError struct {
	Store       string
	Found, Know int // versions of the schema
}

func (e *SchemaError) Error() string {
	return e.Store + ": the schema has version " + strconv.Itoa(e.Found) + ", this program knows versions up to " + strconv.Itoa(e.Know)
}

// An InvalidError is the error of a call with arguments that no store accepts, such as an empty name. The same call is always refused:
// mend the caller.
type InvalidError struct {
	Thread  string
	Problem string
}

func (e *InvalidError) Error() string {
	return "thread " + quote.Text(e.Thread) + ": " + e.Problem
}
