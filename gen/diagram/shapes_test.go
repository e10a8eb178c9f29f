package diagram

import (
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/flowchart"
	"github.com/graphgen/graphgen/spec"
)

func TestEveryKindHasAShape(t *testing.T) {
	for _, kind := range spec.Kinds {
		if shape := plan.ShapeOf(kind); flowchart.Shapes[shape][0] == "" {
			t.Errorf("nodes of kind %s have the shape %q, which Mermaid has not", kind.Name, shape)
		}
	}
}
