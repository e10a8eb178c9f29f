package mutation

import (
	"context"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/mutation"
)

func TestDiagramTemplates(t *testing.T) {
	m, err := NewMutation(asker{})
	if err != nil {
		t.Fatal(err)
	}
	var report graphgen.Report
	ctx := context.WithValue(t.Context(), wishKey{}, wish{asks: once(MutationAddCheck("look", MutationGather, MutationReview))})
	if _, err := m.Run(ctx, MutationInput{}, graphgen.WithReport(&report)); err != nil {
		t.Fatal(err)
	}
	diagram := report.Diagram()
	for _, name := range []string{"check", "both", "left", "right"} {
		if strings.Contains(diagram, `["`+name+`"]`) {
			t.Errorf("the diagram has %s:\n%s", name, diagram)
		}
	}
	for _, name := range []string{"plan", "look", "publish"} {
		if !strings.Contains(diagram, `["`+name+`"]`) {
			t.Errorf("the diagram lacks %s:\n%s", name, diagram)
		}
	}
}

func TestDiagramRemovals(t *testing.T) {
	m, err := NewMutation(asker{})
	if err != nil {
		t.Fatal(err)
	}
	diagram := func(changes ...mutation.Change) string {
		t.Helper()
		var report graphgen.Report
		ctx := context.WithValue(t.Context(), wishKey{}, wish{asks: once(changes...)})
		if _, err := m.Run(ctx, MutationInput{}, graphgen.WithReport(&report)); err != nil {
			t.Fatal(err)
		}
		for _, c := range report.Mutations {
			if c.Refused != "" {
				t.Fatalf("%s: %s", c.Text, c.Refused)
			}
		}
		return report.Diagram()
	}
	before := diagram()
	for _, line := range []string{"    n3 -.-> n4\n", "    n2 -.-> n3\n", "    linkStyle 8 "} {
		if !strings.Contains(before, line) {
			t.Errorf("the graph lacks %q:\n%s", line, before)
		}
	}
	gone := diagram(MutationRemoveNode(MutationGather))
	if strings.Contains(gone, "n2") || !strings.Contains(gone, "    n1 -.-> n3\n") || !strings.Contains(gone, "    linkStyle 7 ") {
		t.Errorf("gather is there:\n%s", gone)
	}
	if closed := diagram(MutationRemoveEdge(MutationReview, MutationDraft)); strings.Contains(closed, "n4 -->|\"out.Score #60; 2") {
		t.Errorf("the edge is there:\n%s", closed)
	}
}
