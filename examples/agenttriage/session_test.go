package agenttriage

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/scripted"
)

var update = flag.Bool("update", false, "make the recording again")

// The session is what models might say of the fixture. They make mistakes: a severity that does not exist, and an
// issue without the facts.
var session = map[string][]scripted.Turn{
	"investigate": {
		{Usage: used(702, 46), Calls: []chat.ToolCall{
			{Name: "list_files", Arguments: `{}`},
			{Name: "run_tests", Arguments: `{}`},
		}},
		{Usage: used(931, 44), Calls: []chat.ToolCall{
			{Name: "read_file", Arguments: `{"name": "otters.go"}`},
			{Name: "read_file", Arguments: `{"name": "otters_test.go"}`},
		}},
		{Usage: used(1320, 96),
			Text: `{"findings": [{"place": "otters.TestFirst", "message": "First panics on an empty list", "severity": "critical"}],` +
				` "novel_count": 1, "highest_severity": "critical"}`},
		{Usage: used(1456, 131), Text: `{"findings": [
			{"place": "otters.TestFirst", "message": "First panics on an empty list: otters.go:8 takes names[0]", "severity": "high"},
			{"place": "otters.TestCount", "message": "Count is one too high: otters.go:5 adds 1", "severity": "medium"}],
			"novel_count": 2, "highest_severity": "high"}`},
	},
	"investigate, judge": {{Usage: used(388, 9), Text: `{"choice": "1"}`}},
	"create_issue": {
		{Usage: used(640, 62),
			Text: `{"title": "Count and First are broken", "body": "Two functions of otters are wrong, see otters.TestFirst.", "labels": ["bug"]}`},
		{Usage: used(911, 148), Text: `{"title": "First panics on an empty list, Count is one too high", "labels": ["bug", "panic"],
			"body": "- otters.TestFirst: First(nil) panics with index out of range, because otters.go:8 takes names[0] of whatever it is given. Return an empty name for an empty list.\n- otters.TestCount: Count of two otters gives 3, because otters.go:5 adds 1. Return len(names).\n\nBoth show with go test."}`},
	},
	"create_issue, evaluate": {
		{Usage: used(201, 24), Text: `{"pass": false, "message": "It does not say what is wrong with either."}`},
		{Usage: used(287, 8), Text: `{"pass": true}`},
	},
	"review": {{Usage: used(312, 41),
		Text: `{"remarks": ["Say what TestCount expects and gets.", "Say with which list First panics, and what it should return."]}`}},
	"review, judge": {{Usage: used(598, 9), Text: `{"choice": "1"}`}},
	"notify":        {{Usage: used(174, 31), Text: "First panics on an empty list and Count is one too high: ISSUE-2.md says how to mend both."}},
}

func used(in, out int) chat.Usage { return chat.Usage{Input: in, Output: out} }

// models plays parts of a session: by node, and of a node by what it is asked for.
func models(parts map[string][]scripted.Turn) *scripted.Model {
	return scripted.Play(scripted.Script{Turns: parts, Key: func(ctx context.Context, req *chat.Request) string {
		key := graphgen.Info(ctx).Node
		if req.Purpose != chat.Answer {
			key += ", " + string(req.Purpose)
		}
		return key
	}})
}

func fixture(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := Fixture(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The machine runs with its real handlers and tools here, on a module whose tests really fail.
func TestRecording(t *testing.T) {
	out, made, err := Record(t.Context(), models(session), fixture(t))
	if err != nil {
		t.Fatal(err)
	}
	if out.Filed == nil || *out.Filed != "ISSUE-2.md" {
		t.Errorf("filed %v", out.Filed)
	}
	if *update {
		if err := os.WriteFile("recording.jsonl", made, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(made, recording) {
		t.Error("recording.jsonl is not what the session says; -update writes it")
	}
}

func TestReplay(t *testing.T) {
	var report graphgen.Report
	dir := fixture(t)
	out, err := Replay(t.Context(), dir, graphgen.WithReport(&report))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"gather", "investigate", "investigate", "investigate", "create_issue", "review", "create_issue", "file_issue", "notify"}
	if path := report.NodePath(); !slices.Equal(path, want) {
		t.Errorf("path %v, want %v", path, want)
	}
	if !strings.Contains(out.Notice, "ISSUE-2.md") {
		t.Errorf("notice %q", out.Notice)
	}
	issue, err := os.ReadFile(filepath.Join(dir, "ISSUE-2.md"))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(issue); !strings.HasPrefix(text, "# First panics on an empty list, Count is one too high\n\nLabels: bug, panic\n\n- otters.TestFirst: ") {
		t.Errorf("issue:\n%s", text)
	}
	if report.Tools != (graphgen.ToolCount{Made: 4}) || report.ModelCalls != 12 {
		t.Errorf("the report counts %+v, %d model calls", report.Tools, report.ModelCalls)
	}
}
