// Package triage reads the outcome of real tests and decides whether it is worth an issue.
package triage

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	graphrt "github.com/graphgen/graphgen/runtime"
)

//go:generate go tool graphgen

// Desk does the work of the triage.
type Desk struct{}

// Gather runs the tests and reads their JSON events.
func (Desk) Gather(ctx context.Context, in TriageGatherIn) (TriageGatherOut, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-json", ".")
	cmd.Dir = in.Dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	events, err := cmd.Output()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		return TriageGatherOut{}, err
	}
	return TriageGatherOut{Findings: findings(events)}, nil
}

// findings turns test events into findings, one per test that did not pass.
func findings(events []byte) []Finding {
	said := map[string]string{}
	var out []Finding
	for s := bufio.NewScanner(bytes.NewReader(events)); s.Scan(); {
		var e struct{ Action, Test, Output string }
		if json.Unmarshal(s.Bytes(), &e) != nil || e.Test == "" {
			continue
		}
		said[e.Test] += e.Output
		f := Finding{Test: e.Test, Message: lastLine(said[e.Test])}
		switch {
		case e.Action == "fail" && strings.Contains(said[e.Test], "panic:"):
			f.Severity = SeverityHigh
		case e.Action == "fail":
			f.Severity = SeverityMedium
		case e.Action == "skip":
			f.Severity = SeverityLow
		default:
			continue
		}
		out = append(out, f)
	}
	return out
}

// lastLine returns the last line that a test itself wrote.
func lastLine(text string) string {
	last := ""
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "===") {
			last = line
		}
	}
	return last
}

// Investigate counts the findings without an issue.
func (Desk) Investigate(in TriageInvestigateIn) (TriageInvestigateOut, error) {
	var out TriageInvestigateOut
	for _, f := range in.Findings {
		if slices.Contains(in.Known, f.Test) {
			continue
		}
		out.NovelCount++
		if out.HighestSeverity == nil || f.Severity > *out.HighestSeverity {
			out.HighestSeverity = &f.Severity
		}
	}
	return out, nil
}

// CreateIssue writes the new findings to a file.
func (Desk) CreateIssue(_ context.Context, in TriageCreateIssueIn) (TriageCreateIssueOut, error) {
	var b strings.Builder
	for _, f := range in.Findings {
		if slices.Contains(in.Known, f.Test) {
			continue
		}
		fmt.Fprintf(&b, "- [%s] %s: %s\n", f.Severity, f.Test, f.Message)
	}
	path := filepath.Join(in.Dir, "ISSUE.md")
	return TriageCreateIssueOut{Issue: path}, os.WriteFile(path, []byte(b.String()), 0o644)
}

// HasFinding keeps empty issues from being announced.
func (Desk) HasFinding(_ context.Context, out TriageCreateIssueOut) error {
	if written, err := os.ReadFile(out.Issue); err != nil || len(written) == 0 {
		return graphrt.Reject("the issue names no finding")
	}
	return nil
}

// Skip has nothing to do.
func (Desk) Skip(context.Context, *TriageState) error { return nil }

// Notify says what was done.
func (Desk) Notify(_ context.Context, in TriageNotifyIn) (TriageNotifyOut, error) {
	if in.Issue == "" {
		return TriageNotifyOut{Notice: "nothing new"}, nil
	}
	return TriageNotifyOut{Notice: fmt.Sprintf("%d new findings: see %s", in.NovelCount, filepath.Base(in.Issue))}, nil
}

// ReportFailure says that the triage failed, and where.
func (Desk) ReportFailure(ctx context.Context) (TriageReportFailureOut, error) {
	return TriageReportFailureOut{Notice: "triage failed: " + graphrt.Info(ctx).Failure.Error()}, nil
}
