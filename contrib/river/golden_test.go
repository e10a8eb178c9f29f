package river

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/suite"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/scenario"
)

var updates = flag.Bool("update", false, "write the table of the guide")

// differences are the rows of the guide's table. TestGolden holds that no other scenario differs.
var differences = []suite.Difference{
	{
		What: "a graph with secret fields is refused",
		Why:  "a job has its input or its answer as it is",
		Scenarios: []string{
			"desk/a reply is noted",
			"helpdesk/the first run of a thread begins with an empty conversation",
			"sealed/secret fields change nothing of a run",
		},
	},
	{
		What: "an answer or an input that has no JSON, or violates the limits of its type, is refused with the error of its codec",
		Why:  "a job has JSON",
		Scenarios: []string{
			"human/an answer beyond the bounds of its type is refused, and the run stays paused",
			"memory/writes are added in the order of the spec",
		},
	},
	{
		What: "an order has the ID of its run, and an answer a name and a note: other options, such as budgets, hooks and observers, are given " +
			"to the machines of the workers",
		Why: "a job is a row, which has no functions",
	},
	{
		What: "`Start` and `Answer` return before the run: its output and its failure are in the thread, and errors of jobs in `Report` and `Dead`",
		Why:  "another process makes the run",
	},
	{
		What: "a run that fails is tried again later, from its last step",
		Why:  "its worker or a service that it needs may have been down",
	},
	{
		What: "observers get the events of the jobs of their process, and a report has the details, such as times, of the last job alone",
		Why:  "a thread has what decides in a run; other processes follow its steps with `Watch`",
	},
	{
		What: "a deadline is late by up to five seconds; scenarios in which time passes are not played by workers, but tested apart",
		Why:  "jobs wait by the clock of the system",
	},
}

// waiting are the folders of golden machines that are durable, and of those that people answer, which are made so.
var waiting = []string{
	"approval", "branchby", "branchif", "carry", "clienttools", "conversation", "durable", "guardregions", "human", "interrupts", "memory", "namedends",
	"pauses", "peoplebound", "promptfiles", "records", "regiongraphs", "regionrouters", "sealed", "skillgroups", "toolapproval", "toolreads", "transact",
}

// TestGolden holds that the scenarios of golden machines are by two workers what they are locally: the same path, end, error, state, output,
// requests, failures, transitions, prompts and calls. Starts and answers are jobs.
func TestGolden(t *testing.T) {
	if testing.Short() {
		t.Skip("builds machines with the client of River")
	}
	server(t)
	for name, value := range map[string]string{"PGHOST": shared.Dir, "PGUSER": "postgres", "PGDATABASE": "postgres"} {
		t.Setenv(name, value)
	}
	s := suite.Suite{
		Root: "../..", Dir: "testdata/golden",
		Folders: suite.Folders(t, "../..", func(all []string) []string {
			return tier.Some(t, 0, 1, slices.DeleteFunc(all, func(f string) bool {
				return !slices.Contains(waiting, f) || f == "pauses" && !tier.Full() // whose attempts wait for seconds
			}))
		}),
		Engine: scenario.Config{Queue: "github.com/graphgen/graphgen/contrib/river/rivertest/jobs"},
		Change: func(spec string) string {
			if strings.Contains(spec, "\ndurable: true\n") {
				return spec
			}
			return spec + "\ndurable: true\n" // the lines of the others are as they were
		},
		Skips: "the run has the clock of the system", Differs: suite.By(differences),
	}
	s.Play(t)
}

// TestDifferences holds that the guide lists what differs. With -update it writes the table.
func TestDifferences(t *testing.T) {
	suite.Guide(t, "../../docs/guides/several-workers.md", differences, *updates)
}
