// Agent is a small program around a machine that asks a model and calls a tool, for the tests to
// build and run wherever Go runs. The model is a function: what a provider's SDK weighs is its own.
package main

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

//go:generate go tool graphgen

// An atlas is the map.
type atlas map[string]int

func (a atlas) LookUp(_ context.Context, args AgentLookUpArgs) ([]Place, error) {
	legs, ok := a[args.Name]
	if !ok {
		return nil, errors.New(args.Name + " is not on the map")
	}
	return []Place{{Name: args.Name, Legs: legs}}, nil
}

// generate looks up what it is asked about, and answers from its input.
func generate(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	last := req.Messages[len(req.Messages)-1]
	if last.Role == chat.RoleTool {
		place := strings.TrimSuffix(strings.TrimPrefix(last.Text, "["), "]")
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "It is here:\n```json\n" + place + "\n```"}, Finish: chat.Stop}, nil
	}
	call := chat.ToolCall{ID: "1", Name: "look_up", Arguments: `{"name": "harbour"}`}
	return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Calls: []chat.ToolCall{call}}, Finish: chat.ToolCalls}, nil
}

func main() {
	if err := run(); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

// run prints the path of a run, its tool calls and its output.
func run() error {
	m, err := NewAgent(atlas{"harbour": 3}, chat.ModelFunc(generate))
	if err != nil {
		return err
	}
	var report graphgen.Report
	out, err := m.Run(context.Background(), AgentInput{Question: "the harbour"}, graphgen.WithReport(&report))
	if err != nil {
		return err
	}
	text, err := out.MarshalJSON()
	if err != nil {
		return err
	}
	os.Stdout.WriteString(strings.Join(report.NodePath(), " ") + ", " + strconv.Itoa(report.Tools.Made) + " tool call\n" + string(text) + "\n")
	return nil
}
