package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/internal/flowchart"
	"github.com/graphgen/graphgen/spec"
)

// findDrawing finds what diagrams need besides the tables.
func (m *Machine) findDrawing() {
	for _, n := range m.Flow.Nodes {
		n.Drawing.Shape, n.Drawing.Title, n.Drawing.Ending = ShapeOf(n.Kind), titleOf(n), endingOf(n)
		for _, t := range n.Routes.SkipTests {
			t.Transition.Skipped = !slices.ContainsFunc(n.Routes.Tests, func(is Test) bool { return is.Transition == t.Transition })
		}
	}
}

// workerShapes are the shapes of nodes by what does their work, except handlers.
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
	switch w := n.Work.(type) {
	case *Loop:
		return "loop until " + w.Until.Expr
	case *Retry:
		return "retry up to " + strconv.Itoa(n.Policy.Attempts) + " times"
	case *Fork:
		return "parallel, " + joinOf(w)
	case *Each:
		return "map over " + w.Over.Name + ", " + joinOf(&w.Fork)
	case *Pool:
		return "pool, " + strconv.Itoa(w.Most) + " steps"
	case *Sub:
		return n.Name + " runs graph " + w.Graph
	}
	return ""
}

// joinOf returns which branches are waited for.
func joinOf(f *Fork) string {
	word := strings.ReplaceAll(f.Join, "_", " ")
	if f.Need > 1 {
		word += " " + strconv.Itoa(f.Need)
	}
	return word
}

// endingOf returns how a run ends at a node that takes no transition; Never if it does not. After a
// node that another runs, that other node continues, and what follows a template is up to the run.
func endingOf(n *Node) DefaultKind {
	switch {
	case n.Parent != nil || n.Template:
		return Never
	case n.Routes.Default.Kind != Error:
		return n.Routes.Default.Kind
	case mayDecline(n):
		return Terminal
	}
	return Never
}

// mayDecline reports whether a model may judge one transition alone: if it does not hold, the run
// is completed.
func mayDecline(n *Node) bool {
	judged, lasting := 0, 0
	for _, t := range n.Routes.Tests {
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
	if loop, is := n.Work.(*Loop); is {
		return loop.Most
	}
	return 0
}

// Each returns the field that has another value each time the body of a map runs; empty of any
// other node.
func (n *Node) Each() string {
	if each, is := n.Work.(*Each); is && each.Item != nil {
		return each.Item.Name
	}
	return ""
}

// First returns the transition that a node takes first which picks others; nil if it takes none, or
// picks none.
func (n *Node) First() *Transition {
	if pool, is := n.Work.(*Pool); is && pool.Entry != nil {
		return pool.Entry.Transition
	}
	return nil
}

// Number returns the number of a transition; 0 of none.
func (w *Transition) Number() int {
	if w == nil {
		return 0
	}
	return w.ID
}
