package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

type testVerb struct {
	paths
	Scenarios string        `name:"run" placeholder:"REGEXP" help:"Run the scenarios whose GRAPH/NAME matches."`
	Verbose   bool          `short:"v" help:"Also list the scenarios that pass."`
	Cover     bool          `help:"List the nodes and edges that no scenario took."`
	Timeout   time.Duration `placeholder:"DURATION" help:"How long the scenarios of one package may take (default: 2m)."`
	JSON      bool          `name:"json" help:"Write one JSON object to standard output."`
}

func (testVerb) Help() string {
	return `The scenarios of review.graph.yaml are in review.scenarios.yaml in the same directory. They run the compiled machine with
scripted handlers. The package needs no handlers of its own, and nothing is written to it.

Paths may also be scenario files.

Examples:

  graphgen test ./...
  graphgen test -cover review.graph.yaml
  graphgen test -run 'review/publishes' -v
`
}

// Run runs the scenarios of the selected specs.
func (v *testVerb) Run(ctx context.Context, t *terminal) error {
	files, err := v.files(ctx)
	if err != nil {
		return err
	}
	summary, err := scenario.Test(ctx, scenario.Config{
		Files: files, Run: v.Scenarios, Verbose: v.Verbose, Cover: v.Cover, JSON: v.JSON, Timeout: v.Timeout,
		Stdout: t.out, Stderr: t.err,
	})
	if err != nil {
		return err
	}
	if !v.JSON {
		source := func(file string) []byte { return summary.Sources[file] }
		err := diag.Render(t.marked, summary.Diagnostics, diag.Options{Color: t.color, Source: source})
		if err != nil {
			return err
		}
	}
	if !summary.OK() {
		return errFound
	}
	return nil
}

// files returns the specs and scenario files that the operands name.
func (v *testVerb) files(ctx context.Context) ([]string, error) {
	var files, others []string
	for _, p := range v.Paths {
		if strings.HasSuffix(p, scenario.Suffix) {
			files = append(files, p)
		} else {
			others = append(others, p)
		}
	}
	if len(others) == 0 && len(files) > 0 {
		return files, nil
	}
	folders, err := readFolders(ctx, paths{Paths: others})
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		for _, s := range f.selected() {
			if strings.HasSuffix(s.name, spec.TypesSuffix) {
				continue
			}
			files = append(files, filepath.Clean(s.path))
		}
		for _, file := range f.tagged.files {
			if file.selected && !slices.Contains(files, file.path) {
				files = append(files, file.path)
			}
		}
	}
	return files, nil
}
