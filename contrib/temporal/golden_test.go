package temporal_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/contrib/temporal/temporaltest/server"
	"github.com/graphgen/graphgen/internal/testing/suite"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/scenario"
)

// golden returns the scenarios of golden machines for workflows: activities play the handlers, the tools and the models. The workflows are run by the
// server that the environment names, or in a test environment, where no time passes.
func golden(dir string, folders []string) *suite.Suite {
	s := &suite.Suite{
		Root: "../..", Folders: folders, Dir: dir,
		Engine:  scenario.Config{Driver: "github.com/graphgen/graphgen/contrib/temporal/temporaltest/engine"},
		Change:  func(spec string) string { return spec + "\ndrivers: [temporal]\n" },
		Differs: suite.By(differences),
	}
	if os.Getenv(server.Address) != "" {
		s.Engine.Driver, s.Engine.RealTime = "github.com/graphgen/graphgen/contrib/temporal/temporaltest/server", true
		s.Engine.Timeout, s.Skips = time.Hour, "the run has the clock of the system"
		s.Differs["context_enricher/context_enricher adds the date, the time and the visit"] = "it is not the date of a scenario's clock"
	}
	return s
}

// TestGoldenServer holds that a server which the shell names for Temporal's own tools gets no scenarios.
func TestGoldenServer(t *testing.T) {
	t.Setenv("TEMPORAL_ADDRESS", "localhost:7233")
	if s := golden("testdata/golden", nil); s.Engine.RealTime {
		t.Error("the scenarios go to a server")
	}
}

// TestGolden holds that the scenarios of golden machines are in a workflow what they are locally: the same path, end, error, state, output, requests,
// failures, transitions, prompts and calls.
func TestGolden(t *testing.T) {
	if testing.Short() {
		t.Skip("builds machines with the SDK of Temporal")
	}
	every := tier.Pick(0, 60, 1)
	golden("testdata/golden", suite.Folders(t, "../..", func(all []string) []string {
		return slices.DeleteFunc(all, func(f string) bool { return slices.Index(all, f)%every != 0 })
	})).Play(t)
}

// childNode matches the kind of a node that runs a graph, and what follows it.
var childNode = regexp.MustCompile(`kind: subgraph(, |\n    )`)

// TestGoldenChildren holds the same where child runs are child workflows, in the graphs that can have them.
func TestGoldenChildren(t *testing.T) {
	if testing.Short() {
		t.Skip("builds machines with the SDK of Temporal")
	}
	folders := tier.Pick([]string{"subgraph"}, []string{"subgraph"},
		[]string{"subgraph", "budget", "media", "memory", "replay", "toolreads", "pauses", "interrupts", "composition", "carry", "sealed"})
	if only := os.Getenv("GOLDEN"); only != "" {
		folders = strings.Split(only, ",")
	}
	made := 0
	s := golden("testdata/golden/children", folders)
	drive := s.Change
	s.Change = func(spec string) string {
		made += strings.Count(spec, "kind: subgraph")
		return drive(childNode.ReplaceAllString(spec, "kind: subgraph${1}child_workflow: true${1}"))
	}
	for _, d := range childDifferences {
		s.Differs[d] = "child workflows share what was left of a budget when they began"
	}
	s.Play(t)
	if made < len(folders) {
		t.Errorf("%d nodes have child workflows", made)
	}
}
