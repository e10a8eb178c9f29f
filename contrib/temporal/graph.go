package temporal

import (
	"context"
	"encoding/json"
	"errors"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/driver"
	"github.com/graphgen/graphgen/runtime/durable"
)

// The names of what a workflow of a graph has.
const (
	// UpdateAnswer answers a request in JSON: its argument is an Answer with the ID of the request. An update named answer.NODE, where NODE is the
	// path of a node that asks, takes the answer to that node, and needs no ID while one request of the node is open.
	UpdateAnswer = "answer"
	SignalStop   = "stop" // ends the run before its next node, with the reason stopped; a run that waits for people ends too

	QueryStatus   = "status"   // a Status
	QueryState    = "state"    // the state as it is committed, in JSON
	QueryRequests = "requests" // the open requests: a list of graphgen.Request
	QueryReport   = "report"   // the graphgen.Report at the last pause, or at the end; nothing before
)

// An Answer is the argument of an update that answers a request.
type Answer struct {
	Request string          `json:"request,omitempty"` // its ID
	Answer  json.RawMessage `json:"answer"`            // "approve" or "deny", "continue", or what the Schema or the Choices of the request describe
	By      string          `json:"by,omitempty"`      // who answers, for the record of the node
	Note    string          `json:"note,omitempty"`
}

// A Status is how far a run is.
type Status struct {
	Phase   string   `json:"phase"` // running, waiting or ended
	Node    string   `json:"node,omitempty"`
	Step    int      `json:"step,omitempty"`
	Waiting []string `json:"waiting,omitempty"` // the IDs of the open requests
	Ended   string   `json:"ended,omitempty"`   // why the run ended: a graphgen.Reason
}

// The phases of a run.
const (
	Running = "running"
	Waiting = "waiting"
	Ended   = "ended"
)

// A Graph is a graph as a workflow: M is its machine, I its input, O its output, S its state. A generated constructor returns it.
type Graph[M, I, O, S any] struct {
	activities *Activities
	machine    *M
	methods    Methods[M, I, O, S]
}

// Methods are what generated code gives a Graph.
type Methods[M, I, O, S any] struct {
	Run     func(context.Context, I, ...graphgen.RunOption) (O, error)
	Resume  func(context.Context, *graphgen.Pause, graphgen.Answer[M], ...graphgen.ResumeOption) (O, error) // nil: runs do not pause
	Answers Answers[M]
	State   func(S) codec.Marshaler // without private fields
	Release int                     // of the workflows that it begins; 0: none is released
	Durable func() *durable.Machine // nil: one workflow has the whole run
	Events  int                     // that one step adds to a history at most; 0: no bound is known

	Children Children // nodes whose runs are child workflows
}

// Answers are how nodes that ask are answered, by their paths.
type Answers[M any] map[string]func(json.RawMessage) (graphgen.Answer[M], error)

// New returns the graph of a machine that was made with proxies. err is why there is no machine.
func New[M, I, O, S any](a *Activities, machine *M, err error, methods Methods[M, I, O, S]) (*Graph[M, I, O, S], error) {
	if err != nil {
		return nil, err
	}
	g := &Graph[M, I, O, S]{a, machine, methods}
	for node, of := range methods.Children {
		if of == nil {
			methods.Children[node] = g
		}
	}
	a.children = methods.Children
	return g, nil
}

// Machine returns the machine with proxies, for the graphs whose nodes run it; nil of no graph.
func (g *Graph[M, I, O, S]) Machine() *M {
	if g == nil {
		return nil
	}
	return g.machine
}

// Nested returns the activities, for the graphs whose nodes run this one; nil of no graph.
func (g *Graph[M, I, O, S]) Nested() *Activities {
	if g == nil {
		return nil
	}
	return g.activities
}

// Decides returns how a node is answered that asks for a decision.
func Decides[M any](answer func(graphgen.Decision) graphgen.Answer[M]) func(json.RawMessage) (graphgen.Answer[M], error) {
	return func(data json.RawMessage) (graphgen.Answer[M], error) {
		var word string
		if err := json.Unmarshal(data, &word); err != nil {
			return graphgen.Answer[M]{}, errDecision
		}
		for _, d := range []graphgen.Decision{graphgen.Approve, graphgen.Deny} {
			if d.String() == word {
				return answer(d), nil
			}
		}
		return graphgen.Answer[M]{}, errDecision
	}
}

var errDecision = &graphgen.AnswerError{Err: errors.New(`neither "approve" nor "deny"`)}

// Replies returns how a node is answered that asks for a value.
func Replies[M, A any](answer func(A) graphgen.Answer[M], read codec.Reader[A]) func(json.RawMessage) (graphgen.Answer[M], error) {
	return func(data json.RawMessage) (graphgen.Answer[M], error) {
		var value A
		if err := codec.Unmarshal(data, codec.Into(&value, read)); err != nil {
			return graphgen.Answer[M]{}, &graphgen.AnswerError{Err: err}
		}
		return answer(value), nil
	}
}

// Name returns the name of the graph, which is the type of its workflow.
func (g *Graph[M, I, O, S]) Name() string { return g.activities.graph }

// Register registers the workflow with a worker, and its activities. A worker that has other task queues for some activities registers these with
// RegisterActivities.
func (g *Graph[M, I, O, S]) Register(r worker.Registry) {
	g.RegisterWorkflow(r)
	g.RegisterActivities(r)
}

// RegisterWorkflow registers the workflow and its child workflows alone, as with a replayer of histories.
func (g *Graph[M, I, O, S]) RegisterWorkflow(r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(g.execute, workflow.RegisterOptions{Name: g.Name()})
	g.RegisterChildren(r)
}

// RegisterActivities registers the activities alone.
func (g *Graph[M, I, O, S]) RegisterActivities(r worker.ActivityRegistry) {
	g.activities.RegisterActivities(r)
}

// Drive calls f in a workflow of your own, and returns when f has returned: f runs a machine with proxies, as Graph.Machine has it, with the driver, the
// options and a context that is within the one that f gets. What the workflow panics with fails its task. Child workflows that wait for people when f
// returns are cancelled. A request of one takes an answer in JSON alone, as of graphgen.AnswerJSON.
func Drive(w workflow.Context, a *Activities, f func(ctx context.Context, by driver.Driver, options []graphgen.Option)) error {
	h := newHost(w, a)
	ended := false
	workflow.Go(h.root, func(w workflow.Context) {
		f(h.within(context.Background(), w), h.driver(), a.runs)
		h.endChildren(w)
		ended = true
	})
	if err := workflow.Await(h.root, func() bool { return ended || h.broken != nil }); err != nil {
		return err
	}
	if h.broken != nil {
		panic(h.broken)
	}
	return nil
}

// Workflow makes one run of the graph, in a workflow of your own. It has the whole run.
func (g *Graph[M, I, O, S]) Workflow(w workflow.Context, in I) (O, error) {
	return newRun(g, w).do(in)
}

// execute is the workflow that Register registers: it makes a run with the machine of the release with which the workflow has begun. from is what an earlier
// workflow has handed over to this one.
func (g *Graph[M, I, O, S]) execute(w workflow.Context, in json.RawMessage, from *handed) (json.RawMessage, error) {
	release := g.methods.Release
	if from != nil {
		release = from.Release
	} else if release > 0 {
		release = max(0, int(workflow.GetVersion(w, "graphgen."+g.Name(), workflow.DefaultVersion, workflow.Version(release))))
	}
	return g.of(release).run(w, in, from, release)
}

func (g *Graph[M, I, O, S]) run(w workflow.Context, data json.RawMessage, from *handed, release int) (json.RawMessage, error) {
	var in I
	if from == nil && len(data) > 0 {
		if err := json.Unmarshal(data, &in); err != nil {
			if workflow.IsReplaying(w) { // by a worker of another version
				panic(err)
			}
			return nil, temporal.NewNonRetryableApplicationError("the input: "+err.Error(), graphgen.Failed.String(), nil)
		}
	}
	r := newRun(g, w)
	r.release = release
	r.handover = &handover{from: from}
	out, err := r.do(in)
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}
