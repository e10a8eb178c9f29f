package golden_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/subgraph"
	"github.com/graphgen/graphgen/golden/subgraph/lookup"
)

// A library has the handlers and tools of the graphs that an article is made by.
type library struct {
	search func(ctx context.Context, visit int) error // nil: all is found

	mu       sync.Mutex
	searches int
	keys     []string
}

func (l *library) Search(ctx context.Context, in lookup.LookupSearchIn) (lookup.LookupSearchOut, error) {
	l.mu.Lock()
	l.searches++
	visit := l.searches
	l.keys = append(l.keys, graphgen.IdempotencyKey(ctx))
	l.mu.Unlock()
	if l.search != nil {
		if err := l.search(ctx, visit); err != nil {
			return lookup.LookupSearchOut{}, err
		}
	}
	out := lookup.LookupSearchOut{}
	for i := range in.Limit {
		out.Hits = append(out.Hits, lookup.Hit{Title: in.Question, Score: i})
	}
	return out, nil
}

func (l *library) Rate(context.Context, lookup.LookupRateArgs) (int, error) { return 5, nil }

func (l *library) Plan(_ context.Context, in subgraph.ArticlePlanIn) (subgraph.ArticlePlanOut, error) {
	return subgraph.ArticlePlanOut{Question: "why " + in.Topic}, nil
}

func (l *library) Write(_ context.Context, in subgraph.ArticleWriteIn) (subgraph.ArticleWriteOut, error) {
	return subgraph.ArticleWriteOut{Text: in.Details + " and more"}, nil
}

func (l *library) Explain(in subgraph.ArticleExplainIn) (subgraph.ArticleExplainOut, error) {
	trouble := "no " + in.Topic
	return subgraph.ArticleExplainOut{Text: "sorry", Trouble: &trouble}, nil
}

func (l *library) Shorten(_ context.Context, in subgraph.PolishShortenIn) (subgraph.PolishShortenOut, error) {
	return subgraph.PolishShortenOut{Text: in.Text[:max(1, len(in.Text)-8)], Rounds: 1}, nil
}

// answering is a model that says what it is, after it has had the question rated.
func answering(name string) chat.ModelFunc {
	return func(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		said := chat.Message{Role: chat.RoleAssistant, Text: name}
		if len(req.Tools) > 0 && !slices.ContainsFunc(req.Messages, func(m chat.Message) bool { return m.Role == chat.RoleTool }) {
			said = chat.Message{Role: chat.RoleAssistant, Calls: []chat.ToolCall{{ID: "1", Name: "rate", Arguments: `{"title":"x"}`}}}
		}
		return &chat.Response{Message: said, Usage: chat.Usage{Input: 10, Output: 1, Cost: 0.5}}, nil
	}
}

func (l *library) article(t *testing.T, opts ...graphgen.Option) *subgraph.Article {
	t.Helper()
	look, err := lookup.NewLookup(l, l, answering("own"), opts...)
	if err != nil {
		t.Fatal(err)
	}
	polish, err := subgraph.NewPolish(l)
	if err != nil {
		t.Fatal(err)
	}
	m, err := subgraph.NewArticle(l, look, polish)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestChildRunReport(t *testing.T) {
	var rep graphgen.Report
	out, err := new(library).article(t).Run(t.Context(), subgraph.ArticleInput{Topic: "otters"}, graphgen.WithReport(&rep))
	if err != nil {
		t.Fatal(err)
	}
	if out.Text != "own " || out.Rounds != 1 || len(out.Found) != 5 || out.Background == nil || *out.Background != "own" || out.Trouble != nil {
		t.Errorf("the output is %+v", out)
	}
	if path := strings.Join(rep.NodePath(), " "); path != "plan background details write polish" {
		t.Errorf("the path is %s", path)
	}
	if rep.ModelCalls != 4 || rep.Usage.Tokens() != 44 || rep.Usage.Cost != 2 || rep.Tools.Made != 2 {
		t.Errorf("%d calls of models, %v, %d of tools", rep.ModelCalls, rep.Usage, rep.Tools.Made)
	}
	if n := rep.Nodes[1]; n.Node != "background" || n.ModelCalls != 2 || n.Tools.Made != 1 || n.Usage.Tokens() != 22 {
		t.Errorf("at background: %+v", n)
	}
	var nested []string
	for _, n := range rep.Nested {
		nested = append(nested, fmt.Sprintf("%s %d.%d %s: %s, %d calls", n.Node, n.Visit, n.Attempt, n.Report.Graph,
			strings.Join(n.Report.NodePath(), " "), n.Report.ModelCalls))
	}
	want := []string{"background 1.1 lookup: search answer answer, 2 calls", "details 1.1 lookup: search answer answer, 2 calls",
		"polish 1.1 polish: shorten, 0 calls"}
	if !slices.Equal(nested, want) {
		t.Errorf("nested are %q", nested)
	}
}

func TestSubgraphFailure(t *testing.T) {
	broken := errors.New("no library")
	l := &library{search: func(context.Context, int) error { return broken }}
	var rep graphgen.Report
	out, err := l.article(t).Run(t.Context(), subgraph.ArticleInput{Topic: "otters"}, graphgen.WithReport(&rep))
	if err != nil || out.Trouble == nil || *out.Trouble != "no otters" {
		t.Fatal(out, err)
	}
	if path := strings.Join(rep.NodePath(), " "); path != "plan background details explain" || len(rep.Failures) != 2 {
		t.Fatalf("the path is %s, with %d failures", path, len(rep.Failures))
	}
	soft, hard := rep.Failures[0], rep.Failures[1]
	if !soft.Soft || soft.Err.Where.Node != "background" || hard.Soft || !hard.Cleared || hard.Err.Where.Graph != "article" {
		t.Errorf("the failures are %+v and %+v", soft, hard)
	}
	inner, ok := errors.AsType[*graphgen.RunError](hard.Err)
	if !ok || inner.Graph != "lookup" || inner.Reason != graphgen.Failed || !errors.Is(hard.Err, broken) {
		t.Errorf("the cause is %v", hard.Err.Err)
	}
	if state, ok := graphgen.StateOf[lookup.LookupState](hard.Err); !ok || state.Question != "why otters" {
		t.Errorf("the inner state is %+v", state)
	}
}

func TestSubgraphRetryKeys(t *testing.T) {
	l := &library{search: func(_ context.Context, visit int) error {
		if visit == 2 {
			return graphgen.Transient(errors.New("busy"))
		}
		return nil
	}}
	var rep graphgen.Report
	if _, err := l.article(t).Run(t.Context(), subgraph.ArticleInput{Topic: "otters"}, graphgen.WithReport(&rep), graphgen.WithRunID("run")); err != nil {
		t.Fatal(err)
	}
	if want := []string{"run/2.background/1", "run/3.details/1", "run/3.details/1"}; !slices.Equal(l.keys, want) {
		t.Errorf("the keys are %q", l.keys)
	}
	if n := rep.Nested[2]; rep.Retries != 1 || len(rep.Nested) != 4 || n.Node != "details" || n.Attempt != 2 || rep.Nested[1].Report.Reason != graphgen.Failed {
		t.Errorf("%d retries, nested are %+v", rep.Retries, rep.Nested)
	}
}

func TestChildRunBudget(t *testing.T) {
	for name, c := range map[string]struct {
		inner, outer graphgen.Budgets
		path         string
		reason       graphgen.Reason
	}{
		"enough": {graphgen.Budgets{ModelCalls: 2}, graphgen.Budgets{ModelCalls: 4, ToolCalls: 2},
			"plan background details write polish", graphgen.Completed},
		"calls of the outer run":              {graphgen.Budgets{}, graphgen.Budgets{ModelCalls: 3}, "plan background details", graphgen.Budget},
		"tokens of the outer run":             {graphgen.Budgets{}, graphgen.Budgets{Tokens: 30}, "plan background details", graphgen.Budget},
		"tools of the outer run":              {graphgen.Budgets{}, graphgen.Budgets{ToolCalls: 1}, "plan background details", graphgen.Budget},
		"both, the outer one counts":          {graphgen.Budgets{ModelCalls: 1}, graphgen.Budgets{ModelCalls: 1}, "plan background", graphgen.Budget},
		"nothing, though its node fails soft": {graphgen.Budgets{}, graphgen.Budgets{ModelCalls: -1}, "plan background", graphgen.Budget},
		"the inner graph's own":               {graphgen.Budgets{ModelCalls: 1}, graphgen.Budgets{}, "plan background details explain", graphgen.Completed},
	} {
		t.Run(name, func(t *testing.T) {
			var rep graphgen.Report
			var told []string
			_, err := new(library).article(t, graphgen.WithBudgets(c.inner)).Run(t.Context(), subgraph.ArticleInput{Topic: "otters"},
				graphgen.WithBudgets(c.outer), graphgen.WithReport(&rep), graphgen.WithObserver(func(e graphgen.Event) {
					if e.Kind == graphgen.OverBudget && e.Run.Within == "" {
						told = append(told, e.Node)
					}
				}))
			if path := strings.Join(rep.NodePath(), " "); path != c.path || rep.Reason != c.reason {
				t.Fatalf("the path is %s, the reason %s: %v", path, rep.Reason, err)
			}
			if c.reason != graphgen.Budget {
				return
			}
			over, ok := errors.AsType[*graphgen.LimitError](err)
			if run, _ := errors.AsType[*graphgen.RunError](err); !ok || run.Graph != "article" || run.Reason != graphgen.Budget ||
				over.Max != max(float64(c.outer.ModelCalls), float64(c.outer.Tokens), float64(c.outer.ToolCalls)) && c.outer.ModelCalls >= 0 {
				t.Errorf("the error is %v", err)
			}
			if len(told) != 1 {
				t.Errorf("the outer run is told %d times that its budget is spent", len(told))
			}
		})
	}
}

func TestChildRunEndsParent(t *testing.T) {
	var stopper graphgen.Stopper
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	hook := graphgen.Hook{Name: "watch", Governing: true, Before: func(_ context.Context, e graphgen.Event) error {
		if e.Run.Graph == "lookup" && e.Run.Within == "details" && e.Node == "answer" {
			return errors.New("not this one")
		}
		return nil
	}}
	for name, c := range map[string]struct {
		search func(context.Context, int) error
		option graphgen.Option
		ctx    context.Context
		path   string
		reason graphgen.Reason
		says   string
	}{
		"a stop is requested": {func(context.Context, int) error { stopper.Stop(); return nil }, graphgen.WithStopper(&stopper),
			t.Context(), "plan background", graphgen.Stopped, "stop requested"},
		"the caller is gone": {func(context.Context, int) error { cancel(gone); return nil }, graphgen.WithTimings(), ctx,
			"plan background", graphgen.Stopped, "gone"},
		"a hook has ended it":  {nil, graphgen.WithHook(hook), t.Context(), "plan background details", graphgen.Failed, "hook watch: not this one"},
		"nothing has ended it": {nil, graphgen.WithTimings(), t.Context(), "plan background details write polish", graphgen.Completed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var rep graphgen.Report
			_, err := (&library{search: c.search}).article(t).Run(c.ctx, subgraph.ArticleInput{Topic: "otters"}, c.option, graphgen.WithReport(&rep))
			if path := strings.Join(rep.NodePath(), " "); path != c.path || rep.Reason != c.reason {
				t.Errorf("the path is %s, the reason %s: %v", path, rep.Reason, err)
			}
			if said := fmt.Sprint(err); c.says != "" && !strings.Contains(said, c.says) || c.says == "" && err != nil {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestChildRunOptions(t *testing.T) {
	var called []string
	around := func(next chat.ToolFunc) chat.ToolFunc {
		return func(ctx context.Context, call *chat.ToolCall) (chat.ToolResult, error) {
			info := graphgen.Info(ctx)
			called = append(called, info.Within+"/"+info.Node+" "+call.Name)
			return next(ctx, call)
		}
	}
	out, err := new(library).article(t).Run(t.Context(), subgraph.ArticleInput{Topic: "otters"}, graphgen.WithModel(answering("given")),
		graphgen.WithToolWrapper(around))
	if err != nil {
		t.Fatal(err)
	}
	if *out.Background != "given" {
		t.Errorf("the model %s was asked", *out.Background)
	}
	if want := []string{"background/answer rate", "details/answer rate"}; !slices.Equal(called, want) {
		t.Errorf("called were %q", called)
	}
}

func TestDryRunInSubgraph(t *testing.T) {
	polish, err := subgraph.NewPolish(new(library))
	if err != nil {
		t.Fatal(err)
	}
	m, err := subgraph.NewTidy(polish)
	if err != nil {
		t.Fatal(err)
	}
	var rep graphgen.Report
	if _, err := m.Run(t.Context(), subgraph.TidyInput{Text: "a text"}, graphgen.WithDryRun(), graphgen.WithReport(&rep)); err != nil ||
		rep.Reason != graphgen.Stopped {
		t.Errorf("the reason is %s: %v", rep.Reason, err)
	}
	if out, err := m.Run(t.Context(), subgraph.TidyInput{Text: "a longer text"}); err != nil || out.Text != "a lon" {
		t.Error(out, err)
	}
}

func TestMissingMachine(t *testing.T) {
	l := new(library)
	look, err := lookup.NewLookup(l, l, answering("own"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := subgraph.NewArticle(l, look, nil); err == nil || err.Error() != "graph article: graph \"polish\": it is nil: the constructor needs it" {
		t.Error(err)
	}
}

// A countdown takes one from a number until nothing is left; at fails it fails.
type countdown struct{ fails int }

func (c countdown) Take(_ context.Context, in subgraph.TreeTakeIn) (subgraph.TreeTakeOut, error) {
	if in.N == c.fails {
		return subgraph.TreeTakeOut{}, errors.New("no more")
	}
	return subgraph.TreeTakeOut{Left: in.N - 1, Sum: in.N, Deepest: &in.N}, nil
}

func tree(t *testing.T, fails int, opts ...graphgen.Option) *subgraph.Tree {
	t.Helper()
	m, err := subgraph.NewTree(countdown{fails}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRecursionDepth(t *testing.T) {
	m := tree(t, -1)
	if out, err := m.Run(t.Context(), subgraph.TreeInput{N: 4}); err != nil || out.Sum != 4+3+2+1 || *out.Deepest != 4 {
		t.Error(out, err)
	}
	_, err := m.Run(t.Context(), subgraph.TreeInput{N: 5})
	depth, ok := errors.AsType[*graphgen.LimitError](err)
	if !ok || depth.Max != 3 {
		t.Fatal(err)
	}
	if state, ok := graphgen.StateOf[subgraph.TreeState](err); !ok || state.N != 5 || state.Sum != 5 {
		t.Errorf("the state is %+v", state)
	}
	runs := 0
	for inner, ok := errors.AsType[*graphgen.RunError](err); ok; inner, ok = errors.AsType[*graphgen.RunError](inner.Err) {
		runs++
	}
	if runs != 4 {
		t.Errorf("the error is of %d runs, one within another", runs)
	}
}

func TestObserversOfRecursion(t *testing.T) {
	var within []string
	observe := graphgen.WithObserver(func(e graphgen.Event) {
		if e.Kind == graphgen.NodeStart && e.Node == "take" {
			within = append(within, fmt.Sprintf("%s:%d", e.Run.Within, graphgen.State[subgraph.TreeState](e).N))
		}
	})
	if _, err := tree(t, -1, observe).Run(t.Context(), subgraph.TreeInput{N: 3}); err != nil {
		t.Fatal(err)
	}
	if want := []string{":3", "deeper:2", "deeper/deeper:1"}; !slices.Equal(within, want) {
		t.Errorf("told were %q", within)
	}
}

func TestStreamEnd(t *testing.T) {
	var ends []string
	s := tree(t, -1).Stream(t.Context(), subgraph.TreeInput{N: 2})
	for e := range s.Events() {
		if e.Kind == graphgen.RunEnd {
			ends = append(ends, e.Run.Within)
		}
	}
	out, err := s.Output()
	if err != nil || !slices.Equal(ends, []string{"deeper", ""}) || out.Sum != 3 {
		t.Errorf("the ends are %q, the output %+v", ends, out)
	}
}

func TestConcurrentChildRuns(t *testing.T) {
	m, counting, broken := new(library).article(t), tree(t, -1), tree(t, 1)
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			var rep graphgen.Report
			topic := fmt.Sprint("topic ", i)
			out, err := m.Run(t.Context(), subgraph.ArticleInput{Topic: topic, Limit: &i}, graphgen.WithReport(&rep))
			if err != nil || len(out.Found) != 3+i || len(rep.Nested) != 3 || out.Found[0].Title != topic {
				t.Error(out, err)
			}
			if out, err := counting.Run(t.Context(), subgraph.TreeInput{N: i%4 + 1}); err != nil || *out.Deepest != i%4+1 {
				t.Error(out, err)
			}
			if _, err := broken.Run(t.Context(), subgraph.TreeInput{N: i%4 + 1}); err == nil {
				t.Error("nothing has failed")
			}
		})
	}
	wg.Wait()
}
