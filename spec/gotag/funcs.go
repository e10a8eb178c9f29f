package gotag

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// kernelResult is the type of a condition's res, by the path of its package.
const kernelResult = "github.com/graphgen/graphgen.Result"

// functions converts conditions that are names of Go functions to calls.
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
		for i := range n.Branches {
			r.start(&n.Branches[i], bound)
		}
		for _, e := range n.Evals {
			r.function(&e.If, &e.IfFunc, bound, bound.Node(n.Name.V))
		}
	}
}

// start converts the condition by which a branch is started, which sees the state alone.
func (r *reader) start(b *spec.Branch, g *resolve.Graph) {
	r.convert(&b.If, &b.IfFunc, []parameter{stateOf(g)}, "state")
}

// function converts a condition that is the name of a Go function to a call.
func (r *reader) function(expr *spec.String, fn *string, g *resolve.Graph, n *resolve.Node) {
	var params []parameter
	if n != nil && n.Out != nil {
		out := parameter{"out", n.Out.GoPath(), shown(n.Out.GoPath())}
		if unknown(n.Out) { // of a file that is read later
			out.typ = ""
		}
		params = append(params, out)
	}
	r.convert(expr, fn, append(params, stateOf(g), parameter{"res", kernelResult, "graphgen.Result"}), "out, state and res")
}

// convert converts a condition that is the name of a Go function to a call with what it sees of params.
func (r *reader) convert(expr *spec.String, fn *string, params []parameter, sees string) {
	if !token.IsIdentifier(expr.V) || slices.Contains(notFunctions, expr.V) {
		return
	}
	call, ok := r.call(expr.V, expr.Pos, params, sees)
	if !ok {
		*expr = spec.String{Pos: expr.Pos, Lost: true}
		return
	}
	*fn, expr.V = expr.V, call
}

// notFunctions are names with another meaning in conditions.
var notFunctions = []string{"out", "state", "res", "evals", "true", "false", "nil"}

// A parameter is a value that a condition's function may take.
type parameter struct {
	arg   string
	typ   string // with import paths instead of package names; empty: unknown
	shown string // for messages
}

// stateOf is the parameter for the state.
func stateOf(g *resolve.Graph) parameter {
	state := "*" + g.State.GoName
	return parameter{"state", state, state}
}

// call returns the call of a function with the arguments for its parameters.
func (r *reader) call(name string, at spec.Pos, params []parameter, sees string) (string, bool) {
	f := r.pkg.funcs[name]
	if f == nil {
		help := "write func " + name + signature(params) + ", or an expression over " + sees
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
	if results.NumFields() != 1 || r.pkg.goPath(f.file, results.List[0].Type) != "bool" {
		return bad("the function " + name + " of " + r.pkg.placeOf(f.tree) + " does not return a bool alone")
	}
	if f.tree.Type.TypeParams != nil {
		return bad("the function " + name + " of " + r.pkg.placeOf(f.tree) + " is generic")
	}
	var args []string
	rest := params
	for _, p := range f.tree.Type.Params.List {
		typ := r.pkg.goPath(f.file, p.Type)
		for range max(1, len(p.Names)) {
			i := slices.IndexFunc(rest, func(p parameter) bool { return p.typ == typ || p.typ == "" && typ != kernelResult })
			if i < 0 {
				return bad("the function " + name + " of " + r.pkg.placeOf(f.tree) + " cannot be given its parameter of type " +
					types.ExprString(p.Type) + " here")
			}
			args = append(args, rest[i].arg)
			rest = rest[i+1:]
		}
	}
	return name + "(" + strings.Join(args, ", ") + ")", true
}

// unknown reports whether a type contains an undeclared one.
func unknown(t *resolve.Type) bool {
	for t.Elem != nil {
		t = t.Elem
	}
	return t.Kind == resolve.Unknown
}

// signature formats the parameters that a condition's function may have.
func signature(params []parameter) string {
	var list []string
	for _, p := range params {
		list = append(list, p.arg+" "+p.shown)
	}
	return "(" + strings.Join(list, ", ") + ") bool"
}

var importPath = regexp.MustCompile(`[^\[\]*]*/[^\[\]*]*\.`)

// shown replaces import paths in a type by package names.
func shown(goPath string) string {
	return importPath.ReplaceAllStringFunc(goPath, func(p string) string { return goname.Import(strings.TrimSuffix(p, ".")) + "." })
}

// goPath formats a type as resolve.Type.GoPath does.
func (p *pkg) goPath(file *goFile, t ast.Expr) string {
	switch t := t.(type) {
	case *ast.ParenExpr:
		return p.goPath(file, t.X)
	case *ast.StarExpr:
		return "*" + p.goPath(file, t.X)
	case *ast.ArrayType:
		if t.Len == nil {
			return "[]" + p.goPath(file, t.Elt)
		}
	case *ast.MapType:
		return "map[" + p.goPath(file, t.Key) + "]" + p.goPath(file, t.Value)
	case *ast.SelectorExpr:
		if x, ok := t.X.(*ast.Ident); ok {
			return file.imports[x.Name] + "." + t.Sel.Name
		}
	case *ast.Ident:
		return p.namePath(t)
	}
	return types.ExprString(t)
}

// namePath formats the type for a name.
func (p *pkg) namePath(id *ast.Ident) string {
	decl := p.types[id.Name]
	switch {
	case decl == nil && id.Name == "uint8":
		return "byte"
	case decl == nil || !decl.spec.Assign.IsValid() || decl.spec.TypeParams != nil:
		return id.Name
	}
	if p.aliases++; p.aliases > aliasMost {
		p.aliases--
		return id.Name
	}
	defer func() { p.aliases-- }()
	return p.goPath(decl.file, decl.spec.Type)
}
