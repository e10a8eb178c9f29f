package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/compat"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/shape"
)

// versions generates what brings threads of the releases of a durable graph to its machine, and stubs of the migrations
// that the author has not written.
func (f *folder) versions(s *source, m *plan.Machine) ([]golang.File, []golang.Stub, error) {
	if !m.Threads.Durable {
		return nil, nil, nil
	}
	lock, found, err := readLock(s.graph)
	if err != nil {
		return nil, nil, err
	}
	if lock != nil && lock.Last() != nil && lock.Graph.V != m.Name {
		found = diag.WithoutNotes(compat.Check(s.path, lock, shape.Of(s.flow)))
	}
	if len(found) > 0 {
		return nil, nil, fmt.Errorf("%s: %s", found[0].File, found[0].Message)
	}
	v := plan.LowerVersions(m, s.flow, lock)
	files, err := golang.EmitVersions(m, v)
	if err != nil || len(v.Migrations()) == 0 {
		return files, nil, err
	}
	stubs, err := golang.EmitStubs(m, v)
	if err != nil {
		return nil, nil, err
	}
	written := f.written()
	var missing []golang.Stub
	for _, stub := range stubs {
		if !written[stub.Type+"."+stub.Method] {
			missing = append(missing, stub)
		}
	}
	return files, missing, nil
}

// workflowRelease returns the release number that new workflows of the machine get: the number of the last release if the spec is as it was then, else
// the next one. It is 0 if no other engine drives the graph, or nothing is released.
func (s *source) workflowRelease() (int, error) {
	now := shape.CommandsOf(s.flow)
	if now == nil {
		return 0, nil
	}
	lock, found, err := readLock(s.graph)
	if err != nil {
		return 0, err
	}
	if len(found) > 0 {
		return 0, fmt.Errorf("%s: %s", found[0].File, found[0].Message)
	}
	last := lock.Last()
	switch {
	case last == nil || last.Shape.Commands == nil:
		return 0, nil
	case last.Shape.Commands.Equal(now):
		return last.Number.V, nil
	}
	return last.Number.V + 1, nil
}

// written returns the methods of the Go files that graphgen has not generated, after the names of their types.
func (f *folder) written() map[string]bool {
	methods := map[string]bool{}
	for _, g := range f.goFiles {
		if g.from != "" {
			continue
		}
		file, _ := parser.ParseFile(token.NewFileSet(), filepath.Join(f.dir, g.name), nil, parser.SkipObjectResolution)
		if file == nil {
			continue // the compiler reports it
		}
		for _, d := range file.Decls {
			method, ok := d.(*ast.FuncDecl)
			if !ok || method.Recv.NumFields() != 1 {
				continue
			}
			of := method.Recv.List[0].Type
			if p, ok := of.(*ast.StarExpr); ok {
				of = p.X
			}
			if name, ok := of.(*ast.Ident); ok {
				methods[name.Name+"."+method.Name.Name] = true
			}
		}
	}
	return methods
}
