package thread

import (
	"context"
	"time"
)

// A Store keeps threads. All methods may be called concurrently, from any number of processes.
//
// A thread exists from its first record on, until Delete or Sweep removes it. Methods that need one return
// [*NotFoundError] when it does not exist.
//
// An error that is not one of this package leaves open whether the call took effect, wholly or not at all. Every call
// can be repeated after such an error.
//
// A store never decides by a clock alone what may be written: a lease whose time is up remains good until another
// Acquire gets the thread, and a token that is not the last one is refused, whatever the time. A clock that is wrong
// delays a takeover, or makes it early; it cannot make two histories.
type Store interface {
	// Acquire gives the right to write to a thread, and returns its head. A thread that does not exist gets a lease on
	// its name; its head is zero except for Thread. The error is [*HeldError] while another lease lasts, also one of
	// this process. At most one caller gets a thread at a time. The lease before it, if any, can write nothing from the
	// moment Acquire returns, and the head has all that it wrote. It compares the log with the head: where the record of the head
	// is not the last one, the error is [*CorruptError], and nothing holds the thread.
	Acquire(ctx context.Context, thread string, ttl time.Duration) (Lease, Head, error)

	// Renew makes the lease last for its TTL from now on. The error is [*LostError] if another lease followed it, if it
	// was released, or if the thread was deleted.
	Renew(ctx context.Context, lease Lease) (Ack, error)

	// Release ends the lease; the thread can be acquired immediately. To release a lease that is lost does nothing.
	Release(ctx context.Context, lease Lease) error

	// Append adds records to the log, replaces the head and renews the lease: all of it or nothing, in one round trip.
	// When it returns without an error, the records are durable in the way that the store documents. It refuses
	// with [*LostError] as Renew does, and with [*SeqError] if the first record does not follow the last one of
	// the thread: it has then written nothing. The numbers have no gaps, and head.Seq is the last of them;
	// without records, the head alone is replaced. Created is kept from the first head.
	//
	// An Append that is repeated under the same lease, with the same records, takes effect once: the second call
	// returns an Ack. So a caller whose Append failed for an unknown reason calls it again.
	//
	// An ended status in the head clears a requested stop; every other status keeps it. Append keeps no
	// reference to data of its arguments.
	Append(ctx context.Context, lease Lease, head Head, records []Record) (Ack, error)

	// Load returns the head of a thread as it is, and the records from the last snapshot through record at: what
	// is needed to know the state there. At 0 is the last record; head and records then fit together. Data belongs to
	// the caller. A record that is damaged or missing is a [*CorruptError], and so is a log that does not end with the record of the
	// head where at is 0. A record that was pruned is a [*NotFoundError].
	Load(ctx context.Context, thread string, at uint64) (Head, []Record, error)

	// History returns the records after a number in their order, at most limit of them; limit 0 is all. Records that
	// were pruned are left out; a record that is damaged or missing is a [*CorruptError].
	History(ctx context.Context, thread string, after uint64, limit int) ([]Record, error)

	// List returns one page of the heads that a filter selects, in the order of the bytes of their names. A page with
	// fewer heads than the limit is the last. All returns every page.
	List(ctx context.Context, filter Filter) ([]Head, error)

	// Stop requests that a thread stops: the next Append, Renew or Acquire returns the request. It does nothing
	// if the thread has ended.
	Stop(ctx context.Context, thread string) error

	// Copy makes a thread with the log of another through record at, with the name and the head given. The records keep
	// their numbers and times; head.Seq is at. Neither a lease nor a requested stop is copied. The other thread may be
	// running. The error is a [*StateError] with [ErrExists] if there is a thread of that name, [*HeldError] if there is a lease on it,
	// and [*NotFoundError] if the record does not exist or was pruned.
	Copy(ctx context.Context, from string, at uint64, head Head) error

	// Prune removes the records before the last snapshot at or before a number, and returns how many. What it
	// keeps can be loaded. The thread may be running. The last snapshot is never removed.
	Prune(ctx context.Context, thread string, before uint64) (int, error)

	// Delete removes a thread. The error is [*HeldError] while a lease lasts: stop the thread, and delete it when it is
	// released. A lease whose time is up is lost by it; no later Append brings the thread back.
	Delete(ctx context.Context, thread string) error

	// Sweep deletes the threads whose Expires has passed and that no lease holds, and returns how many.
	Sweep(ctx context.Context) (int, error)
}

// A Transactor is a store that can write records in one transaction with what a handler writes to the same
// database: both are durable, or neither.
type Transactor interface {
	Store

	// Transact begins a transaction, runs fn in it, appends what fn returns as Append does, and commits. The package of
	// the store has a function that gets the transaction from the context of fn. Fn is not run when the lease is
	// lost. An error of fn, and every error of Append, rolls back all of it. After an error that is not of
	// this package, Load shows whether the transaction was committed; fn must not be run again before.
	Transact(ctx context.Context, lease Lease, fn func(context.Context) (Head, []Record, error)) (Ack, error)
}
