package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/gen/view"
)

// viewFile renders what describes the graph to servers, in a file that a reviewer of the machine skips.
func viewFile(m *plan.Machine, _ string) ([]byte, error) {
	f := newFile(m)
	f.Comment("Describe returns the graph as JSON: its nodes and transitions, a picture, and the schemas of what goes in and comes out.")
	f.Func().Params(jen.Op("*").Id(m.GoName)).Id("Describe").Params().String().Block(jen.Return(jen.Id(m.Names.Description)))
	if len(m.Types.Shown) > 0 {
		f.Comment("ShownCells lists the fields that events have of the state. It is for generated code.")
		cells := jen.Id("c").Op("*").Qual(codecPath, "Cells")
		f.Func().Params(jen.Id("s").Op("*").Id(m.Names.StateType)).Id("ShownCells").Params(cells).BlockFunc(func(g *jen.Group) {
			for i := range m.Types.Shown {
				g.Add(cell("s", &m.Types.Shown[i]))
			}
		})
		f.Line()
	}
	f.Const().Id(m.Names.Description).Op("=").Op("`" + string(view.Of(m).JSON()) + "`")
	return render(f)
}
