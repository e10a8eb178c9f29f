package graphgen_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/testing/hostile"
	"github.com/graphgen/graphgen/mutation"
)

var update = flag.Bool("update", false, "write the files of testdata")

// reported returns a report with everything that a summary has, and with text in every text of it.
func reported(text string) *graphgen.Report {
	where := graphgen.Where{Graph: "review", Branch: "each/3" + text, Node: "critic" + text, Step: 2, Visit: 1}
	refused := []graphgen.GuardFailure{{Guard: "short" + text, Message: "too long" + text}, {Guard: "polite", Message: "rude"}}
	usage := chat.Usage{Input: 1200, Output: 340, Cost: 0.0123}
	tools := graphgen.ToolCount{Made: 9, Failed: 8, Deduplicated: 7}
	return &graphgen.Report{
		ID: "r1" + text, Graph: "review" + text, Reason: graphgen.Budget, Steps: 4,
		Path: []graphgen.Visit{{Node: "critic" + text, Visit: 1}, {Node: "fix", Visit: 1}, {Node: "critic" + text, Visit: 2}}, Dropped: 1,
		Nodes: []graphgen.NodeCount{{Node: "critic" + text, Visits: 2, Time: 90 * time.Second, Usage: usage, ModelCalls: 2, Tools: tools},
			{Node: "fix", Visits: 1}, {Node: "never"}},
		Failures: []graphgen.Failure{
			{Err: &graphgen.NodeError{Where: where, Attempt: 2, Err: errors.New("no network\nat all" + text)}, Cleared: true},
			{Err: &graphgen.NodeError{Where: graphgen.Where{Node: "fix", Step: 3}, Attempt: 1, Err: errors.New("broken")}, Soft: true},
			{Err: &graphgen.NodeError{Where: graphgen.Where{Node: "fix", Step: 4}, Attempt: 1, Err: errors.New("broken")}},
		},
		Refusals: []graphgen.Refusal{{Where: where, Attempt: 1, Guards: refused}},
		Retries:  1, CacheHits: 2, Skips: 3, Rejected: 4, HookFailures: 5, Usage: usage, ModelCalls: 2, Tools: tools,
		Nested: []graphgen.NestedReport{{Node: "fix", Branch: "each/1" + text, Visit: 1, Attempt: 2,
			Report: &graphgen.Report{Graph: "fixer", ID: "r1/3.fix", Reason: graphgen.Failed}}},
		Mutations: []mutation.Entry{{Text: "a node" + text}, {Text: "an edge", Refused: "too many" + text}},
		Detail: &graphgen.RunDetail{
			From: 2, Duration: 93 * time.Second, ModelTime: 90 * time.Second, ToolTime: 2500 * time.Microsecond,
			Times: []time.Duration{61 * time.Second, 1234567 * time.Nanosecond, 29456 * time.Millisecond},
			Nodes: []graphgen.NodeDetail{{Kind: "prompt", ModelTime: 90 * time.Second, ToolTime: 2500 * time.Microsecond}, {Kind: "func"}, {Kind: "say"}},
			Calls: []graphgen.ModelCall{{Model: "large" + text}, {Model: ""}, {Model: "large" + text}},
			Guards: []graphgen.GuardCount{{Node: "critic" + text, Guard: "short" + text, Passed: 2, Refused: 1},
				{Node: "critic", Guard: "polite", Refused: 1}},
			LeftOut: []graphgen.OmittedBlock{{Node: "critic" + text, Branch: "each/3", Visit: 1, Block: "facts" + text}},
			Output:  "the output is not in it",
		},
	}
}

func TestSummary(t *testing.T) {
	got := reported("").Summary()
	file := filepath.Join("testdata", "summary.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the summary is\n%s, want\n%s", got, want)
	}
}

// TestSummaryWithoutDetails holds that the summary of a report without details has neither times nor kinds.
func TestSummaryWithoutDetails(t *testing.T) {
	r := &graphgen.Report{Graph: "review", ID: "r1", Steps: 1, Path: []graphgen.Visit{{Node: "draft", Visit: 1}},
		Nodes: []graphgen.NodeCount{{Node: "draft", Visits: 1}}}
	want := "graph review, run r1: completed after 1 step\n\n  step  node   visit\n     1  draft      1\n\n  node   visits\n  draft       1\n"
	if got := r.Summary(); got != want {
		t.Errorf("the summary is\n%s, want\n%s", got, want)
	}
	if got := new(graphgen.Report).Summary(); got != "graph , run : completed after 0 steps\n" {
		t.Errorf("the summary of nothing is\n%s", got)
	}
}

// TestSummaryOfHostileTexts holds that no text of a report adds a line, or a control character, to its summary.
func TestSummaryOfHostileTexts(t *testing.T) {
	lines := strings.Count(reported("").Summary(), "\n")
	for _, h := range hostile.Texts {
		got := reported(h.Text).Summary()
		if n := strings.Count(got, "\n"); n != lines {
			t.Errorf("with %s there are %d lines, want %d", h.Name, n, lines)
		}
		for _, c := range strings.ReplaceAll(got, "\n", "") {
			if !unicode.IsPrint(c) {
				t.Errorf("with %s there is %q", h.Name, c)
			}
		}
	}
}

// TestSummaryIsBounded holds that the summary of a long run, and of long texts, is short.
func TestSummaryIsBounded(t *testing.T) {
	r := reported(strings.Repeat("x", 10_000))
	r.Nested[0].Report = &graphgen.Report{Graph: "fixer", Nested: r.Nested}
	r.Nested[0].Report.Nested = []graphgen.NestedReport{{Node: "again", Report: &graphgen.Report{}}}
	for range 1000 {
		r.Path, r.Nodes, r.Nested = append(r.Path, r.Path[1]), append(r.Nodes, r.Nodes[1]), append(r.Nested, r.Nested[0])
		r.Failures, r.Refusals = append(r.Failures, r.Failures[0]), append(r.Refusals, r.Refusals[0])
		r.Detail.Guards, r.Detail.LeftOut = append(r.Detail.Guards, r.Detail.Guards[0]), append(r.Detail.LeftOut, r.Detail.LeftOut[0])
	}
	got := r.Summary()
	for _, want := range []string{"the last 100 of ", "more failures", "more refusals", "more blocks", "more child runs"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in the summary", want)
		}
	}
	if lines := strings.Count(got, "\n"); lines > 700 || len(got) > 700*1000 {
		t.Errorf("the summary has %d lines of %d bytes", lines, len(got))
	}
}
