package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// words are the types of a machine that the harness needs, as arguments of
// Script.Knows: variants of unions, and Go types with codec methods of their own.
func words(m *plan.Machine) (args []string, imports []resolve.Import) {
	seen := map[*resolve.Type]bool{}
	note := func(of string, t *resolve.Type) {
		if arg := "harness." + of + "[" + t.Go() + "]()"; !slices.Contains(args, arg) {
			args = append(args, arg)
			imports = append(imports, t.Imports()...)
		}
	}
	var walk func(t *resolve.Type)
	walk = func(t *resolve.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		walk(t.Elem)
		for _, f := range t.Fields {
			walk(f.Type)
		}
		for _, v := range t.Variants {
			note("Variant", v.Type)
			walk(v.Type)
		}
		if t.Kind == resolve.External {
			note("Opaque", t)
		}
	}
	walk(m.Types.State)
	for _, n := range m.Flow.Nodes {
		walk(n.Out)
	}
	for _, t := range m.Models.Tools {
		walk(t.Args)
		walk(t.Returns)
	}
	return args, imports
}

// signatures are the packages of the types that the handlers of a machine take and give.
func signatures(m *plan.Machine) (imports []resolve.Import) {
	for _, n := range m.Flow.Nodes {
		if n.Out != nil && (n.Kind.By != spec.ByModel || len(n.Checks.Guards) > 0) { // a model gives JSON
			imports = append(imports, n.Out.Imports()...)
		}
	}
	for _, merge := range m.Types.Merges {
		imports = append(imports, merge.Field.Type.Imports()...)
	}
	return imports
}

// importLines are the lines of an import declaration.
func importLines(imports []resolve.Import) string {
	var lines []string
	for _, i := range imports {
		lines = append(lines, fmt.Sprintf("\t%s %q\n", i.Name, i.Path))
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "")
}
