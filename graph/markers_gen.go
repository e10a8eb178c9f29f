// Code generated from the kinds of node by go test ./spec/gotag -run TestMarkers -update. DO NOT EDIT.

package graph

// Func marks a node of kind func. Go code: a handler that does the work.
type Func struct{}

// Transform marks a node of kind transform. Go code without effects: a pure function, given no context.
type Transform struct{}

// Guard marks a node of kind guard. Go code that lets a run pass or rejects it; with instructions the model does.
type Guard struct{}

// Router marks a node of kind router. Go code that chooses among routes; with instructions the model does.
type Router struct{}

// Prompt marks a node of kind prompt. Asks a model, which may call tools.
type Prompt struct{}

// Tool marks a node of kind tool. Calls a tool; without one, runs the calls that a prompt has left.
type Tool struct{}

// Loop marks a node of kind loop. Runs its body until a condition holds.
type Loop struct{}

// Retry marks a node of kind retry. Runs its body again when it fails.
type Retry struct{}

// Parallel marks a node of kind parallel. Runs its branches concurrently.
type Parallel struct{}

// Map marks a node of kind map. Runs its body concurrently for every element of a list.
type Map struct{}

// Subgraph marks a node of kind subgraph. Runs another graph.
type Subgraph struct{}

// Autonomous marks a node of kind autonomous. Runs the nodes of its pool, which the model picks one after the other.
type Autonomous struct{}

// Human marks a node of kind human. Pauses the run until a person answers.
type Human struct{}

// Set marks a node of kind set. Writes fields of the state, each the value of a Go expression.
type Set struct{}

// Say marks a node of kind say. Sends a text, or data, to the observers of the run while it continues.
type Say struct{}

// Pass marks a node of kind pass. Does nothing: the run follows the edges of the node.
type Pass struct{}
