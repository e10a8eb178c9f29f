package thread

import (
	"strconv"
	"time"

	"github.com/graphgen/graphgen/internal/quote"
)

// A HeldError is the error of a call that needs a thread without a lease.
type HeldError struct {
	Thread string
	Until  time.Time // when the lease ends, unless it is renewed
}

func (e *HeldError) Error() string {
	return "thread " + quote.Text(e.Thread) + " is held by another run until " + e.Until.UTC().Format(time.RFC3339Nano)
}

// A LostError is the error of a call with a lease that has ended: another one followed it, it was released, or its
// thread was deleted. The call has written nothing.
type LostError struct {
	Thread string
	Token  uint64
}

func (e *LostError) Error() string {
	return "thread " + quote.Text(e.Thread) + ": lease " + strconv.FormatUint(e.Token, 10) + " is lost"
}

// A SeqError is the error of an Append whose records do not follow the last one of the thread. It has written nothing.
type SeqError struct {
	Thread string
	Last   uint64 // of the thread
	First  uint64 // of the records
}

func (e *SeqError) Error() string {
	return "thread " + quote.Text(e.Thread) + ": record " + strconv.FormatUint(e.First, 10) + " does not follow record " + strconv.FormatUint(e.Last, 10)
}

// A NotFoundError is the error of a call for a thread or a record that does not exist.
type NotFoundError struct {
	Thread string
	Seq    uint64 // of the record; 0: there is no thread
}

func (e *NotFoundError) Error() string {
	if e.Seq == 0 {
		return "thread " + quote.Text(e.Thread) + " does not exist"
	}
	return "thread " + quote.Text(e.Thread) + " has no record " + strconv.FormatUint(e.Seq, 10)
}

// An ExistsError is the error of a Copy to a thread that exists.
type ExistsError struct{ Thread string }

func (e *ExistsError) Error() string { return "thread " + quote.Text(e.Thread) + " exists" }

// A CorruptError is the error of reading a thread whose stored bytes are damaged. Records through Good are intact:
// Load and Copy work up to them.
type CorruptError struct {
	Thread string
	Good   uint64 // the last record before the damage; 0: none
	Where  string // a file and an offset, or a row
}

func (e *CorruptError) Error() string {
	return "thread " + quote.Text(e.Thread) + " is damaged behind record " + strconv.FormatUint(e.Good, 10) + ": " + e.Where
}

// A SchemaError is the error of opening a store that a later version of its package has written.
type SchemaError struct {
	Store       string
	Found, Know int // versions of the schema
}

func (e *SchemaError) Error() string {
	return e.Store + ": the schema has version " + strconv.Itoa(e.Found) + ", this program knows versions up to " + strconv.Itoa(e.Know)
}

// An InvalidError is the error of a call with arguments that no store accepts.
type InvalidError struct {
	Thread  string
	Problem string
}

func (e *InvalidError) Error() string {
	return "thread " + quote.Text(e.Thread) + ": " + e.Problem
}
