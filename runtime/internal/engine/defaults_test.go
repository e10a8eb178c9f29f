package engine_test

import (
	"slices"
	"testing"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/internal/engine"
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
	for rule, want := range map[graphrt.Rule]spec.Rule{
		graphrt.RuleNone: spec.RuleNone, graphrt.RuleEntry: spec.RuleEntry, graphrt.RuleToolLoop: spec.RuleToolLoop, graphrt.RuleRoute: spec.RuleRoute,
		graphrt.RuleGoto: spec.RuleGoto, graphrt.RuleEdge: spec.RuleEdge, graphrt.RuleTransition: spec.RuleTransition, graphrt.RuleNext: spec.RuleNext,
		graphrt.RuleNoMatch: spec.RuleNoMatch, graphrt.RuleError: spec.RuleError, graphrt.RuleGuardFail: spec.RuleGuardFail,
		graphrt.RuleTerminal: spec.RuleTerminal, graphrt.RuleBranch: spec.RuleBranch, graphrt.RuleMutation: spec.RuleMutation,
		graphrt.RuleHuman: spec.RuleHuman,
	} {
		if uint8(rule) != uint8(want) {
			t.Errorf("rule %v has the number %d, and %d in the language", rule, rule, want)
		}
	}
}

// ruleNames returns the names of all rules that the kernel has.
func ruleNames() (names []string) {
	defer func() { _ = recover() }() // behind the last one
	for r := graphrt.RuleNone; ; r++ {
		names = append(names, r.String())
	}
}
