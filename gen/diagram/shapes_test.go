package diagram

import (
	"testing"

	"github.com/graphgen/graphgen/spec"
)

func TestEveryKindHasAShape(t *testing.T) {
	for _, kind := range spec.Kinds {
		if s := shapeOf(kind); s.open == "" || s.close == "" || s.dot == "" {
			t.Errorf("nodes of kind %s have no shape", kind.Name)
		}
	}
}
