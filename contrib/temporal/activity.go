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
	"github.com/graphgen/graphgen/runtime/codec"
)

// Activities are the activities of a graph: generated proxies call them in a workflow, and they call the handlers, tools and models of the graph in a
// worker.
type Activities struct {
	graph    string
	set      *settings
	own      []registered
	inner    []*Activities     // of graphs that its nodes run
	children Children          // by node
	runs     []graphgen.Option // with models and tools that are activities
}

type registered struct {
	name string
	call func(context.Context, task) (outcome, error)
}

// NewActivities returns the activities of a graph and of the graphs that its nodes run. So far it has only activities that options give.
func NewActivities(graph string, opts []Option, inner ...*Activities) *Activities {
	a := &Activities{graph: graph, set: newSettings(opts), inner: slices.DeleteFunc(inner, func(a *Activities) bool { return a == nil })}
	for _, model := range a.set.models {
		a.runs = append(a.runs, model(a))
	}
	for _, earlier := range a.set.releases {
		earlier.acts().takeStores(a)
	}
	return a
}

// takeStores gives the graph of an earlier release, and graphs that its nodes run, the stores of the graphs of their names, whose activities serve both.
func (a *Activities) takeStores(from *Activities) {
	if now := from.named(a.graph); now != nil && a.set.store == nil {
		a.set.store, a.set.inline = now.set.store, now.set.inline
	}
	for _, other := range a.inner {
		other.takeStores(from)
	}
}

// named returns the activities of a graph of a name: of this one, or of one that its nodes run; nil: there are none.
func (a *Activities) named(graph string) *Activities {
	if a.graph == graph {
		return a
	}
	for _, other := range a.inner {
		if found := other.named(graph); found != nil {
			return found
		}
	}
	return nil
}

// Handle adds an activity: f executes a task in a worker.
func (a *Activities) Handle(name string, f func(ctx context.Context, t *Task) error) {
	a.own = append(a.own, registered{name, func(ctx context.Context, given task) (outcome, error) { return a.execute(ctx, given, f) }})
}

// RegisterActivities registers the activities of the graph and of graphs that its nodes run.
func (a *Activities) RegisterActivities(r worker.ActivityRegistry) {
	for _, one := range a.own {
		r.RegisterActivityWithOptions(one.call, activity.RegisterOptions{Name: a.graph + "." + one.name, DisableAlreadyRegisteredCheck: true})
	}
	for _, other := range a.inner {
		other.RegisterActivities(r)
	}
}

// A task is what an activity gets.
type task struct {
	Key    string           `json:"k,omitempty"` // for effects
	Step   *step            `json:"s,omitempty"`
	Left   graphgen.Budgets `json:"l,omitzero"`  // for the calls of a model; 0: no bound
	Counts bool             `json:"c,omitempty"` // the workflow counts each call of a model and what it has used; earlier versions do not
	sent
}

// An outcome is what an activity returns.
type outcome struct {
	sent
}

// sent are values as the history has them.
type sent struct {
	Values []json.RawMessage `json:"i,omitempty"`
	Stored uint64            `json:"r,omitempty"` // a bit for each value of which the name in the store is there
}

// pack returns values as the history has them.
func (s *settings) pack(ctx context.Context, of []json.RawMessage) (packed sent, err error) {
	for i, data := range of {
		if s.store != nil && len(data) > s.inline && i < 64 {
			name, err := s.store.put(ctx, data)
			if err != nil {
				return sent{}, err
			}
			data, packed.Stored = quoted(name), packed.Stored|1<<i
		}
		packed.Values = append(packed.Values, data)
	}
	return packed, nil
}

// unpack returns the values.
func (s *settings) unpack(ctx context.Context, packed sent) ([]json.RawMessage, error) {
	for i := range packed.Values {
		if packed.Stored&(1<<i) == 0 {
			continue
		}
		if s.store == nil {
			return nil, errNoStore
		}
		var name string
		err := json.Unmarshal(packed.Values[i], &name)
		if err == nil {
			packed.Values[i], err = s.store.get(ctx, name)
		}
		if err != nil {
			return nil, err
		}
	}
	return packed.Values, nil
}

// quoted returns a name as JSON.
func quoted(name string) json.RawMessage { return json.RawMessage(`"` + name + `"`) }

// A Task is one execution of an activity.
type Task struct {
	in, out []json.RawMessage
	left    graphgen.Budgets // of a model
	counts  bool             // as in task
}

// In decodes what the activity gets.
func (t *Task) In(to ...codec.Unmarshaler) error {
	if err := decode(t.in, to); err != nil {
		return fmt.Errorf("the input of the activity is of another version of the graph: %w", err)
	}
	return nil
}

// Out encodes what the activity returns, or returns the error that the handler has returned.
func (t *Task) Out(err error, of ...codec.Marshaler) error {
	if err != nil {
		return err
	}
	if t.out, err = encode(of); err != nil {
		return &unsendable{err}
	}
	return nil
}

// An unsendable is why a value has no JSON within the limits of its type. No other attempt has another one.
type unsendable struct{ err error }

func (e *unsendable) Error() string   { return e.err.Error() }
func (e *unsendable) Unwrap() error   { return e.err }
func (e *unsendable) Permanent() bool { return true }

// In lists what a proxy gives an activity.
func In(of ...codec.Marshaler) []codec.Marshaler { return of }

func encode(of []codec.Marshaler) (v []json.RawMessage, err error) {
	for _, one := range of {
		data, err := codec.Marshal(one)
		if err != nil {
			return nil, err
		}
		v = append(v, data)
	}
	return v, nil
}

func decode(v []json.RawMessage, to []codec.Unmarshaler) error {
	if len(v) != len(to) {
		return fmt.Errorf("%d values where %d are due", len(v), len(to))
	}
	for i, data := range v {
		if err := codec.Unmarshal(data, to[i]); err != nil {
			return err
		}
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
	in, err := a.set.unpack(ctx, given.sent)
	if err != nil {
		return outcome{}, err // of the store: Temporal tries again
	}
	t := &Task{in: in, left: given.Left, counts: given.Counts}
	if err := f(stepContext(ctx, &given), t); err != nil {
		if _, ok := errors.AsType[*storeError](err); ok {
			return outcome{}, err
		}
		return outcome{}, failed(failureOf(err), nil)
	}
	done.sent, err = a.set.pack(ctx, t.out)
	return done, err
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

// Call executes an activity, for a generated proxy: in is what it gets, out is what it returns. ctx is a context of a run of the workflow. The run
// waits until the activity has ended, or the context of its node; then the activity is cancelled.
func (a *Activities) Call(ctx context.Context, name string, in []codec.Marshaler, out ...codec.Unmarshaler) error {
	h, _ := ctx.Value(hostKey{}).(*host)
	if h == nil {
		return errNoHost
	}
	values, err := encode(in)
	if err != nil {
		return fmt.Errorf("the input of the activity %s has no JSON: %w", name, err)
	}
	values, err = a.call(ctx, h, name, task{}, values)
	if err != nil {
		return returned(ctx, err)
	}
	if err := decode(values, out); err != nil {
		return fmt.Errorf("what the activity %s returned is of another version of the graph: %w", name, err)
	}
	return nil
}

// call executes an activity with values in JSON, and returns its values. A store that does not work fails the workflow task, which Temporal tries
// again. given is what else the activity gets.
func (a *Activities) call(ctx context.Context, h *host, name string, given task, values []json.RawMessage) (out []json.RawMessage, err error) {
	given.Key, given.Step = h.short(graphgen.IdempotencyKey(ctx)), stepOf(graphgen.Info(ctx))
	h.do(ctx, func(w workflow.Context) {
		h.stores(w, func() error { given.sent, err = a.set.pack(context.Background(), values); return err })
		var done outcome
		if done, err = a.schedule(ctx, w, h, name, &given); err == nil {
			h.stores(w, func() error { out, err = a.set.unpack(context.Background(), done.sent); return err })
		}
	})
	return out, err
}

// stores calls what may ask the store of a graph, which the graph of the workflow need not have. Its error fails the workflow task.
func (h *host) stores(w workflow.Context, f func() error) {
	if err := unwatched(w, f); err != nil {
		panic(err)
	}
}

// schedule schedules an activity and waits for its end.
func (a *Activities) schedule(ctx context.Context, w workflow.Context, h *host, name string, given *task) (done outcome, err error) {
	if ctx.Err() != nil {
		return done, context.Cause(ctx)
	}
	o := a.set.of(name)
	if end, ok := ctx.Deadline(); ok {
		o.StartToCloseTimeout = min(o.StartToCloseTimeout, max(end.Sub(h.Now()), 0)+grace)
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

// grace is how much longer an activity may take than the time limit of its node: the timer of the workflow comes first.
const grace = 5 * time.Second

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
