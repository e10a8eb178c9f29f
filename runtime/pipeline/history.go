package pipeline

import (
	"slices"

	"github.com/graphgen/graphgen/runtime/chat"
)

// A Scope is what of a run's conversation a node is shown.
type Scope uint8

const (
	Full   Scope = iota // everything
	Scoped              // nothing: the node's own prompt alone
	Ledger              // what the nodes answered, and each fact that a tool gave, once
	Fitted              // all of it as long as there is room, else the ledger
)

// Limits bound what a node is shown of the conversation before it, whose end is kept. A
// tool's result never stands there without its call.
type Limits struct {
	Messages int // 0: no bound
	Tokens   int // an estimate of four bytes each; 0: no bound
}

// roomy is how many tokens of conversation are shown in full where the spec states no
// bound.
const roomy = 16_000

// A Conversation is what the nodes of one run have said to models, and heard.
type Conversation struct {
	messages []chat.Message
	spoken   []passage
	pure     map[string]chat.ToolResult
	pending  []chat.ToolCall // calls that a node has left to a tool node
}

// A passage is what was said in one node: the messages up to an end, from that of the
// passage before.
type passage struct {
	end  int
	node string
}

// speaker returns the node in which a message was said.
func (c *Conversation) speaker(message int) string {
	for _, p := range c.spoken {
		if message < p.end {
			return p.node
		}
	}
	return ""
}

// Keep adds what was said in a dialog, which is over, so that later nodes see it. An answer
// that came from the cache was said before, and is not added again.
func (c *Conversation) Keep(d *Dialog) {
	if d.kept || d.node.Apart || d.looping {
		return
	}
	d.kept = true
	if d.whole {
		c.messages = d.messages // they go on where these end
	} else {
		c.messages = append(c.messages, d.messages[d.shown:]...)
	}
	c.spoken = append(c.spoken, passage{len(c.messages), d.node.Name})
}

// shownTo returns the messages that a node with those tools is shown of the conversation
// before it.
func (c *Conversation) shownTo(n *Node, tools []chat.ToolSpec) []chat.Message {
	scope := n.Scope
	if scope == Fitted {
		room := n.History.Tokens
		if room == 0 {
			room = roomy
		}
		scope = Full
		if sizeOf(c.messages) > room {
			scope = Ledger
		}
	}
	switch scope {
	case Scoped:
		return nil
	case Ledger:
		return c.ledger()
	}
	return retell(n.History.cut(c.messages), tools)
}

// retell puts calls of tools that the node does not have into words: providers refuse calls
// of tools that a request does not name, and models would make them again.
func retell(messages []chat.Message, tools []chat.ToolSpec) []chat.Message {
	foreign := func(c chat.ToolCall) bool {
		return !slices.ContainsFunc(tools, func(t chat.ToolSpec) bool { return t.Name == c.Name })
	}
	if !slices.ContainsFunc(messages, func(m chat.Message) bool { return slices.ContainsFunc(m.Calls, foreign) }) {
		return messages
	}
	told := make([]chat.Message, 0, len(messages))
	var calls []chat.ToolCall // that are put into words
	for _, m := range messages {
		switch {
		case slices.ContainsFunc(m.Calls, foreign):
			calls = m.Calls
			if m.Text == "" {
				continue
			}
			m.Calls, m.Reasoning = nil, nil
		case m.Role == chat.RoleTool:
			i := slices.IndexFunc(calls, func(c chat.ToolCall) bool { return c.ID == m.Call })
			if i < 0 {
				break
			}
			m = chat.Message{Role: chat.RoleUser, Text: m.Name + calls[i].Arguments + ": " + m.Text, Media: m.Media}
		default:
			calls = nil
		}
		told = append(told, m)
	}
	return told
}

// cut returns the end of messages that the limits allow.
func (l Limits) cut(messages []chat.Message) []chat.Message {
	from := 0
	if l.Messages > 0 && len(messages) > l.Messages {
		from = len(messages) - l.Messages
	}
	if l.Tokens > 0 {
		size := 0
		for i := len(messages) - 1; i >= from; i-- {
			if size += sizeOf(messages[i : i+1]); size > l.Tokens {
				from = i + 1
			}
		}
	}
	for from > 0 && from < len(messages) && messages[from].Role == chat.RoleTool {
		from++ // its call is not among them
	}
	return messages[from:len(messages):len(messages)]
}

// ledger is the conversation as one message: what the nodes answered, and each fact that
// a tool gave, once.
func (c *Conversation) ledger() []chat.Message {
	if len(c.messages) == 0 {
		return nil
	}
	var b Text
	b.String("What is known so far:\n")
	calls := map[string]*chat.ToolCall{}
	told := map[string]bool{}
	for i := range c.messages {
		m := &c.messages[i]
		for j := range m.Calls {
			calls[m.Calls[j].ID] = &m.Calls[j]
		}
		line := ""
		switch {
		case m.Role == chat.RoleTool && !m.Failed:
			line = m.Name
			if call := calls[m.Call]; call != nil {
				line += call.Arguments
			}
			line += ": " + m.Text
		case m.Role == chat.RoleAssistant && m.Text != "":
			line = c.speaker(i) + ": " + m.Text
		}
		if line != "" && !told[line] {
			told[line] = true
			b.String("- ").String(line).String("\n")
		}
	}
	return []chat.Message{chat.UserText(string(trimEnd(b)))}
}
