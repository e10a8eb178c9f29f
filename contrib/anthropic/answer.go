package anthropic

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/bounded"
)

// An answer is the result of one exchange, or of several that continue one another.
type answer struct {
	id, model string
	blocks    []*block
	calls     int // among the blocks
	stop      anthropic.StopReason
	details   anthropic.RefusalStopDetails
	usage     chat.Usage
}

// A block is a piece of an answer. Which of its texts it has depends on its kind.
type block struct {
	kind      string          // text, thinking, redacted_thinking, tool_use, or what we do not know
	text      strings.Builder // also the thought
	secret    strings.Builder // the signature, or what is redacted
	arguments strings.Builder
	id, name  string // of a call
	raw       string // as received, or begun
	ended     bool   // of a stream
}

// decode reads an answer that was not streamed.
func (m *Model) decode(body []byte) (*answer, error) {
	body, err := bounded.JSON(body)
	if err != nil {
		return nil, err
	}
	var reply anthropic.Message
	if err := json.Unmarshal(body, &reply); err != nil {
		return nil, m.malformed("it is not a message", string(body), err)
	}
	if reply.Type == "error" {
		return nil, m.refused(0, nil, body)
	}
	if reply.Type != "message" || !reply.JSON.Content.Valid() || !reply.JSON.StopReason.Valid() {
		return nil, m.malformed("it is not a whole message", string(body), nil)
	}
	a := &answer{id: reply.ID, model: reply.Model, stop: reply.StopReason, details: reply.StopDetails}
	a.usage = counted(usage{
		input: reply.Usage.InputTokens, output: reply.Usage.OutputTokens,
		read: reply.Usage.CacheReadInputTokens, written: reply.Usage.CacheCreationInputTokens,
		thought: reply.Usage.OutputTokensDetails.ThinkingTokens,
	})
	for i := range reply.Content {
		from := &reply.Content[i]
		b := &block{kind: from.Type, raw: from.RawJSON(), id: from.ID, name: from.Name}
		b.text.WriteString(from.Text + from.Thinking)
		b.secret.WriteString(from.Signature + from.Data)
		b.arguments.Write(from.Input)
		if err := a.push(b); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// push adds a block. It returns an error if there are too many calls.
func (a *answer) push(b *block) error {
	if b.kind == "tool_use" {
		if a.calls == bounded.Calls {
			return bounded.TooManyCalls()
		}
		a.calls++
	}
	a.blocks = append(a.blocks, b)
	return nil
}

// usage is what the API counts, in tokens.
type usage struct{ input, output, read, written, thought int64 }

// counted returns what the API counts as chat does: there, the input includes the tokens of the
// cache.
func counted(u usage) chat.Usage {
	n := chat.Usage{
		Input: bounded.Tokens(u.input), Output: bounded.Tokens(u.output), Reasoning: bounded.Tokens(u.thought),
		CacheRead: bounded.Tokens(u.read), CacheWrite: bounded.Tokens(u.written),
	}
	n.Input += n.CacheRead + n.CacheWrite
	return n
}

// add appends the answer that follows a pause. It returns an error if there are too many calls.
func (a *answer) add(next *answer) error {
	a.id, a.model, a.stop, a.details = next.id, next.model, next.stop, next.details
	for _, b := range next.blocks {
		if err := a.push(b); err != nil {
			return err
		}
	}
	a.usage = a.usage.Add(next.usage)
	return nil
}

// finishes maps the API's stop reasons to the reasons of chat. The refusal is an error.
var finishes = map[anthropic.StopReason]chat.Finish{
	anthropic.StopReasonEndTurn:                    chat.Stop,
	anthropic.StopReasonStopSequence:               chat.Stop,
	anthropic.StopReasonToolUse:                    chat.ToolCalls,
	anthropic.StopReasonMaxTokens:                  chat.Length,
	anthropic.StopReasonModelContextWindowExceeded: chat.Length,
}

// response returns the answer as chat has it.
func (a *answer) response(redact func(string) string) (*chat.Response, error) {
	m := a.message()
	if a.stop == anthropic.StopReasonRefusal {
		reason := a.details.Explanation
		for _, other := range []string{string(a.details.Category), m.Text} {
			reason = cmp.Or(reason, other)
		}
		return nil, &chat.ModelError{Kind: chat.Refused, Message: redact(reason)}
	}
	finish, known := finishes[a.stop]
	if !known {
		return nil, &chat.ModelError{Kind: chat.Malformed, Message: fmt.Sprintf("it ended for an unknown reason: %q", a.stop), Text: redact(m.Text)}
	}
	return &chat.Response{Message: m, Finish: finish, Usage: a.usage, Model: a.model, ID: a.id}, nil
}

// spent returns what an answer that is an error has used, nil if that is not known.
func (a *answer) spent() *chat.Response {
	if a.usage == (chat.Usage{}) {
		return nil
	}
	return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant}, Usage: a.usage, Model: a.model, ID: a.id}
}

func (a *answer) message() chat.Message {
	m := chat.Message{Role: chat.RoleAssistant}
	var text strings.Builder
	for _, b := range a.blocks {
		at := place{text.Len(), len(m.Calls)}
		switch b.kind {
		case "text":
			text.WriteString(b.text.String())
		case "thinking":
			m.Reasoning = append(m.Reasoning, chat.Reasoning{Text: b.text.String(), Opaque: pack(at, b.secret.String())})
		case "redacted_thinking":
			m.Reasoning = append(m.Reasoning, chat.Reasoning{Opaque: pack(at, b.secret.String()), Hidden: true})
		case "tool_use":
			m.Calls = append(m.Calls, chat.ToolCall{ID: b.id, Name: b.name, Arguments: b.written()})
		}
	}
	if n := len(a.blocks); n > 0 && a.blocks[n-1].kind == "tool_use" && finishes[a.stop] == chat.Length {
		if last := &m.Calls[len(m.Calls)-1]; last.Arguments == "{}" {
			last.Arguments = "" // they had not begun
		}
	}
	m.Text = text.String()
	return m
}

// written returns the arguments of a call. A tool without any gets an object all the same.
func (b *block) written() string {
	if blank(b.arguments.String()) {
		return "{}"
	}
	return b.arguments.String()
}

// param returns the block as it is sent back when the turn continues.
func (b *block) param() content {
	switch b.kind {
	case "text":
		return text(b.text.String())
	case "thinking":
		return content{anthropic.NewThinkingBlock(b.secret.String(), b.text.String())}
	case "redacted_thinking":
		return content{anthropic.NewRedactedThinkingBlock(b.secret.String())}
	case "tool_use":
		return content{toolUse(&chat.ToolCall{ID: b.id, Name: b.name, Arguments: b.arguments.String()})}
	}
	raw := json.RawMessage(b.raw)
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	if input := b.arguments.String(); isObject(input) { // which was streamed
		fields["input"] = json.RawMessage(input)
		raw, _ = json.Marshal(fields) // of valid JSON: it cannot fail
	}
	return content{param.Override[anthropic.ContentBlockParamUnion](raw)}
}
