package openai

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"mime"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/chat"
	sdk "github.com/openai/openai-go/v3"
)

type (
	wireMessage = sdk.ChatCompletionMessageParamUnion
	wirePart    = sdk.ChatCompletionContentPartUnionParam
	wireCall    = sdk.ChatCompletionMessageToolCallUnionParam
)

// messages returns a conversation after its system prompt.
func (m *Model) messages(system string, conversation []chat.Message) (out []wireMessage, err error) {
	if system != "" {
		out = append(out, sdk.SystemMessage(system))
	}
	var shown []wirePart // media of tools' results, for after the last result of their turn
	for i := range conversation {
		c := &conversation[i]
		if c.Role != chat.RoleTool && len(shown) > 0 {
			out, shown = append(out, sdk.UserMessage(shown)), nil
		}
		media, err := m.parts(i, c.Media)
		if err != nil {
			return nil, err
		}
		switch c.Role {
		case chat.RoleSystem:
			out = append(out, sdk.SystemMessage(c.Text))
		case chat.RoleAssistant:
			out = append(out, m.assistant(c))
		case chat.RoleTool:
			out = append(out, sdk.ToolMessage(c.Text, c.Call))
			if len(media) > 0 {
				shown = append(append(shown, sdk.TextContentPart("Of the result of the tool call "+c.Call+":")), media...)
			}
		case chat.RoleUser:
			out = append(out, user(c.Text, media))
		default:
			return nil, notSendable("message %d has no role", i)
		}
	}
	if len(shown) > 0 {
		out = append(out, sdk.UserMessage(shown))
	}
	return out, nil
}

func user(text string, media []wirePart) wireMessage {
	if len(media) == 0 {
		return sdk.UserMessage(text)
	}
	if text != "" {
		media = slices.Insert(media, 0, sdk.TextContentPart(text))
	}
	return sdk.UserMessage(media)
}

// assistant returns a message of the model's, with its reasoning if the server accepts that.
func (m *Model) assistant(c *chat.Message) wireMessage {
	a := &sdk.ChatCompletionAssistantMessageParam{}
	if c.Text != "" || len(c.Calls) == 0 {
		a.Content.OfString = sdk.String(c.Text)
	}
	for _, call := range c.Calls {
		f := &sdk.ChatCompletionMessageFunctionToolCallParam{ID: call.ID}
		f.Function.Name, f.Function.Arguments = call.Name, m.arguments(call.Arguments)
		if extra, ok := opaqueOf(call.Opaque, fieldExtra); ok && !m.openAI {
			f.SetExtraFields(map[string]any{fieldExtra: json.RawMessage(extra)})
		}
		a.ToolCalls = append(a.ToolCalls, wireCall{OfFunction: f})
	}
	if extra := reasoningFields(c.Reasoning); len(extra) > 0 && !m.openAI {
		a.SetExtraFields(extra)
	}
	return wireMessage{OfAssistant: a}
}

// dataURL returns data as an address. It writes the text once: media may be large.
func dataURL(kind string, data []byte) string {
	prefix := "data:" + kind + ";base64,"
	var b strings.Builder
	b.Grow(len(prefix) + base64.StdEncoding.EncodedLen(len(data)))
	b.WriteString(prefix)
	e := base64.NewEncoder(base64.StdEncoding, &b)
	_, _ = e.Write(data) // a builder has no errors
	_ = e.Close()
	return b.String()
}

// arguments returns the arguments of a call as the server takes them. Many servers other than OpenAI
// parse the arguments of earlier calls, and refuse the conversation where one is not an object.
func (m *Model) arguments(text string) string {
	switch {
	case m.openAI, isObjectValue(text):
		return text
	case strings.TrimSpace(text) == "":
		return "{}"
	}
	wrong, _ := json.Marshal(map[string]string{"not_an_object": text}) // a string always is JSON
	return string(wrong)
}

func isObjectValue(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") && json.Valid([]byte(text))
}

// parts returns the media of the message of that index.
func (m *Model) parts(message int, media []chat.Media) (list []wirePart, err error) {
	for i, c := range media {
		kind, _, _ := mime.ParseMediaType(c.Type)
		p, why := part(kind, &c)
		if m.openAI && strings.HasPrefix(kind, "image/") && !slices.Contains(pictures, kind) {
			why = "OpenAI takes no images but PNG, JPEG, GIF and WebP: convert it"
		}
		if why != "" {
			return nil, notSendable("media %d of message %d (%q): %s", i, message, c.Type, why)
		}
		list = append(list, p)
	}
	return list, nil
}

// part returns one of them, or why the request has no place for it.
func part(kind string, c *chat.Media) (p wirePart, why string) {
	if c.URL == "" && len(c.Data) == 0 {
		return p, "there is neither a URL nor data"
	}
	inline := strings.HasPrefix(c.URL, "data:")
	address := c.URL
	if address == "" {
		address = dataURL(kind, c.Data)
	}
	switch format := sounds[kind]; {
	case strings.HasPrefix(c.URL, "file-"): // uploaded before
		return sdk.FileContentPart(sdk.ChatCompletionContentPartFileFileParam{FileID: sdk.String(c.URL)}), ""
	case strings.HasPrefix(kind, "image/"):
		return sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: address}), ""
	case kind == "application/pdf" && (c.URL == "" || inline):
		name := c.Name
		name = cmp.Or(name, "file.pdf")
		return sdk.FileContentPart(sdk.ChatCompletionContentPartFileFileParam{
			FileData: sdk.String(address), Filename: sdk.String(name),
		}), ""
	case format != "" && c.URL == "":
		return sdk.InputAudioContentPart(sdk.ChatCompletionContentPartInputAudioInputAudioParam{
			Data: base64.StdEncoding.EncodeToString(c.Data), Format: format,
		}), ""
	case kind == "application/pdf", format != "":
		return p, "it is taken as data only, not by its URL: give its bytes"
	}
	return p, "only images, PDF files, wav and mp3 are taken"
}

// pictures are the types of images that OpenAI takes. Other servers may take more.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// sounds are the formats of sound that the API takes, by their types.
var sounds = map[string]string{
	"audio/wav": "wav", "audio/x-wav": "wav", "audio/wave": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3",
}
