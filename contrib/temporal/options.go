package temporal

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
)

// An Option changes how a graph runs as a workflow.
type Option func(*settings)

type settings struct {
	activity   workflow.ActivityOptions
	activities map[string]workflow.ActivityOptions
	runs       []graphgen.Option
	store      *cached // nil: none
	inline     int     // the most bytes of a value that is not in the store
	models     []func(*Activities) graphgen.Option
	attributes bool
	tenant     func(workflow.Context) string
	releases   map[int]Workflow // earlier ones
	children   map[string]workflow.ChildWorkflowOptions
	events     int // of a history, at most
}

// The defaults of activities.
const (
	activityTimeout = 10 * time.Minute
	heartbeats      = 30 * time.Second
)

func newSettings(opts []Option) *settings {
	s := &settings{
		activity:   workflow.ActivityOptions{StartToCloseTimeout: activityTimeout, HeartbeatTimeout: heartbeats},
		activities: map[string]workflow.ActivityOptions{}, events: historyEvents,
	}
	for _, o := range opts {
		if o != nil {
			o(s)
		}
	}
	return s
}

// WithActivities sets options of all activities of the graph: of each that is not zero, instead of the default. The defaults are a StartToCloseTimeout
// of 10 minutes, or what is left of the time limit of the node, and a HeartbeatTimeout of 30 seconds, within which activities send heartbeats by
// themselves. The retry policy is for workers that are lost: what a handler returns as an error is never retried by it, as the node decides that.
func WithActivities(o workflow.ActivityOptions) Option {
	return func(s *settings) { s.activity = merged(s.activity, o) }
}

// WithActivity sets options of one activity, as WithActivities does, and takes precedence over it. name is the name of a node with a
// handler; guard.NAME, tool.NAME; model.own, model.light, model.named.NAME; toolbox.NAME.list and toolbox.NAME.call.
func WithActivity(name string, o workflow.ActivityOptions) Option {
	return func(s *settings) { s.activities[name] = merged(s.activities[name], o) }
}

// WithChild sets options of the child workflows of a node with child_workflow: true, such as their task queue: a worker of that queue registers the
// whole graph. name is the name of the node or, of a node in a graph that is run, GRAPH.NODE. The ID of a child workflow is the ID of its parent with
// the place of the run. Its timeouts count the time in which it waits for people. Without ParentClosePolicy child workflows are terminated with their
// parent; a RetryPolicy has no effect on a run that has ended, as the node decides that.
func WithChild(name string, o workflow.ChildWorkflowOptions) Option {
	return func(s *settings) {
		if s.children == nil {
			s.children = map[string]workflow.ChildWorkflowOptions{}
		}
		s.children[name] = o
	}
}

// WithRuns gives options to each run. Observers and hooks are not called while the workflow is replayed, so that each counts what happens once;
// a governing hook is called again, as it decides, and has to decide the same.
func WithRuns(opts ...graphgen.Option) Option {
	return func(s *settings) { s.runs = append(s.runs, opts...) }
}

// WithLightModel is graphgen.WithLightModel for the workflow: each call of the model is an activity.
func WithLightModel(m chat.Model) Option {
	return withModel(func(a *Activities) graphgen.Option { return graphgen.WithLightModel(a.model("model.light", m)) })
}

// WithNamedModel is graphgen.WithNamedModel for the workflow: each call of the model is an activity.
func WithNamedModel(name string, m chat.Model) Option {
	return withModel(func(a *Activities) graphgen.Option {
		return graphgen.WithNamedModel(name, a.model("model.named."+name, m))
	})
}

// WithToolbox is graphgen.WithToolbox for the workflow: to list the tools and to call one are activities. The name distinguishes several.
func WithToolbox(name string, box chat.Toolbox) Option {
	return withModel(func(a *Activities) graphgen.Option { return graphgen.WithToolbox(a.toolbox(name, box)) })
}

func withModel(make func(*Activities) graphgen.Option) Option {
	return func(s *settings) { s.models = append(s.models, make) }
}

// WithSearchAttributes has workflows keep search attributes, of type keyword: GraphgenGraph, GraphgenStatus (running, waiting), GraphgenNode (which
// waits) and GraphgenTenant, unless tenant is nil. The namespace has to have them. Each change is an event of the history.
func WithSearchAttributes(tenant func(workflow.Context) string) Option {
	return func(s *settings) { s.attributes, s.tenant = true, tenant }
}

// of returns the options of an activity.
func (s *settings) of(name string) workflow.ActivityOptions {
	return merged(s.activity, s.activities[name])
}

// merged returns the options of a, replaced by the options of b that are not zero.
func merged(a, b workflow.ActivityOptions) workflow.ActivityOptions {
	set(&a.TaskQueue, b.TaskQueue)
	set(&a.ScheduleToCloseTimeout, b.ScheduleToCloseTimeout)
	set(&a.ScheduleToStartTimeout, b.ScheduleToStartTimeout)
	set(&a.StartToCloseTimeout, b.StartToCloseTimeout)
	set(&a.HeartbeatTimeout, b.HeartbeatTimeout)
	set(&a.WaitForCancellation, b.WaitForCancellation)
	set(&a.RetryPolicy, b.RetryPolicy)
	set(&a.DisableEagerExecution, b.DisableEagerExecution)
	set(&a.Summary, b.Summary)
	set(&a.Priority, b.Priority)
	return a
}

func set[T comparable](to *T, v T) {
	var zero T
	if v != zero {
		*to = v
	}
}

// quiet returns the options of runs whose observers and hooks are called only while live returns true.
func quiet(live func() bool, opts []graphgen.Option) graphgen.Option {
	return optionset.Option(func(s *optionset.Settings) {
		observers, hooks := len(s.Observers), len(s.Hooks)
		for _, o := range opts {
			option.Set(s, o)
		}
		for i := observers; i < len(s.Observers); i++ {
			s.Observers[i] = quietObserver(live, s.Observers[i])
		}
		for i := hooks; i < len(s.Hooks); i++ {
			if !s.Hooks[i].Governing {
				s.Hooks[i] = quietHook(live, s.Hooks[i])
			}
		}
	})
}
