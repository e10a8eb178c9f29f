// Package assistant is the graph of classifying, using tools and responding. It shows a
// branch table where the choice is the node's job, a goto as the exception to the wired edges, and
// a node whose results are cached for the run.
package assistant

import (
	"context"
	"fmt"
	"strings"
)

//go:generate go tool graphgen

// Helper answers from the Go files of a tree.
type Helper struct{}

// Classify takes the next message and returns its kind.
func (Helper) Classify(_ context.Context, in AssistantClassifyIn) (AssistantClassifyOut, AssistantClassifyBranch, error) {
	if len(in.Inbox) == 0 {
		return AssistantClassifyOut{Kind: KindBye}, AssistantClassifyBranchBye, nil
	}
	out := AssistantClassifyOut{Message: in.Inbox[0], Inbox: in.Inbox[1:], Kind: kindOf(in.Inbox[0])}
	return out, branches[out.Kind], nil
}

var branches = map[Kind]AssistantClassifyBranch{
	KindBug:      AssistantClassifyBranchBug,
	KindQuestion: AssistantClassifyBranchQuestion,
	KindChat:     AssistantClassifyBranchChat,
	KindBye:      AssistantClassifyBranchBye,
}

func kindOf(message string) Kind {
	switch lower := strings.ToLower(message); {
	case strings.HasPrefix(lower, "bye"):
		return KindBye
	case symbol(message) == "":
		return KindChat
	case strings.Contains(lower, "crash") || strings.Contains(lower, "wrong"):
		return KindBug
	}
	return KindQuestion
}

// symbol returns what a message names in backquotes.
func symbol(message string) string {
	_, rest, _ := strings.Cut(message, "`")
	name, _, _ := strings.Cut(rest, "`")
	return name
}

// Tools finds the declarations of the name in the message.
func (Helper) Tools(_ context.Context, in AssistantToolsIn) (AssistantToolsOut, AssistantToolsGoto, error) {
	places, err := declarations(in.Root, func(name string) bool { return name == symbol(in.Message) })
	if err == nil && len(places) == 0 {
		return AssistantToolsOut{}, AssistantToolsGotoRepair, nil
	}
	return AssistantToolsOut{Places: places}, 0, err
}

// Repair finds the declarations whose names differ by a letter or two.
func (Helper) Repair(_ context.Context, in AssistantRepairIn) (AssistantRepairOut, error) {
	places, err := declarations(in.Root, func(name string) bool { return distance(name, symbol(in.Message)) <= 2 })
	return AssistantRepairOut{Places: places}, err
}

// Respond answers; a bug also gets a ticket.
func (Helper) Respond(_ context.Context, in AssistantRespondIn) (AssistantRespondOut, error) {
	name := symbol(in.Message)
	switch {
	case in.Kind == KindChat:
		return AssistantRespondOut{Replies: []string{"hello to you too"}}, nil
	case len(in.Places) == 0:
		return AssistantRespondOut{Replies: []string{"there is nothing like " + name}}, nil
	case in.Places[0].Name != name:
		return AssistantRespondOut{Replies: []string{fmt.Sprintf("there is no %s; you may mean %s", name, list(in.Places))}}, nil
	case in.Kind == KindBug:
		return AssistantRespondOut{Replies: []string{"filed a bug against " + list(in.Places)}, Tickets: 1}, nil
	}
	return AssistantRespondOut{Replies: []string{list(in.Places)}}, nil
}

func list(places []Place) string {
	var told []string
	for _, p := range places {
		told = append(told, fmt.Sprintf("%s (%s:%d)", p.Name, p.File, p.Line))
	}
	return strings.Join(told, ", ")
}
