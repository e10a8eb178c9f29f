package temporal

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
)

// toolbox returns a toolbox whose tools are listed and called by activities.
func (a *Activities) toolbox(name string, of chat.Toolbox) chat.Toolbox {
	list, call := "toolbox."+name+".list", "toolbox."+name+".call"
	a.Handle(list, func(ctx context.Context, t *Task) error {
		tools, err := of.Tools(ctx)
		if err != nil {
			return err
		}
		specs := make([]chat.ToolSpec, len(tools))
		for i, tool := range tools {
			specs[i] = tool.Spec()
		}
		data, err := json.Marshal(specs)
		t.out = []json.RawMessage{data}
		return err
	})
	a.Handle(call, func(ctx context.Context, t *Task) error {
		var tool, arguments string
		if err := t.In(codec.Into(&tool, codec.ReadString), codec.Into(&arguments, codec.ReadString)); err != nil {
			return err
		}
		tools, err := of.Tools(ctx)
		if err != nil {
			return err
		}
		for _, one := range tools {
			if one.Spec().Name == tool {
				result, err := one.Call(ctx, arguments)
				return t.Out(err, codec.Of(chat.Message{Role: chat.RoleTool, Text: result.Text, Media: result.Media}, chatjson.EncodeMessage))
			}
		}
		return &chat.ToolError{Kind: chat.UnknownTool, Name: tool}
	})
	return &distantToolbox{a, of, list, call}
}

// A distantToolbox is a toolbox in a workflow.
type distantToolbox struct {
	*Activities
	of         chat.Toolbox // for the servers that it has
	list, call string
}

// Serves reports whether the toolbox has the tools of a server that the graph declares.
func (b *distantToolbox) Serves(server string) bool {
	s, ok := b.of.(chat.Servers)
	return ok && s.Serves(server)
}

// Tools lists the tools by an activity.
func (b *distantToolbox) Tools(ctx context.Context) ([]chat.Tool, error) {
	h, _ := ctx.Value(hostKey{}).(*host)
	if h == nil {
		return nil, errNoHost
	}
	values, err := b.Activities.call(ctx, h, b.list, task{}, nil)
	if err != nil {
		return nil, returned(ctx, err)
	}
	var specs []chat.ToolSpec
	if len(values) != 1 {
		return nil, fmt.Errorf("the activity %s returned %d values", b.list, len(values))
	}
	if err := json.Unmarshal(values[0], &specs); err != nil {
		return nil, err
	}
	tools := make([]chat.Tool, len(specs))
	for i, s := range specs {
		tools[i] = &distantTool{b, s}
	}
	return tools, nil
}

// A distantTool is a tool of a toolbox in a workflow.
type distantTool struct {
	box  *distantToolbox
	spec chat.ToolSpec
}

// Spec returns the description of the tool.
func (t *distantTool) Spec() chat.ToolSpec { return t.spec }

// Call calls the tool by an activity.
func (t *distantTool) Call(ctx context.Context, arguments string) (chat.ToolResult, error) {
	var m chat.Message
	in := In(codec.Of(t.spec.Name, codec.WriteString), codec.Of(arguments, codec.WriteString))
	err := t.box.Call(ctx, t.box.call, in, codec.Into(&m, chatjson.DecodeMessage))
	return chat.ToolResult{Text: m.Text, Media: m.Media}, err
}
