// Package dialect lists the foreign formats that graph specs are imported from. Each is a package of its own, in a
// folder below, and a row here.
package dialect

import (
	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/dialect/langgraphgen"
	"github.com/graphgen/graphgen/spec/dialect/reasoning"
	"github.com/graphgen/graphgen/spec/dialect/workflow"
)

// All are the dialects, by name.
var All = []draft.Dialect{
	langgraphgen.Dialect,
	reasoning.Dialect,
	workflow.Dialect,
}

// Find returns the dialect of a name, nil if it does not exist.
func Find(name string) *draft.Dialect {
	for i := range All {
		if All[i].Name == name {
			return &All[i]
		}
	}
	return nil
}

// Names returns the names of the dialects.
func Names() []string {
	names := make([]string, len(All))
	for i := range All {
		names[i] = All[i].Name
	}
	return names
}
