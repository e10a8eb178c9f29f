package spec

import (
	"slices"
	"strconv"

	"github.com/graphgen/graphgen/spec/yamlread"
)

// The tables are tables of package yamlread, which reads a graph by them.
type (
	Key     = yamlread.Key
	Word    = yamlread.Word
	Mapping = yamlread.Mapping

	Tree = yamlread.Tree // a value of the language, as a front end other than YAML may make it, too

	table[T any] = yamlread.Table[T]
	row[T any]   yamlread.Row[T]
)

// Reference returns every mapping of the language, in the order a reader of a spec meets them.
func Reference() []Mapping {
	return []Mapping{
		graphTable.Mapping(), typesTable.Mapping(), limitsTable.Mapping(), mutationsTable.Mapping(),
		enumTable.Mapping(), structTable.Mapping(), unionTable.Mapping(), goTable.Mapping(),
		fieldTable.Mapping(), stateTable.Mapping(),
		toolTable.Mapping(), serverTable.Mapping(), skillTable.Mapping(),
		nodeTable.Mapping(), bodyTable.Mapping(), branchSettingsTable.Mapping(), guardTable.Mapping(),
		summarizerTable.Mapping(), extractorTable.Mapping(), writerTable.Mapping(),
		truncatorTable.Mapping(), retryTable.Mapping(), approvalTable.Mapping(), blockTable.Mapping(), textFileTable.Mapping(), evalTable.Mapping(),
		edgeTable.Mapping(), branchTable.Mapping(), sequentialTable.Mapping(), loopEdgeTable.Mapping(), loopTable.Mapping(),
		templateTable.Mapping(), paramTable.Mapping(),
		assertionTable.Mapping(),
	}
}

// namesAt is where a list of names goes whose place matters even when it is empty.
type namesAt struct {
	names *[]String
	pos   *Pos
}

// labelsAt is where a branch table goes.
type labelsAt struct {
	labels *[]Label
	pos    *Pos
}

var graphTable = table[Graph]{
	Name: "graph", Noun: "a graph",
	Doc: "The file itself: one graph.",
	Rows: yamlread.Rows([]row[Graph]{
		{Key{Name: "graph", Form: FormName, Required: true, Doc: "The graph's name; the generated types are named after it."},
			func(g *Graph) any { return &g.Name }},
		{Key{Name: "doc", Form: FormText, Doc: "What the graph is for; the doc comment of the generated machine.",
			Foreign: remedies(instead("doc", "TEXT"), "description", "desc", "about", "summary")}, func(g *Graph) any { return &g.Doc }},
		{Key{Name: "entry", Form: FormName, Names: "node", Doc: "The node a run starts at. The same as the flag `entry` of the node.",
			Foreign: remedies(instead("entry", "NODE"), "entry_point", "entrypoint", "entry_node", "start", "start_at", "start_node",
				"initial", "initial_state", "begin", "root")}, func(g *Graph) any { return &g.Entry }},
		{Key{Name: "mode", Form: FormWord, Words: Modes, Default: "static", Doc: "How the nodes are connected."}, func(g *Graph) any { return &g.Mode }},
		{Key{Name: "limits", Form: FormMapping, Of: "limits", Empty: true, Doc: "Bounds of a run.",
			Foreign: remedies(instead("limits", "{max_steps: N}"), "recursion_limit", "max_iterations", "max_iter", "max_turns", "max_loops")},
			func(g *Graph) any { return &g.Limits }},
		{Key{Name: "on_error", Form: FormName, Names: "node", Doc: "The node that handles the failures of nodes without a failure route of their own.",
			Default: "the run fails",
			Foreign: remedies(instead("on_error", "NODE"), "error_handler", "on_failure", "catch", "fallback")}, func(g *Graph) any { return &g.OnError }},
		{Key{Name: "no_match", Form: FormWord, Words: NoMatches,
			Doc: "What happens when no transition of a node can be taken. A node can override it."}, func(g *Graph) any { return &g.NoMatch }},
		{Key{Name: "revisit_feedback", Form: FormBool, Default: "false",
			Doc: "On later visits of a node the request has the number of the visit and the output of the visit before. A node can override it."},
			func(g *Graph) any { return &g.RevisitFeedback }},
		{Key{Name: "model", Form: FormName, Default: "the machine's",
			Doc: "The model that is asked in the graph where a node names none, by the name its provider has for it: also where a model judges " +
				"edges and outputs. A node with the flag `lightweight` asks the smaller model, if the machine has one. Graphs that nodes run have their own.",
			Foreign: remedies(instead("model", "NAME")+"; what the name means is set in Go", "llm", "default_model", "model_name", "engine", "provider",
				"llm_config")},
			func(g *Graph) any { return &g.Model }},
		{Key{Name: "temperature", Form: FormNumber, Default: "the model's",
			Doc:     "How freely models choose their words in the graph, 0 to 2, where a node has none of its own: also where they judge edges and outputs.",
			Foreign: remedies(instead("temperature", "N"), "temp")},
			func(g *Graph) any { return &g.Temperature }},
		{Key{Name: "interrupt_before", Form: FormNames, Names: "node", Empty: true,
			Doc: "Nodes before which a run pauses, at each visit, until it is resumed. With the empty list, runs may name nodes by the option " +
				"`WithInterruptBefore`."},
			func(g *Graph) any { return namesAt{&g.InterruptBefore, &g.InterruptBeforePos} }},
		{Key{Name: "interrupt_after", Form: FormNames, Names: "node", Empty: true,
			Doc: "Nodes after which a run pauses: what the node wrote is in the state, and the next node is chosen. With the empty list, runs may name " +
				"nodes by the option `WithInterruptAfter`."},
			func(g *Graph) any { return namesAt{&g.InterruptAfter, &g.InterruptAfterPos} }},
		{Key{Name: "mutations", Form: FormMapping, Of: "mutations", Doc: "Which changes a run may make to its own graph.", Default: "none"},
			func(g *Graph) any { return &g.Mutations }},
		{Key{Name: "codecs", Form: FormWord, Words: CodecSets, Default: "needed",
			Doc: "Which types have generated codecs, the methods that write and read their JSON."}, func(g *Graph) any { return &g.Codecs }},
		{Key{Name: "durable", Form: FormBool, Default: "false",
			Doc: "Runs may be in threads, which a store keeps: when the process of a run is killed, another process continues the run. The method " +
				"`Thread` of the machine returns the handle of a thread."}, func(g *Graph) any { return &g.Durable }},
		{Key{Name: "serve", Form: FormBool, Default: "false",
			Doc: "The machine has the method `Describe`, which gives servers the graph as JSON: its nodes and transitions, a picture, and the schemas of " +
				"its input, output, state and requests. Programs that do not call it do not link it."}, func(g *Graph) any { return &g.Serve }},
		{Key{Name: "drivers", Form: FormWords, Words: DriverNames, Default: "none",
			Doc: "Other engines that the machine runs on, each with a generated file of its own. Programs that do not call it do not link it."},
			func(g *Graph) any { return &g.Drivers }},
		useRow, typesRow, templatesRow, skillsRow,
		{Key{Name: "pattern", Form: FormName, Names: "template", Doc: "The template of the whole graph. The graph's own keys override it."},
			func(g *Graph) any { return &g.Pattern }},
		{Key{Name: "with", Form: FormAny, Example: "{instructions: Answer with the tools.}", Doc: "The parameters of the pattern, by name."},
			func(g *Graph) any { return &g.With }},
		{Key{Name: "state", Form: FormFields, Of: "state field", Empty: true, Doc: "The state's fields.",
			Foreign: remedies(instead("state", "{FIELD: TYPE}"), "variables", "vars", "data", "channels", "state_schema", "context", "memory", "fields")},
			func(g *Graph) any { return &g.State }},
		{Key{Name: "input", Form: FormNames, Names: "state field", Empty: true, Doc: "State fields a caller gives.",
			Foreign: remedies(instead("input", "[FIELD]")+", of fields of the state", "inputs", "input_schema", "parameters", "params", "args")},
			func(g *Graph) any { return &g.Input }},
		{Key{Name: "output", Form: FormNames, Names: "state field", Empty: true, Doc: "State fields a caller gets back.",
			Foreign: remedies(instead("output", "[FIELD]")+", of fields of the state", "outputs", "output_schema", "result", "returns")},
			func(g *Graph) any { return &g.Output }},
		{Key{Name: "tools", Form: FormTools, Of: "tool", Empty: true,
			Doc:     "What models may call, by name. A tool without keys takes nothing and returns a text.",
			Foreign: remedies(instead("tools", "{NAME: {doc: TEXT, args: {…}}}"), "functions", "tool", "plugins")}, func(g *Graph) any { return &g.Tools }},
		{Key{Name: "mcp", Form: FormServers, Of: "mcp server", Doc: "MCP servers by name, whose tools nodes with the flag `inject_tools` may call.",
			Foreign: remedies(instead("mcp", "{NAME: {command: [PROGRAM]}}"), "mcp_servers", "mcpServers", "servers")}, func(g *Graph) any { return &g.MCP }},
		{Key{Name: "nodes", Form: FormNodes, Of: "node", Empty: true, Doc: "The nodes by name. A node without keys is a `func` node.",
			Foreign: remedies(instead("nodes", "{NAME: {…}}"), "agents", "tasks", "steps", "states", "jobs", "stages", "actions", "vertices")},
			func(g *Graph) any { return &g.Nodes }},
		{Key{Name: "edges", Form: FormEdges, Of: "edge", Empty: true, Doc: "The edges. Edges of a node with the same priority are tried in this order.",
			Foreign: remedies(instead("edges", "[{from: NODE, to: NODE}]"), "connections", "links", "flow", "flows", "transitions",
				"conditional_edges", "sequence", "routes")}, func(g *Graph) any { return &g.Edges }},
		{Key{Name: "ends", Form: FormNames, Default: "end",
			Doc: "Names for ends of the graph: edges, `next` and all that may lead to `end` may lead there. The report names the one that a run has " +
				"reached. Nodes of regions do not lead there."}, func(g *Graph) any { return &g.Ends }},
		{Key{Name: "assert", Form: FormAsserts, Of: "assertion", Empty: true, Doc: "Statements about every run, proved when the graph is built."},
			func(g *Graph) any { return &g.Assertions }},
	}),
	Unread: func(g *Graph) *bool { return &g.Unread },
	Stray:  (*Graph).stray,
}

// stray notes the names that a value is, or lists, whose key has no place.
func (g *Graph) stray(v *Tree) {
	if g.Stray == nil {
		g.Stray = map[string]bool{}
	}
	for _, name := range append(slices.Clone(v.Items), *v) {
		if name.Kind == yamlread.Text {
			g.Stray[name.Text] = true
		}
	}
}

// typesTable is what a file holds whose name ends in TypesSuffix.
var typesTable = table[Graph]{
	Name: "types file", Noun: "a file of types", Instead: "graph",
	Doc: "A file `NAME.types.yaml`: types, templates and skill groups for the graphs that `use` it, and no graph. Its generated code is `NAME_types.go`.",
	Rows: yamlread.Rows([]row[Graph]{
		{Key{Name: "doc", Form: FormText, Doc: "What the types are for."}, func(g *Graph) any { return &g.Doc }},
		useRow, typesRow, templatesRow, skillsRow,
	}),
	Unread: func(g *Graph) *bool { return &g.Unread },
}

var (
	skillsRow = row[Graph]{Key{Name: "skills", Form: FormSkills, Of: "skill group", Empty: true,
		Doc:     "Skill groups by name: instructions, tools and MCP servers that nodes name together.",
		Foreign: remedies(instead("skills", "{NAME: {tools: [TOOL]}}"), "skill", "skill_groups", "toolkits", "toolsets")},
		func(g *Graph) any { return &g.Skills }}
	templatesRow = row[Graph]{Key{Name: "templates", Form: FormTemplates, Of: "template", Empty: true,
		Doc: "Templates by name: nodes use them as their kind, graphs as their pattern."}, func(g *Graph) any { return &g.Templates }}
	useRow = row[Graph]{Key{Name: "use", Form: FormUses, Empty: true,
		Doc: "Files with types, templates and skill groups to use, as spec files or Go packages, by the name to write before the dot."},
		func(g *Graph) any { return &g.Use }}
	typesRow = row[Graph]{Key{Name: "types", Form: FormTypes, Empty: true, Doc: "Names for enums, structs, unions and Go types."},
		func(g *Graph) any { return &g.Types }}
)

var assertionTable = table[Assertion]{
	Name: "assertion", Noun: "an assertion",
	Doc: "An entry of `assert`: a statement about every run, alone or with a reason. Conditions count as free, so a proof holds whatever handlers do.",
	Rows: yamlread.Rows([]row[Assertion]{
		{Key{Name: "that", Form: FormAssert, Required: true,
			Doc: "What holds: `every path to X passes Y`, `no path from A to B without C`, `X is reachable`, `X runs at most N times`."},
			func(a *Assertion) any { return &a.That }},
		{Key{Name: "doc", Form: FormText, Doc: "Why it must hold; shown when it does not."}, func(a *Assertion) any { return &a.Doc }},
	}),
}

var limitsTable = table[Limits]{
	Name: "limits", Noun: "limits",
	Doc: "Bounds of a run.",
	Rows: yamlread.Rows([]row[Limits]{
		{Key{Name: "max_steps", Form: FormInt, Default: strconv.Itoa(DefaultMaxSteps),
			Doc:     "The most steps of a run. It has no default where every cycle has a bound, or a person who answers in each round.",
			Foreign: remedies(instead("max_steps", "N"), "recursion_limit", "max_iterations", "max_iter", "max_turns", "steps", "max_loops")},
			func(l *Limits) any { return &l.MaxSteps }},
		{Key{Name: "on_max_steps", Form: FormWord, Words: StepOutcomes, Default: "error", Doc: "What happens when the steps are used up."},
			func(l *Limits) any { return &l.OnMaxSteps }},
		{Key{Name: "max_visits", Form: FormInt, Default: strconv.Itoa(DefaultMaxVisits),
			Doc: "How often a run may visit each node that has no `max_visits` of its own. It bounds every cycle. " +
				"A node has no default if a person answers in each round of its cycles."},
			func(l *Limits) any { return &l.MaxVisits }},
		{Key{Name: "timeout", Form: FormDuration, Doc: "The longest a run may take.",
			Foreign: remedies(instead("timeout", "30s"), "max_execution_time", "time", "deadline", "max_time", "timeout_seconds")},
			func(l *Limits) any { return &l.Timeout }},
		{Key{Name: "max_tokens", Form: FormInt, Doc: "The most tokens that the models of a run may read and write together.",
			Foreign: remedies(instead("max_tokens", "N"), "tokens", "token_limit", "total_tokens")}, func(l *Limits) any { return &l.MaxTokens }},
		{Key{Name: "max_cost", Form: FormNumber,
			Doc: "The most that the models of a run may cost, in US dollars. Each model that the graph asks needs a price, such as `chat.Priced` " +
				"sets.",
			Foreign: remedies(instead("max_cost", "N")+", in US dollars", "cost", "budget", "max_budget", "price")}, func(l *Limits) any { return &l.MaxCost }},
		{Key{Name: "max_model_calls", Form: FormInt, Doc: "The most model calls of a run.",
			Foreign: remedies(instead("max_model_calls", "N"), "calls", "max_calls", "max_llm_calls", "max_rpm", "requests")},
			func(l *Limits) any { return &l.MaxModelCalls }},
		{Key{Name: "max_tool_calls", Form: FormInt, Doc: "The most tool calls of a run."}, func(l *Limits) any { return &l.MaxToolCalls }},
	}),
	Unread: func(l *Limits) *bool { return &l.Unread },
}

var nodeTable = table[Node]{
	Name: "node", Noun: "a node",
	Doc: "An entry of `nodes`.",
	Rows: yamlread.Rows(slices.Concat([]row[Node]{
		{Key{Name: "kind", Form: FormWord, Words: Words(Kinds), Default: DefaultKind, Doc: "What the node does.",
			Foreign: remedies(instead("kind", "WORD"), "type", "node_type", "kind_of")}, func(n *Node) any { return &n.Kind }},
		{Key{Name: "doc", Form: FormText, Doc: "What the node is for; the doc comment of its handler.",
			Foreign: remedies(instead("doc", "TEXT"), "description", "desc", "comment", "about", "summary")}, func(n *Node) any { return &n.Doc }},
		{Key{Name: "reads", Form: FormNames, Names: "state field", Kinds: []string{"func", "transform", "guard", "router", "prompt", "autonomous", "human"},
			Doc: "State fields that the handler gets, or that the model or the person is shown. With neither `reads` nor `writes`, a handler gets the " +
				"whole state, and a model the fields that its placeholders name.",
			Foreign: remedies(instead("reads", "FIELD")+", a field of the state", "input", "inputs", "input_variables", "input_keys",
				"with", "params", "parameters", "variables")}, func(n *Node) any { return namesAt{&n.Reads, &n.ReadsPos} }},
		{Key{Name: "writes", Form: FormNames, Names: "state field", Kinds: []string{"func", "transform", "prompt", "tool", "human"},
			Doc: "State fields the output is written to, each by its merge rule.",
			Foreign: remedies(instead("writes", "FIELD")+", a field of the state", "outputs", "output_key", "output_keys", "output_variable",
				"save_as", "result", "assign", "updates")}, func(n *Node) any { return namesAt{&n.Writes, &n.WritesPos} }},
		{Key{Name: "output", Form: FormType, Kinds: []string{"func", "transform", "prompt", "human"},
			Doc: "The type of the output: for a prompt a struct, a union or `string`; for a human node the type of the answer, which is a yes or a " +
				"no without it.",
			Default: "a struct of the written fields; for a prompt that writes one text or nothing, the text of the answer",
			Foreign: remedies(instead("output", "TYPE"), "output_schema", "schema", "response_format", "output_type", "output_json",
				"output_pydantic", "response_model", "structured_output", "returns")}, func(n *Node) any { return &n.Output }},
		{Key{Name: "set", Form: FormValues, Keyed: "state field", Kinds: []string{"set"},
			Doc: "For each state field to write, a Go expression over `state`; the value is written by the merge rule of the field. All expressions see " +
				"the state as it was before the node."}, func(n *Node) any { return &n.Set }},
		{Key{Name: "say", Form: FormText, Kinds: []string{"say"},
			Doc: "The text that observers of the run get, in an event of kind say. `{{field}}` is replaced by the value of a " +
				"state field, `{{{{` by the braces themselves."}, func(n *Node) any { return &n.Say }},
		{Key{Name: "payload", Form: FormNameTable, Names: "state field", Kinds: []string{"say"},
			Doc: "The data of the same event: names, each with the state field that it is taken from. It is a Go struct, and an object in the JSON of " +
				"the event."}, func(n *Node) any { return &n.Payload }},
		{Key{Name: "goto", Form: FormNames, Names: "node", Ends: true, Kinds: []string{"func", "transform"},
			Doc: "Nodes from which the handler may choose the next one; if it chooses none, the edges are tried."}, func(n *Node) any { return &n.Goto }},
		{Key{Name: "routes", Form: FormNames, Names: "node", Ends: true, Kinds: []string{"router"},
			Doc: "Nodes from which the handler or the model chooses the next one. In a body or a branch they are nodes after the router, or end, which " +
				"ends the body or the branch."}, func(n *Node) any { return &n.Routes }},
		{Key{Name: "transitions", Form: FormNameTable, Names: "node", Ends: true,
			Doc: "Next nodes by fields of the output: the first entry is taken whose key is a field that is true, holds the key itself, or holds any " +
				"text. `error` is the target of a failure.",
			Foreign: remedies(instead("transitions", "{error: NODE}"), "on_error", "on_failure", "catch", "fallback", "error")},
			func(n *Node) any { return &n.Transitions }},
		{Key{Name: "next", Form: FormName, Names: "node", Ends: true, Doc: "The node to go to when no edge and no transition is taken.",
			Foreign: remedies(instead("next", "NODE")+", or "+oneEdge("{from: NODE, to: NODE}"), "to", "then", "goto_node", "edges",
				"on_success", "on_approve", "on_approved", "successors", "target", "targets", "next_step", "next_node")}, func(n *Node) any { return &n.Next }},
		{Key{Name: "no_match", Form: FormWord, Words: NoMatches, Default: "as in the graph",
			Doc: "What happens when no transition of the node can be taken, and when the bounds of all its edges are used up."},
			func(n *Node) any { return &n.NoMatch }},
		{Key{Name: "on_pass", Form: FormName, Names: "node", Ends: true, Kinds: []string{"guard"}, Doc: "The node to go to when the guard passes."},
			func(n *Node) any { return &n.OnPass }},
		{Key{Name: "on_fail", Form: FormName, Names: "node", Ends: true, Kinds: []string{"guard"}, Doc: "The node to go to when the guard rejects."},
			func(n *Node) any { return &n.OnFail }},
	}, compositeRows, agentRows, []row[Node]{
		{Key{Name: "guards", Form: FormGuards, Of: "guard", Kinds: []string{"func", "transform", "prompt"},
			Doc: "Checks the output must pass; each is a method of the handlers.",
			Foreign: remedies(instead("guards", "[NAME]")+", or put a node of kind guard before it", "guardrails", "guardrail",
				"input_guardrails", "output_guardrails", "validators", "validate", "checks")}, func(n *Node) any { return &n.Guards }},
		{Key{Name: "guard_retries", Form: FormInt, Default: "0", Kinds: []string{"func", "transform", "guard", "prompt"},
			Doc: "How many times the node is executed again after its guards refused the output."}, func(n *Node) any { return &n.GuardRetries }},
		{Key{Name: "max_visits", Form: FormInt, Default: "as in limits", Doc: "How often a run may visit the node.",
			Foreign: remedies(instead("max_visits", "N"), "max_iter", "max_turns", "recursion_limit", "max_loops", "max_rounds")},
			func(n *Node) any { return &n.MaxVisits }},
		{Key{Name: "timeout", Form: FormDuration, Kinds: timed, Doc: "The longest that one execution may take; for a human node, how long the run waits " +
			"for an answer.",
			Foreign: remedies(instead("timeout", "30s"), "timeout_seconds", "timeout_ms", "time_limit", "max_execution_time", "deadline")},
			func(n *Node) any { return &n.Timeout }},
		{Key{Name: "transaction", Form: FormBool, Default: "false", Kinds: []string{"func"},
			Doc: "The handler runs in a transaction of the store of the graph's threads, in which its result is saved too: so what it writes there is " +
				"written exactly once. The function `Tx` of the store's package returns the transaction."}, func(n *Node) any {
			return &n.Transaction
		}},
		{Key{Name: "fail_soft", Form: FormBool, Default: "false", Kinds: namesOf(func(k *Kind) bool { return k.By != ByMachine }),
			Doc: "Record a failure and continue as if the node had succeeded without output."}, func(n *Node) any { return &n.FailSoft }},
		{Key{Name: "renamed_from", Form: FormName,
			Doc: "The name that the node had in a released version of the graph. Threads of that version that wait there resume here."},
			func(n *Node) any { return &n.RenamedFrom }},
		{Key{Name: "flags", Form: FormFlags, Words: Words(Flags), Doc: "Flags; see the table of flags.",
			Foreign: remedies(instead("flags", "[{retryable: {attempts: 4}}]")+"; the first attempt counts", "retries", "retry",
				"max_retries", "num_retries", "retry_policy", "max_attempts", "retry_count")}, func(n *Node) any { return &n.Flags }},
	})),
	Unread: func(n *Node) *bool { return &n.Unread },
	Bare:   true,
}

var guardTable = table[Guard]{
	Name: "guard", Noun: "a guard",
	Doc: "Settings of an entry of `guards`, as in `guards: [short, {own_order: {reads: [customer]}}, {polite: {judge: The reply is polite.}}]`.",
	Rows: yamlread.Rows([]row[Guard]{
		{Key{Name: "judge", Form: FormText,
			Doc: "What a model has to judge about the output, instead of a Go method. If it does not hold, the model's reason is the feedback. " +
				"The model is asked when all methods accept the output."},
			func(g *Guard) any { return &g.Judge }},
		{Key{Name: "reads", Form: FormNames, Names: "state field",
			Doc: "State fields that the method of the guard is given, in a struct before the output, or that the judging model is shown: as they are when " +
				"the output is checked."},
			func(g *Guard) any { return &g.Reads }},
	}),
	Unread: func(g *Guard) *bool { return &g.Unread },
}

var retryTable = table[Retry]{
	Name: "retryable", Noun: "retryable",
	Doc: "Settings of the flag `retryable`, as in `flags: [{retryable: {attempts: 5}}]`.",
	Rows: yamlread.Rows([]row[Retry]{
		{Key{Name: "attempts", Form: FormInt, Default: strconv.Itoa(DefaultAttempts), Doc: "How many times the node may run, with the first attempt.",
			Foreign: remedies(instead("attempts", "N")+"; the first attempt counts", "max_attempts", "retries", "max_retries", "times", "count")},
			func(s *Retry) any { return &s.Attempts }},
		{Key{Name: "wait", Form: FormDuration, Default: DefaultWait.String(), Doc: "The wait before the second attempt.",
			Foreign: remedies(instead("wait", "1s"), "delay", "backoff", "initial_delay", "initial_interval", "interval")},
			func(s *Retry) any { return &s.Wait }},
		{Key{Name: "factor", Form: FormNumber, Default: strconv.Itoa(DefaultFactor), Doc: "The factor by which the wait grows from attempt to attempt."},
			func(s *Retry) any { return &s.Factor }},
		{Key{Name: "max_wait", Form: FormDuration, Default: DefaultMaxWait.String(), Doc: "The longest wait between two attempts."},
			func(s *Retry) any { return &s.MaxWait }},
		{Key{Name: "on", Form: FormWord, Words: RetryCauses, Default: "transient", Doc: "Which errors are tried again."}, func(s *Retry) any { return &s.On }},
	}),
	Unread: func(s *Retry) *bool { return &s.Unread },
}

var approvalTable = table[Approval]{
	Name: "requires_human", Noun: "requires_human",
	Doc: "Settings of the flag `requires_human`, as in `flags: [{requires_human: {question: Shall it be sent, timeout: 24h}}]`.",
	Rows: yamlread.Rows([]row[Approval]{
		{Key{Name: "question", Form: FormText, Default: "whether the node shall run",
			Doc:     "What the person is asked. What the node reads is shown with it.",
			Foreign: remedies(instead("question", "TEXT"), "message", "text", "prompt", "instructions", "ask", "title", "reason")},
			func(a *Approval) any { return &a.Question }},
		{Key{Name: "timeout", Form: FormDuration, Default: "none",
			Doc: "How long the run waits for an answer. A later one does not count: the run takes `on_timeout` of the node, or the node fails."},
			func(a *Approval) any { return &a.Timeout }},
	}),
	Unread: func(a *Approval) *bool { return &a.Unread },
}

// The keys an entry of edges may have depend on its form; each form is a table.
var edgeTable = table[Edge]{
	Name: "edge", Noun: "an edge", Most: []string{"if", "on", "on_output", "on_confidence", "when"},
	Doc: "An entry of `edges`: an edge from one node to another, with at most one of the conditions `if`, `on`, `on_output`, `on_confidence` and `when`.",
	Rows: yamlread.Rows([]row[Edge]{
		fromRow,
		{Key{Name: "to", Form: FormName, Names: "node", Ends: true, Required: true, Doc: "The node the edge leads to, or `end`.",
			Foreign: remedies(instead("to", "NODE"), "target", "dest", "destination", "dst", "to_node", "end", "end_key", "next", "goto", "head", "then")},
			func(e *Edge) any { return &e.To }},
		{Key{Name: "if", Form: FormCondition, Doc: "A Go expression over `out`, `state` and `res`: the edge is taken when it is true.",
			Foreign: remedies(instead("if", "'out.Score > 3'")+", a Go expression", "condition", "cond", "conditions", "expr", "expression",
				"predicate", "guard", "unless", "filter")}, func(e *Edge) any { return &e.If }},
		{Key{Name: "on", Form: FormWord, Words: EdgeEvents, Doc: "What must have happened to the node."}, func(e *Edge) any { return &e.On }},
		{Key{Name: "tools", Form: FormNames, Names: "tool", Default: "all",
			Doc: "For `on: tool_call`: the turn must call one of these tools, which are tools of the node or tools that its `allow_tools` names."},
			func(e *Edge) any { return namesAt{&e.Tools, &e.ToolsPos} }},
		{Key{Name: "on_output", Form: FormMatch, Doc: "A field of the output and the value it must have, which is true if none is given."},
			func(e *Edge) any { return &e.OnOutput }},
		{Key{Name: "on_confidence", Form: FormLeast,
			Doc: "The least value of the output's field `confidence`: a number, or `true` for " + strconv.FormatFloat(DefaultConfidence,
				'g', -1, 64) + "."}, func(e *Edge) any { return confidenceAt{&e.OnConfidence} }},
		{Key{Name: "when", Form: FormText, Doc: "A condition in natural language, which the model judges if no other condition holds."},
			func(e *Edge) any { return &e.When }},
		{Key{Name: "reads", Form: FormNames, Names: "state field",
			Doc: "State fields that the model that judges `when` is shown, besides the input and earlier results."},
			func(e *Edge) any { return &e.Reads }},
		priorityRow,
		iterationsRow,
		{Key{Name: "label", Form: FormText, Doc: "What diagrams and reports call the edge.",
			Foreign: remedies(instead("label", "TEXT"), "name", "description", "doc", "id", "title")}, func(e *Edge) any { return &e.Label }},
	}),
	Unread: func(e *Edge) *bool { return &e.Unread },
}

var branchTable = table[Edge]{
	Name: "branch edge", Noun: "a branch table", Instead: "edge",
	Doc: "An entry of `edges`: a label selects the target. The labels are the values of an enum in the output of `from`, which " +
		"`by` names. An output that is an enum, or has one as its only field, needs no `by`. Else, and where no label is a value of it, the " +
		"handler of `from` returns a label.",
	Rows: yamlread.Rows([]row[Edge]{
		fromRow,
		{Key{Name: "by", Form: FormName,
			Doc: "The field of the output that selects the target, an enum; `out` if the output itself is one. Every value has a " +
				"label, or the node has a default: an edge without a condition, or `next`.",
			Default: "the only enum of the output, else the handler returns the label"},
			func(e *Edge) any { return &e.By }},
		{Key{Name: "branch", Form: FormNameTable, Names: "node", Ends: true, Required: true, Doc: "The targets by label."},
			func(e *Edge) any { return labelsAt{&e.Branch, &e.BranchPos} }},
		priorityRow,
		iterationsRow,
	}),
	Unread: func(e *Edge) *bool { return &e.Unread },
}

var (
	fromRow = row[Edge]{Key{Name: "from", Form: FormName, Names: "node", Required: true, Doc: "The node the edge leaves.",
		Foreign: remedies(instead("from", "NODE"), "source", "src", "from_node", "start", "start_key", "tail")}, func(e *Edge) any { return &e.From }}
	priorityRow = row[Edge]{Key{Name: "priority", Form: FormInt, Default: "0", Doc: "Edges of a node are tried from the highest priority to the lowest.",
		Foreign: remedies(instead("priority", "N")+"; the highest is tried first", "order", "weight", "rank")}, func(e *Edge) any { return &e.Priority }}
	iterationsRow = row[Edge]{Key{Name: "max_iterations", Form: FormInt,
		Doc: "The edge is taken as long as edges from its one node to the other have been followed less often than this in the run. " +
			"Transitions of other rules between them (`goto`, `routes`, `transitions`, `next`, `on_error`) do not count and are not " +
			"bounded by it: `max_visits` of a node bounds all its visits.",
		Foreign: remedies(instead("max_iterations", "N"), "max", "limit", "max_loops", "max_visits", "times")}, func(e *Edge) any { return &e.MaxIterations }}
)

var sequentialTable = table[Edge]{
	Name: "sequential edge", Noun: "a sequential entry", Instead: "edge",
	Doc: "An entry of `edges`: short for an edge without a condition from each node to the next.",
	Rows: yamlread.Rows([]row[Edge]{
		{Key{Name: "sequential", Form: FormNameList, Names: "node", Ends: true, Required: true, Doc: "The nodes in order."},
			func(e *Edge) any { return namesAt{&e.Sequential, &e.SequentialPos} }},
	}),
	Unread: func(e *Edge) *bool { return &e.Unread },
}

var loopEdgeTable = table[Edge]{
	Name: "loop edge", Noun: "a loop_until entry", Instead: "edge",
	Doc: "An entry of `edges`: short for a bounded loop.",
	Rows: yamlread.Rows([]row[Edge]{
		{Key{Name: "loop_until", Form: FormMapping, Of: "loop_until", Required: true, Doc: "The loop."}, func(e *Edge) any { return &e.Loop }},
	}),
	Unread: func(e *Edge) *bool { return &e.Unread },
}

var loopTable = table[LoopUntil]{
	Name: "loop_until", Noun: "loop_until",
	Doc: "A node that is executed again until a condition holds: an edge to `exit` of priority 10 with the condition, an edge " +
		"back to the node that is followed at most `max_iterations` − 1 times, and an edge to `exit` for when the bound is used up.",
	Rows: yamlread.Rows([]row[LoopUntil]{
		{Key{Name: "node", Form: FormName, Names: "node", Required: true, Doc: "The node that repeats."}, func(l *LoopUntil) any { return &l.Node }},
		{Key{Name: "exit", Form: FormName, Names: "node", Ends: true, Required: true, Doc: "The node to go to afterwards, or `end`."},
			func(l *LoopUntil) any { return &l.Exit }},
		{Key{Name: "if", Form: FormCondition, Required: true, Doc: "The Go expression that ends the loop."}, func(l *LoopUntil) any { return &l.If }},
		{Key{Name: "max_iterations", Form: FormInt, Default: strconv.Itoa(DefaultLoopIterations),
			Doc: "How many times the loop may run the node in the whole run, at least 2. Other visits do not count. After that, the exit is taken."},
			func(l *LoopUntil) any { return &l.MaxIterations }},
	}),
	Unread: func(l *LoopUntil) *bool { return &l.Unread },
}
