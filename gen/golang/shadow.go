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

// Shadowed reports the declarations of the graph's package that leave no room for a package of the standard library that its generated
// files import, or for a name of the language that they use. The graph has no errors.
func Shadowed(flow *cfg.Graph) ([]diag.Diagnostic, error) {
	g := flow.Spec.Spec
	if len(g.Go.Shadows) == 0 {
		return nil, nil
	}
	files, err := Emit(plan.Lower(flow, "p"))
	if err != nil {
		return nil, err
	}
	needs := map[string]string{} // by the names, what they are
	for _, f := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Content, 0)
		if err != nil {
			return nil, err
		}
		for _, id := range tree.Unresolved { // by what the file declares or imports
			if slices.Contains(goname.WhereUsed, id.Name) {
				needs[id.Name] = "a name of the language Go"
			}
		}
		for _, i := range tree.Imports {
			name := ""
			if path, err := strconv.Unquote(i.Path.Value); err == nil {
				name = goname.Import(path)
			}
			if i.Name != nil {
				name = i.Name.Name
			}
			needs[name] = "the name of a package that it imports"
		}
	}
	var found []diag.Diagnostic
	for _, s := range g.Go.Shadows {
		if what := needs[s.Name]; what != "" {
			d := s.Refusal(what)
			d.Severity, d.File = diag.Error, g.File
			found = append(found, d)
		}
	}
	return found, nil
}
