package wire

// A Request is what a model is asked, whole.
type Request struct {
	Node        string   `json:"node"`
	Version     string   `json:"version,omitempty"` // of the prompt
	Purpose     string   `json:"purpose"`
	Model       string   `json:"model,omitempty"` // main, light, or a name; empty: main
	System      string   `json:"system,omitempty"`
	Messages    []Turn   `json:"messages"`
	Tools       []Tool   `json:"tools,omitempty"`
	Choice      string   `json:"tool_choice,omitempty"` // none, required, or the name of a tool; empty: the model chooses
	Output      *Schema  `json:"output,omitempty"`      // nil: a text
	Temperature *float64 `json:"temperature,omitempty"`
	MaxTokens   int      `json:"max_tokens,omitempty"`
	Cache       bool     `json:"cache,omitempty"` // the system prompt and the tools are marked for the provider's cache
}

// A Turn is a message of a request.
type Turn struct {
	Role  string   `json:"role"`
	Text  string   `json:"text,omitempty"`
	Media []string `json:"media,omitempty"`
	Calls []string `json:"calls,omitempty"` // of tools, with their arguments
}

// A Tool is a tool that a request offers.
type Tool struct {
	Name   string `json:"name"`
	Doc    string `json:"doc,omitempty"`
	Schema Value  `json:"schema,omitempty"` // of its arguments
}

// A Schema is what an answer has to be.
type Schema struct {
	Name string `json:"name"`
	JSON Value  `json:"schema"`
}
