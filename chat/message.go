package chat

import "slices"

// A Role is whose message it is.
type Role uint8

const (
	RoleUser Role = iota + 1
	RoleAssistant
	RoleTool   // the result of a tool call
	RoleSystem // instructions between messages; the system prompt itself is the request's
)

// String returns the role as providers write it.
func (r Role) String() string {
	switch r {
	case RoleUser:
		return "user"
	case RoleAssistant:
		return "assistant"
	case RoleTool:
		return "tool"
	case RoleSystem:
		return "system"
	}
	return ""
}

// A Message is one message of a conversation. Conversations share messages: what a slice
// of one holds is never changed.
type Message struct {
	Role      Role
	Failed    bool // of a tool's message: the text is an error
	Text      string
	Media     []Media     // images and files, of a user's or a tool's message
	Calls     []ToolCall  // tools that the assistant asks for
	Reasoning []Reasoning // what the assistant thought before it answered
	Voice     string      // of an assistant's message in a stored conversation: for which model what is opaque in it is

	Call string // of a tool's message: the ID of the call it answers
	Name string // of a tool's message: the tool
}

// Reasoning is a piece of a model's reasoning. Providers require it back unchanged. Only the
// provider that made it can read Opaque.
type Reasoning struct {
	Text   string
	Opaque string // signature, or encrypted content; empty: none
	Hidden bool   // without text: Opaque is all
}

// A ToolCall is a call that a model asks for.
type ToolCall struct {
	ID        string // names the call in its conversation
	Name      string
	Arguments string // JSON as the model wrote it, whether it is right or not
	Opaque    string // the provider's, to be sent back with the call; empty: none
}

// UserText returns a user's message.
func UserText(text string) Message { return Message{Role: RoleUser, Text: text} }

// IsZero reports whether nothing of the message is set.
func (m Message) IsZero() bool {
	return m.Role == 0 && m.Text == "" && m.Media == nil && m.Calls == nil && m.Reasoning == nil && m.Voice == "" &&
		m.Call == "" && m.Name == "" && !m.Failed
}

// Equal reports whether two messages are the same in all that they have.
func (m Message) Equal(n Message) bool {
	return m.Role == n.Role && m.Text == n.Text && m.Voice == n.Voice && m.Call == n.Call && m.Name == n.Name && m.Failed == n.Failed &&
		slices.Equal(m.Calls, n.Calls) && slices.Equal(m.Reasoning, n.Reasoning) &&
		slices.EqualFunc(m.Media, n.Media, func(a, b Media) bool {
			return a.Type == b.Type && a.URL == b.URL && a.Name == b.Name && slices.Equal(a.Data, b.Data)
		})
}

// Opaque reports whether something in the message is for the provider alone that gave it.
func (m *Message) Opaque() bool {
	return slices.ContainsFunc(m.Calls, func(c ToolCall) bool { return c.Opaque != "" }) ||
		slices.ContainsFunc(m.Reasoning, func(r Reasoning) bool { return r.Opaque != "" })
}

// Plain returns the message without what is opaque, as another provider has to be given it.
func (m Message) Plain() Message {
	m.Calls = slices.Clone(m.Calls)
	for i := range m.Calls {
		m.Calls[i].Opaque = ""
	}
	var plain []Reasoning
	for _, r := range m.Reasoning {
		if !r.Hidden {
			plain = append(plain, Reasoning{Text: r.Text})
		}
	}
	m.Reasoning = plain
	return m
}
