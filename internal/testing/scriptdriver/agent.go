package scriptdriver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/chat"
)

// Prose is an answer without any JSON in it.
const Prose = "I cannot say."

// Talking is how the instructions of a node that continues a conversation begin.
const Talking = "talking, "

// JudgeOf is the name under which a script has the answers about a node's edges.
func JudgeOf(node string) string { return node + "?" }

// Generate is the model that all nodes ask: it plays the next entry of who asks.
func (p *Player) Generate(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	key, given := asked(req)
	name, _, _ := strings.Cut(key, "@") // what follows are the elements of maps around it
	p.calling.Lock()
	p.models[name] = true
	p.calling.Unlock()
	e := p.Next(ctx, name, strings.TrimPrefix(key, name), given)
	if err := e.Err(); err != nil && e.Kind != Rejects {
		return nil, err
	}
	message := chat.Message{Role: chat.RoleAssistant, Text: e.answer(req), Calls: e.Requested(e.text)}
	if stream != nil {
		stream(chat.Delta{Text: message.Text})
	}
	return &chat.Response{Message: message, Finish: chat.Stop}, nil
}

// Requested are the calls of tools that the answer to a call of the model requests.
func (e *Entry) Requested(id string) []chat.ToolCall {
	calls := slices.Clone(e.Calls)
	for i := range calls {
		calls[i].ID = id + "/" + strconv.Itoa(i)
	}
	return calls
}

// answer is the text of the model's answer.
func (e *Entry) answer(req *chat.Request) string {
	switch {
	case e.Kind == Rejects:
		return `{"pass": false, "message": ` + strconv.Quote(e.text) + `}`
	case req.Purpose == chat.Evaluate:
		return `{"pass": true}`
	case req.Purpose == chat.Judge && e.Text != Prose:
		return `{"choice": ` + strconv.Quote(e.Text) + `}`
	}
	return e.Text
}

// asked returns the name of the node that calls a model: its instructions begin with it, as do
// the texts of a judge of its edges, and as the criterion of a guard begins with that guard's. shown is what the model receives.
func asked(req *chat.Request) (name, shown string) {
	switch req.Purpose {
	case chat.Judge:
		return judging(req.Messages[0].Text)
	case chat.Evaluate:
		return evaluating(req.Messages[0].Text)
	}
	line, _, _ := strings.Cut(req.System, "\n")
	name, shown, _ = strings.Cut(line, ": ")
	var tools []string
	for _, t := range req.Tools {
		tools = append(tools, t.Name)
	}
	if len(tools) > 0 {
		shown += fmt.Sprintf(" tools %v", tools)
	}
	messages := messagesOf(req.Messages)
	if strings.HasPrefix(shown, Talking) {
		return name, shown + fmt.Sprintf(" shown %v", messages)
	}
	said := 0
	for _, m := range req.Messages {
		if m.Role == chat.RoleAssistant {
			said++
		}
	}
	if said > 0 {
		shown += fmt.Sprintf(" said %d", said)
	}
	if heard := results(req.Messages); len(heard) > 0 {
		shown += fmt.Sprintf(" heard %q", heard)
	}
	if last := messages[len(messages)-1]; last.Role == chat.RoleUser && !last.IsRepair() {
		shown += fmt.Sprintf(" turn %v", last)
	}
	return name, shown
}

// results returns the results of tools since the last message of the model.
func results(messages []chat.Message) []string {
	var out []string
	for i := len(messages) - 1; i >= 0 && messages[i].Role == chat.RoleTool; i-- {
		m := messages[i]
		text := m.Name + " " + m.Text
		if m.Failed {
			text = m.Name + " failed"
		}
		out = append([]string{text}, out...)
	}
	return out
}

// judging reads what the model that judges edges is shown: the input and the results so
// far, and the choices.
func judging(text string) (name, shown string) {
	view, list, _ := strings.Cut(text, "\n\nConditions:\n")
	var choices []string
	for line := range strings.Lines(list) {
		number, when, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if number == "none" {
			choices = append(choices, "none")
			continue
		}
		node, _, _ := strings.Cut(when, " ")
		name = JudgeOf(node)
		choices = append(choices, number+" "+when)
	}
	return name, fmt.Sprintf("%q %s", choices, Canonical([]byte(view)))
}

// evaluating reads what the model that judges an output is shown: the criterion, fields, and the output.
func evaluating(text string) (name, shown string) {
	const before = "Text:\n"
	text = strings.TrimPrefix(text, "Criterion: ")
	at := strings.LastIndex(text, before)
	name, _, _ = strings.Cut(text, " ")
	return name, text[:at] + Canonical([]byte(strings.Trim(text[at+len(before):], "`\n")))
}

// Canonical writes JSON in a canonical form that can be compared.
func Canonical(text []byte) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return "no JSON: " + string(text)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// Tool plays a tool, which may be called concurrently: its argument determines
// what it does. given is what it reads of the state.
func (p *Player) Tool(ctx context.Context, name, query, given string) (string, error) {
	p.calling.Lock()
	text := strings.TrimSpace(strings.TrimSpace(name+" "+query) + " " + given)
	p.executes(ctx, name, name)
	identity, made := p.again(ctx, name, name, text)
	if made == nil {
		p.got.Tools = append(p.got.Tools, text)
	}
	if p.store != nil {
		p.made[identity] = &call{given: text}
	}
	p.calling.Unlock()
	switch kind, _, _ := strings.Cut(query, " "); kind {
	case Fails:
		return "", scripted(name + " " + query)
	case Panics:
		panic(scripted(name + " " + query))
	case Fatal:
		return "", chat.Fatal(scripted(name + " " + query))
	}
	return "found " + query, nil
}

// Fatal is a call of a tool that fails its node.
const Fatal = "fatal"

// SortTools sorts adjacent events of tools: the calls of one turn have no order.
func SortTools(events []string) []string {
	isTool := func(e string) bool { return strings.HasPrefix(e, "tool_") }
	for i := 0; i < len(events); i++ {
		n := i
		for n < len(events) && isTool(events[n]) {
			n++
		}
		slices.Sort(events[i:n])
		i = max(i, n-1)
	}
	return events
}
