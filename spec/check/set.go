package check

import (
	"strconv"

	"github.com/graphgen/graphgen/spec/diag"
)

// setPasses judge nodes that write the values of expressions.
var setPasses = []Pass{
	{run: setsNothing, Rule: diag.Rule{
		Code: "GG274", Name: "set-nothing",
		Doc:  "A node of kind set has no `set`, or one without entries, so it would do nothing.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {kind: set}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {kind: pass}\n",
	}},
	{run: setFields, Rule: diag.Rule{
		Code: "GG275", Name: "set-field",
		Doc:  "An entry of `set` names no field of the state.",
		Bad:  setExample("coutn: state.Count + 1"),
		Good: setExample("count: state.Count + 1"),
	}},
	{run: setValues, Rule: diag.Rule{
		Code: "GG276", Name: "set-value",
		Doc: "A value of `set` is no Go expression, names what does not exist, does what an expression may not, or is not of the type of its field. " +
			"A value sees `state` as it was before the node, and may do what a condition may. It sees no `out`: a node before it writes what it gives to a field.",
		Bad:  setExample("count: '\"one\"'"),
		Good: setExample("count: '1'"),
	}},
}

// setExample is a spec with one entry of set.
func setExample(entry string) string {
	return "graph: g\nentry: a\nstate: {count: {type: int, default: 0}}\noutput: count\nnodes:\n  a: {kind: set, set: {" + entry + "}}\n"
}

func setsNothing(c *context) {
	for _, n := range c.graph.All() {
		if n.Kind.Sets && len(n.Spec.Set) == 0 && !n.Spec.Unread {
			c.report(n.Spec.Name.Pos, "node "+strconv.Quote(n.Spec.Name.V)+" is a set, and sets nothing", "say what it writes, as in set: {count: state.Count + 1}, or make it a pass")
		}
	}
}

func setFields(c *context) {
	if c.spec.Unread && len(c.spec.State) == 0 {
		return // the state is what could not be read
	}
	var names []string
	for _, f := range c.graph.State.Fields {
		names = append(names, f.Name)
	}
	for _, n := range c.spec.Nodes {
		for _, a := range n.Set {
			if written(a.Name) && c.graph.State.Field(a.Name.V) == nil {
				c.report(a.Name.Pos, "set of node "+strconv.Quote(n.Name.V)+" names no field of the state: "+strconv.Quote(a.Name.V), didYouMean(a.Name.V, names, "add it under state, as in "+a.Name.V+": int"))
			}
		}
	}
}

func setValues(c *context) {
	for _, n := range c.graph.All() {
		for _, x := range c.cfg.Values(n) {
			if m := x.Typed().Mistake; m != nil && written(x.Written) {
				c.report(c.within(x.Written, m.Span), m.Message, m.Help)
			}
		}
	}
}
