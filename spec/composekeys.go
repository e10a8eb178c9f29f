package spec

import (
	"strconv"

	"github.com/graphgen/graphgen/spec/yamlread"
)

// branchesAt is the destination of the branches of a parallel. The position matters even if there
// are none. The node is marked if they could not be read completely.
type branchesAt struct {
	branches *[]Branch
	pos      *Pos
}

// bodyAt is the destination of a body: a list of names, or the entry of a graph.
type bodyAt struct{ node *Node }

// entryAt is the destination of the entry of a region that is a graph: it is the only name that the region has.
type entryAt struct {
	names *[]String
	graph *bool // whether the region is a graph
}

// regionAt is the destination of the nodes of a region that may be a graph instead.
type regionAt struct {
	names *[]String
	is    bool // it is none
}

// bodyTable reads a body that is a graph.
var bodyTable = table[Node]{
	Name: "body", Noun: "a body",
	Doc: "A `body` that is a graph, as in `body: {entry: read}`: the nodes that edges lead to from its entry, among themselves.",
	Rows: yamlread.Rows([]row[Node]{
		{Key{Name: "entry", Form: FormName, Names: "node", Required: true, Doc: "The node that runs first.",
			Foreign: remedies(instead("entry", "NODE"), "start", "run", "first", "initial", "entry_point")},
			func(n *Node) any { return entryAt{&n.Body, &n.BodyGraph} }},
	}),
	Unread: func(n *Node) *bool { return &n.Unread },
}

var branchSettingsTable = table[Branch]{
	Name: "branch", Noun: "a branch", Exactly: []string{"run", "entry"},
	Doc: "An entry of `branches` with a condition, as in `branches: {review: {run: review, if: state.Wanted}}`, or one that is a graph, " +
		"as in `branches: {review: {entry: read}}`.",
	Rows: yamlread.Rows([]row[Branch]{
		{Key{Name: "run", Form: FormNames, Names: "node", Doc: "The node of the branch, or several, one after the other.",
			Foreign: remedies(instead("run", "NODE"), "node", "nodes", "body", "steps", "to")}, func(b *Branch) any { return regionAt{&b.Nodes, !b.Graph} }},
		{Key{Name: "entry", Form: FormName, Names: "node",
			Doc:     "The first node of a branch that is a graph: the branch has all nodes that edges lead to from it.",
			Foreign: remedies(instead("entry", "NODE"), "start", "first", "initial", "entry_point")},
			func(b *Branch) any { return entryAt{&b.Nodes, &b.Graph} }},
		{Key{Name: "if", Form: FormCondition, Default: "the branch is started",
			Doc:     "A Go expression over `state`: the branch starts only if it is true when the parallel begins.",
			Foreign: remedies(instead("if", "'state.Wanted'")+", a Go expression", "condition", "cond", "when", "unless", "guard")},
			func(b *Branch) any { return &b.If }},
	}),
	Unread: func(b *Branch) *bool { return &b.Unread },
}

// compositeRows are the keys of composite nodes and of human nodes.
var compositeRows = []row[Node]{
	{Key{Name: "body", Form: FormBody, Of: "body", Names: "node", Kinds: []string{"loop", "retry", "map"},
		Doc: "The node to run, or several, one after the other, without edges; or a graph with an entry, as in `body: {entry: read}`, whose nodes are " +
			"connected by edges, with `end` as the end of the body."},
		func(n *Node) any { return bodyAt{n} }},
	{Key{Name: "until", Form: FormCondition, Kinds: []string{"loop"},
		Doc: "A Go expression over the `out` of the body's last node, `state` and `res`, evaluated after each iteration: the loop ends when it is " +
			"true."}, func(n *Node) any {
		return &n.Until
	}},
	{Key{Name: "max_iterations", Form: FormInt, Kinds: []string{"loop"}, Default: strconv.Itoa(DefaultBodyIterations),
		Doc: "How many times the body may run in one visit; after that the loop ends as if the condition held."},
		func(n *Node) any { return &n.MaxIterations }},
	{Key{Name: "attempts", Form: FormInt, Kinds: []string{"retry"}, Default: strconv.Itoa(DefaultAttempts),
		Doc: "How many times the body may run in one visit, with the first attempt."}, func(n *Node) any { return &n.Retry.Attempts }},
	{Key{Name: "wait", Form: FormDuration, Kinds: []string{"retry"}, Default: DefaultWait.String(), Doc: "The wait before the second attempt."},
		func(n *Node) any { return &n.Retry.Wait }},
	{Key{Name: "factor", Form: FormNumber, Kinds: []string{"retry"}, Default: strconv.Itoa(DefaultFactor),
		Doc: "The factor by which the wait grows from attempt to attempt."}, func(n *Node) any { return &n.Retry.Factor }},
	{Key{Name: "max_wait", Form: FormDuration, Kinds: []string{"retry"}, Default: DefaultMaxWait.String(),
		Doc: "The longest wait between two attempts."}, func(n *Node) any { return &n.Retry.MaxWait }},
	{Key{Name: "retry_on", Form: FormWord, Words: RetryCauses, Kinds: []string{"retry"}, Default: "transient", Doc: "Which errors are tried again."},
		func(n *Node) any { return &n.Retry.On }},
	{Key{Name: "branches", Form: FormBranches, Of: "branch", Names: "node", Kinds: []string{"parallel"},
		Doc: "The branches by name, which run concurrently, each on a copy of the state: nodes without edges. A branch with a " +
			"condition is a mapping."},
		func(n *Node) any { return branchesAt{&n.Branches, &n.BranchesPos} }},
	{Key{Name: "over", Form: FormName, Names: "state field", Kinds: []string{"map"},
		Doc: "The state field with the list; a branch runs for each of its elements."},
		func(n *Node) any { return &n.Over }},
	{Key{Name: "item", Form: FormName, Names: "state field", Kinds: []string{"map"}, Doc: "The state field that has the element, in its branch."},
		func(n *Node) any { return &n.Item }},
	{Key{Name: "join", Form: FormWord, Words: Words(Joins), Default: DefaultJoin, Kinds: []string{"parallel", "map"},
		Doc: "How many branches have to succeed, and what happens at a failure."}, func(n *Node) any { return &n.Join }},
	{Key{Name: "count", Form: FormInt, Default: "1", Kinds: []string{"parallel", "map"},
		Doc: "With `join: first` and `join: settled`: how many branches have to succeed."}, func(n *Node) any { return &n.Count }},
	{Key{Name: "graph", Form: FormName, Kinds: []string{"subgraph"}, Example: "review.graph.yaml",
		Doc: "The graph to run: the path of its file, relative to this one, a name under `use`, or this graph's own name."},
		func(n *Node) any { return &n.Graph }},
	{Key{Name: "in", Form: FormNameTable, Names: "state field", Kinds: []string{"subgraph"},
		Doc: "For each input of the graph, the state field that it is taken from."},
		func(n *Node) any { return &n.In }},
	{Key{Name: "out", Form: FormNameTable, Keyed: "state field", Kinds: []string{"subgraph"},
		Doc: "For each state field to write, the output of the graph; it is written by the merge rule of the field."},
		func(n *Node) any { return &n.Out }},
	{Key{Name: "max_depth", Form: FormInt, Kinds: []string{"subgraph"},
		Doc: "How deep a graph that runs itself may nest. A deeper run fails the node."},
		func(n *Node) any { return &n.MaxDepth }},
	{Key{Name: "child_workflow", Form: FormBool, Kinds: []string{"subgraph"}, Default: "false",
		Doc: "With `drivers: [temporal]`: each run of the graph is a child workflow, with a history of its own, and can have its own task queue. It " +
			"is the same run elsewhere too."},
		func(n *Node) any { return &n.ChildWorkflow }},
	{Key{Name: "pool", Form: FormNames, Names: "node", Kinds: []string{"autonomous"},
		Doc: "The nodes from which the model picks the next one, again and again. They have no edges."},
		func(n *Node) any { return namesAt{&n.Pool, &n.PoolPos} }},
	{Key{Name: "entry", Form: FormName, Names: "node", Kinds: []string{"autonomous"}, Default: "the model picks it",
		Doc:     "The node of the pool that runs first.",
		Foreign: remedies(instead("entry", "NODE")+" at the graph", "start", "is_start", "entrypoint", "initial")}, func(n *Node) any { return &n.PoolEntry }},
	{Key{Name: "terminal", Form: FormNames, Names: "node", Kinds: []string{"autonomous"}, Default: "the model may end at any time",
		Doc: "The nodes of the pool that end it. The last step of `max_steps` goes to one of them."}, func(n *Node) any { return &n.Terminal }},
	{Key{Name: "allow_repeat", Form: FormBool, Default: "true", Kinds: []string{"autonomous"}, Doc: "Whether a node may be picked again."},
		func(n *Node) any { return &n.AllowRepeat }},
	{Key{Name: "max_steps", Form: FormInt, Default: strconv.Itoa(DefaultPoolSteps), Kinds: []string{"autonomous"},
		Doc: "How many nodes of the pool may run in one visit."}, func(n *Node) any { return &n.MaxSteps }},
	{Key{Name: "record", Form: FormName, Names: "state field", Kinds: []string{"human"}, Default: "none",
		Doc: "The state field that gets what was answered, by whom, when, and with which note: a struct, or a list of such with " +
			"`merge: append`, with fields among `decision`, `by`, `note`, each a string, and `at`, a time. It is written whatever " +
			"the answer is: `decision` is `approve`, `deny`, `late`, or `reply` where the node has an output."}, func(n *Node) any { return &n.Record }},
	{Key{Name: "on_deny", Form: FormName, Names: "node", Ends: true,
		Doc:     "For a human node or the flag `requires_human`: the node to go to when the person denies.",
		Default: "the node fails",
		Foreign: remedies(instead("on_deny", "NODE"), "on_reject", "on_rejected", "on_decline", "on_denied", "on_refuse", "on_no")},
		func(n *Node) any { return &n.OnDeny }},
	{Key{Name: "on_timeout", Form: FormName, Names: "node", Ends: true,
		Doc:     "For a human node or the flag `requires_human`: the node to go to when the answer is too late.",
		Default: "the node fails"}, func(n *Node) any { return &n.OnTimeout }},
	{Key{Name: "mutates", Form: FormBool, Default: "false", Kinds: []string{"func", "prompt"},
		Doc: "The node may change the graph of its run, as far as `mutations` allows it."}, func(n *Node) any { return &n.Mutates }},
}

var mutationsTable = table[Mutations]{
	Name: "mutations", Noun: "mutations",
	Doc: "How a run may change its own graph. The graph that all runs share never changes.",
	Rows: yamlread.Rows([]row[Mutations]{
		{Key{Name: "allow", Form: FormWords, Words: Actions, Required: true, Doc: "What a node with `mutates` may do."},
			func(m *Mutations) any { return &m.Allow }},
		{Key{Name: "kinds", Form: FormWords, Words: MutableKinds, Doc: "Kinds of nodes that may be added without a template."},
			func(m *Mutations) any { return &m.Kinds }},
		{Key{Name: "templates", Form: FormNames, Names: "node", Doc: "Nodes of the graph that may be copied. They have no edges."},
			func(m *Mutations) any { return &m.Templates }},
		{Key{Name: "update", Form: FormNames, Names: "state field", Doc: "State fields that `retry_with` may set."},
			func(m *Mutations) any { return &m.Update }},
		{Key{Name: "reads", Form: FormNames, Names: "state field", Default: "none",
			Doc: "State fields that an added node of a kind may be shown: in its `reads` and in its placeholders."},
			func(m *Mutations) any { return &m.Reads }},
		{Key{Name: "writes", Form: FormNames, Names: "state field", Default: "none",
			Doc: "State fields that an added node of a kind may write; they must be able to hold a text."},
			func(m *Mutations) any { return &m.Writes }},
		{Key{Name: "tools", Form: FormNames, Names: "tool", Default: "none", Doc: "Tools of the graph that an added node of a kind may call."},
			func(m *Mutations) any { return &m.Tools }},
		{Key{Name: "max", Form: FormInt, Default: strconv.Itoa(DefaultMutations), Doc: "How many mutations a run may make."},
			func(m *Mutations) any { return &m.Max }},
	}),
	Unread: func(m *Mutations) *bool { return &m.Unread },
}

// Settings returns the settings of the mutations.
func (m *Mutations) Settings() []Setting { return settings(&mutationsTable, m) }
