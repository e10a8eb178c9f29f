package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/subprocess"
)

// A goRename renames in Go what generated files declare, and the methods of handlers.
type goRename struct {
	s         *Server
	name      string            // the new name of the symbol
	old, made map[string][]byte // the generated files that change, by absolute path: as they are, and after the rename
	fresh     map[string][]byte // what the specs give for them before the rename: files on the disk may be of older specs
	was, is   string            // the Go names of the symbol

	fset     *token.FileSet
	packages []*goPackage // the packages to check, each after its imports
	checked  map[string]*types.Package
	exports  map[string]string // files of export data
	imports  types.Importer
	names    map[string]string // new names, by the place of the declaration
}

// A goPackage is a package as the go command lists it.
type goPackage struct {
	ImportPath, Dir, Export, ForTest             string
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports           []string
	Standard                                     bool
	Module                                       *struct{ Main bool }
}

// A goFile is a file that was parsed.
type goFile struct {
	abs  string
	tree *ast.File
}

// edit adds the edits of Go files that a module has.
func (g *goRename) edit(ctx context.Context, dir string, edits map[string][]edit) error {
	if err := g.list(ctx, dir); err != nil {
		return err
	}
	g.names = map[string]string{}
	g.pair()
	before := g.check(nil)
	unfinished := slices.ContainsFunc(before, func(c checkedPackage) bool { return len(c.problems) > 0 })
	for _, c := range before {
		if c.pkg != nil {
			g.methods(c.pkg, c.info, unfinished)
		}
	}
	for _, c := range before {
		for _, f := range c.files {
			if g.old[f.abs] == nil {
				g.rename(f, c.info, edits)
			}
		}
	}
	if !maps.EqualFunc(g.old, g.fresh, bytes.Equal) {
		before = g.check(g.fresh)
	}
	texts := map[string][]byte{}
	for abs, list := range edits {
		texts[abs] = applied(g.s.file(abs).text.bytes, list)
	}
	for i, c := range g.check(texts) {
		// Their number decides, not their words: of the methods that a type lacks, the type checker names one.
		if len(c.problems) > len(before[i].problems) {
			return failed("with the name %q the Go code does not compile: %s", g.name, g.another(before[i].problems, c.problems))
		}
	}
	return nil
}

// another returns the first problem that was not there before the rename, or the first of all.
func (g *goRename) another(before, after []string) string {
	plain := func(text string) string { return placeInGo.ReplaceAllString(text, "") }
	known := map[string]bool{}
	for _, text := range before {
		known[plain(strings.ReplaceAll(text, g.was, g.is))] = true
	}
	return after[max(0, slices.IndexFunc(after, func(text string) bool { return !known[plain(text)] }))]
}

// placeInGo matches a place in a message of the type checker.
var placeInGo = regexp.MustCompile(`:\d+:\d+`)

// A checkedPackage is a package with its types, and what is wrong with it. It has no types where none of its files can be read. A package with its
// tests is another one.
type checkedPackage struct {
	files    []goFile
	pkg      *types.Package
	info     *types.Info
	problems []string
}

// check finds the types of the packages, and what is wrong with each, given new texts of files. They are the same packages for any texts.
func (g *goRename) check(texts map[string][]byte) (all []checkedPackage) {
	g.fset, g.checked = token.NewFileSet(), map[string]*types.Package{}
	g.imports = importer.ForCompiler(g.fset, "gc", func(path string) (io.ReadCloser, error) {
		if g.exports[path] == "" {
			return nil, fmt.Errorf("there is no package %q", path)
		}
		return os.Open(g.exports[path])
	})
	check := func(p *goPackage, path string, names []string, keep bool) {
		c := checkedPackage{files: g.parse(p, names, texts)}
		if len(c.files) == 0 {
			all = append(all, c)
			return
		}
		c.info = &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}}
		config := types.Config{Importer: g, Error: func(err error) {
			if e, is := errors.AsType[types.Error](err); is {
				c.problems = append(c.problems, fmt.Sprintf("%s: %s", filepath.Base(g.fset.Position(e.Pos).Filename), e.Msg))
			}
		}}
		var trees []*ast.File
		for _, f := range c.files {
			trees = append(trees, f.tree)
		}
		c.pkg, _ = config.Check(path, g.fset, trees, c.info)
		if keep {
			g.checked[path] = c.pkg
		}
		all = append(all, c)
	}
	for _, p := range g.packages {
		check(p, p.ImportPath, p.GoFiles, true)
	}
	for _, p := range g.packages {
		if len(p.TestGoFiles) > 0 {
			check(p, p.ImportPath, slices.Concat(p.GoFiles, p.TestGoFiles), false)
		}
		if len(p.XTestGoFiles) > 0 {
			check(p, p.ImportPath+"_test", p.XTestGoFiles, false)
		}
	}
	return all
}

// Import returns a package that was checked, or reads it from its export data.
func (g *goRename) Import(path string) (*types.Package, error) {
	if p := g.checked[path]; p != nil {
		return p, nil
	}
	return g.imports.Import(path)
}

// list lists the packages of the module of a folder that import those with generated files.
func (g *goRename) list(ctx context.Context, dir string) error {
	root := link.Root(dir, os.ReadFile)
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-export", "-deps", "-test",
		"-json=ImportPath,Dir,Export,ForTest,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports,Standard,Module", "./...")
	cmd.Dir = root
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := subprocess.Run(ctx, cmd); err != nil && out.Len() == 0 {
		return failed("go list: %v: %.500s", err, problems.String())
	}
	g.exports = map[string]string{}
	wanted := map[string]bool{}
	var all []*goPackage
	for dec := json.NewDecoder(&out); ; {
		p := new(goPackage)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return failed("go list: %v", err)
		}
		if p.ForTest != "" || strings.HasSuffix(p.ImportPath, ".test") {
			continue
		}
		g.exports[p.ImportPath] = p.Export
		if p.Module == nil || !p.Module.Main {
			continue
		}
		for abs := range g.old {
			wanted[p.ImportPath] = wanted[p.ImportPath] || filepath.Dir(abs) == p.Dir
		}
		all = append(all, p)
	}
	for again := true; again; {
		again = false
		for _, p := range all {
			if !wanted[p.ImportPath] && slices.ContainsFunc(slices.Concat(p.Imports, p.TestImports, p.XTestImports), func(i string) bool { return wanted[i] }) {
				wanted[p.ImportPath], again = true, true
			}
		}
	}
	for _, p := range all { // the go command lists a package after its imports
		if wanted[p.ImportPath] {
			g.packages = append(g.packages, p)
		}
	}
	return nil
}

// parse parses files of a package, given new texts of files.
func (g *goRename) parse(p *goPackage, names []string, texts map[string][]byte) (files []goFile) {
	for _, name := range names {
		abs := filepath.Join(p.Dir, name)
		f := g.s.file(abs)
		if f == nil {
			continue
		}
		text, isNew := texts[abs]
		if !isNew {
			text = f.text.bytes
		}
		tree, err := parser.ParseFile(g.fset, abs, text, parser.SkipObjectResolution)
		if tree != nil && (err == nil || tree.Name != nil) {
			files = append(files, goFile{abs, tree})
		}
	}
	return files
}

// place returns the place of an identifier.
func (g *goRename) place(pos token.Pos) string {
	p := g.fset.Position(pos)
	return fmt.Sprintf("%s:%d", p.Filename, p.Offset)
}

// A declaration is what a generated file declares: a name, or a member of a type.
type declaration struct{ of, name string }

// declarations returns what a file declares, with the places of the names.
func declarations(fset *token.FileSet, abs string, text []byte) map[declaration]token.Pos {
	list := map[declaration]token.Pos{}
	tree, _ := parser.ParseFile(fset, abs, text, parser.SkipObjectResolution)
	if tree == nil {
		return list
	}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			of := ""
			if d.Recv != nil && len(d.Recv.List) > 0 {
				of = receiverName(d.Recv.List[0].Type)
			}
			list[declaration{of, d.Name.Name}] = d.Name.Pos()
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, n := range s.Names {
						list[declaration{"", n.Name}] = n.Pos()
					}
				case *ast.TypeSpec:
					list[declaration{"", s.Name.Name}] = s.Name.Pos()
					for _, f := range membersOf(s.Type) {
						for _, n := range f.Names {
							list[declaration{s.Name.Name, n.Name}] = n.Pos()
						}
					}
				}
			}
		}
	}
	return list
}

func receiverName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiverName(t.X)
	case *ast.IndexExpr:
		return receiverName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// membersOf returns the fields of a struct, or the methods of an interface.
func membersOf(t ast.Expr) []*ast.Field {
	switch t := t.(type) {
	case *ast.StructType:
		return t.Fields.List
	case *ast.InterfaceType:
		return t.Methods.List
	}
	return nil
}

// pair finds the new names of what the generated files declare.
func (g *goRename) pair() {
	fset := token.NewFileSet()
	for abs, text := range g.old {
		old := declarations(fset, abs, text)
		made := declarations(fset, abs, g.made[abs])
		for d, pos := range old {
			if _, stays := made[d]; stays {
				continue
			}
			for _, of := range append(g.variants(d.of), d.of) {
				for _, name := range append(g.variants(d.name), d.name) {
					if _, is := made[declaration{of, name}]; is && name != d.name {
						p := fset.Position(pos)
						g.names[fmt.Sprintf("%s:%d", p.Filename, p.Offset)] = name
					}
				}
			}
		}
	}
}

// variants returns a name with the new name of the symbol instead of the old one, in one place or in all.
func (g *goRename) variants(name string) (list []string) {
	for i := 0; i+len(g.was) <= len(name); i++ {
		if strings.HasPrefix(name[i:], g.was) {
			list = append(list, name[:i]+g.is+name[i+len(g.was):])
		}
	}
	return append(list, strings.ReplaceAll(name, g.was, g.is))
}

// methods gives new names to the methods of a package's types that implement a generated interface. In unfinished code a type implements it
// as far as it has the methods.
func (g *goRename) methods(pkg *types.Package, info *types.Info, unfinished bool) {
	for _, of := range append([]*types.Package{pkg}, pkg.Imports()...) {
		for _, name := range of.Scope().Names() {
			declared, is := of.Scope().Lookup(name).(*types.TypeName)
			if !is || g.old[g.fset.Position(declared.Pos()).Filename] == nil || !types.IsInterface(declared.Type()) {
				continue
			}
			iface := declared.Type().Underlying().(*types.Interface)
			for m := range iface.Methods() {
				if to := g.names[g.place(m.Pos())]; to != "" {
					g.implementations(info, iface, m, to, unfinished)
				}
			}
		}
	}
}

// implementations gives the methods of types that implement an interface a new name.
func (g *goRename) implementations(info *types.Info, iface *types.Interface, m *types.Func, to string, unfinished bool) {
	for _, o := range info.Defs {
		t, is := o.(*types.TypeName)
		if !is || types.IsInterface(t.Type()) {
			continue
		}
		found, _, _ := types.LookupFieldOrMethod(t.Type(), true, m.Pkg(), m.Name())
		fn, is := found.(*types.Func)
		if is && (types.Implements(types.NewPointer(t.Type()), iface) || unfinished && types.Identical(fn.Type(), m.Type())) {
			g.names[g.place(fn.Origin().Pos())] = to
		}
	}
}

// rename adds the edits of a file: of each identifier whose declaration gets a new name.
func (g *goRename) rename(f goFile, info *types.Info, edits map[string][]edit) {
	ast.Inspect(f.tree, func(n ast.Node) bool {
		id, is := n.(*ast.Ident)
		if !is {
			return true
		}
		o := info.Uses[id]
		if o == nil {
			o = info.Defs[id]
		}
		if o == nil || !o.Pos().IsValid() {
			return true
		}
		pos := o.Pos()
		if v, is := o.(*types.Var); is {
			pos = v.Origin().Pos()
			if t := embeddedType(v); t != nil {
				pos = t.Pos()
			}
		} else if fn, is := o.(*types.Func); is {
			pos = fn.Origin().Pos()
		}
		if to := g.names[g.place(pos)]; to != "" && to != id.Name {
			at := g.fset.Position(id.Pos()).Offset
			edits[f.abs] = append(edits[f.abs], edit{at, at + len(id.Name), to})
		}
		return true
	})
}

// embeddedType returns the type that an embedded field has its name from, nil for any other variable.
func embeddedType(v *types.Var) *types.TypeName {
	if !v.Embedded() {
		return nil
	}
	t := v.Type()
	if p, is := t.(*types.Pointer); is {
		t = p.Elem()
	}
	switch t := t.(type) {
	case *types.Named:
		return t.Obj()
	case *types.Alias:
		return t.Obj()
	}
	return nil
}
