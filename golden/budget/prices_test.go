package budget

import (
	"context"
	"errors"
	"strings"
	"testing"

	gg "github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

// hands are the handlers and tools of the graph, which do nothing.
type hands struct{}

func (hands) Apologize(context.Context, BudgetApologizeIn) error { return nil }

func (hands) Search(context.Context, BudgetSearchArgs) (string, error) { return "", nil }

func TestARunWithMaxCostNeedsPrices(t *testing.T) {
	asked := 0
	model := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		asked++
		return &chat.Response{Message: chat.Message{Text: "done"}, Usage: chat.Usage{Input: 10, Output: 1}}, nil
	})
	m, err := NewBudget(hands{}, hands{}, model)
	if err != nil {
		t.Fatal(err)
	}
	var report gg.Report
	var events []string
	_, err = m.Run(t.Context(), BudgetInput{}, gg.WithReport(&report), gg.WithObserver(func(e gg.Event) { events = append(events, e.Kind.String()) }))
	failed, ok := errors.AsType[*gg.RunError](err)
	spent, isSpent := errors.AsType[*gg.LimitError](err)
	if !ok || !isSpent || failed.Reason != gg.Budget || spent.Unpriced != "the model of graph budget" || spent.Max != 2.5 {
		t.Fatalf("the run gave %v", err)
	}
	if asked != 0 || report.Steps != 0 || report.Reason != gg.Budget {
		t.Errorf("%d calls were made, in %d steps (%s)", asked, report.Steps, report.Reason)
	}
	if got := strings.Join(events, " "); got != "run_start budget run_end" {
		t.Errorf("events %s", got)
	}
	if out, err := m.Run(t.Context(), BudgetInput{}, gg.WithModel(chat.Priced(model, chat.Price{Input: 1}))); err != nil || out.Text != "done" {
		t.Errorf("with a price the run gave %q and %v", out.Text, err)
	}
}

// TestUnpricedSubgraph runs a graph with a budget of money around one whose model has no price. That
// model is not asked, and the error names it.
func TestUnpricedSubgraph(t *testing.T) {
	asked := 0
	model := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		asked++
		return &chat.Response{Message: chat.Message{Text: "done"}}, nil
	})
	priced := chat.Priced(model, chat.Price{Input: 1})
	for _, c := range []struct {
		name          string
		outer, within chat.Model
		unpriced      string
		asked, steps  int
	}{
		{"neither", model, model, "the model of graph errand", 0, 0},
		{"the outer one", priced, model, "the model of graph quote", 1, 2},
		{"the inner one", model, priced, "the model of graph errand", 0, 0},
		{"both", priced, priced, "", 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			within, err := NewQuote(c.within)
			if err != nil {
				t.Fatal(err)
			}
			m, err := NewErrand(c.outer, within)
			if err != nil {
				t.Fatal(err)
			}
			asked = 0
			var report gg.Report
			_, err = m.Run(t.Context(), ErrandInput{}, gg.WithReport(&report))
			unpriced := ""
			if spent, ok := errors.AsType[*gg.LimitError](err); ok {
				unpriced = spent.Unpriced
			}
			if (err != nil) != (c.unpriced != "") || unpriced != c.unpriced || asked != c.asked || report.Steps != c.steps {
				t.Errorf("after %d calls and %d steps %q has no price (%v), want %q after %d calls and %d steps", asked,
					report.Steps, unpriced, err, c.unpriced, c.asked, c.steps)
			}
			if c.unpriced != "" && report.Reason != gg.Budget {
				t.Errorf("the run ends by %s", report.Reason)
			}
		})
	}
}
