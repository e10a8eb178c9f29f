package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// threadsFile renders the methods of a machine that make runs in threads.
func threadsFile(m *plan.Machine, _ string) ([]byte, error) {
	e := newEmitter(m)
	e.print("threads", nil)
	return e.render()
}

// subgraphs lists the nodes that run graphs.
func (e *emitter) subgraphs() (list []*plan.Node) {
	for n := range plan.Works[*plan.Sub](e.m) {
		list = append(list, n)
	}
	return list
}

// durable is a name of package durable.
func durable(name string) *jen.Statement { return jen.Qual(durablePath, name) }

// listing lists what a handler gives, as the members of an object: variables, or fields of one.
func listing(n *plan.Node, of ...string) (list []*jen.Statement) {
	for _, r := range resultsOf(n) {
		value := jen.Op("&").Id(r.Name)
		if len(of) > 0 {
			value = jen.Op("&").Id(of[0]).Dot(r.Name)
		}
		switch r.Name {
		case "out":
			list = append(list, jen.Qual(codecPath, "Member").Call(jen.Id("o"), jen.Lit(r.Name), value, reader(n.Out, limits{}), writer(n.Out, limits{})))
		case "to", "label":
			list = append(list, durable("Choice").Call(jen.Id("o"), jen.Lit(r.Name), value))
		}
	}
	return list
}

// cachedCell is the statement that lists what the cache has of a node.
func (e *emitter) cachedCell(n *plan.Node) *jen.Statement {
	members := jen.Func().Params(jen.Id("v").Op("*").Id(n.Shape.Kept), jen.Id("o").Op("*").Qual(codecPath, "Object")).BlockFunc(func(g *jen.Group) {
		for _, member := range listing(n, "v") {
			g.Add(member)
		}
	})
	return durable("CacheCell").Call(jen.Id("c"), jen.Lit(n.Kept.Cell), jen.Op("&").Id("r").Dot("cache"), e.nodeID(jen.Id(n.Const)), members)
}

// cell is the statement that lists a value.
func cell(of string, c plan.Cell) *jen.Statement {
	value := jen.Id(of)
	for _, part := range c.Path {
		value = value.Dot(part)
	}
	list := func(by string, t *resolve.Type, more ...jen.Code) *jen.Statement {
		args := append([]jen.Code{jen.Id("c"), jen.Lit(c.Name), jen.Op("&").Add(value.Clone())}, more...)
		return jen.Qual(codecPath, by).Call(append(args, reader(t, limits{}), writer(t, limits{}))...)
	}
	switch {
	case c.Grows:
		return list("Tail", c.Type.Elem)
	case c.Zero && c.Equal:
		return list("SparseCell", c.Type)
	case c.Zero:
		return list("ZeroCell", c.Type, isZero(value.Clone(), c.Type))
	}
	return list("Cell", c.Type)
}
