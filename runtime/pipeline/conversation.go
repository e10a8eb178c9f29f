package pipeline

import (
	"errors"
	"slices"
	"strconv"

	"github.com/graphgen/graphgen/chat"
)

// An addition is what a node adds to a conversation of the state: the user's turn, and the messages of the
// assistant and of tools up to the answer.
type addition struct {
	of       string // the conversation
	messages []chat.Message
}

// Continue has the node continue a conversation. The node fails if one of its messages can be no part of a
// conversation: the author of a system message would be the author of the conversation.
func (p *Prompt) Continue(conversation []chat.Message) {
	p.before = conversation
	for i := range conversation {
		m := &conversation[i]
		why := ""
		switch {
		case m.Role != chat.RoleUser && m.Role != chat.RoleAssistant && m.Role != chat.RoleTool:
			why = "is no message of a user, the assistant or a tool"
		case m.Role != chat.RoleTool && m.Text == "" && len(m.Calls)+len(m.Media) == 0:
			why = "is empty"
		default:
			continue
		}
		if p.err == nil {
			p.err = errors.New("message " + strconv.Itoa(i+1) + " of the conversation " + why)
		}
		return
	}
}

// Turn returns what the turn that is over adds to a conversation of the state, once.
func (c *Conversation) Turn(of string) []chat.Message {
	if c.addition.of != of {
		return nil
	}
	messages := c.addition.messages
	c.addition = addition{}
	return messages
}

// Continue returns a conversation of the state with its Turn, as a list of its own.
func (c *Conversation) Continue(of string, before []chat.Message) []chat.Message {
	turn := c.Turn(of)
	if len(turn) == 0 {
		return before
	}
	return slices.Concat(before, turn)
}

// Rest returns what a child run has appended to the conversation that it was given: the messages after those
// before. It returns the whole conversation if the run has changed these.
func Rest(conversation, before []chat.Message) []chat.Message {
	if len(conversation) < len(before) || !slices.EqualFunc(conversation[:len(before)], before, chat.Message.Equal) {
		return conversation
	}
	return conversation[len(before):]
}

// addition returns the messages of a turn that conversations keep. It has the user's turn without
// reminders, and none of the refused answers and the replies to them.
func (tr *Transcript) addition(messages []chat.Message) []chat.Message {
	kept := slices.Clone(tr.messages.user)
	from := tr.messages.from
	for _, v := range tr.messages.refused {
		kept = append(kept, messages[from:v.from]...)
		from = v.to
	}
	kept = append(kept, messages[from:]...)
	if own := tr.node.modelID(); own != "" {
		for i := range kept {
			if kept[i].Opaque() {
				kept[i].Voice = own
			}
		}
	}
	return kept
}

// modelID identifies the model of a node in stored conversations; empty: the default one.
func (n *Node) modelID() string {
	if n.Light {
		return n.Model + ":lightweight"
	}
	return n.Model
}

// earlierOfState returns the messages of the conversation of the state that the node is shown. replies
// reports whether they end with results of its own calls.
func (tr *Transcript) earlierOfState(tools []chat.ToolSpec) (before []chat.Message, replies bool) {
	n := tr.node
	c := Conversation{messages: tr.prompt.before, stored: true}
	last := len(c.messages) - 1
	replies = last >= 0 && tr.past.repliedTo != "" && c.messages[last].Role == chat.RoleTool && c.messages[last].Call == tr.past.repliedTo
	part := c.scope(n)
	if part.ledger != nil && !replies {
		return part.ledger(&c, n.History), false
	}
	if !part.none {
		before = n.History.cutTurns(c.messages)
	}
	if needed := c.unanswered(replies); len(needed) > len(before) && (!part.none || replies) {
		before = needed
	}
	return retell(readable(n.modelID(), before), tools), replies
}

// unanswered returns the end of the conversation that a node is shown whatever else has room: the
// user's turn that nothing has answered, with the node's own calls and their results, if there are any.
func (c *Conversation) unanswered(replies bool) []chat.Message {
	from := len(c.messages)
	for replies && from > 0 && c.messages[from-1].Role == chat.RoleTool {
		from--
	}
	if from > 0 && (replies || c.messages[from-1].Role == chat.RoleUser) {
		from--
	}
	for user := from; replies && user >= 0; user-- { // providers refuse a conversation that begins with calls
		if c.messages[user].Role == chat.RoleUser {
			from = user
			break
		}
	}
	return slices.Clip(c.messages[from:])
}

// cutTurns returns the last messages that the limits allow, from a user's message on: providers refuse a conversation that
// begins with another one. If the last turn has more messages than the limits allow, it is returned whole.
func (l Limits) cutTurns(messages []chat.Message) []chat.Message {
	kept := l.cut(messages)
	if len(kept) == len(messages) || len(kept) == 0 {
		return kept
	}
	isUser := func(m chat.Message) bool { return m.Role == chat.RoleUser }
	if at := slices.IndexFunc(kept, isUser); at >= 0 {
		return kept[at:]
	}
	for from := len(messages) - len(kept) - 1; from >= 0; from-- {
		if isUser(messages[from]) {
			return messages[from:]
		}
	}
	return kept
}

// readable returns the messages without what is opaque to a model.
func readable(voice string, messages []chat.Message) []chat.Message {
	shared := true
	for i := range messages {
		if messages[i].Voice == voice || !messages[i].Opaque() {
			continue
		}
		if shared {
			messages, shared = slices.Clone(messages), false
		}
		messages[i] = messages[i].Plain()
	}
	return messages
}

// noTurn is the user's message of a request without a user's turn. It is not kept.
const noTurn = "Follow the instructions."

// userTurn returns the user's turn of the prompt.
func (p *Prompt) userTurn() chat.Message {
	return chat.Message{Role: chat.RoleUser, Text: p.text(), Media: p.Media}
}

// addPrompt appends the user's turn to the request, and notes what the conversation keeps of it: the turn
// without reminders. A conversation that ends with a user's turn needs no other.
func (tr *Transcript) addPrompt(kept chat.Message) {
	if kept.Text != "" {
		tr.messages.user = []chat.Message{kept}
	}
	said := tr.prompt.userTurn()
	if said.Text == "" {
		if last := len(tr.messages.list) - 1; last >= 0 && tr.messages.list[last].Role == chat.RoleUser {
			return
		}
		said.Text = noTurn
	}
	tr.messages.list = append(tr.messages.list, said)
}
