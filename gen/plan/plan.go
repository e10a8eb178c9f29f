// Package plan holds the resolved machine: every decision about the code that is to be
// emitted has been made, every name computed. The emitter and the diagrams print it.
package plan

import (
	"time"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Machine is a graph ready to be emitted.
type Machine struct {
	Name    string // as the spec has it
	File    string // base name of the spec file
	Stem    string // what the names of the generated files begin with
	Package string // name of the Go package
	Doc     string
	Prefix  string // of unexported names: review
	GoName  string // of the generated type of the machine

	Names     Names
	Limits    Limits
	Types     Types
	Flow      Flow
	Children  Children
	Models    Models
	Humans    Humans
	Threads   Threads
	Mutations *Mutations // nil: runs may not change their graph

	Serves   bool // the machine describes itself as JSON
	Temporal bool // the machine runs as a workflow of Temporal
	Release  int  // of its workflows, by the lock file; 0: none is released
}

// Limits bound a run.
type Limits struct {
	MaxSteps   int    // cfg.NoLimit: as many as people's answers lead to
	OnMaxSteps string // "error", "last" or "flag"
	Timeout    time.Duration
	Budgets    Budgets
}

// Types are the types of a machine, and what is generated for their values.
type Types struct {
	Declared []*resolve.Type // enums, structs and unions the spec declares, in order
	State    *resolve.Type
	Input    *resolve.Type
	Output   *resolve.Type
	Judged   *resolve.Type // what a model that judges edges is shown of the input; nil: none judges, or all of it

	Optional []*resolve.Field // of the input: those with defaults, which a caller may leave out
	Initial  []*resolve.Field // of the state: those whose default is not the zero value
	Shown    []Cell           // fields of the state that events of a served graph may have
	Merges   []*Merge         // handlers' merge functions

	Codecs  []*Codec // what is JSON: the codec file
	Media   Media
	Clips   map[*resolve.Type]*Clipper
	Imports []resolve.Import // packages of types that are not generated here
}

// A Flow is the nodes of a machine, and what leads from one to the next.
type Flow struct {
	Nodes       []*Node // in the spec's order; Nodes[i].ID is i+1
	Entry       *Node
	Parts       []*Part       // the methods that run the nodes
	Transitions []*Transition // Transitions[i].ID is i; Transitions[0] enters the graph
	OnError     *Transition   // leads to the graph's on_error node; nil if there is none
	Ends        []NamedEnd    // that have names, in the spec's order
	Conditions  []*Condition  // the functions of the conditions file, in the spec's order
}

// Children are what the child runs of a machine need: of regions, and of other graphs.
type Children struct {
	Composed bool     // nodes run others
	Carried  []string // fields of the run that a child run continues with
	Merging  Merging
	Notes    []*resolve.Field // of which branches note what they write
	Clipped  []*resolve.Field // lists that branches append to
	Others   []*Other         // machines of other graphs that nodes run, in the order of the nodes
}

// Models are the models that a machine asks, and the tools that they and its nodes call.
type Models struct {
	Asked         bool             // whether a model is asked
	Judges        bool             // whether a model judges edges
	Uses          []ModelUse       // how nodes select models, each once; where there is a budget of money
	Named         []string         // that nodes name, those of graphs that it runs among them, each once
	Model         string           // that is asked where a node names none; empty: the machine's
	Temperature   *float64         // of requests that no node describes; nil: the model's
	Conversations bool             // whether nodes have a conversation
	Results       bool             // whether outputs are kept for prompts and for the judge
	Placeable     []*resolve.Field // that prompts show, or that a placeholder may name which the spec does not have: of an option, or of a node that a run adds

	Tools     []*Tool  // that the spec declares
	ToolReads bool     // tools read the state: what calls them has what they read
	Servers   []Server // that the graph declares
}

// Humans are what runs of a machine wait for.
type Humans struct {
	Held         []*Tool        // tools of the spec whose calls a person approves
	NestedHumans []*NestedHuman // of the graphs that nodes run
	NestedCalls  []*NestedCall  // of tools of these graphs
	Interrupts   bool           // runs may pause between nodes
	Continues    bool           // runs, or those of graphs that they run, may
}

// Threads are what a machine has for the threads of a durable graph.
type Threads struct {
	Durable   bool     // runs may be made in threads
	Shape     string   // the hash of the graph's shape, 16 hex digits; a lock file has those of releases
	Cells     []Cell   // what is saved of a run
	Secrets   []string // fields of the state that threads keep sealed
	Privates  []string // fields of the state that no stream of a thread has
	Carries   []string // fields of the state with which the next run of a thread begins
	Secret    bool     // the graph, or one that it runs, has fields that are sealed
	Transacts bool     // the graph, or one that it runs, has nodes with transaction: true
}

// EndType is the type of the names of the ends.
func (m *Machine) EndType() string { return m.GoName + "Ending" }

// TypesOnly reports whether the machine is of a file of types: it has types, and nothing
// that runs.
func (m *Machine) TypesOnly() bool { return m.Types.State == nil }

// Budgets bound what models and tools may do in a run; 0 means no bound.
type Budgets struct {
	Tokens, ModelCalls, ToolCalls int
	Cost                          float64 // US dollars
}

// FlagName is the field of the output that reports that the steps were used up, when
// on_max_steps is flag, and FlagMember its name in JSON.
const (
	FlagName   = "MaxStepsReached"
	FlagMember = "max_steps_reached"
)

// A ModelUse is how a node selects a model: by a name, or as the smaller one, else the
// machine's own.
type ModelUse struct {
	Name  string
	Light bool
}

// A Place is a position in the spec.
type Place struct{ Line, Col int }

// A NamedEnd is an end of a graph that has a name, and its Go constant.
type NamedEnd struct{ Name, Const string }

// A Transition leads from a node to the next.
type Transition struct {
	ID    int
	Const string // Go constant
	From  *Node  // nil: the entry, or on_error
	To    *Node  // nil: end
	End   string // the name of the end; empty: it has none
	Rule  spec.Rule
	Text  string // the condition as reports show it
	Label string // the author's, or the name of the end; empty: none
	Case  string // the label of the branch table that leads there; empty: none
	Place Place

	Pair   *Transition // the first transition between these nodes, where one of them is bounded; nil: none is
	Shared bool        // other transitions of the pair count too
	Max    int         // 0: not bounded

	Closable bool // a change of the run's graph may have closed it
	Skipped  bool // only a skipped node takes it

	Empties *Node // the last node of the body of a loop, whose output the loop asks for, and which a route to end skips; nil: none
}

// A Merge is a merge function of the handlers.
type Merge struct {
	Method string
	Field  *resolve.Field
}

// A By is the enum in the output by which a branch table selects.
type By struct {
	Field    *resolve.Field // without a Go name it is the output itself
	Required bool           // it holds a value whenever the node succeeds
	Checked  bool           // of an output of code: generated code checks that it is one of the values
}

// A ChoiceType is the enum of what a handler may choose.
type ChoiceType struct {
	GoName   string
	Doc      string
	What     string // "goto", "route" or "branch label", for errors
	Required bool   // choosing nothing is an error
	Values   []ChoiceValue
}

// A ChoiceValue is one value of a choice.
type ChoiceValue struct {
	Name  string // as String prints it
	Const string
}

// A TestKind is how a Test decides.
type TestKind uint8

const (
	Always    TestKind = iota
	If                 // Cond holds
	Goto               // the handler chose Const by goto
	Label              // the handler chose Const as the label
	Value              // output field Field, by which a branch table selects, is Const
	Equals             // output field Field equals Const
	AtLeast            // output field Field is at least Const
	True               // output field Field is true
	NotEmpty           // output field Field is not empty
	RouteEnum          // route field Field holds Const
	RouteText          // route field Field, a string, is one of Texts
	When               // the model judges that Text holds
	Calls              // the turn calls one of the tools Texts
)

// A Test is a transition and its condition.
type Test struct {
	Kind       TestKind
	Transition *Transition
	Cond       *Condition
	Field      *resolve.Field   // of the output
	Const      string           // Go expression
	Texts      []string         // of RouteText and Calls
	Text       string           // of When
	Shown      []*resolve.Field // of When: to the model that judges
	NoneEnds   bool             // of the first When: the node may be terminal where no When holds
	Uncalled   bool             // of an edge on: no_tool_call: a skipped node does not take it
	Absent     []*resolve.Field // of a route field: those before it, which must be absent
}

// A Reject lists what a route field of type string may hold; anything else is a failure.
type Reject struct {
	Field   *resolve.Field
	Texts   []string
	Offered []string         // of the texts, those that a model may choose from: one for what leads to the same
	Absent  []*resolve.Field // route fields before it
}

// A Default is what happens when no test of a node is taken.
type Default struct {
	Kind DefaultKind
	// UsedUp lists the bounds that make the node terminal once all of them are reached.
	UsedUp []*Transition
}

// A DefaultKind is what a run does where no test is taken.
type DefaultKind uint8

const (
	Never     DefaultKind = iota // a test is always taken
	Terminal                     // the node has no transition left
	Exhausted                    // all its edges are bounded, have no conditions, and are used up
	Error                        // no_match: error
	End                          // no_match: end
)

// A Condition is an expression of the spec.
type Condition struct {
	Func                           string // its function, reviewCriticToPublish…; none if the case of an edge has it
	Doc                            string
	Expr                           string
	Place                          Place
	Out                            *resolve.Type // the type of the parameter out
	Verdicts                       *resolve.Type // the type of the parameter evals
	Result                         *resolve.Type // of a value: what the function returns; nil: a bool
	UsesOut, UsesState, UsesResult bool
	UsesEvals                      bool
	Imports                        []resolve.Import // the packages it calls
}
