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
	"go.temporal.io/sdk/workflow"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/temporal"
	"github.com/graphgen/graphgen/runtime/driver"
)

// ever is longer than scenarios take.
const ever = 200 * 365 * 24 * time.Hour

// Options returns the options of a graph: activities may take as long as handlers do locally, and values are in a store.
func Options(light chat.Model, boxes []chat.Toolbox) []temporal.Option {
	options := []temporal.Option{
		temporal.WithActivities(workflow.ActivityOptions{StartToCloseTimeout: ever}), temporal.WithStore(temporal.NewMemory(), 1),
		temporal.WithLightModel(light),
	}
	for i, box := range boxes {
		options = append(options, temporal.WithToolbox(strconv.Itoa(i), box))
	}
	return options
}

// Engine returns what runs the machine of a graph in a workflow.
func Engine(a *temporal.Activities) *Environment { return &Environment{a} }

// An Environment is a test environment for one workflow.
type Environment struct{ activities *temporal.Activities }

// Run calls do in a workflow.
func (e *Environment) Run(do func(ctx context.Context, by driver.Driver, options []graphgen.Option)) error {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(ever).SetWorkflowRunTimeout(ever)
	env.SetStartTime(time.Now())
	e.activities.RegisterActivities(env)
	env.ExecuteWorkflow(func(w workflow.Context) error {
		return temporal.Drive(w, e.activities, func(ctx context.Context, by driver.Driver, options []graphgen.Option) {
			by.Clock = newClock(by.Clock)
			do(ctx, by, options)
		})
	})
	time.Sleep(time.Hour) // of the bubble: activities that were cancelled end after their next heartbeat
	if !env.IsWorkflowCompleted() {
		return fmt.Errorf("the workflow has not ended")
	}
	return env.GetWorkflowError()
}
