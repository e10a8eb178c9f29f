// Package graph holds the markers of graphs that are written as Go structs: the type of a
// struct field is what the field declares. The markers have no fields, no methods and
// no use at run time; graphgen reads them.
//
//	//graphgen:graph review entry=draft max_steps=20
//	type _ struct {
//		State ReviewState `graphgen:"input=topic; output=article"`
//
//		Draft   graph.Func `graphgen:"reads=topic,verdicts; writes=article; -> critic"`
//		Critic  graph.Func `graphgen:"reads=article; output=Verdict; writes=verdicts; -> publish if out.Score >= 4; -> draft max_iterations=3; -> publish"`
//		Publish graph.Func `graphgen:"reads=article; -> end"`
//	}
//
// The language is described in docs/reference/tagged-go.md.
package graph

// Func marks a node whose handler does the work.
type Func struct{}

// Transform marks a node whose handler is a pure function, given no context.
type Transform struct{}

// Guard marks a node that lets a run pass or rejects it.
type Guard struct{}

// Router marks a node whose handler chooses among its routes.
type Router struct{}

// Loop marks a node that runs its body until a condition holds.
type Loop struct{}

// Retry marks a node that runs its body again when it fails.
type Retry struct{}

// Parallel marks a node that runs its branches at once.
type Parallel struct{}

// Map marks a node that runs its body at once for every element of a list.
type Map struct{}

// Subgraph marks a node that runs another graph.
type Subgraph struct{}

// Autonomous marks a node that runs the nodes of its pool, which a model picks.
type Autonomous struct{}

// Human marks a node that pauses the run until a person answers.
type Human struct{}

// Pass marks a node that does nothing, and leads on by its edges.
type Pass struct{}

// Prompt marks a node that asks a model.
type Prompt struct{}

// Tool marks a node that calls a tool, or runs the calls that a prompt has left.
type Tool struct{}

// Type marks a type of the graph's Types that its tag describes: an enum, as in
//
//	Grade graph.Type `graphgen:"enum=low,high"`
type Type struct{}
