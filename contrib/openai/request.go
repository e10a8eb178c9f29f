package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/graphgen/graphgen/chat"
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"
)

// notSendable is the error of a request that the API has no place for.
func notSendable(format string, args ...any) error {
	return &chat.ModelError{Kind: chat.BadRequest, Message: fmt.Sprintf(format, args...)}
}

// params returns what is sent for a request.
func (m *Model) params(req *chat.Request) (p sdk.ChatCompletionNewParams, err error) {
	p.Model = m.name
	if req.Model != "" {
		p.Model = req.Model
	}
	system, err := m.format(req, &p)
	if err != nil {
		return p, err
	}
	if p.Messages, err = m.messages(system, req.Messages); err != nil {
		return p, err
	}
	if err := m.tools(req, &p); err != nil {
		return p, err
	}
	if req.Temperature != nil {
		p.Temperature = sdk.Float(*req.Temperature)
	}
	if req.MaxTokens > 0 && m.limitField == limitOfOpenAI {
		p.MaxCompletionTokens = sdk.Int(int64(req.MaxTokens))
	} else if req.MaxTokens > 0 {
		p.MaxTokens = sdk.Int(int64(req.MaxTokens))
	}
	if req.Cache && m.openAI {
		p.PromptCacheKey = sdk.String(cacheKey(p.Model, system, req.Tools))
	}
	p.ReasoningEffort = shared.ReasoningEffort(m.effort)
	return p, nil
}

// cacheKey names a prefix of prompts: the server routes requests of one key to the machines that cache it.
func cacheKey(model, system string, tools []chat.ToolSpec) string {
	h := sha256.New()
	for _, part := range append([]string{model, system}, toolTexts(tools)...) {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return "graphgen-" + hex.EncodeToString(h.Sum(nil)[:16])
}

func toolTexts(tools []chat.ToolSpec) (texts []string) {
	for _, t := range tools {
		texts = append(texts, t.Name, t.Doc, t.Schema)
	}
	return texts
}

// format sets the format of the answer, and returns the system prompt with what it has to say of it.
func (m *Model) format(req *chat.Request, p *sdk.ChatCompletionNewParams) (system string, err error) {
	if req.Output == nil {
		return req.System, nil
	}
	schema := req.Output.JSON
	if !json.Valid([]byte(schema)) {
		return "", notSendable("the schema %s is not JSON", req.Output.Name)
	}
	// Whatever is strict or not: OpenAI takes objects only.
	if m.instruct || m.openAI && !isObject(schema) {
		return strings.TrimSpace(req.System + "\n\n" + instruction + schema), nil
	}
	format := shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: req.Output.Name, Schema: json.RawMessage(schema)}
	if adapted, ok := strict(schema); ok {
		format.Schema, format.Strict = json.RawMessage(adapted), sdk.Bool(true)
	}
	p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: format}
	return req.System, nil
}

// instruction precedes a schema in the system prompt.
const instruction = "Answer with one JSON value and nothing else: no other text, no code fence. " +
	"It must be valid by this JSON Schema:\n"

// tools sets the tools and how free the model is to call them.
func (m *Model) tools(req *chat.Request, p *sdk.ChatCompletionNewParams) error {
	if len(req.Tools) == 0 {
		return nil
	}
	for _, t := range req.Tools {
		f := shared.FunctionDefinitionParam{Name: t.Name}
		if t.Doc != "" {
			f.Description = sdk.String(t.Doc)
		}
		if t.Schema != "" && !json.Valid([]byte(t.Schema)) {
			return notSendable("the schema of the tool %s is not JSON", t.Name)
		}
		if t.Schema != "" && !isOfArguments(t.Schema) {
			return notSendable("the schema of the tool %s is not for an object", t.Name)
		}
		schema := t.Schema
		if adapted, ok := strict(schema); ok && m.openAI {
			schema, f.Strict = adapted, sdk.Bool(true)
		}
		if schema != "" {
			// As an extra field, because a map would lose the order of the properties, in which models write them.
			f.SetExtraFields(map[string]any{"parameters": json.RawMessage(schema)})
		}
		p.Tools = append(p.Tools, sdk.ChatCompletionFunctionTool(f))
	}
	if m.parallel != nil {
		p.ParallelToolCalls = sdk.Bool(*m.parallel)
	}
	switch req.Choice.Mode {
	case chat.None:
		p.ToolChoice.OfAuto = param.NewOpt("none")
	case chat.Required:
		p.ToolChoice.OfAuto = param.NewOpt("required")
	case chat.Named:
		p.ToolChoice = sdk.ToolChoiceOptionFunctionToolChoice(
			sdk.ChatCompletionNamedToolChoiceFunctionParam{Name: req.Choice.Name})
	}
	return nil
}
