package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// bindSteps converts entries.
func bindSteps[E, W any](s *Steps[E], entry func(E) W) wire.Steps[W] {
	var w wire.Steps[W]
	for _, each := range s.Each {
		w.Each = append(w.Each, bindSteps(each, entry))
	}
	for _, n := range s.Nodes {
		w.Nodes = append(w.Nodes, wire.NodeSteps[W]{Node: n.Node.V, Steps: bindSteps(n.Steps, entry)})
	}
	for _, e := range s.Entries {
		w.Entries = append(w.Entries, entry(e))
	}
	return w
}

// places returns the places of the nodes that run in branches.
func places(m *plan.Machine) map[string]wire.Place {
	all := make(map[string]wire.Place)
	for _, n := range m.Flow.Nodes {
		if p := placeOf(n); len(p.Levels) > 0 {
			all[n.Name] = p
		}
	}
	return all
}

// placeOf returns the place of a node: its branches in the composite nodes around it.
func placeOf(n *plan.Node) (p wire.Place) {
	var names []string
	for at := n; at.Parent != nil; at = at.Parent {
		host := at.Parent
		level := wire.Level{Parent: host.ID, Index: wire.Element}
		switch w := host.Work.(type) {
		case *plan.Each:
		case *plan.Fork:
			level.Index = slices.IndexFunc(w.Regions, func(r *plan.Region) bool { return slices.Contains(r.Nodes, at) })
			names = append(names, w.Regions[level.Index].Name)
		default:
			continue
		}
		p.Levels = append(p.Levels, level)
	}
	slices.Reverse(p.Levels)
	slices.Reverse(names)
	if len(names) == len(p.Levels) {
		p.Branch = strings.Join(names, "/")
	}
	return p
}

// maps returns the number of maps around a node.
func maps(n *plan.Node) (count int) {
	for _, l := range placeOf(n).Levels {
		if l.Index == wire.Element {
			count++
		}
	}
	return count
}

// elements checks that entries by element belong to a node in as many maps. The output of a
// transform must not depend on the element, since its function has no context to identify it.
func elements[E any](b *binder, s *Steps[E], n *plan.Node, depth int) {
	if s.Each != nil && depth == b.around+maps(n) {
		message, help := fmt.Sprintf("the node %q runs in no map", n.Name), "write its entries as a list"
		if depth > 0 {
			message = fmt.Sprintf("the node %q does not run in %s", n.Name, more(depth))
		}
		b.report("GG280", s.Pos, message, help)
		return
	}
	for _, each := range s.Each {
		elements(b, each, n, depth+1)
	}
}

// transformed reports entries of a transform in a map that differ.
func (b *binder) transformed(n *plan.Node, s *Steps[*Entry]) {
	if !n.Kind.Pure || b.around+maps(n) == 0 {
		return
	}
	if leaves := s.leaves(); len(leaves) > 1 || len(leaves[0]) > 1 {
		b.report("GG281", s.Pos, fmt.Sprintf("the node %q is a transform in a map: it has no context that identifies the element", n.Name),
			"write one entry, which is for all, or make it a node of kind func")
	}
}

// callers checks the nodes that identify the calls of a tool, and the maps around them.
func (b *binder) callers(s *Steps[*ToolEntry], tool string, depth int) {
	if s.Each != nil && !slices.ContainsFunc(b.m.Flow.Nodes, func(n *plan.Node) bool { return b.around+maps(n) > depth && calls(n, tool) }) {
		b.report("GG280", s.Pos, fmt.Sprintf("no node that calls the tool %q runs in %s", tool, more(depth)), "write its calls as a list")
		return
	}
	for _, each := range s.Each {
		b.callers(each, tool, depth+1)
	}
	for _, by := range s.Nodes {
		n := b.node(by.Node)
		switch {
		case n == nil:
		case !calls(n, tool):
			b.report("GG209", by.Node.Pos, fmt.Sprintf("the node %q does not call the tool %q", n.Name, tool), "name a node that has it among its `tools`")
		default:
			elements(b, by.Steps, n, depth)
		}
	}
}

// more describes one map more than are known.
func more(depth int) string {
	if depth == 0 {
		return "a map"
	}
	return counted(depth+1, "map") + ", one within the other"
}

// calls reports whether a node may call a tool: the tool is its own, injected, or called by a
// deferred call.
func calls(n *plan.Node, tool string) bool {
	switch w := n.Work.(type) {
	case *plan.Call:
		return w.Tool == nil || w.Tool.Name == tool
	case *plan.Prompt:
		return w.Inject || slices.ContainsFunc(w.Tools, func(t *plan.Tool) bool { return t.Name == tool })
	}
	return false
}

// cancelled checks the nodes of cancelled executions.
func (b *binder) cancelled(list []spec.String) {
	for _, s := range list {
		name, branch, _ := strings.Cut(s.V, " ")
		switch in, n := b.workerByPath(spec.String{V: name, Pos: s.Pos}); {
		case n == nil:
		case in.around+maps(n) > 0 && branch == "":
			b.report("GG282", s.Pos, fmt.Sprintf("the node %q runs in a map, and this does not say for which element", name),
				"write the branch after it, as in "+quote(name+" 0"))
		case in.around+maps(n) == 0 && branch != "":
			b.report("GG282", s.Pos, fmt.Sprintf("the node %q runs in no map", name), "write its name alone")
		}
	}
}

// pool returns the choices for a pick of a pool. The machine decides which of them are offered.
func pool(n *plan.Node) []string {
	var names []string
	for _, r := range n.Regions() {
		names = append(names, r.Name)
	}
	return append(names, spec.End)
}

// pick converts the pick of a pool, or the answer to a judge of edges.
func (b *binder) pick(n *plan.Node, c *Choose) *wire.Choice {
	w := &wire.Choice{Answer: c.Answer.V, Other: c.Answer.V, Error: textOf(c.Error)}
	if spec.IsEnd(c.Answer.V) {
		w.Other = spec.End
	}
	choices := pool(n)
	w.Known = slices.Contains(choices, w.Other)
	if len(whens(n)) > 0 && !w.Known {
		return b.choose(n, c)
	}
	_, resembles := diag.Suggest(c.Answer.V, choices)
	if c.Error.V == "" && !w.Known && (resembles || b.nodes[c.Answer.V] != nil) {
		b.unknown("GG209", c.Answer.V, c.Answer.Pos, "choice", of(n), choices)
	}
	return w
}
