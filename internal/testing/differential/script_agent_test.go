package differential

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
)

// answer makes an entry the answer of a model: calls of tools, or what the entry gives as
// JSON, or prose where that is asked for.
func (w *scripter) answer(e *scriptdriver.Entry, n *nodeShape) {
	calls := 1 + w.wild/5
	if len(n.tools) > 0 {
		calls = 50
	}
	if w.IntN(100) < calls {
		for range 1 + w.IntN(3) {
			e.Calls = append(e.Calls, w.toolCall(n))
		}
	}
	switch {
	case w.IntN(200) < w.wild:
		e.Text = scriptdriver.Prose
	case n.kind == "guard":
		e.Text = `{"pass": true}`
	case n.kind == "router" && e.Goto >= 1 && e.Goto <= len(n.choices):
		e.Text = jsonText(map[string]any{"route": n.choices[e.Goto-1]})
	case n.kind == "router":
		e.Text = `{"route": "nowhere"}`
	case n.out.base == "string":
		e.Text = e.Out[""].(string)
	default:
		e.Text = jsonText(asJSON(*n.out, e.Out))
	}
	if len(e.Calls) > 0 && e.Text == "" {
		e.Text = "wait" // else it depends on the tools of others whether they are shown the message
	}
}

// toolCall is a call of one of a node's tools, sometimes of one that there is not, or with
// arguments that do not fit.
func (w *scripter) toolCall(n *nodeShape) chat.ToolCall {
	name := "grep"
	if len(n.tools) > 0 && w.IntN(12) > 0 {
		name = n.tools[w.IntN(len(n.tools))]
	}
	if name == "find" {
		return chat.ToolCall{Name: name, Arguments: "{}"}
	}
	query := fmt.Sprint(w.IntN(3))
	switch k := w.IntN(100); {
	case k < 10:
		query = scriptdriver.Fails + " " + query
	case k < 15:
		query = scriptdriver.Panics + " " + query
	case k < 15+w.wild/4:
		query = scriptdriver.Fatal + " " + query
	case k > 95:
		return chat.ToolCall{Name: name, Arguments: `{"qury": "x"}`}
	}
	return chat.ToolCall{Name: name, Arguments: jsonText(map[string]any{"query": query})}
}

// judgement is the answer of a model that judges edges: a number, which may be none of
// those that it is shown, or none, or neither.
func (w *scripter) judgement() scriptdriver.Entry {
	e := scriptdriver.Entry{Kind: w.kind(0)}
	switch k := w.IntN(100); {
	case k < 70:
		e.Text = fmt.Sprint(1 + w.IntN(3))
	case k < 90:
		e.Text = "none"
	case k < 95:
		e.Text = []string{"0", "9", "end", ""}[w.IntN(4)]
	default:
		e.Text = scriptdriver.Prose
	}
	return e
}

// asJSON is a value of a script as a model writes it. What is no value of an enum is a
// name that the enum does not have.
func asJSON(s shape, value any) any { return shownJSON(s, value, brief) }

// shownJSON is asJSON with media as their reader is shown them.
func shownJSON(s shape, value any, one func(chat.Media) mediaDoc) any {
	switch {
	case value == nil:
		return nil
	case s.base == "enum":
		if n := value.(int); n >= 1 && n <= len(s.values) {
			return s.values[n-1]
		}
		return "nonsense"
	case s.base == "struct":
		out := map[string]any{}
		for _, f := range s.fields {
			out[f.name] = shownJSON(f.shape, value.(map[string]any)[f.name], one)
		}
		return out
	case s.base == "messages":
		return messagesJSON(value.(messages), one)
	case s.isMedia() && strings.HasPrefix(s.base, "[]"):
		return mediaJSON(s.media(value), one)
	case s.isMedia():
		return mediaJSON(s.media(value), one)[0]
	}
	return value
}

// conversation is a random conversation: in wild scripts, one with a message that cannot be part of it, or with calls that
// have no result.
func (w *scripter) conversation() messages {
	out := messages{}
	for i := range w.IntN(4) {
		text := []string{"a", "ab", "b", "c"}[w.IntN(4)]
		switch k := w.IntN(100); {
		case k < w.wild/4:
			out = append(out, scriptdriver.Message{Role: []chat.Role{chat.RoleSystem, chat.RoleUser, chat.RoleAssistant}[w.IntN(3)]})
		case k < 45:
			x := scriptdriver.Message{Role: chat.RoleUser, Text: text}
			if w.IntN(5) == 0 {
				x.Media = []chat.Media{{Type: "image/png", Data: []byte(text)}}
			}
			out = append(out, x)
		case k < 70:
			out = append(out, scriptdriver.Message{Role: chat.RoleAssistant, Text: text})
		default:
			out = append(out, w.exchange(fmt.Sprint("c", i), text)...)
		}
	}
	return out
}

// exchange is a message with calls, and results of them.
func (w *scripter) exchange(id, text string) messages {
	asks := scriptdriver.Message{Role: chat.RoleAssistant}
	if w.IntN(2) == 0 {
		asks.Text = text
	}
	var results messages
	for j := range 1 + w.IntN(2) {
		call := chat.ToolCall{ID: fmt.Sprint(id, j), Name: []string{"look", "find", "grep"}[w.IntN(3)], Arguments: jsonText(map[string]any{"query": text})}
		asks.Calls = append(asks.Calls, call)
		result := scriptdriver.Message{Role: chat.RoleTool, Name: call.Name, Call: call.ID, Text: "found " + text}
		if w.IntN(4) == 0 {
			result.Text, result.Failed = "", true
		}
		results = append(results, result)
	}
	return append(messages{asks}, results[:len(results)-w.IntN(1+w.wild/25)]...)
}

// jsonText is a value as JSON.
func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
