package thread

import (
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/absent"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/origin"
)

// Settings are how the threads of a machine are kept. What is zero is the default.
type Settings struct {
	Store Store
	Mode  Mode          // when a step is saved
	Lease time.Duration // how long a process that was killed keeps the thread from others; 30 seconds
	Keep  time.Duration // for which a thread is kept after its end, or after Fork has made it; 0: until it is deleted
	Seal  Sealer        // has the keys of a graph with secret fields

	// Feed has the methods Watch of machines yield what runs of this process do between two steps; nil: they yield the steps.
	Feed *Feed

	// Ahead is how many records may wait to be saved in the mode Async; 0: DefaultAhead.
	Ahead int

	// Snapshot is how many bytes of records follow a snapshot at least before the next one. If it is 0, these are
	// 256 KB, or twice the bytes of the last snapshot where that is more.
	Snapshot int
}

// A Mode determines when a run is saved.
type Mode uint8

const (
	// EveryStep saves each step before the next one begins. A run that is killed loses at most the steps that were
	// being executed: these are executed again.
	EveryStep Mode = iota
	// AtPauses saves a run when it begins, waits or ends. A run that is killed begins again at the last of these.
	AtPauses
	// Async saves steps while the next ones are executed. A run that is killed loses at most as many records as Ahead of
	// the Settings has, and the steps that were being executed. It waits for all that is to be saved before it ends,
	// before it waits for people, and before a transaction.
	Async
)

// DefaultAhead is the Ahead of Settings that have none.
const DefaultAhead = 16

// DefaultLease is the Lease of Settings that have none.
const DefaultLease = 30 * time.Second

// TakeBack has Start take back the last run of the thread, if that has failed or was stopped. The new run begins as if there had been no such run: with what
// fields with carry had before it. The steps that do not count any more, and what calls in them gave, remain in the history, and Step.TakesBack of the first
// step of the new run has the number of the first of them. What the run has done outside of the thread is not undone, and its ID begins no other run.
func TakeBack() graphgen.RunOption {
	return option.ForRun[optionset.Settings](func(o *optionset.Settings) { o.TakesBack = true })
}

// An Option is an option of the constructor of a durable graph's machine. Every graphgen.Option is one.
type Option interface {
	option.Thread[optionset.Settings]
}

// With keeps the threads of a machine in a store.
func With(s Settings) Option { return with("thread.With", s) }

// In is With for a store and the default settings.
func In(store Store) Option { return with("thread.In", Settings{Store: store}) }

func with(name string, s Settings) Option {
	if why := s.wrong(); why != "" {
		return graphgen.Invalid(name, why)
	}
	return option.ForThread[optionset.Settings](func(o *optionset.Settings) { o.Thread = origin.To(&s) })
}

// wrong returns why no thread can be kept with the settings, an empty text if one can.
func (s *Settings) wrong() string {
	switch {
	case absent.Is(s.Store):
		return "the store is nil: leave it out for runs that are in no thread"
	case s.Mode > Async:
		return "Mode is not EveryStep, AtPauses or Async: use one of them"
	case s.Lease < 0:
		return "Lease is below 0: use 0 for the default"
	case s.Keep < 0:
		return "Keep is below 0: use 0 for no end"
	case s.Seal != nil && absent.Is(s.Seal):
		return "Seal is a nil pointer: leave it out"
	case s.Ahead < 0:
		return "Ahead is below 0: use 0 for the default"
	case s.Snapshot < 0:
		return "Snapshot is below 0: use 0 for the default"
	}
	return ""
}
