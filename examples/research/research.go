// Package research is the loop of planning, acting, thinking and reflecting. It shows a
// route in a typed output (the enum of reflect, SEMANTICS rule 2), a bound with an edge for its end (plan's
// third visit is its last), a guard whose refusal becomes feedback, and a message to observers with a typed payload.
package research

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/graphgen/graphgen"
)

//go:generate go tool graphgen

// brief is the length of a short answer, in bytes.
const brief = 600

// Agent works on the files of a source tree.
type Agent struct{}

// Plan asks for what the question names, and for what the last plan has missed.
func (Agent) Plan(_ context.Context, in ResearchPlanIn) (ResearchPlanOut, error) {
	wanted := []Look{LookFolders, LookTests}
	if in.Lesson != nil {
		wanted = append(wanted, LookOrigin)
	}
	open := slices.DeleteFunc(wanted, func(l Look) bool { return slices.Contains(in.Looked, l) })
	return ResearchPlanOut{Agenda: open}, nil
}

// Act reaches the first subgoal.
func (Agent) Act(_ context.Context, in ResearchActIn) (ResearchActOut, error) {
	if len(in.Agenda) == 0 {
		return ResearchActOut{}, nil
	}
	look := in.Agenda[0]
	packages, err := looks[look](in.Root, slices.Clone(in.Packages))
	return ResearchActOut{Packages: packages, Agenda: in.Agenda[1:], Looked: []Look{look}}, err
}

// MergePackages lets what is found about a package replace what was known of it.
func (Agent) MergePackages(have, add []Package) []Package {
	merged := slices.Clone(have)
	for _, p := range add {
		i := slices.IndexFunc(merged, func(known Package) bool { return known.Folder == p.Folder })
		if i < 0 {
			merged = append(merged, p)
		} else {
			merged[i] = p
		}
	}
	return merged
}

// Think looks at what is known, not at the tree.
func (Agent) Think(_ context.Context, in ResearchThinkIn) (ResearchThinkOut, error) {
	switch n := count(in.Packages, untested); {
	case !slices.Contains(in.Looked, LookTests):
		return ResearchThinkOut{Gap: "nobody has looked for tests"}, nil
	case n > 0 && !slices.Contains(in.Looked, LookOrigin):
		return ResearchThinkOut{Gap: fmt.Sprintf("%d packages without a test may be generated", n)}, nil
	}
	return ResearchThinkOut{}, nil
}

// Reflect continues while there are subgoals, and plans anew when they have left a gap.
func (Agent) Reflect(_ context.Context, in ResearchReflectIn) (ResearchReflectOut, error) {
	switch {
	case len(in.Agenda) > 0:
		return ResearchReflectOut{Route: ResearchReflectOutRouteContinue, Confidence: 0.3}, nil
	case in.Gap != "":
		return ResearchReflectOut{Route: ResearchReflectOutRouteReplan, Confidence: 0.6, Lesson: &in.Gap}, nil
	}
	return ResearchReflectOut{Route: ResearchReflectOutRouteAnswer, Confidence: 1}, nil
}

// Synthesize names the packages without a test; where its answer was refused as too long,
// it counts them by folder.
func (Agent) Synthesize(ctx context.Context, in ResearchSynthesizeIn) (ResearchSynthesizeOut, error) {
	var names []string
	for _, p := range in.Packages {
		if untested(p) && !p.Generated {
			names = append(names, p.Folder)
		}
	}
	told := strings.Join(names, ", ")
	if len(graphgen.Info(ctx).Feedback) > 0 {
		told = byParent(names)
	}
	generated := count(in.Packages, func(p Package) bool { return untested(p) && p.Generated })
	return ResearchSynthesizeOut{Answer: fmt.Sprintf("%d of %d packages have no test: %s; and %d that are generated",
		len(names), len(in.Packages), told, generated)}, nil
}

// IsBrief refuses an answer that is too long to read.
func (Agent) IsBrief(_ context.Context, out ResearchSynthesizeOut) error {
	if len(out.Answer) > brief {
		return graphgen.Reject(fmt.Sprintf("the answer has %d bytes, %d are enough", len(out.Answer), brief))
	}
	return nil
}

func untested(p Package) bool { return p.Files > 0 && p.Tests == 0 }

func count(packages []Package, is func(Package) bool) int {
	n := 0
	for _, p := range packages {
		if is(p) {
			n++
		}
	}
	return n
}

// byParent counts folders by the first element of their paths.
func byParent(folders []string) string {
	counts := map[string]int{}
	var parents []string
	for _, f := range folders {
		parent, _, _ := strings.Cut(path.Clean(f), "/")
		if counts[parent]++; counts[parent] == 1 {
			parents = append(parents, parent)
		}
	}
	for i, p := range parents {
		parents[i] = fmt.Sprintf("%d in %s", counts[p], p)
	}
	return strings.Join(parents, ", ")
}
