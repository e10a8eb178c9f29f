package golden_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/human"
	"github.com/graphgen/graphgen/golden/subgraph"
)

// slowTools is an option with which each call of a tool takes time.
func slowTools(d time.Duration) graphgen.Option {
	return graphgen.WithToolWrapper(func(call chat.ToolFunc) chat.ToolFunc {
		return func(ctx context.Context, c *chat.ToolCall) (chat.ToolResult, error) {
			time.Sleep(d)
			return call(ctx, c)
		}
	})
}

// slowModel takes time for each answer.
func slowModel(d time.Duration, m chat.Model) chat.Model {
	return chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		time.Sleep(d)
		return m.Generate(ctx, req, stream)
	})
}

// A busy error asks for a wait, which is longer than a random one.
type busy struct{}

func (busy) Error() string             { return "busy" }
func (busy) RetryAfter() time.Duration { return time.Second }

// compareFile compares a text with a file, or writes the file.
func compareFile(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not\n%s", file, got)
	}
}

// TestReportOfChildRuns holds the summary and the JSON of a run with child runs, retries, models and tools, in virtual time.
func TestReportOfChildRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &library{search: func(_ context.Context, visit int) error {
			time.Sleep(40 * time.Millisecond)
			if visit == 2 {
				return graphgen.Transient(busy{})
			}
			return nil
		}}
		m := l.article(t)
		var report graphgen.Report
		out, err := m.Run(t.Context(), subgraph.ArticleInput{Topic: "otters"}, graphgen.WithReport(&report), graphgen.WithTimings(), graphgen.WithRunID("r7"),
			graphgen.WithModel(slowModel(1500*time.Millisecond, answering("own"))), slowTools(30*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := report.Detail.Output.(*subgraph.ArticleOutput); !ok || got.Text != out.Text {
			t.Errorf("the output is %v", report.Detail.Output)
		}
		compareFile(t, "subgraph/article.summary.txt", []byte(report.Summary()))
		data, err := report.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, data, "", "  "); err != nil {
			t.Fatal(err)
		}
		compareFile(t, "subgraph/article.report.json", append(indented.Bytes(), '\n'))
	})
}

// TestReportOfPauses holds that the time of pauses is none of the run, and none of a step.
func TestReportOfPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := func(d time.Duration) func(context.Context) { return func(context.Context) { time.Sleep(d) } }
		m := newPeople(t, newsroom{draft: wait(3 * time.Second), publish: wait(2 * time.Second)})
		var reports [4]graphgen.Report
		_, err := m.Run(t.Context(), otters, graphgen.WithReport(&reports[0]), graphgen.WithTimings())
		p := pause(t, err)
		time.Sleep(time.Hour)
		_, err = m.Resume(t.Context(), p, human.AnswerHumanRead(good), graphgen.WithReport(&reports[1]))
		p = pause(t, err)
		time.Sleep(time.Minute)
		_, err = m.Resume(t.Context(), p, human.AnswerHumanApprove(graphgen.Approve), graphgen.WithReport(&reports[2]))
		_, err = m.Resume(t.Context(), pause(t, err), human.AnswerHumanHeadline("Otters"))
		p = pause(t, err)
		time.Sleep(time.Minute)
		out, err := m.Resume(t.Context(), p, human.AnswerHumanPlace(human.SectionSport), graphgen.WithReport(&reports[3]))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []time.Duration{3 * time.Second, 3 * time.Second, 3 * time.Second, 5 * time.Second} {
			if d := reports[i].Detail; d.From != 0 || d.Duration != want || (d.Output != nil) != (i == 3) {
				t.Errorf("call %d: %s, %v", i, d.Duration, d.Output)
			}
		}
		last := &reports[3]
		if want := []time.Duration{3 * time.Second, 0, 0, 0, 0, 2 * time.Second}; !slices.Equal(last.Detail.Times, want) {
			t.Errorf("%v took %v", last.NodePath(), last.Detail.Times)
		}
		for _, n := range last.Nodes {
			want := map[string]time.Duration{"draft": 3 * time.Second, "publish": 2 * time.Second}[n.Node]
			if n.Time != want {
				t.Errorf("node %s took %s, want %s", n.Node, n.Time, want)
			}
		}
		if got := last.Detail.Output.(*human.HumanOutput); got.Title == nil || *got.Title != *out.Title {
			t.Errorf("the output is %+v", got)
		}
	})
}

// TestReportBeginsLater holds that a run which is resumed with a report has the details from then on, and that its steps before it
// have no time.
func TestReportBeginsLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { testReportBeginsLater(t) })
	synctest.Test(t, func(t *testing.T) { testReportBeginsLater(t, graphgen.WithObserver(func(graphgen.Event) {})) })
}

// testReportBeginsLater makes a run that begins with options, goes on without any, and ends with a report.
func testReportBeginsLater(t *testing.T, options ...graphgen.RunOption) {
	wait := func(context.Context) { time.Sleep(3 * time.Second) }
	m := newPeople(t, newsroom{draft: wait, publish: wait})
	_, err := m.Run(t.Context(), otters, options...)
	p := pause(t, err)
	time.Sleep(time.Hour)
	_, err = m.Resume(t.Context(), p, human.AnswerHumanRead(good))
	_, err = m.Resume(t.Context(), pause(t, err), human.AnswerHumanApprove(graphgen.Approve))
	_, err = m.Resume(t.Context(), pause(t, err), human.AnswerHumanHeadline("Otters"))
	p = pause(t, err)
	time.Sleep(time.Hour)
	var report graphgen.Report
	took := graphgen.WithObserver(func(e graphgen.Event) {
		if e.Node == "place" && e.Took() != 0 {
			t.Errorf("%s took %s", e.Node, e.Took())
		}
	})
	if _, err = m.Resume(t.Context(), p, human.AnswerHumanPlace(human.SectionSport), graphgen.WithReport(&report), graphgen.WithTimings(), took); err != nil {
		t.Fatal(err)
	}
	if d := report.Detail; d.From != 4 || d.Duration != 3*time.Second || !slices.Equal(d.Times, []time.Duration{0, 0, 0, 0, 0, 3 * time.Second}) {
		t.Errorf("%s, %v", d.Duration, d.Times)
	}
}

// TestReportOfFailedObservers holds that the report of a pause counts the observers that failed in branches, at an event of the run, and
// at its end.
func TestReportOfFailedObservers(t *testing.T) {
	for _, at := range []string{"node_start check", "node_start review", "run_end review"} {
		var report graphgen.Report
		_, _, p := panelAt(t, graphgen.WithReport(&report), graphgen.WithObserver(func(e graphgen.Event) {
			if fmt.Sprint(e.Kind, " ", e.Node) == at {
				panic(at)
			}
		}))
		if p == nil || report.HookFailures != 1 {
			t.Errorf("an observer that fails at %s: %d are counted", at, report.HookFailures)
		}
	}
}
