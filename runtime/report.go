package graphrt

import (
	"slices"
	"time"

	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/internal/origin"
)

// A Reason is the reason why a run ended.
type Reason uint8

const (
	Completed      Reason = iota // a transition led to end, or a node without a transition finished
	ExhaustedEdges               // the node became terminal because its bounded edges ran out
	NoRouteMatched               // no transition matched, and the spec has no_match: end
	MaxSteps                     // max_steps reached
	Budget                       // a governing hook found a budget spent
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
	Steps  int

	Path    []Visit // one per step, in order
	Dropped int     // steps missing at the start of Path, of a very long run

	Ways  []WayCount // every transition of the graph, those never followed too, in the spec's order
	Nodes []NodeCount

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

	Nested        []NestedReport // of runs that subgraphs have made, in order; what they used is in the sums above
	NestedDropped int            // reports missing at the start of Nested, of a very long run
	Mutations     []Change       // changes of the graph that nodes asked for, in order

	Origin origin.Ref `json:"-"` // of the graph, for Diagram
}

// A Visit is one step of a path.
type Visit struct {
	Node  string
	Visit int // of that node, from 1
}

// A WayCount counts how often a transition was followed.
type WayCount struct {
	From, To string // From is empty for the entry and for on_error, which leave no node of their own
	Rule     Rule
	Text     string // the condition, empty if there is none
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

// Report describes the run so far.
func (r *Run) Report() *Report {
	r.tallyUp()
	g := r.graph
	rep := &Report{
		ID: r.outermost().name(), Graph: g.Name, Reason: r.reason, Steps: r.made(),
		Failures: slices.Clone(r.extra().failures), Refusals: slices.Clone(r.extra().refusals), Retries: r.extra().retries, CacheHits: r.extra().cacheHits, Skips: r.extra().skips,
		Rejected: r.extra().rejected, HookFailures: r.extra().hookFailures,
		Usage: r.extra().usage, ModelCalls: r.extra().modelCalls, Tools: r.extra().tools,
		Nested: Clip(r.extra().nested), NestedDropped: r.extra().nestedDropped, Mutations: Clip(r.extra().mutations), Origin: r.drawn(),
	}
	for i := range len(g.Ways) + len(g.addedWays) {
		w := g.way(Way(i))
		count := WayCount{
			From: g.leaving(w.From), To: g.NodeName(w.To), Rule: w.Rule, Text: w.Text, Label: w.Label, Pos: g.wayPosition(w),
		}
		if i < len(r.edges) {
			count.Count = int(r.edges[i])
		}
		rep.Ways = append(rep.Ways, count)
	}
	visits := make([]int, len(g.Nodes)+len(g.addedNodes))
	for n := 1; n < len(visits); n++ {
		visits[n] = r.visit(NodeID(n))
		count := NodeCount{Node: g.NodeName(NodeID(n)), Visits: visits[n]}
		if n < len(r.extra().timings) {
			count.Time = r.extra().timings[n]
		}
		if n < len(r.extra().usages) {
			u := &r.extra().usages[n]
			count.Usage, count.ModelCalls, count.Tools = u.usage, u.modelCalls, u.tools
		}
		rep.Nodes = append(rep.Nodes, count)
	}
	rep.Path = r.visitsOf(visits)
	rep.Dropped = rep.Steps - len(rep.Path)
	return rep
}

// visitsOf numbers the steps of the path, counting back from the visits in all.
func (r *Run) visitsOf(total []int) []Visit {
	nodes := r.nodes()
	path := make([]Visit, len(nodes))
	for i := len(nodes) - 1; i >= 0; i-- {
		n := nodes[i]
		path[i] = Visit{Node: r.graph.NodeName(n), Visit: total[n]}
		total[n]--
	}
	return path
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
