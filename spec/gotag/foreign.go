package gotag

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/graphgen/graphgen/spec/input"
)

// A foreign examines the packages of types that a graph refers to. They are parsed but not
// type-checked, to find out whether a type has a codec.
type foreign struct {
	ctx   context.Context
	dir   string // of the graph's package, for import paths
	known map[string]*foreignPackage
}

// A foreignPackage holds the files of another package. It is empty if the package cannot be found,
// or if some of its files are still to be generated.
type foreignPackage struct{ files []*goFile }

// load finds and parses a package, once.
func (f *foreign) load(path string) *foreignPackage {
	if p := f.known[path]; p != nil {
		return p
	}
	p := new(foreignPackage)
	f.known[path] = p
	names := list(f.ctx, f.dir, path, "")
	if len(names) == 0 {
		return p
	}
	for _, end := range []string{"*.graph.yaml", "*.types.yaml"} {
		if specs, _ := filepath.Glob(filepath.Join(filepath.Dir(names[0]), end)); len(specs) > 0 {
			return p
		}
	}
	var files []*goFile
	for _, name := range names {
		text, err := input.Read(name, input.MaxGo)
		if err != nil || Holds(text) {
			return p
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return p
		}
		file := &goFile{tree: tree}
		file.readImports()
		files = append(files, file)
	}
	p.files = files
	return p
}

// withoutCodec returns why generated code cannot encode and decode a type of another package, or
// "". It leaves errors to the Go compiler.
func (p *pkg) withoutCodec(path, name string) string {
	if p.foreign == nil {
		return ""
	}
	other := p.foreign.load(path)
	if len(other.files) == 0 {
		return ""
	}
	what := fmt.Sprintf("the type %s of %q", name, path)
	decl := other.typeNamed(name)
	switch {
	case decl == nil:
		return fmt.Sprintf("the package %q has no type %s", path, name)
	case decl.TypeParams != nil:
		return what + " is generic"
	case decl.Assign.IsValid():
		return ""
	}
	switch t := decl.Type.(type) {
	case *ast.InterfaceType:
		return what + " is an interface, which nothing can be read into"
	case *ast.StructType:
		if slices.ContainsFunc(t.Fields.List, func(f *ast.Field) bool { return len(f.Names) == 0 }) {
			return "" // what is embedded may have the methods
		}
	}
	for _, s := range generatedMethods {
		if (s.name == "MarshalJSONTo" || s.name == "UnmarshalJSONFrom") && !other.hasMethod(name, s) {
			return what + " has no method " + s.name + ", so generated code cannot read and write it"
		}
	}
	return ""
}

// typeNamed returns the declaration of a type, or nil.
func (p *foreignPackage) typeNamed(name string) *ast.TypeSpec {
	for _, f := range p.files {
		for _, d := range f.tree.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, s := range g.Specs {
				if t := s.(*ast.TypeSpec); t.Name.Name == name {
					return t
				}
			}
		}
	}
	return nil
}

// hasMethod reports whether pointers to a type have a method with the signature of
// encoding/json/v2.
func (p *foreignPackage) hasMethod(name string, s method) bool {
	own := new(pkg)
	for _, f := range p.files {
		for _, d := range f.tree.Decls {
			m, ok := d.(*ast.FuncDecl)
			if ok && m.Recv != nil && m.Name.Name == s.name && receiver(m) == name &&
				m.Type.Params.NumFields() == 1 && own.pointsTo(f, m.Type.Params.List[0].Type, s.param) {
				return true
			}
		}
	}
	return false
}
