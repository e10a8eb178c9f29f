package expr

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Package has the declarations that the expressions of a graph see, as the Go type checker
// wants them. The types are built, not parsed: they are those that generation declares.
type Package struct {
	graph   *resolve.Graph
	objects map[string]types.Object      // enums, structs, constants, state, res, packages; nil: not filled
	made    map[*resolve.Type]types.Type // Go types of the graph's types
	origin  map[types.Type]*resolve.Type // and back, for named types
	lost    map[string]bool              // uses whose files could not be read, which is reported elsewhere
	own     map[string]bool              // uses whose types are of the graph's own package
	unions  map[types.Type]bool          // structs, and whether they hold a union

	usesLost  bool // the section use could not be read
	namesLost bool // nor could the state, a type, or the files whose types are used
}

// predeclared are the names of the language itself that an expression may use.
var predeclared = []string{
	"true", "false", "nil", "len", "cap", "min", "max",
	"bool", "string", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16",
	"uint32", "uint64", "float32", "float64", "byte", "rune",
}

// NewPackage returns the declarations of a graph. They are made when the first expression is typed.
func NewPackage(g *resolve.Graph) *Package { return &Package{graph: g} }

// filled returns the package with its declarations.
func (p *Package) filled() *Package {
	if p.objects != nil {
		return p
	}
	g := p.graph
	p.objects = map[string]types.Object{}
	p.made = map[*resolve.Type]types.Type{}
	p.origin = map[types.Type]*resolve.Type{}
	p.lost = map[string]bool{}
	p.own = map[string]bool{}
	p.usesLost = g.Spec.UsesLost()
	p.namesLost = g.Spec.Unread && (len(g.Spec.State) == 0 || len(g.Spec.Types) == 0 || p.usesLost) ||
		slices.ContainsFunc(g.Spec.Types, func(d *spec.TypeDecl) bool {
			return d.Type != nil && d.Type.Kind == spec.TypeNamed && d.Type.Name == ""
		})
	for _, u := range g.Spec.Use {
		p.lost[u.Name.V] = u.Graph == nil
	}
	p.packages()
	// Structs refer to one another, so all are named before any is filled.
	for _, t := range g.Types {
		p.declare(t)
		if named, ok := p.made[t].(*types.Named); ok && p.objects[t.GoName] == nil {
			p.objects[t.GoName] = named.Obj()
		}
	}
	for _, t := range g.Types {
		p.fill(t)
	}
	p.declare(g.State)
	p.fill(g.State)
	for _, name := range callable {
		p.objects[name] = types.NewPkgName(token.NoPos, nil, name, standardLibrary()[name])
	}
	p.objects["state"] = types.NewVar(token.NoPos, nil, "state", types.NewPointer(p.made[g.State]))
	p.objects["res"] = types.NewVar(token.NoPos, nil, "res", resultType())
	return p
}

// packages names the packages of used files, each by its use: they have their types and
// constants. Those of the graph's own package have no qualifier.
func (p *Package) packages() {
	for _, u := range p.graph.Uses() {
		p.own[u.Name] = u.Path == ""
		if u.Path != "" {
			p.objects[u.Name] = types.NewPkgName(token.NoPos, nil, u.Name, types.NewPackage(u.Path, u.Name))
		}
	}
	for _, u := range p.graph.Uses() {
		for _, t := range u.Types {
			if p.made[t] == nil {
				p.declare(t)
				p.fill(t)
			}
			if named, ok := p.made[t].(*types.Named); ok {
				p.place(u, t.GoName, named.Obj())
			}
			for i, v := range t.Values {
				p.place(u, v.Const, types.NewConst(token.NoPos, nil, v.Const, p.made[t], EnumValue(t, i+1)))
			}
		}
	}
}

// place puts what a used file declares where expressions find it.
func (p *Package) place(u resolve.Used, name string, o types.Object) {
	if of, ok := p.objects[u.Name].(*types.PkgName); ok && u.Path != "" {
		of.Imported().Scope().Insert(o)
	} else if p.objects[name] == nil {
		p.objects[name] = o
	}
}

// resultFields are the fields of graphgen.Result.
var resultFields = []string{"Step", "Visit", "Attempts", "Iterations", "Err", "Cached", "Skipped", "ToolCalls", "ToolFailures", "Tokens", "Confidence"}

// resultType is graphgen.Result.
func resultType() types.Type {
	field := func(name string, t types.Type) *types.Var { return types.NewField(token.NoPos, nil, name, t, false) }
	number, truth := types.Typ[types.Int], types.Typ[types.Bool]
	return types.NewNamed(types.NewTypeName(token.NoPos, nil, "graphgen.Result", nil), types.NewStruct([]*types.Var{
		field("Step", number), field("Visit", number), field("Attempts", number), field("Iterations", number),
		field("Err", types.Universe.Lookup("error").Type()),
		field("Cached", truth), field("Skipped", truth),
		field("ToolCalls", number), field("ToolFailures", number), field("Tokens", number), field("Confidence", types.Typ[types.Float64]),
	}, nil), nil)
}

// declare names a type that has a declaration in Go. Two of one name are reported
// elsewhere: the first counts.
func (p *Package) declare(t *resolve.Type) {
	switch t.Kind {
	case resolve.Enum, resolve.Struct, resolve.Union, resolve.External, resolve.Message:
	default:
		p.made[t] = types.Typ[types.Invalid]
		return
	}
	if t.GoName == "" {
		p.made[t] = types.Typ[types.Invalid]
		return
	}
	name := types.NewTypeName(token.NoPos, nil, t.GoName, nil)
	named := types.NewNamed(name, nil, nil)
	p.made[t], p.origin[named] = named, t
}

func (p *Package) fill(t *resolve.Type) {
	named, ok := p.made[t].(*types.Named)
	if !ok {
		return
	}
	switch t.Kind {
	case resolve.Struct, resolve.Message:
		named.SetUnderlying(p.fields(t))
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
	if t.Text() {
		underlying = types.String
	}
	named.SetUnderlying(types.Typ[underlying])
	if t.Own != nil && t.Own.Kind != "" {
		named.SetUnderlying(types.Universe.Lookup(t.Own.Kind).Type())
	}
	text := types.NewTuple(types.NewVar(token.NoPos, nil, "", types.Typ[types.String]))
	recv := types.NewVar(token.NoPos, nil, "v", named)
	named.AddMethod(types.NewFunc(token.NoPos, nil, "String", types.NewSignatureType(recv, nil, nil, nil, text, false)))
	for i, v := range t.Values {
		if t.Import == "" && p.objects[v.Const] == nil {
			p.objects[v.Const] = types.NewConst(token.NoPos, nil, v.Const, named, EnumValue(t, i+1))
		}
	}
}

// EnumValue returns a value of an enum as it is in Go: 1 stands for the first one, and 0 for none.
func EnumValue(t *resolve.Type, at int) constant.Value {
	switch {
	case t.Text() && at == 0:
		return constant.MakeString("")
	case t.Text():
		return constant.MakeString(t.Values[at-1].Name)
	case t.Own != nil && 0 < at && at <= len(t.Own.Numbers):
		digits, negative := strings.CutPrefix(t.Own.Numbers[at-1], "-")
		v := constant.MakeFromLiteral(digits, token.INT, 0)
		if negative {
			v = constant.UnaryOp(token.SUB, v, 0)
		}
		return v
	}
	return constant.MakeInt64(int64(at))
}

func (p *Package) fields(t *resolve.Type) *types.Struct {
	var fields []*types.Var
	seen := map[string]bool{}
	for _, f := range t.Fields {
		if f.GoName == "" || seen[f.GoName] {
			continue
		}
		seen[f.GoName] = true
		fields = append(fields, types.NewField(token.NoPos, nil, f.GoName, p.typeOf(f.Type), false))
	}
	return types.NewStruct(fields, nil)
}

// typeOf returns the Go type of a graph's type. What is unknown is invalid, which the Go
// type checker takes for a mistake that was reported.
func (p *Package) typeOf(t *resolve.Type) types.Type {
	if made := p.made[t]; made != nil {
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
	case resolve.Media:
		p.made[t] = p.media(t)
	case resolve.Bytes:
		return types.NewSlice(types.Typ[types.Byte])
	case resolve.Enum, resolve.Struct, resolve.Union, resolve.External, resolve.Message: // of the fields a node writes, or of a used file
		p.declare(t)
		p.fill(t)
	case resolve.List:
		p.made[t] = composed(p.typeOf(t.Elem), func(e types.Type) types.Type { return types.NewSlice(e) })
	case resolve.Map:
		p.made[t] = composed(p.typeOf(t.Elem), func(e types.Type) types.Type { return types.NewMap(types.Typ[types.String], e) })
	case resolve.Optional:
		p.made[t] = composed(p.typeOf(t.Elem), func(e types.Type) types.Type { return types.NewPointer(e) })
	default:
		p.made[t] = types.Typ[types.Invalid]
	}
	return p.made[t]
}

// media is an image, a PDF or audio: a condition sees whether there is one, and its size.
func (p *Package) media(t *resolve.Type) types.Type {
	hidden := types.NewSlice(types.Typ[types.Byte])
	named := types.NewNamed(types.NewTypeName(token.NoPos, nil, t.GoName, nil), types.NewStruct([]*types.Var{
		types.NewField(token.NoPos, nil, "_", hidden, false),
	}, nil), nil)
	for _, m := range []struct {
		name string
		of   types.BasicKind
	}{{"IsZero", types.Bool}, {"Size", types.Int}} {
		recv := types.NewVar(token.NoPos, nil, "v", named)
		result := types.NewTuple(types.NewVar(token.NoPos, nil, "", types.Typ[m.of]))
		named.AddMethod(types.NewFunc(token.NoPos, nil, m.name, types.NewSignatureType(recv, nil, nil, nil, result, false)))
	}
	p.origin[named] = t
	return named
}

// stubType is a type of the standard library, or of jsontext.
func stubType(of, name string) types.Type { return standardLibrary()[of].Scope().Lookup(name).Type() }

func composed(elem types.Type, of func(types.Type) types.Type) types.Type {
	if elem == types.Typ[types.Invalid] {
		return elem
	}
	return of(elem)
}

// variable is a variable of a type.
func (p *Package) variable(name string, t *resolve.Type) types.Object {
	return types.NewVar(token.NoPos, nil, name, p.filled().typeOf(t))
}

// anyFunction is a function that takes any arguments and returns a bool.
func anyFunction(name string) types.Object {
	anything := types.NewSlice(types.Universe.Lookup("any").Type())
	params := types.NewTuple(types.NewVar(token.NoPos, nil, "", anything))
	truth := types.NewTuple(types.NewVar(token.NoPos, nil, "", types.Typ[types.Bool]))
	return types.NewFunc(token.NoPos, nil, name, types.NewSignatureType(nil, nil, nil, params, truth, true))
}
