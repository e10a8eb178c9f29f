package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
)

// servers prints the MCP servers that the graph declares.
func (e *emitter) servers() {
	m := e.m
	if len(m.Models.Servers) == 0 {
		return
	}
	e.f.Line()
	e.f.Comment(m.Names.ServersVar + " are the MCP servers that graph " + m.Name + " declares. Package mcp of contrib starts them; a run needs")
	e.f.Comment("their tools, by the option WithToolbox.")
	e.f.Var().Id(m.Names.ServersVar).Op("=").Index().Qual(chatPath, "Server").ValuesFunc(func(g *jen.Group) {
		for i := range m.Models.Servers {
			g.Line().Add(server(&m.Models.Servers[i]))
		}
		g.Line()
	})
}

// server prints one of them.
func server(s *plan.Server) *jen.Statement {
	return jen.ValuesFunc(func(g *jen.Group) {
		g.Id("Name").Op(":").Lit(s.Name)
		if len(s.Command) > 0 {
			g.Id("Command").Op(":").Index().String().Values(literals(s.Command)...)
		}
		if s.URL != "" {
			g.Id("URL").Op(":").Lit(s.URL)
		}
		if len(s.Env) > 0 {
			g.Id("Env").Op(":").Index().Index().String().ValuesFunc(func(g *jen.Group) {
				for _, names := range s.Env {
					g.Values(literals(names)...)
				}
			})
		}
		if len(s.Bearer) > 0 {
			g.Id("Bearer").Op(":").Index().String().Values(literals(s.Bearer)...)
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
