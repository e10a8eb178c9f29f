package expr

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// forbidden returns what no expression may do, and what to do instead; empty is what its role has.
func forbidden(n ast.Node) (does, help string) {
	switch n := n.(type) {
	case *ast.FuncLit, *ast.FuncType:
		return "hold a function", ""
	case *ast.TypeAssertExpr:
		return "ask for the type of a value", ""
	case *ast.ChanType, *ast.InterfaceType, *ast.StructType:
		return "make types", ""
	case *ast.IndexListExpr:
		return "name type arguments", "leave them out: Go finds them"
	case *ast.ArrayType:
		if n.Len != nil {
			return "hold an array", "leave the length out: a slice will do"
		}
	case *ast.UnaryExpr:
		switch n.Op {
		case token.AND:
			return "take an address", "compare values: *out.Score == 1"
		case token.ARROW:
			return "receive from a channel", ""
		}
	}
	return "", ""
}

// read visits the expression in written order, refuses what no expression may do, and finds
// what its names refer to.
func (t *typing) read() {
	t.done = map[*ast.Ident]bool{}
	t.find(func(n ast.Node) bool {
		if does, help := forbidden(n); does != "" {
			if help == "" {
				help = t.scope.Role.Instead
			}
			t.mistake(Forbidden, n, t.cannot(does), help)
			return false
		}
		switch n := n.(type) {
		case *ast.SelectorExpr:
			t.done[n.Sel] = true
			if x, ok := n.X.(*ast.Ident); ok {
				t.selector(n, x)
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name != t.scope.Call && t.scope.lookup(id.Name) == nil {
				t.unknownFunction(id)
			}
		case *ast.CompositeLit:
			t.elements(n)
		case *ast.Ident:
			t.name(n)
		}
		return true
	})
}

// name puts what a name refers to where the type checker looks.
func (t *typing) name(id *ast.Ident) {
	if t.done[id] {
		return
	}
	t.done[id] = true
	if id.Name == t.scope.Call { // the reader of the graph has checked its parameters
		t.names.Scope().Insert(anyFunction(id.Name))
		return
	}
	switch obj := t.scope.lookup(id.Name).(type) {
	case nil:
		t.Mistake = t.unknown(id)
	case *types.PkgName: // a name of the package that imports
		t.names.Scope().Insert(types.NewPkgName(token.NoPos, t.names, id.Name, obj.Imported()))
	default:
		if obj.Parent() != types.Universe {
			t.names.Scope().Insert(obj)
		}
	}
}

// selector looks at x.F where x is a name: a package, a type, or nothing known.
func (t *typing) selector(n *ast.SelectorExpr, x *ast.Ident) {
	switch obj := t.scope.lookup(x.Name).(type) {
	case *types.PkgName:
		t.ofPackage(n, x.Name, obj.Imported().Scope())
	case *types.TypeName:
		enum := t.pkg.origin[obj.Type()]
		if enum == nil || enum.Kind != resolve.Enum {
			return
		}
		help := diag.Listed("its constants are", constants(enum))
		if v := valueLike(enum, n.Sel.Name); v != "" {
			help = meant(v)
		}
		t.mistake(Unknown, n, "enum "+enum.String()+" has no "+quoted(n.Sel.Name), help)
	case nil:
		switch {
		case x.Name == "evals":
			t.Mistake = t.unknown(x)
		case t.pkg.lost[x.Name] || t.pkg.usesLost:
			t.done[x], t.Unsure = true, true
		case t.pkg.own[x.Name]:
			t.mistake(Unknown, n, "the types of "+quoted(x.Name)+" are of the graph's own package", meant(n.Sel.Name))
		default:
			t.Mistake = t.unknown(x)
			if m := t.Mistake; m.Kind == Unknown && len(diag.Help(m.Help).Fixes()) == 0 && ast.IsExported(n.Sel.Name) {
				t.Mistake = nil
				t.mistake(Forbidden, n, t.cannot("use "+x.Name+"."+n.Sel.Name), t.scope.sees())
			}
		}
	}
}

// ofPackage looks at what is named of a package.
func (t *typing) ofPackage(n *ast.SelectorExpr, name string, has *types.Scope) {
	if has.Lookup(n.Sel.Name) != nil {
		return
	}
	help := diag.Listed("it has", has.Names())
	if near, ok := diag.Suggest(n.Sel.Name, has.Names()); ok {
		help = diag.DidYouMeanAfter(name+".", near)
	} else if standardLibrary()[name] != nil {
		t.mistake(Forbidden, n, t.cannot("use "+name+"."+n.Sel.Name),
			"it may call pure functions that take no function and give one value; else "+t.scope.Role.Instead)
		return
	}
	t.mistake(Unknown, n.Sel, "package "+name+" has no "+quoted(n.Sel.Name)+" for "+t.scope.Role.Noun+"s", help)
}

// elements looks at the elements of a literal. A key may be the name of a field, which only
// the type checker knows.
func (t *typing) elements(lit *ast.CompositeLit) {
	_, list := lit.Type.(*ast.ArrayType)
	for i, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		switch id, _ := keyOf(kv); {
		case !ok:
		case list && i == 0:
			t.mistake(Forbidden, kv.Key, t.cannot("number the elements of a list"), "leave the numbers out")
		case id != nil && t.scope.lookup(id.Name) == nil:
			t.done[id] = true
		}
	}
}

// keyOf returns the key of an element where it is a name.
func keyOf(kv *ast.KeyValueExpr) (id *ast.Ident, ok bool) {
	if kv != nil {
		id, ok = kv.Key.(*ast.Ident)
	}
	return id, ok
}

// otherNames are names that authors use instead of the variables that expressions see.
var otherNames = map[string]string{"output": "out", "result": "res", "s": "state", "eval": "evals"}

// unknown is the mistake of a name that refers to nothing.
func (t *typing) unknown(id *ast.Ident) *Mistake {
	name, n := id.Name, t.scope.Node
	m := &Mistake{Kind: Unknown, Span: spanOf(id)}
	title := func(n *resolve.Node) string { return "node " + quoted(n.Spec.Name.V) }
	looks := t.the() + " looks at " + name + ", but "
	switch {
	case t.scope.Role == evalRole && name == "evals":
		m.Message, m.Help = "an eval cannot look at evals", "write what it asks for into its own condition, or decide in the edge"
	case t.scope.hides(name):
		m.Kind, m.Message, m.Help = Forbidden, t.cannot("look at "+name), t.scope.sees()
	case name == "out" && n != nil:
		m.Kind, m.Message, m.Help = NoOutput, looks+title(n)+" has no output", "give the node an output, or look at state"
		switch {
		case n.EndsAnywhere():
			m.Message = looks + "several nodes end what " + quoted(n.Spec.Name.V) + " runs"
			m.Help = "let them lead to one node, which gives the output, or look at state"
		case n.Body != nil:
			m.Message = looks + title(n.Body) + ", the last that " + quoted(n.Spec.Name.V) + " runs, has no output"
			m.Help = "give that node an output, or look at state"
		case n.Kind.Delegates():
			m.Message, m.Help = looks+title(n)+" has none: it is a "+n.Kind.Name, "look at state, where what it runs has written"
		case !t.scope.Role.Decides:
			m.Message, m.Help = looks+"there is no output here", "look at state"
		case n.Kind.By == spec.ByMachine:
			m.Help = "look at state: a " + n.Kind.Name + " can have no output"
		}
	case name == "evals":
		m.Message, m.Help = looks+title(n)+" has none", "give the node evals, or look at out and state"
	case name != "_" && types.Universe.Lookup(name) != nil:
		m.Kind, m.Message, m.Help = Forbidden, t.cannot("use "+name), t.scope.sees()
	default:
		m.Message, m.Help = "unknown name "+quoted(name), t.nameHelp(name)
	}
	return m
}

// nameHelp returns the name that was probably meant, or the names that there are.
func (t *typing) nameHelp(name string) string {
	if known := otherNames[name]; known != "" && !t.scope.hides(known) {
		return meant(known)
	}
	if f := fieldLike(t.scope.Out, name); f != "" {
		return meant("out." + f)
	}
	if f := fieldLike(t.pkg.graph.State, name); f != "" {
		return meant("state." + f)
	}
	for _, enum := range t.pkg.graph.Types {
		if v := valueLike(enum, name); v != "" {
			return meant(v)
		}
	}
	if t.wantsText() && t.text(t.tree) == name {
		return textHelp(name)
	}
	if near, ok := diag.Suggest(name, t.scope.candidates()); ok {
		return meant(near)
	}
	return t.scope.sees()
}

// wantsText reports whether the expression is to be a text.
func (t *typing) wantsText() bool { return t.want != nil && t.want.Base().Kind == resolve.String }

// textHelp returns how a text is written in a spec, whose own quotes are no part of the expression.
func textHelp(text string) string {
	return "write a text in quotes of Go, as in '" + strconv.Quote(text) + "'"
}

// unknownFunction looks for a function whose package was left out.
func (t *typing) unknownFunction(id *ast.Ident) {
	if types.Universe.Lookup(id.Name) != nil {
		return
	}
	for _, p := range []string{"strings", "slices", "math", "time", "utf8"} {
		for _, name := range standardLibrary()[p].Scope().Names() {
			if strings.EqualFold(name, id.Name) {
				t.mistake(Unknown, id, "unknown function "+quoted(id.Name), meant(p+"."+name))
				return
			}
		}
	}
}

// valueLike returns the constant of the enum's value that is meant by a name.
func valueLike(t *resolve.Type, name string) string {
	at := slices.IndexFunc(t.Values, func(v resolve.EnumValue) bool { return alike(v.Name, name) || alike(v.Const, name) })
	if at < 0 {
		return ""
	}
	return t.Constant(t.Values[at])
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

// constants returns the Go expressions of the values of an enum.
func constants(t *resolve.Type) []string {
	names := make([]string, len(t.Values))
	for i := range t.Values {
		names[i] = t.Constant(t.Values[i])
	}
	return names
}

func meant(name string) string { return diag.DidYouMean(name) }

// quoted returns a name or a piece of code in quotes of a kind that it does not have.
func quoted(s string) string {
	if strings.Contains(s, `"`) && !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}
