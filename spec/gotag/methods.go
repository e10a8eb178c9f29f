package gotag

import (
	"go/ast"
	"slices"
	"strings"
)

// A method is the signature of a method that a type may have itself.
type method struct {
	name    string
	pointer bool   // it has a pointer receiver
	param   string // type that the parameter points to; empty: none
	result  string // empty: none
}

// text formats the signature for a type.
func (s method) text(of string) string {
	receiver, param, result := of, "", ""
	if s.pointer {
		receiver = "*" + of
	}
	if s.param != "" {
		param = "*" + s.param[strings.LastIndexByte(s.param, '/')+1:]
	}
	if s.result != "" {
		result = " " + s.result
	}
	return "func (" + receiver + ") " + s.name + "(" + param + ")" + result
}

const (
	kernelCodec = "github.com/graphgen/graphgen/runtime/codec"
	jsontextPkg = "github.com/go-json-experiment/json/jsontext"
)

// generatedMethods are the methods that are generated for types that lack them.
var generatedMethods = []method{
	{name: "EncodeJSON", param: kernelCodec + ".Encoder"},
	{name: "DecodeJSON", param: kernelCodec + ".Decoder", pointer: true},
	{name: "MarshalJSONTo", param: jsontextPkg + ".Encoder", result: "error"},
	{name: "UnmarshalJSONFrom", param: jsontextPkg + ".Decoder", result: "error", pointer: true},
	{name: "JSONMembers", param: kernelCodec + ".Object", pointer: true},
	{name: "IsZero", result: "bool"},
}

// stringMethod is an additional method of enums. A struct may have any String method.
var stringMethod = method{name: "String", result: "string"}

// schemaMethod is generated for types that lack it. Only users call it, so any signature will do.
const schemaMethod = "JSONSchema"

// Methods of which a type needs one to be encoded, and one to be decoded.
var (
	encodeMethods = []string{"EncodeJSON", "MarshalJSONTo"}
	decodeMethods = []string{"DecodeJSON", "UnmarshalJSONFrom"}
)

// has reports whether the type has one of the given methods.
func (o *own) has(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(o.is.Methods, name) })
}

// methods collects the generated methods that the type has itself.
func (r *reader) methods(o *own) {
	wanted := generatedMethods
	if len(o.is.Consts) > 0 {
		wanted = append(slices.Clip(wanted), stringMethod)
	}
	for _, m := range r.pkg.methods[o.is.Name] {
		i := slices.IndexFunc(wanted, func(s method) bool { return s.name == m.tree.Name.Name })
		switch {
		case i >= 0:
			r.method(o, m, wanted[i])
		case m.tree.Name.Name != schemaMethod:
			continue
		}
		o.is.Methods = append(o.is.Methods, m.tree.Name.Name)
	}
}

// method reports a method with a signature that generated code cannot call.
func (r *reader) method(o *own, m *funcDecl, want method) {
	name := o.is.Name + "." + want.name
	_, pointer := m.tree.Recv.List[0].Type.(*ast.StarExpr)
	params, results := m.tree.Type.Params, m.tree.Type.Results
	fits := want.param == "" && params.NumFields() == 0 || want.param != "" && params.NumFields() == 1 && r.pkg.pointsTo(m.file,
		params.List[0].Type, want.param)
	fits = fits && (want.result == "" && results.NumFields() == 0 || want.result != "" && results.NumFields() == 1 &&
		isIdent(results.List[0].Type, want.result))
	at := r.atElsewhere(m.tree.Name, o.at)
	switch {
	case !fits:
		r.report("GG156", at, name+" has another signature than generated code calls it by", "rename the method, or write "+want.text(o.is.Name))
	case pointer != want.pointer:
		kind := "the value"
		if want.pointer {
			kind = "a pointer"
		}
		r.report("GG156", at, name+" is not a method of "+kind+", as generated code needs it", "change its receiver")
	}
}

func isIdent(t ast.Expr, name string) bool {
	id, ok := ast.Unparen(t).(*ast.Ident)
	return ok && id.Name == name
}

// pointsTo reports whether a type is a pointer to a type of another package.
func (p *pkg) pointsTo(file *goFile, t ast.Expr, to string) bool {
	star, ok := ast.Unparen(t).(*ast.StarExpr)
	return ok && p.isNamed(file, star.X, to, 0)
}

// isNamed reports whether a type is one of another package, through any alias.
func (p *pkg) isNamed(file *goFile, t ast.Expr, want string, aliases int) bool {
	dot := strings.LastIndexByte(want, '.')
	of, name := want[:dot], want[dot+1:]
	switch t := ast.Unparen(t).(type) {
	case *ast.SelectorExpr:
		x, ok := t.X.(*ast.Ident)
		return ok && t.Sel.Name == name && (file.imports[x.Name] == of || strings.HasSuffix(of, "/json/jsontext") &&
			file.imports[x.Name] == "encoding/json/jsontext")
	case *ast.Ident:
		if decl := p.types[t.Name]; decl != nil {
			return decl.spec.Assign.IsValid() && aliases < aliasMost && p.isNamed(decl.file, decl.spec.Type, want, aliases+1)
		}
		return t.Name == name && slices.Contains(file.dots, of)
	}
	return false
}

// hiddenField reports a field that prevents the struct from being a type of the graph.
func (r *reader) hiddenField(t ast.Expr, name *ast.Ident, of *own) {
	if slices.ContainsFunc(generatedMethods, func(s method) bool { return s.name == name.Name }) || name.Name == schemaMethod {
		r.report("GG156", r.at(name), "the field "+name.Name+" of "+of.is.Name+" has the name of a method that is generated", "rename the field")
	}
	if lock := r.pkg.lock(r.file, t, 0); lock != "" {
		r.report("GG156", r.at(name), of.is.Name+" holds a "+lock+", and generated code copies its values", "hold a pointer: *"+lock)
	}
}

// locks are types that must not be copied, by package path.
var locks = map[string][]string{
	"sync":        {"Cond", "Map", "Mutex", "Once", "Pool", "RWMutex", "WaitGroup"},
	"sync/atomic": {"Bool", "Int32", "Int64", "Pointer", "Uint32", "Uint64", "Uintptr", "Value"},
}

// lock returns the type within a value that must not be copied, as go vet does, or "".
func (p *pkg) lock(file *goFile, t ast.Expr, depth int) string {
	if depth > aliasMost {
		return ""
	}
	switch t := ast.Unparen(t).(type) {
	case *ast.SelectorExpr:
		if x, ok := t.X.(*ast.Ident); ok && slices.Contains(locks[file.imports[x.Name]], t.Sel.Name) {
			return x.Name + "." + t.Sel.Name
		}
	case *ast.IndexExpr:
		return p.lock(file, t.X, depth+1)
	case *ast.ArrayType:
		if t.Len != nil {
			return p.lock(file, t.Elt, depth+1)
		}
	case *ast.StructType:
		for _, f := range t.Fields.List {
			if lock := p.lock(file, f.Type, depth+1); lock != "" {
				return lock
			}
		}
	case *ast.Ident:
		if p.isLocker(t.Name) {
			return t.Name
		}
		if decl := p.types[t.Name]; decl != nil {
			return p.lock(decl.file, decl.spec.Type, depth+1)
		}
	}
	return ""
}

// isLocker reports whether pointers to a type of the package have the methods Lock and Unlock.
func (p *pkg) isLocker(name string) bool {
	count := 0
	for _, m := range p.methods[name] {
		_, pointer := m.tree.Recv.List[0].Type.(*ast.StarExpr)
		if pointer && (m.tree.Name.Name == "Lock" || m.tree.Name.Name == "Unlock") && m.tree.Type.Params.NumFields() == 0 &&
			m.tree.Type.Results.NumFields() == 0 {
			count++
		}
	}
	return count == 2
}
