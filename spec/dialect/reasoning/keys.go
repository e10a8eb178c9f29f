package reasoning

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/yamlread"
)

type (
	key          = yamlread.Key
	row[T any]   yamlread.Row[T]
	text         = yamlread.String
	number       = yamlread.Value[int]
	decimal      = yamlread.Value[float64]
	truth        = yamlread.Value[bool]
	tree         = draft.Tree
	table[T any] = yamlread.Table[T]
)

// A file is a graph as it is written. The documentation of a key is what it becomes.
type file struct {
	version           number
	name, mode, entry text
	nodes             []*node
	edges             []*edge
	inner             *file
	pos               draft.Pos
}

type node struct {
	pos       draft.Pos
	name, typ text

	instructions, description text
	transitions               []pair
	next                      text
	most                      number
	metadata                  tree
	flags                     []text
	entry, terminal, inject   truth

	tools                           []text
	toolChoice, schema, model       text
	layers                          tree
	maxTokens                       number
	temperature                     decimal
	inputs                          []text
	output, inherits, scope         text
	ledgerAfter                     number
	before, after                   text
	observations, plan, reflections truth
	depth, subgoals                 number
	quality                         decimal
	severity                        decimal
	onPass, onFail                  text
	selector                        text
	maxResult                       number
	validate, deduplicate           truth
	routes                          []pair
	target                          text
	children                        []*node
	strategy, merge                 text
	body, wrapped                   *node
	condition                       text
	maxLoop                         number
	prompt                          text
	timeout                         decimal
	onApprove, onDeny, onTimeout    text
	transform                       text
	subgraph                        *file
	inherit                         truth
	pool                            []*node
	planner                         text
	repeat                          truth
	maxSteps                        number
	first                           text
	terminals                       []text
	retries                         number
	backoff                         decimal
	branches                        []*branch
	ref                             text
	lost                            tree // of code_action
	objects                         tree // what the format itself cannot save

	overrides []pair // of the branch that runs it
}

type pair struct{ key, to text }

type branch struct {
	node      *node
	overrides tree
}

type edge struct {
	from, to, label text
	priority        number
	condition       *condition
}

type condition struct {
	kind, key, ref text
	value          tree
	confidence     decimal
	pos            draft.Pos
}

// The forms of values that package spec does not have.
var (
	formAny  = &yamlread.Form{Name: "value", Expects: "a value", Example: "{}", Doc: "Any value."}
	formNode = &yamlread.Form{Name: "node", Expects: "a mapping with the keys of a node", Example: "{name: draft, type: prompt}", Doc: "A node, with its name."}
	formRef  = &yamlread.Form{Name: "reference", Expects: "a reference such as module:name", Example: "agent.schemas:Plan",
		Doc: "A reference to an object of Python."}
)

// The types of nodes, for the keys that only some have.
var (
	prompts = typeNames("prompt")
	all     = typeNames("")
)

var fileTable = table[file]{
	Name: "graph", Noun: "a graph",
	Doc: "The file itself, the key `graph` of it, or a subgraph.",
	Pos: func(f *file) *draft.Pos { return &f.pos },
	Rows: yamlread.Rows([]row[file]{
		{key{Name: "version", Form: spec.FormInt, Doc: "1 and 2 are known."}, func(f *file) any { return &f.version }},
		{key{Name: "graph", Form: formAny, Doc: "The graph, where it is not the file itself."}, func(f *file) any { return &f.inner }},
		{key{Name: "name", Form: spec.FormName, Doc: "`graph`."}, func(f *file) any { return &f.name }},
		{key{Name: "mode", Form: spec.FormWord, Words: words("autonomous", "static"), Default: "autonomous",
			Doc: "`mode`. A file with edges and without a mode is static, with a warning."}, func(f *file) any { return &f.mode }},
		{key{Name: "entry", Form: spec.FormName, Empty: true, Doc: "`entry`."}, func(f *file) any { return &f.entry }},
		{key{Name: "nodes", Form: spec.FormNodes, Of: "node", Doc: "Nodes, by the table of types."}, func(f *file) any { return &f.nodes }},
		{key{Name: "edges", Form: spec.FormEdges, Of: "edge", Empty: true, Doc: "Edges."}, func(f *file) any { return &f.edges }},
	}),
}

var nodeTable = table[node]{
	Name: "node", Noun: "a node", Bare: true,
	Pos: func(n *node) *draft.Pos { return &n.pos },
	Doc: "An entry of `nodes`, or a node within another one.",
	Rows: yamlread.Rows([]row[node]{
		{key{Name: "name", Form: spec.FormName, Doc: "The name of a node within another one."}, func(n *node) any { return &n.name }},
		{key{Name: "type", Form: spec.FormName, Default: "prompt", Doc: "`kind`, by the table of types."}, func(n *node) any { return &n.typ }},
		{key{Name: "instructions", Form: spec.FormText, Doc: "`instructions`."}, func(n *node) any { return &n.instructions }},
		{key{Name: "description", Form: spec.FormText, Doc: "`doc`."}, func(n *node) any { return &n.description }},
		{key{Name: "transitions", Form: spec.FormNameTable,
			Doc: "`transitions`, and a field `route` of the output with their keys. Transitions of reflect and critique become roles of " +
				"the template; transitions of plan, and of a critique that is a prompt, become `if` edges."}, func(n *node) any { return &n.transitions }},
		{key{Name: "default_next", Form: spec.FormName, Empty: true, Doc: "`next`."}, func(n *node) any { return &n.next }},
		{key{Name: "max_iterations", Form: spec.FormInt, Default: "10", Doc: "`max_visits`. The default is in `limits`."},
			func(n *node) any { return &n.most }},
		{key{Name: "metadata", Form: formAny, Doc: "Left out, with a note."}, func(n *node) any { return &n.metadata }},
		{key{Name: "flags", Form: spec.FormNameList, Doc: "`flags`, by the table of flags."}, func(n *node) any { return &n.flags }},
		{key{Name: "is_entry", Form: spec.FormBool, Doc: "`entry` of the graph."}, func(n *node) any { return &n.entry }},
		{key{Name: "is_terminal", Form: spec.FormBool, Doc: "The flag `terminal`."}, func(n *node) any { return &n.terminal }},
		{key{Name: "inject_tools", Form: spec.FormBool, Kinds: prompts, Doc: "The flag `inject_tools`."}, func(n *node) any { return &n.inject }},
		{key{Name: "tools", Form: spec.FormNameList, Kinds: slices.Concat(prompts, []string{"tool", "code_action"}),
			Doc: "`inject_tools` and `allow_tools`: a file has the names of tools, and the program gives them to the machine at run time."},
			func(n *node) any { return &n.tools }},
		{key{Name: "tool_choice", Form: spec.FormName, Kinds: prompts, Doc: "`tool_choice`."}, func(n *node) any { return &n.toolChoice }},
		{key{Name: "output_schema", Form: formRef, Kinds: prompts,
			Doc: "A type with the fields that edges look at, and a warning: the fields of a class of Python are not in the file. " +
				"The types of reasoning nodes are there already."}, func(n *node) any { return &n.schema }},
		{key{Name: "model_override", Form: spec.FormText, Kinds: slices.Concat(prompts, []string{"router", "code_action"}), Doc: "`model`."},
			func(n *node) any { return &n.model }},
		{key{Name: "context_layers", Form: formAny, Kinds: prompts, Doc: "`reads`; the priorities are left out."}, func(n *node) any { return &n.layers }},
		{key{Name: "max_tokens", Form: spec.FormInt, Kinds: prompts, Doc: "`max_tokens`."}, func(n *node) any { return &n.maxTokens }},
		{key{Name: "temperature", Form: spec.FormNumber, Kinds: prompts, Doc: "`temperature`."}, func(n *node) any { return &n.temperature }},
		{key{Name: "input_keys", Form: spec.FormNameList, Kinds: prompts, Doc: "`reads`. A key that no node writes is an input of type any."},
			func(n *node) any { return &n.inputs }},
		{key{Name: "output_key", Form: spec.FormName, Kinds: slices.Concat(prompts, []string{"transform"}),
			Doc: "`writes`. Without it a node writes the field of its template, of its type, or of its name."}, func(n *node) any { return &n.output }},
		{key{Name: "inherit_context_from", Form: spec.FormName, Kinds: prompts, Doc: "`inherits`."}, func(n *node) any { return &n.inherits }},
		{key{Name: "context_scope", Form: spec.FormWord, Words: words("full", "scoped", "ledger", "auto"), Kinds: prompts, Doc: "`context`."},
			func(n *node) any { return &n.scope }},
		{key{Name: "auto_ledger_after", Form: spec.FormInt, Kinds: prompts, Doc: "Left out, with a note."}, func(n *node) any { return &n.ledgerAfter }},
		{key{Name: "preprocessor", Form: formRef, Kinds: prompts, Doc: "`before`: a method of the handlers, of the function's name."},
			func(n *node) any { return &n.before }},
		{key{Name: "postprocessor", Form: formRef, Kinds: prompts, Doc: "`after`, likewise."}, func(n *node) any { return &n.after }},
		{key{Name: "include_observations", Form: spec.FormBool, Kinds: prompts,
			Doc: "Left out: the results of tools are in the messages before, which `context` selects."}, func(n *node) any { return &n.observations }},
		{key{Name: "include_plan", Form: spec.FormBool, Kinds: prompts, Doc: "`reads` with the fields of plan nodes that may have run before."},
			func(n *node) any { return &n.plan }},
		{key{Name: "include_reflections", Form: spec.FormBool, Kinds: prompts,
			Doc: "`reads` with the fields of reflect nodes, likewise. The field of the template has the newest five."},
			func(n *node) any { return &n.reflections }},
		{key{Name: "review_depth", Form: spec.FormInt, Kinds: []string{"reflect"}, Doc: "Left out, with a note."}, func(n *node) any { return &n.depth }},
		{key{Name: "max_subgoals", Form: spec.FormInt, Kinds: []string{"plan"}, Default: "4",
			Doc: "`guidance`; of a prompt `max_length` of the subgoals, and a line of the instructions."}, func(n *node) any { return &n.subgoals }},
		{key{Name: "quality_threshold", Form: spec.FormNumber, Kinds: []string{"plan"}, Default: "3",
			Doc: "`threshold`; of a prompt an `if` edge back to the plan, or along its transition `replan`, that is followed twice at most."},
			func(n *node) any { return &n.quality }},
		{key{Name: "severity_threshold", Form: spec.FormNumber, Kinds: []string{"critique"}, Default: "0.5",
			Doc: "`threshold`; of a prompt an `if` edge along its first transition of `revise`, `improve`, `retry` and `replan`."},
			func(n *node) any { return &n.severity }},
		{key{Name: "on_pass", Form: spec.FormName, Kinds: []string{"validate", "guard"}, Default: "__end__",
			Doc: "`on_pass`; of a prompt an `if` edge."}, func(n *node) any { return &n.onPass }},
		{key{Name: "on_fail", Form: spec.FormName, Kinds: []string{"validate", "guard"}, Empty: true,
			Doc: "`on_fail`; of a prompt an edge. Other edges of a validate node are then never followed, and left out."},
			func(n *node) any { return &n.onFail }},
		{key{Name: "validate_inputs", Form: spec.FormBool, Kinds: []string{"tool"}, Doc: "Left out: arguments are always checked."},
			func(n *node) any { return &n.validate }},
		{key{Name: "deduplicate", Form: spec.FormBool, Kinds: []string{"tool"},
			Doc: "Left out, with a note: a tool of the graph is declared `pure`."}, func(n *node) any { return &n.deduplicate }},
		{key{Name: "max_result_chars", Form: spec.FormInt, Kinds: []string{"tool"},
			Doc: "Left out, with a note: a tool of the graph has `max_result`."}, func(n *node) any { return &n.maxResult }},
		{key{Name: "tool_selector", Form: formRef, Kinds: []string{"tool"}, Doc: "The node becomes a handler, with a warning."},
			func(n *node) any { return &n.selector }},
		{key{Name: "routes", Form: spec.FormNameTable, Kinds: []string{"router"}, Doc: "`routes`, and lines of the instructions with the labels."},
			func(n *node) any { return &n.routes }},
		{key{Name: "target_key", Form: spec.FormName, Kinds: []string{"guard"}, Doc: "`reads`."}, func(n *node) any { return &n.target }},
		{key{Name: "nodes", Form: formNode, Kinds: []string{"parallel"}, Doc: "`branches`."}, func(n *node) any { return &n.children }},
		{key{Name: "merge_strategy", Form: spec.FormName, Kinds: []string{"parallel", "fan_out"},
			Doc: "Left out, with a note: each branch writes a field of its own."}, func(n *node) any { return &n.strategy }},
		{key{Name: "merge_fn", Form: formRef, Kinds: []string{"parallel"}, Doc: "Left out, with a warning."}, func(n *node) any { return &n.merge }},
		{key{Name: "body_node", Form: formNode, Kinds: []string{"loop"}, Doc: "`body`."}, func(n *node) any { return &n.body }},
		{key{Name: "condition", Form: formRef, Kinds: []string{"loop"},
			Doc: "A handler after the body, which writes whether the loop is done; `until` looks at that."}, func(n *node) any { return &n.condition }},
		{key{Name: "max_loop_iterations", Form: spec.FormInt, Kinds: []string{"loop"}, Default: "5", Doc: "`max_iterations`."},
			func(n *node) any { return &n.maxLoop }},
		{key{Name: "prompt_template", Form: spec.FormText, Kinds: []string{"human"}, Doc: "`instructions`: the question."},
			func(n *node) any { return &n.prompt }},
		{key{Name: "timeout", Form: spec.FormNumber, Kinds: []string{"human"}, Default: "300", Doc: "`timeout`."}, func(n *node) any { return &n.timeout }},
		{key{Name: "on_approve", Form: spec.FormName, Kinds: []string{"human"}, Default: "__end__", Doc: "`next`."}, func(n *node) any { return &n.onApprove }},
		{key{Name: "on_deny", Form: spec.FormName, Kinds: []string{"human"}, Empty: true, Doc: "`on_deny`."}, func(n *node) any { return &n.onDeny }},
		{key{Name: "on_timeout", Form: spec.FormName, Kinds: []string{"human"}, Default: "__end__", Doc: "`on_timeout`."},
			func(n *node) any { return &n.onTimeout }},
		{key{Name: "transform", Form: formRef, Kinds: []string{"transform"},
			Doc: "The handler of a node of kind transform, which reads what may have been written."}, func(n *node) any { return &n.transform }},
		{key{Name: "subgraph", Form: formAny, Kinds: []string{"subgraph"}, Doc: "A spec of its own, which the node uses."},
			func(n *node) any { return &n.subgraph }},
		{key{Name: "inherit_state", Form: spec.FormBool, Kinds: []string{"subgraph"}, Doc: "Left out: `in` has what the graph needs."},
			func(n *node) any { return &n.inherit }},
		{key{Name: "node_pool", Form: formNode, Kinds: []string{"autonomous"}, Doc: "`pool`."}, func(n *node) any { return &n.pool }},
		{key{Name: "planner_instructions", Form: spec.FormText, Kinds: []string{"autonomous"}, Doc: "`instructions`."},
			func(n *node) any { return &n.planner }},
		{key{Name: "allow_repeat", Form: spec.FormBool, Kinds: []string{"autonomous"}, Doc: "`allow_repeat`."}, func(n *node) any { return &n.repeat }},
		{key{Name: "max_steps", Form: spec.FormInt, Kinds: []string{"autonomous"}, Doc: "`max_steps`."}, func(n *node) any { return &n.maxSteps }},
		{key{Name: "entry_node", Form: spec.FormName, Kinds: []string{"autonomous"}, Empty: true, Doc: "`entry`."}, func(n *node) any { return &n.first }},
		{key{Name: "terminal_nodes", Form: spec.FormNameList, Kinds: []string{"autonomous"}, Doc: "`terminal`."}, func(n *node) any { return &n.terminals }},
		{key{Name: "wrapped_node", Form: formNode, Kinds: []string{"retry"}, Doc: "`body`."}, func(n *node) any { return &n.wrapped }},
		{key{Name: "max_retries", Form: spec.FormInt, Kinds: []string{"retry"}, Default: "3", Doc: "`attempts`, one more."},
			func(n *node) any { return &n.retries }},
		{key{Name: "backoff_factor", Form: spec.FormNumber, Kinds: []string{"retry"}, Default: "0.5", Doc: "`wait`, in seconds."},
			func(n *node) any { return &n.backoff }},
		{key{Name: "branches", Form: formAny, Kinds: []string{"fan_out"},
			Doc: "`branches`. Overrides that are texts become blocks of the branch's prompt."}, func(n *node) any { return &n.branches }},
		{key{Name: "ref", Form: formRef, Kinds: []string{"ref"}, Doc: "A node of kind func: the handler is the function in Go."},
			func(n *node) any { return &n.ref }},
		{key{Name: "system_prompt", Form: formAny, Kinds: []string{"code_action"}, Doc: codeAction}, func(n *node) any { return &n.lost }},
		{key{Name: "sandbox_factory", Form: formAny, Kinds: []string{"code_action"}, Doc: codeAction}, func(n *node) any { return &n.lost }},
		{key{Name: "max_repairs", Form: formAny, Kinds: []string{"code_action"}, Doc: codeAction}, func(n *node) any { return &n.lost }},
		{key{Name: "result_marker", Form: formAny, Kinds: []string{"code_action"}, Doc: codeAction}, func(n *node) any { return &n.lost }},
		{key{Name: "exec_timeout", Form: formAny, Kinds: []string{"code_action"}, Doc: codeAction}, func(n *node) any { return &n.lost }},
		{key{Name: "max_tool_calls", Form: formAny, Kinds: []string{"code_action"}, Doc: codeAction}, func(n *node) any { return &n.lost }},
		{key{Name: "blocks", Form: formAny, Empty: true, Doc: objects}, func(n *node) any { return &n.objects }},
		{key{Name: "strategy", Form: formAny, Empty: true, Doc: objects}, func(n *node) any { return &n.objects }},
		{key{Name: "perspective", Form: formAny, Empty: true, Doc: objects}, func(n *node) any { return &n.objects }},
		{key{Name: "guards", Form: formAny, Empty: true, Doc: objects}, func(n *node) any { return &n.objects }},
		{key{Name: "context_blocks", Form: formAny, Empty: true, Doc: objects}, func(n *node) any { return &n.objects }},
	}),
}

const (
	codeAction = "Left out: the node becomes a handler, with a warning."
	objects    = "Refused, as by the format itself: the value is an object of Python."
)

var edgeTable = table[edge]{
	Name: "edge", Noun: "an edge",
	Doc: "An entry of `edges`.",
	Rows: yamlread.Rows([]row[edge]{
		{key{Name: "from", Form: spec.FormName, Required: true, Doc: "`from`."}, func(e *edge) any { return &e.from }},
		{key{Name: "to", Form: spec.FormName, Required: true, Doc: "`to`; `__end__` is `end`."}, func(e *edge) any { return &e.to }},
		{key{Name: "label", Form: spec.FormText, Empty: true, Doc: "`label`."}, func(e *edge) any { return &e.label }},
		{key{Name: "priority", Form: spec.FormInt, Doc: "`priority`."}, func(e *edge) any { return &e.priority }},
		{key{Name: "condition", Form: formAny, Of: "condition", Empty: true, Doc: "See [condition](#reasoning-condition)."},
			func(e *edge) any { return &e.condition }},
	}),
}

var conditionTable = table[condition]{
	Name: "condition", Noun: "a condition",
	Doc: "The `condition` of an edge.",
	Pos: func(c *condition) *draft.Pos { return &c.pos },
	Rows: yamlread.Rows([]row[condition]{
		{key{Name: "kind", Form: spec.FormWord, Words: words("tool_called", "no_tool_call", "error", "guard_failed", "output", "confidence"),
			Doc: "`tool_called` to a node of type tool: `on: tool_call`, and `tool_loop: false`; to the node itself it is the " +
				"tool loop, and left out. `no_tool_call`: `on: no_tool_call`, or an edge without a condition. `error`: `on: " +
				"error`. `output`: `on_output`. `confidence`: `on_confidence`. `guard_failed` is left out: a file has no guards."},
			func(c *condition) any { return &c.kind }},
		{key{Name: "key", Form: spec.FormName, Doc: "The field of `on_output`, which the output's type gets."}, func(c *condition) any { return &c.key }},
		{key{Name: "value", Form: formAny, Doc: "The value of `on_output`."}, func(c *condition) any { return &c.value }},
		{key{Name: "min_confidence", Form: spec.FormNumber, Default: "0.7", Doc: "`on_confidence`."}, func(c *condition) any { return &c.confidence }},
		{key{Name: "ref", Form: formRef, Doc: "A node of kind router after the node: its handler chooses among the targets of such edges."},
			func(c *condition) any { return &c.ref }},
	}),
}

func words(names ...string) []yamlread.Word {
	list := make([]yamlread.Word, len(names))
	for i, n := range names {
		list[i] = yamlread.Word{Name: n}
	}
	return list
}

// keysOfType reports the keys of a node that its type does not have.
func keysOfType(r *yamlread.Reader, n *tree) {
	typ := "prompt"
	if t := n.Get("type"); t != nil {
		typ = t.Text
	}
	if n.Kind != yamlread.Map || !slices.Contains(all, typ) {
		return
	}
	for i := range len(n.Items) / 2 {
		key, _ := n.Key(i)
		if at := nodeTable.Index(key.V); at >= 0 && nodeTable.Rows[at].Kinds != nil && !slices.Contains(nodeTable.Rows[at].Kinds, typ) {
			r.Report("GG353", key.Pos, "unknown key "+yamlread.Quote(key.V)+" in a node of type "+typ,
				"it is a key of nodes of type "+strings.Join(nodeTable.Rows[at].Kinds, ", "))
		}
	}
}

func nodeName(n *node) *text { return &n.name }

// own reads values to places of this package.
func own(r *yamlread.Reader, v *tree, k *yamlread.Key, to any) bool {
	switch to := to.(type) {
	case *[]*node:
		for i := range v.Items {
			if k.Form == formNode || i%2 == 1 {
				keysOfType(r, &v.Items[i])
			}
		}
		if k.Form == formNode {
			*to = yamlread.Items(r, v, &key{Name: k.Name, Form: spec.FormEdges, Example: "[{name: a, type: prompt}]"}, &nodeTable)
			break
		}
		*to = yamlread.Entries(r, v, k, &nodeTable, nodeName)
	case **node:
		*to = new(node)
		keysOfType(r, v)
		yamlread.Read(r, v, &nodeTable, *to)
	case **file:
		*to = new(file)
		yamlread.Read(r, v, &fileTable, *to)
	case *[]*edge:
		*to = yamlread.Items(r, v, k, &edgeTable)
	case **condition:
		*to = new(condition)
		yamlread.Read(r, v, &conditionTable, *to)
	case *[]*branch:
		*to = yamlread.Items(r, v, k, &branchTable)
	case *[]pair:
		r.Pairs(v, k, func(key, value text) { *to = append(*to, pair{key, value}) })
	default:
		return false
	}
	return true
}

var branchTable = table[branch]{
	Name: "branch", Noun: "a branch",
	Doc: "An entry of `branches`.",
	Rows: yamlread.Rows([]row[branch]{
		{key{Name: "node", Form: formNode, Required: true, Doc: "The node of the branch."}, func(b *branch) any { return &b.node }},
		{key{Name: "overrides", Form: formAny, Empty: true, Doc: "Blocks of its prompt."}, func(b *branch) any { return &b.overrides }},
	}),
}
