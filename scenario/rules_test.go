package scenario_test

import (
	"path/filepath"
	"testing"

	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec/diag"
)

// diagnose returns what is wrong with a scenario file of a graph. No scenario is run.
func diagnose(t *testing.T, graph, scenarios string) []diag.Diagnostic {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "review.graph.yaml"), graph)
	write(t, filepath.Join(dir, "review.scenarios.yaml"), scenarios)
	sum, err := scenario.Test(t.Context(), scenario.Config{Dir: dir, Files: []string{"review.graph.yaml"}, Run: "^$"})
	if err != nil {
		t.Fatal(err)
	}
	return sum.Diagnostics
}

func TestEveryRuleHoldsItsExamples(t *testing.T) {
	for i, rule := range scenario.Rules() {
		t.Run(rule.Name, func(t *testing.T) {
			if i > 0 && rule.Code <= scenario.Rules()[i-1].Code {
				t.Errorf("code %s comes after %s", rule.Code, scenario.Rules()[i-1].Code)
			}
			if found := diagnose(t, scenario.RuleSpec, rule.Bad); len(found) != 1 || found[0].Code != rule.Code {
				t.Errorf("the bad example yields %v", found)
			}
			if found := diagnose(t, scenario.RuleSpec, rule.Good); len(found) > 0 {
				t.Errorf("the good example yields %v", found)
			}
		})
	}
}
