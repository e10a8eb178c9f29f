package temporal

import (
	"encoding/json"

	"go.temporal.io/sdk/workflow"
)

// A Workflow is a graph as a workflow: a Graph of any machine.
type Workflow interface {
	Name() string
	run(w workflow.Context, in json.RawMessage) (json.RawMessage, error)
}

// WithRelease keeps the machine of an earlier release for the workflows that it has begun: release is its number in the lock file of the graph, 0 for
// workflows that were begun before the first release. The earlier graph is generated from the spec of the release, in a package of its own. Of it only
// the machine is used: activities are those of this graph, which takes what it gives them; RegisterActivities of the earlier one, called before,
// registers those that this graph does not have. Workflows of a release without a machine of its own are replayed with this one, which is right for
// those that graphgen check -compat does not name.
func WithRelease(release int, earlier Workflow) Option {
	return func(s *settings) {
		if s.releases == nil {
			s.releases = map[int]Workflow{}
		}
		s.releases[release] = earlier
	}
}

// released returns the machine for a workflow: that of the release with which it has begun. A workflow has a marker of it, where the graph has a release.
func (g *Graph[M, I, O, S]) released(w workflow.Context) Workflow {
	current := g.methods.Release
	if current == 0 {
		return g
	}
	begun := max(0, int(workflow.GetVersion(w, "graphgen."+g.Name(), workflow.DefaultVersion, workflow.Version(current))))
	if earlier := g.activities.set.releases[begun]; earlier != nil && begun != current {
		return earlier
	}
	return g
}
