package graphgen

import (
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/mutation"
)

// A Reason is the reason why a run ended.
type Reason uint8

const (
	Completed      Reason = iota // a transition led to end, or a node without a transition finished
	ExhaustedEdges               // the node became terminal because its bounded edges ran out
	NoRouteMatched               // no transition matched, and the spec has no_match: end
	MaxSteps                     // max_steps reached
	Budget                       // a budget is spent, of the run or by a governing hook
	Stopped                      // cancelled, or stopped by a Stopper
	Failed
	Paused // a node waits for a person: the error holds the run
)

// String returns the reason as scenarios write it.
func (r Reason) String() string {
	return [...]string{"completed", "exhausted", "no_route", "max_steps", "budget", "stopped", "failed", "interrupted"}[r]
}

// A Report describes what a run did.
type Report struct {
	ID     string // of the run, as its events and idempotency keys have it
	Graph  string
	Reason Reason
	Ending string // the name of the end that a completed run has reached; empty: it has none
	Steps  int

	Path    []Visit // one per step, in order: the last 1,024, or the last 16,384 of a run that is observed or requests a report
	Dropped int     // steps missing at the start of Path, of a very long run

	Transitions []TransitionCount // every transition of the graph, those never followed too, in the spec's order
	Nodes       []NodeCount

	Failures     []Failure // in order
	Refusals     []Refusal // outputs that guards refused, in order
	Retries      int       // executions after a first one of the same step
	CacheHits    int
	Skips        int
	Rejected     int // outputs that named a node that cannot be gone to
	HookFailures int // observers and hooks that failed

	Usage      chat.Usage // of all model calls
	ModelCalls int
	Tools      ToolCount

	Prompts []PromptCount // by node and version, in the order of their first calls

	Nested        []NestedReport   // of runs that subgraphs have made, in order, the last 512 at least; what they used is in the sums above
	NestedDropped int              // reports missing at the start of Nested, of a very long run
	Mutations     []mutation.Entry // changes of the graph that nodes asked for, in order

	Detail *RunDetail // where WithReport requests it; else nil

	Origin origin.Ref `json:"-"` // of the graph, for Diagram
}

// A Visit is one step of a path.
type Visit struct {
	Node  string
	Visit int // of that node, from 1
}

// A TransitionCount counts how often a transition was followed.
type TransitionCount struct {
	From, To string // From is empty for the entry and for on_error, which leave no node of their own
	Rule     Rule
	Text     string // the condition, empty without one
	Label    string // of the edge, empty if it has none
	Pos      Position
	Count    int
}

// A NodeCount counts the visits of a node and what its models and tools did. It has the time
// that they took if timings were requested.
type NodeCount struct {
	Node       string
	Visits     int
	Time       time.Duration
	Usage      chat.Usage
	ModelCalls int
	Tools      ToolCount
}

// A Failure is a failed step.
type Failure struct {
	Err     *NodeError
	Soft    bool // of a fail_soft node: the run went on as if it had succeeded
	Cleared bool // a failure route led to a node that succeeded, or to end
}

// A Refusal is an output that guards refused.
type Refusal struct {
	Where   Where
	Attempt int // the execution that gave it, from 1
	Guards  []GuardFailure
}

// NodePath returns the names of the path.
func (r *Report) NodePath() []string {
	names := make([]string, len(r.Path))
	for i, v := range r.Path {
		names[i] = v.Node
	}
	return names
}

// Diagram returns the graph of the run as Mermaid text, as graphgen diagram draws it. Dynamic nodes
// and edges are thick; removed nodes and templates are left out.
func (r *Report) Diagram() string {
	if d, ok := origin.Of(r.Origin).(interface{ Diagram() string }); ok {
		return d.Diagram()
	}
	return ""
}

// A ToolCount counts calls of tools.
type ToolCount struct {
	Made         int // those deduplicated not among them
	Failed       int // of the made ones
	Deduplicated int // calls of pure tools that were answered from an earlier one
}

// Add returns the sum of two counts.
func (c ToolCount) Add(d ToolCount) ToolCount {
	return ToolCount{c.Made + d.Made, c.Failed + d.Failed, c.Deduplicated + d.Deduplicated}
}

// A NestedReport is the report of a child run that a node started.
type NestedReport struct {
	Node    string
	Branch  string // of composite nodes, as Event has it
	Visit   int    // of the node, from 1
	Attempt int    // execution of the node, from 1
	Report  *Report
}
