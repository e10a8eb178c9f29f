package scenario

import (
	"time"

	"github.com/graphgen/graphgen/spec"
)

// A File is a scenario file.
type File struct {
	Path   string
	Source []byte

	Graph     spec.String // file name of the spec
	Merges    []Pair      // rules instead of custom merge functions, by state field
	Scenarios []*Scenario
}

// A Pair is an entry of a mapping of names.
type Pair struct{ Name, To spec.String }

// A Scenario is one test of a graph.
type Scenario struct {
	Pos    spec.Pos
	Name   spec.String
	Input  *Value // nil: not given
	Script []Script
	Tools  []ToolSteps
	Inject []ToolSteps // injected tools

	Answers []*Reply // to requests of paused runs, besides the answers in the scripts of human nodes

	Recording spec.String // recording of models and tools, instead of their scripts
	recorded  string      // its text

	Options Options
	Expect  Expect
}

// A Script is the script of a node.
type Script struct {
	Node spec.String
	*Steps[*Entry]
}

// Steps are executions of a node, or calls of a tool: entries in order, or further Steps for each
// element of a map or for each node that calls the tool. One of the three is set.
type Steps[E any] struct {
	Pos     spec.Pos
	Entries []E
	Each    []*Steps[E] // by element of the outermost map around the node; the last one applies to the other elements
	Nodes   []NodeSteps[E]
}

// NodeSteps are the calls of a tool by one node.
type NodeSteps[E any] struct {
	Node spec.String
	*Steps[E]
}

// leaves returns the lists of entries, in the order in which the harness counts them.
func (s *Steps[E]) leaves() (all [][]E) {
	for _, each := range s.Each {
		all = append(all, each.leaves()...)
	}
	for _, n := range s.Nodes {
		all = append(all, n.leaves()...)
	}
	if s.Each == nil && s.Nodes == nil {
		all = append(all, s.Entries)
	}
	return all
}

// An Entry is one execution of a node.
type Entry struct {
	Pos  spec.Pos
	Keys map[string]spec.Pos // position of each key

	Out          *Value
	Goto, Branch spec.String

	Error     spec.String
	Transient bool
	Panic     spec.String

	// GuardsFailed holds the verdicts of guards. An entry of a node of kind guard, or one for all
	// guards of a node, has one without a name.
	GuardsFailed []Verdict

	Takes, After       spec.Value[time.Duration]
	Hang, Cancel, Stop bool

	Given *Given

	Actions []GraphAction

	Asking
	Answering
}

// A Verdict is the verdict of a guard: one of its texts.
type Verdict struct {
	Guard                spec.String
	Reject, Error, Panic spec.String
}

// Given is the expected input of a handler.
type Given struct {
	In                   *Value
	Feedback             *[]spec.String
	Failure              spec.String // part of its text
	NoFailure            spec.Pos    // position of failure: none
	Step, Visit, Attempt spec.Value[int]
	Prompt               *PromptMatch // the request of a model
	Guards               []GuardGiven
}

// A GuardGiven is what a guard must be given of the state.
type GuardGiven struct {
	Guard spec.String
	In    *Value
}

// Options are the options of a run.
type Options struct {
	Cancelled, Stopped bool // from the start
	Deadline           spec.Value[time.Duration]
	Hooks              []*Hook
	DryRun             bool
	Budget             Budget
}

// A Hook is a hook that fails.
type Hook struct {
	Pos           spec.Pos
	Before, After spec.String // node
	Visit         spec.Value[int]
	Governing     bool
	Error, Budget spec.String
	Panic         spec.String
}

// Expect is the expected result of a run. What is not set is not compared.
type Expect struct {
	Pos      spec.Pos
	Path     *[]spec.String
	PathPos  spec.Pos
	End      spec.String
	Ending   spec.String
	Error    *ErrorMatch
	NoError  spec.Pos // position of error: none
	State    *Value
	Output   *Value
	Cut      spec.Value[bool] // max_steps_reached of the output
	Events   []EventMatch     // in this order, with others in between
	All      *[]EventMatch    // every event
	AllPos   spec.Pos
	Failures *[]*ErrorMatch
	FailPos  spec.Pos
	Skipped  *[]spec.String
	SkipPos  spec.Pos
	Executed []Count
	Followed []Followed
	Passed   []Followed // From is the node, To the guard

	LeftOut    *[]spec.String // NODE BLOCK
	LeftOutPos spec.Pos

	Cancelled *[]spec.String // NODE, or NODE BRANCH
	CancelPos spec.Pos
	Takes     *Span

	Mutations    *[]MutationMatch
	MutationsPos spec.Pos
	Counts       []Count // steps, retries …, by their keys

	Asked     *[][]spec.String
	AskedPos  spec.Pos
	Judge     *TextMatch
	Called    []Call // nil: not set
	CalledPos spec.Pos
	Prompts   []*PromptMatch
	Usage     *Usage

	Messages    *[]*Message
	MessagesPos spec.Pos

	Question    []spec.String // parts of the last request
	QuestionPos spec.Pos
	Requests    *[]spec.String // IDs of the requests that are open
	RequestsPos spec.Pos
}

// A Span is an expected time: at least Min and at most Max.
type Span struct {
	Pos      spec.Pos
	Min, Max time.Duration
}

// Followed is how often the transitions from one node to another are expected to be followed, or something else is that two
// names identify.
type Followed struct {
	Pos      spec.Pos
	From, To spec.String
	Want     int
}

// A Count is an expected number of something.
type Count struct {
	Name spec.String
	Want int
}

// An ErrorMatch is what is expected of an error or of a failed step.
type ErrorMatch struct {
	Pos           spec.Pos
	Type          spec.String   // of an error of its chain
	Limit         spec.String   // of a LimitError of its chain
	Kind          spec.String   // of a ModelError or a ToolError of its chain
	Texts         []spec.String // parts of its text
	Node, Branch  spec.String
	Visit, Line   spec.Value[int]
	Soft, Cleared spec.Value[bool] // of a failed step
}

// An EventMatch is an event that must happen.
type EventMatch struct {
	Pos                        spec.Pos
	Kind, Node, To, Rule       spec.String
	Reason, Error              spec.String // parts of texts
	Text                       spec.String // part of it
	Branch                     spec.String
	Step, Visit, Attempt, Line spec.Value[int]
}
