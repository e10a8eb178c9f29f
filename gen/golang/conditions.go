package golang

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
)

// emitConditions puts every condition into a function of its own. A line directive
// gives the expression the position it has in the spec, so that compile errors, panics
// and debuggers name that; a second one gives the file its own lines back. The file is
// written as text because jennifer has no place for a directive inside an expression.
func emitConditions(m *plan.Machine, name string) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\npackage %s\n\n", Header(m.File), m.Package)
	writeImports(&b, m.Conditions)
	for _, c := range m.Conditions {
		for _, line := range commentLines(c.Func + " " + c.Doc) {
			fmt.Fprintln(&b, line)
		}
		fmt.Fprintf(&b, "func %s(%s) bool {\n", c.Func, strings.Join(conditionParams(m, c), ", "))
		fmt.Fprintf(&b, "\treturn /*line %s:%d:%d*/ %s /*line %s:%s:1*/\n}\n\n",
			m.File, c.Place.Line, max(1, c.Place.Col-1), c.Expr, name, ownLine)
	}
	out, err := format.Source(b.Bytes())
	if err != nil {
		return nil, err
	}
	return numberLines(out), nil
}

func writeImports(b *bytes.Buffer, conditions []*plan.Condition) {
	paths := []string{}
	for _, c := range conditions {
		if c.UsesResult {
			paths = append(paths, kernel)
		}
		paths = append(paths, c.Imports...)
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	// The standard library comes first, then the kernel.
	for _, kernelGroup := range []bool{false, true} {
		for _, p := range paths {
			switch {
			case p == kernel && kernelGroup:
				fmt.Fprintf(b, "import %s %q\n\n", kernelName, p)
			case p != kernel && !kernelGroup:
				fmt.Fprintf(b, "import %q\n", p)
			}
		}
		b.WriteByte('\n')
	}
}

func conditionParams(m *plan.Machine, c *plan.Condition) []string {
	var params []string
	if c.UsesOut && c.Out != nil {
		params = append(params, "out "+c.Out.Go())
	}
	if c.UsesState {
		params = append(params, "state *"+m.StateType)
	}
	if c.UsesResult {
		params = append(params, "res "+kernelName+".Result")
	}
	return params
}

// conditionCall is the call of a condition from the machine.
func conditionCall(c *plan.Condition) *jen.Statement {
	return jen.Id(c.Func).CallFunc(func(g *jen.Group) {
		if c.UsesOut && c.Out != nil {
			g.Id("out")
		}
		if c.UsesState {
			g.Op("&").Id("r").Dot("state")
		}
		if c.UsesResult {
			g.Id("r").Dot("Result").Call()
		}
	})
}

// ownLine stands for the number of the line after the one it is on: the line that a
// directive at the end of a line speaks of.
const ownLine = "999999"

func numberLines(source []byte) []byte {
	lines := bytes.Split(source, []byte("\n"))
	for i, line := range lines {
		lines[i] = bytes.ReplaceAll(line, []byte(":"+ownLine+":1*/"), fmt.Appendf(nil, ":%d:1*/", i+1))
	}
	return bytes.Join(lines, []byte("\n"))
}
