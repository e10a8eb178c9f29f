package diagram

import (
	"testing"

	"github.com/graphgen/graphgen/runtime/flowchart"
	"github.com/graphgen/graphgen/spec"
)

func TestEveryKindHasAShape(t *testing.T) {
	for _, kind := range spec.Kinds {
		if flowchart.Shapes[kind.Name][0] == "" || dotShapes[kind.Name] == "" {
			t.Errorf("nodes of kind %s have no shape", kind.Name)
		}
	}
}
