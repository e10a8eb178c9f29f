package golden_test

import (
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/human"
	"github.com/graphgen/graphgen/runtime/engine"
)

// newsroom does the work of the graph people.
type newsroom struct {
	draft, publish func(context.Context)
}

func (n newsroom) Draft(ctx context.Context, _ human.HumanDraftIn) (human.HumanDraftOut, error) {
	if n.draft != nil {
		n.draft(ctx)
	}
	return human.HumanDraftOut{Article: "Otters swim.", Tags: []string{"river"}, Log: []string{"drafted"}}, nil
}

func (n newsroom) Publish(ctx context.Context, _ human.HumanPublishIn) (human.HumanPublishOut, error) {
	if n.publish != nil {
		n.publish(ctx)
	}
	return human.HumanPublishOut{Log: []string{"published"}}, nil
}

func (n newsroom) Expire(context.Context) (human.HumanExpireOut, error) {
	return human.HumanExpireOut{Log: []string{"expired"}}, nil
}

func newPeople(t *testing.T, n newsroom) *human.Human {
	t.Helper()
	m, err := human.NewHuman(n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// pause returns the pause that an error holds.
func pause(t *testing.T, err error) *graphgen.Pause {
	t.Helper()
	run, ok := errors.AsType[*graphgen.RunError](err)
	if !ok || run.Reason != graphgen.Paused {
		t.Fatalf("no pause: %v", err)
	}
	p := graphgen.AsPause(err)
	return p
}

var (
	otters = human.HumanInput{Topic: "otters"}
	good   = human.Review{Grade: 5, Route: human.ReviewRouteApprove}
)

// atApprove runs the graph up to the author's approval.
func atApprove(t *testing.T, m *human.Human, opts ...graphgen.RunOption) *graphgen.Pause {
	t.Helper()
	_, err := m.Run(t.Context(), otters, opts...)
	_, err = m.Resume(t.Context(), pause(t, err), human.AnswerHumanRead(good))
	return pause(t, err)
}

// finish answers what is asked behind the approval.
func finish(t *testing.T, m *human.Human, err error) human.HumanOutput {
	t.Helper()
	_, err = m.Resume(t.Context(), pause(t, err), human.AnswerHumanHeadline("Otters"))
	out, err := m.Resume(t.Context(), pause(t, err), human.AnswerHumanPlace(human.SectionSport))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestPause(t *testing.T) {
	m := newPeople(t, newsroom{})
	before := time.Now()
	_, err := m.Run(t.Context(), otters)
	p := pause(t, err)
	shown := []graphgen.Shown{{Name: "article", Text: "Otters swim."}, {Name: "tags", Text: `["river"]`, JSON: true}}
	q := p.Requests[0]
	if q.Graph != "human" || q.Node != "read" || q.Step != 2 || q.Question != "Is the article about otters good?" || !slices.Equal(q.Shown, shown) {
		t.Errorf("%+v", p)
	}
	if p.Requests[0].Choices != nil || !strings.Contains(p.Requests[0].Schema, `"grade"`) {
		t.Errorf("a struct has a schema, and no choices: %v, %s", p.Requests[0].Choices, p.Requests[0].Schema)
	}
	if wait := p.Requests[0].Deadline.Sub(before); wait < 2*time.Hour || wait > 3*time.Hour {
		t.Errorf("the deadline is %v from now", wait)
	}
	_, err = m.Resume(t.Context(), p, human.AnswerHumanRead(good))
	if p = pause(t, err); !slices.Equal(p.Requests[0].Choices, []string{"approve", "deny"}) || p.Requests[0].Schema != "" {
		t.Errorf("a decision has two choices: %v, %s", p.Requests[0].Choices, p.Requests[0].Schema)
	}
	_, err = m.Resume(t.Context(), p, human.AnswerHumanApprove(graphgen.Approve))
	_, err = m.Resume(t.Context(), pause(t, err), human.AnswerHumanHeadline("Otters"))
	if p = pause(t, err); !slices.Equal(p.Requests[0].Choices, []string{"news", "sport", "culture"}) || !p.Requests[0].Deadline.IsZero() {
		t.Errorf("an enum has its values, and a node without a timeout no deadline: %+v", p)
	}
}

func TestInvalidAnswer(t *testing.T) {
	m, other := newPeople(t, newsroom{}), newPeople(t, newsroom{})
	ended, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the person has gone")
	cancel(gone)
	p, yes := atApprove(t, m), human.AnswerHumanApprove(graphgen.Approve)
	for name, c := range map[string]struct {
		ctx    context.Context
		of     *human.Human
		p      *graphgen.Pause
		answer graphgen.Answer[human.Human]
		is     error // of the chain; nil: an AnswerError
	}{
		"the zero decision is neither yes nor no":          {t.Context(), m, p, human.AnswerHumanApprove(0), nil},
		"an unknown decision is neither":                   {t.Context(), m, p, human.AnswerHumanApprove(3), nil},
		"another machine does not know the run":            {t.Context(), other, p, yes, graphgen.ErrOtherMachine},
		"a run that waits for a yes takes no review":       {t.Context(), m, p, human.AnswerHumanRead(good), graphgen.ErrOtherNode},
		"another question of yes or no is another":         {t.Context(), m, p, human.AnswerHumanAppeal(graphgen.Approve), graphgen.ErrOtherNode},
		"nothing is no pause":                              {t.Context(), m, nil, yes, graphgen.ErrNoPause},
		"what no run has made is no pause":                 {t.Context(), m, &graphgen.Pause{}, yes, graphgen.ErrNoPause},
		"a context that has ended could continue no run":   {ended, m, p, yes, gone},
		"a no for another machine is none for this either": {t.Context(), other, p, human.AnswerHumanApprove(graphgen.Deny), graphgen.ErrOtherMachine},
		"the zero Answer is no answer":                     {t.Context(), m, p, graphgen.Answer[human.Human]{}, nil},
	} {
		_, err := c.of.Resume(c.ctx, c.p, c.answer)
		refused, ok := errors.AsType[*graphgen.ResumeError](err)
		if _, ran := errors.AsType[*graphgen.RunError](err); !ok || ran {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, invalid := errors.AsType[*graphgen.AnswerError](refused); c.is == nil && !invalid || c.is != nil && !errors.Is(refused, c.is) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := m.Resume(t.Context(), p, yes)
	if out := finish(t, m, err); !slices.Equal(out.Log, []string{"drafted", "published"}) {
		t.Errorf("%+v", out)
	}
}

func TestAnswerType(t *testing.T) {
	m := newPeople(t, newsroom{})
	_, err := m.Run(t.Context(), otters)
	p := pause(t, err)
	for name, reply := range map[string]human.Review{
		"a grade below the least":     {Grade: 0, Route: human.ReviewRouteApprove},
		"a grade above the greatest":  {Grade: 6, Route: human.ReviewRouteApprove},
		"a note that is too long":     {Grade: 1, Note: strings.Repeat("x", 81), Route: human.ReviewRouteApprove},
		"a route that is not chosen":  {Grade: 1},
		"a route that there is not":   {Grade: 1, Route: 9},
		"nothing, which is no review": {},
	} {
		_, err := m.Resume(t.Context(), p, human.AnswerHumanRead(reply))
		if _, ok := errors.AsType[*graphgen.AnswerError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = m.Resume(t.Context(), p, human.AnswerHumanRead(good))
	if next := pause(t, err); next.Requests[0].Node != "approve" {
		t.Errorf("%+v", next)
	}
}

func TestConcurrentResume(t *testing.T) {
	m := newPeople(t, newsroom{})
	for range 20 {
		p := atApprove(t, m)
		errs := make([]error, 8)
		var wait sync.WaitGroup
		begin := make(chan struct{})
		for i := range errs {
			wait.Go(func() {
				<-begin
				_, errs[i] = m.Resume(t.Context(), p, human.AnswerHumanApprove([]graphgen.Decision{graphgen.Approve, graphgen.Deny}[i%2]))
			})
		}
		close(begin)
		wait.Wait()
		won := 0
		for _, err := range errs {
			switch {
			case errors.Is(err, graphgen.ErrResumed):
			case pause(t, err).Requests[0].Node != "": // the next question
				won++
			}
		}
		if won != 1 {
			t.Fatalf("%d of %d went on", won, len(errs))
		}
	}
}

func TestResumeEndedRun(t *testing.T) {
	m := newPeople(t, newsroom{})
	p := atApprove(t, m)
	copied := *p
	_, err := m.Resume(t.Context(), p, human.AnswerHumanApprove(graphgen.Approve))
	finish(t, m, err)
	for _, old := range []*graphgen.Pause{p, &copied} {
		if _, err := m.Resume(t.Context(), old, human.AnswerHumanApprove(graphgen.Deny)); !errors.Is(err, graphgen.ErrResumed) {
			t.Error(err)
		}
	}
}

func TestEventsAroundPause(t *testing.T) {
	var report graphgen.Report
	var state human.HumanState
	m := newPeople(t, newsroom{})
	_, err := m.Run(t.Context(), otters, graphgen.WithReport(&report), graphgen.WithFinalState(&state))
	first := pause(t, err)
	if report.Reason != graphgen.Paused || !slices.Equal(report.NodePath(), []string{"draft", "read"}) || report.Steps != 2 || state.Article == "nothing" {
		t.Errorf("the first half: %+v, %+v", report, state)
	}
	asked, ok := graphgen.StateOf[human.HumanState](err)
	var second graphgen.Report
	_, err = m.Resume(t.Context(), first, human.AnswerHumanRead(human.Review{Grade: 2, Route: human.ReviewRouteApprove}), graphgen.WithReport(&second))
	if !ok || asked.Review != nil {
		t.Errorf("the state at a pause is what it was: %+v", asked)
	}
	if report.Steps != 2 || !slices.Equal(second.NodePath(), []string{"draft", "read", "approve"}) || state.Review != nil {
		t.Errorf("the second half: %+v, %+v, %+v", report, second, state)
	}
	_, err = m.Resume(t.Context(), pause(t, err), human.AnswerHumanApprove(graphgen.Deny))
	_, err = m.Resume(t.Context(), pause(t, err), human.AnswerHumanAppeal(graphgen.Deny), graphgen.WithReport(&second), graphgen.WithFinalState(&state))
	run, _ := errors.AsType[*graphgen.RunError](err)
	if run == nil || run.Reason != graphgen.Failed || !engine.IsDenied(err) || len(second.Failures) != 1 ||
		len(report.Failures) != 0 || state.Review.Grade != 2 {
		t.Errorf("the end: %v, %+v", err, second)
	}
}

func TestResumeContext(t *testing.T) {
	type key struct{}
	var drafted, published any
	m := newPeople(t, newsroom{
		draft:   func(ctx context.Context) { drafted = ctx.Value(key{}) },
		publish: func(ctx context.Context) { published = ctx.Value(key{}); _ = graphgen.Info(ctx) },
	})
	caller, leave := context.WithCancel(context.WithValue(t.Context(), key{}, "caller"))
	_, err := m.Run(caller, otters)
	leave()
	_, err = m.Resume(t.Context(), pause(t, err), human.AnswerHumanRead(good))
	_, err = m.Resume(t.Context(), pause(t, err), human.AnswerHumanApprove(graphgen.Approve))
	_, err = m.Resume(t.Context(), pause(t, err), human.AnswerHumanHeadline("Otters"))
	if _, err = m.Resume(context.WithValue(t.Context(), key{}, "person"), pause(t, err), human.AnswerHumanPlace(human.SectionNews)); err != nil {
		t.Fatal(err)
	}
	if drafted != "caller" || published != "person" {
		t.Errorf("%v, %v", drafted, published)
	}
}

func TestWhatWatchesACallEndsWithIt(t *testing.T) {
	var first, second, always, hooked []string
	note := func(to *[]string) graphgen.Option {
		return graphgen.WithObserver(func(e graphgen.Event) { *to = append(*to, strings.TrimSpace(e.Kind.String()+" "+e.Node)) })
	}
	hook := func(to *[]string) graphgen.Option {
		before := func(_ context.Context, e graphgen.Event) error { *to = append(*to, "before "+e.Node); return nil }
		after := func(_ context.Context, e graphgen.Event) error { *to = append(*to, "after "+e.Node); return nil }
		return graphgen.WithHook(graphgen.Hook{Name: "h", Before: before, After: after})
	}
	var report graphgen.Report
	var state human.HumanState
	m, err := human.NewHuman(newsroom{}, note(&always), hook(&always))
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Run(t.Context(), otters, note(&first), hook(&hooked), graphgen.WithReport(&report), graphgen.WithFinalState(&state))
	p, at, calls := pause(t, err), len(always), len(first)
	if report.Steps != 2 || state.Article == "nothing" {
		t.Errorf("the call has the report %+v", report)
	}
	_, err = m.Resume(t.Context(), p, human.AnswerHumanRead(good), note(&second))
	pause(t, err)
	half := []string{"run_start", "node_end read", "route read", "node_start approve", "interrupt approve", "run_end approve"}
	if !slices.Equal(second, half) {
		t.Errorf("who resumes sees %q", second)
	}
	if len(first) != calls || state.Review != nil || report.Steps != 2 {
		t.Errorf("the first call is told on: %q, %+v, %+v", first[calls:], state, report)
	}
	if want := []string{"before draft", "after draft", "before read"}; !slices.Equal(hooked, want) {
		t.Errorf("the hook of the first call is called for %q", hooked)
	}
	told := slices.DeleteFunc(slices.Clone(always[at:]), func(s string) bool { return s == "after read" || s == "before approve" })
	if !slices.Equal(told, half) || len(always)-at != len(half)+2 {
		t.Errorf("what the machine was made with sees %q", always[at:])
	}
}

func TestAPauseIsNotStored(t *testing.T) {
	m := newPeople(t, newsroom{})
	_, err := m.Run(t.Context(), otters)
	p := pause(t, err)
	marshal := func(v any) func() error { return func() error { _, err := json.Marshal(v); return err } }
	marshal2 := func(v any) func() error { return func() error { _, err := jsonv2.Marshal(v); return err } }
	for name, store := range map[string]func() error{
		"as JSON":              marshal(p),
		"as JSON, by value":    marshal(*p),
		"as JSON, in a list":   marshal([]any{p}),
		"as JSON, in its run":  marshal(err),
		"as JSON, version 2":   marshal2(p),
		"by value, version 2":  marshal2(struct{ Pause graphgen.Pause }{*p}),
		"by gob":               func() error { return gob.NewEncoder(io.Discard).Encode(p) },
		"from JSON":            func() error { return json.Unmarshal([]byte(`{"Question":"?"}`), new(graphgen.Pause)) },
		"from JSON, version 2": func() error { return jsonv2.Unmarshal([]byte(`{"Question":"?"}`), new(graphgen.Pause)) },
	} {
		if err := store(); !errors.Is(err, graphgen.ErrNotStored) {
			t.Errorf("a pause is stored %s: %v", name, err)
		}
	}
}

// resumed returns the stream of a call that resumes a run.
func resumed(
	t *testing.T, m *human.Human, p *graphgen.Pause, a graphgen.Answer[human.Human], opts ...graphgen.ResumeOption,
) *graphgen.Stream[human.HumanOutput] {
	return graphgen.NewStream(t.Context(), func(ctx context.Context, events graphgen.Option) (human.HumanOutput, error) {
		return m.Resume(ctx, p, a, append(opts, events)...)
	})
}

func TestAResumedRunIsStreamed(t *testing.T) {
	m := newPeople(t, newsroom{})
	kinds := func(s *graphgen.Stream[human.HumanOutput], to *[]string) (human.HumanOutput, error) {
		for e := range s.Events() {
			*to = append(*to, strings.TrimSpace(e.Kind.String()+" "+e.Node))
		}
		return s.Output()
	}
	resume := func(p *graphgen.Pause, a graphgen.Answer[human.Human], to *[]string) (human.HumanOutput, error) {
		return kinds(resumed(t, m, p, a), to)
	}
	var customer, editor, author []string
	_, err := kinds(m.Stream(t.Context(), otters), &customer)
	calls := len(customer)
	_, err = resume(pause(t, err), human.AnswerHumanRead(good), &editor)
	p := pause(t, err)
	if want := []string{"run_start", "node_end read", "route read", "node_start approve", "interrupt approve", "run_end approve"}; !slices.Equal(editor, want) {
		t.Errorf("the stream has %q", editor)
	}
	_, err = resume(p, human.AnswerHumanApprove(graphgen.Approve), &author)
	_, err = resume(pause(t, err), human.AnswerHumanHeadline("Otters"), &author)
	out, err := resume(pause(t, err), human.AnswerHumanPlace(human.SectionSport), &author)
	if err != nil || !slices.Equal(out.Log, []string{"drafted", "published"}) {
		t.Errorf("the output is %+v, %v", out, err)
	}
	if len(customer) != calls || len(editor) != 6 {
		t.Errorf("an earlier stream goes on: %q, %q", customer[calls:], editor[6:])
	}
	seen := len(author)
	_, err = resume(p, human.AnswerHumanApprove(graphgen.Approve), &author)
	if !errors.Is(err, graphgen.ErrResumed) || len(author) != seen {
		t.Errorf("a call that resumes nothing has the events %q, %v", author[seen:], err)
	}
}

func TestResumedStreamBreak(t *testing.T) {
	published := 0
	m := newPeople(t, newsroom{publish: func(context.Context) { published++ }})
	_, err := m.Resume(t.Context(), atApprove(t, m), human.AnswerHumanApprove(graphgen.Approve))
	_, err = m.Resume(t.Context(), pause(t, err), human.AnswerHumanHeadline("Otters"))
	var report graphgen.Report
	for e := range resumed(t, m, pause(t, err), human.AnswerHumanPlace(human.SectionNews), graphgen.WithReport(&report)).Events() {
		if e.Kind == graphgen.NodeEnd && e.Node == "place" {
			break
		}
	}
	if published != 0 || report.Reason != graphgen.Stopped {
		t.Errorf("the run goes on: %d publications, %s", published, report.Reason)
	}
}

func TestStreamPause(t *testing.T) {
	m := newPeople(t, newsroom{})
	var last graphgen.Event
	s := m.Stream(t.Context(), otters)
	for e := range s.Events() {
		last = e
	}
	if last.Kind != graphgen.RunEnd || last.Report().Reason != graphgen.Paused {
		t.Errorf("%+v", last)
	}
	_, err := s.Output()
	var report graphgen.Report
	_, err = m.Resume(t.Context(), pause(t, err), human.AnswerHumanRead(good), graphgen.WithReport(&report))
	if pause(t, err); report.HookFailures != 0 {
		t.Errorf("nobody is told any more: %+v", report)
	}
}

// TestAnswerBeforeTheEndOfTheCall holds that an answer to a pause that an observer has got waits until the call that paused has ended.
func TestAnswerBeforeTheEndOfTheCall(t *testing.T) {
	m := newPeople(t, newsroom{})
	synctest.Test(t, func(t *testing.T) {
		var wait sync.WaitGroup
		answered := false
		observe := graphgen.WithObserver(func(e graphgen.Event) {
			if e.Kind != graphgen.RunEnd {
				return
			}
			wait.Go(func() {
				_, err := m.Resume(t.Context(), graphgen.AsPause(e.Err), human.AnswerHumanRead(good))
				pause(t, err)
				answered = true
			})
			if synctest.Wait(); answered {
				t.Error("the answer does not wait")
			}
		})
		_, err := m.Run(t.Context(), otters, observe)
		pause(t, err)
		wait.Wait()
	})
}

func TestAbandonedRun(t *testing.T) {
	m := newPeople(t, newsroom{})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, err := m.Run(&strange{ctx}, otters)
		pause(t, err)
		synctest.Wait() // a goroutine that is left would keep the bubble from ending
	})
}

// strange is a context that package context has to watch with a goroutine.
type strange struct{ context.Context }

func (s *strange) Done() <-chan struct{} { return s.Context.Done() }
func (s *strange) Value(any) any         { return nil }

func TestLateAnswer(t *testing.T) {
	m := newPeople(t, newsroom{})
	for _, decision := range []graphgen.Decision{graphgen.Approve, graphgen.Deny, 0} {
		synctest.Test(t, func(t *testing.T) {
			p := atApprove(t, m)
			time.Sleep(24*time.Hour + 1)
			out, err := m.Resume(t.Context(), p, human.AnswerHumanApprove(decision))
			if err != nil || !slices.Equal(out.Log, []string{"drafted", "expired"}) {
				t.Errorf("%v: %+v, %v", decision, out, err)
			}
		})
	}
}

// TestHumanLinksKernelOnly holds what a graph of human nodes imports: nothing of models. The codec is for the methods of
// encoding/json, which a program links only if it calls them.
func TestHumanLinksKernelOnly(t *testing.T) {
	may := []string{"context", "github.com/graphgen/graphgen",
		"github.com/graphgen/graphgen/runtime/engine", "github.com/graphgen/graphgen/runtime/codec"}
	files, err := filepath.Glob("approval/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			if path := strings.Trim(i.Path.Value, `"`); !slices.Contains(may, path) {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
