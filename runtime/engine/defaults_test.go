package engine_test

import (
	"slices"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/spec"
)

func TestDefaults(t *testing.T) {
	if engine.DefaultVisits != spec.DefaultMaxVisits {
		t.Errorf("a node may be visited %d times by default, and the language has %d", engine.DefaultVisits, spec.DefaultMaxVisits)
	}
	if engine.DefaultFactor != spec.DefaultFactor {
		t.Errorf("waits grow by %v by default, and the language has %v", engine.DefaultFactor, spec.DefaultFactor)
	}
}

func TestRules(t *testing.T) {
	names := ruleNames()
	if want := append([]string{""}, spec.RuleNames()...); !slices.Equal(names, want) {
		t.Errorf("the rules are\n%q, and the language has\n%q", names, want)
	}
	for rule, want := range map[graphgen.Rule]spec.Rule{
		graphgen.RuleNone: spec.RuleNone, graphgen.RuleEntry: spec.RuleEntry, graphgen.RuleToolLoop: spec.RuleToolLoop, graphgen.RuleRoute: spec.RuleRoute,
		graphgen.RuleGoto: spec.RuleGoto, graphgen.RuleEdge: spec.RuleEdge, graphgen.RuleTransition: spec.RuleTransition, graphgen.RuleNext: spec.RuleNext,
		graphgen.RuleNoMatch: spec.RuleNoMatch, graphgen.RuleError: spec.RuleError, graphgen.RuleGuardFail: spec.RuleGuardFail,
		graphgen.RuleTerminal: spec.RuleTerminal, graphgen.RuleBranch: spec.RuleBranch, graphgen.RuleMutation: spec.RuleMutation,
		graphgen.RuleHuman: spec.RuleHuman, graphgen.RuleBudget: spec.RuleBudget,
	} {
		if uint8(rule) != uint8(want) {
			t.Errorf("rule %v has the number %d, and %d in the language", rule, rule, want)
		}
	}
}

// ruleNames returns the names of all rules that the kernel has.
func ruleNames() (names []string) {
	defer func() { _ = recover() }() // behind the last one
	for r := graphgen.RuleNone; ; r++ {
		names = append(names, r.String())
	}
}
