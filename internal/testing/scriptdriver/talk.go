package scriptdriver

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/graphgen/graphgen/chat"
)

// A Message is one of a conversation, as it is compared. The text of a failed call is left out.
type Message chat.Message

// String is the message as one that asks a model is compared, and as the state has it.
func (m Message) String() string {
	var b strings.Builder
	b.WriteString(m.Role.String())
	if m.Role == chat.RoleTool {
		fmt.Fprintf(&b, " %s(%s)", m.Name, m.Call)
	}
	switch {
	case m.Failed:
		b.WriteString(" failed")
	case m.Text != "":
		fmt.Fprintf(&b, " %q", m.Text)
	}
	for _, c := range m.Calls {
		fmt.Fprintf(&b, " %s%s(%s)", c.Name, c.Arguments, c.ID)
	}
	for _, x := range m.Media {
		fmt.Fprintf(&b, " shows %s %q", x.Type, x.Data)
	}
	return b.String()
}

// What machines say to models that scripts do not have: the words are not compared.
const (
	Repair = "does not fit"
	Failed = "failed"
)

// inWords is the result of a tool where a model gets it as a text.
var inWords = regexp.MustCompile(`^((?:look|find|grep)\{.*\}: )(.*)$`)

// errorText is the text of a failed call, where a model is shown a conversation as JSON.
var errorText = regexp.MustCompile(`"text":"(?:[^"\\]|\\.)*",("call":"[^"]*","name":"[^"]*","failed":true)`)

// IsRepair reports whether a model is asked to mend its answer.
func (m Message) IsRepair() bool { return m.Role == chat.RoleUser && m.Text == Repair }

// messageOf returns a message of a machine.
func messageOf(m chat.Message) Message {
	switch parts := inWords.FindStringSubmatch(m.Text); {
	case m.Failed:
		m.Text = ""
	case m.Role != chat.RoleUser:
	case strings.HasPrefix(m.Text, "The answer does not fit: "), m.Text == "There are no tools to call. Answer again, without.":
		m.Text = Repair
	case parts != nil && !strings.HasPrefix(parts[2], "found"):
		m.Text = parts[1] + Failed
	default:
		m.Text = errorText.ReplaceAllString(m.Text, "$1")
	}
	return Message(m)
}

func messagesOf(list []chat.Message) []Message {
	var out []Message
	for _, m := range list {
		out = append(out, messageOf(m))
	}
	return out
}

// putTalk stores a conversation or media; it reports whether the value is one.
func putTalk(to, v any) bool {
	switch to := to.(type) {
	case *[]chat.Message:
		*to = nil // others may have its array
		text, err := json.Marshal(v)
		if err = errors.Join(err, json.Unmarshal(text, to)); err != nil {
			panic(err)
		}
	case *chat.Image:
		*to = chat.Image{Type: "image/png", Data: []byte(v.(string))}
	case **chat.PDF:
		if *to = nil; v != nil {
			*to = &chat.PDF{Type: chat.TypePDF, Data: []byte(v.(string))}
		}
	case *[]chat.Audio:
		*to = nil
		for _, x := range v.([]any) {
			*to = append(*to, chat.Audio{Type: "audio/mpeg", Data: []byte(x.(string))})
		}
	default:
		return false
	}
	return true
}

// plain returns a conversation as Messages, and media as its data.
func plain(v any) any {
	switch v := v.(type) {
	case []chat.Message:
		return messagesOf(v)
	case chat.Image:
		return string(v.Data)
	case *chat.PDF:
		if v == nil {
			return nil
		}
		return string(v.Data)
	case []chat.Audio:
		var out []string
		for _, x := range v {
			out = append(out, string(x.Data))
		}
		return out
	}
	return v
}
