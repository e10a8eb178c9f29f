package repo_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
)

// Foreign code (handlers, tools, models, hooks, stores, methods of users' types and errors) may panic anywhere. These tests hold
// what that must not do: end the process from a goroutine of the runtime, or leave a lock held.

// recovers are functions that goroutines run without a recover of their own, and why that is enough.
var recovers = map[string]string{
	"runtime/engine Fork.take": "finish, which drives the branch, recovers",
}

// unlocks are functions that unlock without defer, and what they call in between.
var unlocks = map[string]string{
	"runtime/durable session.Once":               "reads the record of the run",
	"runtime/durable session.recall":             "reads a map with strings as keys",
	"runtime/durable transaction.end":            "sets a bool",
	"runtime/durable transaction.handle":         "holds the lock to the end of the transaction, which end releases by defer",
	"runtime/durable writer.next":                "appends without the lock, and takes it again by defer",
	"runtime/durable writer.settle":              "reads a number",
	"hooks Timing.add":                           "counts; a map with strings as keys",
	"runtime/engine Agent.releaseTools":          "counts",
	"runtime/engine ledger.reserveCall":          "counts",
	"runtime/engine ledger.releaseCall":          "counts",
	"runtime/engine ledger.reserveTools":         "counts",
	"runtime/engine ledger.addUsage":             "counts",
	"runtime/engine nesting.releaseCall":         "counts",
	"runtime/engine wrapping.callHook":           "reads a bool",
	"runtime/pipeline answerScope.PromptVersion": "reads a text",
	"runtime/pipeline answerScope.keepAnswer":    "keeps a pointer",
	"thread/filestore Store.Close":               "calls files alone",
	"thread/filestore Store.Copy":                "calls files alone",
	"thread/filestore Store.acquire":             "keeps a pointer",
}

func TestGoroutinesRecover(t *testing.T) {
	found := 0
	for _, p := range runtimePackages(t) {
		p.eachFunc(func(name string, fn *ast.FuncDecl) {
			ast.Inspect(fn, func(n ast.Node) bool {
				g, ok := n.(*ast.GoStmt)
				if !ok {
					return true
				}
				found++
				ran, body := p.ran(g)
				if body == nil || !p.catches(body) && recovers[p.dir+" "+ran] == "" {
					t.Errorf("%s: a goroutine of %s runs %s, which does not recover", p.fset.Position(g.Pos()), name, ran)
				}
				return true
			})
		})
	}
	if found < 5 {
		t.Errorf("%d go statements found", found)
	}
}

func TestLocksAreUnlockedByDefer(t *testing.T) {
	found, listed := 0, map[string]bool{}
	for _, p := range runtimePackages(t) {
		p.eachFunc(func(name string, fn *ast.FuncDecl) {
			ast.Inspect(fn, func(n ast.Node) bool {
				block, ok := n.(*ast.BlockStmt)
				if !ok {
					return true
				}
				for i, s := range block.List {
					of := calls(s, "Lock", "RLock")
					if of == "" {
						continue
					}
					found++
					if i+1 < len(block.List) && deferred(block.List[i+1]) == of {
						continue
					}
					key := p.dir + " " + name
					if listed[key] = true; unlocks[key] == "" {
						t.Errorf("%s: %s does not unlock by defer", p.fset.Position(s.Pos()), key)
					}
				}
				return true
			})
		})
	}
	for key := range unlocks {
		if !listed[key] {
			t.Errorf("%s is listed, and unlocks by defer", key)
		}
	}
	if found < 50 {
		t.Errorf("%d locks found", found)
	}
}

// A sourcePackage is a package that generated code may link.
type sourcePackage struct {
	dir   string
	fset  *token.FileSet
	funcs map[string]*ast.FuncDecl // by NAME or TYPE.NAME
}

func runtimePackages(t *testing.T) []*sourcePackage {
	t.Helper()
	var packages []*sourcePackage
	visit := func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || d.Name() == "testdata" {
			return err
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		p := &sourcePackage{dir: filepath.ToSlash(dir), fset: token.NewFileSet(), funcs: map[string]*ast.FuncDecl{}}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(p.fset, name, nil, 0)
			if err != nil {
				return err
			}
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
					p.funcs[receiverOf(fn)+fn.Name.Name] = fn
				}
			}
		}
		packages = append(packages, p)
		return err
	}
	for _, folder := range tempmodule.Runtime(t, ".") {
		if err := filepath.WalkDir(folder, visit); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.Stat(".")
	if err := errors.Join(err, visit(".", fs.FileInfoToDirEntry(root), nil)); err != nil {
		t.Fatal(err)
	}
	return packages
}

func (p *sourcePackage) eachFunc(do func(name string, fn *ast.FuncDecl)) {
	for name, fn := range p.funcs {
		do(name, fn)
	}
}

// ran returns the name and the body of what a go statement runs: a literal, or a function or method of the package.
func (p *sourcePackage) ran(g *ast.GoStmt) (what string, body *ast.BlockStmt) {
	found := false
	switch f := g.Call.Fun.(type) {
	case *ast.FuncLit:
		return "a function", f.Body
	case *ast.Ident:
		if fn := p.funcs[f.Name]; fn != nil {
			return f.Name, fn.Body
		}
	case *ast.SelectorExpr:
		name := f.Sel.Name
		if p.dir == "runtime/engine" && name == "work" {
			name = "take" // the value of that field
		}
		for key, fn := range p.funcs { // of any type: which one is not known, and names of such methods are rare
			if strings.HasSuffix(key, "."+name) && (!found || !p.catches(body)) {
				what, body, found = key, fn.Body, true
			}
		}
		if found {
			return what, body
		}
	}
	return "an unknown function", nil
}

// catches reports whether a body defers a recover: itself, or in a function of the package.
func (p *sourcePackage) catches(body *ast.BlockStmt) bool {
	for _, s := range body.List {
		d, ok := s.(*ast.DeferStmt)
		if !ok {
			continue
		}
		if hasRecover(d) {
			return true
		}
		if f, ok := d.Call.Fun.(*ast.SelectorExpr); ok {
			for key, fn := range p.funcs {
				if strings.HasSuffix(key, "."+f.Sel.Name) && hasRecover(fn.Body) {
					return true
				}
			}
		}
	}
	return false
}

func hasRecover(n ast.Node) (has bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "recover" {
				has = true
			}
		}
		return true
	})
	return has
}

// calls returns what a statement locks, if it is a call of a method of one of these names.
func calls(s ast.Stmt, names ...string) string {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return ""
	}
	return locked(e.X, names...)
}

func deferred(s ast.Stmt) string {
	d, ok := s.(*ast.DeferStmt)
	if !ok {
		return ""
	}
	return locked(d.Call, "Unlock", "RUnlock")
}

func locked(e ast.Expr, names ...string) string {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return ""
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	for _, name := range names {
		if f.Sel.Name == name {
			return text(f.X)
		}
	}
	return ""
}

func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return text(e.X) + "." + e.Sel.Name
	case *ast.CallExpr:
		return text(e.Fun) + "()"
	}
	return "?"
}

func receiverOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	e := fn.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.Ident:
			return x.Name + "."
		default:
			return "?."
		}
	}
}
