package scriptdriver

import (
	"fmt"

	"github.com/graphgen/graphgen/runtime/mutation"
)

// A Change is a mutation that a handler requests.
type Change struct {
	Action   string         `json:"action"`
	Name     string         `json:"name,omitempty"` // of a new node, or of the one that is to go or to be gone to
	Template string         `json:"template,omitempty"`
	From     string         `json:"from,omitempty"` // of an edge; of a new node: the node that leads to it
	To       string         `json:"to,omitempty"`   // of an edge; of a new node: where it leads
	Most     int            `json:"most,omitempty"`
	Visits   int            `json:"visits,omitempty"` // of a new node
	Update   map[string]any `json:"update,omitempty"`
}

// String describes a change.
func (c Change) String() string {
	return fmt.Sprintf("%s %s %s %s>%s %d", c.Action, c.Name, c.Template, c.From, c.To, c.Most)
}

// Mutations are the changes that the entry asks for. update makes the graph's update of pairs of
// names and pointers, that it fills with fill.
func (e *Entry) Mutations(update func(fill func(pairs ...any)) any) []mutation.Change {
	var out []mutation.Change
	for _, c := range e.Mutate {
		switch c.Action {
		case "add_node":
			out = append(out,
				mutation.AddNode(mutation.Node{Name: c.Name, Template: c.Template, After: c.From, Times: c.Most, Next: c.To, MaxVisits: c.Visits}))
		case "add_edge":
			out = append(out, mutation.AddEdge(c.From, c.To).AtMost(c.Most))
		case "skip_to":
			out = append(out, mutation.SkipTo(c.Name))
		case "retry_with":
			out = append(out, mutation.RetryWith(update(func(pairs ...any) { fill(c.Update, pairs) })))
		case "remove_edge":
			out = append(out, mutation.RemoveEdge(c.From, c.To))
		case "remove_node":
			out = append(out, mutation.RemoveNode(c.Name))
		}
	}
	return out
}

// Verdict returns the text for an accepted or refused mutation.
func Verdict(node, action string, made bool) string {
	if made {
		return node + " made " + action
	}
	return node + " was refused " + action
}
