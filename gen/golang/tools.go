package golang

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// callTools prints the interface of a graph's tools, and the switch that calls them by their names.
func (e *emitter) callTools() {
	if len(e.m.Methods()) > 0 {
		e.print("tools", nil)
	}
	e.print("caller", nil)
}

// keyed lists the tools that are pure and read the state.
func (e *emitter) keyed() (list []*plan.Tool) {
	for _, t := range e.m.Models.Tools {
		if t.Keyed {
			list = append(list, t)
		}
	}
	return list
}

// toolMethod is the method of a tool as a function of the arguments alone.
func (e *emitter) toolMethod(t *plan.Tool) *jen.Statement {
	receiver := "m"
	if e.m.Models.ToolReads {
		receiver = "c"
	}
	method := jen.Id(receiver).Dot("tools").Dot(t.Method)
	if t.In == nil && len(t.Args.Fields) > 0 {
		return method
	}
	args, name := []jen.Code{jen.Id("ctx")}, "_"
	if t.In != nil {
		args = append(args, jen.Id("c").Dot(t.Field))
	}
	if len(t.Args.Fields) > 0 {
		args, name = append(args, jen.Id("args")), "args"
	}
	return jen.Func().Params(ctxParam(), jen.Id(name).Add(goType(t.Args))).Params(goType(t.Returns), jen.Error()).Block(jen.Return(method.Call(args...)))
}

// callerValue is what calls the tools of a turn, with what they read.
func (e *emitter) callerValue() *jen.Statement {
	m, fields := e.m, []jen.Code{}
	if len(m.Methods()) > 0 {
		fields = append(fields, entry("tools", jen.Id("m").Dot("tools")))
	}
	for _, t := range m.Models.Tools {
		if t.In != nil {
			fields = append(fields, entry(t.Field, readStruct(t.In)))
		}
	}
	return fitting(jen.Op("&").Id(m.Names.Caller), fields)
}

// readStruct is a struct of fields of the state, with their values in the run.
func readStruct(in *resolve.Type) *jen.Statement {
	return jen.Id(in.GoName).ValuesFunc(func(g *jen.Group) {
		for _, f := range in.Fields {
			g.Id(f.GoName).Op(":").Add(handed(jen.Id("r").Dot("state").Dot(f.GoName), f.Type))
		}
	})
}

// argument is the value of an argument: the value of a field, or its place where the argument
// may be absent.
func argument(a plan.Argument) *jen.Statement {
	value := jen.Id("r").Dot("state").Dot(a.From.GoName)
	if a.To.Type.Kind == resolve.Optional && a.From.Type.Kind != resolve.Optional {
		return jen.Op("&").Add(value)
	}
	return value
}

func toolChoice(p *plan.Prompt) *jen.Statement {
	mode := map[string]string{"none": "None", "required": "Required", "named": "Named"}[p.Choice]
	return jen.Qual(chatPath, "ToolChoice").ValuesFunc(func(g *jen.Group) {
		if mode == "" {
			return
		}
		g.Id("Mode").Op(":").Qual(chatPath, mode)
		if p.Named != "" {
			g.Id("Name").Op(":").Lit(p.Named)
		}
	})
}

// toolTable prints what the pipeline has to know of tools.
func toolTable(tools []*plan.Tool, approve []string) *jen.Statement {
	manner := jen.Options{Open: "{", Close: "}", Separator: ","}
	if len(tools) > 2 {
		manner = lines
	}
	return jen.Index().Add(pipe("Tool")).CustomFunc(manner, func(g *jen.Group) {
		for _, t := range tools {
			g.ValuesFunc(func(g *jen.Group) {
				g.Id("Name").Op(":").Lit(t.Name)
				if slices.Contains(approve, t.Name) {
					g.Id("Approve").Op(":").True()
				}
				if t.Pure {
					g.Id("Pure").Op(":").True()
				}
				if t.Timeout > 0 {
					g.Id("Timeout").Op(":").Add(eng("TimeLimit").Call(duration(t.Timeout)))
				}
				if t.MaxResult > 0 {
					g.Id("MaxResult").Op(":").Lit(t.MaxResult)
				}
				if t.Client != nil {
					g.Id("Client").Op(":").True()
				}
			})
		}
	})
}

// docWidth is the width of the description of a tool that is on the line of its node.
const docWidth = 40

// specs prints the tools as the model gets them.
func specs(tools []*plan.Tool) *jen.Statement {
	manner := lines
	if len(tools) == 1 && len(tools[0].Doc) < docWidth {
		manner = jen.Options{Open: "{", Close: "}"}
	}
	return jen.Index().Qual(chatPath, "ToolSpec").CustomFunc(manner, func(g *jen.Group) {
		for _, t := range tools {
			g.ValuesFunc(func(g *jen.Group) {
				g.Id("Name").Op(":").Lit(t.Name)
				if t.Doc != "" {
					g.Id("Doc").Op(":").Lit(strings.TrimSpace(t.Doc))
				}
				g.Id("Schema").Op(":").Add(goType(t.Args)).Values().Dot("JSONSchema").Call()
			})
		}
	})
}

func literals(texts []string) []jen.Code {
	var out []jen.Code
	for _, text := range texts {
		out = append(out, jen.Lit(text))
	}
	return out
}
