// Package engine runs the machines that graphgen generates: the record of a run, its limits, failures,
// forks, pauses, the overlay of dynamic nodes, and what it reports. Generated code calls it, and nothing else
// should; the data that people read and the options that they give are of package graphgen. It depends on
// neither YAML nor a vendor, uses no reflection, and allocates nothing for a step that has no observers.
package engine

import (
	"slices"
	"sync/atomic"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/prompttext"
)

// A Generation numbers the forms that generated code has had.
type Generation uint8

// SupportsGen6 is referred to by generated code, so that it builds only with a kernel that
// can run it.
const SupportsGen6 Generation = 6

// SupportsGen5 is what code refers to that an earlier graphgen has generated. The compiler refuses that code: the variable is not a
// constant, and the name of its type is the message.
var SupportsGen5 code_of_an_earlier_graphgen__run_go_generate_again

type code_of_an_earlier_graphgen__run_go_generate_again struct{}

// A NodeID is the number of a node in its graph. 0 is end.
type NodeID uint16

// End is the terminal pseudo-node.
const End NodeID = 0

// A TransitionID is the number of a transition from a node to the next: an edge, a label of a branch,
// an entry of transitions, a goto. The ones below are in every graph, the others in its table.
type TransitionID uint32

const (
	// Terminal ends the run: the node has no transition.
	Terminal TransitionID = 1<<30 - 1 - iota
	// Exhausted ends the run: every edge of the node has been followed as often as it may.
	Exhausted
	// NoRoute ends the run: no transition matched, and the spec has no_match: end.
	NoRoute
	// Aborted ends the run: a failure has no failure route.
	Aborted
	firstCommon
)

// entry is the transition that enters a graph, the first of its table.
const entry TransitionID = 0

// OnMaxSteps is what happens when a run has used up its steps.
type OnMaxSteps uint8

const (
	MaxStepsError OnMaxSteps = iota // Run returns a LimitError
	MaxStepsLast                    // Run returns what there is
	MaxStepsFlag                    // the same, and the output has a flag for it
)

// NoLimit is the most steps of runs that only the answers of people bound.
const NoLimit = 1<<31 - 1

// A Graph is the static description of a generated machine. It never changes.
type Graph struct {
	Gen         Generation // of the code
	Name, File  string
	Shape       string           // of a durable graph: the hash of its shape, by which threads know its version
	Nodes       []NodeInfo       // by NodeID; the first is end
	Transitions []TransitionInfo // by TransitionID; the first is the entry
	MaxSteps    int
	OnMaxSteps  OnMaxSteps
	Timeout     Timeout           // of a run
	Budgets     graphgen.Budgets  // of a run
	Models      []ModelUse        // that its nodes may ask, where it has a budget of money
	Named       []string          // names of models that it and its nodes have, those of graphs that it runs among them
	Model       string            // that is asked where a node names none; empty: the machine's
	Temperature *float64          // of requests that no node describes; nil: the model's
	Prompts     []prompttext.Info // of the nodes that ask models
	Servers     []chat.Server     // that it declares
	OnError     TransitionID      // after a failure that no node handles; 0: none
	Mutable     *Mutable          // how runs may change it; nil: not at all

	Interruptible bool // a run of it that paused between two nodes can be continued
	Interrupts    bool // runs of it pause before or after some of its nodes

	dynamicNodes       []NodeInfo       // of the copy that a run has changed: numbered behind Nodes
	dynamicTransitions []TransitionInfo // numbered behind Transitions

	description atomic.Pointer[description] // nil: see described
	bounded     atomic.Pointer[[]NodeID]    // nil: see bound
}

// copied returns a copy of the graph.
func (g *Graph) copied() *Graph {
	c := &Graph{
		Gen: g.Gen, Name: g.Name, File: g.File, Shape: g.Shape, Nodes: g.Nodes, Transitions: g.Transitions, MaxSteps: g.MaxSteps, OnMaxSteps: g.OnMaxSteps,
		Timeout: g.Timeout, Budgets: g.Budgets, Models: g.Models, Named: g.Named, Model: g.Model, Temperature: g.Temperature,
		Prompts: g.Prompts, Servers: g.Servers, OnError: g.OnError, Mutable: g.Mutable,
		Interruptible: g.Interruptible, Interrupts: g.Interrupts, dynamicNodes: g.dynamicNodes, dynamicTransitions: g.dynamicTransitions,
	}
	c.description.Store(g.description.Load())
	c.bounded.Store(g.bounded.Load())
	return c
}

// NodeInfo describes a node.
type NodeInfo struct {
	Name      string
	Kind      string // func, prompt, …
	Line, Col int
	MaxVisits uint32 // 0: the machine need not count its visits
	Dynamic   bool   // a run has added it
	Before    bool   // a run pauses before it
	After     bool   // a run pauses after it

	Most     uint32         // iterations of the body that it runs; 0: it is no loop
	Parent   NodeID         // the node that runs it, and that fails when it fails; 0: none
	Branch   string         // of it in which it runs; empty: it has none, or runs are in no threads
	Critical bool           // its failure ends the run
	Skips    bool           // it is skipped after a failure
	OnError  []TransitionID // its error edges, in the order of trying
	OnBudget []TransitionID // its budget edges, in the order of trying
	ErrorTo  TransitionID   // after a failure that its error edges do not take; 0: none

	// For diagrams:
	Shape string       // as Graphviz calls it; empty: a box
	Title string       // what it shows in place of its name
	Each  string       // the field that its body has another value of each time
	First TransitionID // of a node that picks: the transition that it takes first; 0: none
	Else  TransitionID // Terminal, Exhausted or NoRoute: what ends a run that takes no transition of it; 0: none does

	// Of graphs that runs may change:
	Bound   uint32       // max_visits, of the node or the limits; 0: neither has it
	Ends    bool         // a run may end there though no transition leads to end
	Only    TransitionID // its transition, where there is one alone, without condition and bound; 0: there is not
	Chooses bool         // a route or its handler always names the next node, so that no edge is tried
}

// TransitionInfo describes a transition.
type TransitionInfo struct {
	From, To  NodeID
	Ending    string // the name of the end to which it leads; empty: none
	Rule      graphgen.Rule
	Text      string // the condition as the spec has it; empty: none
	Label     string // the author's name for it; empty: none
	Case      string // the label of the branch table that leads there; empty: none
	Line, Col int
	Pair      TransitionID // the first transition between these nodes, where one of them is bounded
	Max       uint32       // how often the pair may be followed; 0: no bound
	Shared    bool         // other transitions of the pair count too
	Skipped   bool         // only a skipped node takes it
}

// NodeName returns the name of a node.
//
//go:noinline
func (g *Graph) NodeName(n NodeID) string {
	if int(n) >= len(g.Nodes)+len(g.dynamicNodes) {
		return "unknown"
	}
	return g.node(n).Name
}

// leaving returns the name of the node that a transition leaves. It is empty if the transition
// enters the graph, or leaves any node that failed.
func (g *Graph) leaving(n NodeID) string {
	if n == End {
		return ""
	}
	return g.NodeName(n)
}

// nodePosition returns the place of a node in the spec.
func (g *Graph) nodePosition(n NodeID) graphgen.Position {
	return graphgen.Position{File: g.File, Line: g.node(n).Line, Col: g.node(n).Col}
}

func (g *Graph) transitionPosition(w *TransitionInfo) graphgen.Position {
	return graphgen.Position{File: g.File, Line: w.Line, Col: w.Col}
}

// to returns the node that a transition leads to. The loop of a machine does not ask for it.
//
//go:noinline
func (g *Graph) to(transition TransitionID) NodeID {
	if transition > firstCommon {
		return End
	}
	return g.transition(transition).To
}

// node returns a node of the graph, or of its overlay.
func (g *Graph) node(n NodeID) *NodeInfo {
	if int(n) < len(g.Nodes) {
		return &g.Nodes[n]
	}
	return &g.dynamicNodes[int(n)-len(g.Nodes)]
}

// transition returns a transition of the graph, or of its overlay.
func (g *Graph) transition(w TransitionID) *TransitionInfo {
	if int(w) < len(g.Transitions) {
		return &g.Transitions[w]
	}
	return &g.dynamicTransitions[int(w)-len(g.Transitions)]
}

// isConditional reports whether edges of a node have conditions.
func (g *Graph) isConditional(from NodeID) bool {
	return from != End && slices.ContainsFunc(g.Transitions, func(w TransitionInfo) bool {
		return w.From == from && w.Rule == graphgen.RuleEdge && w.Text != ""
	})
}

// named returns the node with a name, most likely the one given. It returns End where there is none.
func (g *Graph) named(name string, likely NodeID) NodeID {
	if g.NodeName(likely) == name {
		return likely
	}
	for n := range len(g.Nodes) + len(g.dynamicNodes) {
		if g.node(NodeID(n)).Name == name {
			return NodeID(n)
		}
	}
	return End
}
