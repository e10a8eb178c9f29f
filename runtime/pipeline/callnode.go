package pipeline

import (
	"context"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
)

// CallText calls the one tool of a tool node, and stores its text in out, with U+FFFD for what is not UTF-8, as the state has JSON. An error
// that a prompt node would send to its model is the failure of the node here.
func CallText(ctx context.Context, run *engine.Run, conversation *Conversation, node *Node, caller Caller, args codec.Marshaler, out *string) error {
	result, err := callOne(ctx, run, conversation, node, caller, args)
	*out = strings.ToValidUTF8(result.Text, "\ufffd")
	return err
}

// CallJSON calls the one tool of a tool node, and decodes its result.
func CallJSON(ctx context.Context, run *engine.Run, conversation *Conversation, node *Node, caller Caller, args codec.Marshaler, out codec.Unmarshaler) error {
	result, err := callOne(ctx, run, conversation, node, caller, args)
	if err != nil {
		return err
	}
	return codec.UnmarshalAttached(result.Text, out, attachedTo(result.Media))
}

func callOne(ctx context.Context, run *engine.Run, conversation *Conversation, node *Node, caller Caller, args codec.Marshaler) (chat.ToolResult, error) {
	data, err := codec.Marshal(args)
	if err != nil {
		return chat.ToolResult{}, err
	}
	s := session{run: run, conversation: conversation, node: node, caller: caller, step: run.Path().Step()}
	call := &chat.ToolCall{Name: node.Tools[0].Name, Arguments: string(data)}
	var o outcome
	if node.Tools[0].Client && !s.known(call, &node.Tools[0], &o) {
		return node.Holder.byClient(&s, ctx, call)
	}
	if err := s.reserve(1, onlyCall); err != nil {
		return chat.ToolResult{}, err
	}
	run.Agent().Open()
	s.makeOne(ctx, call, &o)
	s.reportCalls()
	return o.result, o.err
}

// onlyCall returns the number of the only call of a turn.
func onlyCall(int) int { return 0 }

// CallPending runs the calls that a prompt node has left, and adds their results to the
// conversation. They may call the tools of that node, and the injected ones that it is
// allowed. Without such calls it does nothing.
func CallPending(ctx context.Context, run *engine.Run, conversation *Conversation, node *Node, caller Caller) error {
	p := conversation.pending
	if p == nil {
		return nil
	}
	if p.held == nil {
		run.Agent().Open()
	}
	if p.of != "" { // another process left them
		p.transcript.run, p.transcript.session = run, session{run: run, conversation: conversation, node: p.transcript.node}
		if _, err := p.transcript.tools(ctx); err != nil {
			return err
		}
		p.injected, p.of = p.transcript.session.injected, ""
	}
	asker := *p.transcript.node
	asker.Parallel = node.Parallel
	s := session{run: run, conversation: conversation, node: &asker, caller: caller, injected: p.injected, by: p.by}
	results, err := s.makeAll(ctx, &chat.Response{Message: chat.Message{Calls: p.calls}}, nil, &p.held)
	if err != nil {
		return err
	}
	conversation.answer(p, results)
	return nil
}
