package pipeline

import (
	"errors"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
)

// The caller of a machine runs some of its tools: the run pauses with their calls, and continues with the results. A call
// then passes the wrappers of tools as any other does.

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
