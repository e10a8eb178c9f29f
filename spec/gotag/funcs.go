package gotag

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// kernelResult is the type of a condition's res, by the path of its package.
const kernelResult = "github.com/graphgen/graphgen/runtime.Result"

// functions makes calls of the conditions that are names of Go functions.
func (r *reader) functions(g *spec.Graph) {
	bound := resolve.Resolve(g)
	for _, e := range g.Edges {
		expr, fn, from := &e.If, &e.IfFunc, e.From.V
		if e.Loop != nil {
			expr, fn, from = &e.Loop.If, &e.Loop.IfFunc, e.Loop.Node.V
		}
		r.function(expr, fn, bound, bound.Node(from))
	}
	for _, n := range g.Nodes {
		for _, e := range n.Evals {
			r.function(&e.If, &e.IfFunc, bound, bound.Node(n.Name.V))
		}
	}
}

// function makes a call of a condition that is the name of a Go function.
func (r *reader) function(expr *spec.String, fn *string, g *resolve.Graph, n *resolve.Node) {
	if !token.IsIdentifier(expr.V) || slices.Contains(notFunctions, expr.V) {
		return
	}
	call, ok := r.call(expr.V, expr.Pos, g, n)
	if !ok {
		*expr = spec.String{Pos: expr.Pos, Lost: true}
		return
	}
	*fn, expr.V = expr.V, call
}

// notFunctions are the names that mean something else in a condition.
var notFunctions = []string{"out", "state", "res", "evals", "true", "false", "nil"}

// A parameter is something that a condition's function may be given.
type parameter struct{ arg, typ string }

// call is the call of a function with what its parameters ask for.
func (r *reader) call(name string, at spec.Pos, g *resolve.Graph, n *resolve.Node) (string, bool) {
	var params []parameter
	if n != nil && n.Out != nil {
		out := parameter{"out", n.Out.Go()}
		if n.Out.Kind == resolve.Unknown { // of a file that is yet to be read
			out.typ = ""
		}
		params = append(params, out)
	}
	params = append(params, parameter{"state", "*" + g.State.GoName}, parameter{"res", kernelResult})
	f := r.pkg.funcs[name]
	if f == nil {
		help := "write func " + name + signature(params) + ", or an expression over out, state and res"
		if near, ok := diag.Suggest(name, r.pkg.funcNames()); ok {
			help = "did you mean " + near + "?"
		}
		r.report("GG157", at, "the package has no function "+name, help)
		return "", false
	}
	bad := func(message string) (string, bool) {
		r.report("GG157", at, message, "it may take, in this order, what it needs of "+signature(params))
		return "", false
	}
	results := f.tree.Type.Results
	if results.NumFields() != 1 || goType(f.file, results.List[0].Type) != "bool" {
		return bad("the function " + name + " of " + r.pkg.placeOf(f.tree) + " does not return a bool alone")
	}
	if f.tree.Type.TypeParams != nil {
		return bad("the function " + name + " of " + r.pkg.placeOf(f.tree) + " is generic")
	}
	var args []string
	rest := params
	for _, p := range f.tree.Type.Params.List {
		typ := goType(f.file, p.Type)
		for range max(1, len(p.Names)) {
			i := slices.IndexFunc(rest, func(p parameter) bool { return p.typ == typ || p.typ == "" && typ != kernelResult })
			if i < 0 {
				return bad("the function " + name + " of " + r.pkg.placeOf(f.tree) + " cannot be given its parameter of type " + types.ExprString(p.Type) + " here")
			}
			args = append(args, rest[i].arg)
			rest = rest[i+1:]
		}
	}
	return name + "(" + strings.Join(args, ", ") + ")", true
}

// signature writes the parameters that a condition's function may have.
func signature(params []parameter) string {
	var list []string
	for _, p := range params {
		typ := p.typ
		if typ == kernelResult {
			typ = "graphrt.Result"
		}
		list = append(list, p.arg+" "+typ)
	}
	return "(" + strings.Join(list, ", ") + ") bool"
}

// goType is a type as generated code would name it, with the paths of packages outside of
// the standard library.
func goType(file *goFile, t ast.Expr) string {
	switch t := t.(type) {
	case *ast.ParenExpr:
		return goType(file, t.X)
	case *ast.StarExpr:
		return "*" + goType(file, t.X)
	case *ast.ArrayType:
		if t.Len == nil {
			return "[]" + goType(file, t.Elt)
		}
	case *ast.MapType:
		return "map[" + goType(file, t.Key) + "]" + goType(file, t.Value)
	case *ast.SelectorExpr:
		if x, ok := t.X.(*ast.Ident); ok {
			p := file.imports[x.Name]
			if !strings.Contains(p, ".") {
				p = path.Base(p)
			}
			return p + "." + t.Sel.Name
		}
	}
	return types.ExprString(t)
}
