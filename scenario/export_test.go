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
	_, problem := (&builder{temp: temp}).execute(ctx, binary, "Test_", scenarios, time.Minute)
	return problem
}

// Words lists the keys and words of the language.
func Words() []string {
	words := append(fileKeys.Mapping().Names(), scenarioKeys.Mapping().Names()...)
	for _, names := range [][]string{
		entryKeys.Mapping().Names(), givenKeys.Mapping().Names(), optionKeys.Mapping().Names(), hookKeys.Mapping().Names(),
		expectKeys.Mapping().Names(), errorKeys.Mapping().Names(), eventKeys.Mapping().Names(),
		nodeSteps().table.Mapping().Names(), toolSteps().table.Mapping().Names(), Ends, ErrorTypes, Limits, ErrorKinds, EventKinds, RouteRules,
	} {
		words = append(words, names...)
	}
	return words
}
