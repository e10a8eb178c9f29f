// Package thread has the contract between durable runs and the stores that keep them, and a store in memory.
//
// A thread is a durable series of runs of one graph: a log of records, numbered from 1, and a head, with what is
// known about the thread without its log. A [Store] keeps both, and gives the right to write to one process at a time.
// Package storetest has the tests that a store has to pass. Package filestore keeps threads in a folder.
package thread

import (
	"strconv"
	"time"
)

// MaxData is how many bytes the records of one Append may have together. Every store takes as many.
const MaxData = 128 << 20

// MaxName is how many bytes the name of a thread may have.
const MaxName = 255

// A Record is one entry of the log of a thread. Stores keep its time in UTC, to the microsecond.
type Record struct {
	Seq      uint64 // its number in the thread: 1, 2 and so on, without gaps
	Time     time.Time
	Snapshot bool   // the state is known from this record alone: Load begins at the last of them. The first record is one
	Data     []byte // opaque to the store
}

// A Head is what is known about a thread without its log. Append replaces it together with the records that it adds.
type Head struct {
	Thread  string // the name: UTF-8 without the byte 0
	Graph   string
	Shape   string // names the version of the graph that wrote the head
	Status  Status
	Seq     uint64 // of the last record
	Created time.Time
	Updated time.Time
	Expires time.Time // Sweep deletes the thread after it; zero: never
	Summary []byte    // opaque to the store, and small: what lists show, such as open requests

	Stop  bool      // a stop is requested; set by the store, and ignored by Append
	Until time.Time // the end of the lease; zero: nothing holds the thread. Set by the store, and ignored by Append
}

// A Status is the state of a thread as lists show it.
type Status uint8

// The states of a thread. A running thread without a lease was left by a process that ended.
const (
	New       Status = iota // it has no records
	Running                 // the next node is known
	Paused                  // it waits for answers
	Completed               // its last run reached an end
	Failed
	Stopped
)

var statuses = [...]string{New: "new", Running: "running", Paused: "paused", Completed: "completed", Failed: "failed", Stopped: "stopped"}

// String returns the name of the status, in small letters.
func (s Status) String() string {
	if int(s) < len(statuses) {
		return statuses[s]
	}
	return "status " + strconv.Itoa(int(s))
}

// Ended reports whether the last run of the thread has ended: nothing is left to continue.
func (s Status) Ended() bool { return s == Completed || s == Failed || s == Stopped }

// A Lease is the right to write to a thread. It ends by Release, or when another Acquire gets the thread, which
// is possible only after its time is up.
type Lease struct {
	Thread string
	Token  uint64        // greater than the token of every earlier lease of the thread
	TTL    time.Duration // every Append and Renew makes the lease last so long again
	Until  time.Time     // by the clock of the store
}

// An Ack is the answer of a store to the holder of a lease. The holder must not compare a clock with the clock of the store: it counts the TTL of
// the lease from before the call, by its own monotonic clock, and ends its work when that is over.
type Ack struct {
	Until time.Time // when the lease ends, by the clock of the store
	Stop  bool      // a stop of the thread is requested
}

// A Filter selects threads. Its zero value selects all.
type Filter struct {
	Graph    string   // empty: of any graph
	Status   []Status // empty: of any status
	Prefix   string   // of the name
	Unleased bool     // threads whose lease has ended, or that have none
	After    string   // names after this one: the last name of the page before
	Limit    int      // of the page; 0: 1,000
}

// PageSize is the limit of a Filter that has none.
const PageSize = 1000

// Page returns the limit of a page.
func (f Filter) Page() int {
	if f.Limit > 0 {
		return f.Limit
	}
	return PageSize
}

// Match reports whether the filter selects a thread. It is for stores without a query language. Now is the time by the
// clock of the store.
func (f Filter) Match(h Head, now time.Time) bool {
	if f.Graph != "" && h.Graph != f.Graph || h.Thread <= f.After {
		return false
	}
	if len(h.Thread) < len(f.Prefix) || h.Thread[:len(f.Prefix)] != f.Prefix || f.Unleased && h.Held(now) {
		return false
	}
	for _, s := range f.Status {
		if s == h.Status {
			return true
		}
	}
	return len(f.Status) == 0
}

// Held reports whether a lease holds the thread at a time.
func (h Head) Held(now time.Time) bool { return h.Until.After(now) }
