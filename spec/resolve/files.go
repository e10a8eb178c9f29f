package resolve

import (
	"go/token"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
)

// An Import is a Go package that generated code refers to, with its name there.
type Import struct{ Path, Name string }

// Packages with types that the language has by name.
var (
	timeImport = Import{"time", "time"}
	jsonImport = Import{"github.com/go-json-experiment/json/jsontext", goname.JSONText}
)

// A file is a spec file with bound types: the graph's, or one that it uses.
type file struct {
	graph *Graph
	spec  *spec.Graph
	named map[string]*Type
	uses  map[string][]*file
	in    Import // where its Go types are; zero for the graph's own package

	types []*Type // declared in Go: declared ones first, in order of appearance
	state *Type   // of a used graph, once a node runs it
}

// Used is a use of the graph, linked.
type Used struct {
	Name  string
	Path  string  // import path of its types; empty in the graph's own package
	Types []*Type // structs, enums and unions
}

// Uses returns the files that the graph uses and that were found, in the order of the spec.
func (g *Graph) Uses() []Used {
	var list []Used
	seen := map[string]bool{}
	for _, u := range g.Spec.Use {
		if files := g.own.uses[u.Name.V]; len(files) > 0 && !seen[u.Name.V] {
			seen[u.Name.V] = true
			used := Used{Name: u.Name.V, Path: files[0].in.Path}
			for _, f := range files {
				used.Types = append(used.Types, f.types...)
			}
			list = append(list, used)
		}
	}
	return list
}

// Constant returns the Go expression of an enum value.
func (t *Type) Constant(v EnumValue) string {
	if t.Import != "" {
		return t.Qualifier + "." + v.Const
	}
	return v.Const
}

// bindFile binds the types of a file and of the files that it uses, each once.
func (g *Graph) bindFile(s *spec.Graph) *file {
	if f := g.files[s]; f != nil {
		return f
	}
	f := &file{graph: g, spec: s, named: map[string]*Type{}, uses: map[string][]*file{}, in: g.imported(packageOf(s))}
	g.files[s] = f
	for _, u := range s.Use {
		if f.uses[u.Name.V] != nil {
			continue
		}
		for _, used := range u.Graphs() {
			f.uses[u.Name.V] = append(f.uses[u.Name.V], g.bindFile(used))
		}
	}
	f.bindTypes()
	return f
}

// packageOf returns the import path of the package of a file.
func packageOf(s *spec.Graph) string { return s.Import }

// imported returns the import of a package. Its name in generated code is the name of a use of the
// graph, else the last element of its path, with a number if that is taken.
func (g *Graph) imported(path string) Import {
	if path == packageOf(g.Spec) {
		return Import{}
	}
	for _, i := range g.Imports {
		if i.Path == path {
			return i
		}
	}
	name := ""
	for _, u := range g.Spec.Use {
		if name == "" && u.Graph != nil && packageOf(u.Graph) == path {
			name = u.Name.V
		}
	}
	if name == "" {
		name = g.freeName(path)
	}
	i := Import{Path: path, Name: name}
	g.Imports = append(g.Imports, i)
	return i
}

// away returns the import of the graph's own package, for code generated in other packages.
func (g *Graph) away() Import {
	own := packageOf(g.Spec)
	for _, i := range g.Imports {
		if i.Path == own {
			return i
		}
	}
	i := Import{Path: own, Name: g.freeName(own)}
	g.Imports = append(g.Imports, i)
	return i
}

// freeName derives a package name from an import path that generated code does not use otherwise.
func (g *Graph) freeName(importPath string) string {
	name := goname.Import(importPath)
	for name == "" || g.taken(name) {
		name += "pkg"
	}
	return name
}

func (g *Graph) taken(name string) bool {
	if goname.Local(name) || token.IsKeyword(name) {
		return true
	}
	for _, u := range g.Spec.Use {
		if u.Name.V == name {
			return true
		}
	}
	for _, i := range g.Imports {
		if i.Name == name {
			return true
		}
	}
	return g.Spec.Go.Names[name]
}

// lookup returns the type for a name in the file, or nil.
func (f *file) lookup(name string) *Type {
	if t := basics[name]; t != nil {
		return t
	}
	if use, rest, ok := strings.Cut(name, "."); ok {
		for _, used := range f.uses[use] {
			if t := used.named[rest]; t != nil {
				return t
			}
		}
		return nil
	}
	return f.named[name]
}

// external returns an existing Go type. Equal ones are one type.
func (f *file) external(e *spec.TypeExpr, name string) *Type {
	in, goName := f.in, e.Go.V
	if dot := strings.LastIndexByte(goName, '.'); dot >= 0 {
		in, goName = f.graph.imported(goName[:dot]), goName[dot+1:]
	}
	if in.Path == "" && f.graph.Spec.Away {
		in = f.graph.away()
	}
	kind := External
	if in.Path+"."+goName == RawMessage {
		kind = Any
	}
	return &Type{Kind: kind, Name: name, GoName: goName, Import: in.Path, Qualifier: in.Name, Doc: e.Doc.V, Pos: e.Pos, Declared: true}
}

// RawMessage is the standard Go type that holds any JSON, as jsontext.Value does, without a codec
// of its own.
const RawMessage = "encoding/json.RawMessage"

// Used returns a declared type of a used file, by the name of the use and of the type, or nil.
func (g *Graph) Used(use, name string) *Type {
	for _, f := range g.own.uses[use] {
		if t := f.named[name]; t != nil {
			return t
		}
	}
	return nil
}

// Imports returns the packages in the Go type expression of t, each once.
func (t *Type) Imports() []Import {
	for t.Elem != nil {
		t = t.Elem
	}
	switch {
	case t.Kind == Time || t.Kind == Duration:
		return []Import{timeImport}
	case t.Kind == Any && t.Import == "":
		return []Import{jsonImport}
	case t.Import != "":
		return []Import{{t.Import, t.Qualifier}}
	}
	return nil
}
