package link

import (
	"maps"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// Packages reports uses that make Go packages import one another in a ring, though the files do
// not. It checks the given linked files together. Each ring is reported once, at the use that
// closes it.
func Packages(graphs []*spec.Graph) []diag.Diagnostic {
	imports := map[string]map[string]bool{}
	var found []diag.Diagnostic
	for _, g := range graphs {
		for _, u := range g.Use {
			to := u.ImportPath(g)
			if to == "" || imports[g.Import][to] {
				continue
			}
			if chain := importChain(imports, to, g.Import); chain != nil {
				found = append(found, diag.Diagnostic{
					Code: "GG139", File: g.File, Pos: u.File.Pos,
					Message: "the Go packages would import one another in a ring: " + strings.Join(append([]string{g.Import}, chain...), " → "),
					Help:    "put the types that they share into a folder of their own",
				})
				continue
			}
			if imports[g.Import] == nil {
				imports[g.Import] = map[string]bool{}
			}
			imports[g.Import][to] = true
		}
	}
	return diag.Sort(found)
}

// importChain returns the packages on a chain of imports, both ends included; nil without one.
func importChain(imports map[string]map[string]bool, from, to string) []string {
	before := map[string]string{from: ""}
	todo := []string{from}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if at == to {
			var chain []string
			for ; at != ""; at = before[at] {
				chain = append([]string{at}, chain...)
			}
			return chain
		}
		for _, next := range slices.Sorted(maps.Keys(imports[at])) {
			if _, seen := before[next]; !seen {
				before[next] = at
				todo = append(todo, next)
			}
		}
	}
	return nil
}
