package scenario

import (
	"time"

	"github.com/graphgen/graphgen/spec"
)

// An Asking is what an entry says of a node that a model is asked about.
type Asking struct {
	Text      *spec.String // of the answer; may be empty
	Reject    spec.String  // message of a node of kind guard
	Calls     []Call
	Malformed []spec.String // answers before that one
	Usage     *Usage
	Summary   spec.String
	Choose    *Choose
	Evals     []Opinion
}

// A Call is the call of a tool, made by a model or expected to be made.
type Call struct {
	Tool      spec.String
	Arguments *Value // a mapping, or JSON as a text; nil: not written
}

// Usage is what models used.
type Usage struct {
	Pos           spec.Pos
	Input, Output spec.Value[int]
	Cost          spec.Value[float64] // US dollars
}

// A Choose is the answer of the model that judges edges.
type Choose struct {
	Says  spec.String // a target, the text of an edge, none, or what is no choice
	Error spec.String
}

// An Opinion is the answer of the model that judges by an eval.
type Opinion struct {
	Eval  spec.String
	Pass  bool
	Error spec.String
}

// ToolSteps are the calls of a tool.
type ToolSteps struct {
	Tool spec.String
	*Steps[*ToolEntry]

	// Of a tool known only at run time.
	Doc    spec.String
	Schema *Value
}

// A ToolEntry is one call of a tool.
type ToolEntry struct {
	Pos    spec.Pos
	Keys   map[string]spec.Pos
	Result *Value
	Error  spec.String
	Fatal  bool
	Panic  spec.String
	Takes  spec.Value[time.Duration]
	Hang   bool
}

// A Budget bounds what models and tools do.
type Budget struct {
	Tokens, ModelCalls, ToolCalls spec.Value[int]
	Cost                          spec.Value[float64] // US dollars
}

// A TextMatch is what is expected of a long text.
type TextMatch struct {
	Pos             spec.Pos
	Contains, Lacks []spec.String
}

// A PromptMatch is what is expected of a request.
type PromptMatch struct {
	TextMatch
	Node     spec.String
	Tools    *[]spec.String
	ToolsPos spec.Pos
	Model    spec.String
}
