package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/errtree"
)

// Activities are the activities of a graph: generated proxies call them in a workflow, and they call the handlers, tools and models of the graph in a
// worker.
type Activities struct {
	graph string
	set   *settings
	own   []registered
	inner []*Activities // of graphs that its nodes run
}

type registered struct {
	name string
	call func(context.Context, task) (outcome, error)
}

// NewActivities returns the activities of a graph, none yet, and those of graphs that its nodes run.
func NewActivities(graph string, opts []Option, inner ...*Activities) *Activities {
	return &Activities{graph: graph, set: newSettings(opts), inner: slices.DeleteFunc(inner, func(a *Activities) bool { return a == nil })}
}

// Handle adds an activity: f executes a task in a worker.
func (a *Activities) Handle(name string, f func(ctx context.Context, t *Task) error) {
	a.own = append(a.own, registered{name, func(ctx context.Context, given task) (outcome, error) { return a.execute(ctx, given, f) }})
}

// register registers the activities, and those of graphs that nodes run.
func (a *Activities) register(r worker.ActivityRegistry) {
	for _, one := range a.own {
		r.RegisterActivityWithOptions(one.call, activity.RegisterOptions{Name: a.graph + "." + one.name, DisableAlreadyRegisteredCheck: true})
	}
	for _, other := range a.inner {
		other.register(r)
	}
}

// A task is what an activity gets.
type task struct {
	Key  string          `json:"k,omitempty"` // for effects
	Step *step           `json:"s,omitempty"`
	In   json.RawMessage `json:"i,omitempty"`
}

// An outcome is what an activity returns.
type outcome struct {
	Out []json.RawMessage `json:"o,omitempty"`
}

// A Task is one execution of an activity.
type Task struct {
	in  json.RawMessage
	out []json.RawMessage
}

// In decodes what the activity gets.
func (t *Task) In(to any) error {
	if err := json.Unmarshal(t.in, to); err != nil {
		return fmt.Errorf("the input of the activity is of another version of the graph: %w", err)
	}
	return nil
}

// Out encodes what the activity returns.
func (t *Task) Out(values ...any) error {
	t.out = make([]json.RawMessage, len(values))
	for i, v := range values {
		data, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("the output has no JSON: %w", err)
		}
		t.out[i] = data
	}
	return nil
}

// execute executes a task in a worker.
func (a *Activities) execute(ctx context.Context, given task, f func(context.Context, *Task) error) (done outcome, err error) {
	defer beat(ctx)()
	defer func() {
		if v := recover(); v != nil {
			err = failed(&failure{Text: errtree.PanicText(v), Panic: true}, nil)
		}
	}()
	t := &Task{in: given.In}
	if err := f(stepContext(ctx, &given), t); err != nil {
		return outcome{}, failed(failureOf(err), nil)
	}
	return outcome{t.out}, nil
}

// beat sends heartbeats until the returned function is called.
func beat(ctx context.Context) (stop func()) {
	limit := activity.GetInfo(ctx).HeartbeatTimeout
	if limit <= 0 {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		ticks := time.NewTicker(limit / 3)
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
				activity.RecordHeartbeat(ctx)
			case <-done:
				return
			}
		}
	}()
	return func() { close(done) }
}

// Call executes an activity, for a generated proxy: in is what it gets, nil for nothing; out are pointers to what it returns. ctx is a context of a
// run of the workflow. The run waits until the activity has ended, or the context of its node; then the activity is cancelled.
func (a *Activities) Call(ctx context.Context, name string, in any, out ...any) error {
	h, _ := ctx.Value(hostKey{}).(*host)
	if h == nil {
		return errNoHost
	}
	given := task{Key: h.short(graphgen.IdempotencyKey(ctx)), Step: stepOf(graphgen.Info(ctx))}
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("the input of the activity %s has no JSON: %w", name, err)
		}
		given.In = data
	}
	var done outcome
	var failed error
	h.do(ctx, func(w workflow.Context) { done, failed = a.schedule(ctx, w, h, name, &given) })
	if failed != nil {
		return returned(ctx, failed)
	}
	if len(done.Out) != len(out) {
		return fmt.Errorf("the activity %s returned %d values, not %d: it is of another version of the graph", name, len(done.Out), len(out))
	}
	for i, data := range done.Out {
		if err := json.Unmarshal(data, out[i]); err != nil {
			return fmt.Errorf("what the activity %s returned is of another version of the graph: %w", name, err)
		}
	}
	return nil
}

// schedule schedules an activity and waits for its end.
func (a *Activities) schedule(ctx context.Context, w workflow.Context, h *host, name string, given *task) (done outcome, err error) {
	if ctx.Err() != nil {
		return done, context.Cause(ctx)
	}
	o := a.set.of(name)
	if end, ok := ctx.Deadline(); ok {
		o.StartToCloseTimeout = min(o.StartToCloseTimeout, max(end.Sub(h.Now()), time.Millisecond))
	}
	own, cancel := workflow.WithCancel(workflow.WithActivityOptions(w, o))
	future := workflow.ExecuteActivity(own, a.graph+"."+name, given)
	if err := workflow.Await(w, func() bool { return future.IsReady() || ctx.Err() != nil }); err != nil {
		panic(err)
	}
	if !future.IsReady() {
		cancel()
		return done, ctx.Err()
	}
	err = future.Get(own, &done)
	return done, err
}

// returned returns the error of an activity for the run. It panics with what the handler has panicked with.
func returned(ctx context.Context, err error) error {
	if f := failureIn(err); f != nil {
		if f.Panic {
			panic(f.Text)
		}
		return f.error()
	}
	if _, ok := errors.AsType[*temporal.ActivityError](err); ok {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return graphgen.Transient(err)
	}
	return err
}
