package golang

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// handed is a value as others get it: a list without the room after its end. What a list in the
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
		e.print("clipper", struct {
			*plan.Clipper
			Type *resolve.Type
		}{e.m.Types.Clips[t], t})
	}
}

// ownState is the state as a handler or the kernel gets it, a copy that may be changed.
func (e *emitter) ownState() *jen.Statement {
	if len(e.m.Lists()) == 0 {
		return jen.Id("r").Dot("state")
	}
	return jen.Id("r").Dot("view").Call()
}

// keepTentative prints that what a handler has made of the state becomes the state. What it has put
// there may have room that is still its own.
func (e *emitter) keepTentative(g *jen.Group) {
	g.Id("r").Dot("state").Op("=").Id("r").Dot("tentative")
	for _, f := range e.m.Types.State.Fields {
		e.clipsAll(g, jen.Id("r").Dot("state").Dot(f.GoName), f.Type)
	}
}
