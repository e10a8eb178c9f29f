// Package prelude holds the templates, patterns and skills that every spec has without a use. They are files of the
// spec language: a further one is a further file, or an entry of one. Package prelude has their types in Go.
package prelude

import (
	"embed"
	"io/fs"
	"path"
	"sync"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// Path is the import path of the Go package with the types of the prelude. A spec may name it under use.
const Path = "github.com/graphgen/graphgen/prelude"

// Name is what specs call the prelude.
const Name = "prelude"

//go:embed *.types.yaml scenarios/*.scenarios.yaml scenarios/*.jsonl
var files embed.FS

// Scenarios returns the scenarios of the example of a pattern, nil if it has none.
func Scenarios(pattern string) []byte {
	text, _ := files.ReadFile("scenarios/" + pattern + ".scenarios.yaml")
	return text
}

// Recording returns the recording that a scenario of the example of a pattern plays, nil if none does.
func Recording(pattern string) []byte {
	text, _ := files.ReadFile("scenarios/" + pattern + ".jsonl")
	return text
}

// Use returns the use of the prelude that every spec has. Its graphs are shared: nothing changes them.
func Use() *spec.Use {
	u := *loaded()
	return &u
}

var loaded = sync.OnceValue(func() *spec.Use {
	u, _ := Load(files, Path) // a test checks that there are no errors
	return u
})

// Load returns the use of the specs of a folder, whose Go types have an import path, and what is wrong with their form.
func Load(folder fs.FS, importPath string) (*spec.Use, []diag.Diagnostic) {
	u := &spec.Use{Name: spec.String{V: Name}, File: spec.String{V: importPath}}
	var found []diag.Diagnostic
	names, _ := fs.Glob(folder, "*"+spec.TypesSuffix)
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			continue
		}
		g, ds := spec.Load(path.Join(Name, name), text)
		found = append(found, ds...)
		if g == nil {
			continue
		}
		g.Import = importPath
		if u.Graph == nil {
			u.Graph = g
		} else {
			u.More = append(u.More, g)
		}
	}
	for _, g := range u.Graphs() {
		for _, inner := range g.Use {
			inner.Graph = fileOf(u, inner.File.V)
		}
	}
	return u, found
}

func fileOf(u *spec.Use, name string) *spec.Graph {
	for _, g := range u.Graphs() {
		if path.Base(g.File) == name {
			return g
		}
	}
	return nil
}
