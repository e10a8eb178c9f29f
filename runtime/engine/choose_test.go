package engine

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
)

func TestNoMatchLabels(t *testing.T) {
	g := &Graph{
		Name: "g", File: "g.graph.yaml", MaxSteps: 5, Nodes: []NodeInfo{{Name: "end"}, {Name: "a"}},
		Transitions: []TransitionInfo{
			{To: 1},
			{From: 1, Rule: graphgen.RuleEdge, Text: "if out.Good", Label: "good enough", Line: 3, Col: 5},
			{From: 1, Rule: graphgen.RuleEdge, Text: "if out.Bad", Line: 4, Col: 5},
		},
	}
	var r Run
	r.Start(t.Context(), g, &Frame{Counters: make([]uint32, 5)}, nil, nil)
	want := `→ end (g.graph.yaml:3:5) "good enough" if out.Good: not so; → end (g.graph.yaml:4:5) if out.Bad: not so`
	if err := r.NoMatch(); !strings.HasSuffix(err.Error(), want) {
		t.Errorf("the error is %q", err)
	}
}
