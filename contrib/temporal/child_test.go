package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	history "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/temporal"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest/frontend"
	"github.com/graphgen/graphgen/internal/testing/tier"
)

// A prober has the handlers and tools of the graphs errand, probe and digest.
type prober struct {
	effects
	search func(ctx context.Context, topic string) error // nil: it succeeds
}

func (p *prober) Search(ctx context.Context, in temporaltest.ProbeSearchIn) (temporaltest.ProbeSearchOut, error) {
	p.happens(ctx, "search")
	if i := graphgen.Info(ctx); i.Attempt == 1 && in.Topic == "Rome" {
		return temporaltest.ProbeSearchOut{}, graphgen.Transient(errors.New("busy"))
	}
	if p.search != nil {
		if err := p.search(ctx, in.Topic); err != nil {
			return temporaltest.ProbeSearchOut{}, err
		}
	}
	i := graphgen.Info(ctx)
	return temporaltest.ProbeSearchOut{Found: []string{fmt.Sprint(in.Topic, " in ", i.Graph, " within ", i.Within, " ", i.Branch, " step ", i.Step)}}, nil
}

func (p *prober) LookUp(ctx context.Context, args temporaltest.ProbeLookUpArgs) (int, error) {
	p.happens(ctx, "look up")
	return len(args.Place), nil
}

func (p *prober) Shorten(ctx context.Context, in temporaltest.DigestShortenIn) (temporaltest.DigestShortenOut, error) {
	p.happens(ctx, "shorten")
	return temporaltest.DigestShortenOut{Text: in.Text[:min(4, len(in.Text))]}, nil
}

func (p *prober) Explain(ctx context.Context) (temporaltest.ErrandExplainOut, error) {
	text := "none"
	if f := graphgen.Info(ctx).Failure; f != nil {
		text = f.Error()
	}
	return temporaltest.ErrandExplainOut{Trouble: text}, nil
}

// probing is a model that calls a tool once, then answers.
func probing(_ context.Context, r *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	last := r.Messages[len(r.Messages)-1]
	m := chat.Message{Role: chat.RoleAssistant}
	if last.Role == chat.RoleTool {
		m.Text = "It is " + last.Text + " letters long."
	} else {
		m.Calls = []chat.ToolCall{{ID: "1", Name: "look_up", Arguments: fmt.Sprintf(`{"place":%q}`, last.Text)}}
	}
	return &chat.Response{Message: m, Usage: chat.Usage{Input: 10, Output: 3}}, nil
}

// A probed run is what came of a run of the graph errand.
type probed struct {
	out     temporaltest.ErrandOutput
	err     string
	events  []string // in the order of their places
	report  graphgen.Report
	effects []string
}

func (p *probed) observe(e graphgen.Event) {
	switch e.Kind {
	case graphgen.Interrupt, graphgen.Token:
		return
	case graphgen.RunEnd:
		if e.Run.Within == "" && e.Run.Branch == "" {
			p.report = *e.Report()
		}
	}
	line := fmt.Sprintf("%s/%s %s %s %d.%d", e.Run.Within, e.Run.Branch, e.Kind, e.Node, e.Step, e.Visit)
	if e.Err != nil {
		line += ": " + e.Err.Error()
	}
	if m := e.Model(); e.Kind == graphgen.ModelEnd {
		line += fmt.Sprint(" ", m.Usage)
	}
	p.events = append(p.events, line)
}

// keyed adds the keys of effects, without the ID of the run.
func (p *probed) keyed(e *effects) {
	for key, n := range e.keys {
		what, key, _ := strings.Cut(key, " ")
		_, key, _ = strings.Cut(key, "/")
		p.effects = append(p.effects, fmt.Sprint(what, " ", key, " ", n))
	}
	slices.Sort(p.effects)
}

// started is the server of the last run in workflows.
var started atomic.Pointer[frontend.Server]

var errandInput = temporaltest.ErrandInput{Topics: []string{"Oslo", "Rome", "Bern"}}

// probeHere makes the run in this process, with no driver.
func probeHere(t *testing.T, search func(context.Context, string) error, last string, opts ...graphgen.Option) (p probed) {
	t.Helper()
	h := &prober{search: search}
	model := chat.ModelFunc(probing)
	d, err := temporaltest.NewDigest(h)
	if err != nil {
		t.Fatal(err)
	}
	in, err := temporaltest.NewProbe(h, h, model, d)
	if err != nil {
		t.Fatal(err)
	}
	m, err := temporaltest.NewErrand(h, in)
	if err != nil {
		t.Fatal(err)
	}
	options := []graphgen.CallOption{graphgen.WithObserver(p.observe)}
	for _, o := range opts {
		options = append(options, o)
	}
	var begins []graphgen.RunOption
	var again []graphgen.ResumeOption
	for _, o := range options {
		begins, again = append(begins, o), append(again, o)
	}
	var report graphgen.Report
	out, err := m.Run(t.Context(), errandInput, append(begins, graphgen.WithRunID("run"), graphgen.WithReport(&report))...)
	if pause := graphgen.AsPause(err); pause != nil {
		out, err = m.Resume(t.Context(), pause, temporaltest.AnswerErrandMore(last), append(again, graphgen.WithReport(&report))...)
	}
	p.out = out
	if err != nil {
		p.err = err.Error()
	}
	p.keyed(&h.effects)
	return p
}

// errand returns the graph as a workflow.
func errand(t *testing.T, h *prober, opts ...temporal.Option) *temporaltest.ErrandTemporal {
	t.Helper()
	opts = append(opts, temporal.WithStore(temporal.Folder(t.TempDir()), 0))
	d, err := temporaltest.NewDigestTemporal(h, opts...)
	if err != nil {
		t.Fatal(err)
	}
	in, err := temporaltest.NewProbeTemporal(h, h, chat.ModelFunc(probing), d, opts...)
	if err != nil {
		t.Fatal(err)
	}
	g, err := temporaltest.NewErrandTemporal(h, in, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// probeThere makes the run in workflows.
func probeThere(t *testing.T, search func(context.Context, string) error, last string, lose func(string, int) bool, opts ...temporal.Option) (
	p probed, s *frontend.Server, g *temporaltest.ErrandTemporal,
) {
	t.Helper()
	s = losing(t, lose)
	h := &prober{search: search}
	g = errand(t, h, append(opts, temporal.WithRuns(graphgen.WithObserver(func(e graphgen.Event) {
		h.mu.Lock()
		defer h.mu.Unlock()
		p.observe(e)
	})))...)
	defer works(t, s, g)()
	run, err := s.Client().ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "journey", TaskQueue: "payments"}, g.Name(), errandInput)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		text, err := json.Marshal(last)
		if err != nil {
			t.Fatal(err)
		}
		answered(t, s, "journey", "answer.more", temporal.Answer{Answer: text})
	}
	if err := run.Get(t.Context(), &p.out); err != nil {
		p.err = err.Error()
	}
	p.keyed(&h.effects)
	return p, s, g
}

// losing starts a server that loses what lose says. No task of its workflows fails.
func losing(t *testing.T, lose func(string, int) bool) *frontend.Server {
	t.Helper()
	s, err := frontend.Start(silent)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if f := s.Failures(); len(f) > 0 {
			t.Errorf("%d workflow tasks failed: %q", len(f), f[0])
		}
		s.Stop()
	})
	started.Store(s)
	s.Lose = lose
	return s
}

// same reports what differs between a run here and one in workflows.
func (p *probed) same(t *testing.T, of probed) {
	t.Helper()
	if !reflect.DeepEqual(p.out, of.out) || p.err != "" && !strings.Contains(p.err, of.err) || (p.err == "") != (of.err == "") {
		t.Errorf("it gives %+v, %q, and here %+v, %q", p.out, p.err, of.out, of.err)
	}
	if !slices.Equal(p.effects, of.effects) {
		t.Errorf("its effects are\n%s\nand here\n%s", strings.Join(p.effects, "\n"), strings.Join(of.effects, "\n"))
	}
	a, b := slices.Sorted(slices.Values(p.events)), slices.Sorted(slices.Values(of.events))
	if !slices.Equal(a, b) {
		t.Errorf("its events are\n%s\nand here\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
	if x, y := summed(&p.report, 0), summed(&of.report, 0); x != y {
		t.Errorf("its report is\n%s\nand here\n%s", x, y)
	}
}

// summed is what a report has besides times.
func summed(r *graphgen.Report, depth int) string {
	var b strings.Builder
	indent := strings.Repeat("  ", depth)
	fmt.Fprintln(&b, indent, r.Graph, r.Reason, r.Steps, r.NodePath(), r.Usage, r.ModelCalls, r.Tools, r.Retries, len(r.Failures), len(r.Prompts))
	for _, f := range r.Failures {
		fmt.Fprintln(&b, indent, f.Err, f.Soft, f.Cleared)
	}
	for _, n := range r.Nodes {
		fmt.Fprintln(&b, indent, n.Node, n.Visits, n.Usage, n.ModelCalls, n.Tools)
	}
	nested := slices.Clone(r.Nested)
	slices.SortFunc(nested, func(a, b graphgen.NestedReport) int { return strings.Compare(a.Branch, b.Branch) })
	for _, n := range nested {
		fmt.Fprintln(&b, indent, n.Node, n.Branch, n.Visit, n.Attempt)
		b.WriteString(summed(n.Report, depth+1))
	}
	return b.String()
}

// TestChildWorkflows holds that a run whose child runs are child workflows is the run that it is here: with the same events, report, keys of effects
// and output, whatever its workers lose, and with a failure of a child run that is tried again, and one that is not.
func TestChildWorkflows(t *testing.T) {
	fails := func(_ context.Context, topic string) error {
		if topic == "Atlantis" {
			return errors.New("sunk")
		}
		return nil
	}
	for _, last := range tier.Pick([]string{"Paris"}, []string{"Paris", "Atlantis"}, []string{"Paris", "Atlantis"}) {
		here := probeHere(t, fails, last)
		there, s, g := probeThere(t, fails, last, nil)
		there.same(t, here)
		children := s.Children()
		want := []string{
			"journey/0/2.ask", "journey/0/2.ask/0/4.digest", "journey/1/2.ask", "journey/1/2.ask/1/4.digest", "journey/2/2.ask", "journey/2/2.ask/2/4.digest",
			"journey/6.once", "journey/6.once/4.digest",
		}
		if last == "Atlantis" {
			want = want[:7]
		}
		if ids := slices.Sorted(maps.Keys(children)); !slices.Equal(ids, want) {
			t.Errorf("the child workflows are %q", ids)
		}
		r := worker.NewWorkflowReplayer()
		g.RegisterWorkflow(r)
		children["journey"] = s.History()
		for id, h := range children {
			o := worker.ReplayWorkflowHistoryOptions{OriginalExecution: workflow.Execution{ID: id}}
			if err := r.ReplayWorkflowHistoryWithOptions(silent, h, o); err != nil {
				t.Error(id, err)
			}
		}
		lossy, _, _ := probeThere(t, fails, last, func(_ string, n int) bool { return n%3 == 0 })
		if !reflect.DeepEqual(lossy.out, here.out) {
			t.Errorf("with what its workers lose it gives %+v", lossy.out)
		}
	}
}

// TestChildWorkflowsHandedOver holds that a run is handed over between its child workflows, and not while one is under way: it is the same run.
func TestChildWorkflowsHandedOver(t *testing.T) {
	here := probeHere(t, nil, "Paris")
	there, s, _ := probeThere(t, nil, "Paris", nil, temporal.WithHistory(1))
	if !reflect.DeepEqual(there.out, here.out) || !slices.Equal(there.effects, here.effects) {
		t.Errorf("it gives %+v with the effects %q, and here %+v with %q", there.out, there.effects, here.out, here.effects)
	}
	if n := len(s.Earlier()); n != 2 {
		t.Errorf("it was handed over %d times", n)
	}
}

// TestChildWorkflowStops holds that a stop is passed on to a child workflow, which ends before its next node, with the run.
func TestChildWorkflowStops(t *testing.T) {
	var stopper graphgen.Stopper
	here := probeHere(t, func(_ context.Context, topic string) error {
		if topic == "Paris" {
			stopper.Stop()
		}
		return nil
	}, "Paris", graphgen.WithStopper(&stopper))
	if !strings.Contains(here.err, "stop requested") {
		t.Fatal(here.err)
	}
	there, _, _ := probeThere(t, func(ctx context.Context, topic string) error {
		if topic != "Paris" {
			return nil
		}
		s := started.Load()
		if err := s.Client().SignalWorkflow(ctx, "journey", "", temporal.SignalStop, nil); err != nil {
			return err
		}
		return s.Await(ctx, "journey/6.once", func(events []*history.HistoryEvent) bool {
			return slices.ContainsFunc(events, func(e *history.HistoryEvent) bool { return e.EventType == enums.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED })
		})
	}, "Paris", nil)
	there.same(t, here)
}

// TestChildWorkflowQueries holds that a child workflow answers queries about the progress and the state of its run, and is started in the task queue of
// its options.
func TestChildWorkflowQueries(t *testing.T) {
	h := &prober{search: func(context.Context, string) error { return nil }}
	env := newEnvironment()
	g := errand(t, h, temporal.WithChild("ask", workflow.ChildWorkflowOptions{TaskQueue: "probes"}))
	g.Register(env)
	queues := map[string]string{}
	env.SetOnChildWorkflowStartedListener(func(info *workflow.Info, _ workflow.Context, _ converter.EncodedValues) {
		queues[info.WorkflowType.Name] = info.TaskQueueName
	})
	looked := false
	env.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
		const id = "default-test-workflow-id/1/2.ask"
		if looked || info.ActivityType.Name != "probe.search" || info.WorkflowExecution.ID != id {
			return
		}
		looked = true
		var s temporal.Status
		var state json.RawMessage
		v, err := env.QueryWorkflowByID(id, temporal.QueryStatus)
		if err == nil {
			err = v.Get(&s)
		}
		if err == nil {
			v, err = env.QueryWorkflowByID(id, temporal.QueryState)
		}
		if err == nil {
			err = v.Get(&state)
		}
		if err != nil || s.Phase != temporal.Running || s.Node != "search" || s.Step != 1 || !strings.Contains(string(state), `"topic":"Rome"`) {
			t.Errorf("the child workflow is %+v with the state %s, %v", s, state, err)
		}
	})
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(temporal.SignalStop, nil) }, time.Hour)
	env.ExecuteWorkflow(g.Name(), errandInput)
	if !looked || !env.IsWorkflowCompleted() {
		t.Error("the run has not come to its question")
	}
	if want := map[string]string{"errand.ask": "probes", "errand.probe.digest": "probes"}; !maps.Equal(queues, want) {
		t.Errorf("the task queues are %q", queues)
	}
}
