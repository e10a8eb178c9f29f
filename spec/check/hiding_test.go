package check_test

import (
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/resolve"
)

// ofEveryType is a graph whose tools, questions and judges look at lists of a type.
const ofEveryType = `graph: g
entry: ask
types:
  Item: {name: string, tags: "[]string"}
  Kind: {enum: [low, high]}
tools:
  find: {doc: finds some, args: {like: Item, kinds: "[]Kind"}, returns: "[]Item", client: true}
  keep: {doc: keeps some, args: {like: Item, kinds: "[]Kind"}, returns: "[]Item", approve: true}
state: {items: "[]Item", kind: Kind, note: string}
input: [items, kind]
output: [note]
nodes:
  ask:
    kind: prompt
    instructions: Help.
    reads: [items, kind]
    tools: [find, keep]
    writes: note
    evals:
      fits: {judge: it fits, reads: [items]}
  look:
    reads: [items]
    output: {kind: Kind, items: "[]Item"}
    writes: [kind, items]
edges:
  - {from: ask, to: look, if: "evals.Fits && state.Kind == KindLow"}
  - {from: ask, to: look, when: there are more, reads: [items]}
  - {from: ask, to: end}
  - {from: look, to: ask, on_output: {kind: low}, max_iterations: 2}
  - {from: look, to: end, if: "out.Kind != KindHigh"}
  - {from: look, to: end}
`

// TestHidingVariables finds the variables of generated code in whose scopes it refers to types that a graph declares, or that are of a
// package that it uses. No package may have such a name, and no type in Go.
func TestHidingVariables(t *testing.T) {
	c := newCompiler(t)
	hidden := func(list func(name string) bool, what string, hiders map[string]string) {
		for _, name := range slices.Sorted(maps.Keys(hiders)) {
			if name == strings.ToLower(name) && !list(name) { // else an author has named it, and no package is called so
				t.Errorf("a variable %s hides a %s of that name: %s", name, what, hiders[name])
			}
		}
	}
	types := func(name string) bool { return slices.Contains(goname.Hiding, name) }
	found := map[string]bool{}
	graph := func(file, text string) {
		for _, more := range []string{"", "durable: true\nserve: true\n", "codecs: all\ndurable: true\ndrivers: [temporal]\n"} {
			flow := linked(t, file, text+"\n"+more)
			if flow == nil {
				continue
			}
			all, others := c.hiders(t, flow)
			hidden(types, "type", all)
			hidden(goname.Local, "package", others)
			for name := range all {
				found[name] = true
			}
		}
	}
	graph("g.graph.yaml", ofEveryType)
	files := slices.Concat(glob(t, "../../golden/*/*.graph.yaml"), glob(t, "../../testdata/specs/valid/*.graph.yaml"))
	for _, file := range slices.Concat(glob(t, "../../contrib/temporal/temporaltest/*.graph.yaml"), tier.Some(t, 20, 100, files)) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		graph(file, string(text))
	}
	if len(found) < 20 {
		t.Errorf("only %d variables were found: %v", len(found), found)
	}
}

// linked returns a graph with the files that it uses, nil if anything is wrong with it.
func linked(t *testing.T, file, text string) *cfg.Graph {
	g, found := spec.Load(file, []byte(text))
	if g == nil || diag.HasErrors(found) {
		return nil
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	link.New(here, os.ReadFile, nil).Link(g)
	flow := cfg.Of(g)
	if diag.HasErrors(check.Run(flow)) {
		return nil
	}
	return flow
}

// hiders returns the variables in whose scopes the code of a graph refers to what it declares, or to other packages, each with a place.
// Others are those in whose scopes it does so beyond the methods of the type itself: what it refers to could be of another package.
func (c *compiler) hiders(t *testing.T, flow *cfg.Graph) (all, others map[string]string) {
	files, err := golang.Emit(plan.Lower(flow, "p"))
	if err != nil {
		t.Fatal(err)
	}
	var parsed []*ast.File
	for _, f := range files {
		file, err := parser.ParseFile(c.files, f.Name, f.Content, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: c.imports, Error: func(error) {}} // other packages of the module are missing
	pkg, _ := config.Check("p", c.files, parsed, &info)
	declared := declaredBy(flow.Spec)
	all, others = map[string]string{}, map[string]string{}
	for _, file := range parsed {
		for _, decl := range file.Decls {
			receiver := ""
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				receiver = strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*")
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				id, _ := n.(*ast.Ident)
				of := info.Uses[id]
				if id == nil || of == nil || !isForeign(of) && (of.Parent() != pkg.Scope() || !declared[id.Name]) {
					return true
				}
				for s := pkg.Scope().Innermost(id.Pos()); s != nil && s.Parent() != pkg.Scope(); s = s.Parent() {
					for _, name := range s.Names() {
						if in, _ := s.LookupParent(name, id.Pos()); in != s {
							continue // it is declared below
						}
						all[name] = c.files.Position(id.Pos()).String() + ": " + id.Name
						if id.Name != receiver {
							others[name] = all[name]
						}
					}
				}
				return true
			})
		}
	}
	return all, others
}

// isForeign reports whether an object is a package that the author uses.
func isForeign(of types.Object) bool {
	name, is := of.(*types.PkgName)
	return is && !slices.Contains(goname.Imported, name.Name()) && !slices.Contains(goname.Standard, name.Name())
}

// declaredBy returns the names of what a graph declares that a graph in Go, or another file, may declare instead.
func declaredBy(g *resolve.Graph) map[string]bool {
	names := map[string]bool{g.State.GoName: true}
	add := func(t *resolve.Type) {
		names[t.GoName] = true
		for _, v := range t.Values {
			names[v.Const] = true
		}
		if t.Kind == resolve.Union {
			of := plan.NamesOf(t)
			names[of.Encode], names[of.Decode], names[of.Schema] = true, true, true
		}
	}
	for _, t := range g.Types {
		add(t)
	}
	for _, n := range g.All() {
		if n.Out != nil {
			add(n.Out)
		}
	}
	return names
}
