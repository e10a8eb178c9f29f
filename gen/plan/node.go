package plan

import (
	"time"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Node is a node of the machine: what all nodes have in common, and its work.
type Node struct {
	ID       int
	Name     string
	Const    string // ReviewCreatePR
	GoName   string // CreatePR; the method of the handlers
	Kind     *spec.Kind
	Doc      string // of the handler
	Place    Place
	Parent   *Node  // the composite node that runs it; nil: transitions lead to it
	InBranch string // the branch of the parallel that runs it, in a durable graph; empty: it is in none
	Drawing  Drawing
	Shape    Shape

	In     *resolve.Type // nil: the state, or nothing
	Out    *resolve.Type // nil: nothing
	State  StateUse
	Work   Work
	Checks Checks
	Kept   Kept

	Policy  Policy
	Failure Failure
	Pauses  Pauses
	Visits  Visits
	Choices Choices
	Routes  Routes

	Template bool // only nodes that a run adds are executed by it
	Mutates  bool // it asks for changes of its run's graph
}

// A Drawing is what diagrams show of a node.
type Drawing struct {
	Shape  string      // as Graphviz calls it
	Title  string      // instead of its name; empty: the name
	Ending DefaultKind // how a run ends there; Never if it does not
}

// A StateUse is what a node has to do with the state.
type StateUse struct {
	Reads      []*resolve.Field // what its handler, its texts, its graph or its map take of it
	Writes     []Write
	FromWrites bool // Out is made of the fields the node writes
}

// Checks are the checks of a node's output.
type Checks struct {
	Guards   []Guard
	Validate bool   // the output is checked as its decoder would
	Media    string // the function that checks the media that it writes; empty: it writes none
	Evals    []*Eval
	Verdicts *resolve.Type // the evals as a struct; nil: none
}

// Kept is where a node's output is kept, besides the state.
type Kept struct {
	Field  string // of the run, for its parent; empty: none has it
	Result bool   // as a result
	Cache  bool
	Cell   string // of the cached results in threads: another output or choice has another one
}

// A Failure is what the failure of a node means to the run.
type Failure struct {
	Skip     bool // skip_on_error
	Soft     bool // fail_soft
	Critical bool
}

// Pauses are where a run may pause at a node, besides the work of the node.
type Pauses struct {
	Before, After bool
	Holds         bool   // for the approval of calls of tools
	Open          bool   // an option of a run may have it pause there
	Gate          *Human // of a node with requires_human: what a person is asked before it runs
}

// Visits bound the visits of a node.
type Visits struct {
	Max   int // 0: cannot be used up, not counted
	Bound int // max_visits of the node or the limits; 0: neither has it
}

// Choices are how a node itself chooses the next one.
type Choices struct {
	Goto       *ChoiceType      // what the handler may choose by goto; of a router its routes
	Branch     *ChoiceType      // labels of the branch table that the handler returns
	By         *By              // what another branch table looks at; nil: nothing
	Rejects    []Reject         // route fields of type string
	MustRoute  *resolve.Field   // route field of a required enum type, which decides unless the node fails softly, or a text before it names nothing
	MustAbsent []*resolve.Field // route fields before it: where one names a node, it need not
}

// Routes are what a run tries after each outcome of a node.
type Routes struct {
	Tests       []Test  // rules 2 to 6, in order
	Default     Default // what happens when none is taken
	SkipTests   []Test  // of a skipped node: the transitions without conditions
	SkipDefault Default

	GuardFail  []Test      // on: guard_fail edges, then on_fail
	Failed     []Test      // on: error edges
	OverBudget []Test      // on: budget edges
	ErrorTo    *Transition // the error transition
	Only       *Transition // the one transition, without condition and bound; nil: there are others, or none
}

// A Guard is a check of a node's output: by a method, or by a model.
type Guard struct {
	Name, Method string
	Doc          string
	In           *resolve.Type // what the method reads of the state; nil: nothing

	Judge    string           // what the model judges; empty: there is a method
	Shown    []*resolve.Field // to the model, besides the output
	ShownVar string           // the variable that shows them; empty: nothing is
}

// A Policy is how a node is executed.
type Policy struct {
	Timeout      time.Duration
	Attempts     int
	Wait         time.Duration
	Factor       float64 // 0: the default
	MaxWait      time.Duration
	RetryAny     bool
	GuardRetries int
}

// Plain reports whether the handler is called once, as it is.
func (p Policy) Plain() bool { return p == Policy{} }
