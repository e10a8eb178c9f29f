package anthropic

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/graphgen/graphgen/chat"
)

type content = []anthropic.ContentBlockParamUnion

// A conversation gathers messages into turns, which alternate.
type conversation struct {
	turns   []anthropic.MessageParam
	results content // of the user's turn that is being gathered, which they have to begin
	rest    content
}

// turns returns the messages as the API has them.
func turns(messages []chat.Message) ([]anthropic.MessageParam, error) {
	var c conversation
	for i := range messages {
		m := &messages[i]
		if err := c.add(m); err != nil {
			return nil, err
		}
	}
	c.endUser()
	return c.turns, nil
}

func (c *conversation) add(m *chat.Message) error {
	switch m.Role {
	case chat.RoleUser:
		media, err := userMedia(m.Media)
		c.rest = append(append(c.rest, media...), text(m.Text)...)
		return err
	case chat.RoleSystem:
		if !blank(m.Text) {
			c.rest = append(c.rest, text("<system>\n"+m.Text+"\n</system>")...)
		}
	case chat.RoleTool:
		result, err := toolResult(m)
		c.results = append(c.results, result)
		return err
	case chat.RoleAssistant:
		if len(m.Media) > 0 {
			return wrong("Anthropic takes no media in messages of the assistant")
		}
		c.endUser()
		c.end(anthropic.MessageParamRoleAssistant, assistant(m))
	default:
		return wrong("a message has no role")
	}
	return nil
}

func (c *conversation) endUser() {
	c.end(anthropic.MessageParamRoleUser, append(c.results, c.rest...))
	c.results, c.rest = nil, nil
}

// end adds to the turns; a turn of the same role as the one before continues it.
func (c *conversation) end(role anthropic.MessageParamRole, blocks content) {
	if len(blocks) == 0 {
		return
	}
	if n := len(c.turns); n > 0 && c.turns[n-1].Role == role {
		c.turns[n-1].Content = append(c.turns[n-1].Content, blocks...)
		return
	}
	c.turns = append(c.turns, anthropic.MessageParam{Role: role, Content: blocks})
}

func text(s string) content {
	if blank(s) {
		return nil
	}
	return content{anthropic.NewTextBlock(s)}
}

// assistant returns a message of the assistant with its thoughts in their positions: the API
// refuses the thoughts of the last turn in another order.
func assistant(m *chat.Message) content {
	var blocks content
	said, called := 0, 0
	upTo := func(p place) {
		to := clamp(m.Text, p.text, said)
		blocks = append(blocks, text(m.Text[said:to])...)
		for ; called < min(p.calls, len(m.Calls)); called++ {
			blocks = append(blocks, toolUse(&m.Calls[called]))
		}
		said = to
	}
	for _, r := range m.Reasoning {
		p, secret, ours := unpack(r.Opaque)
		if !ours {
			continue
		}
		upTo(p)
		if r.Hidden {
			blocks = append(blocks, anthropic.NewRedactedThinkingBlock(secret))
		} else {
			blocks = append(blocks, anthropic.NewThinkingBlock(secret, r.Text))
		}
	}
	upTo(place{len(m.Text), len(m.Calls)})
	return blocks
}

// clamp returns the place in a text, which is not always the one that it was taken from, as one
// between two characters, not before least.
func clamp(text string, at, least int) int {
	at = max(min(at, len(text)), least)
	for at > least && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

func toolUse(c *chat.ToolCall) anthropic.ContentBlockParamUnion {
	return anthropic.ContentBlockParamUnion{OfToolUse: &anthropic.ToolUseBlockParam{
		ID: callID(c.ID), Name: c.Name, Input: arguments(c.Arguments),
	}}
}

// arguments returns what a model wrote as the object that the API wants. What is not an object is
// wrapped, so that the model still sees what it did.
func arguments(written string) json.RawMessage {
	if blank(written) {
		return json.RawMessage("{}")
	}
	if isObject(written) {
		return json.RawMessage(written)
	}
	quoted, _ := json.Marshal(map[string]string{"invalid_arguments": written}) // of strings: it cannot fail
	return quoted
}

// callID returns the name of a call in the characters that the API allows: those that
// other providers give have more. The same name always gives the same one.
func callID(id string) string {
	if id == "" {
		return "call"
	}
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, id)
}

func toolResult(m *chat.Message) (anthropic.ContentBlockParamUnion, error) {
	result := &anthropic.ToolResultBlockParam{ToolUseID: callID(m.Call)}
	said := m.Text
	if m.Failed {
		result.IsError = param.NewOpt(true)
		if blank(said) {
			said = "the call failed" // an error without text is refused
		}
	}
	if !blank(said) {
		result.Content = append(result.Content, anthropic.ToolResultBlockParamContentUnion{
			OfText: &anthropic.TextBlockParam{Text: said},
		})
	}
	for i := range m.Media {
		image, document, err := medium(&m.Media[i])
		if err != nil {
			return anthropic.ContentBlockParamUnion{}, err
		}
		result.Content = append(result.Content, anthropic.ToolResultBlockParamContentUnion{
			OfImage: image, OfDocument: document,
		})
	}
	return anthropic.ContentBlockParamUnion{OfToolResult: result}, nil
}

// resumed returns the turns with the part of the answer before the vendor's pause.
func resumed(turns []anthropic.MessageParam, so *answer) []anthropic.MessageParam {
	c := conversation{turns: turns}
	var said content
	for _, b := range so.blocks {
		said = append(said, b.param()...)
	}
	c.end(anthropic.MessageParamRoleAssistant, said)
	return c.turns
}
