// Package openai implements chat.Model with the models of OpenAI, and with everything that serves
// its Chat Completions API: Ollama, vLLM, llama.cpp, OpenRouter, DeepSeek, Azure and others.
//
//	model, err := openai.New("gpt-5-mini") // the key is in OPENAI_API_KEY
//	if err != nil {
//		return err
//	}
//	answer, err := model.Generate(ctx, &chat.Request{
//		System:   "Answer in one sentence.",
//		Messages: []chat.Message{chat.UserText("What is an otter?")},
//	}, nil)
//
// Another server is one option away:
//
//	model, err := openai.New("llama3.2", openai.BaseURL("http://localhost:11434/v1"), openai.Key(""))
//
// # What is sent
//
// Requests have only fields that the server is known to take: [BaseURL] lists what only OpenAI gets.
// What the API cannot represent is an error of kind chat.BadRequest before the call: media other than
// images, PDF files, and sound in wav and mp3; files and sound by URL. A tool's message takes text
// only, so its media follow the results of its turn in a user's message that names the call.
//
// # Schemas
//
// A schema of an output goes to the server in its strict form if that can express it. So do the
// arguments of tools at OpenAI. In the strict form every property is required. A property that may
// be absent may be null instead, and null means absent (a decoder that graphgen generates
// takes both). A property with a default has to be written; its description has the default.
// minLength and maxLength, minProperties and maxProperties, uniqueItems, contentEncoding, formats and
// patterns that strict mode does not support move to the description too: nothing is lost
// for the model, and the decoder checks them anyway. oneOf becomes anyOf. Schemas that strict mode
// cannot express (maps, values of any type, properties that may be absent but not null, allOf, and
// so on) are sent unchanged, without a guarantee. An output that is not an object, which OpenAI takes in
// no form, is requested by an instruction; see [OutputByInstruction].
//
// # What is accepted
//
// Servers differ, and small deviations are accepted. Usage, ids of tool calls and the reason why an
// answer ended may be missing, reasoning may be in reasoning_content, reasoning or
// reasoning_details, arguments may be an object. Reasoning goes back with its message in the field
// in which it was received. An answer that is cut off is an error, never a short answer.
package openai

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/graphgen/graphgen/chat"
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// A Model is a model of OpenAI, or of a server that speaks its API. It is a chat.Model, and
// safe for concurrent use.
type Model struct {
	settings
	name string
	chat sdk.ChatCompletionService
}

var _ chat.Model = (*Model)(nil)

// New returns a model by the name that the server has for it. The environment gives what the
// options do not: OPENAI_API_KEY, OPENAI_BASE_URL and, for OpenAI itself, OPENAI_ORG_ID and
// OPENAI_PROJECT_ID. It is an error if OpenAI is to be called without a key.
func New(model string, opts ...Option) (*Model, error) {
	if model == "" {
		return nil, fmt.Errorf("openai: the model has no name")
	}
	s, err := configure(opts)
	if err != nil {
		return nil, err
	}
	m := &Model{settings: *s, name: model}
	m.chat = sdk.NewChatCompletionService(append(m.settings.client(), option.WithMiddleware(m.checkStatus))...)
	return m, nil
}

// Generate makes one call; it does not try again. See chat.Model.
func (m *Model) Generate(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	params, err := m.params(req)
	if err != nil {
		return nil, err
	}
	a := &answer{stream: stream}
	if err := m.call(ctx, params, a); err != nil {
		return a.spent(), m.failure(ctx, err)
	}
	response, err := a.response(req)
	if err != nil {
		return a.spent(), m.failure(ctx, err)
	}
	return response, nil
}

// call sends a request and reads the answer to its end.
func (m *Model) call(ctx context.Context, params sdk.ChatCompletionNewParams, a *answer) error {
	var res *http.Response
	opts := []option.RequestOption{option.WithResponseBodyInto(&res)}
	if a.stream != nil {
		params.StreamOptions.IncludeUsage = sdk.Bool(true)
		opts = append(opts, option.WithJSONSet("stream", true))
	}
	if _, err := m.chat.New(ctx, params, append(opts, m.fields...)...); err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if a.stream != nil && !isJSON(res.Header) {
		return m.readEvents(ctx, res, a)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return cut(err)
	}
	return m.readWhole(body, a)
}

// isJSON reports whether the answer is whole, from a server that does not stream.
func isJSON(h http.Header) bool {
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return media == "application/json" || strings.HasSuffix(media, "+json")
}
