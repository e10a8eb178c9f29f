package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/link"
)

// ofNodes matches the members that a machine has for its nodes and tools, whose names are NAME there, and for the nodes of
// graphs that it runs.
var ofNodes = regexp.MustCompile(`^((|ask|call|eval|fork|loop|map|pool|prompt|question|retry|run|say|sub|transact)NAME` +
	`(|Node|Out|Picker|Reply)|steps\d+|(Stream)?(Approve|Resume|Return).+)$`)

// TestMembers holds the tables of plan, whose names no node gets, to what the emitter writes: the fields and methods of all
// golden runs and machines are in them, or are named for a node or a tool.
func TestMembers(t *testing.T) {
	own := map[string]map[string]bool{"run": {}, "machine": {}}
	for _, file := range glob(t, "../../golden/*/*.graph.yaml") {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		g, _ := spec.Load(filepath.Base(file), source)
		if g == nil || g.TypesOnly() {
			continue
		}
		link.New(filepath.Dir(file), os.ReadFile, nil).Link(g)
		prefix := goname.Unexported(g.Name.V)
		names := []string{goname.Exported(g.Name.V), prefix} // the node of mode autonomous
		for _, u := range g.Use {
			names = append(names, u.Name.V)
		}
		for _, n := range g.Nodes {
			names = append(names, goname.Exported(n.Name.V), goname.Unexported(n.Name.V))
		}
		for _, tool := range g.Tools {
			names = append(names, goname.Exported(tool.Name.V))
		}
		for _, part := range glob(t, strings.TrimSuffix(file, ".graph.yaml")+"_*.go") {
			for kind, members := range membersOf(t, part, map[string]string{prefix + "Run": "run", goname.Exported(g.Name.V): "machine"}) {
				for _, member := range members {
					if !ofNode(member, names) {
						own[kind][member] = true
					}
				}
			}
		}
	}
	for kind, table := range map[string][]string{"run": plan.OfRun, "machine": plan.OfMachine} {
		if len(own[kind]) < 10 {
			t.Errorf("only %d members of the %s are found", len(own[kind]), kind)
		}
		for _, member := range slices.Sorted(maps.Keys(own[kind])) {
			if !slices.Contains(table, member) {
				t.Errorf("the %s has a member %s: add it to the table of package plan", kind, member)
			}
		}
		for _, member := range table {
			if !own[kind][member] {
				t.Errorf("no %s has a member %s: remove it from the table of package plan", kind, member)
			}
		}
	}
}

// ofNode reports whether a member is named for one of the names.
func ofNode(member string, names []string) bool {
	return ofNodes.MatchString(member) || slices.ContainsFunc(names, func(name string) bool {
		return ofNodes.MatchString(strings.Replace(member, name, "NAME", 1)) || strings.HasSuffix(member, name) &&
			ofNodes.MatchString(strings.TrimSuffix(member, name)+"NAME")
	})
}

// membersOf returns the fields and methods of types of a Go file.
func membersOf(t *testing.T, file string, kinds map[string]string) map[string][]string {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	members := map[string][]string{}
	for _, decl := range parsed.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				kind := kinds[typeName(d.Recv.List[0].Type)]
				members[kind] = append(members[kind], d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				typ, ok := s.(*ast.TypeSpec)
				if !ok {
					continue
				}
				fields, ok := typ.Type.(*ast.StructType)
				if !ok {
					continue
				}
				kind := kinds[typ.Name.Name]
				for _, f := range fields.Fields.List {
					if len(f.Names) == 0 {
						members[kind] = append(members[kind], typeName(f.Type))
					}
					for _, name := range f.Names {
						members[kind] = append(members[kind], name.Name)
					}
				}
			}
		}
	}
	delete(members, "")
	return members
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func glob(t *testing.T, pattern string) []string {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal(pattern, err)
	}
	return files
}
