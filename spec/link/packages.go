package link

import (
	"maps"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// Packages finds uses by which Go packages would import one another in a ring, though the
// files do not: one file of each uses the other's. It judges the linked files it is given
// together; each ring is told once, at the use that closes it.
func Packages(graphs []*spec.Graph) []diag.Diagnostic {
	imports := map[string]map[string]bool{}
	var found []diag.Diagnostic
	for _, g := range graphs {
		for _, u := range g.Use {
			to := u.ImportPath(g)
			if to == "" || imports[g.Import][to] {
				continue
			}
			if way := wayBetween(imports, to, g.Import); way != nil {
				found = append(found, diag.Diagnostic{
					Code: "GG139", File: g.File, Pos: u.File.Pos,
					Message: "the Go packages would import one another in a ring: " + strings.Join(append([]string{g.Import}, way...), " → "),
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

// wayBetween returns the packages by way of which one imports another, both included; nil
// if it does not.
func wayBetween(imports map[string]map[string]bool, from, to string) []string {
	before := map[string]string{from: ""}
	todo := []string{from}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if at == to {
			var way []string
			for ; at != ""; at = before[at] {
				way = append([]string{at}, way...)
			}
			return way
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
