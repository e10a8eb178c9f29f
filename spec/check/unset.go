package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/resolve"
)

// mayBeUnset reports whether the field of the state that a condition of the node looks at
// may hold nothing there: it is no input, and a run can come there without a node having
// written it.
func (c *context) mayBeUnset(n *resolve.Node, text string) bool {
	path, ok := strings.CutPrefix(text, "state.")
	if !ok {
		return false
	}
	goName, _, _ := strings.Cut(path, ".")
	at := slices.IndexFunc(c.graph.State.Fields, func(f *resolve.Field) bool { return f.GoName == goName })
	if at < 0 {
		return false
	}
	f := c.graph.State.Fields[at]
	if sets(n, f) || slices.Contains(c.graph.Input.Fields, f) {
		return false
	}
	return c.unset(f)[n]
}

// sets reports whether a success of the node sets the field: it writes it, or is given the
// state to change. What cannot be read of what it writes may be it.
func sets(n *resolve.Node, f *resolve.Field) bool {
	if n.Spec.Unread || len(n.Writes) < len(n.Spec.Writes) || slices.ContainsFunc(n.Writes, func(w resolve.Write) bool { return w.To == f }) {
		return true
	}
	_, readonly := n.Spec.Flag("readonly")
	return n.TakesState && !readonly && n.Kind != "guard" && n.Kind != "router"
}

// unset returns the nodes that a run can come to before the field is set.
func (c *context) unset(f *resolve.Field) map[*resolve.Node]bool {
	j := c.conditions()
	if j.unset == nil {
		j.unset = map[*resolve.Field]map[*resolve.Node]bool{}
	}
	if seen := j.unset[f]; seen != nil {
		return seen
	}
	seen := map[*resolve.Node]bool{}
	j.unset[f] = seen
	var todo []*resolve.Node
	visit := func(n *resolve.Node) {
		if n != nil && !seen[n] {
			seen[n] = true
			todo = append(todo, n)
		}
	}
	visit(c.graph.Entry)
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		_, skipped := n.Spec.Flag("skip_on_error")
		set := sets(n, f) && !n.Spec.FailSoft.V && !skipped
		for _, w := range c.ways(n) {
			if w.failure || !set {
				visit(w.to.Node)
			}
		}
		visit(c.graph.OnError)
	}
	return seen
}
