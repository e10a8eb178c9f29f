package golang

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/gen/schema"
	"github.com/graphgen/graphgen/spec/resolve"
)

// emitTools prints the interface of a graph's tools, and the switch that calls them by
// their names.
func emitTools(f *jen.File, m *plan.Machine) {
	emitInterface(f, m)
	emitCaller(f, m)
	f.Line()
	f.Func().Params(jen.Id(callerReceiver(m)).Op("*").Id(m.Names.Caller)).Id("CallTool").
		Params(ctxParam(), jen.Id("call").Op("*").Qual(chatPath, "ToolCall")).
		Params(jen.Qual(chatPath, "ToolResult"), jen.Error()).
		BlockFunc(func(g *jen.Group) {
			if methods := m.Methods(); len(methods) > 0 {
				var cases []namedCase
				for _, t := range methods {
					cases = append(cases, namedCase{t.Name, func(g *jen.Group) { toolCase(g, m, t) }})
				}
				switchOver(g, jen.Id("call").Dot("Name"), cases)
			}
			g.Return(pipe("Unknown").Call(jen.Id("call")))
		})
	emitToolKeys(f, m)
	emitToolArguments(f, m)
	emitToolResults(f, m)
}

// A namedCase is what is done for a name.
type namedCase struct {
	name string
	then func(*jen.Group)
}

// switchOver prints a choice by a name. One name is an if.
func switchOver(g *jen.Group, name *jen.Statement, cases []namedCase) {
	if len(cases) == 1 {
		g.If(name.Op("==").Lit(cases[0].name)).BlockFunc(cases[0].then)
		return
	}
	g.Switch(name).BlockFunc(func(g *jen.Group) {
		for _, c := range cases {
			g.Case(jen.Lit(c.name)).BlockFunc(c.then)
		}
	})
}

// emitInterface prints the interface of the tools that are methods.
func emitInterface(f *jen.File, m *plan.Machine) {
	methods := m.Methods()
	if len(methods) == 0 {
		return
	}
	f.Line()
	f.Comment(m.Names.ToolsType + " has the tools of graph " + m.Name +
		", which may run concurrently. A model gets an error as text, unless it is a chat.Fatal.")
	f.Type().Id(m.Names.ToolsType).InterfaceFunc(func(g *jen.Group) {
		for _, t := range methods {
			doc := t.Method + " is the tool " + t.Name + "."
			if t.Doc != "" {
				doc = t.Method + " is the tool " + t.Name + ": " + t.Doc
			}
			g.Add(comment(doc))
			params := []jen.Code{ctxParam()}
			if t.In != nil {
				params = append(params, jen.Id("in").Id(t.In.GoName))
			}
			if len(t.Args.Fields) > 0 {
				params = append(params, jen.Id("args").Add(goType(t.Args)))
			}
			g.Id(t.Method).Params(params...).Params(goType(t.Returns), jen.Error())
		}
	})
}

// callerReceiver names what calls the tools: the machine, or the machine with what its tools read.
func callerReceiver(m *plan.Machine) string {
	if m.Models.ToolReads {
		return "c"
	}
	return "m"
}

// emitCaller prints the type that calls the tools of a machine.
func emitCaller(f *jen.File, m *plan.Machine) {
	f.Line()
	if !m.Models.ToolReads {
		f.Type().Id(m.Names.Caller).Id(m.GoName)
		return
	}
	f.Comment(m.Names.Caller + " calls the tools of the machine by their names. It has what they read of the state, as it was before the")
	f.Comment("first call of a turn.")
	f.Type().Id(m.Names.Caller).StructFunc(func(g *jen.Group) {
		if len(m.Methods()) > 0 {
			g.Id("tools").Id(m.Names.ToolsType)
		}
		for _, t := range m.Models.Tools {
			if t.In != nil {
				g.Id(t.Field).Id(t.In.GoName)
			}
		}
	})
	f.Line()
	f.Comment("caller returns what calls the tools of a turn of the run.")
	f.Func().Params(jen.Id("m").Op("*").Id(m.GoName)).Id("caller").Params(jen.Id("r").Op("*").Id(m.Names.Run)).Op("*").Id(m.Names.Caller).Block(
		jen.Return(fitting(jen.Op("&").Id(m.Names.Caller), callerFields(m))),
	)
}

func callerFields(m *plan.Machine) []jen.Code {
	var fields []jen.Code
	if len(m.Methods()) > 0 {
		fields = append(fields, entry("tools", jen.Id("m").Dot("tools")))
	}
	for _, t := range m.Models.Tools {
		if t.In != nil {
			fields = append(fields, entry(t.Field, readStruct(t.In)))
		}
	}
	return fields
}

// readStruct is a struct of fields of the state, with their values in the run.
func readStruct(in *resolve.Type) *jen.Statement {
	return jen.Id(in.GoName).ValuesFunc(func(g *jen.Group) {
		for _, f := range in.Fields {
			g.Id(f.GoName).Op(":").Add(handed(jen.Id("r").Dot("state").Dot(f.GoName), f.Type))
		}
	})
}

// emitToolKeys prints the keys of what pure tools read.
func emitToolKeys(f *jen.File, m *plan.Machine) {
	if !slices.ContainsFunc(m.Models.Tools, func(t *plan.Tool) bool { return t.Keyed }) {
		return
	}
	f.Line()
	f.Comment("ToolKey returns what a pure tool reads, so that a call with something else repeats none.")
	f.Func().Params(jen.Id("c").Op("*").Id(m.Names.Caller)).Id("ToolKey").Params(jen.Id("tool").String()).Params(jen.Id("key").String(),
		jen.Id("ok").Bool()).Block(
		jen.Var().Err().Error(),
		jen.Switch(jen.Id("tool")).BlockFunc(func(g *jen.Group) {
			for _, t := range m.Models.Tools {
				if t.Keyed {
					g.Case(jen.Lit(t.Name)).Block(jen.List(jen.Id("key"), jen.Err()).Op("=").Qual(codecPath, "Key").Call(jen.Op("&").Id("c").Dot(t.Field)))
				}
			}
		}),
		jen.Return(jen.Id("key"), jen.Err().Op("==").Nil()),
	)
}

// emitToolArguments prints how the arguments of the calls are decoded that wait for an answer.
func emitToolArguments(f *jen.File, m *plan.Machine) {
	waiting := slices.Concat(m.Humans.Held, m.Clients())
	if len(waiting) == 0 {
		return
	}
	f.Line()
	f.Func().Params(jen.Op("*").Id(m.Names.Caller)).Id("ToolArguments").Params(jen.Id("call").Op("*").Qual(chatPath, "ToolCall")).
		Params(jen.Any(), jen.Error()).Block(
		jen.Switch(jen.Id("call").Dot("Name")).BlockFunc(func(g *jen.Group) {
			for _, t := range waiting {
				g.Case(jen.Lit(t.Name)).Block(
					jen.Var().Id("args").Add(goType(t.Args)),
					jen.Err().Op(":=").Add(pipe("Arguments")).Call(jen.Id("call"), jen.Op("&").Id("args")),
					jen.Return(jen.Id("args"), jen.Err()),
				)
			}
		}),
		jen.List(jen.Id("_"), jen.Err()).Op(":=").Add(pipe("Unknown")).Call(jen.Id("call")),
		jen.Return(jen.Nil(), jen.Err()),
	)
}

// emitToolResults prints how the results are decoded of the tools that the caller of the machine runs.
func emitToolResults(f *jen.File, m *plan.Machine) {
	clients := m.Clients()
	if len(clients) == 0 {
		return
	}
	f.Line()
	f.Comment("ToolReturns returns the JSON Schema of the answer to a call of a tool that the caller of the machine runs.")
	f.Func().Params(jen.Op("*").Id(m.Names.Caller)).Id("ToolReturns").Params(jen.Id("tool").String()).String().Block(
		jen.Switch(jen.Id("tool")).BlockFunc(func(g *jen.Group) {
			for _, t := range clients {
				g.Case(jen.Lit(t.Name)).Block(jen.Return(jen.Op("`" + string(schema.Returned(t.Returns)) + "`")))
			}
		}),
		jen.Return(jen.Lit("")),
	)
	f.Line()
	f.Func().Params(jen.Op("*").Id(m.Names.Caller)).Id("ToolResult").Params(jen.Id("tool").String(), jen.Id("result").Index().Byte()).
		Params(jen.Qual(chatPath, "ToolResult"), jen.Error()).Block(
		jen.Switch(jen.Id("tool")).BlockFunc(func(g *jen.Group) {
			for _, t := range clients {
				g.Case(jen.Lit(t.Name)).BlockFunc(func(g *jen.Group) { resultCase(g, t) })
			}
		}),
		jen.Return(pipe("Unknown").Call(jen.Op("&").Qual(chatPath, "ToolCall").Values(jen.Id("Name").Op(":").Id("tool")))),
	)
}

// resultCase prints the decoding of the result of one tool.
func resultCase(g *jen.Group, t *plan.Tool) {
	g.Var().Id("out").Add(goType(t.Returns))
	decoded := jen.Qual(codecPath, "Unmarshal").Call(jen.Id("result"), unmarshaler(jen.Op("&").Id("out"), t.Returns))
	g.If(jen.Err().Op(":=").Add(decoded), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Qual(chatPath, "ToolResult").Values(), jen.Err()))
	if t.Returns.Kind == resolve.String {
		g.Return(jen.Qual(chatPath, "ToolResult").Values(jen.Id("Text").Op(":").Id("out")), jen.Nil())
		return
	}
	g.Return(pipe("Result").Call(marshaler(jen.Id("out"), t.Returns)))
}

// toolCase prints the call of one tool.
func toolCase(g *jen.Group, m *plan.Machine, t *plan.Tool) {
	tool := jen.Id(callerReceiver(m)).Dot("tools").Dot(t.Method)
	if t.In != nil || len(t.Args.Fields) == 0 { // it takes something else than the arguments alone
		args, name := []jen.Code{jen.Id("ctx")}, "_"
		if t.In != nil {
			args = append(args, jen.Id("c").Dot(t.Field))
		}
		if len(t.Args.Fields) > 0 {
			args, name = append(args, jen.Id("args")), "args"
		}
		tool = jen.Func().Params(ctxParam(), jen.Id(name).Add(goType(t.Args))).Params(goType(t.Returns), jen.Error()).Block(jen.Return(tool.Call(args...)))
	}
	if t.Returns.Kind == resolve.String {
		g.Return(pipe("ToolText").Call(jen.Id("ctx"), jen.Id("call"), tool))
		return
	}
	g.Return(pipe("ToolJSON").Call(jen.Id("ctx"), jen.Id("call"), tool, writer(t.Returns, limits{})))
}

// callNode prints the description of a tool node, and the method that makes its calls.
func (e *emitter) callNode(n *plan.Node, c *plan.Call) {
	e.f.Line()
	e.f.Var().Id(c.Var).Op("=").Add(pipe("Node")).ValuesFunc(func(g *jen.Group) {
		g.Id("Name").Op(":").Lit(n.Name)
		if c.Tool != nil {
			g.Id("Tools").Op(":").Add(toolTable([]*plan.Tool{c.Tool}, nil))
			if c.Tool.Client != nil {
				g.Id("Holder").Op(":").Add(holder())
			}
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
	e.f.Comment(c.Method + " is node " + n.Name + ": it " + what + ".")
	e.stepMethod(c.Method, n).
		BlockFunc(func(g *jen.Group) {
			session := []jen.Code{jen.Id("ctx"), kernelRun(), jen.Op("&").Id("r").Dot("conversation"), jen.Op("&").Id(c.Var), e.caller()}
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
func (e *emitter) specs(tools []*plan.Tool) *jen.Statement {
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
