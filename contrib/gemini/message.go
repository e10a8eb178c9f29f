package gemini

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/genai"

	"github.com/graphgen/graphgen/chat"
)

const (
	// unsigned is what the API has callers send for the signature of a call that it did not
	// sign, such as one of another provider: from the third generation on, the first call
	// of a turn must have one.
	unsigned = "skip_thought_signature_validator"
	// invented begins the IDs of calls to which the API gave none. It is not sent them.
	invented = "gemini_"
)

// conversation makes the contents of the messages. Consecutive messages of the assistant
// are one content: the API requires that calls of tools follow a message of the user.
func (c *call) conversation(messages []chat.Message) error {
	for i := 0; i < len(messages); i++ {
		var err error
		switch message := &messages[i]; message.Role {
		case chat.RoleUser:
			err = c.user(message, message.Text)
		case chat.RoleSystem:
			err = c.user(message, "<system>\n"+message.Text+"\n</system>")
		case chat.RoleAssistant:
			err = c.assistant(message)
		case chat.RoleTool:
			n := i
			for n < len(messages) && messages[n].Role == chat.RoleTool {
				n++
			}
			err = c.results(messages[i:n], callsBefore(messages[:i]))
			i = n - 1
		default:
			err = refuse("message " + strconv.Itoa(i) + " is of no role")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *call) user(message *chat.Message, text string) error {
	content := &genai.Content{Role: genai.RoleUser}
	for _, m := range message.Media {
		part, err := mediaPart(m)
		if err != nil {
			return err
		}
		content.Parts = append(content.Parts, part)
	}
	if text != "" {
		content.Parts = append(content.Parts, &genai.Part{Text: text})
	}
	if len(content.Parts) > 0 {
		c.contents = append(c.contents, content)
	}
	return nil
}

func (c *call) assistant(message *chat.Message) error {
	parts := spoken(message)
	for _, m := range message.Media {
		part, err := mediaPart(m)
		if err != nil {
			return err
		}
		parts = append(parts, part)
	}
	if len(parts)+len(message.Calls) == 0 {
		return nil
	}
	if n := len(c.contents); n == 0 || c.contents[n-1].Role != genai.RoleModel {
		c.contents = append(c.contents, &genai.Content{Role: genai.RoleModel})
	}
	at := len(c.contents) - 1
	content := c.contents[at]
	for _, part := range parts {
		if part.Text == "" && part.InlineData == nil && part.FileData == nil {
			// The SDK leaves an empty text out, and the API refuses a part of nothing.
			c.patch("", "contents", at, "parts", len(content.Parts), "text")
		}
		content.Parts = append(content.Parts, part)
	}
	for i, t := range message.Calls {
		part := &genai.Part{FunctionCall: &genai.FunctionCall{ID: sentID(t.ID), Name: t.Name}}
		var signed bool
		part.ThoughtSignature, signed = signature(t.Opaque)
		if i == 0 && !signed && generation(c.model) >= 3 {
			c.patch(unsigned, "contents", at, "parts", len(content.Parts), "thoughtSignature")
		}
		c.patch(arguments(t), "contents", at, "parts", len(content.Parts), "functionCall", "args")
		content.Parts = append(content.Parts, part)
	}
	return nil
}

// arguments are the arguments of a call, as a value of the API, which takes objects only. What
// another model wrote may not be an object.
func arguments(t chat.ToolCall) jsontext.Value {
	switch {
	case isObject(t.Arguments):
		return jsontext.Value(t.Arguments)
	case strings.TrimSpace(t.Arguments) == "":
		return jsontext.Value("{}")
	}
	// AppendQuote fails on invalid UTF-8 only.
	text, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(t.Arguments, "\uFFFD"))
	return slices.Concat(jsontext.Value(`{"arguments":`), text, jsontext.Value("}"))
}

// results makes one content of the results of a turn's calls, in the order of the calls.
// Without IDs, only the order assigns a result to its call.
func (c *call) results(results []chat.Message, calls []chat.ToolCall) error {
	content := &genai.Content{Role: genai.RoleUser}
	var beside []*genai.Part
	for _, r := range inOrder(results, calls) {
		response := &genai.FunctionResponse{ID: sentID(r.Call), Name: r.Name, Response: map[string]any{"output": r.Text}}
		if r.Failed {
			response.Response = map[string]any{"error": r.Text}
		}
		for _, m := range r.Media {
			part, err := mediaPart(m)
			if err != nil {
				return err
			}
			if part.InlineData == nil || generation(c.model) < 3 {
				beside = append(beside, part)
				continue
			}
			response.Parts = append(response.Parts, &genai.FunctionResponsePart{
				InlineData: &genai.FunctionResponseBlob{MIMEType: part.InlineData.MIMEType, Data: part.InlineData.Data},
			})
		}
		content.Parts = append(content.Parts, &genai.Part{FunctionResponse: response})
	}
	content.Parts = append(content.Parts, beside...)
	c.contents = append(c.contents, content)
	return nil
}

// inOrder returns the results in the order of their calls, and with the IDs and names of these. A result
// belongs to the call of its ID, or else to the first without a result that has its name.
// Results without a call are last.
func inOrder(results []chat.Message, calls []chat.ToolCall) []chat.Message {
	places := map[int]chat.Message{}
	put := func(r chat.Message, is func(chat.ToolCall) bool) bool {
		for i, t := range calls {
			if _, taken := places[i]; !taken && is(t) {
				r.Call, r.Name = t.ID, t.Name
				places[i] = r
				return true
			}
		}
		return false
	}
	var nameless []chat.Message
	for _, r := range results {
		if r.Call == "" || !put(r, func(t chat.ToolCall) bool { return t.ID == r.Call }) {
			nameless = append(nameless, r)
		}
	}
	last := len(calls)
	for _, r := range nameless {
		if !put(r, func(t chat.ToolCall) bool { return t.Name == r.Name }) {
			places[last] = r
			last++
		}
	}
	ordered := make([]chat.Message, 0, len(places))
	for _, i := range slices.Sorted(maps.Keys(places)) {
		ordered = append(ordered, places[i])
	}
	return ordered
}

// callsBefore returns the calls that results at the end of the messages answer.
func callsBefore(messages []chat.Message) []chat.ToolCall {
	for _, message := range slices.Backward(messages) {
		if message.Role == chat.RoleAssistant {
			return message.Calls
		}
	}
	return nil
}

func sentID(id string) string {
	if strings.HasPrefix(id, invented) {
		return ""
	}
	return id
}
