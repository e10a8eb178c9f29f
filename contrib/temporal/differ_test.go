package temporal_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/suite"
)

var updates = flag.Bool("update", false, "write the table of the guide")

// differences are the rows of the guide's table. TestGolden holds that no other scenario differs.
var differences = []suite.Difference{
	{
		What: "answers of models do not stream, so observers get no token",
		Why:  "an answer is in the history as a whole",
	},
	{
		What: "the calls that `chat.Retry` and `chat.Fallback` repeat are one activity: observers get them when the last one has " +
			"ended, and a stop does not end a wait between them",
		Why: "the worker makes them, and the workflow gets them with the answer",
	},
	{
		What: "branches that ask models at the same time may together make more of these calls than a budget has left; each counts, " +
			"and the run ends over its budget",
		Why: "an activity gets what was left when it began, and knows of no other one",
	},
	{
		What: "a handler that takes or returns an unset enum or union, or a text that does not match its pattern, fails with the " +
			"error of the codec",
		Why: "a value that has no JSON, or violates the limits of its type, cannot be sent to or by an activity",
		Scenarios: []string{
			"branch_by_cache/a missing class is an error that is not retried",
			"branch_by_code/code that gives no class fails",
			"covered/an enum that a handler leaves unset fails the node instead of ending the run",
			"route/a node fails when its handler leaves a required enum unset",
			"order/a field with a default starts with it",
			"order/input overrides a default, with zero values too",
			"order/variants, nested ones too, are written and compared by their labels",
			"order/durations are summed and the longest is kept, and the cache key of an input is its JSON",
			"order/a condition on a sum of durations holds",
			"order/an enum of another file decides, and a node gives a union",
			"order/conditions see a constant of a used file's package",
			"order/a soft failure with a Go type gives no value",
		},
	},
	{
		What: "if a handler without a time limit of its own ignores the end of the run's time limit, it has failed, and its failure " +
			"route may be taken first; locally its result counts, and the run ends before the next node",
		Why: "a workflow does not wait for an activity once its context has ended",
		Scenarios: []string{
			"policy/the timeout of the run is a typed error",
			"human/the time of nodes before and after a pause counts as time of the run",
		},
	},
	{
		What: "a handler that changes the state and then fails has changed nothing",
		Why:  "an activity that fails returns no value",
	},
	{
		What: "errors keep their text, and whether they are transient, permanent, fatal or a refusal; errors of package chat and of " +
			"contexts keep their type, others lose it",
		Why: "errors are transferred as data",
	},
	{
		What: "`merge: custom`, transforms, processors and governing hooks run in the workflow itself",
		Why:  "so they must have no side effects, and do the same in each replay",
	},
	{
		What: "`thread.Once`, threads and transactions do nothing",
		Why:  "the workflow itself is durable",
	},
	{
		What: "secret fields are in the history, like any other",
		Why:  "use a data converter that encrypts",
	},
	{
		What: "without `durable: true`, a run is limited to one history: 51,200 events, about 8,500 calls",
		Why:  "such a run cannot be saved and handed over to another workflow",
	},
	{
		What: "the report of a run that was handed over has the last 100 transitions of its path, and no times of nodes or reports " +
			"of child runs from earlier workflows",
		Why: "what is handed over must not grow with the run",
	},
	{
		What: "in a graph that runs as a child workflow no call of a tool waits for an answer, and child workflows that run at the " +
			"same time share what was left of a budget when they began",
		Why: "the code that makes the call checks the answer, and two workflows would have to exchange each call",
	},
	{
		What: "the error of a child workflow has no state, and scopes that hooks open there are not within scopes of its parent",
		Why:  "both are values of one workflow",
	},
	{
		What: "observers may get an event twice if a worker did not report back to the server",
		Why:  "only what is in the history is known to have happened",
	},
}

// childDifferences are the scenarios in which it shows that child workflows share a budget.
var childDifferences = []string{"survey/an exhausted budget in a child run of a branch ends the run"}

// TestDifferences holds that the guide lists what differs. With -update it writes the table.
func TestDifferences(t *testing.T) {
	suite.Guide(t, "../../docs/guides/run-on-temporal.md", differences, *updates)
}

// TestApproval holds that the graph approval of the tests is the golden one, with the driver.
func TestApproval(t *testing.T) {
	golden, err := os.ReadFile("../../golden/approval/approval.graph.yaml")
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("temporaltest/approval.graph.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if driven := strings.Replace(string(golden), "\nentry:", "\ndrivers: [temporal]\nentry:", 1); string(own) != driven {
		t.Error("golden/approval has changed: copy it to temporaltest, with drivers: [temporal] before its entry")
	}
}
