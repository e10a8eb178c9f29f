package mutation

import (
	"context"
	"strings"
	"testing"

	graphrt "github.com/graphgen/graphgen/runtime"
)

func TestTheDiagramOfARunHasNeitherTemplatesNorWhatTheyRun(t *testing.T) {
	m, err := NewMutation(asker{})
	if err != nil {
		t.Fatal(err)
	}
	var report graphrt.Report
	ctx := context.WithValue(t.Context(), wishKey{}, wish{asks: once(MutationAddCheck("look", MutationGather, MutationReview))})
	if _, err := m.Run(ctx, MutationInput{}, graphrt.ReportTo(&report)); err != nil {
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
