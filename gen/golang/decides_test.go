package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// decides are the functions of this package that may look like decisions or names, with the reason.
var decides = map[string]string{
	"marshaler":  "the functions of package codec, by kind of type",
	"readInto":   "the functions of package codec, by kind of type",
	"writeValue": "the functions of package codec, by kind of type",
	"function":   "the functions of package codec, by kind of type",
	"listed":     "the functions of package codec, by kind of member",
	"shownTo":    "the methods of runtime.Question, by kind of type",
	"count":      "a text: one or several branches",
}

// TestEmitterDecidesNothing holds that package plan decides and names: no function here returns a bool for a
// part of a plan, and no expression here makes an identifier of parts.
func TestEmitterDecidesNothing(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range decisionsIn(file) {
			if _, ok := decides[f.of]; ok {
				used[f.of] = true
				continue
			}
			t.Errorf("%s: %s %s: this belongs in package plan", files.Position(f.pos), f.of, f.what)
		}
	}
	for name := range decides {
		if !used[name] {
			t.Errorf("%s decides nothing: remove it from the list", name)
		}
	}
}

// TestDecisionsAreFound holds what counts as a decision or a name.
func TestDecisionsAreFound(t *testing.T) {
	for source, want := range map[string]int{
		`func quiet(n *plan.Node) bool { return n.Soft }`:                  1,
		`func all(tests []plan.Test) bool { return len(tests) > 0 }`:       1,
		`func (e *emitter) quiet() bool { return e.m.Talks }`:              1,
		`func (c structCodec) quiet() bool { return c.Flag }`:              1,
		`func blank(r rune) bool { return r == ' ' }`:                      0,
		`func name(n *plan.Node) string { return "run" + n.GoName }`:       1,
		`func f(a, b string) *jen.Statement { return jen.Id(a + b) }`:      1,
		`func f(a, b string) *jen.Statement { return x().Dot("A" + b) }`:   1,
		`func doc(n *plan.Node) string { return n.GoName + " is a node" }`: 0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := decisionsIn(file); len(got) != want {
			t.Errorf("%s: found %v, want %d", source, got, want)
		}
	}
}

// A decision is a place where a function decides on a part of a plan, or makes a name.
type decision struct {
	of, what string
	pos      token.Pos
}

func decisionsIn(file *ast.File) (found []decision) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if onPlan(f) && returnsBool(f.Type) {
			found = append(found, decision{f.Name.Name, "is a predicate of a plan", f.Pos()})
		}
		ast.Inspect(f, func(n ast.Node) bool {
			sum, ok := n.(*ast.BinaryExpr)
			if ok && sum.Op == token.ADD && (affix(sum.X) || affix(sum.Y)) {
				found = append(found, decision{f.Name.Name, "makes a name", n.Pos()})
				return false
			}
			if call, ok := n.(*ast.CallExpr); ok && slices.Contains(naming, called(call)) && slices.ContainsFunc(call.Args, isSum) {
				found = append(found, decision{f.Name.Name, "makes a name", n.Pos()})
				return false
			}
			return true
		})
	}
	return found
}

// naming are the functions whose arguments are identifiers.
var naming = []string{"Id", "Dot", "Qual", "pipe"}

func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

func isSum(e ast.Expr) bool {
	sum, ok := e.(*ast.BinaryExpr)
	return ok && sum.Op == token.ADD
}

// identifier matches what can be a part of an identifier.
var identifier = regexp.MustCompile(`^\w+$`)

// affix reports whether an expression is a text that can be a part of an identifier.
func affix(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return false
	}
	text, err := strconv.Unquote(lit.Value)
	return err == nil && identifier.MatchString(text)
}

// onPlan reports whether a function has a plan, or an emitter of one, as receiver or parameter.
func onPlan(f *ast.FuncDecl) bool {
	fields := f.Type.Params.List
	if f.Recv != nil {
		fields = append(slices.Clone(fields), f.Recv.List...)
	}
	return slices.ContainsFunc(fields, func(field *ast.Field) bool {
		found := false
		ast.Inspect(field.Type, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && slices.Contains([]string{"plan", "emitter", "structCodec", "codecs"}, id.Name)
			return true
		})
		return found
	})
}

func returnsBool(f *ast.FuncType) bool {
	if f.Results == nil || len(f.Results.List) != 1 {
		return false
	}
	id, ok := f.Results.List[0].Type.(*ast.Ident)
	return ok && id.Name == "bool"
}
