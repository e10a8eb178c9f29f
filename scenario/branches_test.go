package scenario_test

import (
	"testing"

	"github.com/graphgen/graphgen/scenario"
)

func TestFailingBranchScenarios(t *testing.T) {
	sum, out := run(t, scenario.Config{Dir: module(t, "branches"), Files: []string{"branches/survey.scenarios.yaml"}})
	if sum.OK() || sum.Passed != 1 || sum.Failed != 5 {
		t.Errorf("OK is %t with %d passed and %d failed", sum.OK(), sum.Passed, sum.Failed)
	}
	golden(t, "testdata/branches/survey.txt", out)
}

func TestBranchMistakes(t *testing.T) {
	mistakes(t, "testdata/branches", "survey.graph.yaml")
}
