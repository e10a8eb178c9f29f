package golden_test

import (
	"context"
	"os"
	"slices"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat/record"
	"github.com/graphgen/graphgen/golden/patterns"
)

type shelf struct{}

func (shelf) Search(context.Context, patterns.HelperSearchArgs) (string, error) { return "", nil }

// TestReportOfVisits holds that a report has what models and tools did in each visit of a node, as its path lists them.
func TestReportOfVisits(t *testing.T) {
	recording, err := os.ReadFile("patterns/helper.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	tape, err := record.Open(recording)
	if err != nil {
		t.Fatal(err)
	}
	m, err := patterns.NewHelper(shelf{}, tape.Model(nil))
	if err != nil {
		t.Fatal(err)
	}
	var report graphgen.Report
	if _, err = m.Run(t.Context(), patterns.HelperInput{Question: "do otters swim"}, record.Run(tape, nil), graphgen.WithReport(&report)); err != nil {
		t.Fatal(err)
	}
	want := []graphgen.StepDetail{{ModelCalls: 1, ToolCalls: 1}, {ModelCalls: 1}}
	for i := range report.Detail.Steps {
		s := &report.Detail.Steps[i]
		s.ModelTime, s.ToolTime = 0, 0
	}
	if got := report.Detail.Steps; !slices.Equal(got, want) {
		t.Errorf("the visits of %v are %+v", report.NodePath(), got)
	}
}
