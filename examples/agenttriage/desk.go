// Package agenttriage is the triage of the package beside it as agents do it: a model investigates a
// module with tools, natural-language edges decide whether what it found is worth an issue, another
// prompt writes that, and a third one reviews it. It shows edges with `when`, evals by rule and by a
// judge, a bounded loop with feedback, budgets, and code of one's own between the prompts.
package agenttriage

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/graphgen/graphgen"
)

//go:generate go tool graphgen

// A Desk has the issues of a module: files of Markdown in a folder, whose first line is the title.
type Desk struct{ Issues string }

// Gather reads the titles of the issues.
func (d Desk) Gather(context.Context) (TriageGatherOut, error) {
	var out TriageGatherOut
	files, err := fs.Glob(os.DirFS(d.Issues), "ISSUE-*.md")
	if err != nil {
		return out, err
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(d.Issues, file))
		if err != nil {
			return out, err
		}
		title, _, _ := strings.Cut(string(text), "\n")
		out.Known = append(out.Known, strings.TrimPrefix(title, "# "))
	}
	return out, nil
}

// FileIssue writes the issue to the first file that is free: an issue is never written over.
func (d Desk) FileIssue(_ context.Context, in TriageFileIssueIn) (TriageFileIssueOut, error) {
	text := fmt.Sprintf("# %s\n\nLabels: %s\n\n%s\n", in.Issue.Title, strings.Join(in.Issue.Labels, ", "), strings.TrimSpace(in.Issue.Body))
	for n := 1; ; n++ {
		name := fmt.Sprintf("ISSUE-%d.md", n)
		f, err := os.OpenFile(filepath.Join(d.Issues, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			return TriageFileIssueOut{}, err
		}
		_, err = f.WriteString(text)
		if closing := f.Close(); err == nil {
			err = closing
		}
		return TriageFileIssueOut{Filed: name, Decision: "filed as " + name}, err
	}
}

// Skip records why no issue is filed.
func (Desk) Skip(_ context.Context, in TriageSkipIn) (TriageSkipOut, error) {
	if len(in.Findings) == 0 {
		return TriageSkipOut{Decision: "nothing is new"}, nil
	}
	return TriageSkipOut{Decision: fmt.Sprintf("%d new findings are not worth an issue", len(in.Findings))}, nil
}

// ReportFailure names the node at which the triage failed.
func (Desk) ReportFailure(ctx context.Context) (TriageReportFailureOut, error) {
	failure := graphgen.Info(ctx).Failure
	return TriageReportFailureOut{Notice: fmt.Sprintf("%s failed: %v", failure.Where.Node, failure.Err)}, nil
}
