package scriptdriver

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/graphgen/graphgen/runtime/chat"
)

// A Message is one of a conversation, as a script gives it and a result has it.
type Message struct {
	Role   string   `json:"role"` // user, assistant, tool or system
	Text   string   `json:"text,omitempty"`
	Media  []string `json:"media,omitempty"` // each a MIME type and the data
	Calls  []Call   `json:"calls,omitempty"`
	IDs    []string `json:"ids,omitempty"`    // of the calls
	Call   string   `json:"call,omitempty"`   // that a tool has answered
	Tool   string   `json:"tool,omitempty"`   // that has answered
	Failed bool     `json:"failed,omitempty"` // the text is an error, whose words are not compared
}

// String is the message as one that asks a model is compared, and as the state has it.
func (m Message) String() string {
	var b strings.Builder
	b.WriteString(m.Role)
	if m.Role == chat.RoleTool.String() {
		fmt.Fprintf(&b, " %s(%s)", m.Tool, m.Call)
	}
	switch {
	case m.Failed:
		b.WriteString(" failed")
	case m.Text != "":
		fmt.Fprintf(&b, " %q", m.Text)
	}
	for i, c := range m.Calls {
		fmt.Fprintf(&b, " %s%s(%s)", c.Tool, c.Args, m.IDs[i])
	}
	if len(m.Media) > 0 {
		fmt.Fprintf(&b, " shows %q", m.Media)
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
func (m Message) IsRepair() bool { return m.Role == chat.RoleUser.String() && m.Text == Repair }

// messageOf returns a message of a machine.
func messageOf(m chat.Message) Message {
	out := Message{Role: m.Role.String(), Text: m.Text, Call: m.Call, Tool: m.Name, Failed: m.Failed}
	for _, x := range m.Media {
		out.Media = append(out.Media, x.Type+" "+string(x.Data))
	}
	for _, c := range m.Calls {
		out.Calls, out.IDs = append(out.Calls, Call{c.Name, c.Arguments}), append(out.IDs, c.ID)
	}
	switch parts := inWords.FindStringSubmatch(m.Text); {
	case m.Failed:
		out.Text = ""
	case m.Role != chat.RoleUser:
	case strings.HasPrefix(m.Text, "The answer does not fit: "), m.Text == "There are no tools to call. Answer again, without.":
		out.Text = Repair
	case parts != nil && !strings.HasPrefix(parts[2], "found"):
		out.Text = parts[1] + Failed
	default:
		out.Text = errorText.ReplaceAllString(m.Text, "$1")
	}
	return out
}

func messagesOf(list []chat.Message) []Message {
	var out []Message
	for _, m := range list {
		out = append(out, messageOf(m))
	}
	return out
}

// Chat returns the message that a machine is given.
func (m Message) Chat() chat.Message {
	out := chat.Message{Text: m.Text, Call: m.Call, Name: m.Tool, Failed: m.Failed}
	for _, role := range []chat.Role{chat.RoleUser, chat.RoleAssistant, chat.RoleTool, chat.RoleSystem} {
		if role.String() == m.Role {
			out.Role = role
		}
	}
	for _, x := range m.Media {
		typ, data, _ := strings.Cut(x, " ")
		out.Media = append(out.Media, chat.Media{Type: typ, Data: []byte(data)})
	}
	for i, c := range m.Calls {
		out.Calls = append(out.Calls, chat.ToolCall{ID: m.IDs[i], Name: c.Tool, Arguments: c.Args})
	}
	return out
}

// putTalk stores a conversation or media; it reports whether the value is one.
func putTalk(to, v any) bool {
	switch to := to.(type) {
	case *[]chat.Message:
		var list []Message
		text, err := json.Marshal(v)
		if err == nil {
			err = json.Unmarshal(text, &list)
		}
		if err != nil {
			panic(err)
		}
		*to = nil
		for _, m := range list {
			*to = append(*to, m.Chat())
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
