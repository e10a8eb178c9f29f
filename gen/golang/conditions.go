package golang

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// emitConditions prints the conditions that have a function of their own. A line directive
// gives the expression the position it has in the spec, so that compile errors, panics
// and debuggers name that; a second one gives the file its own lines back.
func emitConditions(m *plan.Machine, name string) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\npackage %s\n\n", Header(m.File), m.Package)
	writeImports(&b, m.Conditions)
	line := bytes.Count(b.Bytes(), []byte("\n"))
	for i, c := range m.Conditions {
		if i > 0 {
			line++
			b.WriteByte('\n')
		}
		doc := commentLines(c.Func + " " + c.Doc)
		line += len(doc) + 2
		fmt.Fprintf(&b, "%s\nfunc %s(%s) %s {\n", strings.Join(doc, "\n"), c.Func, strings.Join(conditionParams(m, c), ", "), resultOf(c))
		fmt.Fprintf(&b, "\treturn %s\n}\n", directed(m, c, name, line))
		line++
	}
	return b.Bytes(), nil
}

// directed is the expression of a condition between line directives. The second has the line of the file that the
// expression is on.
func directed(m *plan.Machine, c *plan.Condition, file string, line int) string {
	return fmt.Sprintf("/*line %s:%d:%d*/ %s /*line %s:%d:1*/", m.File, c.Place.Line, max(1, c.Place.Col-1), c.Expr, file, line)
}

// inPlace is the condition of a case. numberLines gives its second directive the line.
func (e *emitter) inPlace(t plan.Test) *jen.Statement {
	condition := jen.Op(directed(e.m, t.Cond, e.m.Stem+"_graph.go", 1))
	if strings.Contains(t.Cond.Expr, "||") && (t.Transition.Max > 0 || mayTake(t.Transition) != nil) {
		return jen.Parens(condition)
	}
	return condition
}

// numberLines sets the lines in the directives that lead back to a file.
func numberLines(code []byte, name string) []byte {
	var b bytes.Buffer
	directive, line := []byte("/*line "+name+":1:1*/"), 0
	for text := range bytes.Lines(code) {
		line++
		b.Write(bytes.Replace(text, directive, fmt.Appendf(nil, "/*line %s:%d:1*/", name, line), 1))
	}
	return b.Bytes()
}

// writeImports prints the imports as goimports does: the standard library, then modules,
// the kernel among them.
func writeImports(b *bytes.Buffer, conditions []*plan.Condition) {
	var std, modules []string
	for _, c := range conditions {
		if c.UsesResult {
			modules = append(modules, importLine(resolve.Import{Path: kernel, Name: goname.Kernel}))
		}
		for _, i := range c.Imports {
			if first, _, _ := strings.Cut(i.Path, "/"); strings.Contains(first, ".") {
				modules = append(modules, importLine(i))
			} else {
				std = append(std, importLine(i))
			}
		}
	}
	slices.Sort(std)
	slices.SortFunc(modules, func(a, b string) int { return cmp.Compare(a[strings.Index(a, `"`):], b[strings.Index(b, `"`):]) })
	lines := slices.Compact(std)
	if len(lines) > 0 && len(modules) > 0 {
		lines = append(lines, "")
	}
	lines = append(lines, slices.Compact(modules)...)
	switch len(lines) {
	case 0:
	case 1:
		fmt.Fprintf(b, "import %s\n\n", lines[0])
	default:
		b.WriteString("import (\n")
		for _, line := range lines {
			b.WriteString(strings.TrimRight("\t"+line, "\t") + "\n")
		}
		b.WriteString(")\n\n")
	}
}

// importLine is a line of an import declaration. It has the name unless that is the
// last part of the path.
func importLine(i resolve.Import) string {
	if path.Base(i.Path) == i.Name {
		return strconv.Quote(i.Path)
	}
	return i.Name + " " + strconv.Quote(i.Path)
}

// resultOf is the type that the function of an expression returns.
func resultOf(c *plan.Condition) string {
	if c.Result == nil {
		return "bool"
	}
	return c.Result.Go()
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
		params = append(params, "res "+goname.Kernel+".Result")
	}
	if c.UsesEvals && c.Verdicts != nil {
		params = append(params, "evals "+c.Verdicts.GoName)
	}
	return params
}

// conditionCall is the call of a condition from the machine.
func conditionCall(c *plan.Condition) *jen.Statement { return conditionOf(c, "state") }

// conditionOf is conditionCall with a state that the run has.
func conditionOf(c *plan.Condition, state string) *jen.Statement {
	return jen.Id(c.Func).CallFunc(func(g *jen.Group) {
		if c.UsesOut && c.Out != nil {
			g.Id("out")
		}
		if c.UsesState {
			g.Op("&").Id("r").Dot(state)
		}
		if c.UsesResult {
			g.Id("r").Dot("Result").Call()
		}
		if c.UsesEvals && c.Verdicts != nil {
			g.Id("evals")
		}
	})
}
