package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/graphgen/graphgen/chat"
)

// wrong returns the error of a request that the API cannot take.
func wrong(message string) error { return &chat.ModelError{Kind: chat.BadRequest, Message: message} }

// params returns the request as the API has it.
func (m *Model) params(req *chat.Request) (anthropic.MessageNewParams, error) {
	p := anthropic.MessageNewParams{Model: m.model, MaxTokens: int64(m.config.maxTokens)}
	if req.Model != "" {
		p.Model = req.Model
	}
	if req.MaxTokens > 0 {
		p.MaxTokens = int64(req.MaxTokens)
	}
	if req.Temperature != nil {
		p.Temperature = param.NewOpt(*req.Temperature)
	}
	p.OutputConfig.Effort = m.config.effort
	system := []string{req.System}
	tools, err := tools(req.Tools)
	if err != nil {
		return p, err
	}
	p.Tools = tools
	system = append(system, m.choose(&p, req))
	instruction, err := m.output(&p, req.Output)
	if err != nil {
		return p, err
	}
	p.Messages, err = turns(req.Messages)
	if err != nil {
		return p, err
	}
	system = append(system, instruction)
	if len(p.Messages) == 0 { // there has to be one
		p.Messages, system[0] = prompt(req.System), ""
	}
	if len(p.Messages) == 0 {
		return p, wrong("there is neither a message nor a system prompt to answer")
	}
	for _, text := range system {
		if !blank(text) {
			p.System = append(p.System, anthropic.TextBlockParam{Text: text})
		}
	}
	m.think(&p)
	if req.Cache {
		keep(&p)
	}
	return p, nil
}

func prompt(system string) []anthropic.MessageParam {
	if blank(system) {
		return nil
	}
	return []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(system))}
}

// blank reports whether the API would refuse a text for having nothing in it.
func blank(text string) bool { return strings.TrimSpace(text) == "" }

// think sets how the model thinks. A request that forces a tool is not accepted together
// with thinking.
func (m *Model) think(p *anthropic.MessageNewParams) {
	forced := p.ToolChoice.OfAny != nil || p.ToolChoice.OfTool != nil
	switch t := m.config.thinking; {
	case t.mode == thinkNever:
		p.Thinking.OfDisabled = new(anthropic.NewThinkingConfigDisabledParam())
	case forced:
	case t.mode == thinkBudget && !thoughtless(p.Messages):
		p.Thinking = anthropic.ThinkingConfigParamOfEnabled(int64(t.tokens))
		p.MaxTokens += int64(t.tokens)
	case t.mode == thinkAdaptive:
		p.Thinking.OfAdaptive = &anthropic.ThinkingConfigAdaptiveParam{
			Display: anthropic.ThinkingConfigAdaptiveDisplaySummarized,
		}
	}
}

// thoughtless reports whether the last turn of the assistant called tools without a thought before: when
// a tool was forced, or another provider answered. The API refuses a budget of thinking until that
// turn is over.
func thoughtless(turns []anthropic.MessageParam) bool {
	n := len(turns)
	if n < 2 || turns[n-1].Content[0].OfToolResult == nil || turns[n-2].Role != anthropic.MessageParamRoleAssistant {
		return false
	}
	first := turns[n-2].Content[0]
	return first.OfThinking == nil && first.OfRedactedThinking == nil
}

// keep marks the ends of the parts that requests repeat: the tools, and the system prompt after them.
func keep(p *anthropic.MessageNewParams) {
	mark := anthropic.NewCacheControlEphemeralParam()
	if n := len(p.Tools); n > 0 {
		p.Tools[n-1].OfTool.CacheControl = mark
	}
	if n := len(p.System); n > 0 {
		p.System[n-1].CacheControl = mark
	}
}

func tools(specs []chat.ToolSpec) ([]anthropic.ToolUnionParam, error) {
	var list []anthropic.ToolUnionParam
	for _, s := range specs {
		schema, ok := inputSchema(s.Schema)
		if !ok {
			return nil, wrong("the schema of the tool " + s.Name + " is not an object of JSON")
		}
		tool := &anthropic.ToolParam{
			Name: s.Name,
			// As it is written: the SDK's type would sort the properties.
			InputSchema: param.Override[anthropic.ToolInputSchemaParam](schema),
		}
		if s.Doc != "" {
			tool.Description = param.NewOpt(s.Doc)
		}
		list = append(list, anthropic.ToolUnionParam{OfTool: tool})
	}
	return list, nil
}

// inputSchema returns the schema of arguments with the type that the API requires.
func inputSchema(schema string) (json.RawMessage, bool) {
	if blank(schema) {
		schema = "{}"
	}
	if !isObject(schema) {
		return nil, false
	}
	given, ok := members(json.RawMessage(schema))
	if of := find(given, "type"); of != nil && string(of) != `"object"` {
		return nil, false
	}
	if ok && find(given, "type") == nil {
		return write(append([]member{{"type", json.RawMessage(`"object"`)}}, given...)), true
	}
	return json.RawMessage(schema), ok
}

// isObject reports whether a text is an object of JSON.
func isObject(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return strings.HasPrefix(text, "{") && json.Valid([]byte(text))
}

// choose sets how free the model is to call tools. It returns an instruction if the request
// must not force a tool.
func (m *Model) choose(p *anthropic.MessageNewParams, req *chat.Request) string {
	if len(p.Tools) == 0 {
		return ""
	}
	one := param.Opt[bool]{}
	if m.config.oneTool {
		one = param.NewOpt(true)
	}
	mode, instruction := req.Choice.Mode, ""
	if m.config.toolsByInstruction {
		switch mode {
		case chat.Required:
			mode, instruction = chat.Auto, "Do not answer in text: call at least one of the tools."
		case chat.Named:
			mode, instruction = chat.Auto, "Do not answer in text: call the tool "+req.Choice.Name+"."
		}
	}
	switch mode {
	case chat.Auto:
		p.ToolChoice.OfAuto = &anthropic.ToolChoiceAutoParam{DisableParallelToolUse: one}
	case chat.None:
		p.ToolChoice.OfNone = new(anthropic.NewToolChoiceNoneParam())
	case chat.Required:
		p.ToolChoice.OfAny = &anthropic.ToolChoiceAnyParam{DisableParallelToolUse: one}
	case chat.Named:
		p.ToolChoice.OfTool = &anthropic.ToolChoiceToolParam{Name: req.Choice.Name, DisableParallelToolUse: one}
	}
	return instruction
}

// output sets the format of the answer. It returns an instruction if the API's structured
// output does not support the schema.
func (m *Model) output(p *anthropic.MessageNewParams, s *chat.Schema) (string, error) {
	if s == nil {
		return "", nil
	}
	if !json.Valid([]byte(s.JSON)) {
		return "", wrong("the schema of the output " + s.Name + " is not JSON")
	}
	if !m.config.outputByInstruction {
		if adapted, ok := adapt(s.JSON); ok {
			p.OutputConfig.Format = param.Override[anthropic.JSONOutputFormatParam](
				json.RawMessage(`{"type":"json_schema","schema":` + adapted + `}`))
			return "", nil
		}
	}
	return "Answer with one value of JSON and nothing else: no text around it, no code fence. " +
		"It has to fit this JSON Schema:\n" + s.JSON, nil
}
