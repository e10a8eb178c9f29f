package golang

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
)

// joinIf prints how a branch that has succeeded is joined: without a condition where all have.
func (e *emitter) joinIf(g *jen.Group, n *plan.Node, r *plan.Region, id string) {
	body := func(g *jen.Group) { e.joinBranch(g, n, r, jen.Id(id)) }
	if c := n.Composite; c.Join == "fail_fast" || c.Join == "all" {
		body(g)
		return
	}
	if slices.Contains(n.Composite.Joined, r) {
		g.If(jen.Id(id).Dot("Won").Call()).BlockFunc(body)
	}
}

// marks prints the lengths of lists, and of the transcript, before the branches begin.
func (e *emitter) marks(g *jen.Group, c *plan.Composite) {
	for _, j := range c.Merges {
		if j.Merge == "append" {
			g.Id(j.Len).Op(":=").Len(jen.Id("r").Dot("state").Dot(j.Field.GoName))
		}
	}
	talk, results := jen.Nil(), jen.Nil()
	if e.m.Talks {
		talk = jen.Op("&").Id("r").Dot("talk")
	}
	if e.m.Results {
		results = jen.Op("&").Id("r").Dot("results")
	}
	if e.m.Talks || e.m.Results {
		g.Id("mark").Op(":=").Add(pipe("MarkOf")).Call(talk, results)
	}
}

// joinBranch prints what a branch brings in.
func (e *emitter) joinBranch(g *jen.Group, n *plan.Node, r *plan.Region, b *jen.Statement) {
	for _, j := range n.Composite.Merges {
		if slices.Contains(j.Regions, r) {
			e.joinField(g, n, j, b)
		}
	}
	for _, name := range e.m.Carried {
		if name == "talk" || name == "results" {
			g.Id("r").Dot(name).Dot("Join").Call(jen.Op("&").Add(b.Clone()).Dot(name), jen.Id("mark"))
		}
	}
	if slices.Contains(n.Composite.Caching, r) {
		g.Id("r").Dot("cache").Dot("Join").Call(jen.Op("&").Add(b.Clone()).Dot("cache"))
	}
}

func (e *emitter) joinField(g *jen.Group, n *plan.Node, j plan.JoinedField, b *jen.Statement) {
	have := jen.Id("r").Dot("state").Dot(j.Field.GoName)
	is := b.Clone().Dot("state").Dot(j.Field.GoName)
	if !j.Noted() {
		switch j.Merge {
		case "append":
			is = jen.Append(have.Clone(), is.Index(jen.Id(j.Len).Op(":")).Op("..."))
		case "union", "max", "min":
			is = merged(plan.Write{To: j.Field, Merge: j.Merge}, have.Clone(), is)
		}
		g.Add(have).Op("=").Add(is)
		if i := e.m.Mutations.Output(j.Field); i >= 0 {
			g.Add(e.written(jen.Id("r"), i)).Op("=").Add(e.written(jen.Id("r"), i)).Op("||").Add(e.written(b.Clone(), i))
		}
		return
	}
	delta := b.Clone().Dot("delta").Dot(j.Field.GoName)
	own := jen.Id("r").Dot("delta").Dot(j.Field.GoName)
	noted := n.NotesOf(j.Field)
	switch j.Merge {
	case "sum":
		g.Add(have).Op("+=").Add(delta)
		if noted {
			g.Add(own).Op("+=").Add(delta.Clone())
		}
	case "union":
		g.Add(have).Op("=").Add(rt("UnionMap")).Call(have.Clone(), delta)
		if noted {
			g.Add(own).Op("=").Add(rt("UnionMap")).Call(own.Clone(), delta.Clone())
		}
	default:
		g.For(jen.List(jen.Id("_"), jen.Id("add")).Op(":=").Range().Add(delta)).Block(
			jen.Add(have).Op("=").Id("m").Dot("handlers").Dot(j.Func).Call(handed(have.Clone(), j.Field.Type), handed(jen.Id("add"), j.Field.Type)),
		)
		e.clips(g, have.Clone(), j.Field.Type)
		if noted {
			g.Add(own).Op("=").Append(own.Clone(), delta.Clone().Op("..."))
		}
	}
}
