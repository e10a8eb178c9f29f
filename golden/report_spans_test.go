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
	"github.com/graphgen/graphgen/golden/human"
	"github.com/graphgen/graphgen/golden/subgraph"
	"github.com/graphgen/graphgen/golden/subgraph/lookup"
)

type spanKey struct{}

// A tracer is what a hook records of the steps that it wraps, as spans.
type tracer struct {
	mu    sync.Mutex
	spans []string // what is open, the outermost first, in the order of their ends
	open  int
	most  int
}

// hook returns the hook of that name.
func (tr *tracer) hook(name string) graphgen.Option {
	return graphgen.WithHook(graphgen.Hook{Name: name, Around: func(ctx context.Context, e graphgen.Event, next func(context.Context) error) error {
		outer, _ := ctx.Value(spanKey{}).(string)
		span := strings.TrimPrefix(outer+" "+name+":"+e.Node, " ")
		tr.mu.Lock()
		tr.open++
		tr.most = max(tr.most, tr.open)
		tr.mu.Unlock()
		err := next(context.WithValue(ctx, spanKey{}, span))
		tr.mu.Lock()
		defer tr.mu.Unlock()
		tr.open--
		if graphgen.AsPause(err) != nil {
			span += " paused"
		} else if err != nil {
			span += " failed"
		}
		tr.spans = append(tr.spans, span)
		return err
	}})
}

// TestSpansEndAtAPause holds that a pause ends the scope of its step, and that the rest of the step is in none.
func TestSpansEndAtAPause(t *testing.T) {
	tr := new(tracer)
	var after []string
	ended := graphgen.WithHook(graphgen.Hook{After: func(_ context.Context, e graphgen.Event) error {
		after = append(after, e.Node)
		return nil
	}})
	var published any
	m, err := human.NewHuman(newsroom{publish: func(ctx context.Context) { published = ctx.Value(spanKey{}) }}, tr.hook("a"), ended)
	if err != nil {
		t.Fatal(err)
	}
	p := atApprove(t, m)
	if want := []string{"a:draft", "a:read paused", "a:approve paused"}; !slices.Equal(tr.spans, want) || !slices.Equal(after, []string{"draft", "read"}) {
		t.Errorf("the spans are %q, the ends %q", tr.spans, after)
	}
	_, err = m.Resume(t.Context(), p, human.AnswerHumanApprove(graphgen.Approve))
	finish(t, m, err)
	if want := []string{"a:headline paused", "a:place paused", "a:publish"}; !slices.Equal(tr.spans[3:], want) || published != "a:publish" || tr.open != 0 {
		t.Errorf("the spans are %q, %d are open; publish is in %v", tr.spans[3:], tr.open, published)
	}
}

// TestSpansOfChildRuns holds that the hooks of a parent are around those of its child runs, and that models
// and tools are called in the scopes of their nodes.
func TestSpansOfChildRuns(t *testing.T) {
	tr := new(tracer)
	var within []string
	seen := func(ctx context.Context, what string) {
		within = append(within, what+" in "+ctx.Value(spanKey{}).(string))
	}
	l := new(library)
	model := graphgen.WithModelWrapper(func(next chat.Model) chat.Model {
		return chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
			seen(ctx, "model")
			return next.Generate(ctx, req, stream)
		})
	})
	tools := graphgen.WithToolWrapper(func(next chat.ToolFunc) chat.ToolFunc {
		return func(ctx context.Context, call *chat.ToolCall) (chat.ToolResult, error) {
			seen(ctx, call.Name)
			return next(ctx, call)
		}
	})
	look, err := lookup.NewLookup(l, l, answering("own"), tr.hook("inner"))
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
	if _, err := m.Run(t.Context(), subgraph.ArticleInput{Topic: "otters"}, tr.hook("outer"), model, tools); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"outer:plan",
		"outer:background outer:search inner:search", "outer:background outer:search",
		"outer:background outer:answer inner:answer", "outer:background outer:answer",
		"outer:background outer:answer inner:answer", "outer:background outer:answer",
		"outer:background",
	}
	if !slices.Equal(tr.spans[:len(want)], want) || tr.open != 0 {
		t.Errorf("the spans are %q", tr.spans)
	}
	at := " in outer:background outer:answer inner:answer"
	if want := []string{"model" + at, "rate" + at, "model" + at}; !slices.Equal(within[:3], want) {
		t.Errorf("within are %q", within)
	}
}

// TestSpansOfBranches holds that the steps of branches are wrapped on their goroutines, at once, in the
// scope of the node that runs them.
func TestSpansOfBranches(t *testing.T) {
	for name, make := range forks {
		tr := new(tracer)
		m, err := make(idle())
		if err != nil {
			t.Fatal(err)
		}
		var path []string
		var report graphgen.Report
		for e := range m.stream(t.Context(), tr.hook("a"), graphgen.WithReport(&report)) {
			if e.Kind == graphgen.NodeStart {
				path = append(path, e.Node)
			}
		}
		nodes := map[string]int{}
		for _, span := range tr.spans {
			nodes[span[strings.LastIndexByte(span, ':')+1:]]++
		}
		if len(tr.spans) != len(path) || tr.open != 0 || tr.most < 2 || report.HookFailures != 0 {
			t.Errorf("%s: %d spans, %d at once, of the steps %q", name, len(tr.spans), tr.most, path)
		}
		for _, node := range path {
			nodes[node]--
		}
		for node, left := range nodes {
			if left != 0 {
				t.Errorf("%s: %d more spans than steps of %s", name, left, node)
			}
		}
	}
}

// TestGoverningSpanInABranch holds that a governing hook around a step of a branch ends the whole run.
func TestGoverningSpanInABranch(t *testing.T) {
	wrong := errors.New("no commit")
	commit := graphgen.WithHook(graphgen.Hook{Name: "commit", Governing: true,
		Around: func(ctx context.Context, e graphgen.Event, next func(context.Context) error) error {
			if err := next(ctx); err != nil || e.Run.Branch == "" {
				return err
			}
			return wrong
		}})
	for name, make := range forks {
		m, err := make(idle())
		if err != nil {
			t.Fatal(err)
		}
		err = m.run(t.Context(), commit)
		verdict, ok := errors.AsType[*graphgen.HookError](err)
		if !ok || !errors.Is(err, wrong) || verdict.Where.Branch == "" {
			t.Errorf("%s: the run gave %v", name, err)
		}
	}
}

// TestGoverningSpanOfAParent holds that a governing hook of a parent ends the parent too, whose node fails softly.
func TestGoverningSpanOfAParent(t *testing.T) {
	hook := graphgen.Hook{Name: "watch", Governing: true, Around: func(ctx context.Context, e graphgen.Event, next func(context.Context) error) error {
		if err := next(ctx); err != nil || e.Run.Within != "background" {
			return err
		}
		return errors.New("not this one")
	}}
	var report graphgen.Report
	_, err := new(library).article(t).Run(t.Context(), subgraph.ArticleInput{Topic: "otters"}, graphgen.WithHook(hook), graphgen.WithReport(&report))
	if path := strings.Join(report.NodePath(), " "); path != "plan background" || !strings.Contains(fmt.Sprint(err), "hook watch: not this one") {
		t.Errorf("the path is %s: %v", path, err)
	}
}

// TestGoverningSpanAtAPause holds that a governing hook that fails at a pause ends the run.
func TestGoverningSpanAtAPause(t *testing.T) {
	hook := graphgen.Hook{Name: "watch", Governing: true, Around: func(ctx context.Context, _ graphgen.Event, next func(context.Context) error) error {
		if err := next(ctx); err == nil {
			return nil
		}
		panic("no pause")
	}}
	_, err := newPeople(t, newsroom{}).Run(t.Context(), otters, graphgen.WithHook(hook))
	if _, ok := errors.AsType[*graphgen.HookError](err); !ok || !strings.Contains(err.Error(), "no pause") {
		t.Errorf("the run gave %v", err)
	}
}

// TestScopesOfRuns holds that a hook opens a scope for each part of a run that pauses, and for child runs in
// the scopes of the steps that make them.
func TestScopesOfRuns(t *testing.T) {
	var log []string
	begin := func(ctx context.Context, e graphgen.Event) (context.Context, func(graphgen.Event)) {
		outer, _ := ctx.Value(spanKey{}).(string)
		scope := strings.TrimPrefix(outer+" "+e.Run.Graph, " ")
		return context.WithValue(ctx, spanKey{}, scope), func(e graphgen.Event) {
			log = append(log, scope+": "+e.Report().Reason.String())
		}
	}
	hook := graphgen.WithHook(graphgen.Hook{Begin: begin})
	m, err := human.NewHuman(newsroom{publish: func(ctx context.Context) { log = append(log, fmt.Sprint("publish in ", ctx.Value(spanKey{}))) }}, hook)
	if err != nil {
		t.Fatal(err)
	}
	p := atApprove(t, m)
	_, err = m.Resume(t.Context(), p, human.AnswerHumanApprove(graphgen.Approve))
	finish(t, m, err)
	want := []string{"human: interrupted", "human: interrupted", "human: interrupted", "human: interrupted", "publish in human", "human: completed"}
	if !slices.Equal(log, want) {
		t.Errorf("got  %q\nwant %q", log, want)
	}
	log = nil
	if _, err := new(library).article(t).Run(t.Context(), subgraph.ArticleInput{Topic: "otters"}, hook, new(tracer).hook("step")); err != nil {
		t.Fatal(err)
	}
	if want := "article step:background lookup: completed"; !slices.Contains(log, want) || log[len(log)-1] != "article: completed" {
		t.Errorf("%q is not in %q", want, log)
	}
}
