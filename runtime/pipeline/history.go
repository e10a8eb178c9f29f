package pipeline

import (
	"maps"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/chat"
)

// Scope selects which part of the conversation a node receives. Nil is Full.
type Scope func(c *Conversation, n *Node) part

// A part is what a node receives of a conversation. The zero part is all of it.
type part struct {
	none   bool
	ledger func(*Conversation, Limits) []chat.Message // nil: it is not a ledger
}

// Full is everything.
func Full(*Conversation, *Node) part { return part{} }

// Scoped is nothing: the node has its own prompt alone.
func Scoped(*Conversation, *Node) part { return part{none: true} }

// Ledger is what the nodes answered, and each fact that a tool gave, once.
func Ledger(*Conversation, *Node) part { return part{ledger: (*Conversation).ledger} }

// Fitted is all of it as long as there is room, else the ledger.
func Fitted(c *Conversation, n *Node) part {
	room := n.History.Tokens
	if room == 0 {
		room = defaultRoom
	}
	if sizeOf(c.messages) > room {
		return Ledger(c, n)
	}
	return part{}
}

// Limits bound the earlier conversation that a node receives; its end is kept. It never has a
// tool's result without its call.
type Limits struct {
	Messages int // 0: no bound
	Tokens   int // an estimate of four bytes each; 0: no bound
}

// defaultRoom is how many tokens of conversation a node receives in full if the spec has no
// bound.
const defaultRoom = 16_000

// A Conversation is the transcript of the nodes of one run.
type Conversation struct {
	messages []chat.Message
	passages []passage
	closed   int // how many messages there were when a node last answered
	pure     map[string]chat.ToolResult
	pending  *pending
	calling  *clientCall // of a tool node
	addition addition

	stored bool // it is one of the state: its messages have no passages, but the IDs of models

	first [1]passage // the first array of passages
}

// A passage is the messages of one node, from the end of the passage before to its own end.
type passage struct {
	end   int
	node  string
	voice modelID
}

// A modelID identifies the model of a node. The opaque part of a message is only for the provider
// of the model that made it.
type modelID struct {
	model string
	light bool
}

// pending holds the calls that a node has left to a tool node.
type pending struct {
	calls      []chat.ToolCall
	transcript *Transcript    // of the node
	said       []chat.Message // in the transcript, up to the calls
	after      int            // the messages of the conversation after which the results belong
	injected   []offered
	held       *heldTurn // calls that wait for people; nil: none does
	of         string    // of one that another process left: the node whose transcript it is
	by         int       // the number of the call of the model that asked for them; 0: it is not known
}

// Branch returns the conversation for a branch, which continues this one.
func (c *Conversation) Branch() Conversation {
	return Conversation{messages: slices.Clip(c.messages), passages: slices.Clip(c.passages), closed: c.closed, pure: maps.Clone(c.pure)}
}

// Join adds the messages of a branch. The branch started with a copy of this conversation: the
// messages and passages counted in the Mark.
func (c *Conversation) Join(b *Conversation, m Mark) {
	behind := len(c.messages) - m.messages
	c.messages = append(c.messages, b.messages[m.messages:]...)
	for _, p := range b.passages[m.spoken:] {
		p.end += behind
		c.passages = append(c.passages, p)
	}
	if b.closed > m.messages {
		c.closed = b.closed + behind
	}
	for call, result := range b.pure {
		if c.pure == nil {
			c.pure = map[string]chat.ToolResult{}
		}
		c.pure[call] = result
	}
}

// A Mark holds the lengths of a conversation and of the results when branches began.
type Mark struct{ messages, spoken, results int }

// MarkOf returns the current lengths. Either argument may be nil.
func MarkOf(c *Conversation, r *Results) Mark {
	var m Mark
	if c != nil {
		m.messages, m.spoken = len(c.messages), len(c.passages)
	}
	if r != nil {
		m.results = len(r.list)
	}
	return m
}

// nodeOf returns the node to which a message belongs.
func (c *Conversation) nodeOf(message int) string {
	for _, p := range c.passages {
		if message < p.end {
			return p.node
		}
	}
	return ""
}

// shownTo returns the messages of the earlier conversation that a node with those tools
// receives. replies reports whether they end with results of its own calls: then the request
// need not repeat the prompt.
func (c *Conversation) shownTo(n *Node, tools []chat.ToolSpec) (before []chat.Message, replies bool) {
	if len(c.messages) == 0 {
		return nil, false
	}
	switch part := c.scope(n); {
	case part.none:
		return nil, false
	case part.ledger != nil:
		return part.ledger(c, n.History), false
	}
	before = n.History.cut(c.messages)
	if own := c.replies(n); len(own) > 0 {
		replies = true
		if len(own) > len(before) {
			before = own // what a node has asked for it is shown, whatever else has room
		}
	}
	before = retell(c.readableBy(modelID{n.Model, n.Light}, before), tools)
	return before, replies && before[len(before)-1].Role == chat.RoleTool
}

// scope returns the part of the conversation that a node receives.
func (c *Conversation) scope(n *Node) part {
	if n.Scope == nil {
		return part{}
	}
	return n.Scope(c, n)
}

// replies returns the calls of a node, and the results after them, with which the conversation ends.
func (c *Conversation) replies(n *Node) []chat.Message {
	asked := len(c.messages) - 1
	for asked > 0 && c.messages[asked].Role == chat.RoleTool {
		asked--
	}
	if asked < 0 || asked == len(c.messages)-1 || c.nodeOf(asked) != n.Name || len(c.messages) == c.closed {
		return nil // of a node with an empty answer, the results of its tools are last
	}
	return slices.Clip(c.messages[asked:])
}

// readableBy returns the messages, which are the last ones of the conversation. It removes what is
// opaque to a model.
func (c *Conversation) readableBy(v modelID, messages []chat.Message) []chat.Message {
	start, i := len(c.messages)-len(messages), 0
	shared := true
	for _, p := range c.passages {
		for ; i < p.end; i++ {
			if p.voice == v || i < start || !messages[i-start].Opaque() {
				continue
			}
			if shared {
				messages, shared = slices.Clone(messages), false
			}
			messages[i-start] = messages[i-start].Plain()
		}
	}
	return messages
}

// retell rewrites as text the tool calls that a request cannot hold. These are calls of tools
// that the node does not have, which providers refuse and models would repeat, and calls without
// a result. Results without a call become text too.
func retell(messages []chat.Message, tools []chat.ToolSpec) []chat.Message {
	if len(messages) == 0 {
		return messages
	}
	r := retelling{}
	return r.emit(messages, tools)
}

// A retelling is the state of retell. Its steps grow with the calls plus the messages, not
// with their product: a model may make many calls in one turn.
type retelling struct {
	tools map[string]bool
	steps int // calls that were looked at
}

func (r *retelling) emit(messages []chat.Message, tools []chat.ToolSpec) []chat.Message {
	r.tools = make(map[string]bool, len(tools))
	for i := range tools {
		r.tools[tools[i].Name] = true
	}
	var told []chat.Message
	as := 0 // as many of the messages may stay as they are
	for i := 0; i < len(messages); {
		end := i + 1
		for end < len(messages) && messages[end].Role == chat.RoleTool {
			end++
		}
		stays := messages[i].Role != chat.RoleTool && r.answered(messages[i].Calls, messages[i+1:end])
		switch {
		case stays && told == nil:
			as = end
		case stays:
			told = append(told, messages[i:end]...)
		default:
			if told == nil {
				told = append(make([]chat.Message, 0, len(messages)), messages[:as]...)
			}
			told = r.inWords(told, messages[i:end])
		}
		i = end
	}
	if told == nil {
		return messages
	}
	return told
}

// answered reports whether there is a result for each of the calls, and the calls are of tools
// that the node has.
func (r *retelling) answered(calls []chat.ToolCall, results []chat.Message) bool {
	if len(calls) != len(results) {
		return false
	}
	for i := range calls {
		r.steps++
		if results[i].Call != calls[i].ID || !r.tools[calls[i].Name] {
			return false
		}
	}
	return true
}

// inWords adds a message and the results after it as text, without calls.
func (r *retelling) inWords(told, messages []chat.Message) []chat.Message {
	var arguments map[string]string // by the call's ID
	for i := range messages[0].Calls {
		r.steps++
		if arguments == nil {
			arguments = make(map[string]string, len(messages[0].Calls))
		}
		c := &messages[0].Calls[i]
		arguments[c.ID] = c.Arguments
	}
	for _, m := range messages {
		r.steps++
		if m.Role != chat.RoleTool {
			if m.Text != "" {
				m.Calls, m.Reasoning = nil, nil
				told = append(told, m)
			}
			continue
		}
		told = append(told, chat.Message{Role: chat.RoleUser, Text: m.Name + arguments[m.Call] + ": " + m.Text, Media: m.Media})
	}
	return told
}

// cut returns the last messages that the limits allow.
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

// ledger returns the conversation as one message: the answers of the nodes, and each result of a
// tool once. If the limits are exceeded, the beginning is left out.
func (c *Conversation) ledger(limits Limits) []chat.Message {
	lines := c.facts(Limits{Messages: limits.Messages}.cut(c.messages))
	if limits.Tokens > 0 {
		size := len(ledgerTitle)
		for i := len(lines) - 1; i >= 0; i-- {
			if size += len(lines[i]) + len("- \n"); tokens(size) > limits.Tokens {
				lines = lines[i+1:]
				break
			}
		}
	}
	if len(lines) == 0 {
		return nil
	}
	b := Text(ledgerTitle)
	for _, line := range lines {
		b.String("- ").String(line).String("\n")
	}
	return []chat.Message{chat.UserText(string(trimEnd(b)))}
}

const ledgerTitle = "What is known so far:\n"

// facts returns the facts in the messages, which are the last ones of the conversation, each once.
func (c *Conversation) facts(messages []chat.Message) []string {
	start := len(c.messages) - len(messages)
	var lines []string
	calls := map[string]*chat.ToolCall{}
	told := map[string]bool{}
	spoken := c.passages // from the passage on in which the message is
	for i := range messages {
		m := &messages[i]
		for len(spoken) > 0 && start+i >= spoken[0].end {
			spoken = spoken[1:]
		}
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
		case c.stored && m.Role != chat.RoleTool && len(m.Text)+len(m.Media) > 0:
			line = strings.TrimSuffix(m.Role.String()+": "+m.Text, " ")
		case m.Role == chat.RoleAssistant && m.Text != "":
			if len(spoken) > 0 {
				line = spoken[0].node
			}
			line += ": " + m.Text
		}
		if n := len(m.Media); n > 0 && line != "" { // the numbers of attachments in the text belong to no message
			line += " (" + count(n, "attachment") + " left out)"
		}
		if line != "" && !told[line] {
			told[line] = true
			lines = append(lines, line)
		}
	}
	return lines
}
