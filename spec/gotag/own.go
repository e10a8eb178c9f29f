package gotag

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// An own is a type that the package declares.
type own struct {
	is     *spec.GoType
	fields spec.Tree // of a struct
	at     spec.Pos  // the first reference in the graph
}

// ownState makes a struct of the package the state; it returns nil for another type.
func (r *reader) ownState(id *ast.Ident) *own {
	decl := r.pkg.types[id.Name]
	if decl == nil {
		return nil
	}
	body, ok := decl.spec.Type.(*ast.StructType)
	if !ok || decl.spec.TypeParams != nil {
		return nil
	}
	o := &own{is: &spec.GoType{Name: id.Name}, at: r.at(id)}
	r.state, r.statePos = o, r.at(id)
	r.hiding(id.Name, o.at)
	r.methods(o)
	defer r.enterDecl(decl, o.at)()
	o.fields = r.structTree(body, "", o)
	return o
}

func (r *reader) enterDecl(decl *typeDecl, at spec.Pos) (back func()) {
	if decl.file == r.file {
		return func() {}
	}
	return r.enter(decl.file, at)
}

// own makes a type of the package a type of the graph. It reports whether that is possible.
func (r *reader) own(name string, at spec.Pos) bool {
	if r.owns[name] != nil {
		return true
	}
	decl := r.pkg.types[name]
	o := &own{is: &spec.GoType{Name: name}, at: at}
	r.owns[name] = o
	if r.state != nil && r.state.is.Name == name {
		r.report("GG156", at, name+" is the state, and cannot be a part of it or of an output", "declare another type for this")
		return false
	}
	r.hiding(name, at)
	defer r.enterDecl(decl, at)()
	var set settings
	opaque := false
	pos := r.at(decl.spec.Name)
	entry := len(r.types.items)
	r.types.add(yamlread.TextTree(name, pos), yamlread.LostTree(pos)) // before those it is made of
	switch body := decl.spec.Type.(type) {
	case *ast.StructType:
		if decl.spec.TypeParams != nil {
			r.report("GG156", pos, name+" is generic", "declare a type without parameters")
			return false
		}
		o.fields = r.structTree(body, name, o)
		opaque = o.is.Hidden && len(o.fields.Items) == 0
		set.add(yamlread.TextTree("struct", pos), o.fields)
	default:
		values, ok := r.constants(o, decl)
		if !ok {
			return false
		}
		set.add(yamlread.TextTree("enum", pos), yamlread.ListTree(pos, values...))
	}
	r.methods(o)
	if opaque && !(o.has(encodeMethods) && o.has(decodeMethods)) {
		r.report("GG156", pos, name+" has no exported field, so nothing of it would be written as JSON",
			"export a field, or give the type the methods MarshalJSONTo and UnmarshalJSONFrom of encoding/json/v2")
	}
	r.doc(&set, decl.doc)
	r.types.items[entry+1] = set.tree(pos)
	return true
}

// hiding reports a type that variables of generated functions would hide.
func (r *reader) hiding(name string, at spec.Pos) {
	if slices.Contains(goname.Hiding, name) && !(name == "state" && r.state != nil && r.state.is.Name == name) {
		r.report("GG305", at, "the type "+name+" has the name of a variable of generated functions, which need the type", "rename it")
	}
}

// constants returns the values of an enum: the constants of its type in order.
func (r *reader) constants(o *own, decl *typeDecl) ([]spec.Tree, bool) {
	name, pos := decl.spec.Name.Name, r.at(decl.spec.Name)
	if lengths := r.pkg.lengths(); lengths.whole > mostTexts {
		if !lengths.reported {
			r.report("GG156", pos, fmt.Sprintf("the constants of %s are not computed: the expressions of the package are texts of more than %d MiB together",
				name, mostTexts>>20), "do not put constants together of others that are put together, or do it in a function")
		}
		lengths.reported = true
		return nil, false
	}
	var consts []*types.Const
	scope := r.pkg.scope()
	for _, n := range scope.Names() {
		c, ok := scope.Lookup(n).(*types.Const)
		if named, isNamed := typeOf(c).(*types.Named); ok && isNamed && named.Obj().Name() == name && named.Obj().Parent() == scope {
			consts = append(consts, c)
		}
	}
	if len(consts) == 0 {
		r.report("GG156", pos, name+" is neither a struct nor an enum",
			"an enum is a string or integer type with constants; else name its underlying type where it is used")
		return nil, false
	}
	slices.SortFunc(consts, func(a, b *types.Const) int {
		return strings.Compare(r.pkg.order(a.Pos()), r.pkg.order(b.Pos()))
	})
	o.is.Text, o.is.Kind = consts[0].Val().Kind() == constant.String, consts[0].Type().Underlying().String()
	var values []spec.Tree
	seen := map[string]string{}
	for _, c := range consts {
		at := r.constPos(c, pos)
		if c.Val().Kind() == constant.String && len(constant.StringVal(c.Val())) > spec.MaxName {
			r.report("GG156", at, fmt.Sprintf("the constant %s has more than the %d bytes that a value of an enum may have",
				c.Name(), spec.MaxName), "a value is a name, for models and JSON; give it a short one")
			return nil, false
		}
		text := c.Val().ExactString()
		switch {
		case c.Val().Kind() != constant.String && c.Val().Kind() != constant.Int:
			r.report("GG156", pos, name+" is an enum of neither strings nor integers", "make its underlying type string or int")
			return nil, false
		case text == "0" || text == `""`:
			r.report("GG156", at, "the constant "+c.Name()+" is the zero value of "+name+", which means that nothing is set",
				"begin with iota + 1, or with a text")
			return nil, false
		case seen[text] != "":
			r.report("GG156", at, "the constants "+seen[text]+" and "+c.Name()+" of "+name+" are equal", "remove one of them")
			return nil, false
		}
		seen[text] = c.Name()
		o.is.Consts = append(o.is.Consts, c.Name())
		value := constantName(c.Name(), name)
		if o.is.Text {
			value = constant.StringVal(c.Val())
		} else {
			o.is.Numbers = append(o.is.Numbers, text)
		}
		values = append(values, yamlread.TextTree(value, at))
	}
	return values, true
}

// typeOf returns the type of a constant, or nil.
func typeOf(c *types.Const) types.Type {
	if c == nil {
		return nil
	}
	return types.Unalias(c.Type())
}

// constPos returns the position of a constant, or its type's if it is in another file.
func (r *reader) constPos(c *types.Const, typ spec.Pos) spec.Pos {
	if r.fixed.IsSet() || r.pkg.fset.File(c.Pos()) != r.pkg.fset.File(r.file.tree.Pos()) {
		return typ
	}
	return r.pos(r.pkg.offset(c.Pos()), r.pkg.offset(c.Pos())+len(c.Name()))
}

// constantName returns the JSON name of an integer constant: its name without the name of its type.
func constantName(name, typ string) string {
	short := name
	for _, cut := range []func(s, affix string) string{strings.TrimPrefix, strings.TrimSuffix} {
		for _, affix := range []string{typ, goname.Unexported(typ)} {
			if s := cut(short, affix); s != "" && len(s) < len(short) {
				short = s
			}
		}
	}
	if short = strings.Trim(Snake(short), "_"); !goname.Valid(short) {
		return Snake(name)
	}
	return short
}

// atElsewhere returns the position of a node, or another if it is in another file.
func (r *reader) atElsewhere(n ast.Node, otherwise spec.Pos) spec.Pos {
	if r.fixed.IsSet() || r.pkg.fset.File(n.Pos()) != r.pkg.fset.File(r.file.tree.Pos()) {
		return otherwise
	}
	return r.at(n)
}

// ownOutputs adds the existing types in the settings of nodes and tools.
func (r *reader) ownOutputs(nodes *settings) {
	var walk func(t spec.Tree, typed bool, keys ...string)
	walk = func(t spec.Tree, typed bool, keys ...string) {
		switch {
		case t.Kind == yamlread.Map:
			items := t.Items
			for i := 0; i < len(items); i += 2 {
				walk(items[i+1], typed || slices.Contains(keys, items[i].Text), keys...)
			}
		case t.Kind != yamlread.List && typed:
			name := strings.TrimLeft(strings.ReplaceAll(t.Text, "map[string]", ""), "[]?")
			if !r.here[name] && r.pkg.types[name] != nil && scalars[name] == "" {
				r.own(name, t.Pos)
			}
		}
	}
	walk(nodes.tree(spec.Pos{}), false, "output")
	tools, _ := r.graphSet.get("tools")
	walk(tools, false, "args", "returns")
	walk(r.types.tree(spec.Pos{}), true)
}

// declare sets the Go names of existing types and fields.
func (r *reader) declare(g *spec.Graph) {
	if r.state != nil {
		g.Go.State = r.state.is
	}
	for _, d := range g.Types {
		if o := r.owns[d.Name.V]; o != nil {
			d.Go = o.is
		}
		r.fieldNames(d.Type, d.Name.V)
	}
	r.fieldNames(&spec.TypeExpr{Kind: spec.TypeStruct, Fields: g.State}, "")
}

func (r *reader) fieldNames(t *spec.TypeExpr, path string) {
	if t == nil || t.Kind != spec.TypeStruct {
		return
	}
	for _, f := range t.Fields {
		path := path + "." + f.Name.V
		if name := r.goNames[path]; name != goname.Exported(f.Name.V) {
			f.GoName = name
		}
		r.fieldNames(f.Type, path)
	}
}

// unseen reports the references to state fields that the graph does not see, and removes them, so
// that the checks do not report them again.
func (r *reader) unseen(g *spec.Graph) {
	fields := map[string]bool{}
	for _, f := range g.State {
		fields[f.Name.V] = true
	}
	told := map[string]bool{} // each mistake is reported once
	look := func(names []spec.String) {
		for i, n := range names {
			goName := r.hidden[n.V]
			if goName == "" || fields[n.V] {
				continue
			}
			if names[i] = (spec.String{Pos: n.Pos, Lost: true}); !told[n.V] {
				told[n.V] = true
				r.report("GG309", n.Pos, "the field "+goName+" of "+r.state.is.Name+" is not exported, so the graph does not see it",
					"begin its name with a capital letter")
			}
		}
	}
	look(g.Input)
	look(g.Output)
	for _, n := range g.Nodes {
		look(n.Reads)
		look(n.Writes)
		for _, guard := range n.Guards {
			look(guard.Reads)
		}
		for _, e := range n.Evals {
			look(e.Reads)
		}
	}
	for _, t := range g.Tools {
		look(t.Reads)
	}
	for _, e := range g.Edges {
		look(e.Reads)
	}
}

// taken reports generated names that the package declares, and Go names that it redeclares.
func (r *reader) taken(g *spec.Graph) {
	if !goname.Valid(g.Name.V) {
		return
	}
	told := map[string]bool{}
	bound := resolve.Resolve(g)
	for _, n := range append(resolve.Generated(bound), resolve.Fixed(bound)...) {
		other := r.pkg.names[n.Go]
		if other == nil || told[n.Of] || told[n.Go] {
			continue
		}
		told[n.Go] = true
		r.report("GG158", n.Pos, n.What+" becomes "+n.Go+" in Go, which "+r.pkg.placeOf(other)+" declares",
			"rename one of them; the struct of a graph needs no name: type _ struct")
	}
	r.shadowed(g.Name.Pos, goname.Predeclared, "a name of the language Go")
	r.shadowed(g.Name.Pos, goname.Imported, "the name of a package that it imports")
	for _, name := range slices.Concat(goname.Standard, goname.WhereUsed) { // the emitter decides which of them it needs
		if decl := r.pkg.names[name]; decl != nil {
			g.Go.Shadows = append(g.Go.Shadows, r.shadow(name, decl, g.Name.Pos))
		}
	}
}

func (r *reader) shadow(name string, decl ast.Node, graph spec.Pos) spec.Shadow {
	return spec.Shadow{Name: name, Pos: r.atElsewhere(decl, graph), Where: r.pkg.placeOf(decl)}
}

// shadowed reports predeclared names that generated code needs and the package redeclares.
func (r *reader) shadowed(graph spec.Pos, names []string, what string) {
	for _, name := range names {
		if decl := r.pkg.names[name]; decl != nil {
			r.add(r.shadow(name, decl, graph).Refusal(what))
		}
	}
}
