package driver

import (
	"context"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

// Children make child runs of other machines elsewhere: as workflows of their own. Generated code asks for it at nodes with child_workflow: true.
type Children interface {
	// Child makes the child run that the current node of a run starts, and returns when it has ended or waits for people. ctx is the context of the node:
	// when it ends, the child run is to be cancelled. An error means that the child run has left no record. A child run that waits has its answers from
	// another call of Child, which continues it: with the same Place and Attempt, and Continues.
	Child(ctx context.Context, c *Child) (*Ended, error)
}

// A Child is a child run that is made elsewhere.
type Child struct {
	Around   []Around    // the runs around it, the outermost first
	Place    string      // in the outermost run: branches, steps and nodes. Attempts of a node have the same
	Input    []byte      // in JSON
	Stopping func() bool // reports whether the stop of a run around it is requested; for Scheduler.Wait

	Continues bool       // the child run has begun, and waits
	Answers   []Answered // to its requests; none if it is to be cancelled
}

// An Answered is a request of a child run that is made elsewhere, and its answer.
type Answered struct {
	Request  string
	Answer   []byte              // in JSON; nil: it came too late
	Late     *graphgen.LateError `json:",omitempty"`
	By, Note string              `json:",omitempty"`
}

// An Around is a run around a child run that is made elsewhere, and the node that waits for it.
type Around struct {
	Run    string `json:",omitempty"` // its name in idempotency keys; of the outermost run alone
	Graph  string
	Node   string
	Branch string `json:",omitempty"`

	Step, Visit, Attempt int

	Depth   int              `json:",omitempty"` // runs of the same graph around the child run, each made by the one before
	Budgets graphgen.Budgets `json:",omitzero"`

	// What the run has used of its budgets:
	Usage      chat.Usage `json:",omitzero"`
	ModelCalls int        `json:",omitempty"`
	ToolCalls  int        `json:",omitempty"`

	DryRun  bool `json:",omitempty"`
	Timings bool `json:",omitempty"`
	Details bool `json:",omitempty"` // its report is requested

	Counted Counted `json:",omitzero"` // so far
}

// Counted is what a run around others counts for its observers and its report.
type Counted struct {
	Events       int `json:",omitempty"` // that its observers got
	Calls        int `json:",omitempty"` // of models that have begun, as ModelEvent.Call numbers them
	HookFailures int `json:",omitempty"`
}

// Ended is how a child run has ended, or that it waits.
type Ended struct {
	Output  []byte // in JSON; nil if Err is not nil
	Err     error  // an Origin in it that is not zero stands for the run that Ends names
	Ends    int    // the number in Around of the run that ends with Err too; negative: none does
	Report  *graphgen.Report
	Counted []Counted // by the runs around it, where it was made

	Waits []graphgen.Request                             // what it waits for; nil: it has ended
	Check func(q *graphgen.Request, answer []byte) error // returns why an answer in JSON does not fit one of these; not nil if it waits
}
