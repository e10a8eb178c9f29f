package gotag

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/input"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Config selects the graphs to read.
type Config struct {
	Dir       string   // of the package
	Files     []string // names of files that may hold graphs
	Generated []string // names of generated files, which are ignored
	Without   []string // graphs that are left out, as review.go#triage

	Read func(path string, most int64) ([]byte, error) // reads the files of the package; nil: input.Read
}

// read reads a file of the package.
func (c *Config) read(path string) ([]byte, error) {
	if c.Read != nil {
		return c.Read(path, input.MaxGo)
	}
	return input.Read(path, input.MaxGo)
}

// Load reads the graphs in the files of a package, and returns the diagnostics.
// Graphs come in the order of their files' names, and of their places there.
//
// The package need not compile: what is generated for the graphs is not there yet. Only what
// the graphs refer to has to be. The error is one of I/O.
func Load(ctx context.Context, cfg Config) ([]*spec.Graph, []diag.Diagnostic, error) {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, nil, err
	}
	p := &pkg{fset: token.NewFileSet(), foreign: &foreign{ctx: ctx, dir: dir, known: map[string]*foreignPackage{}}}
	trees, err := p.load(ctx, &cfg, dir)
	if err != nil {
		return nil, nil, err
	}
	files := slices.Sorted(slices.Values(cfg.Files))
	found, err := clauses(cfg, dir)
	if err != nil {
		return nil, nil, err
	}
	var held []*goFile
	for name, tree := range trees {
		if slices.Contains(cfg.Generated, name) {
			continue
		}
		text, err := cfg.read(filepath.Join(dir, name))
		if err != nil {
			return nil, nil, err
		}
		p.add(newSource(filepath.Join(cfg.Dir, name), text), tree)
	}
	for _, name := range files {
		i := slices.IndexFunc(p.files, func(f *goFile) bool { return base(f.src.path) == name })
		text, err := cfg.read(filepath.Join(dir, name))
		if err != nil {
			return nil, nil, err
		}
		src := newSource(filepath.Join(cfg.Dir, name), text)
		if d, ok := unparsed(src); ok {
			found = append(found, d)
		} else if i < 0 {
			if _, bad := badConstraint(src); !bad { // reported by clauses
				found = append(found, leftOut(src))
			}
		} else {
			held = append(held, p.files[i])
		}
	}
	graphs, more := p.read(held, cfg.Without)
	return graphs, append(found, more...), nil
}

// LoadSource reads the graphs of one file as a package of its own.
func LoadSource(file string, text []byte) ([]*spec.Graph, []diag.Diagnostic) {
	src := newSource(file, text)
	if d, ok := unparsed(src); ok {
		return nil, []diag.Diagnostic{d}
	}
	if d, ok := badConstraint(src); ok {
		return nil, []diag.Diagnostic{d}
	}
	if !belongs(file, text) {
		return nil, []diag.Diagnostic{leftOut(src)}
	}
	p := &pkg{fset: token.NewFileSet()}
	tree, err := parser.ParseFile(p.fset, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil // reported by unparsed
	}
	if tree.Name.Name == "_" {
		return nil, []diag.Diagnostic{nameless(src, src.pos(p.offset(tree.Name.Pos()), p.offset(tree.Name.End())))}
	}
	p.add(src, tree)
	return p.read(p.files, nil)
}

// belongs reports whether a file belongs to the package on this system, by its constraints and its
// name.
func belongs(name string, text []byte) bool {
	here := build.Default
	here.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	fits, err := here.MatchFile("", filepath.Base(name))
	return err != nil || fits
}

func leftOut(src *source) diag.Diagnostic {
	return diag.Diagnostic{Code: "GG160", File: src.path, Pos: firstGraph(src),
		Message: "the file does not belong to the package, so its graph is not compiled",
		Help:    "a build constraint, or the file's name, leaves the file out"}
}

// unparsed returns the first syntax error of a file.
func unparsed(src *source) (diag.Diagnostic, bool) {
	_, err := parser.ParseFile(token.NewFileSet(), src.path, src.text, parser.ParseComments|parser.SkipObjectResolution)
	var list scanner.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return diag.Diagnostic{}, false
	}
	return notGo(src, list[0]), true
}

func notGo(src *source, err *scanner.Error) diag.Diagnostic {
	return diag.Diagnostic{Code: "GG159", File: src.path, Pos: src.pos(err.Pos.Offset, err.Pos.Offset+1),
		Message: "the file is not Go: " + err.Msg, Help: "mend the file first: the graph cannot be read before"}
}

var graphComment = regexp.MustCompile(`(?m)^[ \t]*(//graphgen:graph)`)

// firstGraph returns the position of the file's first graph.
func firstGraph(src *source) spec.Pos {
	if m := graphComment.FindStringSubmatchIndex(src.text); m != nil {
		return src.pos(m[2], m[3])
	}
	return src.pos(0, 0)
}

// A pkg is a Go package as far as graphs may refer to it.
type pkg struct {
	steps    int // identifiers examined for closures, and settings for duplicates; for tests
	fset     *token.FileSet
	files    []*goFile
	types    map[string]*typeDecl
	funcs    map[string]*funcDecl
	methods  map[string][]*funcDecl
	names    map[string]ast.Node // declarations by name
	declared map[string]bool     // the keys of names
	checked  *types.Package
	texts    *lengths
	aliases  int      // aliases being followed
	foreign  *foreign // other packages; nil without a module
}

// A goFile is a file of the package.
type goFile struct {
	src     *source
	tree    *ast.File
	imports map[string]string // import paths by name in the file
	dots    []string          // paths of dot imports
}

type typeDecl struct {
	spec *ast.TypeSpec
	doc  *ast.CommentGroup
	file *goFile
}

type funcDecl struct {
	tree *ast.FuncDecl
	file *goFile
}

// load parses the package's files, by name. Without a package known to the go command, as outside a
// module, all files of the directory are one.
func (p *pkg) load(ctx context.Context, cfg *Config, dir string) (map[string]*ast.File, error) {
	without, remove, err := overlayOf(dir, cfg.Generated)
	if err != nil {
		return nil, err
	}
	defer remove()
	names := list(ctx, dir, ".", without)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	trees := map[string]*ast.File{}
	for _, file := range names {
		if filepath.Dir(file) != dir {
			continue
		}
		tree, err := p.parse(cfg, file)
		if tree != nil && (err == nil || tree.Name != nil) {
			trees[base(file)] = tree
		}
	}
	if len(trees) > 0 {
		return trees, nil
	}
	return trees, p.parseDir(cfg, dir, trees)
}

// parse parses a file of the package.
func (p *pkg) parse(cfg *Config, file string) (*ast.File, error) {
	text, err := cfg.read(file)
	if err != nil {
		return nil, err
	}
	return parser.ParseFile(p.fset, file, text, parser.ParseComments|parser.SkipObjectResolution)
}

// parseDir parses the files of a directory that belong to the package, without generated ones.
func (p *pkg) parseDir(cfg *Config, dir string, trees map[string]*ast.File) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || slices.Contains(cfg.Generated, name) {
			continue
		}
		if fits, err := build.Default.MatchFile(dir, name); err != nil || !fits {
			continue
		}
		tree, err := p.parse(cfg, filepath.Join(dir, name))
		if tree != nil && err == nil {
			trees[name] = tree
		}
	}
	return nil
}

// add adds a file to the package.
func (p *pkg) add(src *source, tree *ast.File) {
	f := &goFile{src: src, tree: tree}
	f.readImports()
	p.files = append(p.files, f)
	slices.SortFunc(p.files, func(a, b *goFile) int { return cmp.Compare(a.src.path, b.src.path) })
}

// readImports collects the imports of the file.
func (f *goFile) readImports() {
	f.imports = map[string]string{}
	for _, i := range f.tree.Imports {
		to, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			continue
		}
		name := goname.Import(to)
		if i.Name != nil {
			name = i.Name.Name
		} else if to == strings.TrimSuffix(kernelResult, ".Result") {
			name = "graphgen"
		}
		if name == "." {
			f.dots = append(f.dots, to)
			continue
		}
		f.imports[name] = to
	}
}

// read reads the graphs of some of the package's files, without some graphs.
func (p *pkg) read(files []*goFile, without []string) ([]*spec.Graph, []diag.Diagnostic) {
	p.index()
	var list []*spec.Graph
	var found []diag.Diagnostic
	for _, f := range files {
		graphs, ds := p.graphs(f)
		list, found = append(list, graphs...), append(found, ds...)
	}
	list = slices.DeleteFunc(list, func(g *spec.Graph) bool { return slices.Contains(without, base(g.File)+"#"+g.Name.V) })
	share(list)
	if sources := p.closure(list); len(sources) > 0 {
		for _, g := range list {
			g.Go.Sources = sources
		}
	}
	return list, diag.Sort(found)
}

// index collects the declarations of the package.
func (p *pkg) index() {
	p.types, p.funcs = map[string]*typeDecl{}, map[string]*funcDecl{}
	p.methods, p.names = map[string][]*funcDecl{}, map[string]ast.Node{}
	for _, f := range p.files {
		for _, d := range f.tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name != "_" {
					p.funcs[d.Name.Name] = &funcDecl{d, f}
					p.names[d.Name.Name] = d.Name
				} else if name := receiver(d); d.Recv != nil && name != "" {
					p.methods[name] = append(p.methods[name], &funcDecl{d, f})
				}
			case *ast.GenDecl:
				p.indexDecl(d, f)
			}
		}
	}
	delete(p.types, "_")
	delete(p.names, "_")
	p.declared = make(map[string]bool, len(p.names))
	for name := range p.names {
		p.declared[name] = true
	}
}

func (p *pkg) indexDecl(d *ast.GenDecl, f *goFile) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			doc := s.Doc
			if doc == nil && len(d.Specs) == 1 {
				doc = d.Doc
			}
			p.types[s.Name.Name] = &typeDecl{s, doc, f}
			p.names[s.Name.Name] = s.Name
		case *ast.ValueSpec:
			for _, n := range s.Names {
				p.names[n.Name] = n
			}
		}
	}
}

// receiver returns the receiver type of a method.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// scope type-checks the package for the values of constants. It ignores errors.
func (p *pkg) scope() *types.Scope {
	if p.checked == nil {
		conf := types.Config{Error: func(error) {}, Importer: noImports{}, FakeImportC: true, IgnoreFuncBodies: true}
		var trees []*ast.File
		for _, f := range p.files {
			trees = append(trees, f.tree)
		}
		p.checked, _ = conf.Check("graph", p.fset, trees, nil) // generated code is missing, so errors are expected
	}
	return p.checked.Scope()
}

// noImports finds no package. Constants of enums need none.
type noImports struct{}

func (noImports) Import(path string) (*types.Package, error) {
	return nil, fmt.Errorf("package %s is not loaded", path)
}

func (p *pkg) offset(pos token.Pos) int { return p.fset.PositionFor(pos, false).Offset }

// order returns a sort key of a position: by file, then by offset.
func (p *pkg) order(pos token.Pos) string {
	at := p.fset.PositionFor(pos, false)
	return fmt.Sprintf("%s:%09d", at.Filename, at.Offset)
}

func (p *pkg) funcNames() []string { return slices.Sorted(maps.Keys(p.funcs)) }

func base(file string) string { return filepath.Base(file) }

// share assigns what existing types lack to the first graph that uses them. That graph generates
// the codecs for all.
func share(graphs []*spec.Graph) {
	owner, needed := map[string]*spec.GoType{}, map[string]resolve.Codec{}
	claim := func(t *spec.GoType) {
		switch {
		case t == nil:
		case owner[t.Name] == nil:
			owner[t.Name] = t
		default:
			t.Elsewhere = true
		}
	}
	for _, g := range graphs {
		for t, codec := range resolve.Resolve(g).Codecs() {
			if t.Own != nil {
				needed[t.Own.Name] |= codec
			}
		}
		for _, d := range g.Types {
			claim(d.Go)
		}
	}
	for _, g := range graphs {
		claim(g.Go.State) // a state may be a type of another graph, which is read completely
	}
	for name, t := range owner {
		t.Codec = uint8(needed[name])
	}
}
