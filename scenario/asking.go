package scenario

import (
	"time"

	"github.com/graphgen/graphgen/spec"
)

// An Asking is the part of an entry for a node that asks a model.
type Asking struct {
	Text      *spec.String // of the answer; possibly empty
	Reject    spec.String  // message of a node of kind guard
	Calls     []Call
	Malformed []spec.String // invalid answers before it
	Usage     *Usage
	Summary   spec.String
	Choose    *Choose
	Evals     []Opinion
}

// A Call is a call of a tool, made by a model or expected.
type Call struct {
	Tool      spec.String
	Arguments *Value // a mapping, or JSON as a text; nil: not given
}

// Usage is the usage of models.
type Usage struct {
	Pos           spec.Pos
	Input, Output spec.Value[int]
	Cost          spec.Value[float64] // US dollars
}

// A Choose is the answer of the model that judges edges.
type Choose struct {
	Answer spec.String // a target, the text of an edge, none, or an invalid choice
	Error  spec.String
}

// An Opinion is the answer of the judge of an eval.
type Opinion struct {
	Eval  spec.String
	Pass  bool
	Error spec.String
}

// ToolSteps are the calls of a tool.
type ToolSteps struct {
	Tool spec.String
	*Steps[*ToolEntry]

	// Of an injected tool.
	Doc    spec.String
	Schema *Value
}

// A ToolEntry is one call of a tool.
type ToolEntry struct {
	Pos    spec.Pos
	Keys   map[string]spec.Pos
	Given  *Value // what it reads of the state: the fields to compare
	Result *Value
	Error  spec.String
	Fatal  bool
	Panic  spec.String
	Takes  spec.Value[time.Duration]
	Hang   bool
}

// A Budget is the budget of a run.
type Budget struct {
	Tokens, ModelCalls, ToolCalls spec.Value[int]
	Cost                          spec.Value[float64] // US dollars
}

// A TextMatch is an expectation about a long text.
type TextMatch struct {
	Pos             spec.Pos
	Contains, Lacks []spec.String
}

// A PromptMatch is an expectation about a request.
type PromptMatch struct {
	TextMatch
	Node     spec.String
	Tools    *[]spec.String
	ToolsPos spec.Pos
	Model    spec.String
}
