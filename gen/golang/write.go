package golang

import (
	"strconv"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// writes prints the writes of an output, each by its merge rule.
func (e *emitter) writes(g *jen.Group, n *plan.Node) {
	for _, w := range n.State.Writes {
		if w.Turn {
			e.appendTurn(g, w)
			continue
		}
		if w.Record != nil {
			continue // it was written before the answer was looked at
		}
		value, t := jen.Id("out"), n.Out
		if w.From != nil {
			value, t = jen.Id("out").Dot(w.From.GoName), w.From.Type
		}
		if len(n.Checks.Guards) == 0 { // else they were given it clipped
			e.clips(g, value.Clone(), t)
		}
		switch {
		case w.Some:
			value = jen.New(value)
		case w.Rest:
			value = pipe("Rest").Call(value, jen.Id("r").Dot("state").Dot(w.To.GoName))
		}
		e.noteWrite(g, n, w, value.Clone())
		e.write(g, w, value)
	}
}

// record prints that what a person answered is written to the state.
func (e *emitter) record(g *jen.Group, n *plan.Node) {
	for _, w := range n.State.Writes {
		if w.Record == nil {
			continue
		}
		g.Id("record").Op(":=").Id("r").Dot("Pauses").Call().Dot("Record").Call()
		value := goType(w.Record).ValuesFunc(func(g *jen.Group) {
			for _, f := range w.Record.Fields {
				g.Id(f.GoName).Op(":").Id("record").Dot(f.GoName)
			}
		})
		if w.Some {
			value = jen.Op("&").Add(value)
		}
		e.noteWrite(g, n, w, value.Clone())
		e.write(g, w, value)
	}
}

// write prints that a value reaches a field of the state.
func (e *emitter) write(g *jen.Group, w plan.Write, value *jen.Statement) {
	to := jen.Id("r").Dot("state").Dot(w.To.GoName)
	if w.Merge == "sum" {
		g.Add(to).Op("+=").Add(value)
		return
	}
	g.Add(to.Clone()).Op("=").Add(merged(w, to.Clone(), value))
	if w.Custom() {
		e.clips(g, to, w.To.Type)
	}
	if i := e.m.Mutations.Output(w.To); i >= 0 {
		g.Add(e.written(jen.Id("r"), i)).Op("=").True()
	}
}

// appendTurn prints that the turn which is over continues a conversation.
func (e *emitter) appendTurn(g *jen.Group, w plan.Write) {
	have, name := jen.Id("r").Dot("state").Dot(w.To.GoName), jen.Lit(w.To.Name)
	if w.Merge == "last" {
		e.write(g, w, jen.Id("r").Dot("conversation").Dot("Continue").Call(name, have))
		return
	}
	e.write(g, w, jen.Id("r").Dot("conversation").Dot("Turn").Call(name))
}

// written is where a run notes that it has written an output.
func (e *emitter) written(run *jen.Statement, output int) *jen.Statement {
	return run.Dot(e.m.Mutations.Noted).Index(jen.Lit(output))
}

// merged is the field's value after a write, by its merge rule.
func merged(w plan.Write, have, add *jen.Statement) *jen.Statement {
	spread := add
	if w.To.Type.Kind == resolve.List && !w.Elem {
		spread = add.Clone().Op("...")
	}
	switch w.Merge {
	case "append":
		grown := jen.Append(have, spread)
		if most := w.To.Keeps(); most > 0 {
			return eng("Keep").Call(grown, jen.Lit(most))
		}
		return grown
	case "union":
		if w.To.Type.Kind == resolve.Map {
			return eng("UnionMap").Call(have, add)
		}
		return eng("Union").Call(have, spread)
	case "max", "min":
		if w.To.Type.Kind == resolve.Optional {
			return eng(map[string]string{"max": "Max", "min": "Min"}[w.Merge]).Call(have, add)
		}
		return jen.Id(w.Merge).Call(have, add)
	case "custom":
		return jen.Id("m").Dot("handlers").Dot(w.Func).Call(handed(have, w.To.Type), handed(add, w.To.Type))
	}
	return add
}

// duration prints a duration in its greatest unit.
func duration(d time.Duration) *jen.Statement {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}} {
		if d >= unit.size && d%unit.size == 0 {
			count := d / unit.size
			if count == 1 {
				return jen.Qual("time", unit.name)
			}
			return jen.Op(strconv.FormatInt(int64(count), 10)).Op("*").Qual("time", unit.name)
		}
	}
	return jen.Op(strconv.FormatInt(int64(d), 10)).Op("*").Qual("time", "Nanosecond")
}
