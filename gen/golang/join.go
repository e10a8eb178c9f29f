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

// merge prints the method that merges what branches have written, into the state and the transcript.
func (e *emitter) merge() {
	merging := e.m.Children.Merging
	if !merging.Needed {
		return
	}
	e.f.Line()
	e.machineMethod("merge", e.runParam(), jen.Id("branches").Index().Id(e.m.Names.Run)).BlockFunc(func(g *jen.Group) {
		e.marks(g)
		g.For(jen.Id("i").Op(":=").Range().Id("branches")).BlockFunc(func(g *jen.Group) {
			b := jen.Id("b")
			g.Add(b).Op(":=").Op("&").Id("branches").Index(jen.Id("i"))
			if merging.Partial {
				g.If(jen.Op("!").Add(b).Dot("Won").Call()).Block(jen.Continue())
			}
			for _, f := range merging.Fields {
				e.mergeField(g, f)
			}
			for _, name := range e.m.Children.Carried {
				if name == "conversation" || name == "results" {
					g.Id("r").Dot(name).Dot("Join").Call(jen.Op("&").Add(b.Clone()).Dot(name), jen.Id("mark"))
				}
			}
			if merging.Caches {
				g.Id("r").Dot("cache").Dot("Join").Call(jen.Op("&").Add(b.Clone()).Dot("cache"))
			}
		})
	})
}

// marks prints the lengths of lists, and of the transcript, before the branches began.
func (e *emitter) marks(g *jen.Group) {
	for _, f := range e.m.Children.Merging.Fields {
		if f.Len != "" {
			g.Id(f.Len).Op(":=").Len(jen.Id("r").Dot("state").Dot(f.Field.GoName))
		}
	}
	conversation, results := jen.Nil(), jen.Nil()
	if e.m.Models.Conversations {
		conversation = jen.Op("&").Id("r").Dot("conversation")
	}
	if e.m.Models.Results {
		results = jen.Op("&").Id("r").Dot("results")
	}
	if e.m.Models.Conversations || e.m.Models.Results {
		g.Id("mark").Op(":=").Add(pipe("MarkOf")).Call(conversation, results)
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
