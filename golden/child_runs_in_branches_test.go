package golden_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/subgraph"
	"github.com/graphgen/graphgen/golden/subgraph/lookup"
)

func (l *library) survey(t *testing.T) *subgraph.Survey {
	t.Helper()
	look, err := lookup.NewLookup(l, l, answering("own"))
	if err != nil {
		t.Fatal(err)
	}
	polish, err := subgraph.NewPolish(l)
	if err != nil {
		t.Fatal(err)
	}
	m, err := subgraph.NewSurvey(look, polish)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestBranchesRunGraphsAtOnce(t *testing.T) {
	l := new(library)
	var rep graphgen.Report
	var within []string
	out, err := l.survey(t).Run(t.Context(), subgraph.SurveyInput{Questions: []string{"a", "b", "c"}, Text: "a text of thirty-two characters!"},
		graphgen.WithReport(&rep), graphgen.WithRunID("run"), graphgen.WithObserver(func(e graphgen.Event) { // of whatever branch, on one goroutine
			if e.Kind == graphgen.RunStart {
				within = append(within, e.Run.Within)
			}
		}))
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, h := range out.Hits {
		titles = append(titles, h.Title)
	}
	if strings.Join(titles, "") != "aaabbbccc" || len(out.Answers) != 3 || out.Rounds != 3+3+1 || out.Text != "a" {
		t.Errorf("the output is %+v", out)
	}
	var nested []string
	for _, n := range rep.Nested {
		nested = append(nested, strings.TrimPrefix(n.Branch+"/"+n.Node, "/"))
	}
	if got := strings.Join(nested, " "); got != "0/ask 1/ask 2/ask short/first long/second third" {
		t.Errorf("nested are %s", got)
	}
	if rep.ModelCalls != 6 || rep.Usage.Tokens() != 66 || len(within) != 7 {
		t.Errorf("%d calls, %d tokens, runs within %q", rep.ModelCalls, rep.Usage.Tokens(), within)
	}
	slices.Sort(l.keys)
	if len(l.keys) != 3 || len(slices.Compact(l.keys)) != 3 {
		t.Errorf("the keys are %q", l.keys)
	}
}

func TestBranchesShareBudget(t *testing.T) {
	for range 20 {
		var rep graphgen.Report
		_, err := new(library).survey(t).Run(t.Context(), subgraph.SurveyInput{Questions: []string{"a", "b", "c", "d", "e"}, Text: "a text"},
			graphgen.WithReport(&rep))
		if _, ok := errors.AsType[*graphgen.LimitError](err); !ok || rep.Reason != graphgen.Budget || rep.ModelCalls > 9 {
			t.Fatalf("%d calls, the reason %s: %v", rep.ModelCalls, rep.Reason, err)
		}
		rep = graphgen.Report{}
		_, err = new(library).survey(t).Run(t.Context(), subgraph.SurveyInput{Questions: []string{"a", "b", "c", "d"}, Text: "a text"},
			graphgen.WithReport(&rep), graphgen.WithBudgets(graphgen.Budgets{ToolCalls: 3}))
		if rep.Reason != graphgen.Budget || rep.Tools.Made > 3 {
			t.Fatalf("%d calls of tools, the reason %s: %v", rep.Tools.Made, rep.Reason, err)
		}
	}
}

func TestBranchGraphFails(t *testing.T) {
	l := &library{search: func(_ context.Context, visit int) error {
		if visit == 2 {
			return errors.New("no library")
		}
		return nil
	}}
	var rep graphgen.Report
	_, err := l.survey(t).Run(t.Context(), subgraph.SurveyInput{Questions: []string{"a", "b", "c"}, Text: "a text"}, graphgen.WithReport(&rep))
	run, _ := errors.AsType[*graphgen.RunError](err)
	if run == nil || run.Graph != "survey" || rep.Reason != graphgen.Failed || !strings.Contains(err.Error(), `node "ask" of branch`) {
		t.Errorf("the reason is %s: %v", rep.Reason, err)
	}
}
