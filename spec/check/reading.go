package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A reading is the judgement of one condition: shape and names first, then types, then
// what is done with them.
type reading struct {
	scope *scope
	cond  *condition
	names *types.Package // holds what the condition names, and nothing else
	done  map[*ast.Ident]bool
	found *flaw
}

const decideInHandler = "decide in the handler, and let the condition look at what it decided"

// forbidden says what is wrong with a kind of expression that no condition may hold.
func forbidden(n ast.Node) (message, help string) {
	switch n := n.(type) {
	case *ast.FuncLit, *ast.FuncType:
		return "a condition cannot hold a function", decideInHandler
	case *ast.TypeAssertExpr:
		return "a condition cannot ask for the type of a value", decideInHandler
	case *ast.ChanType, *ast.InterfaceType, *ast.StructType:
		return "a condition cannot make types", decideInHandler
	case *ast.IndexListExpr:
		return "a condition cannot name type arguments", "leave them out: Go finds them"
	case *ast.ArrayType:
		if n.Len != nil {
			return "a condition cannot hold an array", "leave the length out: a slice will do"
		}
	case *ast.UnaryExpr:
		switch n.Op {
		case token.AND:
			return "a condition cannot take an address", "compare values: *out.Score == 1"
		case token.ARROW:
			return "a condition cannot receive from a channel", decideInHandler
		}
	}
	return "", ""
}

// read walks the expression in written order, refuses what no condition may hold, and
// finds what its names refer to.
func (r *reading) read() *flaw {
	r.done = map[*ast.Ident]bool{}
	ast.Inspect(r.cond.tree, func(n ast.Node) bool {
		if n == nil || r.found != nil {
			return false
		}
		if message, help := forbidden(n); message != "" {
			r.found = span("GG071", n, message, help)
			return false
		}
		switch n := n.(type) {
		case *ast.SelectorExpr:
			r.done[n.Sel] = true
			if x, ok := n.X.(*ast.Ident); ok {
				r.selector(n, x)
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name != r.cond.edge.Spec.IfFunc && r.lookup(id.Name) == nil {
				r.unknownFunction(id)
			}
		case *ast.CompositeLit:
			r.elements(n)
		case *ast.Ident:
			r.name(n)
		}
		return r.found == nil
	})
	return r.found
}

func (r *reading) from() *resolve.Node { return r.cond.edge.From }

// lookup returns what a name refers to, nil if it is unknown here.
func (r *reading) lookup(name string) types.Object {
	if name == "evals" && r.cond.eval {
		return nil
	}
	return r.scope.lookup(r.from(), name)
}

// name puts what a name refers to where the type checker looks.
func (r *reading) name(id *ast.Ident) {
	if r.done[id] {
		return
	}
	r.done[id] = true
	if id.Name == r.cond.edge.Spec.IfFunc { // whoever read the graph has looked at its parameters
		r.names.Scope().Insert(anyFunction(id.Name))
		return
	}
	switch obj := r.lookup(id.Name).(type) {
	case nil:
		r.found = r.unknown(id)
	case *types.PkgName: // belongs to whoever imports
		r.names.Scope().Insert(types.NewPkgName(token.NoPos, r.names, id.Name, obj.Imported()))
	default:
		if obj.Parent() != types.Universe {
			r.names.Scope().Insert(obj)
		}
	}
}

// selector looks at x.F where x is a name: a package, a type, or nothing known.
func (r *reading) selector(n *ast.SelectorExpr, x *ast.Ident) {
	switch obj := r.lookup(x.Name).(type) {
	case *types.PkgName:
		scope := obj.Imported().Scope()
		if scope.Lookup(n.Sel.Name) != nil {
			return
		}
		if near, ok := diag.Suggest(n.Sel.Name, scope.Names()); ok {
			r.found = span("GG072", n.Sel, "package "+x.Name+" has no "+quoted(n.Sel.Name)+" for conditions", meant(x.Name+"."+near))
			return
		}
		if standardLibrary()[x.Name] == nil {
			r.found = span("GG072", n.Sel, "package "+x.Name+" has no "+quoted(n.Sel.Name)+" for conditions", listed("it has", scope.Names()))
			return
		}
		r.found = span("GG071", n, "a condition cannot use "+x.Name+"."+n.Sel.Name, "it may call pure functions that take no function and give one value; else "+decideInHandler)
	case *types.TypeName:
		t := r.scope.origin[obj.Type()]
		if t == nil || t.Kind != resolve.Enum {
			return
		}
		help := listed("its constants are", constants(t))
		if v := valueLike(t, n.Sel.Name); v != "" {
			help = meant(v)
		}
		r.found = span("GG072", n, "enum "+t.String()+" has no "+quoted(n.Sel.Name), help)
	case nil:
		if x.Name == "evals" {
			r.found = r.unknown(x)
			return
		}
		if r.scope.lost[x.Name] || r.scope.anyLost {
			r.done[x], r.cond.unsure = true, true
			return
		}
		if r.scope.own[x.Name] {
			r.found = span("GG072", n, "the types of "+quoted(x.Name)+" are of the graph's own package", meant(n.Sel.Name))
			return
		}
		f := r.unknown(x)
		if f.code == "GG072" && !strings.HasPrefix(f.help, "did you mean") && ast.IsExported(n.Sel.Name) {
			f = span("GG071", n, "a condition cannot use "+x.Name+"."+n.Sel.Name, r.sees())
		}
		r.found = f
	}
}

// elements looks at the elements of a literal. A key may be a field's name, which only
// the type checker can tell.
func (r *reading) elements(lit *ast.CompositeLit) {
	if _, ok := lit.Type.(*ast.ArrayType); ok && len(lit.Elts) > 0 {
		if kv, ok := lit.Elts[0].(*ast.KeyValueExpr); ok {
			r.found = span("GG071", kv.Key, "a condition cannot number the elements of a list", "leave the numbers out")
			return
		}
	}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if id, ok := kv.Key.(*ast.Ident); ok && r.lookup(id.Name) == nil {
			r.done[id] = true
		}
	}
}

// sees says what a condition may name.
func (r *reading) sees() string {
	own := "out, state, res"
	if n := r.from(); n != nil && n.Verdicts != nil && !r.cond.eval {
		own += ", evals"
	}
	return "a condition sees " + own + ", the constants of enums, and the pure functions of math, slices, strings, time and utf8"
}

// otherNames are what people call the three things that a condition sees.
var otherNames = map[string]string{"output": "out", "result": "res", "s": "state", "eval": "evals"}

// unknown says what a name may have been meant to be.
func (r *reading) unknown(id *ast.Ident) *flaw {
	name := id.Name
	n := r.from()
	switch {
	case name == "out" && n != nil && n.Body != nil:
		return span("GG073", id, "the condition looks at out, but node "+quoted(n.Body.Spec.Name.V)+", the last that "+quoted(n.Spec.Name.V)+" runs, has no output",
			"give that node an output, or look at state")
	case name == "out" && n != nil && n.Kind.Delegates():
		return span("GG073", id, "the condition looks at out, but node "+quoted(n.Spec.Name.V)+" has none: it is a "+n.Kind.Name,
			"look at state, where what it runs has written")
	case name == "out" && n != nil:
		return span("GG073", id, "the condition looks at out, but node "+quoted(n.Spec.Name.V)+" has no output",
			"give the node an output, or look at state")
	case name == "evals" && r.cond.eval:
		return span("GG072", id, "an eval cannot look at evals", "write what it asks for into its own condition, or decide in the edge")
	case name == "evals":
		return span("GG072", id, "the condition looks at evals, but node "+quoted(n.Spec.Name.V)+" has none", "give the node evals, or look at out and state")
	case name != "_" && types.Universe.Lookup(name) != nil:
		return span("GG071", id, "a condition cannot use "+name, r.sees())
	}
	help := r.sees()
	if known := otherNames[name]; known != "" {
		help = meant(known)
	} else if n != nil && n.Out != nil && fieldLike(n.Out, name) != "" {
		help = meant("out." + fieldLike(n.Out, name))
	} else if f := fieldLike(r.scope.graph.State, name); f != "" {
		help = meant("state." + f)
	} else if v := r.constantLike(name); v != "" {
		help = meant(v)
	} else if near, ok := diag.Suggest(name, r.candidates()); ok {
		help = meant(near)
	}
	return span("GG072", id, "unknown name "+quoted(name), help)
}

// unknownFunction looks for a function whose package was left out.
func (r *reading) unknownFunction(id *ast.Ident) {
	if types.Universe.Lookup(id.Name) != nil {
		return
	}
	for _, p := range []string{"strings", "slices", "math", "time", "utf8"} {
		scope := standardLibrary()[p].Scope()
		for _, name := range scope.Names() {
			if strings.EqualFold(name, id.Name) {
				r.found = span("GG072", id, "unknown function "+quoted(id.Name), meant(p+"."+name))
				return
			}
		}
	}
}

// candidates lists every name a condition of the edge may use.
func (r *reading) candidates() []string {
	names := append([]string{"out"}, predeclared...)
	if n := r.from(); n != nil && n.Verdicts != nil && !r.cond.eval {
		names = append(names, "evals")
	}
	for name := range r.scope.objects {
		names = append(names, name)
	}
	return names
}

func (r *reading) constantLike(name string) string {
	for _, t := range r.scope.graph.Types {
		if t.Kind == resolve.Enum {
			if v := valueLike(t, name); v != "" {
				return v
			}
		}
	}
	return ""
}

// valueLike returns the constant of the enum's value that is meant by a name.
func valueLike(t *resolve.Type, name string) string {
	for _, v := range t.Values {
		if alike(v.Name, name) || alike(v.Const, name) {
			return t.Constant(v)
		}
	}
	return ""
}

// fieldLike returns the Go name of the field that is meant by a name of whatever spelling.
func fieldLike(t *resolve.Type, name string) string {
	if t == nil || t.Kind != resolve.Struct {
		return ""
	}
	for _, f := range t.Fields {
		if alike(f.Name, name) || alike(f.GoName, name) {
			return f.GoName
		}
	}
	return ""
}

// alike reports whether two names differ in case and separators only.
func alike(a, b string) bool {
	plain := func(s string) string {
		if !strings.ContainsAny(s, "_- ") {
			return s
		}
		return strings.NewReplacer("_", "", "-", "", " ", "").Replace(s)
	}
	return strings.EqualFold(plain(a), plain(b))
}

func constants(t *resolve.Type) []string {
	names := make([]string, len(t.Values))
	for i := range t.Values {
		names[i] = t.Constant(t.Values[i])
	}
	return names
}

func meant(name string) string { return "did you mean " + quoted(name) + "?" }

// quoted puts quotes around a name or piece of code, of a kind that it does not hold.
func quoted(s string) string {
	if strings.Contains(s, `"`) && !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}
