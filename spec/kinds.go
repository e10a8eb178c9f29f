package spec

// A Kind is a kind of node: a row of Kinds. Code asks a kind for its traits; only the tables, and the
// one place that gives a trait its effect, know its name.
type Kind struct {
	Word

	Shape Shape // how it runs the nodes that it names
	By    By    // who does its work
	Asks  Asks  // when it asks a model for its answer

	Each      bool // of ForkShape: its body runs once for every element of a list, else each of its branches once
	OnFailure bool // of RepeatShape: its body runs again when it fails, else until a condition holds

	Pure    bool // its handler is given no context and has no effects: what fails fails again
	Judges  bool // it lets a run pass or refuses it
	Chooses bool // it names the node to go to, among its routes
	Returns bool // its handler returns an output, or the label of a branch table
	Mutates bool // it may change the graph of its run

	unknown bool // the language does not have it
}

// A Shape is how a node runs the nodes that it names.
type Shape uint8

const (
	NoShape     Shape = iota // it names none
	RepeatShape              // its body, again and again
	ForkShape                // branches at once
	PickShape                // nodes of a pool, which a model picks one after the other
)

// By is who does the work of a node.
type By uint8

const (
	ByHandler By = iota // a method of the handlers
	ByModel             // a model, which may call tools
	ByTool              // a tool
	ByPerson            // a person, for whose answer the run pauses
	ByGraph             // another graph
	ByNodes             // the nodes that it names
	ByMachine           // the generated machine itself
)

// Asks is when a node asks a model for its answer.
type Asks uint8

const (
	AsksNever        Asks = iota
	AsksIfInstructed      // with instructions; without, its handler decides
	AsksAlways
)

// DefaultKind is the kind of a node that names none.
const DefaultKind = "func"

// Kinds are the kinds of node.
var Kinds = []*Kind{
	{Word: Word{Name: DefaultKind, Doc: "Go code: a handler that does the work."}, Returns: true, Mutates: true},
	{Word: Word{Name: "transform", Doc: "Go code without effects: a pure function, given no context."}, Pure: true, Returns: true},
	{Word: Word{Name: "guard", Doc: "Go code that lets a run pass or rejects it; with `instructions` the model does."}, Asks: AsksIfInstructed, Judges: true},
	{Word: Word{Name: "router", Doc: "Go code that chooses among `routes`; with `instructions` the model does."}, Asks: AsksIfInstructed, Chooses: true},
	{Word: Word{Name: "prompt", Doc: "Asks a model, which may call tools."}, By: ByModel, Asks: AsksAlways, Mutates: true},
	{Word: Word{Name: "tool", Doc: "Calls a tool; without one, runs the calls that a prompt has left."}, By: ByTool},
	{Word: Word{Name: "loop", Doc: "Runs its `body` until a condition holds."}, Shape: RepeatShape, By: ByNodes},
	{Word: Word{Name: "retry", Doc: "Runs its `body` again when it fails."}, Shape: RepeatShape, By: ByNodes, OnFailure: true},
	{Word: Word{Name: "parallel", Doc: "Runs its `branches` at once."}, Shape: ForkShape, By: ByNodes},
	{Word: Word{Name: "map", Doc: "Runs its `body` at once for every element of a list."}, Shape: ForkShape, By: ByNodes, Each: true},
	{Word: Word{Name: "subgraph", Doc: "Runs another graph."}, By: ByGraph},
	{Word: Word{Name: "autonomous", Doc: "Runs the nodes of its `pool`, which the model picks one after the other."}, Shape: PickShape, By: ByNodes},
	{Word: Word{Name: "human", Doc: "Pauses the run until a person answers."}, By: ByPerson},
	{Word: Word{Name: "pass", Doc: "Does nothing: the run goes on by the edges of the node."}, By: ByMachine, Pure: true},
}

// KindOf returns the kind of that name. One that the language does not have is a row with the name and no
// traits.
func KindOf(name string) *Kind {
	for _, k := range Kinds {
		if k.Name == name {
			return k
		}
	}
	return &Kind{Word: Word{Name: name}, unknown: true}
}

// Known reports whether the language has the kind.
func (k *Kind) Known() bool { return !k.unknown }

// Composite reports whether nodes of the kind run nodes that they name.
func (k *Kind) Composite() bool { return k.Shape != NoShape }

// Repeats reports whether nodes of the kind run their body again and again.
func (k *Kind) Repeats() bool { return k.Shape == RepeatShape }

// Loops reports whether nodes of the kind run their body until a condition holds.
func (k *Kind) Loops() bool { return k.Shape == RepeatShape && !k.OnFailure }

// Forks reports whether nodes of the kind run branches at once.
func (k *Kind) Forks() bool { return k.Shape == ForkShape }

// Branches reports whether nodes of the kind run branches with names at once.
func (k *Kind) Branches() bool { return k.Shape == ForkShape && !k.Each }

// Picks reports whether a model picks what nodes of the kind run.
func (k *Kind) Picks() bool { return k.Shape == PickShape }

// HasBody reports whether nodes of the kind name what they run as their body.
func (k *Kind) HasBody() bool { return k.Repeats() || k.Each }

// Changes reports whether nodes of the kind can change the state by themselves.
func (k *Kind) Changes() bool { return !k.Judges && !k.Chooses }

// Executes reports whether a visit of nodes of the kind executes something, which can be tried again,
// cached and kept from the rest of the state.
func (k *Kind) Executes() bool { return k.By != ByPerson && k.By != ByMachine }

// namesOf returns the names of the kinds of which a trait is true.
func namesOf(trait func(*Kind) bool) (names []string) {
	for _, k := range Kinds {
		if trait(k) {
			names = append(names, k.Name)
		}
	}
	return names
}

// Delegates reports whether what nodes of the kind do is done by other nodes: those that they name, or
// those of another graph.
func (k *Kind) Delegates() bool { return k.By == ByNodes || k.By == ByGraph }
