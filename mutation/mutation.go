// Package mutation has the changes of its graph that a run may request, where the spec has mutations. A handler returns
// them beside its output.
package mutation

import (
	"strconv"

	"github.com/graphgen/graphgen/internal/nodename"
)

// An Action is what a change does to the graph of its run.
type Action string

// The actions, as specs and models write them.
const (
	ActionAddNode    Action = "add_node"
	ActionAddEdge    Action = "add_edge"
	ActionSkipTo     Action = "skip_to"
	ActionRetryWith  Action = "retry_with"
	ActionRemoveEdge Action = "remove_edge"
	ActionRemoveNode Action = "remove_node"
)

// A Change is a change of the graph of one run, which a node requests beside its output. The
// graph that all runs share never changes. A change that the spec does not allow, or that would
// make the graph unsound, is refused. An event and the report have the reason, and the run continues.
type Change struct {
	Action   Action
	From, To string // of an edge; To is also the node of skip_to and remove_node
	Most     int    // how often an added edge is followed at most; 0: as often as the run gets there
	Update   any    // of retry_with
	Node     Node   // of add_node
	Misread  string // why the request could not be read; such a change is refused
}

// A Node describes a dynamic node: another one of a template, or one of a kind.
type Node struct {
	Name     string // letters, digits and _, a letter first, 64 bytes at most
	Template string // a node that the spec names among its templates
	Kind     string // without a template: prompt, or the name of a template; empty: the only kind that the spec allows

	// Of kind prompt:
	Instructions string   // with {{field}} placeholders
	Reads        []string // state fields that it is shown
	Writes       string   // the state field that its answer is written to; empty: none
	Tools        []string // of the graph's

	After     string // the node from which an edge leads to it; empty: none does yet
	Times     int    // how often that edge is followed at most; 0: once
	Next      string // where it leads; empty: where After leads when no condition holds, without After to end
	MaxVisits int    // 0: as often as the spec's nodes by default
}

// AddNode requests a new node.
func AddNode(n Node) Change { return Change{Action: ActionAddNode, Node: n} }

// AddEdge requests an edge, which is tried before the edges of the spec.
func AddEdge(from, to string) Change {
	return Change{Action: ActionAddEdge, From: from, To: to}
}

// AtMost bounds how often a dynamic edge is followed.
func (m Change) AtMost(times int) Change {
	m.Most = times
	return m
}

// SkipTo requests to go to a node, or to end, instead of the next node.
func SkipTo(node string) Change { return Change{Action: ActionSkipTo, To: node} }

// RetryWith requests to run the node again, once fields of the state are set: update is the struct
// generated for that: the name is the graph's name followed by Update.
func RetryWith(update any) Change { return Change{Action: ActionRetryWith, Update: update} }

// RemoveEdge requests to close the transitions from one node to another.
func RemoveEdge(from, to string) Change {
	return Change{Action: ActionRemoveEdge, From: from, To: to}
}

// RemoveNode requests to remove a node. Transitions to it go to its successor, the target of its
// only transition without condition.
func RemoveNode(node string) Change { return Change{Action: ActionRemoveNode, To: node} }

// String describes the change. It quotes a name that no node has, and cuts it if it is long: it
// may be any text.
func (m *Change) String() string {
	text := string(m.Action)
	switch {
	case m.From != "":
		text += " " + nodename.Named(m.From) + " -> " + nodename.Named(m.To)
	case m.To != "":
		text += " " + nodename.Named(m.To)
	case m.Node.Name != "":
		text += " " + nodename.Named(m.Node.Name)
	}
	switch {
	case m.Most == 1:
		text += ", once at most"
	case m.Most > 1:
		text += ", " + strconv.Itoa(m.Most) + " times at most"
	}
	return text
}

// An Entry is what a report has of a change that a node requested.
type Entry struct {
	Node    string // that asked
	Step    int
	Action  Action
	Text    string // what it asked for
	Refused string // why not; empty: it was made
}
