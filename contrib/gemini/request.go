package gemini

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/genai"

	"github.com/graphgen/graphgen/chat"
)

// A call is a request as the SDK takes it.
type call struct {
	model    string
	contents []*genai.Content
	config   *genai.GenerateContentConfig
	patches  []patch
	seen     []chat.Message
}

// A patch is JSON that the SDK would spoil: it makes maps of objects, which loses the order
// of a schema's properties, in which models write, and the digits of long numbers.
type patch struct {
	value any   // a jsontext.Value, or text
	path  []any // names and indices, within the body of the request
}

// compose makes the call of a request, or returns an error of kind chat.BadRequest for what the API
// cannot represent.
func (m *Model) compose(req *chat.Request) (*call, error) {
	c := &call{model: m.name, seen: req.Messages}
	if req.Model != "" {
		c.model = req.Model
	}
	c.config = &genai.GenerateContentConfig{
		SafetySettings: m.safety,
		ThinkingConfig: m.thinking,
		// The SDK would make calls that are not counted.
		AutomaticContinuation: genai.Ptr(false),
	}
	if err := c.limits(req); err != nil {
		return nil, err
	}
	if err := c.tools(req); err != nil {
		return nil, err
	}
	instruction, err := c.output(req, m.schemas)
	if err != nil {
		return nil, err
	}
	if err := c.conversation(req.Messages); err != nil {
		return nil, err
	}
	return c, c.system(req.System, instruction)
}

func (c *call) limits(req *chat.Request) error {
	if t := req.Temperature; t != nil {
		if math.IsNaN(*t) || math.IsInf(*t, 0) {
			return refuse("the temperature is not a number")
		}
		c.config.Temperature = genai.Ptr(float32(*t))
	}
	if req.MaxTokens < 0 {
		return refuse("the most tokens are fewer than none")
	}
	c.config.MaxOutputTokens = int32(min(req.MaxTokens, math.MaxInt32))
	return nil
}

// system sets the system prompt. The API takes no request without a message: if there is
// none, the prompt is sent as the user's.
func (c *call) system(prompt, instruction string) error {
	if len(c.contents) == 0 {
		if prompt == "" {
			return refuse("there is no message, and no system prompt")
		}
		c.contents = []*genai.Content{{Role: genai.RoleUser, Parts: []*genai.Part{{Text: prompt}}}}
		prompt = ""
	}
	if prompt != "" && instruction != "" {
		prompt += "\n\n"
	}
	if prompt += instruction; prompt != "" {
		c.config.SystemInstruction = &genai.Content{Parts: []*genai.Part{{Text: prompt}}}
	}
	return nil
}

// modes are the API's words for how free a model is to call tools.
var modes = map[chat.ToolMode]genai.FunctionCallingConfigMode{
	chat.Auto:     genai.FunctionCallingConfigModeAuto,
	chat.None:     genai.FunctionCallingConfigModeNone,
	chat.Required: genai.FunctionCallingConfigModeAny,
	chat.Named:    genai.FunctionCallingConfigModeAny,
}

func (c *call) tools(req *chat.Request) error {
	declared := map[string]bool{}
	tool := &genai.Tool{}
	for i, t := range req.Tools {
		declared[t.Name] = true
		tool.FunctionDeclarations = append(tool.FunctionDeclarations, &genai.FunctionDeclaration{Name: t.Name, Description: t.Doc})
		if t.Schema == "" {
			continue
		}
		schema, err := adapt(t.Schema)
		if err != nil {
			return refuse("the schema of tool " + strconv.Quote(t.Name) + ": " + err.Error())
		}
		root := parse(jsontext.Value(t.Schema))
		if of := root.get("type"); root.kind() != '{' || of != nil && of.text() != "object" {
			return refuse("the schema of tool " + strconv.Quote(t.Name) + " is not for an object")
		}
		if schema != nil {
			c.patch(schema, "tools", 0, "functionDeclarations", i, "parametersJsonSchema")
		}
	}
	switch {
	case req.Choice.Mode == chat.Named && !declared[req.Choice.Name]:
		return refuse("tool " + strconv.Quote(req.Choice.Name) + " is to be called, and is not among the tools")
	case req.Choice.Mode == chat.Required && len(req.Tools) == 0:
		return refuse("a tool is to be called, and there is none")
	case len(req.Tools) == 0:
		return nil
	}
	mode, ok := modes[req.Choice.Mode]
	if !ok {
		return refuse("tool mode " + strconv.Itoa(int(req.Choice.Mode)) + " is unknown")
	}
	choice := &genai.FunctionCallingConfig{Mode: mode}
	if req.Choice.Mode == chat.Named {
		choice.AllowedFunctionNames = []string{req.Choice.Name}
	}
	c.config.Tools = []*genai.Tool{tool}
	c.config.ToolConfig = &genai.ToolConfig{FunctionCallingConfig: choice}
	return nil
}

// output sets the schema of the answer. The instruction it returns is for the system prompt,
// and empty if the request has the schema in a field of its own.
func (c *call) output(req *chat.Request, mode SchemaMode) (instruction string, err error) {
	if req.Output == nil {
		return "", nil
	}
	schema, err := adapt(req.Output.JSON)
	if err != nil {
		return "", refuse("the schema of output " + strconv.Quote(req.Output.Name) + ": " + err.Error())
	}
	together := len(req.Tools) == 0 || generation(c.model) >= 3
	if mode == SchemaNative || mode == SchemaAuto && together {
		c.config.ResponseMIMEType = "application/json"
		if schema != nil {
			c.patch(schema, "generationConfig", "responseJsonSchema")
		}
		return "", nil
	}
	when := "Your answer is"
	if len(req.Tools) > 0 {
		when = "When you call no tool, your answer is"
	}
	written := jsontext.Value(req.Output.JSON)
	_ = written.Compact(jsontext.AllowDuplicateNames(true)) // adapt has read it
	return when + " one JSON value and nothing else: no other text, no code fence. It fits this JSON Schema, named " +
		req.Output.Name + ":\n" + string(written), nil
}

// generation is the number of a model's generation: 3 of gemini-3.1-pro-preview. Names that
// move on to what is newest, such as gemini-flash-latest, are of the third. Others are 0.
func generation(model string) int {
	name, ok := strings.CutPrefix(strings.TrimPrefix(model, "models/"), "gemini-")
	if !ok {
		return 0
	}
	if strings.HasSuffix(name, "-latest") && (name[0] < '0' || name[0] > '9') {
		return 3
	}
	n, _ := strconv.Atoi(name[:len(name)-len(strings.TrimLeft(name, "0123456789"))])
	return n
}

func (c *call) patch(value any, path ...any) {
	c.patches = append(c.patches, patch{value, path})
}

// exact puts the patches in the body of the request that the SDK has made. What cannot be
// put there ends the exchange, since a request without it would ask for something else.
func (c *call) exact(x *exchange) genai.ExtrasRequestProvider {
	return func(body map[string]any) map[string]any {
		for _, p := range c.patches {
			if err := p.put(body); err != nil {
				x.err = refuse(err.Error())
			}
		}
		return body
	}
}

var errPlace = errors.New("the SDK makes requests of another form")

func (p patch) put(body map[string]any) error {
	var at any = body
	for i, step := range p.path {
		last := i == len(p.path)-1
		switch step := step.(type) {
		case string:
			object, ok := at.(map[string]any)
			if !ok {
				return fmt.Errorf("%w: %v", errPlace, p.path[:i])
			}
			if last {
				object[step] = p.value
				return nil
			}
			at = object[step]
		case int:
			list, ok := elements(at)
			if !ok || step >= len(list) {
				return fmt.Errorf("%w: %v", errPlace, p.path[:i])
			}
			at = list[step]
		}
	}
	return nil
}

func elements(list any) ([]any, bool) {
	switch list := list.(type) {
	case []any:
		return list, true
	case []map[string]any:
		all := make([]any, len(list))
		for i, m := range list {
			all[i] = m
		}
		return all, true
	}
	return nil, false
}

// isObject reports whether a text is a JSON object.
func isObject(text string) bool {
	v := jsontext.Value(text)
	return v.IsValid() && v.Kind() == '{'
}

func refuse(message string) error { return &chat.ModelError{Kind: chat.BadRequest, Message: message} }
