package thread

import (
	"context"
	"iter"
	"time"

	"github.com/graphgen/graphgen"
)

// A Thread is the handle of one thread of a machine M: a durable series of runs, one after another. The method Thread of the machine returns it;
// it reads nothing until a method is called. A thread that does not exist begins with Start. Its methods may be called by any number of goroutines
// and processes: a lease gives the thread to one of them at a time, and the others get a *HeldError.
//
// For the events of a call, see graphgen.NewStream.
type Thread[M, In, Out, State any] interface {
	// Name returns the name of the thread.
	Name() string

	// Start makes a run: each of its steps is saved in the store of the machine before the next one begins. The error is an error of Run, or one of
	// this package: then nothing has run. With the ID of a run that the thread has had, by graphgen.WithRunID, Start returns the result of that run,
	// or continues it as Recover does; with another input, the error is a *StateError.
	Start(ctx context.Context, in In, opts ...graphgen.RunOption) (Out, error)

	// Resume continues the run that waits, with an answer to one of its requests. If the error is a *graphgen.ResumeError, nothing has changed.
	Resume(ctx context.Context, a graphgen.Answer[M], opts ...graphgen.ResumeOption) (Out, error)

	// Recover continues the run after the last step that was saved, if its process has ended, or if it was stopped or failed. A run that is complete
	// gives its output again. If the run waits for a person, the error is the pause, as of Run. Give the options of Start again.
	Recover(ctx context.Context, opts ...graphgen.CallOption) (Out, error)

	// Stop requests that the run stops before its next node, in whatever process it is.
	Stop(ctx context.Context) error

	// Info returns what lists show of the thread: its status, and the requests that are open. Requests returns these alone.
	Info(ctx context.Context) (Info, error)
	Requests(ctx context.Context) ([]graphgen.Request, error)

	// Watch yields the steps that the thread has saved after a record, and then what follows, in whatever process that happens. Each step is
	// yielded once, in order, and none is left out: a reader that begins again after the last Seq misses nothing. If the machine has a Feed, the
	// events of a run of this process come between the steps, as they happen; they have no number and are not saved. A reader that joins during a
	// step gets its events from the last record on; of an answer whose first piece is missing, only the step.
	//
	// Watch ends after the end of the last run, or where that waits for people. It executes nothing. The last pair has the error, if there is
	// one: the error of the context, of the store, or a *GapError.
	Watch(ctx context.Context, after After) iter.Seq2[Event, error]

	// History yields the steps that the thread has saved after a record; 0: all. What is sealed is left out. The last pair has the error, if
	// there is one.
	History(ctx context.Context, after uint64) iter.Seq2[Step, error]

	// StateAt returns the state after a record; 0: the last one. It executes nothing.
	StateAt(ctx context.Context, seq uint64) (State, error)

	// Fork makes the thread named to with the log of this one through a record, and edits its state; 0 is the last record, and edit may be nil.
	// Nothing runs until Recover continues the fork. This thread is not changed, and may be running. If a process ends while it makes a fork, nothing
	// runs in that, and Fork with the same record completes it; else the error is a StateError with ErrExists if there is a thread of that name.
	Fork(ctx context.Context, seq uint64, to string, edit func(*State)) error
}

// An Info is what is known about a thread without its log.
type Info struct {
	Name     string
	Status   Status
	Requests []graphgen.Request // that are open
	Failure  string             // with which its last run failed
	Updated  time.Time
}

// Shape returns the shape of the graph of a durable machine, for Recovery.
func Shape[D interface{ Shape() string }](m interface{ Durable() D }) string {
	return m.Durable().Shape()
}
