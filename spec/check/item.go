package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

func mapItems(c *context) {
	fields := &advisor{names: fieldNames(c.graph.State, nil)}
	for _, n := range c.graph.All() {
		s := n.Spec
		if !n.Kind.Each {
			continue
		}
		title := "map " + quote(s.Name.V)
		known := func(name spec.String, key string, f *resolve.Field) bool {
			switch {
			case f != nil:
				return true
			case !name.IsSet() && !s.Unread:
				c.report(s.Name.Pos, title+" does not say "+key, map[string]string{
					"over": "name the list, as in over: questions",
					"item": "name the field that holds an element, as in item: question",
				}[key])
			case written(name) && !(c.spec.Unread && len(c.spec.State) == 0):
				c.report(name.Pos, key+" of "+title+" names no field of the state: "+quote(name.V), fields.advise(name.V, true, "add it under state, or name another"))
			}
			return false
		}
		over, item := known(s.Over, "over", n.Over), known(s.Item, "item", n.Item)
		if over && n.Over.Type.Kind != resolve.List && !unknown(n.Over.Type) {
			help := "name a list"
			if n.Over.Type.Base().Kind == resolve.List {
				help = "an empty list says the same: make the field " + n.Over.Type.Base().String()
			}
			c.report(s.Over.Pos, "over of "+title+" is field "+quote(n.Over.Name)+", which is "+article(n.Over.Type.String())+" and no list", help)
			over = false
		}
		if item && n.Over == n.Item {
			c.report(s.Item.Pos, "item of "+title+" is the list itself", "name a field that holds an element, as in item: question")
			continue
		}
		if item && c.nestedItem(n) {
			continue
		}
		if over && item && !unknown(n.Over.Type) && !unknown(n.Item.Type) && !resolve.Same(n.Item.Type, n.Over.Type.Elem) {
			c.report(s.Item.Pos, "item of "+title+" is field "+quote(n.Item.Name)+", which is "+article(n.Item.Type.String())+", but the elements of "+quote(n.Over.Name)+" are of type "+n.Over.Type.Elem.String(),
				"make the field "+n.Over.Type.Elem.String(), diag.Related{Pos: n.Item.Spec.Name.Pos, Message: "the field is declared here"})
		}
		if item {
			c.itemsOwn(n)
		}
	}
}

// nestedItem reports a map that sets the element of one that runs it. It reports whether it is
// one.
func (c *context) nestedItem(n *resolve.Node) bool {
	for outer := n.Host; outer != nil; outer = outer.Host {
		if outer.Item == n.Item {
			c.report(n.Spec.Item.Pos, "map "+quote(n.Spec.Name.V)+" is run by map "+quote(outer.Spec.Name.V)+", which has the same item", "give each a field of its own",
				diag.Related{Pos: outer.Spec.Item.Pos, Message: "it is the item here"})
			return true
		}
	}
	return false
}

// itemsOwn reports who else has to do with the field that holds a map's element.
func (c *context) itemsOwn(n *resolve.Node) {
	item, title := n.Item, "field "+quote(n.Item.Name)
	here := diag.Related{Pos: n.Spec.Item.Pos, Message: "map " + quote(n.Spec.Name.V) + " sets it, here"}
	setting := c.mapsOf(item)
	if setting[0] != n {
		return // it is told at the first
	}
	c.itemOfState(item, here)
	within := func(at *resolve.Node) bool {
		for host := at.Host; host != nil; host = host.Host {
			if host.Kind.Each && (host.Item == item || host.Item == nil) {
				return true
			}
		}
		return false
	}
	astray := slices.ContainsFunc(c.graph.All(), func(n *resolve.Node) bool { return n.Bodiless() || n.Spec.Unread || !n.Kind.Known() }) // it may run what reads it
	for _, at := range c.graph.All() {
		if at.Body != nil {
			continue // its reads and writes are its body's
		}
		for _, w := range at.Writes {
			if w.To == item {
				c.report(w.Name.Pos, "node "+quote(at.Spec.Name.V)+" writes "+title+", which holds the element of a map", "write another field", here)
			}
		}
		for _, f := range at.Reads {
			if f == item && !astray && !within(at) {
				c.report(readPlace(at, f), "node "+quote(at.Spec.Name.V)+" reads "+title+", which holds something within map "+quote(n.Spec.Name.V)+" alone", "read what the map's nodes write, or let the map run the node", here)
			}
		}
	}
	for _, cond := range c.conditions() {
		if from := cond.from; from != nil && !astray && !within(from) && readsField(cond.Expr, item) {
			c.report(cond.Written.Pos, "the condition looks at "+title+", which holds something within map "+quote(n.Spec.Name.V)+" alone", "look at what the map's nodes write", here)
		}
	}
}

// readsField reports whether an expression reads a field of the state.
func readsField(x *expr.Expr, field *resolve.Field) bool {
	return slices.ContainsFunc(x.Uses().State, func(used expr.Field) bool { return used.GoName == field.GoName })
}

// mapsOf lists the maps whose element a field holds, in written order.
func (c *context) mapsOf(item *resolve.Field) []*resolve.Node {
	return slices.DeleteFunc(slices.Clone(c.graph.All()), func(n *resolve.Node) bool { return n.Item != item })
}

// readPlace is where a node says that it reads a field.
func readPlace(n *resolve.Node, f *resolve.Field) spec.Pos {
	for _, name := range n.Spec.Reads {
		if name.V == f.Name {
			return name.Pos
		}
	}
	for p := range n.Pieces() {
		if p.Field == f {
			return p.Pos
		}
	}
	for _, a := range n.Args {
		if a.From == f {
			return a.Spec.Field.Pos
		}
	}
	if n.Over == f {
		return n.Spec.Over.Pos
	}
	return n.Spec.Name.Pos
}

// itemOfState reports what the graph says of a field that only a map sets.
func (c *context) itemOfState(item *resolve.Field, here diag.Related) {
	title := "field " + quote(item.Name)
	for _, list := range []struct {
		names   []spec.String
		is, why string
	}{{c.spec.Input, "input", "a caller cannot give it"}, {c.spec.Output, "output", "it holds nothing when the run ends"}} {
		for _, name := range list.names {
			if name.V == item.Name {
				c.report(name.Pos, title+" is "+list.is+", but holds the element of a map: "+list.why, "take it out of "+list.is, here)
			}
		}
	}
	if merge := item.Spec.Merge; written(merge) && merge.V != "last" {
		c.report(merge.Pos, title+" has a merge rule, but holds the element of a map: nothing is merged into it", "remove merge", here)
	}
	if d := item.Spec.Default; d != nil {
		c.report(d.Pos, title+" has a default, but holds the element of a map, and nothing else", "remove default", here)
	}
}
