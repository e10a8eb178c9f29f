package golden_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/order"
	"github.com/graphgen/graphgen/golden/pauses"
	"github.com/graphgen/graphgen/golden/policy"
	"github.com/graphgen/graphgen/golden/subgraph"
	"github.com/graphgen/graphgen/runtime/engine"
)

// rounds are handlers of the graph order that go round until the visits are used up, or
// return the route they have.
type rounds struct {
	executions atomic.Int64
	route      order.OrderDecideGoto
}

func (h *rounds) First(context.Context) (order.OrderFirstOut, error) {
	return order.OrderFirstOut{Word: "w"}, nil
}

func (h *rounds) Second(context.Context, order.OrderSecondIn) (order.OrderSecondOut, error) {
	h.executions.Add(1)
	return order.OrderSecondOut{N: 1}, nil
}

func (h *rounds) Decide(context.Context, order.OrderDecideIn) (order.OrderDecideGoto, error) {
	return cmp.Or(h.route, order.OrderDecideGotoSecond), nil
}

func (h *rounds) Rescue(context.Context) (order.OrderRescueOut, error) {
	return order.OrderRescueOut{Word: "rescued"}, nil
}

func TestMachineKeepsNoState(t *testing.T) {
	var h rounds
	m, err := order.NewOrder(&h)
	if err != nil {
		t.Fatal(err)
	}
	run := func() (order.OrderOutput, graphgen.Report) {
		var rep graphgen.Report
		out, err := m.Run(t.Context(), order.OrderInput{}, graphgen.WithReport(&rep))
		if err != nil {
			t.Error(err)
		}
		return out, rep
	}
	first, report := run()
	if want := "first second decide second decide second decide rescue"; strings.Join(report.NodePath(), " ") != want || report.CacheHits != 2 {
		t.Fatalf("the path is %v, with %d hits", report.NodePath(), report.CacheHits)
	}
	const runs = 16
	var all sync.WaitGroup
	for range runs {
		all.Go(func() {
			out, rep := run()
			if out != first || !reflect.DeepEqual(rep.Path, report.Path) || !reflect.DeepEqual(rep.Transitions, report.Transitions) || rep.CacheHits != 2 {
				t.Errorf("a later run gave %+v by %v, with %d hits", out, rep.NodePath(), rep.CacheHits)
			}
		})
	}
	all.Wait()
	if got := h.executions.Load(); got != 1+runs {
		t.Errorf("%d runs executed the cacheable node %d times: once each is right", 1+runs, got)
	}
}

func TestUndeclaredChoice(t *testing.T) {
	m, err := order.NewOrder(&rounds{route: order.OrderDecideGotoEnd + 7})
	if err != nil {
		t.Fatal(err)
	}
	var rep graphgen.Report
	out, err := m.Run(t.Context(), order.OrderInput{}, graphgen.WithReport(&rep))
	if err != nil || out.Word != "rescued" {
		t.Fatalf("the failure is not routed like any other: %+v, %v", out, err)
	}
	if wrong := errorOf[*graphgen.InvalidChoiceError](rep.Failures); len(wrong) != 1 || wrong[0].What != "route" ||
		wrong[0].Value != int(order.OrderDecideGotoEnd)+7 {
		t.Errorf("the failures are %v", rep.Failures)
	}
}

func TestHookState(t *testing.T) {
	m, err := order.NewOrder(&rounds{})
	if err != nil {
		t.Fatal(err)
	}
	var before, after []int
	note := func(to *[]int) func(context.Context, graphgen.Event) error {
		return func(ctx context.Context, e graphgen.Event) error {
			if info := graphgen.Info(ctx); e.Node == "second" && info.Node == "second" {
				*to = append(*to, graphgen.State[order.OrderState](e).N)
			}
			return nil
		}
	}
	if _, err := m.Run(t.Context(), order.OrderInput{}, graphgen.WithHook(graphgen.Hook{Before: note(&before), After: note(&after)})); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(before, []int{0, 1, 2}) || !reflect.DeepEqual(after, []int{1, 2, 3}) {
		t.Errorf("before %v, after %v", before, after)
	}
}

func TestOnlyRoutesHaveARule(t *testing.T) {
	m, err := order.NewOrder(&rounds{})
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	_, err = m.Run(t.Context(), order.OrderInput{}, graphgen.WithObserver(func(e graphgen.Event) {
		if is := e.Kind == graphgen.Routed; is != (e.Route() != graphgen.Route{}) || is && e.Route().Rule.String() == "" {
			t.Errorf("%s of %q has the route %v", e.Kind, e.Node, e.Route())
		}
		if e.Kind == graphgen.Routed {
			rules = append(rules, e.Route().Rule.String())
		}
	}))
	if err != nil || rules[0] != "entry" {
		t.Errorf("the rules are %q: %v", rules, err)
	}
}

// asks are handlers of the graph policy that look at their contexts.
type asks struct {
	t     *testing.T
	begun time.Time
}

type callersKey struct{}

func (h asks) Fetch(ctx context.Context, _ policy.PolicyFetchIn) (policy.PolicyFetchOut, error) {
	if ctx.Value(callersKey{}) != "a value" {
		h.t.Error("the handler does not see the values of the caller's context")
	}
	if d, ok := ctx.Deadline(); !ok || time.Until(d) != 30*time.Second {
		h.t.Errorf("the deadline of the attempt is %v", d)
	}
	if graphgen.Info(ctx).Attempt > 1 {
		return policy.PolicyFetchOut{}, nil
	}
	<-ctx.Done()
	late, ok := context.Cause(ctx).(*graphgen.LimitError)
	if !ok || late.Limit != graphgen.LimitTimeout || late.Of != "node" {
		h.t.Errorf("the attempt ends by %v", context.Cause(ctx))
	}
	return policy.PolicyFetchOut{}, ctx.Err()
}

func (h asks) Parse(ctx context.Context, _ policy.PolicyParseIn) error {
	if d, ok := ctx.Deadline(); !ok || d.Sub(h.begun) != 10*time.Minute {
		h.t.Errorf("the deadline of a node without a timeout is %v: that of the run is right", d)
	}
	return nil
}

func (h asks) Store(ctx context.Context, _ policy.PolicyStoreIn) error {
	<-ctx.Done()
	return nil // too late
}

func (h asks) Fallback(context.Context) (policy.PolicyFallbackOut, error) {
	return policy.PolicyFallbackOut{}, nil
}

func TestHandlerContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := asks{t: t, begun: time.Now()}
		m, err := policy.NewPolicy(h)
		if err != nil {
			t.Fatal(err)
		}
		var rep graphgen.Report
		ctx := context.WithValue(t.Context(), callersKey{}, "a value")
		if _, err := m.Run(ctx, policy.PolicyInput{}, graphgen.WithReport(&rep)); err != nil {
			t.Fatal(err)
		}
		if late := errorOf[*graphgen.LimitError](rep.Failures); len(late) != 1 || *late[0] != *engine.Late("node", time.Minute) {
			t.Errorf("the failures are %v", rep.Failures)
		}
	})
}

// errorOf returns the errors of a type that failures wrap.
func errorOf[E error](failures []graphgen.Failure) []E {
	var found []E
	for _, f := range failures {
		if e, ok := errors.AsType[E](f.Err); ok {
			found = append(found, e)
		}
	}
	return found
}

// TestEventIdentity holds that every event has the identity of its run, and those of steps that of the step.
func TestEventIdentity(t *testing.T) {
	m, err := order.NewOrder(&rounds{})
	if err != nil {
		t.Fatal(err)
	}
	var report graphgen.Report
	last := time.Time{}
	s := m.Stream(t.Context(), order.OrderInput{}, graphgen.WithRunID("r7"), graphgen.WithReport(&report))
	for e := range s.Events() {
		run := graphgen.RunInfo{ID: "r7", Graph: "order", File: "order.graph.yaml"}
		if *e.Run != run || e.Time.Before(last) || e.Time.IsZero() {
			t.Errorf("%s is of %+v, at %v", e.Kind, *e.Run, e.Time)
		}
		last = e.Time
		step := e.Node != "" && e.Kind != graphgen.RunEnd
		if kind := e.NodeKind; step && (kind != "func" && kind != "router" || e.Step == 0 || e.Visit == 0) {
			t.Errorf("%s of %q is of a %q, step %d, visit %d", e.Kind, e.Node, e.NodeKind, e.Step, e.Visit)
		}
		line, err := e.AppendJSON(nil)
		if want := `"run":"r7","graph":"order"`; err != nil || !strings.Contains(string(line), want) {
			t.Errorf("%s has no %s: %v", line, want, err)
		}
		if want := fmt.Sprintf(`"file":"order.graph.yaml","line":%d,"col":%d`, e.Pos().Line, e.Pos().Col); step &&
			(e.Pos().Line == 0 || !strings.Contains(string(line), want)) {
			t.Errorf("%s has no %s", line, want)
		}
	}
	if _, err := s.Output(); err != nil || report.ID != "r7" {
		t.Errorf("the report is of run %q", report.ID)
	}
	ids := map[string]bool{}
	for range 2 {
		if _, err := m.Run(t.Context(), order.OrderInput{}, graphgen.WithReport(&report),
			graphgen.WithObserver(func(e graphgen.Event) { ids[e.Run.ID] = true })); err != nil || !ids[report.ID] {
			t.Errorf("the report is of run %q, the events of %v: %v", report.ID, ids, err)
		}
	}
	if len(ids) != 2 || ids[""] {
		t.Errorf("two runs have the IDs %v", ids)
	}
}

// TestEventVisits holds that events have the step and the visit of their node, in branches, child runs and at the end of a
// run, too.
func TestEventVisits(t *testing.T) {
	var events []string
	watch := graphgen.WithObserver(func(e graphgen.Event) {
		if e.Node != "" && (e.Step == 0 || e.Visit == 0) {
			t.Errorf("%s of %s is of step %d, visit %d", e.Kind, e.Node, e.Step, e.Visit)
		}
		if e.Kind == graphgen.RunEnd || e.Route().Rule == graphgen.RuleBranch {
			events = append(events, fmt.Sprintf("%s %s %d.%d", e.Kind, e.Node, e.Step, e.Visit))
		}
	})
	for name, make := range forks {
		m, err := make(idle())
		if err != nil {
			t.Fatal(err)
		}
		if err := m.run(t.Context(), watch); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	events = nil
	m, _, p := panelAt(t, watch)
	_, err := m.Resume(t.Context(), p, pauses.AnswerPanelLawyer(graphgen.Approve), watch)
	if _, err = m.Resume(t.Context(), pause(t, err), pauses.AnswerPanelEditor("calm"), watch); err != nil {
		t.Fatal(err)
	}
	branch, paused := "route review 1.1", "run_end review 1.1"
	if want := []string{branch, branch, branch, paused, paused, "run_end end 7.1"}; !slices.Equal(events, want) {
		t.Errorf("the events are %q, want %q", events, want)
	}
	if _, err := new(library).article(t).Run(t.Context(), subgraph.ArticleInput{Topic: "otters"}, watch); err != nil {
		t.Error(err)
	}
}
