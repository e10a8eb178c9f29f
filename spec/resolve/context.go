package resolve

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
)

// A Guard is a check of the output of a node: by a method of the handlers, or by a model. Nodes that name one method
// share its input.
type Guard struct {
	Spec   *spec.Guard
	GoName string
	In     *Type    // struct of the fields that the method reads; nil: none
	Shown  []*Field // to the model, besides the output
}

// Judged reports whether a model judges the output.
func (g *Guard) Judged() bool { return g.Spec.Judge.IsSet() }

// reading returns the struct of the fields that something other than a node reads; nil: none.
func (g *Graph) reading(goName string, names []spec.String, pos spec.Pos) *Type {
	fields := g.pick(names)
	if len(fields) == 0 {
		return nil
	}
	return &Type{Kind: Struct, GoName: goName, Fields: fields, Pos: pos}
}

// bindGuards binds the guards of a node. The first node that names a method decides what it reads.
func (g *Graph) bindGuards(n *Node) {
	for i := range n.Spec.Guards {
		s := &n.Spec.Guards[i]
		if s.Judge.IsSet() {
			n.Guards = append(n.Guards, Guard{Spec: s, GoName: goname.Exported(s.Name.V), Shown: g.pick(s.Reads)})
			continue
		}
		guard, known := g.guards[s.Name.V]
		if !known {
			goName := goname.Exported(s.Name.V)
			guard = Guard{Spec: s, GoName: goName, In: g.reading(g.GoName+goName+"In", s.Reads, s.Name.Pos)}
			g.guards[s.Name.V] = guard
		}
		guard.Spec = s
		n.Guards = append(n.Guards, guard)
	}
}

// Callable returns the tools that a node may call: the tools of a prompt, or the one of a tool node. Of
// a node that runs pending calls it returns all tools of prompts that leave calls.
func (g *Graph) Callable(n *Node) []*Tool {
	switch {
	case n.Fixed != nil:
		return []*Tool{n.Fixed}
	case !n.Pending:
		return n.Tools
	}
	var tools []*Tool
	for _, from := range g.All() {
		if !from.Defers {
			continue
		}
		for _, t := range from.Tools {
			if !slices.Contains(tools, t) {
				tools = append(tools, t)
			}
		}
	}
	return tools
}

// Contextual returns the fields of the state that are read while a node is executed, and not by
// itself: by the tools that it calls, by the tools of nodes that it may add, by its guards, and by the
// models that judge its output.
func (g *Graph) Contextual(n *Node) []*Field {
	var fields []*Field
	add := func(list []*Field) {
		for _, f := range list {
			if !slices.Contains(fields, f) {
				fields = append(fields, f)
			}
		}
	}
	if !n.Defers { // else another node makes the calls
		for _, t := range g.Callable(n) {
			add(t.Reads())
		}
	}
	for _, t := range g.AddedCalls(n) {
		add(t.Reads())
	}
	for _, guard := range n.Guards {
		add(guard.In.fields())
		add(guard.Shown)
	}
	for _, e := range n.Evals {
		add(e.Shown)
	}
	return fields
}

// fields returns the fields of a struct; none of a nil t.
func (t *Type) fields() []*Field {
	if t == nil {
		return nil
	}
	return t.Fields
}

// Reads returns the fields of the state that the tool is given.
func (t *Tool) Reads() []*Field { return t.In.fields() }

// AddedCalls returns the tools that nodes may call which a node adds to the graph of its run.
func (g *Graph) AddedCalls(n *Node) []*Tool {
	if !g.Mutates(n) || !g.Mutations.AddsPrompts() {
		return nil
	}
	return g.Mutations.Tools
}

// Keyed reports whether what the tool reads decides, with its arguments, whether a call repeats
// another one.
func (t *Tool) Keyed() bool { return t.Spec.Pure.V && t.In != nil }

// GuardInputs returns the inputs of the guards, each once, in the order of the nodes.
func (g *Graph) GuardInputs() []*Type {
	var list []*Type
	for _, n := range g.All() {
		for _, guard := range n.Guards {
			if guard.In != nil && !slices.Contains(list, guard.In) {
				list = append(list, guard.In)
			}
		}
	}
	return list
}

// bindJudged binds what a model that judges edges is shown of the input: nothing private. It is the
// input where that has nothing private.
func (g *Graph) bindJudged() {
	if !slices.ContainsFunc(g.All(), func(n *Node) bool { return slices.ContainsFunc(n.Leaving, (*Edge).Judged) }) {
		return
	}
	if g.Judged = g.Input; !slices.ContainsFunc(g.Input.Fields, (*Field).Private) {
		return
	}
	g.Judged = &Type{Kind: Struct, GoName: g.GoName + "Judged", Pos: g.Spec.Name.Pos, Fields: slices.DeleteFunc(slices.Clone(g.Input.Fields), (*Field).Private)}
}

// Noted returns the nodes whose last outputs runs keep for models: one that judges edges is shown all outputs, a
// prompt those that it inherits.
func (g *Graph) Noted() map[*Node]bool {
	inherited, noted := map[*Node]bool{}, map[*Node]bool{}
	all := g.All()
	for _, n := range all {
		for _, from := range n.Inherits {
			inherited[from] = inherited[from] || n.Asks
		}
	}
	for _, n := range all {
		noted[n] = n.Out != nil && n.Sub == nil && (g.Judged != nil || inherited[n])
	}
	return noted
}
