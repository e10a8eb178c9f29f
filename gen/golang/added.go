package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
)

// dynamicField is the field of the run with the turns of added prompts.
func (e *emitter) dynamicField() *jen.Statement { return jen.Id("r").Dot(e.m.Mutations.Field) }

// dynamicCase prints the case of nodes of kind prompt that a run has added: all of them.
func (e *emitter) dynamicCase(g *jen.Group) {
	if !e.m.Mutations.Prompts() {
		return
	}
	g.Case(jen.Id(e.m.Names.NodeType).Call(eng("DynamicPrompt"))).BlockFunc(func(g *jen.Group) {
		g.Comment("A prompt that the run has added.")
		out := jen.Id("_")
		if len(e.m.Mutations.Writes) > 0 || e.m.Models.Results {
			out = jen.Id("out")
		}
		g.List(out, jen.Err()).Op(":=").Id("m").Dot("askDynamic").Call(jen.Id("ctx"), jen.Id("r"))
		g.Add(ifFailed())
		g.Id("transcript").Op(":=").Add(e.dynamicField()).Dot("Of").Call(kernelRun())
		if len(e.m.Mutations.Tools) > 0 {
			g.If(jen.Id("transcript").Dot("Looping").Call()).Block(jen.Id("r").Dot("Changes").Call().Dot("Reenter").Call(), jen.Continue())
		}
		g.Id("r").Dot("conversation").Dot("Keep").Call(jen.Id("transcript"))
		if len(e.m.Mutations.Writes) > 0 {
			g.Id("m").Dot("writeDynamic").Call(jen.Id("r"), jen.Id("out"))
		}
		if e.m.Models.Results {
			g.Id("r").Dot("results").Dot("AddText").Call(jen.Id("r").Dot("NodeName").Call(), jen.Id("out"))
		}
		g.If(jen.Id("r").Dot("Changes").Call().Dot("Follow").Call()).Block(jen.Continue())
		e.otherwise(g, plan.Default{Kind: plan.Terminal})
	})
}

// writeDynamic prints how the answer of an added prompt reaches the state.
func (e *emitter) writeDynamic() {
	s := e.m.Mutations
	if !s.Prompts() || len(s.Writes) == 0 {
		return
	}
	e.f.Line()
	e.f.Comment("writeDynamic writes the answer of a prompt that the run has added to the field that it names.")
	e.f.Func().Params(jen.Id("m").Op("*").Id(e.m.GoName)).Id("writeDynamic").
		Params(jen.Id("r").Op("*").Id(e.m.Names.Run), jen.Id("out").String()).
		BlockFunc(func(g *jen.Group) {
			g.Switch(jen.Id("r").Dot("Changes").Call().Dot("DynamicNode").Call().Dot("Writes")).BlockFunc(func(g *jen.Group) {
				for _, w := range s.Writes {
					value := jen.Id("out")
					if w.Some {
						value = jen.New(value)
					}
					g.Case(jen.Lit(w.To.Name)).BlockFunc(func(g *jen.Group) { e.write(g, w, value) })
				}
			})
		})
}

// dynamicPrompts prints how added prompts ask their models.
func (e *emitter) dynamicPrompts() {
	s := e.m.Mutations
	if !s.Prompts() {
		return
	}
	e.f.Line()
	e.f.Comment(s.Prompt + " is what the prompts that runs add have in common.")
	fields := []jen.Code{jen.Id("Repair").Op(":").Lit(1)}
	if len(s.Tools) > 0 {
		fields = append([]jen.Code{entry("Tools", toolTable(s.Tools, s.Approve)), entry("Specs", e.specs(s.Tools))}, fields...)
	}
	if s.Holds() {
		fields = append(fields, entry("Holder", holder()))
	}
	e.f.Var().Id(s.Prompt).Op("=").Add(pipe("Node")).Custom(lines, fields...)
	prompt := jen.Nil() // they read nothing
	if len(s.Reads) > 0 {
		prompt = jen.Id("r")
	}
	e.f.Line()
	e.f.Comment("askDynamic makes a turn of a node that the run has added: the model answers, or asks for tools, which are run.")
	e.f.Func().Params(jen.Id("m").Op("*").Id(e.m.GoName)).Id("askDynamic").
		Params(ctxParam(), jen.Id("r").Op("*").Id(e.m.Names.Run)).
		Params(jen.Id("out").String(), jen.Err().Error()).
		BlockFunc(func(g *jen.Group) {
			g.Id("transcript").Op(":=").Add(e.dynamicField()).Dot("Of").Call(kernelRun())
			g.Id("transcript").Dot("EnterDynamic").Call(kernelRun(), jen.Op("&").Id("r").Dot("conversation"),
				jen.Id("m").Dot("model"), jen.Op("&").Id(s.Prompt), prompt)
			g.Err().Op("=").Id("transcript").Dot("Ask").Call(jen.Id("ctx"), e.caller(), jen.Nil())
			g.Return(jen.Id("transcript").Dot("Text").Call(), jen.Err())
		})
}

// templateMutations prints the constructors of what is made of templates.
func (e *emitter) templateMutations() {
	m := e.m
	for _, t := range m.Mutations.Templates {
		if t.Shape.Add == "" {
			continue
		}
		e.f.Line()
		e.f.Add(lined(t.Shape.Add + " asks for one more " + t.Name + ", which runs once after a node and leads to next: where after is " + m.Names.End +
			", no edge leads to it, and where next is, it leads where after leads when no condition holds."))
		e.f.Func().Id(t.Shape.Add).Params(jen.Id("name").String(), jen.List(jen.Id("after"), jen.Id("next")).Id(m.Names.NodeType)).Add(mut("Change")).
			BlockFunc(func(g *jen.Group) {
				g.Id("n").Op(":=").Add(mut("Node")).Values(entry("Name", jen.Id("name")), entry("Template", jen.Lit(t.Name)))
				for _, end := range []struct{ param, field string }{{"after", "After"}, {"next", "Next"}} {
					g.If(jen.Id(end.param).Op("!=").Add(jen.Id(e.m.Names.End))).Block(jen.Id("n").Dot(end.field).Op("=").Id(end.param).Dot("String").Call())
				}
				g.Return(mut("AddNode").Call(jen.Id("n")))
			})
	}
}
