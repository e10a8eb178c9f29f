// Package toolrouter is the tool router: a router chooses, tools lead back to it.
package toolrouter

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:generate go tool graphgen

// Tools work on the Go files of a folder.
type Tools struct{}

// Analyze asks for what is not known yet.
func (Tools) Analyze(_ context.Context, in ToolrouterAnalyzeIn) (ToolrouterAnalyzeGoto, error) {
	switch {
	case in.Files == nil:
		return ToolrouterAnalyzeGotoListFiles, nil
	case in.Matches == nil:
		return ToolrouterAnalyzeGotoGrep, nil
	case in.Lines == 0 && len(in.Matches) > 0:
		return ToolrouterAnalyzeGotoCountLines, nil
	}
	return ToolrouterAnalyzeGotoAnswer, nil
}

// ListFiles lists the Go files.
func (Tools) ListFiles(_ context.Context, in ToolrouterListFilesIn) (ToolrouterListFilesOut, error) {
	paths, err := filepath.Glob(filepath.Join(in.Root, "*.go"))
	out := ToolrouterListFilesOut{Files: []string{}}
	for _, p := range paths {
		out.Files = append(out.Files, filepath.Base(p))
	}
	return out, err
}

// Grep counts matching lines.
func (Tools) Grep(_ context.Context, in ToolrouterGrepIn) (ToolrouterGrepOut, error) {
	out := ToolrouterGrepOut{Matches: map[string]int{}}
	for _, name := range in.Files {
		content, err := os.ReadFile(filepath.Join(in.Root, name))
		if err != nil {
			return out, err
		}
		for line := range strings.Lines(string(content)) {
			if strings.Contains(line, in.Word) {
				out.Matches[name]++
			}
		}
	}
	return out, nil
}

// CountLines counts the lines of the files that match.
func (Tools) CountLines(_ context.Context, in ToolrouterCountLinesIn) (ToolrouterCountLinesOut, error) {
	var out ToolrouterCountLinesOut
	for name := range in.Matches {
		content, err := os.ReadFile(filepath.Join(in.Root, name))
		if err != nil {
			return out, err
		}
		out.Lines += strings.Count(string(content), "\n")
	}
	return out, nil
}

// Answer puts it together.
func (Tools) Answer(_ context.Context, in ToolrouterAnswerIn) (ToolrouterAnswerOut, error) {
	hits := 0
	for _, n := range in.Matches {
		hits += n
	}
	return ToolrouterAnswerOut{Answer: fmt.Sprintf("%q is on %d of %d lines in %d files", in.Word, hits, in.Lines, len(in.Matches))}, nil
}
