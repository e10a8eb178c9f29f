package thread

import (
	"time"

	"github.com/graphgen/graphgen"
)

// An Event is what Watch yields: a step that is saved, or an event of a run of this process as it happens.
type Event struct {
	// Seq is the number of the record that saves the step. It is the same in every process and at every time. 0: the event is
	// live, and is yielded once.
	Seq   uint64
	Saved Step           // without fields that are private or sealed
	Live  graphgen.Event // where Seq is 0
}

// After is where Watch begins, and when it ends. Its zero value is the whole thread, up to the end of its run.
type After struct {
	Seq  uint64 // of the last event that was seen; 0: none was
	Stay bool   // wait for the next run where the last one has ended, for an answer where it waits, and for a thread that does not exist

	// Every is the time between two looks at the store while the run is in another process; 0: DefaultEvery.
	Every time.Duration
}

// DefaultEvery is the Every of an After that has none.
const DefaultEvery = 500 * time.Millisecond
