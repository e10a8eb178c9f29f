package temporal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strconv"
	"strings"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/driver"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A node with child_workflow: true makes the run of its graph in a child workflow. What the runs around it give it, such as what is left of budgets,
// are arguments of the child workflow, and the report is its result. So the run is what it is in the workflow of its parent. Where it waits for people,
// the child workflow signals its requests to the parent, whose run pauses with them, and has the answers in a signal from there.

// The signals between the two.
const (
	signalWaits    = "graphgen.waits"    // to the parent: a childWaits
	signalContinue = "graphgen.continue" // to the child: a childNext
)

// Children are the graphs that nodes run as child workflows, by their nodes; nil: the graph itself.
type Children map[string]childGraph

// A childGraph is a graph whose runs may be child workflows: a Graph of any machine.
type childGraph interface {
	runWithin(ctx context.Context, in json.RawMessage, option graphgen.RunOption) (json.RawMessage, error)
	stateAt(e graphgen.Event) (json.RawMessage, error)
	check(path string, q *graphgen.Request, answer []byte) error
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

// check returns why an answer does not fit a request of a node, which has a path, of a run of the graph.
func (g *Graph[M, I, O, S]) check(path string, q *graphgen.Request, data []byte) error {
	if q.Kind != graphgen.RequestReply {
		return engine.CheckWord(q.Kind, data)
	}
	typed := g.methods.Answers[path]
	if typed == nil { // as in a graph that runs itself: the run that asks checks the answer, and asks again
		return nil
	}
	answer, err := typed(data)
	if e, ok := errors.AsType[*graphgen.AnswerError](err); ok {
		return e.Err
	}
	return cmp.Or(err, engine.Invalid(answer))
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

// A childNext is what a child workflow that waits gets.
type childNext struct {
	Around []driver.Around `json:"around"`
	Left   int64           `json:"left,omitempty"` // as in childTask
	sent                   // the answers
}

// A childDone is what a child workflow returns, or has in the details of its error.
type childDone struct {
	Err     *carried         `json:"err,omitempty"`
	Ends    int              `json:"ends,omitempty"` // the number of the run around it that ends too, from 1
	Counted []driver.Counted `json:"counted,omitempty"`
	sent                     // the report, and the output
}

// A childWaits is what a child workflow sends that waits.
type childWaits struct {
	Child     string `json:"child"` // its ID
	childDone        // the report so far, and the requests
}

// An openChild is a child workflow that has not ended.
type openChild struct {
	name      string
	future    workflow.ChildWorkflowFuture
	cancel    workflow.CancelFunc
	started   bool
	cancelled bool
	stopped   bool
	waits     *childWaits // has arrived
	asked     []string    // the IDs of the requests for which it waits
}

// Child makes a child run in a child workflow, or continues it there.
func (h *host) Child(ctx context.Context, c *driver.Child) (ended *driver.Ended, err error) {
	if ctx.Err() != nil && !c.Continues {
		return nil, context.Cause(ctx)
	}
	h.do(ctx, func(w workflow.Context) {
		id := h.childID(c)
		o := h.open[id]
		switch {
		case o == nil && c.Continues:
			err = errors.New("the child workflow " + id + " is none of this workflow")
			return
		case o == nil:
			o = h.start(ctx, w, id, c)
		case ctx.Err() == nil:
			h.sendAnswers(ctx, w, o, c)
		}
		var values []json.RawMessage
		o.asked = nil
		done := o.await(ctx, w, c.Stopping)
		waits := done != nil
		if !waits {
			delete(h.open, id)
			if done, err = o.result(ctx, w); err != nil {
				return
			}
		}
		h.stores(w, func() error { values, err = h.set.unpack(context.Background(), done.sent); return err })
		if err == nil {
			ended, err = done.ended(ctx, values, waits)
		}
		if err == nil && waits {
			ended.Check = h.checks(o, c.Around)
			for i := range ended.Waits {
				o.asked = append(o.asked, ended.Waits[i].ID)
			}
		}
	})
	return ended, err
}

// childID returns the ID of the child workflow of a child run.
func (h *host) childID(c *driver.Child) string {
	id := workflow.GetInfo(h.root).WorkflowExecution.ID + strings.TrimPrefix(c.Place, h.place)
	if at := c.Around[len(c.Around)-1]; at.Attempt > 1 {
		id += "." + strconv.Itoa(at.Attempt)
	}
	return id
}

// endedWaiting returns the ID of a request of a child workflow that has ended while it waited; empty: there is none. With an answer to the request,
// whatever it is, the node of the child workflow is executed again, and fails.
func (h *host) endedWaiting() string {
	for _, id := range sorted(h.open) {
		if o := h.open[id]; len(o.asked) > 0 && o.future.IsReady() {
			return o.asked[0]
		}
	}
	return ""
}

// checks returns what checks answers to requests of a child workflow. Those within it have the nodes around them in their paths.
func (h *host) checks(o *openChild, around []driver.Around) func(*graphgen.Request, []byte) error {
	graph, outside := h.acts.childrenOf()[o.name], 0
	for _, a := range around {
		outside += len(a.Node) + 1
	}
	return func(q *graphgen.Request, data []byte) error {
		if o.future.IsReady() {
			return nil
		}
		return graph.check((q.Within + "/" + q.Node)[outside:], q, data)
	}
}

// start starts a child workflow.
func (h *host) start(ctx context.Context, w workflow.Context, id string, c *driver.Child) *openChild {
	h.receive()
	given := &childTask{Around: c.Around, Place: c.Place, Release: h.release, Left: h.left(ctx)}
	h.stores(w, func() (err error) {
		given.sent, err = h.set.pack(context.Background(), []json.RawMessage{c.Input})
		return err
	})
	at := c.Around[len(c.Around)-1]
	child := &openChild{name: at.Node}
	if at.Graph != h.name {
		child.name = at.Graph + "." + at.Node
	}
	o := h.set.children[child.name]
	o.WorkflowID, o.WaitForCancellation = id, true
	own, cancel := workflow.WithCancel(workflow.WithChildOptions(h.root, o))
	child.future, child.cancel = workflow.ExecuteChildWorkflow(own, h.name+"."+child.name, given), cancel
	h.open[id] = child
	workflow.Go(h.root, func(w workflow.Context) {
		child.started = child.future.GetChildWorkflowExecution().Get(w, nil) == nil
	})
	return child
}

// left returns what is left of the time limits of a context, 0 if it has none.
func (h *host) left(ctx context.Context) int64 {
	if end, ok := ctx.Deadline(); ok {
		return max(1, int64(end.Sub(h.Now())))
	}
	return 0
}

// receive takes what child workflows send that wait.
func (h *host) receive() {
	if h.receives {
		return
	}
	h.receives = true
	workflow.Go(h.root, func(w workflow.Context) {
		for {
			waits := new(childWaits)
			workflow.GetSignalChannel(h.root, signalWaits).Receive(w, waits)
			if o := h.open[waits.Child]; o != nil {
				o.waits = waits
			}
		}
	})
}

// sendAnswers sends a child workflow that waits what it needs to continue.
func (h *host) sendAnswers(ctx context.Context, w workflow.Context, o *openChild, c *driver.Child) {
	next := &childNext{Around: c.Around, Left: h.left(ctx)}
	answers, err := json.Marshal(c.Answers)
	if err != nil {
		panic(err)
	}
	h.stores(w, func() (err error) {
		next.sent, err = h.set.pack(context.Background(), []json.RawMessage{answers})
		return err
	})
	o.waits = nil // of a run that Temporal has tried again meanwhile
	o.future.SignalChildWorkflow(w, signalContinue, next)
}

// endChildren cancels the child workflows that have not ended, and waits for their ends.
func (h *host) endChildren(w workflow.Context) {
	h.do(h.within(context.Background(), w), func(w workflow.Context) {
		for _, id := range sorted(h.open) {
			o := h.open[id]
			o.cancel()
			_ = o.future.Get(w, nil)
		}
	})
}

// await returns what a child workflow has sent that waits; nil: it has ended. The end of the context cancels it, a stop is passed on to it.
func (o *openChild) await(ctx context.Context, w workflow.Context, stopping func() bool) *childDone {
	for !o.future.IsReady() {
		err := workflow.Await(w, func() bool {
			return o.future.IsReady() || o.waits != nil || !o.cancelled && ctx.Err() != nil || !o.stopped && o.started && stopping()
		})
		waits := o.waits
		o.waits = nil
		switch {
		case err != nil:
			panic(err)
		case !o.cancelled && ctx.Err() != nil:
			o.cancelled = true
			o.cancel()
		case waits != nil && !o.cancelled && !o.future.IsReady():
			return &waits.childDone
		case !o.stopped && o.started && stopping():
			o.stopped = true
			o.future.SignalChildWorkflow(w, SignalStop, nil)
		}
	}
	return nil
}

// result returns what a child workflow that has ended has returned.
func (o *openChild) result(ctx context.Context, w workflow.Context) (*childDone, error) {
	done := new(childDone)
	err := o.future.Get(w, done)
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

// ended returns how the run has ended, or what it waits for.
func (d *childDone) ended(ctx context.Context, values []json.RawMessage, waits bool) (*driver.Ended, error) {
	e := &driver.Ended{Ends: d.Ends - 1, Counted: d.Counted}
	switch {
	case len(values) == 0:
		return nil, errors.New("the child workflow has returned no report")
	case waits:
		if err := json.Unmarshal(values[1], &e.Waits); err != nil {
			return nil, err
		}
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
