// Package chat is what generated machines exchange with models: messages, tools, and one
// interface that every provider implements. It uses no reflection and contains no provider;
// those are modules of their own, under contrib.
package chat

import "context"

// A Model answers requests. It is safe for concurrent use.
type Model interface {
	// Generate makes one call. If stream is not nil, it is called with each piece of the answer,
	// on the goroutine of the call, before Generate returns the whole of it. An error is of
	// a type of this package, or the context's; it never holds a key. Beside an error, the response
	// has what the call has used, for budgets, and which model was asked and the ID, where they are
	// known, and no content: its message has only a role. It is nil where nothing of that is known.
	// A cancelled context ends the call on the wire.
	Generate(ctx context.Context, req *Request, stream func(Delta)) (*Response, error)
}

// ModelFunc is a function as a Model.
type ModelFunc func(ctx context.Context, req *Request, stream func(Delta)) (*Response, error)

// Generate calls f.
func (f ModelFunc) Generate(ctx context.Context, req *Request, stream func(Delta)) (*Response, error) {
	return f(ctx, req, stream)
}

// A Purpose is what a request is for. Scripts, recordings and logs use it; providers may
// ignore it.
type Purpose string

// The purposes of requests.
const (
	Answer    Purpose = "answer"    // a prompt node's turn
	Choose    Purpose = "choose"    // a router picks a route
	Judge     Purpose = "judge"     // natural-language edges: which one holds
	Evaluate  Purpose = "evaluate"  // an eval of a node's output, or a guard of it
	Summarize Purpose = "summarize" // a long text is made short
)

// A Request is one call of a model. A model must not change it, nor keep it.
type Request struct {
	Purpose  Purpose
	Model    string // the provider's name of the model; empty: the one it was made with
	System   string // the system prompt; empty: none
	Messages []Message
	Tools    []ToolSpec
	Choice   ToolChoice
	Output   *Schema // what the text of the answer must be; nil: any text

	Temperature *float64 // nil: the provider's default
	MaxTokens   int      // of the answer; 0: the provider's default, or the most it allows
	Cache       bool     // the system prompt and the tools will be sent again: the provider should cache them
}

// A Schema is a JSON Schema with its name.
type Schema struct {
	Name string // letters, digits, _ and -; at most 64
	JSON string // draft 2020-12
}

// A ToolChoice determines whether the model calls tools. The zero value leaves it to the model.
type ToolChoice struct {
	Mode ToolMode
	Name string // of Named
}

// A ToolMode is how free a model is to call tools.
type ToolMode uint8

const (
	Auto     ToolMode = iota // as the model likes
	None                     // no tool
	Required                 // at least one, whichever
	Named                    // the one tool that is named
)

// A Response is the whole answer to a request. Several may share it: who gets one must not
// change it.
type Response struct {
	Message Message // of RoleAssistant
	Finish  Finish
	Usage   Usage
	Model   string // which model answered, as the provider names it
	ID      string // the provider's, for its support; empty: none
}

// A Finish is the reason why an answer ended.
type Finish string

const (
	Stop      Finish = "stop"       // the model was done
	ToolCalls Finish = "tool_calls" // it asks for tools
	Length    Finish = "length"     // MaxTokens, or all that the model can say
)

// A Delta is a piece of a streamed answer.
type Delta struct {
	Text      string
	Reasoning string
	Tool      string // the name of a tool, sent once when the model begins to call it
	ToolID    string // of that call, as its provider gives it; empty: it gives none, or only later
}

// Usage counts what calls cost. Input counts all that was sent, cached parts too.
type Usage struct {
	Input      int     // tokens
	Output     int     // tokens, reasoning included
	Reasoning  int     // tokens of Output that were reasoning
	CacheRead  int     // tokens of Input that the provider had kept
	CacheWrite int     // tokens of Input that it keeps from now on
	Cost       float64 // in US dollars; 0 where no price is known
}

// Add returns the sum.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output, Reasoning: u.Reasoning + v.Reasoning,
		CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite, Cost: u.Cost + v.Cost,
	}
}

// Tokens returns the sum of the input and output tokens.
func (u Usage) Tokens() int { return u.Input + u.Output }
