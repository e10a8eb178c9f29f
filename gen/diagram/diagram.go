// Package diagram draws a planned machine: as Mermaid, for Markdown pages, and as DOT, for
// Graphviz. Package flowchart of the kernel has what both show.
package diagram

import (
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/flowchart"
)

// Mermaid draws a machine as a Mermaid flowchart, as the kernel draws the tables of the machine.
func Mermaid(m *plan.Machine) []byte { return []byte(Chart(m).Mermaid()) }

// endings are how diagrams show that a node takes no transition.
var endings = map[plan.DefaultKind]flowchart.Ending{
	plan.Terminal: flowchart.Terminal, plan.Exhausted: flowchart.UsedUp, plan.End: flowchart.NoMatch,
}

// Chart returns the tables of a machine, whose lines every drawing shows.
func Chart(m *plan.Machine) *flowchart.Graph {
	g := &flowchart.Graph{Name: m.Name, Nodes: make([]flowchart.Node, 1, len(m.Flow.Nodes)+1)}
	for _, n := range m.Flow.Nodes {
		g.Nodes = append(g.Nodes, flowchart.Node{
			Name: n.Name, Shape: n.Drawing.Shape, Title: n.Drawing.Title, Parent: number(n.Parent), Template: n.Template, Ending: endings[n.Drawing.Ending],
			Most: n.Iterations(), Each: n.Each(), First: n.First().Number(),
		})
	}
	for _, w := range m.Flow.Transitions {
		g.Transitions = append(g.Transitions, flowchart.Transition{
			From: number(w.From), To: number(w.To), Rule: w.Rule.String(), Text: w.Text, Label: w.Label, End: w.End, Case: w.Case, Max: w.Max,
			Skipped: w.Skipped,
		})
	}
	if m.Flow.OnError != nil {
		g.OnError = m.Flow.OnError.ID
	}
	return g
}

// number is the number of a node; end is 0.
func number(n *plan.Node) int {
	if n == nil {
		return 0
	}
	return n.ID
}
