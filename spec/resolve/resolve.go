// Package resolve binds the names of a spec: types to their declarations, fields to the state,
// edges to their nodes, each node to the input and output of its handler. It reports nothing: an
// unknown name stays nil, and package check reports it.
package resolve

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
)

// A Graph is a spec with its names bound.
type Graph struct {
	Spec   *spec.Graph
	GoName string // Review; the prefix of every generated name

	Types     []*Type // structs, enums and unions that become Go types, declared ones first, in order of appearance
	State     *Type   // the state as a struct
	Input     *Type   // struct of the input fields
	Output    *Type   // struct of the output fields
	Judged    *Type   // struct of what a model that judges edges is shown of the input; nil: none judges
	Tools     []*Tool // in written order
	Nodes     []*Node // without children of composite nodes and templates
	Bodies    []*Node // children of composite nodes, and templates: no transition leads to them
	Templates []*Node
	TooDeep   []*Node    // nodes one deeper than MaxNesting; nothing runs them
	Update    *Type      // what retry_with may set of the state, as a struct; nil: nothing
	Pool      *Node      // of an autonomous graph: the implicit node that runs the others
	Mutations *Mutations // nil: runs may not change the graph
	Edges     []*Edge    // shorthands expanded, in written order

	Entry   *Node
	OnError *Node

	Imports []Import // packages of used files and of existing Go types

	own   *file
	files map[*spec.Graph]*file
	nodes map[string]*Node
	tools map[string]*Tool

	guards map[string]Guard

	source *source // nil until a template needs it
	subs   map[*spec.Graph]*Graph
}

// A Node is a node of the spec with its types.
type Node struct {
	Spec   *spec.Node
	GoName string     // CreatePR; the handler's method
	Const  string     // ReviewCreatePR; the constant that is the node
	Kind   *spec.Kind // never nil; without traits if it could not be read or is unknown

	Regions  []*Region // what a composite node runs
	Parent   *Node     // the composite node that runs it; nil: none
	Region   *Region   // of Parent
	leadsOn  bool      // in a region that is a graph: a transition leads to another node of it
	around   *Node     // a composite node around it, Parent or further out, while regions are bound
	Template bool      // mutations add copies of it; no transition leads to it
	Over     *Field    // of a map: the list; nil: unknown
	Item     *Field    // of a map: the field that holds an element in its branch; nil: unknown
	First    *Node     // of an autonomous node: the first node of its pool; nil: the model picks it
	Finals   []*Node   // of an autonomous node: its terminal nodes; none: the model ends it
	Body     *Node     // of a loop or retry: the last node of its body, whose output it has

	Sub     *Graph    // of a subgraph: the graph that it runs, possibly its own; nil: unknown
	SubUse  *spec.Use // of a subgraph: the use that the name of its graph refers to; nil: none
	Inputs  []Passed  // of a subgraph: the inputs of the child run
	Outputs []Passed  // of a subgraph: the outputs of the child run

	In     *Type   // struct of the fields that it reads; nil: the handler takes the state or nothing, or the node has neither a handler nor a cache
	Out    *Type   // what it returns; nil: nothing
	Writes []Write // how a result reaches the state

	TakesState bool // it has neither reads nor writes: the handler takes the state

	Reads []*Field // state fields that it reads, with placeholders and arguments; empty if it takes the state

	Asks    bool    // it asks a model: a prompt, or a router or guard with instructions
	Tools   []*Tool // of a prompt: what the model may call
	Loops   bool    // a prompt whose tool calls lead back to it: rule 1
	Defers  bool    // a prompt that defers its tool calls: tool_loop is false
	Fixed   *Tool   // kind tool: the tool it calls
	Pending bool    // kind tool: it runs the calls that a prompt has deferred
	Args    []Assigned

	Payload *Type // kind say: the struct of its payload, of which Args has the fields; nil: none

	Inherits     []*Node
	Instructions []Piece // of a node of kind say: its text
	Message      []Piece
	Blocks       []Block
	Malformed    []Malformed // invalid placeholders of its templates

	Guards   []Guard
	Evals    []*Eval
	Verdicts *Type // the evals as a struct of bools, what conditions see as evals; nil without evals

	History *Field // the conversation that it continues; nil: none, or not known

	flags   spec.FlagSet    // of the flags that it names
	reading map[*Field]bool // the fields in Reads, while it is built

	Leaving  []*Edge // edges from it, in the order of the spec, with error and guard_fail edges
	Entering []*Edge
}

// A Write writes a node's output, or one field of it, to a state field.
type Write struct {
	To   *Field
	From *Field // field of the output; nil: the whole output
	Turn bool   // nothing of the output is written: the turn is appended to a conversation
	Name spec.String

	Record *Type // nothing of the output is written, but what a person answered, as this struct; nil: none of that
}

// An Edge is an edge of the spec with its ends bound. A branch table is one Edge.
type Edge struct {
	Spec   *spec.Edge
	From   *Node // nil: unknown, or end
	To     Target
	Branch []Target // one per label of a branch table
	Shown  []*Field // state fields that the model is shown that judges when
	By     *Field   // of a branch table: the output enum whose values are the labels; nil: a handler returns the label, or it is unknown
}

// A Target is the target of an edge, transition, goto or next: a node, the end, or unknown.
type Target struct {
	Node *Node
	End  bool
	Name string // of an end that has one
}

// Known reports whether the target exists.
func (t Target) Known() bool { return t.Node != nil || t.End }

// Type returns the declared type with the given name, or nil.
func (g *Graph) Type(name string) *Type { return g.own.named[name] }

// Node returns the node with the given name, or nil.
func (g *Graph) Node(name string) *Node { return g.nodes[name] }

// Target returns the target for a name. A child of a composite node is not a target.
func (g *Graph) Target(name string) Target {
	if spec.IsEnd(name) {
		return Target{End: true}
	}
	if n := g.nodes[name]; n != nil && n.Parent == nil && !n.Template {
		return Target{Node: n}
	}
	if g.Spec.NamesEnd(name) {
		return Target{End: true, Name: name}
	}
	return Target{}
}

// Leaves returns the node of a name that edges may leave; nil: there is none.
func (g *Graph) Leaves(name string) *Node {
	if n := g.nodes[name]; n != nil && n.routed() {
		return n
	}
	return g.Target(name).Node
}

// TargetFrom returns the target for a name at a node. Where the node is in a region, only nodes of the region are targets.
func (g *Graph) TargetFrom(from *Node, name string) Target {
	if from != nil && from.routed() {
		return from.Ahead(name)
	}
	return g.Target(name)
}

// All returns the nodes with the children of composite nodes, in the order of the spec. Their places do not give
// it: the nodes of a template have the place of its use.
func (g *Graph) All() []*Node {
	if len(g.Bodies) == 0 {
		return g.Nodes
	}
	all := slices.Concat(g.Nodes, g.Bodies)
	order := make(map[*spec.Node]int, len(g.Spec.Nodes))
	for i, n := range g.Spec.Nodes {
		order[n] = i
	}
	slices.SortStableFunc(all, func(a, b *Node) int { return order[a.Spec] - order[b.Spec] })
	return all
}

// Has reports whether a node has a flag.
func (n *Node) Has(f spec.FlagID) bool { return n.flags.Has(f) }

// Handled reports whether the node's work is a method of the handlers, which has its name.
func (n *Node) Handled() bool { return n.Kind.By == spec.ByHandler && !n.Asks }

// Bodiless reports whether a composite node's children are unknown. A node without transitions to
// it may be one of them.
func (n *Node) Bodiless() bool {
	missing := func(r *Region) bool { return len(r.Nodes) == 0 || len(r.Nodes) < len(r.Written) }
	if n.Kind.Composite() {
		return len(n.Regions) == 0 || slices.ContainsFunc(n.Regions, missing)
	}
	s := n.Spec
	return s.BodyPos.IsSet() || s.BranchesPos.IsSet() || s.PoolPos.IsSet()
}

// Worker returns the node whose handler does the work: for a loop or retry, the node of its body.
func (n *Node) Worker() *Node {
	for n.Body != nil {
		n = n.Body
	}
	return n
}

// EndsAnywhere reports whether a loop or retry has no output because what it runs is a graph that several nodes end.
func (n *Node) EndsAnywhere() bool {
	for w := n.Body; w != nil; w = w.Body {
		if w.Region.Graph && len(w.Region.Ends()) > 1 {
			return true
		}
	}
	return false
}

// MaxVisits returns how often a run may visit a node, and whether the spec sets it: at the node, or
// for all nodes under limits.
func (g *Graph) MaxVisits(n *Node) (most int, said bool) {
	for _, v := range [...]spec.Value[int]{n.Spec.MaxVisits, g.Spec.Limits.MaxVisits} {
		if v.IsSet() {
			return v.V, true
		}
	}
	return spec.DefaultMaxVisits, false
}

// Evaluates reports whether the evals of the node can fail: a judge may fail, and an expression may
// panic.
func (n *Node) Evaluates() bool {
	return slices.ContainsFunc(n.Evals, func(e *Eval) bool { return e.Spec.If.IsSet() || e.Spec.Judge.IsSet() })
}

// Draws reports whether the node, or one that it runs, draws on the budgets of a run: it asks a model, calls a tool or runs another graph.
func (n *Node) Draws() bool { return n.draws() || slices.ContainsFunc(n.Children(), (*Node).draws) }

func (n *Node) draws() bool {
	return n.Asks || n.Kind.Picks() || n.Kind.By == spec.ByTool || n.Kind.By == spec.ByGraph || n.HasJudge() ||
		slices.ContainsFunc(n.Leaving, (*Edge).Judged)
}

// Resolve binds the names of a spec. It works on any spec, even with errors.
func Resolve(s *spec.Graph) *Graph {
	g := &Graph{
		Spec:   s,
		GoName: goname.Exported(s.Name.V),
		files:  map[*spec.Graph]*file{},
		nodes:  make(map[string]*Node, len(s.Nodes)),
		tools:  make(map[string]*Tool, len(s.Tools)),
		guards: map[string]Guard{},
	}
	g.own = g.bindFile(s)
	g.bindState()
	g.bindMutations()
	g.bindUpdate()
	g.bindTools()
	g.bindAddedTools()
	g.bindNodes()
	g.bindPool()
	g.bindRegions()
	g.bindEdges()
	for _, n := range g.All() {
		g.bindAgent(n)
		g.bindSub(n)
	}
	for _, n := range g.Bodies {
		g.bindData(n)
	}
	for _, n := range g.Nodes {
		g.bindData(n)
	}
	for _, n := range append(slices.Clone(g.Bodies), g.Nodes...) {
		if w := n.Worker(); w != n {
			n.In, n.Out, n.Writes, n.TakesState, n.Reads = w.In, w.Out, w.Writes, w.TakesState, w.Reads
			if n.EndsAnywhere() {
				n.Out = nil
			}
		}
		if n.Body == nil && n.Kind.Repeats() || n.Spec.BodyPos.IsSet() && !n.Kind.Composite() {
			n.Out = &Type{Kind: Unknown}
		}
	}
	g.bindBranches()
	g.bindJudged()
	g.nameConstants()
	return g
}

func (g *Graph) bindNodes() {
	for _, n := range g.Spec.Nodes {
		node := g.newNode(n)
		g.Nodes = append(g.Nodes, node)
		if _, repeated := g.nodes[n.Name.V]; !repeated {
			g.nodes[n.Name.V] = node
		}
		if node.Has(spec.Entry) && g.Entry == nil {
			g.Entry = node
		}
	}
	if g.Spec.Entry.IsSet() {
		g.Entry = g.nodes[g.Spec.Entry.V]
	}
	g.OnError = g.nodes[g.Spec.OnError.V]
}

func (g *Graph) newNode(n *spec.Node) *Node {
	kind := n.Kind.V
	if kind == "" && !n.Kind.Lost {
		kind = spec.DefaultKind
	}
	return &Node{Spec: n, GoName: goname.Exported(n.Name.V), Kind: spec.KindOf(kind), flags: n.FlagSet()}
}

func (g *Graph) bindEdges() {
	written := g.Spec.Expand()
	g.Edges = make([]*Edge, 0, len(written))
	for _, e := range written {
		edge := &Edge{Spec: e, From: g.Leaves(e.From.V), Shown: g.pick(e.Reads)}
		if e.BranchPos.IsSet() {
			for _, l := range e.Branch {
				edge.Branch = append(edge.Branch, g.TargetFrom(edge.From, l.To.V))
			}
		} else {
			edge.To = g.TargetFrom(edge.From, e.To.V)
		}
		g.Edges = append(g.Edges, edge)
		if edge.From == nil {
			continue
		}
		edge.From.Leaving = append(edge.From.Leaving, edge)
		for _, t := range edge.Targets() {
			if t.Node != nil {
				t.Node.Entering = append(t.Node.Entering, edge)
			}
		}
	}
}

// Targets returns the targets of the edge: one, or one per label.
func (e *Edge) Targets() []Target {
	if e.Table() {
		return e.Branch
	}
	return []Target{e.To}
}
