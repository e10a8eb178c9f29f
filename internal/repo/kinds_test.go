package repo_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
)

// TestKindTraits holds that no code compares the name of a kind: spec.Kind has traits to ask for.
func TestKindTraits(t *testing.T) {
	for _, top := range []string{"spec", "gen", "scenario", "cmd"} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			for _, at := range kindNames(file) {
				t.Errorf("%s: the name of a kind is compared", files.Position(at))
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// kindNames returns the places of a file where something with the name Kind, or its Name or V, is compared with
// the name of a kind.
func kindNames(file *ast.File) (places []token.Pos) {
	isName := func(x ast.Expr) bool {
		lit, ok := x.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return false
		}
		name, err := strconv.Unquote(lit.Value)
		return err == nil && slices.Contains(spec.Names(spec.Kinds), name)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && (ofKind(n.X) && isName(n.Y) || ofKind(n.Y) && isName(n.X)) {
				places = append(places, n.Pos())
			}
		case *ast.SwitchStmt:
			for _, s := range n.Body.List {
				if clause := s.(*ast.CaseClause); n.Tag != nil && ofKind(n.Tag) && slices.ContainsFunc(clause.List, isName) {
					places = append(places, clause.Pos())
				}
			}
		}
		return true
	})
	return places
}

// ofKind reports whether an expression ends in Kind, Kind.Name or Kind.V.
func ofKind(x ast.Expr) bool {
	s, ok := x.(*ast.SelectorExpr)
	if ok && (s.Sel.Name == "Name" || s.Sel.Name == "V") {
		return ofKind(s.X)
	}
	if id, is := x.(*ast.Ident); is {
		return strings.EqualFold(id.Name, "kind")
	}
	return ok && s.Sel.Name == "Kind"
}

func TestKindNames(t *testing.T) {
	const source = `package p
func f() {
	_ = n.Kind == "loop" || "map" != n.Spec.Kind.V
	_ = n.Kind.Name == "other" || n.Title == "loop" || kind == "guard"
	switch n.Kind.Name {
	case "loop", "x":
	case "y":
	}
	switch n.Title {
	case "loop":
	}
}`
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, at := range kindNames(file) {
		lines = append(lines, fmt.Sprint(files.Position(at).Line))
	}
	if got := strings.Join(lines, " "); got != "3 3 4 6" {
		t.Errorf("the name of a kind is compared on lines %s, want 3 3 4 6", got)
	}
}
