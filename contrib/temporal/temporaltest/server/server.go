// Package server runs the scenarios of graphs as workflows on a server of Temporal.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/temporal"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest/engine"
	"github.com/graphgen/graphgen/runtime/driver"
)

// The environment variables with the server's address and namespace. They are not the names of Temporal's own tools, which a shell may have for another server.
const (
	Address   = "GRAPHGEN_TEMPORAL_ADDRESS"
	Namespace = "GRAPHGEN_TEMPORAL_NAMESPACE"
)

// longest is the time limit of a workflow, of its tasks and of its activities. It is long, since no scenario may depend on it on a busy machine.
const longest = 2 * time.Minute

// connect connects the process with the server.
var connect = sync.OnceValues(func() (client.Client, error) {
	return client.Dial(client.Options{
		HostPort: os.Getenv(Address), Namespace: os.Getenv(Namespace), Logger: log.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil))),
	})
})

// Options returns the options of a graph.
func Options(light chat.Model, boxes []chat.Toolbox, runs []graphgen.Option) []temporal.Option {
	limit := temporal.WithActivities(workflow.ActivityOptions{StartToCloseTimeout: longest})
	return append(engine.Options(light, boxes, runs), limit)
}

// Engine returns what runs the machine of a graph in a workflow.
func Engine(g engine.Graph) *Server { return &Server{g} }

// A Server runs a workflow and its child workflows, by a worker of this process.
type Server struct{ graph engine.Graph }

// workflows counts the workflows of the process.
var workflows atomic.Int64

// Run calls do in a workflow. What do has recorded cannot be replayed, so the worker has to keep the workflow until it ends.
func (s *Server) Run(do func(ctx context.Context, by driver.Driver, options []graphgen.Option)) error {
	c, err := connect()
	if err != nil {
		return err
	}
	id := fmt.Sprintf("scenario-%d-%d", os.Getpid(), workflows.Add(1))
	w := worker.New(c, id, worker.Options{
		DeadlockDetectionTimeout: longest, StickyScheduleToStartTimeout: longest, WorkerStopTimeout: longest, WorkflowPanicPolicy: worker.FailWorkflow,
	})
	s.graph.Nested().RegisterActivities(w)
	s.graph.RegisterChildren(w)
	var begun atomic.Bool
	w.RegisterWorkflowWithOptions(func(w workflow.Context) error {
		if begun.Swap(true) {
			return errors.New("the workflow was to be replayed")
		}
		return temporal.Drive(w, s.graph.Nested(), do)
	}, workflow.RegisterOptions{Name: "scenario"})
	if err := w.Start(); err != nil {
		return err
	}
	defer w.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: id, WorkflowRunTimeout: longest, WorkflowTaskTimeout: longest,
	}, "scenario")
	if err != nil {
		return err
	}
	return run.Get(ctx, nil)
}
