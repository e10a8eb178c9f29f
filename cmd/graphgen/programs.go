package main

import (
	"context"
	"path/filepath"
	"strconv"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/prelude"
)

// refusePrograms adds problems to uses of files in a folder with a program, which Go cannot import.
func (o *overlay) refusePrograms(ctx context.Context, g *spec.Graph) {
	for _, u := range g.Use {
		if u.ImportPath(g) == "" || u.File.V == prelude.Path {
			continue
		}
		f, err := o.readFolder(ctx, &selection{dir: filepath.Dir(u.Graph.File)})
		if err != nil {
			continue // reported when the folder itself is selected
		}
		name, _, err := f.writtenPackage(false)
		if name == "" && err == nil {
			name, _, err = f.writtenPackage(true)
		}
		if err == nil && name == "main" {
			u.Graph, u.Problem = nil, &spec.Problem{
				Code: "GG140", Message: "the file " + strconv.Quote(u.File.V) + " belongs to a program, package main, which cannot be imported",
				Help: "move the types into a file of a folder of its own",
			}
		}
	}
}
