package spec_test

import (
	"fmt"
	"testing"

	"github.com/graphgen/graphgen/spec"
)

func TestEveryRuleHoldsItsExamples(t *testing.T) {
	for i, rule := range spec.SyntaxRules() {
		t.Run(rule.Name, func(t *testing.T) {
			if want := fmt.Sprintf("GG%03d", i+1); rule.Code != want {
				t.Errorf("code %s, want %s", rule.Code, want)
			}
			if rule.Doc == "" {
				t.Error("no doc")
			}
			_, found := spec.Load("bad.graph.yaml", []byte(rule.Bad))
			if len(found) != 1 || found[0].Code != rule.Code {
				t.Errorf("the bad example yields\n%s", list(found))
			}
			if _, found = spec.Load("good.graph.yaml", []byte(rule.Good)); len(found) > 0 {
				t.Errorf("the good example yields\n%s", list(found))
			}
		})
	}
}
