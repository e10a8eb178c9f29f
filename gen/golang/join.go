package golang

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// join prints what follows the branches of a node once the join has succeeded.
func (e *emitter) join(g *jen.Group, fork *plan.Fork) {
	branches := jen.Id("branches")
	if fork.Pauses {
		branches = jen.Id("r").Dot("forked")
	}
	if !fork.Merges && !slices.ContainsFunc(fork.Regions, func(r *plan.Region) bool { return len(r.Sets) > 0 }) {
		g.Return(jen.Id("f").Dot("Wait").Call())
		return
	}
	g.If(jen.Err().Op("=").Id("f").Dot("Wait").Call(), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
	if fork.Merges {
		g.Id("m").Dot("merge").Call(jen.Id("r"), branches)
	}
	for i, r := range fork.Regions {
		if len(r.Sets) == 0 {
			continue
		}
		b := branches.Clone().Index(jen.Lit(i))
		if fork.Every && r.If == nil {
			e.sets(g, r, b)
			continue
		}
		g.If(b.Clone().Dot("Won").Call()).BlockFunc(func(g *jen.Group) { e.sets(g, r, b) })
	}
	g.Return(jen.Nil())
}

// sets prints the fields that have the value of a branch.
func (e *emitter) sets(g *jen.Group, r *plan.Region, b *jen.Statement) {
	for _, f := range r.Sets {
		g.Id("r").Dot("state").Dot(f.GoName).Op("=").Add(b.Clone()).Dot("state").Dot(f.GoName)
		e.noteOutput(g, f, b)
	}
}

// noteOutput prints that the run has written an output if a branch has.
func (e *emitter) noteOutput(g *jen.Group, f *resolve.Field, b *jen.Statement) {
	if i := e.m.Mutations.Output(f); i >= 0 {
		g.Add(e.written(jen.Id("r"), i)).Op("=").Add(e.written(jen.Id("r"), i)).Op("||").Add(e.written(b.Clone(), i))
	}
}

// mergeField prints how what a branch has written to a field reaches the state, and what the parent notes of it.
func (e *emitter) mergeField(g *jen.Group, f plan.MergedField) {
	name := f.Field.GoName
	have, own := jen.Id("r").Dot("state").Dot(name), jen.Id("r").Dot("delta").Dot(name)
	add := jen.Id("b").Dot("state").Dot(name)
	if f.Delta {
		add = jen.Id("b").Dot("delta").Dot(name)
	}
	if f.Len != "" {
		add = add.Index(jen.Id(f.Len).Op(":"))
	}
	switch {
	case f.Func != "":
		g.For(jen.List(jen.Id("_"), jen.Id("add")).Op(":=").Range().Add(add)).Block(
			jen.Add(have).Op("=").Id("m").Dot("handlers").Dot(f.Func).Call(handed(have.Clone(), f.Field.Type), handed(jen.Id("add"), f.Field.Type)),
		)
		e.clips(g, have.Clone(), f.Field.Type)
		if f.Again {
			g.Add(own).Op("=").Append(own.Clone(), add.Clone().Op("..."))
		}
	case f.Field.Merge == "sum":
		g.Add(have).Op("+=").Add(add)
		if f.Again {
			g.Add(own).Op("+=").Add(add.Clone())
		}
	default:
		w := plan.Write{To: f.Field, Merge: f.Field.Merge}
		g.Add(have).Op("=").Add(merged(w, have.Clone(), add))
		if f.Again {
			g.Add(own).Op("=").Add(merged(w, own.Clone(), add.Clone()))
		}
	}
	e.noteOutput(g, f.Field, jen.Id("b"))
}
