package plan

import (
	"slices"
	"time"

	"github.com/graphgen/graphgen/spec/resolve"
)

// A Tool is a tool that the spec declares: a method of the generated interface.
type Tool struct {
	Name, Doc string
	Method    string
	Args      *resolve.Type
	Returns   *resolve.Type
	Pure      bool
	Timeout   time.Duration
	MaxResult int
	In        *resolve.Type // what it reads of the state; nil: nothing
	Approve   bool          // a person approves its calls, whichever model makes them
	Client    *Client       // the caller of the machine runs it; nil: it is a method
	Keyed     bool          // what it reads decides whether a call repeats another
	Field     string        // of the caller, with what it reads

	Answer string // where a person approves calls: the function that makes an answer
}

// A Client is what belongs to a tool that the caller of the machine runs.
type Client struct {
	Answer string // function that makes a result
}

// Plain reports whether the tool has no settings.
func (t *Tool) Plain() bool {
	return !t.Approve && t.Client == nil && !t.Pure && t.Timeout == 0 && t.MaxResult == 0
}

// A Prompt is how a node asks a model.
type Prompt struct {
	Var, Field string // of the description; of the run, with the node's turns
	Write      string // a method of the run, which writes the prompt of a node that asks more than once in a visit; empty: nothing depends on the run
	Ask        string // a method of the machine, which makes a turn that the loop does not make itself

	System  string // the beginning of the system prompt
	Ending  string // its end: how to go about it, and where the answer leads
	Message string // of the user's turn
	Blocks  []Block

	Texts    *Texts
	Shown    []*resolve.Field
	Required []*resolve.Field // that input_validator would not find among what is shown, if they hold nothing
	Inherits []string

	ToolLoop *Transition // rule 1
	Called   []Test      // after a turn whose tool calls other nodes make

	Answer string // the name of the output's schema; empty: text, a route or a verdict
	Tools  []*Tool
	Routes map[string][]string // what route fields of type string may say, by field

	Choice           string // auto, none, required or named
	Named            string
	Loop             bool
	Tracked          bool
	Parallel, Repair int
	Inject           bool
	Allow, Deny      []string

	Approve []string      // of its tools, those whose calls a person approves
	Others  []string      // such tools that are known only at run time
	Await   time.Duration // how long an approval is waited for

	Model       string
	Light       bool
	Temperature *float64
	MaxTokens   int

	History *resolve.Field // the conversation that the node continues; nil: none
	Appends bool           // its turns are appended to it

	Scope                   string
	MaxMessages, MaxHistory int
	Apart                   bool
	Budget                  int
	Revisit                 bool
	Flags                   []string // fields of pipeline.Prompt that flags of the node set

	Before, After []Processor
}

// A Piece is a part of a prompt: a text, or a field of the state.
type Piece struct {
	Text  string
	Field *resolve.Field
}

// A Block is a part of a prompt that may be left out.
type Block struct {
	Name     string
	Priority int
	User     bool // it belongs to the user's turn, else to the system prompt
	Text     string
}

// A Processor works on a prompt or an answer: a function of package pipeline, or a method
// of the handlers.
type Processor struct {
	Name   string
	Func   string // of package pipeline; empty: Method
	Method string

	// The settings: Func returns the processor that has them.
	Most int
	Keys []string
}

// Set reports whether the processor has settings.
func (p Processor) Set() bool { return p.Most > 0 || len(p.Keys) > 0 }

// A Call is what a tool node calls.
type Call struct {
	Var      string // of the description
	Method   string // of the machine
	Tool     *Tool  // nil: the calls that are pending, as the node may that has left them
	Args     []Argument
	Parallel int
}

// An Argument is an argument of a fixed tool and the state field that it is taken from.
type Argument struct{ To, From *resolve.Field }

// An Eval is a verdict on what a node did.
type Eval struct {
	Name, GoName      string
	Called, NotCalled []string
	Cond              *Condition
	Judge             string
	Shown             []*resolve.Field // to the model that judges, besides the output
	ShownVar          string           // the variable that shows them; empty: nothing is
}

// StateGuards lists the guards that read the state, each once. Nodes share a guard.
func (m *Machine) StateGuards() (list []Guard) {
	for _, n := range m.Flow.Nodes {
		for _, g := range n.Checks.Guards {
			if g.In != nil && !slices.ContainsFunc(list, func(have Guard) bool { return have.Method == g.Method }) {
				list = append(list, g)
			}
		}
	}
	return list
}

// Handled reports whether users have handlers to write.
func (m *Machine) Handled() bool {
	if len(m.Types.Merges) > 0 {
		return true
	}
	return slices.ContainsFunc(m.Flow.Nodes, func(n *Node) bool {
		p := n.Prompt()
		return n.HasHandler() || slices.ContainsFunc(n.Checks.Guards, func(g Guard) bool { return g.Judge == "" }) || p != nil && p.processed()
	})
}

// gates reports whether a model judges one of the guards of the node.
func (n *Node) gates() bool {
	return slices.ContainsFunc(n.Checks.Guards, func(g Guard) bool { return g.Judge != "" })
}

// HasHandler reports whether the node's work is a method of the handlers.
func (n *Node) HasHandler() bool {
	_, is := n.Work.(*Handler)
	return is
}

// Written reports whether more of the prompt than fields of the state depends on the run.
func (p *Prompt) Written() bool {
	return p.History != nil || len(p.Inherits) > 0
}

// AsksInPlace reports whether the loop makes the turn of the node itself: nothing is done between its beginning and its answer.
func (n *Node) AsksInPlace() bool {
	p, is := n.Work.(*Prompt)
	return is && n.ReturnsAnswer() && !p.Written() && len(p.Before) == 0 && !n.Shape.Wrapped
}

// ReturnsAnswer reports whether the output of a node that asks a model is what the runtime returns as the answer: a text, or a type with methods.
func (n *Node) ReturnsAnswer() bool {
	if n.Kind.Chooses || n.Kind.Judges || n.Mutates {
		return false
	}
	return n.Out.Kind == resolve.String || n.Out.Kind == resolve.Enum || n.Out.Kind == resolve.Struct
}

// Leaves reports whether a turn may end with calls of tools, and without an output: it leads back to the node, or to what makes the calls.
func (p *Prompt) Leaves() bool { return p.ToolLoop != nil || len(p.Called) > 0 }

func (p *Prompt) processed() bool {
	own := func(p Processor) bool { return p.Method != "" }
	return slices.ContainsFunc(p.Before, own) || slices.ContainsFunc(p.After, own)
}
