// Package origin links values of package graphgen to the run that they come from. People read the
// values; graphgen and the engine follow the link.
package origin

import (
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A Ref is a link to the run that a value comes from, or to a part of it. The zero Ref leads nowhere.
type Ref struct{ to any }

// To returns a link.
func To(to any) Ref { return Ref{to} }

// Of returns what a link leads to, nil if it leads nowhere. The caller asserts the methods that it
// needs.
func Of(r Ref) any { return r.to }

// RunKey is the key of contexts under which code that runs within a run finds it.
type RunKey struct{}

// Limits are bounds of a run besides its budgets. They never change once a run has them.
type Limits struct {
	MaxSteps int      // instead of a higher max_steps of the spec; 0: the spec's
	Ledgers  []Ledger // of budgets that the run shares with others
}

// A Ledger counts what runs use of bounds that they share. Its methods may be called concurrently.
type Ledger interface {
	Ask() error            // reserves a call of a model, or returns the LimitError that none is left
	AskPaid()              // reserves a call of a model that was made, whether or not one is left
	Asked(u chat.Usage)    // counts a reserved call
	GiveBack()             // releases a reserved call that was not made
	Hold(calls int) error  // reserves calls of tools
	Called(held, made int) // counts the reserved calls that were made
	Priced() bool          // whether money is bounded
}

// Details are what an event of one kind has besides the fields that all have.
type Details struct {
	Number int           // of Token: the call; of Retry: the attempt
	Text   string        // the text that the kind has
	More   any           // a *Route, *ModelEvent, *ToolEvent, *Request, *chat.Delta, Reasoning, Fields, or a string
	Wait   time.Duration // of Retry, and how long a step took
	Of     Ref           // the run
}

// Reasoning marks a piece of an answer whose text is reasoning alone.
type Reasoning struct{}

// An Exchange keeps the last request that observers got of one model.
type Exchange interface {
	// Sends returns the request that is sent, to be kept, which earlier call it continues, and how many messages they share; 0: it continues none.
	Sends(call int, req *chat.Request) (sent *chat.Request, continues, same int)
}

// Fields are fields of a state, which encode themselves as a list.
type Fields interface {
	codec.Marshaler
	List() []Field
}

// A Field is a field of a state, in JSON.
type Field struct {
	Name  string
	JSON  []byte
	Added bool // JSON has what was added to a list
}

// JSON is an answer of a person, in JSON.
type JSON []byte
