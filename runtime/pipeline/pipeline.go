// Package pipeline is the library of prompt nodes in generated machines: the prompt,
// the model call, the tools that it requests, the answer, and the conversation that
// later nodes see of it. It uses no reflection and contains no provider.
//
// A Node describes a node of the spec. A Transcript is the transcript of one node in a run, a
// Conversation the conversation of all nodes of a run. In one turn, generated code enters the
// transcript, which writes the prompt if the turn is not one of a tool loop, and asks:
//
//	r.draft.Enter(&r.Run, &r.conversation, m.model, &reviewDraftPrompt, r)
//	err = r.draft.Ask(ctx, (*reviewCaller)(m), &out)
//
// The system prompt and the table of tools are made when the transcript is entered, and not
// again for the turns of its tool loop.
package pipeline

import (
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A Node describes a node with a model. It never changes. Placeholders in System, in Message and in the texts of Blocks
// name fields of the state; a doubled opening is the text of one.
type Node struct {
	Name     string
	Purpose  chat.Purpose // empty: chat.Answer
	System   string       // the system prompt, without its blocks and its end
	After    string       // the end of it
	Lead     int          // how many bytes of the system prompt are before the instructions
	Tail     int          // and after them, before the blocks
	Version  string       // a hash of what the author wrote
	Message  string       // the user's message, without its blocks
	Blocks   []Block      // of the system prompt and the message
	Reads    []string     // the fields of the state that it is shown
	Tools    []Tool       // that it may call, in the order of the spec
	Specs    []chat.ToolSpec
	Output   *chat.Schema // nil: text
	Change   Changer      // a *Change; nil: the answer may not change the graph
	Choice   chat.ToolChoice
	Loop     bool // tools are run and the node is entered again; else their calls are left pending
	Parallel int  // concurrent calls of one turn; 0: 8

	Tracked     bool     // conditions ask which tools were called
	Inject      bool     // the tools known only at run time are its tools too
	Allow, Deny []string // which of them; no Allow: all

	Approve []string      // tools known only at run time whose calls a person approves
	Await   time.Duration // how long an approval is waited for; 0: no answer is too late
	Holder  *Holder       // holds calls that wait for answers; nil: none of its tools has such calls

	Repair      int // how often an answer that does not fit is sent back
	Model       string
	Light       bool
	Temperature *float64
	MaxTokens   int // of an answer

	Continues string // the conversation of the state that it continues, by its field; empty: the run's
	Appends   bool   // its turns are appended to it

	Scope   Scope
	History Limits
	Apart   bool // later nodes do not see its messages

	Observable bool // prompts and answers are reported as progress
	Verbose    bool // the event that ends a step has its answer
	Quiet      bool // pieces of answers are not events

	texts string // the node whose texts it has; empty: its own

	Budget  int                               // tokens of the system prompt and the message; blocks that do not fit are left out; 0: none
	Fit     func(p *Prompt, budget, rest int) // FitBlocks, where there is a budget; else nil
	Revisit bool                              // later visits get the answer of the one before
}

// A Block is a part of the system prompt or of the message that is left out where the prompt is too long.
type Block struct {
	Name     string
	Priority int
	Message  bool   // it is a part of the message
	Text     string // an empty line comes before it
}

// A Tool is a tool that the spec declares.
type Tool struct {
	Name      string
	Pure      bool
	Timeout   engine.Timeout // of a call
	MaxResult int            // bytes; 0: no bound
	Approve   bool           // a person approves its calls before they are made
	Client    bool           // the caller of the machine runs it, within the timeout
}

// isPlain reports whether a call of the tool is nothing but a call.
func (t *Tool) isPlain() bool {
	return t.Timeout.Limit == 0 && t.MaxResult == 0 && !t.Approve && !t.Client
}

// parallel is how many calls of one turn run concurrently, unless the spec sets another number.
const parallel = 8
