package resolve

import (
	"go/ast"
	"go/parser"
	"slices"

	"github.com/graphgen/graphgen/spec"
)

func (g *Graph) bindState() {
	g.State = &Type{Kind: Struct, GoName: g.GoName + "State", Fields: g.own.fields(g.Spec.State, g.GoName)}
	g.State.declaredAs(g.Spec.Go.State)
	for _, f := range g.State.Fields {
		f.Merge = mergeOf(f.Spec)
	}
	g.State.byName = make(map[string]*Field, len(g.State.Fields)) // every node uses it
	for _, f := range slices.Backward(g.State.Fields) {
		g.State.byName[f.Name] = f
	}
	g.Input = &Type{Kind: Struct, GoName: g.GoName + "Input", Fields: g.given(g.Spec.Input)}
	g.Output = &Type{Kind: Struct, GoName: g.GoName + "Output", Fields: g.pick(g.Spec.Output)}
}

// mergeOf returns the merge rule of a state field.
func mergeOf(f *spec.Field) string {
	if f.Merge.V == "" && !f.Merge.Lost {
		return "last"
	}
	return f.Merge.V
}

// given returns the fields of the input.
func (g *Graph) given(names []spec.String) []*Field {
	fields := g.pick(names)
	for i, f := range fields {
		fields[i] = offered(f)
	}
	return fields
}

// offered returns a field as an input. An input with a default becomes optional, so that a passed
// value can be distinguished from none.
func offered(f *Field) *Field {
	if f.Spec.Default == nil || f.Type.Kind == Optional {
		return f
	}
	given := *f
	given.Type = &Type{Kind: Optional, Elem: f.Type, Pos: f.Type.Pos}
	return &given
}

// SetAtStart reports whether a state field has a value when a run starts: it is an input, or it has
// a default.
func (g *Graph) SetAtStart(f *Field) bool {
	return g.Input.Field(f.Name) != nil || f.Spec.Default != nil
}

// pick returns the known state fields among names, each once.
func (g *Graph) pick(names []spec.String) []*Field { return picked(g.State, names) }

func picked(state *Type, names []spec.String) []*Field {
	var out []*Field
	seen := map[string]bool{}
	for _, n := range names {
		if f := state.Field(n.V); f != nil && !seen[n.V] {
			seen[n.V] = true
			out = append(out, f)
		}
	}
	return out
}

// bindData binds the input and output of a node. A composite node has the input and output of its regions.
func (g *Graph) bindData(n *Node) {
	if n.undecided() {
		n.Out = &Type{Kind: Unknown}
		return
	}
	switch {
	case n.Handled():
		g.bindHandlerData(n)
	case n.Asks || n.Kind.By == spec.ByTool || n.Kind.By == spec.ByPerson:
		g.bindAgentData(n)
	case n.Kind.By == spec.ByGraph:
		g.bindSubData(n)
	case len(n.Spec.Set) > 0:
		g.bindSet(n)
	}
}

// bindSet finds out which fields a node writes values to, and which ones these are made of.
func (g *Graph) bindSet(n *Node) {
	n.Out = &Type{Kind: Struct, GoName: g.GoName + n.GoName + "Out", Pos: n.Spec.Name.Pos}
	for _, a := range n.Spec.Set {
		if f := g.State.Field(a.Name.V); f != nil {
			n.Out.Fields = append(n.Out.Fields, f)
			n.Writes = append(n.Writes, Write{To: f, From: f, Name: a.Name})
		}
		for _, f := range g.ReadBy(a.Field.V) {
			n.read(f)
		}
	}
	if len(n.Writes) < len(n.Spec.Set) {
		n.Out = &Type{Kind: Unknown}
	}
}

// ReadBy returns the fields of the state that an expression reads: all where it uses the state other than by a field.
func (g *Graph) ReadBy(expression string) []*Field {
	names, whole := stateNames(expression)
	if whole {
		return g.State.Fields
	}
	var fields []*Field
	for _, name := range names {
		if i := slices.IndexFunc(g.State.Fields, func(f *Field) bool { return f.GoName == name }); i >= 0 {
			fields = append(fields, g.State.Fields[i])
		}
	}
	return fields
}

// stateNames lists the Go names of the fields of state that an expression uses, and reports whether it uses state in another way.
func stateNames(text string) (names []string, whole bool) {
	const most = 16 << 10 // the parser descends as deep as an expression is nested
	tree, err := parser.ParseExpr(text[:min(len(text), most)])
	if err != nil {
		return nil, false
	}
	var visit func(ast.Node) bool
	visit = func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.SelectorExpr:
			if isState(x.X) {
				names = append(names, x.Sel.Name)
			} else {
				ast.Inspect(x.X, visit)
			}
			return false
		case *ast.Ident:
			whole = whole || x.Name == "state"
		}
		return true
	}
	ast.Inspect(tree, visit)
	return names, whole
}

// isState reports whether an expression is state, or what it points to.
func isState(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return isState(x.X)
	case *ast.StarExpr:
		return isState(x.X)
	case *ast.Ident:
		return x.Name == "state"
	}
	return false
}

// bindHandlerData finds out what a method of the handlers takes and gives.
func (g *Graph) bindHandlerData(n *Node) {
	s := n.Spec
	reads, writes := s.ReadsPos.IsSet(), s.WritesPos.IsSet()
	n.TakesState = !reads && !writes
	prefix := g.GoName + n.GoName
	if reads {
		n.In = &Type{Kind: Struct, GoName: prefix + "In", Fields: g.pick(s.Reads)}
		n.Reads = n.In.Fields
	}
	switch {
	case s.Output != nil:
		n.Out = g.own.expr(s.Output, prefix+"Out")
	case s.Unread || slices.ContainsFunc(s.Writes, func(w spec.String) bool { return g.State.Field(w.V) == nil }):
		n.Out = &Type{Kind: Unknown} // whatever it was meant to be
	case len(s.Writes) > 0:
		n.Out = &Type{Kind: Struct, GoName: prefix + "Out", Fields: g.pick(s.Writes)}
	}
	for _, w := range s.Writes {
		to := g.State.Field(w.V)
		if to == nil {
			continue
		}
		write := Write{To: to, Name: w}
		whole := s.Output != nil && n.writesWhole(to, w)
		if !whole {
			write.From = n.Out.Field(w.V)
		}
		n.Writes = append(n.Writes, write)
	}
}

// writesWhole reports whether the whole output is written to a field: its type fits, and of several fields, the output
// has none of that name.
func (n *Node) writesWhole(to *Field, name spec.String) bool {
	return (len(n.Spec.Writes) == 1 || n.Out.Field(name.V) == nil) && Accepts(to, n.Out)
}

// Accepts reports whether a value of type t can be merged into the state field: it has the type of
// the field, possibly without its optional, or it is an element of a list with merge rule append or
// union.
func Accepts(f *Field, t *Type) bool {
	return Same(f.Type, t) || (f.Type.Kind == Optional || TakesElement(f)) && Same(f.Type.Elem, t)
}

// TakesElement reports whether the merge rule of the field adds elements to a list.
func TakesElement(f *Field) bool {
	return f.Type.Kind == List && (f.Merge == "append" || f.Merge == "union")
}

// FromWrites reports whether the node's output struct consists of the fields that it writes and is
// not a declared type.
func (n *Node) FromWrites() bool {
	return n.Out != nil && n.Spec.Output == nil && (n.Handled() || n.Kind.By == spec.ByMachine)
}
