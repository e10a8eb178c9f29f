package scenario

import (
	"context"
	"time"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
)

// BindToRuleSpec binds a file to the graph of the rules' examples.
func BindToRuleSpec(f *File) []diag.Diagnostic {
	graph, _ := spec.Load("review.graph.yaml", []byte(RuleSpec))
	_, found := bind(f, plan.Lower(cfg.Of(graph), pkg))
	return found
}

// Execute runs a binary as Test does, and returns the problem.
func Execute(ctx context.Context, temp, binary string, scenarios []wire.Scenario) string {
	_, problem := (&builder{temp: temp}).execute(ctx, binary, scenarios, time.Minute)
	return problem
}

// Words lists the keys and words of the language.
func Words() []string {
	words := append(fileKeys.names(), scenarioKeys.names()...)
	for _, names := range [][]string{
		entryKeys.names(), givenKeys.names(), optionKeys.names(), hookKeys.names(), expectKeys.names(), errorKeys.names(), eventKeys.names(),
		nodeSteps().keys.names(), toolSteps().keys.names(), Ends, ErrorTypes, EventKinds, RouteRules,
	} {
		words = append(words, names...)
	}
	return words
}
