package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// emitTools prints the interface of a graph's tools, and the switch that calls them by
// their names.
func emitTools(m *plan.Machine) *jen.File {
	f := newFile(m)
	f.Line()
	f.Comment(m.ToolsType + " is what the models of graph " + m.Name + " may have called. The methods may be called")
	f.Comment("by several goroutines at once. The model gets an error as text, unless it is a chat.Fatal.")
	f.Type().Id(m.ToolsType).InterfaceFunc(func(g *jen.Group) {
		for _, t := range m.Tools {
			doc := t.Method + " is the tool " + t.Name + "."
			if t.Doc != "" {
				doc = t.Method + " is the tool " + t.Name + ": " + t.Doc
			}
			g.Add(comment(doc))
			params := []jen.Code{ctxParam()}
			if len(t.Args.Fields) > 0 {
				params = append(params, jen.Id("args").Add(goType(t.Args)))
			}
			g.Id(t.Method).Params(params...).Params(goType(t.Returns), jen.Error())
		}
	})
	f.Line()
	f.Comment(m.Names.Caller + " is the machine as what calls its tools by their names.")
	f.Type().Id(m.Names.Caller).Id(m.GoName)
	f.Line()
	f.Comment("CallTool decodes the arguments of a call, calls the tool, and encodes what it returns.")
	f.Func().Params(jen.Id("m").Op("*").Id(m.Names.Caller)).Id("CallTool").
		Params(ctxParam(), jen.Id("call").Op("*").Qual(chatPath, "ToolCall")).
		Params(jen.Qual(chatPath, "ToolResult"), jen.Error()).
		Block(
			jen.Switch(jen.Id("call").Dot("Name")).BlockFunc(func(g *jen.Group) {
				for _, t := range m.Tools {
					g.Case(jen.Lit(t.Name)).BlockFunc(func(g *jen.Group) { toolCase(g, t) })
				}
			}),
			jen.Return(pipe("Unknown").Call(jen.Id("call"))),
		)
	return f
}

// toolCase prints the call of one tool.
func toolCase(g *jen.Group, t *plan.Tool) {
	args := []jen.Code{jen.Id("ctx")}
	g.Var().Id("args").Add(goType(t.Args))
	if len(t.Args.Fields) > 0 {
		args = append(args, jen.Id("args"))
	}
	g.If(jen.Err().Op(":=").Add(pipe("Arguments")).Call(jen.Id("call"), jen.Op("&").Id("args")), jen.Err().Op("!=").Nil()).
		Block(jen.Return(jen.Qual(chatPath, "ToolResult").Values(), jen.Err()))
	g.List(jen.Id("out"), jen.Err()).Op(":=").Id("m").Dot("tools").Dot(t.Method).Call(args...)
	if t.Returns.Kind == resolve.String {
		g.Return(jen.Qual(chatPath, "ToolResult").Values(jen.Id("Text").Op(":").Id("out")), jen.Err())
		return
	}
	g.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Qual(chatPath, "ToolResult").Values(), jen.Err()))
	g.Return(pipe("Result").Call(marshaler(jen.Id("out"), t.Returns)))
}

// callNode prints the description of a tool node, and the method that makes its calls.
func (e *emitter) callNode(n *plan.Node) {
	c := n.Call
	e.f.Line()
	e.f.Comment(c.Var + " describes what node " + n.Name + " calls.")
	e.f.Var().Id(c.Var).Op("=").Add(pipe("Node")).ValuesFunc(func(g *jen.Group) {
		g.Id("Name").Op(":").Lit(n.Name)
		if c.Tool != nil {
			g.Id("Tools").Op(":").Add(toolTable([]*plan.Tool{c.Tool}))
		}
		if c.Parallel > 0 {
			g.Id("Parallel").Op(":").Lit(c.Parallel)
		}
	})
	e.f.Line()
	what := "runs the tools that are pending"
	if c.Tool != nil {
		what = "calls the tool " + c.Tool.Name
	}
	e.f.Comment(n.Call.Method + " is node " + n.Name + ": it " + what + ".")
	e.stepMethod(n.Call.Method, n).
		BlockFunc(func(g *jen.Group) {
			session := []jen.Code{jen.Id("ctx"), kernelRun(), jen.Op("&").Id("r").Dot("talk"), jen.Op("&").Id(c.Var), e.caller()}
			if c.Tool == nil {
				g.Return(pipe("CallPending").Call(session...))
				return
			}
			g.Id("args").Op(":=").Add(goType(c.Tool.Args)).ValuesFunc(func(g *jen.Group) {
				for _, a := range c.Args {
					g.Id(a.To.GoName).Op(":").Add(argument(a))
				}
			})
			how, out := "CallText", jen.Op("&").Id("out")
			if c.Tool.Returns.Kind != resolve.String {
				how, out = "CallJSON", unmarshaler(out, c.Tool.Returns)
			}
			g.Err().Op("=").Add(pipe(how)).Call(append(session, jen.Id("args"), out)...)
			g.Return(jen.Id("out"), jen.Err())
		})
}

// argument is the value of an argument: that of a field, or its place where the argument
// may be absent.
func argument(a plan.Argument) *jen.Statement {
	value := jen.Id("r").Dot("state").Dot(a.From.GoName)
	if a.To.Type.Kind == resolve.Optional && a.From.Type.Kind != resolve.Optional {
		return jen.Op("&").Add(value)
	}
	return value
}
