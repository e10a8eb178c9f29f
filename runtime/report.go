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
	x := r.extra()
	rep := &Report{
		ID: r.outermost().name(), Graph: r.graph.Name, Reason: r.reason, Steps: r.made(),
		Failures: slices.Clone(x.failures), Refusals: slices.Clone(x.refusals), Retries: x.retries, CacheHits: x.cacheHits, Skips: x.skips,
		Rejected: x.rejected, HookFailures: x.hookFailures,
		Usage: x.usage, ModelCalls: x.modelCalls, Tools: x.tools,
		Nested: Clip(x.nested), NestedDropped: x.nestedDropped, Mutations: Clip(x.mutations), Origin: r.drawn(),
	}
	rep.Ways = r.wayCounts()
	rep.Nodes = r.nodeCounts()
	rep.Path = r.visitsOf(rep.Nodes)
	rep.Dropped = rep.Steps - len(rep.Path)
	return rep
}

// final returns a report of the run that has ended, with the failures of observers at its end.
func (r *Run) final(rep *Report) *Report {
	if failed := r.extra().hookFailures; failed != rep.HookFailures {
		next := *rep // observers have the other one
		next.HookFailures = failed
		return &next
	}
	return rep
}

// wayCounts returns the counts of all transitions.
func (r *Run) wayCounts() []WayCount {
	g := r.graph
	counts := make([]WayCount, len(g.Ways)+len(g.addedWays))
	for i := range counts {
		w, c := g.way(Way(i)), &counts[i]
		c.From, c.To, c.Rule, c.Text, c.Label, c.Pos = g.leaving(w.From), g.NodeName(w.To), w.Rule, w.Text, w.Label, g.wayPosition(w)
		if i < len(r.edges) {
			c.Count = int(r.edges[i])
		}
	}
	return counts
}

// nodeCounts returns the counts of all nodes but end.
func (r *Run) nodeCounts() []NodeCount {
	g, x := r.graph, r.extra()
	counts := make([]NodeCount, len(g.Nodes)+len(g.addedNodes)-1)
	for i := range counts {
		n, c := i+1, &counts[i]
		c.Node, c.Visits = g.NodeName(NodeID(n)), r.visit(NodeID(n))
		if n < len(x.timings) {
			c.Time = x.timings[n]
		}
		if n < len(x.usages) {
			u := &x.usages[n]
			c.Usage, c.ModelCalls, c.Tools = u.usage, u.modelCalls, u.tools
		}
	}
	return counts
}

// visitsOf numbers the steps of the path, of which the visits to each node are the last ones.
func (r *Run) visitsOf(total []NodeCount) []Visit {
	path := make([]Visit, 0, r.n-r.oldest())
	for i := r.oldest(); i < r.n; i++ {
		if n := r.graph.to(r.path[i&(len(r.path)-1)]); n != End {
			path = append(path, Visit{Visit: int(n)})
			total[n-1].Visits--
		}
	}
	for i := range path {
		v := &path[i]
		count := &total[v.Visit-1]
		count.Visits++
		v.Node, v.Visit = count.Node, count.Visits
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
