package check

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// renamePasses judge names of earlier releases.
var renamePasses = []Pass{
	{Code: "GG336", run: renames},
}

// A renamed is a name with the one that it had.
type renamed struct{ name, was spec.String }

func renames(c *context) {
	var nodes, state []renamed
	for _, n := range c.spec.Nodes {
		nodes = append(nodes, renamed{n.Name, n.RenamedFrom})
	}
	for _, f := range c.spec.State {
		state = append(state, renamed{f.Name, f.RenamedFrom})
	}
	c.renamed("node", nodes)
	c.renamed("field", state)
	c.spec.TypeExprs(func(t *spec.TypeExpr) {
		var fields, values []renamed
		for _, f := range t.Fields {
			fields = append(fields, renamed{f.Name, f.RenamedFrom})
		}
		for _, v := range t.Values {
			values = append(values, renamed{name: v})
		}
		c.renamed("field", fields)
		c.renamedValues(t, values)
	})
}

// renamed judges the names of earlier releases of one list of names.
func (c *context) renamed(what string, list []renamed) {
	names, first := map[string]spec.Pos{}, map[string]spec.Pos{}
	for _, r := range list {
		names[r.name.V] = r.name.Pos
	}
	for _, r := range list {
		if !written(r.was) {
			continue
		}
		title := what + " " + quote(r.name.V)
		if other, ok := names[r.was.V]; ok {
			c.report(r.was.Pos, title+" cannot be renamed from "+quote(r.was.V)+", which still exists",
				"remove renamed_from; the "+what+" that a released version has by that name keeps it",
				diag.Related{Pos: other, Message: "it is here"})
		} else if other, ok := first[r.was.V]; ok {
			c.report(r.was.Pos, title+" is renamed from "+quote(r.was.V)+", as another "+what+" is", "keep one of them",
				diag.Related{Pos: other, Message: "the other one is here"})
		} else {
			first[r.was.V] = r.was.Pos
		}
	}
}

// renamedValues judges the names of earlier releases of the values of an enum.
func (c *context) renamedValues(t *spec.TypeExpr, values []renamed) {
	for _, a := range t.Renamed {
		known := false
		for i := range values {
			if values[i].name.V == a.Name.V {
				values[i].was, known = a.Field, true
			}
		}
		if !known && written(a.Name) {
			c.report(a.Name.Pos, "the enum has no value "+quote(a.Name.V), "write the value, and after it the name that it had")
		}
	}
	c.renamed("value", values)
}
