package golden_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/budget"
	"github.com/graphgen/graphgen/golden/subgraph"
	"github.com/graphgen/graphgen/golden/subgraph/lookup"
	"github.com/graphgen/graphgen/hooks"
)

// tenant makes concurrent runs of two calls of models and one of a tool, which share a budget. It returns how
// many calls were made, and how many runs ended because the budget is spent.
func tenant(t *testing.T, b *hooks.Budget, runs int) (calls, spent int64) {
	t.Helper()
	l := new(library)
	var made, over atomic.Int64
	answers := answering("own")
	m, err := lookup.NewLookup(l, l, chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		made.Add(1)
		return answers(ctx, req, stream)
	}), b.Option())
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range runs {
		wait.Go(func() {
			_, err := m.Run(context.Background(), lookup.LookupInput{Question: "q"}, b.Option())
			run, ok := errors.AsType[*graphgen.RunError](err)
			switch _, isBudget := errors.AsType[*graphgen.LimitError](err); {
			case err == nil:
			case ok && isBudget && run.Reason == graphgen.Budget:
				over.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wait.Wait()
	return made.Load(), over.Load()
}

// TestSharedBudget holds that runs at the same time use a budget that they share exactly.
func TestSharedBudget(t *testing.T) {
	const runs = 1000
	for name, c := range map[string]struct {
		limits graphgen.Budgets
		used   func(graphgen.Budgets) float64
		want   float64
		beyond float64 // by calls under way
	}{
		"model calls": {graphgen.Budgets{ModelCalls: 777}, func(b graphgen.Budgets) float64 { return float64(b.ModelCalls) }, 777, 0},
		"tool calls":  {graphgen.Budgets{ToolCalls: 300}, func(b graphgen.Budgets) float64 { return float64(b.ToolCalls) }, 300, 0},
		"tokens":      {graphgen.Budgets{Tokens: 5500}, func(b graphgen.Budgets) float64 { return float64(b.Tokens) }, 5500, runs * 11},
		"no bound":    {graphgen.Budgets{}, func(b graphgen.Budgets) float64 { return float64(b.ToolCalls) }, runs, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := hooks.NewBudget(c.limits)
			calls, spent := tenant(t, b, runs)
			used := b.Used()
			if got := c.used(used); got < c.want || got > c.want+c.beyond {
				t.Errorf("%v are used, want %v", got, c.want)
			}
			if int64(used.ModelCalls) != calls || used.Tokens != 11*used.ModelCalls || used.Cost != 0.5*float64(used.ModelCalls) {
				t.Errorf("%+v are used of %d calls", used, calls)
			}
			if int64(b.Refused()) != spent || (spent == 0) != (name == "no bound") {
				t.Errorf("the budget refused %d calls, and ended %d runs", b.Refused(), spent)
			}
		})
	}
}

// TestSharedBudgetOfChildRuns holds that child runs use a shared budget once, and that a spent one ends all the
// runs that have it, however the node of the parent fails.
func TestSharedBudgetOfChildRuns(t *testing.T) {
	l := new(library)
	for _, most := range []int{0, 3, 2, 1} {
		b := hooks.NewBudget(graphgen.Budgets{ModelCalls: most})
		var report graphgen.Report
		_, err := l.article(t, b.Option()).Run(t.Context(), subgraph.ArticleInput{Topic: "otters"}, b.Option(), graphgen.WithReport(&report))
		if most == 0 {
			if err != nil || b.Used().ModelCalls != report.ModelCalls || b.Used().ToolCalls != report.Tools.Made || report.ModelCalls < 4 {
				t.Errorf("%+v are used, %d and %d are reported: %v", b.Used(), report.ModelCalls, report.Tools.Made, err)
			}
			continue
		}
		if report.Reason != graphgen.Budget || b.Used().ModelCalls != most || report.ModelCalls != most {
			t.Errorf("with %d calls: %+v are used, the run ended as %s: %v", most, b.Used(), report.Reason, err)
		}
	}
}

// TestSharedMoney holds that a model without a price is refused where a shared budget bounds money, before a call.
func TestSharedMoney(t *testing.T) {
	b := hooks.NewBudget(graphgen.Budgets{Cost: 1})
	m, err := budget.NewQuote(answering("five"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Run(t.Context(), budget.QuoteInput{}, b.Option())
	if spent, ok := errors.AsType[*graphgen.LimitError](err); !ok || spent.Unpriced == "" || b.Used() != (graphgen.Budgets{}) {
		t.Errorf("%+v are used: %v", b.Used(), err)
	}
	priced := graphgen.WithModel(chat.Priced(answering("five"), chat.Price{Input: 1e6, Output: 1e6}))
	for i := range 3 {
		_, err = m.Run(t.Context(), budget.QuoteInput{}, b.Option(), priced)
		if _, over := errors.AsType[*graphgen.LimitError](err); over != (i > 1) {
			t.Errorf("run %d, after %+v: %v", i, b.Used(), err)
		}
	}
	b.Add(graphgen.Budgets{Cost: 100, Tokens: 1})
	if _, err = m.Run(t.Context(), budget.QuoteInput{}, b.Option(), priced); err != nil {
		t.Error(err)
	}
}

// TestMaxStepsOfChildRuns holds that the bound is one of each run: a node that starts a child run is a step of its parent.
func TestMaxStepsOfChildRuns(t *testing.T) {
	var report graphgen.Report
	_, err := new(library).article(t).Run(t.Context(), subgraph.ArticleInput{Topic: "otters"}, hooks.MaxSteps(1), graphgen.WithReport(&report))
	if e, ok := errors.AsType[*graphgen.LimitError](err); !ok || e.Limit != graphgen.LimitSteps || report.Steps != 1 {
		t.Errorf("%d steps: %v", report.Steps, err)
	}
}

// guesses is the handler of the node to which a spent budget leads.
type guesses struct{}

func (guesses) Guess(context.Context) (budget.OfferGuessOut, error) {
	return budget.OfferGuessOut{Text: "a guess"}, nil
}

// TestBudgetEdge holds whose budgets an on: budget edge is for: of an option, and for one that runs share; not of a hook, nor one that cannot be enforced.
func TestBudgetEdge(t *testing.T) {
	shared := hooks.NewBudget(graphgen.Budgets{ModelCalls: 1})
	used := hooks.NewBudget(graphgen.Budgets{ModelCalls: 1})
	over := graphgen.WithHook(graphgen.Hook{Name: "tenant", Governing: true, After: func(_ context.Context, e graphgen.Event) error {
		if e.Node != "ask" {
			return nil
		}
		return &graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "tokens", Max: 1, Used: 2}
	}})
	for _, c := range []struct {
		name   string
		option []graphgen.RunOption
		want   string // output; empty: the run ends over its budget
	}{
		{"a shared budget that is left", []graphgen.RunOption{shared.Option()}, "five"},
		{"a shared budget that is spent", []graphgen.RunOption{shared.Option()}, "a guess"},
		{"the other of two shared budgets", []graphgen.RunOption{hooks.NewBudget(graphgen.Budgets{}).Option(), shared.Option(), used.Option()}, "a guess"},
		{"one of no calls", []graphgen.RunOption{graphgen.WithBudgets(graphgen.Budgets{ModelCalls: -1})}, "a guess"},
		{"a governing hook", []graphgen.RunOption{over}, ""},
		{"a governing hook after the edge", []graphgen.RunOption{shared.Option(), over}, ""},
		{"a model without a price", []graphgen.RunOption{graphgen.WithBudgets(graphgen.Budgets{Cost: 1})}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := budget.NewOffer(guesses{}, answering("five"))
			if err != nil {
				t.Fatal(err)
			}
			var report graphgen.Report
			out, err := m.Run(t.Context(), budget.OfferInput{}, append(c.option, graphgen.WithReport(&report))...)
			switch {
			case c.want != "" && (err != nil || out.Text != c.want):
				t.Errorf("%q, %v, want %q", out.Text, err, c.want)
			case c.want == "" && (err == nil || report.Reason != graphgen.Budget):
				t.Errorf("%q, %v, the run ended as %s", out.Text, err, report.Reason)
			}
		})
	}
	if used.Used() != (graphgen.Budgets{}) {
		t.Errorf("%+v are used of a budget that another one refused", used.Used())
	}
}

// regions has the handlers of graph regions.
type regions struct{}

func (regions) Guess(context.Context) (budget.RegionsGuessOut, error) {
	return budget.RegionsGuessOut{Tried: "maybe"}, nil
}

func (regions) Told(context.Context) (budget.RegionsToldOut, error) {
	return budget.RegionsToldOut{Parts: []string{"told"}}, nil
}

func (regions) Look(context.Context) (budget.RegionsLookOut, error) {
	return budget.RegionsLookOut{Parts: []string{"looked"}}, nil
}

func (regions) See(context.Context) (budget.RegionsSeeOut, error) {
	return budget.RegionsSeeOut{Parts: []string{"seen"}}, nil
}

func (regions) Rest(context.Context, budget.RegionsRestIn) (budget.RegionsRestOut, error) {
	return budget.RegionsRestOut{Note: "ended"}, nil
}

// TestBudgetEdgeAroundAHook holds that a governing hook ends the run where a budget is spent within a node that has an edge for that: at the node
// that has found it spent, and in a branch that has an edge of its own.
func TestBudgetEdgeAroundAHook(t *testing.T) {
	m, err := budget.NewRegions(regions{}, answering("good"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, of string // the node whose end the hook refuses; empty: none
		calls    int
		path     string
	}{
		{"within a loop", "", 1, "refine draft critic rest"},
		{"after the node that finds it spent", "critic", 1, "refine draft critic"},
		{"within a parallel", "", 3, "refine draft critic attempt guess ask both tell told sum rest"},
		{"after a branch has found it spent", "told", 3, "refine draft critic attempt guess ask both tell told"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var report graphgen.Report
			refuse := graphgen.WithHook(graphgen.Hook{Name: "guard", Governing: true, After: func(_ context.Context, e graphgen.Event) error {
				if e.Node != c.of {
					return nil
				}
				return errors.New("refused")
			}})
			most := graphgen.WithBudgets(graphgen.Budgets{ModelCalls: c.calls})
			_, err := m.Run(t.Context(), budget.RegionsInput{}, most, refuse, graphgen.WithReport(&report))
			verdict, refused := errors.AsType[*graphgen.HookError](err)
			if path := strings.Join(report.NodePath(), " "); path != c.path || refused != (c.of != "") || refused && verdict.Hook != "guard" {
				t.Errorf("the path is %s, the run ended as %s: %v", path, report.Reason, err)
			}
		})
	}
}
