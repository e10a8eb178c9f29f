package wire

// An Agent describes a node that asks a model.
type Agent struct {
	Of   string `json:"of,omitempty"` // of one more of a template: that, whose script it plays
	Work string `json:"work"`         // the node whose entries have the answers
	// Default is the answer of an entry without one; nil: such an entry is a mistake.
	Default *string           `json:"default,omitempty"`
	Output  string            `json:"output,omitempty"` // what is answered, in the author's words
	Evals   map[string]string `json:"evals,omitempty"`  // names of the evals with a judge, by criterion
	Gates   map[string]string `json:"gates,omitempty"`  // names of the guards with a judge, by criterion
	Whens   []string          `json:"whens,omitempty"`  // texts of the judged edges
	Picks   bool              `json:"picks,omitempty"`  // the model picks nodes of a pool
	Apart   bool              `json:"apart,omitempty"`  // the choice among its when edges is an entry of its own
}

// A Call is a call of a tool, as a model writes it.
type Call struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Usage is the usage of models.
type Usage struct {
	Input  int     `json:"input,omitempty"`
	Output int     `json:"output,omitempty"`
	Cost   float64 `json:"cost,omitempty"` // US dollars
}

// A Choice is the answer of the model that judges the edges of a node: the first offered edge with
// one of some texts, none, or an invalid answer.
type Choice struct {
	Whens  []string `json:"whens,omitempty"`
	None   bool     `json:"none,omitempty"`
	Other  string   `json:"other,omitempty"`
	Error  *string  `json:"error,omitempty"`
	Known  bool     `json:"known,omitempty"` // Other is a choice that there is
	Answer string   `json:"answer"`          // as written
}

// An Opinion is the answer of the model that judges an output.
type Opinion struct {
	Pass  bool    `json:"pass,omitempty"`
	Error *string `json:"error,omitempty"`
}

// A ToolEntry is one call of a tool.
type ToolEntry struct {
	Result Value   `json:"result,omitempty"` // of an injected tool: its text
	Error  *string `json:"error,omitempty"`
	Fatal  bool    `json:"fatal,omitempty"`
	Panic  *string `json:"panic,omitempty"`
	Takes  int64   `json:"takes,omitempty"` // nanoseconds
	Hang   bool    `json:"hang,omitempty"`
}

// An Injected is an injected tool.
type Injected struct {
	Name   string `json:"name"`
	Doc    string `json:"doc,omitempty"`
	Schema string `json:"schema"`
}

// Budget is the budget of a run; 0: no bound.
type Budget struct {
	Tokens     int     `json:"tokens,omitempty"`
	Cost       float64 `json:"cost,omitempty"`
	ModelCalls int     `json:"model_calls,omitempty"`
	ToolCalls  int     `json:"tool_calls,omitempty"`
}

// A Prompt is a request of a node.
type Prompt struct {
	Text  string   `json:"text"`
	Tools []string `json:"tools,omitempty"` // those that the model is offered
	Model string   `json:"model"`
}

// A ToolCall is a call of a tool that was made.
type ToolCall struct {
	Name      string `json:"name"`
	Arguments Value  `json:"arguments,omitempty"` // of an injected tool: JSON as a string
	In        Value  `json:"in,omitempty"`        // what it reads of the state
	Entry     int    `json:"entry"`               // that was used, among all of the tool; -1: none
}

// A ToolCount counts calls of tools.
type ToolCount struct {
	Made         int `json:"made,omitempty"`
	Failed       int `json:"failed,omitempty"`
	Deduplicated int `json:"deduplicated,omitempty"`
}

// Spent is the usage of the models and tools of a run.
type Spent struct {
	Asked      [][]string        `json:"asked,omitempty"`  // choices offered to judges, by call
	Judged     string            `json:"judged,omitempty"` // what the last one was shown
	Prompts    map[string]Prompt `json:"prompts,omitempty"`
	ToolCalls  []ToolCall        `json:"tool_calls,omitempty"` // in the order of the turns
	Usage      Usage             `json:"usage"`
	ModelCalls int               `json:"model_calls,omitempty"`
	Tools      ToolCount         `json:"tools"`
	Unasked    []Unasked         `json:"unasked,omitempty"`
}

// Unasked is a part of an entry that no request used in any use of the entry, or a hook that was never called.
type Unasked struct {
	Node  string `json:"node"`
	Entry int    `json:"entry"` // or the hook
	Key   string `json:"key"`   // choose, evals, guards_failed, summary, malformed, hooks
}
