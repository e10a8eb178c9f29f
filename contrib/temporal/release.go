package temporal

import (
	"encoding/json"

	"go.temporal.io/sdk/workflow"
)

// A Workflow is a graph as a workflow: a Graph of any machine.
type Workflow interface {
	Name() string
	run(w workflow.Context, in json.RawMessage, from *handed, release int) (json.RawMessage, error)
	acts() *Activities
	childGraph
}

// WithRelease keeps the machine of an earlier release for the workflows that it has begun: release is its number in the lock file of the graph, 0 for
// workflows that were begun before the first release. The earlier graph is generated from the spec of the release, in a package of its own. The
// activities of this graph serve both machines; an earlier one without a store gets the store of this graph. Where the earlier one has further
// activities, call its RegisterActivities first. A workflow of a release that has no machine of its own is replayed with this one: graphgen check
// -compat names the workflows for which that is wrong.
func WithRelease(release int, earlier Workflow) Option {
	return func(s *settings) {
		if s.releases == nil {
			s.releases = map[int]Workflow{}
		}
		s.releases[release] = earlier
	}
}

// of returns the machine of a release.
func (g *Graph[M, I, O, S]) of(release int) Workflow {
	if earlier := g.activities.set.releases[release]; earlier != nil && release != g.methods.Release {
		return earlier
	}
	return g
}
