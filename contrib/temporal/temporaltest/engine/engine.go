// Package engine runs the scenarios of graphs as workflows of Temporal, in the test environment of its SDK.
package engine

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"time"

	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/temporal"
	"github.com/graphgen/graphgen/runtime/driver"
)

// ever is longer than scenarios take.
const ever = 200 * 365 * 24 * time.Hour

// Options returns the options of a graph: activities may take as long as handlers do locally, and values are in a store.
// Child workflows get runs.
func Options(light chat.Model, boxes []chat.Toolbox, runs []graphgen.Option) []temporal.Option {
	options := []temporal.Option{
		temporal.WithActivities(workflow.ActivityOptions{StartToCloseTimeout: ever}), temporal.WithStore(temporal.NewMemory(), 1),
		temporal.WithLightModel(light), temporal.WithRuns(runs...),
	}
	for i, box := range boxes {
		options = append(options, temporal.WithToolbox(strconv.Itoa(i), box))
	}
	return options
}

// A Graph is a graph as a workflow.
type Graph interface {
	Nested() *temporal.Activities
	RegisterChildren(r worker.WorkflowRegistry)
}

// Engine returns what runs the machine of a graph in a workflow.
func Engine(g Graph) *Environment { return &Environment{g} }

// An Environment is a test environment for one workflow, and its child workflows.
type Environment struct{ graph Graph }

// Run calls do in a workflow.
func (e *Environment) Run(do func(ctx context.Context, by driver.Driver, options []graphgen.Option)) error {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(ever).SetWorkflowRunTimeout(ever)
	env.SetStartTime(time.Now())
	e.graph.Nested().RegisterActivities(env)
	e.graph.RegisterChildren(env)
	env.RegisterWorkflowWithOptions(func(w workflow.Context) error {
		return temporal.Drive(w, e.graph.Nested(), func(ctx context.Context, by driver.Driver, options []graphgen.Option) {
			by.Clock = newClock(by.Clock)
			do(ctx, by, options)
		})
	}, workflow.RegisterOptions{Name: "scenario"})
	env.ExecuteWorkflow("scenario")
	time.Sleep(time.Hour) // of the bubble: activities that were cancelled end after their next heartbeat
	if !env.IsWorkflowCompleted() {
		return fmt.Errorf("the workflow has not ended")
	}
	return env.GetWorkflowError()
}
