// Package assistant is the graph of classifying, using tools and responding: a branch
// table where the choice is the node's job, a goto where it is the exception.
package assistant

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:generate go tool graphgen

// Helper answers from the files of a folder.
type Helper struct{}

// Classify takes the next message and tells what it is.
func (Helper) Classify(_ context.Context, in AssistantClassifyIn) (AssistantClassifyOut, AssistantClassifyBranch, error) {
	if len(in.Inbox) == 0 {
		return AssistantClassifyOut{}, AssistantClassifyBranchBye, nil
	}
	out := AssistantClassifyOut{Message: in.Inbox[0], Inbox: in.Inbox[1:]}
	switch {
	case strings.Contains(out.Message, "bye"):
		return out, AssistantClassifyBranchBye, nil
	case fileName(out.Message) != "":
		return out, AssistantClassifyBranchTools, nil
	}
	return out, AssistantClassifyBranchRespond, nil
}

// fileName returns the word of a message that names a file.
func fileName(message string) string {
	for _, word := range strings.Fields(message) {
		if word = strings.Trim(word, "?!,"); filepath.Ext(word) != "" {
			return word
		}
	}
	return ""
}

// Tools counts the lines of the file that a message names.
func (Helper) Tools(_ context.Context, in AssistantToolsIn) (AssistantToolsOut, AssistantToolsGoto, error) {
	content, err := os.ReadFile(filepath.Join(in.Root, fileName(in.Message)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return AssistantToolsOut{}, AssistantToolsGotoRepair, nil
	case err != nil:
		return AssistantToolsOut{}, 0, err
	}
	return AssistantToolsOut{Found: describe(fileName(in.Message), content)}, 0, nil
}

func describe(name string, content []byte) string {
	return fmt.Sprintf("%s has %d lines", name, strings.Count(string(content), "\n"))
}

// Repair looks for a file of the same ending that begins alike.
func (Helper) Repair(_ context.Context, in AssistantRepairIn) (AssistantRepairOut, error) {
	wanted := fileName(in.Message)
	entries, err := os.ReadDir(in.Root)
	if err != nil {
		return AssistantRepairOut{}, err
	}
	for _, e := range entries {
		if name := e.Name(); filepath.Ext(name) == filepath.Ext(wanted) && strings.EqualFold(name[:1], wanted[:1]) {
			content, err := os.ReadFile(filepath.Join(in.Root, name))
			return AssistantRepairOut{Found: "no " + wanted + ", but " + describe(name, content)}, err
		}
	}
	return AssistantRepairOut{Found: "there is no " + wanted}, nil
}

// Respond answers with what was found.
func (Helper) Respond(_ context.Context, in AssistantRespondIn) (AssistantRespondOut, error) {
	reply := in.Found
	if reply == "" {
		reply = "hello to you too"
	}
	return AssistantRespondOut{Replies: []string{reply}}, nil
}
