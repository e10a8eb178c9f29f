package check

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/graphgen/graphgen/spec/resolve"
)

// A scope holds what conditions of a graph may name, as the Go type checker wants it. The
// types are built, not parsed: they are those that generation declares.
type scope struct {
	graph   *resolve.Graph
	objects map[string]types.Object      // enums, structs, constants, state, res, packages
	made    map[*resolve.Type]types.Type // Go types of the graph's types
	origin  map[types.Type]*resolve.Type // and back, for named types
	outs    map[*resolve.Node]types.Object
	evals   map[*resolve.Node]types.Object
	allowed map[string]bool // predeclared names
	lost    map[string]bool // uses whose files could not be read, which is told elsewhere
	anyLost bool            // the section use could not be read
	own     map[string]bool // uses whose types are of the graph's own package
}

// predeclared are the names of the language itself that a condition may use.
var predeclared = []string{
	"true", "false", "nil", "len", "cap", "min", "max",
	"bool", "string", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16",
	"uint32", "uint64", "float32", "float64", "byte", "rune",
}

func newScope(g *resolve.Graph) *scope {
	s := &scope{
		graph:   g,
		objects: map[string]types.Object{},
		made:    map[*resolve.Type]types.Type{},
		origin:  map[types.Type]*resolve.Type{},
		outs:    map[*resolve.Node]types.Object{},
		evals:   map[*resolve.Node]types.Object{},
		allowed: map[string]bool{},
		lost:    map[string]bool{},
		own:     map[string]bool{},
	}
	for _, u := range g.Spec.Use {
		s.lost[u.Name.V] = u.Graph == nil
	}
	for _, name := range predeclared {
		s.allowed[name] = true
	}
	s.packages()
	// Structs refer to one another, so all are named before any is filled.
	for _, t := range g.Types {
		s.declare(t)
		if named, ok := s.made[t].(*types.Named); ok && s.objects[t.GoName] == nil {
			s.objects[t.GoName] = named.Obj()
		}
	}
	for _, t := range g.Types {
		s.fill(t)
	}
	s.declare(g.State)
	s.fill(g.State)
	for _, name := range callable {
		p := standardLibrary()[name]
		s.objects[name] = types.NewPkgName(token.NoPos, nil, name, p)
	}
	s.objects["state"] = types.NewVar(token.NoPos, nil, "state", types.NewPointer(s.made[g.State]))
	s.objects["res"] = types.NewVar(token.NoPos, nil, "res", resultType())
	return s
}

// packages names the packages of used files, each by its use: their types and constants
// stand in them. Those of the graph's own package have no qualifier.
func (s *scope) packages() {
	for _, u := range s.graph.Uses() {
		s.own[u.Name] = u.Path == ""
		if u.Path != "" {
			s.objects[u.Name] = types.NewPkgName(token.NoPos, nil, u.Name, types.NewPackage(u.Path, u.Name))
		}
	}
	for _, u := range s.graph.Uses() {
		for _, t := range u.Types {
			if s.made[t] == nil {
				s.declare(t)
				s.fill(t)
			}
			if named, ok := s.made[t].(*types.Named); ok {
				s.place(u, t.GoName, named.Obj())
			}
			for i, v := range t.Values {
				s.place(u, v.Const, types.NewConst(token.NoPos, nil, v.Const, s.made[t], constant.MakeInt64(int64(i+1))))
			}
		}
	}
}

// place puts what a used file declares where conditions find it.
func (s *scope) place(u resolve.Used, name string, o types.Object) {
	if p, ok := s.objects[u.Name].(*types.PkgName); ok && u.Path != "" {
		p.Imported().Scope().Insert(o)
	} else if s.objects[name] == nil {
		s.objects[name] = o
	}
}

// resultFields are the fields of graphrt.Result.
var resultFields = []string{"Step", "Visit", "Attempts", "Iterations", "Err", "Cached", "Skipped", "ToolCalls", "ToolFailures", "Tokens", "Confidence"}

// resultType is graphrt.Result.
func resultType() types.Type {
	field := func(name string, t types.Type) *types.Var { return types.NewField(token.NoPos, nil, name, t, false) }
	number, truth := types.Typ[types.Int], types.Typ[types.Bool]
	return types.NewNamed(types.NewTypeName(token.NoPos, nil, "graphrt.Result", nil), types.NewStruct([]*types.Var{
		field("Step", number), field("Visit", number), field("Attempts", number), field("Iterations", number),
		field("Err", types.Universe.Lookup("error").Type()),
		field("Cached", truth), field("Skipped", truth),
		field("ToolCalls", number), field("ToolFailures", number), field("Tokens", number), field("Confidence", types.Typ[types.Float64]),
	}, nil), nil)
}

// declare names a type that has a declaration in Go. Two of one name are reported
// elsewhere: the first counts.
func (s *scope) declare(t *resolve.Type) {
	switch t.Kind {
	case resolve.Enum, resolve.Struct, resolve.Union, resolve.External:
	default:
		s.made[t] = types.Typ[types.Invalid]
		return
	}
	if t.GoName == "" {
		s.made[t] = types.Typ[types.Invalid]
		return
	}
	name := types.NewTypeName(token.NoPos, nil, t.GoName, nil)
	named := types.NewNamed(name, nil, nil)
	s.made[t], s.origin[named] = named, t
}

func (s *scope) fill(t *resolve.Type) {
	named, ok := s.made[t].(*types.Named)
	if !ok {
		return
	}
	switch t.Kind {
	case resolve.Struct:
		named.SetUnderlying(s.fields(t))
		return
	case resolve.Union: // sealed by a method that nothing else has
		method := types.NewFunc(token.NoPos, nil, "is"+t.GoName, types.NewSignatureType(nil, nil, nil, nil, nil, false))
		named.SetUnderlying(types.NewInterfaceType([]*types.Func{method}, nil).Complete())
		return
	case resolve.External: // nothing is known of it, not even whether it can be compared
		hidden := types.NewSignatureType(nil, nil, nil, nil, nil, false)
		named.SetUnderlying(types.NewStruct([]*types.Var{types.NewField(token.NoPos, nil, "_", hidden, false)}, nil))
		return
	}
	underlying := types.Uint8
	if len(t.Values) > 255 {
		underlying = types.Uint16
	}
	if t.Declared {
		underlying = types.Int
	}
	value := func(i int) constant.Value { return constant.MakeInt64(int64(i + 1)) }
	if t.Text() {
		underlying = types.String
		value = func(i int) constant.Value { return constant.MakeString(t.Values[i].Name) }
	}
	named.SetUnderlying(types.Typ[underlying])
	text := types.NewTuple(types.NewVar(token.NoPos, nil, "", types.Typ[types.String]))
	recv := types.NewVar(token.NoPos, nil, "v", named)
	named.AddMethod(types.NewFunc(token.NoPos, nil, "String", types.NewSignatureType(recv, nil, nil, nil, text, false)))
	for i, v := range t.Values {
		if t.Import == "" && s.objects[v.Const] == nil {
			s.objects[v.Const] = types.NewConst(token.NoPos, nil, v.Const, named, value(i))
		}
	}
}

func (s *scope) fields(t *resolve.Type) *types.Struct {
	var fields []*types.Var
	seen := map[string]bool{}
	for _, f := range t.Fields {
		if f.GoName == "" || seen[f.GoName] {
			continue
		}
		seen[f.GoName] = true
		fields = append(fields, types.NewField(token.NoPos, nil, f.GoName, s.typeOf(f.Type), false))
	}
	return types.NewStruct(fields, nil)
}

// typeOf returns the Go type of a graph's type. What is unknown is invalid, which the Go
// type checker takes for a mistake that was told.
func (s *scope) typeOf(t *resolve.Type) types.Type {
	if made := s.made[t]; made != nil {
		return made
	}
	switch t.Kind {
	case resolve.String:
		return types.Typ[types.String]
	case resolve.Int:
		return types.Typ[types.Int]
	case resolve.Float:
		return types.Typ[types.Float64]
	case resolve.Bool:
		return types.Typ[types.Bool]
	case resolve.Time:
		return stubType("time", "Time")
	case resolve.Duration:
		return stubType("time", "Duration")
	case resolve.Any:
		if t.Import != "" {
			return stubType("json", t.GoName)
		}
		return stubType("jsontext", "Value")
	case resolve.Bytes:
		return types.NewSlice(types.Typ[types.Byte])
	case resolve.Enum, resolve.Struct, resolve.Union, resolve.External: // of the fields a node writes, or of a used file
		s.declare(t)
		s.fill(t)
	case resolve.List:
		s.made[t] = composed(s.typeOf(t.Elem), func(e types.Type) types.Type { return types.NewSlice(e) })
	case resolve.Map:
		s.made[t] = composed(s.typeOf(t.Elem), func(e types.Type) types.Type { return types.NewMap(types.Typ[types.String], e) })
	case resolve.Optional:
		s.made[t] = composed(s.typeOf(t.Elem), func(e types.Type) types.Type { return types.NewPointer(e) })
	default:
		s.made[t] = types.Typ[types.Invalid]
	}
	return s.made[t]
}

// stubType is a type of the standard library, or of jsontext.
func stubType(of, name string) types.Type { return standardLibrary()[of].Scope().Lookup(name).Type() }

func composed(elem types.Type, of func(types.Type) types.Type) types.Type {
	if elem == types.Typ[types.Invalid] {
		return elem
	}
	return of(elem)
}

// out returns the variable out of a node's conditions, nil if the node has no output. An
// edge that leaves no known node has an output of which nothing is known.
func (s *scope) out(n *resolve.Node) types.Object {
	if o, ok := s.outs[n]; ok {
		return o
	}
	var o types.Object
	switch {
	case n == nil:
		o = types.NewVar(token.NoPos, nil, "out", types.Typ[types.Invalid])
	case n.Out != nil:
		o = types.NewVar(token.NoPos, nil, "out", s.typeOf(n.Out))
	}
	s.outs[n] = o
	return o
}

// verdicts returns the variable evals of a node's conditions, nil if the node has no evals.
func (s *scope) verdicts(n *resolve.Node) types.Object {
	switch {
	case n == nil, n.Spec.Unread:
		return types.NewVar(token.NoPos, nil, "evals", types.Typ[types.Invalid])
	case n.Verdicts == nil:
		return nil
	}
	if o := s.evals[n]; o != nil {
		return o
	}
	o := types.NewVar(token.NoPos, nil, "evals", s.typeOf(n.Verdicts))
	s.evals[n] = o
	return o
}

// lookup returns what a name of a condition refers to, nil if it is unknown there.
func (s *scope) lookup(n *resolve.Node, name string) types.Object {
	switch name {
	case "out":
		return s.out(n)
	case "evals":
		return s.verdicts(n)
	}
	if o := s.objects[name]; o != nil {
		return o
	}
	if s.allowed[name] {
		return types.Universe.Lookup(name)
	}
	return nil
}

// anyFunction is a function that takes whatever it is given and says whether.
func anyFunction(name string) types.Object {
	anything := types.NewSlice(types.Universe.Lookup("any").Type())
	params := types.NewTuple(types.NewVar(token.NoPos, nil, "", anything))
	truth := types.NewTuple(types.NewVar(token.NoPos, nil, "", types.Typ[types.Bool]))
	return types.NewFunc(token.NoPos, nil, name, types.NewSignatureType(nil, nil, nil, params, truth, true))
}
