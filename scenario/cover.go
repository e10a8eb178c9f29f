package scenario

import (
	"fmt"
	"io"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/spec"
)

// A Coverage counts the nodes and transitions of a graph that the scenarios took.
type Coverage struct {
	Nodes, NodesTaken             int
	Transitions, TransitionsTaken int // edges, labels, transitions, gotos, routes, error transitions

	Visits []int // by node, in the order of the spec
	Taken  []int // by transition, from the entry

	NeverNodes       []Never
	NeverTransitions []Never
}

// Never is a node or a transition that no scenario took.
type Never struct {
	Line, Col int
	Text      string // "critic", "critic → draft (if out.Score < 2)"
}

// cover sums up the coverage of the scenarios of a graph. The entry is left out.
func cover(m *plan.Machine, results []*wire.Result) *Coverage {
	ways, nodes := make([]int, len(m.Flow.Transitions)), make([]int, len(m.Flow.Nodes))
	for _, r := range results {
		add(ways, r.Transitions)
		add(nodes, r.Visits)
	}
	c := &Coverage{Nodes: len(m.Flow.Nodes), Transitions: len(m.Flow.Transitions) - 1, Visits: nodes, Taken: ways}
	for i, n := range m.Flow.Nodes {
		if nodes[i] > 0 {
			c.NodesTaken++
			continue
		}
		c.NeverNodes = append(c.NeverNodes, Never{n.Place.Line, n.Place.Col, n.Name})
	}
	for i, w := range m.Flow.Transitions {
		switch {
		case i == 0:
		case ways[i] > 0:
			c.TransitionsTaken++
		default:
			c.NeverTransitions = append(c.NeverTransitions, Never{w.Place.Line, w.Place.Col, transitionText(w)})
		}
	}
	return c
}

func add(to, counts []int) {
	for i := range min(len(to), len(counts)) {
		to[i] += counts[i]
	}
}

func transitionText(w *plan.Transition) string {
	from, to := "any node", spec.End
	if w.From != nil {
		from = w.From.Name
	}
	if w.To != nil {
		to = w.To.Name
	}
	s := from + " → " + to
	if w.Text != "" {
		s += " (" + w.Text + ")"
	}
	return s
}

// write writes the coverage as text.
func (c *Coverage) write(w io.Writer, specPath string) {
	fmt.Fprintf(w, "coverage: %s: nodes %d of %d, edges %d of %d\n", specPath, c.NodesTaken, c.Nodes, c.TransitionsTaken, c.Transitions)
	for _, list := range []struct {
		what  string
		never []Never
	}{{"node", c.NeverNodes}, {"edge", c.NeverTransitions}} {
		for _, n := range list.never {
			fmt.Fprintf(w, "    %s:%d:%d: no scenario takes %s %s\n", specPath, n.Line, n.Col, list.what, n.Text)
		}
	}
}
