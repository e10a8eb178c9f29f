package chat

import "context"

// A ToolSpec is the description of a tool for a model.
type ToolSpec struct {
	Name   string
	Doc    string
	Schema string // JSON Schema of the arguments, an object
}

// A Tool is a tool known only at run time. Those that a spec declares are methods of a
// generated interface.
type Tool interface {
	Spec() ToolSpec
	// Call runs the tool; several goroutines may call it concurrently. The arguments are
	// JSON as the model wrote it. An error is sent to the model, which may try again; one
	// that wraps Fatal is the failure of the node.
	Call(ctx context.Context, arguments string) (ToolResult, error)
}

// A ToolFunc makes a call of a tool.
type ToolFunc func(ctx context.Context, call *ToolCall) (ToolResult, error)

// A ToolResult is what a tool gives to the model.
type ToolResult struct {
	Text  string
	Media []Media
}

// A Toolbox has tools that are known only at run time, such as the tools of a server. It is
// asked anew whenever a node with the flag inject_tools is entered.
type Toolbox interface {
	Tools(ctx context.Context) ([]Tool, error)
}

// Tools is a Toolbox of tools that are always the same.
type Tools []Tool

// Tools returns the tools.
func (t Tools) Tools(context.Context) ([]Tool, error) { return t, nil }
