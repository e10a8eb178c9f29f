// Package toolrouter is the tool router: a node chooses a tool at every turn, and every tool leads
// back to it. It shows goto, results that are cached for the run, and a bound on the steps. At the
// bound the run ends with its current output and a flag for that (on_max_steps: flag).
package toolrouter

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:generate go tool graphgen

// Tools work on the Go files below a root.
type Tools struct{}

// Analyze chooses the tool for the first ask without an answer.
func (Tools) Analyze(_ context.Context, in ToolrouterAnalyzeIn) (ToolrouterAnalyzeOut, ToolrouterAnalyzeGoto, error) {
	asks := strings.Split(in.Question, ";")
	if len(in.Answers) >= len(asks) {
		return ToolrouterAnalyzeOut{}, 0, nil
	}
	ask, err := parse(asks[len(in.Answers)])
	return ToolrouterAnalyzeOut{Ask: ask}, tools[ask.Tool], err
}

var tools = map[AskTool]ToolrouterAnalyzeGoto{
	AskToolListFiles:  ToolrouterAnalyzeGotoListFiles,
	AskToolCountLines: ToolrouterAnalyzeGotoCountLines,
	AskToolGrep:       ToolrouterAnalyzeGotoGrep,
}

// parse reads one ask.
func parse(text string) (Ask, error) {
	words := strings.Fields(text)
	switch {
	case len(words) == 2 && words[0] == "list":
		return Ask{Tool: AskToolListFiles, Folder: words[1]}, nil
	case len(words) == 2 && words[0] == "count":
		return Ask{Tool: AskToolCountLines, Folder: words[1]}, nil
	case len(words) == 4 && words[0] == "grep" && words[2] == "in":
		return Ask{Tool: AskToolGrep, Word: words[1], Folder: words[3]}, nil
	}
	return Ask{}, fmt.Errorf("no tool can do %q", strings.TrimSpace(text))
}

// ListFiles lists the Go files of a folder.
func (Tools) ListFiles(_ context.Context, in ToolrouterListFilesIn) (ToolrouterListFilesOut, error) {
	var names []string
	err := eachFile(in.Root, in.Ask.Folder, func(name string, _ []byte) { names = append(names, name) })
	return ToolrouterListFilesOut{Answers: []string{in.Ask.Folder + " holds " + strings.Join(names, ", ")}}, err
}

// CountLines counts the lines of a folder.
func (Tools) CountLines(_ context.Context, in ToolrouterCountLinesIn) (ToolrouterCountLinesOut, error) {
	lines := 0
	err := eachFile(in.Root, in.Ask.Folder, func(_ string, content []byte) { lines += strings.Count(string(content), "\n") })
	return ToolrouterCountLinesOut{Answers: []string{fmt.Sprintf("%s has %d lines", in.Ask.Folder, lines)}}, err
}

// Grep counts the lines of a folder that hold a word.
func (Tools) Grep(_ context.Context, in ToolrouterGrepIn) (ToolrouterGrepOut, error) {
	lines, files := 0, 0
	err := eachFile(in.Root, in.Ask.Folder, func(_ string, content []byte) {
		before := lines
		for line := range strings.Lines(string(content)) {
			if strings.Contains(line, in.Ask.Word) {
				lines++
			}
		}
		if lines > before {
			files++
		}
	})
	answer := fmt.Sprintf("%q is on %d lines of %d files in %s", in.Ask.Word, lines, files, in.Ask.Folder)
	return ToolrouterGrepOut{Answers: []string{answer}}, err
}

// eachFile reads the Go files of a folder.
func eachFile(root, folder string, visit func(name string, content []byte)) error {
	entries, err := os.ReadDir(filepath.Join(root, folder))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) != ".go" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, folder, e.Name()))
		if err != nil {
			return err
		}
		visit(e.Name(), content)
	}
	return nil
}

// Summarize puts the answers together.
func (Tools) Summarize(in ToolrouterSummarizeIn) (ToolrouterSummarizeOut, error) {
	return ToolrouterSummarizeOut{Summary: strings.Join(in.Answers, "; ")}, nil
}
