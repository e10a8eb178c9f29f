package golang

import (
	"go/parser"
	"go/token"
	"slices"
	"strconv"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
)

// Shadowed reports the declarations of the graph's package that leave no room for a package
// of the standard library that its generated files import. The graph has no errors.
func Shadowed(flow *cfg.Graph) ([]diag.Diagnostic, error) {
	g := flow.Spec.Spec
	if len(g.Go.Shadows) == 0 {
		return nil, nil
	}
	files, err := Emit(plan.Lower(flow, "p"))
	if err != nil {
		return nil, err
	}
	var imported []string
	for _, f := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Content, parser.ImportsOnly)
		if err != nil {
			return nil, err
		}
		for _, i := range tree.Imports {
			name := ""
			if path, err := strconv.Unquote(i.Path.Value); err == nil {
				name = goname.Import(path)
			}
			if i.Name != nil {
				name = i.Name.Name
			}
			imported = append(imported, name)
		}
	}
	var found []diag.Diagnostic
	for _, s := range g.Go.Shadows {
		if slices.Contains(imported, s.Name) {
			d := s.Refusal("the name of a package that it imports")
			d.Severity, d.File = diag.Error, g.File
			found = append(found, d)
		}
	}
	return found, nil
}
