package serve

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A Conversation is what a client has sent that speaks in messages.
type Conversation struct {
	Messages []chat.Message // all, oldest first; the last one is a user's
	Text     string         // of the last one
}

// Messaging is how a graph takes part in conversations: how one becomes the input of a run, and its output a text. What is nil or empty is inferred,
// where it is plain: from an input whose only required fields are one string, one list of messages, or one of each, without private fields; from an
// output with one string. The string is the text of the last message; the list has the messages, or those before the last one where there is a string
// too. Of a graph without the first, no wire starts a run by messages.
type Messaging struct {
	// Input returns the JSON of the input of a run. InputOf makes one of a function that returns the generated struct. It may set private fields.
	Input func(Caller, Conversation) ([]byte, error)

	// Output returns the text of an output, which is JSON. OutputOf makes one of a function that takes the generated struct.
	Output func([]byte) (string, error)

	// Speaks are the nodes whose answers are sent piece by piece, as they come; of others, the text of the output is sent at the end. If it is nil and
	// the graph is durable and asks a model at one node of kind prompt alone, it is this one. A node that answers in JSON sends JSON.
	Speaks []string
}

// InputOf returns the Input of a Messaging.
func InputOf[In interface{ MarshalJSON() ([]byte, error) }](of func(Caller, Conversation) (In, error)) func(Caller, Conversation) ([]byte, error) {
	return func(c Caller, turns Conversation) ([]byte, error) {
		in, err := of(c, turns)
		if err != nil {
			return nil, err
		}
		return in.MarshalJSON()
	}
}

// OutputOf returns the Output of a Messaging.
func OutputOf[Out any, P input[Out]](of func(Out) string) func([]byte) (string, error) {
	return func(data []byte) (string, error) {
		var out Out
		if err := P(&out).UnmarshalJSON(data); err != nil {
			return "", err
		}
		return of(out), nil
	}
}

// Messages sets how the graph takes part in conversations. It returns the graph.
func (g *Graph) Messages(m Messaging) *Graph {
	if m.Input != nil {
		g.messaging.Input, g.given = m.Input, true
	}
	if m.Output != nil {
		g.messaging.Output = m.Output
	}
	if m.Speaks != nil {
		g.messaging.Speaks = m.Speaks
	}
	return g
}

// noMessages is the problem of a graph whose input is not plain.
var noMessages = Problem{
	Status: http.StatusUnprocessableEntity, Code: "no_messages", Field: "graph",
	Detail: "The graph takes no messages: its input is more than a text, and its program does not say how one becomes the other.",
}

// inputOf returns the input of a run for a conversation.
func (g *Graph) inputOf(c Caller, turns Conversation) ([]byte, error) {
	if g.messaging.Input == nil {
		p := noMessages
		return nil, &p
	}
	data, err := g.messaging.Input(c, turns)
	if err != nil {
		if is[*Problem](err) {
			return nil, err
		}
		return nil, invalid("messages", err)
	}
	return data, nil
}

// textOf returns the text of an output. Without a plain one it is the JSON.
func (g *Graph) textOf(output []byte) (string, error) {
	switch {
	case len(output) == 0:
		return "", nil
	case g.messaging.Output == nil:
		return string(output), nil
	}
	return g.messaging.Output(output)
}

// speaks reports whether the answers of a node are sent piece by piece.
func (g *Graph) speaks(node string) bool { return slices.Contains(g.messaging.Speaks, node) }

// A member is a field of an input, by its name and what it takes.
type member struct {
	name     string
	text     bool
	messages bool
}

// plainInput returns how a conversation becomes an input of a type, nil if that is not plain.
func plainInput(decode func([]byte) error, private []string) func(Caller, Conversation) ([]byte, error) {
	var text, messages string
	given := map[string]string{}
	for {
		m, ok := nextMember(decode, given)
		switch {
		case m.name == "" && ok:
			if text == "" && messages == "" {
				return nil
			}
			return func(_ Caller, turns Conversation) ([]byte, error) { return plainJSON(text, messages, turns) }
		case m.text && text == "" && !slices.Contains(private, m.name):
			text = m.name
		case m.messages && messages == "" && !slices.Contains(private, m.name):
			messages = m.name
		default:
			return nil
		}
	}
}

// nextMember returns the first member that an input lacks, besides those that are given. An input that lacks none is ok.
func nextMember(decode func([]byte) error, given map[string]string) (m member, ok bool) {
	with := func(name, value string) error {
		var b strings.Builder
		for n, v := range given {
			b.WriteString(`,` + strconv.Quote(n) + `:` + v)
		}
		if name != "" {
			b.WriteString(`,` + strconv.Quote(name) + `:` + value)
		}
		return decode([]byte("{" + strings.TrimPrefix(b.String(), ",") + "}"))
	}
	wrong := func(err error) codec.Error {
		if e, is := errors.AsType[*codec.Error](err); is {
			return *e
		}
		return codec.Error{}
	}
	err := with("", "")
	if err == nil {
		return m, true
	}
	rest, missing := strings.CutPrefix(wrong(err).Message, "missing field ")
	if !missing {
		return m, false
	}
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return m, false
	}
	m.name, _ = strconv.Unquote(quoted) // it is quoted
	e := wrong(with(m.name, "0"))
	m.text = e.Path == m.name && e.Message == "expected a string, found a number"
	e = wrong(with(m.name, `[{"role":"nobody"}]`))
	m.messages = e.Path == m.name+"[0].role"
	if given[m.name] = "[]"; !m.text {
		return m, false
	}
	const longest = 1 << 12
	for n := 1; n <= longest; n *= 2 { // until it is as long as a limit wants; what a pattern wants is not plain
		given[m.name] = strconv.Quote(strings.Repeat("x", n))
		if wrong(with("", "")).Path != m.name {
			return m, false
		}
	}
	m.text = false
	return m, false
}

// plainJSON returns an input with the text of a conversation, its messages, or both. What the input cannot take is refused.
func plainJSON(text, messages string, turns Conversation) ([]byte, error) {
	list := turns.Messages
	for i := range list {
		if list[i].Role == chat.RoleSystem {
			return nil, refuseMessage(i, "The graph has its own instructions: it takes no messages with this role.")
		}
	}
	last := len(list) - 1
	if text != "" {
		if last >= 0 && len(list[last].Media) > 0 {
			return nil, refuseMessage(last, "The graph takes a text: the message has a file.")
		}
		list = list[:max(0, last)]
	}
	return object(func(e *codec.Encoder) {
		if messages != "" {
			e.Name(messages)
			codec.WriteList(list, e, chatjson.EncodeMessage)
		}
		if text != "" {
			e.Name(text)
			codec.WriteString(turns.Text, e)
		}
	})
}

// refuseMessage returns the problem of a message.
func refuseMessage(i int, detail string) error {
	return &Problem{Status: http.StatusUnprocessableEntity, Code: "message", Field: "messages[" + strconv.Itoa(i) + "]", Detail: detail}
}

// plainOutput returns how an output becomes a text: it is the only string that a zero one has. Nil: that is not plain.
func plainOutput(zero []byte, err error) func([]byte) (string, error) {
	if err != nil {
		return nil
	}
	members, err := objectOf(zero)
	if err != nil {
		return nil
	}
	of := ""
	for name, value := range members {
		if value[0] != '"' {
			continue
		}
		if of != "" {
			return nil
		}
		of = name
	}
	if of == "" {
		return nil
	}
	return func(data []byte) (string, error) {
		members, err := objectOf(data)
		if err != nil {
			return "", err
		}
		return text(members, of)
	}
}
