// Package research is the loop of planning, acting, thinking and reflecting: an enum of
// the output routes, and the graph bounds the loop.
package research

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:generate go tool graphgen

// perTurn is how many folders one turn of the loop looks into.
const perTurn = 20

// Agent works on the files of a source tree.
type Agent struct{}

// Plan finds the folders that hold Go files.
func (Agent) Plan(_ context.Context, in ResearchPlanIn) (ResearchPlanOut, error) {
	var out ResearchPlanOut
	err := filepath.WalkDir(in.Root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != in.Root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		dir, err := filepath.Rel(in.Root, filepath.Dir(path))
		if err == nil && !slices.Contains(out.Subgoals, dir) {
			out.Subgoals = append(out.Subgoals, dir)
		}
		return err
	})
	return out, err
}

// Act counts the files of the next folders.
func (Agent) Act(_ context.Context, in ResearchActIn) (ResearchActOut, error) {
	now := in.Subgoals[:min(perTurn, len(in.Subgoals))]
	out := ResearchActOut{Subgoals: in.Subgoals[len(now):]}
	for _, dir := range now {
		entries, err := os.ReadDir(filepath.Join(in.Root, dir))
		if err != nil {
			return out, err
		}
		fact := Fact{Package: dir}
		for _, e := range entries {
			switch {
			case strings.HasSuffix(e.Name(), "_test.go"):
				fact.Tests++
			case strings.HasSuffix(e.Name(), ".go"):
				fact.Files++
			}
		}
		out.Facts = append(out.Facts, fact)
	}
	return out, nil
}

// Think says what is missing.
func (Agent) Think(_ context.Context, in ResearchThinkIn) (ResearchThinkOut, error) {
	if len(in.Subgoals) == 0 {
		return ResearchThinkOut{}, nil
	}
	return ResearchThinkOut{Gap: fmt.Sprintf("%d folders are not looked at yet", len(in.Subgoals))}, nil
}

// Reflect goes on while something is missing, and plans anew if nothing was found at all.
func (Agent) Reflect(_ context.Context, in ResearchReflectIn) (ResearchReflectOut, error) {
	switch {
	case in.Gap != "":
		return ResearchReflectOut{Route: ResearchReflectOutRouteContinue, Confidence: 0.5}, nil
	case len(in.Facts) == 0:
		return ResearchReflectOut{Route: ResearchReflectOutRouteReplan}, nil
	}
	return ResearchReflectOut{Route: ResearchReflectOutRouteAnswer, Confidence: 1}, nil
}

// Synthesize names the packages without a test.
func (Agent) Synthesize(_ context.Context, in ResearchSynthesizeIn) (ResearchSynthesizeOut, error) {
	var bare []string
	for _, f := range in.Facts {
		if f.Files > 0 && f.Tests == 0 {
			bare = append(bare, f.Package)
		}
	}
	return ResearchSynthesizeOut{Answer: fmt.Sprintf("%d of %d packages have no test: %s", len(bare), len(in.Facts), strings.Join(bare, ", "))}, nil
}
