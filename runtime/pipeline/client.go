package pipeline

import (
	"context"
	"errors"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
)

// The caller of a machine runs some of its tools: the run pauses with their calls, and continues with the results. A call
// then passes the wrappers of tools as any other does.

// A clientCall is the call of a tool node that waits for its result.
type clientCall struct {
	held *engine.HeldCall
	step int
}

// byClient makes the call of a tool node whose tool the caller of the machine runs. It returns the error that pauses
// the run as long as it has no result.
func (s *session) byClient(ctx context.Context, c *chat.ToolCall) (chat.ToolResult, error) {
	waiting := s.conversation.calling
	if waiting == nil || waiting.step != s.step { // a call of an execution that was cut off is another
		if ctx.Err() != nil {
			return chat.ToolResult{}, context.Cause(ctx)
		}
		if err := s.run.Agent().ReserveTools(1); err != nil {
			return chat.ToolResult{}, err
		}
		s.run.Agent().Open()
		h, err := s.heldCall(c)
		if err != nil {
			return chat.ToolResult{}, err
		}
		waiting = &clientCall{h, s.step}
		s.conversation.calling = waiting
		s.run.Pausing().Hold(h, 1)
	}
	if ctx.Err() != nil {
		s.conversation.calling = nil
		s.run.Pauses().Withdraw()
		return chat.ToolResult{}, context.Cause(ctx)
	}
	if err := s.run.Pauses().Held(); err != nil {
		return chat.ToolResult{}, err
	}
	s.conversation.calling = nil
	var o outcome
	if h := waiting.held; h.Late != nil {
		_, o.err = returnedBy(h)
		s.emitDenied(c, &o)
	} else {
		s.answered = map[string]*answeredCall{c.ID: {ToolCall: *c, held: h}}
		s.makeOne(ctx, c, &o)
	}
	s.reportCalls()
	return o.result, o.err
}

// clientAnswer is the answer to a call of a client's tool, as JSON.
type clientAnswer struct {
	result []byte
	failed string
}

// JSONMembers lists the members for the codec.
func (a *clientAnswer) JSONMembers(o *codec.Object) {
	codec.DefaultMember(o, "result", &a.result, nil, codec.ReadAny, codec.WriteAny)
	codec.DefaultMember(o, "error", &a.failed, "", codec.ReadString, codec.WriteString)
}

func readClientAnswer(a *clientAnswer, d *codec.Decoder) { codec.ReadStruct(a, d, "answer") }

// returned decodes the answer to a call of a client's tool: an object with the result, or with an error.
func returned(r Returner, tool string, answer []byte) (engine.Verdict, error) {
	var a clientAnswer
	if err := codec.Unmarshal(answer, codec.Into(&a, readClientAnswer)); err != nil {
		return engine.Verdict{}, err
	}
	switch {
	case (a.result == nil) == (a.failed == ""):
		return engine.Verdict{}, errors.New("neither a result nor an error, or both")
	case a.failed != "":
		return engine.Verdict{Failed: a.failed}, nil
	}
	result, err := r.ToolResult(tool, a.result)
	return engine.Verdict{Result: &result}, err
}

// Returned returns the verdict of a typed answer to a call of a client's tool: a result, unless it failed.
func Returned(value codec.Marshaler, failed string) (v engine.Verdict, invalid error) {
	if failed != "" {
		return engine.Verdict{Failed: failed}, nil
	}
	result, err := Result(value)
	return engine.Verdict{Result: &result}, err
}

// ReturnedText is Returned of a tool whose result is a text.
func ReturnedText(text, failed string) (v engine.Verdict, invalid error) {
	if failed != "" {
		return engine.Verdict{Failed: failed}, nil
	}
	return engine.Verdict{Result: &chat.ToolResult{Text: text}}, nil
}

// returnedBy returns how a call of a tool that the caller runs has ended.
func returnedBy(h *engine.HeldCall) (chat.ToolResult, error) {
	switch {
	case h.Late != nil:
		return chat.ToolResult{}, &chat.ToolError{Kind: chat.ClientFailed, Late: true}
	case h.Verdict.Result == nil:
		return chat.ToolResult{}, &chat.ToolError{Kind: chat.ClientFailed, Text: h.Verdict.Failed}
	}
	return *h.Verdict.Result, nil
}
