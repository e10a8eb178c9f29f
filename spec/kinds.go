package spec

import "github.com/graphgen/graphgen/spec/diag"

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
	Sets    bool // it writes the values of expressions
	Sends   bool // it sends a message to the observers of the run

	Foreign foreign // names that other formats have for the kind

	unknown bool // the language does not have it
}

// A Shape is how a node runs the nodes that it names.
type Shape uint8

const (
	NoShape     Shape = iota // it names none
	RepeatShape              // its body, again and again
	ForkShape                // concurrent branches
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
	{Word: Word{Name: DefaultKind, Doc: "Go code: a handler that does the work."}, Returns: true, Mutates: true,
		Foreign: remedies(beKind("func")+", whose code is a Go method", "task", "step", "action", "function", "code", "python",
			"script", "node", "process", "handler", "lambda", "activity", "job")},
	{Word: Word{Name: "transform", Doc: "Go code without effects: a pure function, given no context."}, Pure: true, Returns: true,
		Foreign: remedies(beKind("transform"), "template", "format", "mapper")},
	{Word: Word{Name: "guard", Doc: "Go code that lets a run pass or rejects it; with `instructions` the model does."}, Asks: AsksIfInstructed, Judges: true,
		Foreign: remedies(beKind("guard")+" with "+diag.Set("on_pass", "NODE")+" and "+diag.Set("on_fail", "NODE"), "validation", "check",
			"guardrail", "filter", "moderation", "assert")},
	{Word: Word{Name: "router", Doc: "Go code that chooses among `routes`; with `instructions` the model does."}, Asks: AsksIfInstructed, Chooses: true,
		Foreign: remedies(beKind("router")+" with "+diag.Set("routes", "[NODE]")+", or an edge with if", "condition", "conditional", "if",
			"if_else", "switch", "choice", "branch", "decision", "gateway", "classifier", "supervisor", "handoff", "selector")},
	{Word: Word{Name: "prompt", Doc: "Asks a model, which may call tools."}, By: ByModel, Asks: AsksAlways, Mutates: true,
		Foreign: all(
			remedies(beKind("prompt")+", which asks a model", "llm", "model", "chat", "completion", "ai", "lm", "assistant",
				"openai", "gpt", "llm_node", "generate"),
			remedies(beKind("prompt")+" with "+diag.Set("tools", "[NAME]")+": it asks the model until it calls no tool", "agent", "react",
				"react_agent", "tool_agent", "tool_calling_agent"),
		)},
	{Word: Word{Name: "tool", Doc: "Calls a tool; without one, runs the calls that a prompt has left."}, By: ByTool,
		Foreign: remedies(beKind("tool")+" with "+diag.Set("tool", "NAME"), "tools", "tool_node", "http", "api", "mcp", "function_call", "request")},
	{Word: Word{Name: "loop", Doc: "Runs its `body` until a condition holds."}, Shape: RepeatShape, By: ByNodes,
		Foreign: remedies(beKind("loop")+" with "+diag.Set("body", "NODE")+" and "+diag.Set("until", "'out.Done'"), "while", "repeat", "until",
			"do_while", "cycle")},
	{Word: Word{Name: "retry", Doc: "Runs its `body` again when it fails."}, Shape: RepeatShape, By: ByNodes, OnFailure: true},
	{Word: Word{Name: "parallel", Doc: "Runs its `branches` concurrently."}, Shape: ForkShape, By: ByNodes,
		Foreign: remedies(beKind("parallel")+" with "+diag.Set("branches", "{LABEL: NODE}"), "fork", "fanout", "concurrent", "gather", "all", "join",
			"merge", "aggregate")},
	{Word: Word{Name: "map", Doc: "Runs its `body` concurrently for every element of a list."}, Shape: ForkShape, By: ByNodes, Each: true,
		Foreign: remedies(beKind("map")+" with "+diag.Set("over", "FIELD")+" and "+diag.Set("body", "NODE"), "foreach", "for_each", "iterator", "iteration",
			"each", "send", "distribute", "batch")},
	{Word: Word{Name: "subgraph", Doc: "Runs another graph."}, By: ByGraph,
		Foreign: remedies(beKind("subgraph")+" with "+diag.Set("graph", "FILE"), "workflow", "graph", "flow", "crew", "subworkflow", "sub_workflow", "child")},
	{Word: Word{Name: "autonomous", Doc: "Runs the nodes of its `pool`, which the model picks one after the other."}, Shape: PickShape, By: ByNodes,
		Foreign: remedies(beKind("autonomous")+" with "+diag.Set("pool", "[NODE]"), "manager", "orchestrator", "swarm", "team", "group_chat")},
	{Word: Word{Name: "human", Doc: "Pauses the run until a person answers."}, By: ByPerson,
		Foreign: remedies(beKind("human")+", which waits for a person", "input", "user", "user_input", "approval", "interrupt",
			"wait", "form", "pause", "human_in_the_loop", "review")},
	{Word: Word{Name: "set", Doc: "Writes fields of the state, each the value of a Go expression."}, By: ByMachine, Pure: true, Sets: true,
		Foreign: remedies(beKind("set")+" with "+diag.Set("set", "{FIELD: 'state.Count + 1'}"), "assign", "assignment", "set_state")},
	{Word: Word{Name: "say", Doc: "Sends a text, or data, to the observers of the run while it continues."}, By: ByMachine, Pure: true, Sends: true,
		Foreign: remedies(beKind("say")+" with "+diag.Set("say", "TEXT")+", which observers of the run get", "message", "emit", "notify",
			"notification", "announce", "status", "log", "print", "echo", "send_message", "reply", "display")},
	{Word: Word{Name: "pass", Doc: "Does nothing: the run follows the edges of the node."}, By: ByMachine, Pure: true,
		Foreign: remedies(beKind("pass")+", which does nothing and leads on by its edges", "passthrough", "noop", "dummy", "empty", "junction")},
}

// beKind suggests a kind instead of one of another format.
func beKind(name string) string { return "write " + diag.Rename("kind", name) }

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

// Forks reports whether nodes of the kind run branches concurrently.
func (k *Kind) Forks() bool { return k.Shape == ForkShape }

// Branches reports whether nodes of the kind run branches with names concurrently.
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

// Makes reports whether nodes of the kind make an output that no model has made.
func (k *Kind) Makes() bool { return k.Returns || k.Sets }

// namesOf returns the names of the kinds of which a trait is true.
func namesOf(trait func(*Kind) bool) (names []string) {
	for _, k := range Kinds {
		if trait(k) {
			names = append(names, k.Name)
		}
	}
	return names
}

// Delegates reports whether what nodes of the kind do is done by other nodes: nodes that they name, or
// nodes of another graph.
func (k *Kind) Delegates() bool { return k.By == ByNodes || k.By == ByGraph }
