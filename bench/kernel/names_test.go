package kernel

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const folder = "../.."

// exported returns the constants, variables, functions and types that package graphgen exports.
func exported(t *testing.T) (names []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	add := func(ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() {
				names = append(names, id.Name)
			}
		}
	}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".go" || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, entry.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					add(d.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						add(s.Name)
					case *ast.ValueSpec:
						add(s.Names...)
					}
				}
			}
		}
	}
	return names
}

// depends are the packages that package graphgen needs, without the internal ones of the standard library and of this module. The last two
// lines are for the JSON of events and reports.
var depends = strings.Fields(`
	cmp context errors io iter maps math math/bits math/rand/v2 path slices strconv strings sync sync/atomic syscall
	time unicode unicode/utf8 unsafe runtime github.com/graphgen/graphgen github.com/graphgen/graphgen/chat github.com/graphgen/graphgen/mutation
	bytes encoding/base64 regexp regexp/syntax sort unicode/utf16 github.com/go-json-experiment/json/jsontext
	github.com/graphgen/graphgen/runtime/chatjson github.com/graphgen/graphgen/runtime/codec`)

// TestDependencies holds that package graphgen needs no package besides those.
func TestDependencies(t *testing.T) {
	exported(t) // reads the files, so that go test does not take the result from its cache after a change
	out, err := exec.Command("go", "list", "-deps", "github.com/graphgen/graphgen").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		if !slices.Contains(strings.Split(path, "/"), "internal") && !slices.Contains(depends, path) {
			t.Errorf("package graphgen needs %s", path)
		}
	}
}
