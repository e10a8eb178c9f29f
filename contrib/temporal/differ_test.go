package temporal_test

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var updates = flag.Bool("update", false, "write the table of the guide")

// A difference is a thing that workflows do otherwise than local runs, with the reason, and the scenarios of golden machines in which it shows.
type difference struct {
	what, why string
	scenarios []string
}

// differences are the rows of the guide's table. TestGolden holds that no other scenario differs.
var differences = []difference{
	{what: "answers of models do not stream, so observers get no token", why: "an answer is in the history as a whole"},
	{
		what: "a handler that takes or gives an enum or a union that is unset, or a text that does not match its pattern, " +
			"fails with the error of the codec",
		why: "a value without JSON, or out of the limits of its type, is not sent to an activity, nor by one",
		scenarios: []string{
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
		what: "a handler without a time limit of its own that ignores the end of the run's time limit has failed, " +
			"so that its failure route may be taken first; locally its result counts, and the run ends before the next node",
		why: "an activity is not waited for once its context has ended",
		scenarios: []string{
			"policy/the timeout of the run is a typed error",
			"human/the time of nodes before and after a pause counts as time of the run",
		},
	},
	{what: "a handler that changes the state and then fails has changed nothing", why: "an activity that fails returns no value"},
	{
		what: "of an error the text stays, and whether it is transient, permanent, fatal or a refusal, with the errors of package chat and of contexts; " +
			"other types are lost",
		why: "an error passes as data",
	},
	{
		what: "`merge: custom`, transforms, processors and governing hooks run in the workflow",
		why:  "they have no activity, so they must have no effects, and be the same at each replay",
	},
	{what: "`thread.Once`, threads and transactions do nothing", why: "the workflow is what is durable"},
	{what: "secret fields are in the history, as any other", why: "give the client a data converter that encrypts"},
	{
		what: "one history has the whole run of a graph without `durable: true`: 51,200 events, about 8,500 calls",
		why:  "such a run cannot be saved, so that another workflow continued it",
	},
	{
		what: "the report of a run that was handed over has the last 100 transitions of the path, and no times of nodes and reports of child runs " +
			"of earlier workflows",
		why: "what is handed over does not grow with the run",
	},
	{
		what: "a subgraph is executed in the workflow of its parent, not in a child workflow",
		why:  "the parent and it share budgets, a path, requests to people and a stop, which two workflows would have to send one another at each step",
	},
	{what: "observers may get what a worker did not answer a second time", why: "only what is in the history is known to have happened"},
}

// TestDifferences holds that the guide lists what differs. With -update it writes the table.
func TestDifferences(t *testing.T) {
	const name, heading = "../../docs/guides/run-on-temporal.md", "| what | why |\n|---|---|\n"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	from := strings.Index(page, heading)
	if from < 0 {
		t.Fatalf("%s has no table of what differs", name)
	}
	rows := strings.Builder{}
	rows.WriteString(heading)
	for _, d := range differences {
		rows.WriteString("| " + d.what + " | " + d.why + " |\n")
	}
	to := len(page)
	if end := strings.Index(page[from:], "\n\n"); end >= 0 {
		to = from + end + 1
	}
	if page[from:to] == rows.String() {
		return
	}
	if !*updates {
		t.Fatalf("the table of %s is not that of the test: run go test -run TestDifferences -update", name)
	}
	if err := os.WriteFile(name, []byte(page[:from]+rows.String()+page[to:]), 0o644); err != nil {
		t.Fatal(err)
	}
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
