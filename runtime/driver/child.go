package driver

import (
	"context"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

// Children make child runs of other machines elsewhere: as workflows of their own. Generated code asks for it at nodes with child_workflow: true.
type Children interface {
	// Child makes the child run that the current node of a run starts, and returns when it has ended. ctx is the context of the node: when it ends, the
	// child run is to be cancelled. An error means that the child run has left no record.
	Child(ctx context.Context, c *Child) (*Ended, error)
}

// A Child is a child run that is made elsewhere.
type Child struct {
	Around   []Around    // the runs around it, the outermost first
	Place    string      // in the outermost run: branches, steps and nodes. Attempts of a node have the same
	Input    []byte      // in JSON
	Stopping func() bool // reports whether the stop of a run around it is requested; for Scheduler.Wait
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

// Ended is how a child run has ended.
type Ended struct {
	Output  []byte // in JSON; nil if Err is not nil
	Err     error  // an Origin in it that is not zero stands for the run that Ends names
	Ends    int    // the number in Around of the run that ends with Err too; negative: none does
	Report  *graphgen.Report
	Counted []Counted // by the runs around it, where it was made
}
