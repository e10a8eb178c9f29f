package diagram

import "github.com/graphgen/graphgen/spec"

// A shape is how diagrams draw a node.
type shape struct {
	open, close string // what stands around the label in Mermaid: flowchart shapes, since a state diagram has no dashed lines
	dot         string // the shape of Graphviz
}

// workerShapes are the shapes of nodes by who does their work, but for handlers.
var workerShapes = map[spec.By]shape{
	spec.ByModel:  {"(", ")", "ellipse"},
	spec.ByTool:   {"[/", "\\]", "component"},
	spec.ByPerson: {"([", "])", "house"},
	spec.ByGraph:  {"[\\", "/]", "folder"},
	spec.ByNodes:  {"[[", "]]", "box3d"},

	spec.ByMachine: {"[\\", "\\]", "tab"},
}

// shapeOf returns the shape of nodes of a kind.
func shapeOf(k *spec.Kind) shape {
	switch {
	case k.By != spec.ByHandler:
		return workerShapes[k.By]
	case k.Judges:
		return shape{"{", "}", "diamond"}
	case k.Chooses:
		return shape{"{{", "}}", "hexagon"}
	case k.Pure:
		return shape{"[/", "/]", "parallelogram"}
	}
	return shape{"[", "]", "box"}
}
