package graphgen

import (
	"time"

	"github.com/graphgen/graphgen/chat"
)

// A RunDetail is the details of a run. Child runs of subgraphs have their own: what models and tools took in them is in the times of
// the parent too.
type RunDetail struct {
	// From is how many steps the run had completed when the details began: 0, or more where an earlier call of the run requested no
	// report, or was made in another process. Times, calls, guards and blocks of those steps are not in the details; the counts of the
	// report have them.
	From int

	Duration  time.Duration // from there to the end, without pauses; of a run that is resumed, of all its calls since
	ModelTime time.Duration // of the calls of models; each of those at the same time counts
	ToolTime  time.Duration // of the calls of tools; each of those at the same time counts

	Times []time.Duration // of the steps in Path, without pauses, if WithTimings requests them; else nil
	Steps []StepDetail    // what models and tools did in the steps in Path; nil if they did nothing
	Nodes []NodeDetail    // as in Nodes of the report

	Calls        []ModelCall // of models, in order, the last 2,048 at least; calls of branches in the order of the branches
	CallsDropped int         // calls missing at the start of Calls, of a very long run

	Guards  []GuardCount   // in the order of their first verdicts
	LeftOut []OmittedBlock // in order

	Output any // a pointer to what Run returns; nil: the run failed, or has not ended
}

// A StepDetail is what models and tools did in one step: in a visit of its node, with the child runs of subgraphs. The steps of branches
// have their own.
type StepDetail struct {
	ModelCalls   int
	Usage        chat.Usage
	ModelTime    time.Duration
	ToolCalls    int // those deduplicated not among them
	ToolFailures int // of the calls
	Deduplicated int // calls of pure tools that were answered from an earlier one
	ToolTime     time.Duration
}

// A NodeDetail is the details of a node.
type NodeDetail struct {
	Kind                string // func, prompt, parallel, …
	ModelTime, ToolTime time.Duration
}

// A ModelCall is a call of a model.
type ModelCall struct {
	Node    string
	Branch  string // of composite nodes, as RunInfo has it
	Visit   int    // of the node, from 1
	Attempt int    // counts from 1 the calls for one answer, which chat.Retry and chat.Fallback make
	Model   string // that answered; of a failed call the one that was asked for, empty for the provider's default
	Purpose chat.Purpose
	Prompt  string // the version of the prompt, as ModelEvent has it
	Finish  chat.Finish
	Usage   chat.Usage
	Latency time.Duration
	Err     error
}

// A GuardCount counts the verdicts of a guard, or of a node that judges, on the outputs of a node.
type GuardCount struct {
	Node, Guard     string
	Passed, Refused int
}

// An OmittedBlock is a block of a prompt that was left out: the prompt had no room for it within its budget.
type OmittedBlock struct {
	Node   string
	Branch string // of composite nodes, as RunInfo has it
	Visit  int    // of the node, from 1
	Block  string
}
