package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/driver"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A node with child_workflow: true makes the run of its graph in a child workflow. What the runs around it give it, such as what is left of budgets,
// are arguments of the child workflow, and the report is its result. So the run is what it is in the workflow of its parent.

// Children are the graphs that nodes run as child workflows, by their nodes; nil: the graph itself.
type Children map[string]childGraph

// A childGraph is a graph whose runs may be child workflows: a Graph of any machine.
type childGraph interface {
	runWithin(ctx context.Context, in json.RawMessage, option graphgen.RunOption) (json.RawMessage, error)
	stateAt(e graphgen.Event) (json.RawMessage, error)
}

func (g *Graph[M, I, O, S]) acts() *Activities { return g.activities }

// runWithin makes a run of the graph within another run.
func (g *Graph[M, I, O, S]) runWithin(ctx context.Context, data json.RawMessage, option graphgen.RunOption) (json.RawMessage, error) {
	var in I
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, err
	}
	out, err := g.methods.Run(ctx, in, option)
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// stateAt returns the state as it is committed at an event.
func (g *Graph[M, I, O, S]) stateAt(e graphgen.Event) (json.RawMessage, error) {
	s := graphgen.State[S](e)
	if s == nil {
		return nil, errors.New("the run has not begun")
	}
	return codec.Marshal(g.methods.State(*s))
}

// childName is the name of the child workflows of a node of a graph, without the name of the graph whose workflow has them.
func (a *Activities) childName(graph, node string) string {
	if graph == a.graph {
		return node
	}
	return graph + "." + node
}

// addChildren adds the names of all child workflows of the graph, and of graphs that its nodes run.
func (a *Activities) addChildren(root *Activities, to map[string]childGraph) {
	for node, of := range a.children {
		to[root.childName(a.graph, node)] = of
	}
	for _, other := range a.inner {
		other.addChildren(root, to)
	}
}

// childrenOf returns the graphs of child workflows by the names of these.
func (a *Activities) childrenOf() map[string]childGraph {
	all := map[string]childGraph{}
	a.addChildren(a, all)
	return all
}

// RegisterChildren registers the child workflows alone. RegisterWorkflow does that too.
func (g *Graph[M, I, O, S]) RegisterChildren(r worker.WorkflowRegistry) {
	all := g.activities.childrenOf()
	for _, earlier := range g.activities.set.releases {
		maps.Copy(all, earlier.acts().childrenOf())
	}
	for name := range all {
		r.RegisterWorkflowWithOptions((&childWorkflow{g.of, name}).execute, workflow.RegisterOptions{Name: g.Name() + "." + name})
	}
}

// A childWorkflow is a child workflow of a name, of the machine of any release.
type childWorkflow struct {
	of   func(release int) Workflow
	name string
}

// execute is the workflow that RegisterChildren registers. It is a method, as the SDK knows functions by the ends of their names, too.
func (c *childWorkflow) execute(w workflow.Context, given *childTask) (*childDone, error) {
	return runChild(w, c.of(given.Release), c.name, given)
}

// A childTask is what a child workflow gets.
type childTask struct {
	Around  []driver.Around `json:"around"`
	Place   string          `json:"place"`
	Release int             `json:"release,omitempty"` // of the workflow that no other is around
	Left    int64           `json:"left,omitempty"`    // nanoseconds of the time limits around the run; 0: there are none
	sent                    // the input
}

// A childDone is what a child workflow returns, or has in the details of its error.
type childDone struct {
	Err     *carried         `json:"err,omitempty"`
	Ends    int              `json:"ends,omitempty"` // the number of the run around it that ends too, from 1
	Counted []driver.Counted `json:"counted,omitempty"`
	sent                     // the report, and the output
}

// Child makes a child run in a child workflow.
func (h *host) Child(ctx context.Context, c *driver.Child) (ended *driver.Ended, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	h.do(ctx, func(w workflow.Context) {
		var done *childDone
		if done, err = h.child(ctx, w, c); err != nil {
			return
		}
		var values []json.RawMessage
		h.stores(w, func() error { values, err = h.set.unpack(context.Background(), done.sent); return err })
		if err == nil {
			ended, err = done.ended(ctx, values)
		}
	})
	return ended, err
}

// child starts a child workflow, and returns what it has returned. The end of the context cancels it, a stop is passed on to it.
func (h *host) child(ctx context.Context, w workflow.Context, c *driver.Child) (*childDone, error) {
	given := &childTask{Around: c.Around, Place: c.Place, Release: h.release}
	if end, ok := ctx.Deadline(); ok {
		given.Left = max(1, int64(end.Sub(h.Now())))
	}
	h.stores(w, func() (err error) {
		given.sent, err = h.set.pack(context.Background(), []json.RawMessage{c.Input})
		return err
	})
	at := c.Around[len(c.Around)-1]
	name := at.Node
	if at.Graph != h.name {
		name = at.Graph + "." + at.Node
	}
	o := h.set.children[name]
	o.WorkflowID, o.WaitForCancellation = workflow.GetInfo(h.root).WorkflowExecution.ID+strings.TrimPrefix(c.Place, h.place), true
	if at.Attempt > 1 {
		o.WorkflowID += "." + strconv.Itoa(at.Attempt)
	}
	own, cancel := workflow.WithCancel(workflow.WithChildOptions(w, o))
	h.children++
	defer func() { h.children-- }()
	future := workflow.ExecuteChildWorkflow(own, h.name+"."+name, given)
	started, cancelled, stopped := false, false, false
	workflow.Go(w, func(w workflow.Context) {
		started = future.GetChildWorkflowExecution().Get(w, nil) == nil
	})
	for !future.IsReady() {
		err := workflow.Await(w, func() bool {
			return future.IsReady() || !cancelled && ctx.Err() != nil || !stopped && started && c.Stopping()
		})
		switch {
		case err != nil:
			panic(err)
		case !cancelled && ctx.Err() != nil:
			cancelled = true
			cancel()
		case !stopped && started && c.Stopping():
			stopped = true
			future.SignalChildWorkflow(w, SignalStop, nil)
		}
	}
	done := new(childDone)
	err := future.Get(w, done)
	if err == nil {
		return done, nil
	}
	var details interface {
		HasDetails() bool
		Details(...any) error
	}
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok && app.HasDetails() {
		details = app
	} else if end, ok := errors.AsType[*temporal.CanceledError](err); ok && end.HasDetails() {
		details = end
	}
	switch _, late := errors.AsType[*temporal.TimeoutError](err); {
	case details != nil && details.Details(done) == nil:
		return done, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case late:
		return nil, graphgen.Transient(err)
	}
	return nil, err
}

// ended returns how the run has ended.
func (d *childDone) ended(ctx context.Context, values []json.RawMessage) (*driver.Ended, error) {
	e := &driver.Ended{Ends: d.Ends - 1, Counted: d.Counted}
	switch {
	case len(values) == 0:
		return nil, errors.New("the child workflow has returned no report")
	case len(values) > 1:
		e.Output = values[1]
	}
	rep := new(carriedReport)
	if err := json.Unmarshal(values[0], rep); err != nil {
		return nil, err
	}
	e.Report = rep.report(ctx)
	if d.Err != nil {
		e.Err = d.Err.error(ctx, e.Report)
	}
	return e, nil
}

// A childRun is the run of a child workflow.
type childRun struct {
	*host
	ctx     context.Context
	graph   childGraph
	cancel  context.CancelCauseFunc
	stopper graphgen.Stopper
	info    *graphgen.RunInfo
	last    graphgen.Event
	done    *childDone
	err     error // of the run
	wrong   error
}

// errAround is why a run in a child workflow ends: the context of the run around it has ended. That has the cause.
var errAround = errors.New("the run around it ends")

// runChild makes the run of a child workflow.
func runChild(w workflow.Context, root Workflow, name string, given *childTask) (*childDone, error) {
	a := root.acts()
	r := &childRun{host: newHost(w, a.graph, a.set), graph: a.childrenOf()[name]}
	r.release, r.place = given.Release, given.Place
	if r.graph == nil {
		panic("the machine of the release that began the run has no child workflow " + name)
	}
	ctx, cancel := context.WithCancelCause(r.within(context.Background(), r.root))
	r.ctx, r.cancel = ctx, cancel
	if err := r.listen(w); err != nil {
		return nil, err
	}
	workflow.Go(r.root, func(w workflow.Context) {
		done, err := r.run(w, a, given)
		r.done, r.wrong = done, err
	})
	err := workflow.Await(r.root, func() bool { return r.broken != nil || r.done != nil || r.wrong != nil })
	switch {
	case err != nil:
		return nil, err
	case r.broken != nil:
		panic(r.broken)
	case r.wrong != nil:
		panic(r.wrong)
	case r.err == nil:
		return r.done, nil
	case w.Err() != nil:
		return nil, temporal.NewCanceledError(r.done)
	}
	reason := graphgen.Failed
	if e, ok := errors.AsType[*graphgen.RunError](r.err); ok {
		reason = e.Reason
	}
	return nil, temporal.NewNonRetryableApplicationError(r.err.Error(), reason.String(), nil, r.done)
}

// run makes the run in a coroutine of its own.
func (r *childRun) run(w workflow.Context, a *Activities, given *childTask) (*childDone, error) {
	ctx := r.within(r.ctx, w)
	var values []json.RawMessage
	r.do(ctx, func(w workflow.Context) {
		r.stores(w, func() (err error) { values, err = r.set.unpack(context.Background(), given.sent); return err })
	})
	if given.Left > 0 {
		limited, free := driver.WithTimeoutCause(ctx, r, time.Duration(given.Left), errAround)
		defer free()
		ctx = limited
	}
	options := []graphgen.RunOption{
		driver.With(r.driver()), graphgen.WithStopper(&r.stopper), graphgen.WithObserver(r.observe),
		graphgen.Options(a.runs...), quiet(r.live, r.set.runs),
	}
	stand := engine.StandIn(ctx, given.Around, options)
	out, err := r.graph.runWithin(ctx, values[0], stand.Option())
	r.err = err
	e := stand.Ended(err)
	if e.Report == nil {
		return nil, errors.Join(errors.New("the run has no report"), err)
	}
	done := &childDone{Err: carry(err), Ends: e.Ends + 1, Counted: e.Counted}
	report, err := json.Marshal(carryReport(e.Report))
	if err != nil {
		return nil, err
	}
	values = []json.RawMessage{report}
	if out != nil {
		values = append(values, out)
	}
	r.do(ctx, func(w workflow.Context) {
		r.stores(w, func() (err error) { done.sent, err = r.set.pack(context.Background(), values); return err })
	})
	return done, nil
}

// live reports whether what happens has not happened before.
func (r *childRun) live() bool { return !r.closed && !workflow.IsReplaying(r.root) }

// observe keeps what queries ask for: the last event of the run itself.
func (r *childRun) observe(e graphgen.Event) {
	if r.info == nil {
		r.info = e.Run
	}
	if e.Run.Within == r.info.Within && e.Run.Branch == r.info.Branch {
		r.last = e
	}
}

// listen sets the handlers of messages.
func (r *childRun) listen(w workflow.Context) error {
	err := errors.Join(
		workflow.SetQueryHandler(w, QueryStatus, func() (Status, error) {
			s := Status{Phase: Running, Node: r.last.Node, Step: r.last.Step}
			if r.done != nil {
				s.Phase, s.Ended = Ended, graphgen.Completed.String()
				if e, ok := errors.AsType[*graphgen.RunError](r.err); ok {
					s.Ended = e.Reason.String()
				}
			}
			return s, nil
		}),
		workflow.SetQueryHandler(w, QueryState, func() (json.RawMessage, error) { return r.graph.stateAt(r.last) }),
	)
	workflow.Go(r.root, func(own workflow.Context) {
		workflow.GetSignalChannel(w, SignalStop).Receive(own, nil)
		r.stopper.Stop()
	})
	workflow.Go(w, func(w workflow.Context) {
		if w.Done().Receive(w, nil); w.Err() != nil {
			r.cancel(errAround)
		}
	})
	return err
}
