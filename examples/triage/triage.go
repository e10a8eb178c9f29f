// Package triage decides whether what is wrong with a module is worth an issue. It shows conditions
// over a typed output (with an enum in order), a graph-wide on_error node, a guard, a merge
// rule in Go, and a pure node (investigate is a transform).
package triage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphgen/graphgen"
)

//go:generate go tool graphgen

// Desk does the work of the triage.
type Desk struct{}

// Gather reads the sources.
func (Desk) Gather(_ context.Context, in TriageGatherIn) (TriageGatherOut, error) {
	var out TriageGatherOut
	for _, p := range in.Packages {
		found, err := readSources(in.Root, p)
		if err != nil {
			return out, err
		}
		out.Findings = append(out.Findings, found...)
	}
	out.Counts = tally(out.Findings)
	return out, nil
}

// RunTests runs the tests.
func (Desk) RunTests(ctx context.Context, in TriageRunTestsIn) (TriageRunTestsOut, error) {
	found, err := runTests(ctx, in.Root, in.Packages)
	return TriageRunTestsOut{Findings: found, Counts: tally(found)}, err
}

func tally(findings []Finding) map[string]int {
	counts := map[string]int{}
	for _, f := range findings {
		counts[f.Severity.String()]++
	}
	return counts
}

// MergeCounts adds counts up: the merge rule of the state's field counts.
func (Desk) MergeCounts(have, add map[string]int) map[string]int {
	sum := map[string]int{}
	for _, counts := range []map[string]int{have, add} {
		for severity, n := range counts {
			sum[severity] += n
		}
	}
	return sum
}

// Investigate looks at the findings without an issue.
func (Desk) Investigate(in TriageInvestigateIn) (TriageInvestigateOut, error) {
	out := TriageInvestigateOut{HighestSeverity: SeverityNone}
	for _, f := range novel(in.Findings, in.Known) {
		out.NovelCount++
		out.HighestSeverity = max(out.HighestSeverity, f.Severity)
	}
	return out, nil
}

func novel(findings []Finding, known []string) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return slices.Contains(known, f.Place) })
}

// CreateIssue writes the new findings to a file, the worst first.
func (Desk) CreateIssue(_ context.Context, in TriageCreateIssueIn) (TriageCreateIssueOut, error) {
	findings := novel(in.Findings, in.Known)
	slices.SortStableFunc(findings, func(a, b Finding) int { return int(b.Severity) - int(a.Severity) })
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "- [%s] %s (%s): %s\n", f.Severity, f.Place, f.Source, f.Message)
	}
	issue := filepath.Join(in.Outbox, "ISSUE.md")
	return TriageCreateIssueOut{Issue: &issue}, os.WriteFile(issue, []byte(b.String()), 0o644)
}

// NamesAFinding keeps empty issues from being announced.
func (Desk) NamesAFinding(_ context.Context, out TriageCreateIssueOut) error {
	written, err := os.ReadFile(*out.Issue)
	if err == nil && len(written) == 0 {
		return graphgen.Reject("the issue names no finding")
	}
	return err
}

// Skip records why no issue is filed.
func (Desk) Skip(_ context.Context, in TriageSkipIn) (TriageSkipOut, error) {
	if in.NovelCount == 0 {
		return TriageSkipOut{Notices: []string{"nothing is new"}}, nil
	}
	return TriageSkipOut{Notices: []string{fmt.Sprintf("%d new remarks are not worth an issue", in.NovelCount)}}, nil
}

// Notify records what was found and done.
func (Desk) Notify(_ context.Context, in TriageNotifyIn) (TriageNotifyOut, error) {
	said := fmt.Sprintf("found %d high, %d medium, %d low", in.Counts["high"], in.Counts["medium"], in.Counts["low"])
	if in.Issue != nil {
		said += fmt.Sprintf("; %d of them are new, see %s", in.NovelCount, filepath.Base(*in.Issue))
	}
	return TriageNotifyOut{Notices: []string{said}}, nil
}

// ReportFailure names the node at which the triage failed.
func (Desk) ReportFailure(ctx context.Context) (TriageReportFailureOut, error) {
	failure := graphgen.Info(ctx).Failure
	return TriageReportFailureOut{Notices: []string{fmt.Sprintf("%s failed: %v", failure.Where.Node, failure.Err)}}, nil
}
