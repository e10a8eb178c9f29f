package hooks_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/hooks"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/internal/testing/hostile"
)

// observer returns the observer of an option.
func observer(t *testing.T, o graphgen.Option) func(graphgen.Event) {
	t.Helper()
	var s optionset.Settings
	option.Set(&s, o)
	if len(s.Observers) != 1 {
		t.Fatalf("the option has %d observers", len(s.Observers))
	}
	return s.Observers[0]
}

var (
	at      = time.Date(2026, 3, 1, 12, 30, 0, 250_000_000, time.UTC)
	details = &graphgen.RunInfo{ID: "r1", Thread: "t1", Graph: "review", Within: "details", Branch: "each/3"}
)

// TestLogFields holds what the lines of events have.
func TestLogFields(t *testing.T) {
	const step = `2026-03-01T12:30:00.250Z KIND run=r1 thread=t1 graph=review within=details branch=each/3 node=draft kind=prompt step=2 visit=1`
	for _, c := range []struct {
		event graphgen.Event
		kind  string
		rest  string
	}{
		{with(graphgen.NodeEnd, origin.Details{Wait: 1500 * time.Millisecond, Text: "content"}), "node_end", " took=1.5s"},
		{graphgen.Event{Kind: graphgen.NodeEnd, Skipped: true}, "node_end", " skipped=true"},
		{with(graphgen.Retry, origin.Details{Number: 1, Wait: time.Second}), "retry", " attempt=1 wait=1s"},
		{graphgen.Event{Kind: graphgen.NodeFailed, Err: errors.New("content")}, "node_error", " failed=true"},
		{with(graphgen.Routed, origin.Details{More: &graphgen.Route{To: "fix", Rule: graphgen.RuleEdge, Reason: "content", Label: "not good"}}),
			"route", ` to=fix rule=edge label="not good"`},
		{with(graphgen.ModelEnd, origin.Details{
			More: &graphgen.ModelEvent{Call: 3, Name: "large", Usage: chat.Usage{Input: 10, Output: 5}, Latency: time.Millisecond}}), "model_end",
			" call=3 model=large input=10 output=5 latency=1ms"},
		{with(graphgen.ToolEnd, origin.Details{More: &graphgen.ToolEvent{Name: "search", By: 3, Arguments: "content", Result: "content"}}),
			"tool_end", " by=3 tool=search"},
		{with(graphgen.Progress, origin.Details{More: "content", Text: "content"}), "progress", ""},
		{with(graphgen.Interrupt, origin.Details{More: &graphgen.Request{Question: "content"}}), "interrupt", ""},
		{with(graphgen.Say, origin.Details{Text: "content"}), "say", ""},
	} {
		var log bytes.Buffer
		e := c.event
		e.Time, e.Run, e.Node, e.NodeKind, e.Step, e.Visit = at, details, "draft", "prompt", 2, 1
		observer(t, hooks.Log(&log))(e)
		if want := strings.Replace(step, "KIND", c.kind, 1) + c.rest + "\n"; log.String() != want {
			t.Errorf("the line is\n%swant\n%s", log.String(), want)
		}
	}
	var log bytes.Buffer
	write := observer(t, hooks.Log(&log))
	write(graphgen.Event{Kind: graphgen.Token, Run: details, Details: origin.Details{Text: "content"}})
	write(graphgen.Event{Kind: graphgen.RunEnd, Time: at, Run: &graphgen.RunInfo{ID: "r1", Graph: "review"}, Node: "draft",
		Err: errors.New("content"), Details: origin.Details{Of: origin.To(reported{Reason: graphgen.Failed, Steps: 3})}})
	if want := "2026-03-01T12:30:00.250Z run_end run=r1 graph=review reason=failed steps=3 failed=true\n"; log.String() != want {
		t.Errorf("the lines are\n%swant\n%s", log.String(), want)
	}
}

func with(kind graphgen.EventKind, d origin.Details) graphgen.Event {
	return graphgen.Event{Kind: kind, Details: d}
}

// reported is a run with a report.
type reported graphgen.Report

func (r reported) Report() *graphgen.Report { return (*graphgen.Report)(&r) }

// TestLogOfHostileNames holds that each event is one line of printable ASCII, whatever names it has.
func TestLogOfHostileNames(t *testing.T) {
	for _, h := range hostile.Texts {
		var log bytes.Buffer
		run := &graphgen.RunInfo{ID: h.Text, Graph: h.Text, Branch: h.Text}
		observer(t, hooks.Log(&log))(graphgen.Event{Kind: graphgen.Routed, Time: at, Run: run, Node: h.Text, NodeKind: "func",
			Step: 1, Details: origin.Details{More: &graphgen.Route{To: h.Text, Label: h.Text}}})
		line, rest, _ := strings.Cut(log.String(), "\n")
		if rest != "" || strings.ContainsFunc(line, func(c rune) bool { return c > unicode.MaxASCII || !unicode.IsPrint(c) }) {
			t.Errorf("%s: %q", h.Name, log.String())
		}
	}
}

// TestLogOfSomeNodes holds that the lines of a log limited to nodes are those of the nodes, and of the run.
func TestLogOfSomeNodes(t *testing.T) {
	var log bytes.Buffer
	write := observer(t, hooks.Log(&log, "details/draft"))
	for _, e := range []graphgen.Event{
		{Kind: graphgen.RunStart, Run: details}, {Kind: graphgen.NodeStart, Run: details, Node: "draft"}, {Kind: graphgen.NodeStart, Run: details, Node: "fix"},
		{Kind: graphgen.NodeStart, Run: &graphgen.RunInfo{}, Node: "draft"}, {Kind: graphgen.RunEnd, Run: details, Node: "fix"},
	} {
		write(e)
	}
	if got := strings.Count(log.String(), "\n"); got != 3 || strings.Contains(log.String(), "fix") {
		t.Errorf("the lines are\n%s", log.String())
	}
}

// TestLogIgnoresErrors holds that a writer that fails does not keep later lines from being written.
func TestLogIgnoresErrors(t *testing.T) {
	calls := 0
	write := observer(t, hooks.Log(writer(func([]byte) (int, error) { calls++; return 0, errors.New("the disk is full") })))
	write(graphgen.Event{Run: details})
	write(graphgen.Event{Run: details})
	if calls != 2 {
		t.Errorf("there were %d writes", calls)
	}
}
