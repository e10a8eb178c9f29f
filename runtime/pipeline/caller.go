package pipeline

import (
	"context"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A Caller runs the tools that the spec declares: a switch over their names.
type Caller interface {
	CallTool(ctx context.Context, call *chat.ToolCall) (chat.ToolResult, error)
}

// A Decoder is a Caller with tools whose calls wait for an answer. ToolArguments decodes the arguments of a call.
type Decoder interface {
	ToolArguments(call *chat.ToolCall) (args any, err error)
}

// A Returner is a Caller with tools that the caller of the machine runs. ToolReturns returns the JSON Schema of the
// answer to a call, and ToolResult decodes the result in it.
type Returner interface {
	ToolReturns(tool string) string
	ToolResult(tool string, result []byte) (chat.ToolResult, error)
}

// A Keyer is a Caller with pure tools that read the state. ToolKey returns what a tool reads, as text
// that differs where calls with the same arguments may have different results. It is empty for tools
// that read nothing. If ok is false, no call of the tool repeats another.
type Keyer interface {
	ToolKey(tool string) (key string, ok bool)
}

// Arguments decodes the arguments of a call. A model may leave out an object without members.
func Arguments(c *chat.ToolCall, args codec.Unmarshaler) error {
	text := c.Arguments
	if text == "" {
		text = "{}"
	}
	if err := codec.UnmarshalString(text, args); err != nil {
		return &chat.ToolError{Kind: chat.BadArguments, Err: err}
	}
	return nil
}

// ToolText makes a call of a tool that gives a text: it decodes the arguments.
func ToolText[Args any, P interface {
	*Args
	codec.Unmarshaler
}](ctx context.Context, c *chat.ToolCall, tool func(context.Context, Args) (string, error)) (chat.ToolResult, error) {
	var args Args
	if err := Arguments(c, P(&args)); err != nil {
		return chat.ToolResult{}, err
	}
	text, err := tool(ctx, args)
	return chat.ToolResult{Text: text}, err
}

// ToolJSON is ToolText for a tool that gives a value, which it encodes.
func ToolJSON[Args, T any, P interface {
	*Args
	codec.Unmarshaler
}](ctx context.Context, c *chat.ToolCall, tool func(context.Context, Args) (T, error), write codec.Writer[T]) (chat.ToolResult, error) {
	var args Args
	if err := Arguments(c, P(&args)); err != nil {
		return chat.ToolResult{}, err
	}
	value, err := tool(ctx, args)
	if err != nil {
		return chat.ToolResult{}, err
	}
	return Result(codec.Of(value, write))
}

// Result is a value as what a tool gives. The media in it is beside the text.
func Result(v codec.Marshaler) (chat.ToolResult, error) {
	var r chat.ToolResult
	data, err := codec.AppendAttached(nil, v, attachTo(&r.Media))
	r.Text = string(data)
	return r, err
}

// Unknown is what a generated switch over tools returns for a name that it does not have.
func Unknown(c *chat.ToolCall) (chat.ToolResult, error) {
	return chat.ToolResult{}, &chat.ToolError{Kind: chat.UnknownTool, Name: c.Name}
}
