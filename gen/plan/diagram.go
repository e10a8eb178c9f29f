package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/internal/flowchart"
	"github.com/graphgen/graphgen/spec"
)

// findDrawing finds what diagrams need that is no table of its own.
func (m *Machine) findDrawing() {
	for _, n := range m.Flow.Nodes {
		n.Drawn, n.Title, n.Ending = ShapeOf(n.Kind), titleOf(n), endingOf(n)
		for _, t := range n.SkipTests {
			t.Transition.Skipped = !slices.ContainsFunc(n.Tests, func(is Test) bool { return is.Transition == t.Transition })
		}
	}
}

// workerShapes are the shapes of nodes by what does their work, but for handlers.
var workerShapes = map[spec.By]string{
	spec.ByModel: "ellipse", spec.ByTool: "component", spec.ByPerson: "house", spec.ByGraph: "folder", spec.ByNodes: "box3d",
	spec.ByMachine: "tab",
}

// ShapeOf returns the shape that diagrams give to nodes of a kind, as Graphviz calls it.
func ShapeOf(k *spec.Kind) string {
	switch {
	case k.By != spec.ByHandler:
		return workerShapes[k.By]
	case k.Judges:
		return "diamond"
	case k.Chooses:
		return "hexagon"
	case k.Pure:
		return "parallelogram"
	}
	return flowchart.Plain
}

// titleOf returns what a node shows that runs others. Its name is on the box around it.
func titleOf(n *Node) string {
	c := n.Composite
	switch {
	case n.Kind.Loops():
		return "loop until " + c.Until.Expr
	case n.Kind.OnFailure:
		return "retry up to " + strconv.Itoa(n.Policy.Attempts) + " times"
	case n.Kind.Branches():
		return "parallel, " + joinOf(c)
	case n.Kind.Each:
		return "map over " + c.Over.Name + ", " + joinOf(c)
	case n.Kind.Picks():
		return "pool, " + strconv.Itoa(c.Most) + " steps"
	case n.Kind.By == spec.ByGraph:
		return n.Name + " runs graph " + n.Sub.Graph
	}
	return ""
}

// joinOf returns which branches are waited for.
func joinOf(c *Composite) string {
	word := strings.ReplaceAll(c.Join, "_", " ")
	if c.Need > 1 {
		word += " " + strconv.Itoa(c.Need)
	}
	return word
}

// endingOf returns how a run ends at a node that takes no transition; Never if it does not. After a
// node that another runs that one goes on, and what follows a template is up to the run.
func endingOf(n *Node) DefaultKind {
	switch {
	case n.Parent != nil || n.Template:
		return Never
	case n.Default.Kind != Error:
		return n.Default.Kind
	case mayDecline(n):
		return Terminal
	}
	return Never
}

// mayDecline reports whether a model may judge one transition alone: if it does not hold, the run
// is completed.
func mayDecline(n *Node) bool {
	judged, lasting := 0, 0
	for _, t := range n.Tests {
		if t.Kind == When {
			judged++
			if t.Transition.Max == 0 {
				lasting++
			}
		}
	}
	return judged > 0 && lasting <= 1
}

// Iterations returns how often a loop runs its body at most; 0 of any other node.
func (n *Node) Iterations() int {
	if n.Kind.Loops() {
		return n.Composite.Most
	}
	return 0
}

// Each returns the field that has another value each time the body of a map runs; empty of any
// other node.
func (n *Node) Each() string {
	if n.Composite != nil && n.Composite.Item != nil {
		return n.Composite.Item.Name
	}
	return ""
}

// First returns the transition that a node takes first which picks others; nil if it takes none, or
// picks none.
func (n *Node) First() *Transition {
	if n.Composite == nil || n.Composite.Entry == nil {
		return nil
	}
	return n.Composite.Entry.Transition
}

// Number returns the number of a transition; 0 of none.
func (w *Transition) Number() int {
	if w == nil {
		return 0
	}
	return w.ID
}
