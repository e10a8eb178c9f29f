package golang

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// handed is a value as others get it: a list without the room behind its end. What a list in the
// state holds was clipped when it was written.
func handed(value *jen.Statement, t *resolve.Type) *jen.Statement {
	if !plan.Grows(t) {
		return value
	}
	return eng("Clip").Call(value)
}

// clips prints that the lists in a value are clipped in place.
func (e *emitter) clips(g *jen.Group, place *jen.Statement, t *resolve.Type) {
	if e.m.HoldsLists(t) {
		g.List(place, jen.Id("_")).Op("=").Add(e.clipped(place.Clone(), t, true))
	}
}

// clipsAll prints that a value is clipped where it is, as a whole.
func (e *emitter) clipsAll(g *jen.Group, place *jen.Statement, t *resolve.Type) {
	if plan.Grows(t) && !e.m.HoldsLists(t) {
		g.Add(place).Op("=").Add(handed(place.Clone(), t))
		return
	}
	e.clips(g, place, t)
}

// clipped is a call that returns a value clipped, and whether that has changed it. Without deep, a
// list is clipped and what is in it is not.
func (e *emitter) clipped(value *jen.Statement, t *resolve.Type, deep bool) *jen.Statement {
	deep = deep && e.m.HoldsLists(t)
	switch {
	case !deep:
		return eng("ClipList").Call(value)
	case t.Kind == resolve.List:
		return eng("ClipEach").Call(value, e.clipper(t.Elem))
	case t.Kind == resolve.Map:
		return eng("ClipMap").Call(value, e.clipper(t.Elem))
	case t.Kind == resolve.Optional:
		return eng("ClipTo").Call(value, e.clipper(t.Elem))
	}
	return e.clipper(t).Call(value)
}

// clipper is a function that clips values of a type.
func (e *emitter) clipper(t *resolve.Type) *jen.Statement {
	if c := e.m.Types.Clips[t]; c != nil {
		if !slices.Contains(e.clippers, t) {
			e.clippers = append(e.clippers, t)
		}
		return jen.Id(c.Func)
	}
	if !e.m.HoldsLists(t) {
		return eng("ClipList")
	}
	return jen.Func().Params(jen.Id("v").Add(goType(t))).Params(goType(t), jen.Bool()).Block(
		jen.Return(e.clipped(jen.Id("v"), t, true)),
	)
}

// clipperFuncs prints the functions that clip structs and unions, as far as they are called.
func (e *emitter) clipperFuncs() {
	for i := 0; i < len(e.clippers); i++ { // printing one may call for others
		t := e.clippers[i]
		c := e.m.Types.Clips[t]
		e.f.Line()
		e.f.Comment(c.Func + " returns v with the lists in it cut to their lengths, and whether one was longer.")
		results := []jen.Code{goType(t), jen.Bool()}
		if len(c.Fields) == 1 {
			results = []jen.Code{jen.Id("_").Add(goType(t)), jen.Id("cut").Bool()}
		}
		e.f.Func().Id(c.Func).Params(jen.Id("v").Add(goType(t))).Params(results...).BlockFunc(func(g *jen.Group) {
			if t.Kind == resolve.Union {
				e.clipUnion(g, c)
				return
			}
			e.clipStruct(g, c)
		})
	}
}

func (e *emitter) clipStruct(g *jen.Group, c *plan.Clipper) {
	if len(c.Fields) == 1 {
		f := c.Fields[0]
		g.List(jen.Id("v").Dot(f.GoName), jen.Id("cut")).Op("=").Add(e.clipped(jen.Id("v").Dot(f.GoName), f.Type, f.Deep))
		g.Return(jen.Id("v"), jen.Id("cut"))
		return
	}
	cut := jen.Index(jen.Lit(len(c.Fields))).Bool()
	g.Var().Id("cut").Add(cut)
	for i, f := range c.Fields {
		g.List(jen.Id("v").Dot(f.GoName), jen.Id("cut").Index(jen.Lit(i))).Op("=").Add(e.clipped(jen.Id("v").Dot(f.GoName), f.Type, f.Deep))
	}
	g.Return(jen.Id("v"), jen.Id("cut").Op("!=").Add(cut.Clone()).Values())
}

func (e *emitter) clipUnion(g *jen.Group, c *plan.Clipper) {
	g.Switch(jen.Id("is").Op(":=").Id("v").Assert(jen.Type())).BlockFunc(func(g *jen.Group) {
		for _, t := range c.Variants {
			g.Case(goType(t)).Block(
				jen.If(jen.List(jen.Id("is"), jen.Id("cut")).Op(":=").Add(e.clipper(t)).Call(jen.Id("is")), jen.Id("cut")).Block(
					jen.Return(jen.Id("is"), jen.True()),
				),
			)
		}
	})
	g.Return(jen.Id("v"), jen.False())
}

// clipFields prints that lists of a state are clipped where they are.
func clipFields(g *jen.Group, state *jen.Statement, fields []*resolve.Field) {
	for _, f := range fields {
		g.Add(state.Clone().Dot(f.GoName)).Op("=").Add(handed(state.Clone().Dot(f.GoName), f.Type))
	}
}

// ownState is the state as a handler or the kernel gets it, a copy that may be changed.
func (e *emitter) ownState() *jen.Statement {
	if len(e.m.Lists()) == 0 {
		return jen.Id("r").Dot("state")
	}
	return jen.Id("r").Dot("view").Call()
}

// viewer is what shows the state of a run to others.
func (e *emitter) viewer() *jen.Statement {
	if e.m.ViewsState() {
		return jen.Id("r")
	}
	return eng("StateOf").Call(jen.Op("&").Id("r").Dot("state"))
}

// views prints how others see the state.
func (e *emitter) views() {
	lists := e.m.Lists()
	if !e.m.ViewsState() {
		return
	}
	if len(lists) == 0 {
		e.f.Line()
		e.runMethodOf("View").Any().Add(body(jen.Return(jen.Op("&").Id("r").Dot("state"))))
		return
	}
	copied := func(result *jen.Statement) func(*jen.Group) {
		return func(g *jen.Group) {
			g.Id("state").Op(":=").Id("r").Dot("state")
			clipFields(g, jen.Id("state"), lists)
			g.Return(result)
		}
	}
	if !e.m.HandsState() {
		e.runMethodOf("View").Any().BlockFunc(copied(jen.Op("&").Id("state")))
		return
	}
	e.runMethodOf("view").Id(e.m.Names.StateType).BlockFunc(copied(jen.Id("state")))
	e.runMethodOf("View").Any().Add(body(jen.Return(jen.New(jen.Id("r").Dot("view").Call()))))
}

// keepTentative prints that what a handler has made of the state becomes the state. What it has put
// there may have room that is still its own.
func (e *emitter) keepTentative(g *jen.Group) {
	g.Id("r").Dot("state").Op("=").Id("r").Dot("tentative")
	for _, f := range e.m.Types.State.Fields {
		e.clipsAll(g, jen.Id("r").Dot("state").Dot(f.GoName), f.Type)
	}
}
