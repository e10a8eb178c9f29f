package workflow

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/yamlread"
)

type (
	key          = yamlread.Key
	row[T any]   yamlread.Row[T]
	text         = yamlread.String
	number       = yamlread.Value[int]
	tree         = draft.Tree
	table[T any] = yamlread.Table[T]
)

// A file is a workflow as it is written. The documentation of a key is what it becomes in a graph.
type file struct {
	id, name, description, entry text

	nodes          []*node
	edges          []*edge
	skills         []*skill
	rules, context tree
	model          text
	judgeModel     text
	judgeBudget    tree
	inputs         []*input
	workflowType   tree
	shown          tree // of keys that only say how the workflow is shown
	verify         tree
}

type node struct {
	name              text // its key
	title             text
	instruction       tree
	skills            []text
	output            tree
	maxTurns          number
	rules, context    tree
	eval              []*evaluator
	evalPolicy        text
	judgeModel, model text
	requires          tree
	retry             tree
	disallowed        tree
	tools             tree
	failSoft          yamlread.Value[bool]
	verify            tree
}

type edge struct {
	from, to, when text
	most           number
}

type skill struct {
	id, name, description text
	instruction           tree
	mcp                   tree
}

type input struct {
	name, typ, description text
	required               yamlread.Value[bool]
	value                  tree
	enum                   tree
}

type evaluator struct {
	name, kind   text
	rule         tree
	rubric, pass text
	model        text
}

// formSource is the form of a text that may be in another file.
var formSource = &yamlread.Form{Name: "source", Expects: "a text, a path or an address", Example: "./prompts/gather.md",
	Doc: "A text; a path that begins with ./, ../ or /; an address; or {inline: TEXT}, {file: PATH}, {url: ADDRESS}."}

// formAny is the form of a value that is read as it is.
var formAny = &yamlread.Form{Name: "value", Expects: "a value", Example: "{}", Doc: "Any value."}

var fileTable = table[file]{
	Name: "workflow", Noun: "a workflow",
	Doc: "The file itself.",
	Rows: yamlread.Rows([]row[file]{
		{key{Name: "id", Form: spec.FormName, Required: true, Doc: "`graph`, and the name of the file."}, func(f *file) any { return &f.id }},
		{key{Name: "name", Form: spec.FormText, Required: true, Doc: "`doc`."}, func(f *file) any { return &f.name }},
		{key{Name: "description", Form: spec.FormText, Doc: "`doc`."}, func(f *file) any { return &f.description }},
		{key{Name: "entry", Form: spec.FormName, Required: true, Doc: "`entry`."}, func(f *file) any { return &f.entry }},
		{key{Name: "inputs", Form: formAny, Of: "input", Doc: "State fields and `input`. Without it the graph has one field `input` of type any."},
			func(f *file) any { return &f.inputs }},
		{key{Name: "rules", Form: formAny, Doc: "A block `rules` of every prompt."}, func(f *file) any { return &f.rules }},
		{key{Name: "context", Form: formAny, Doc: "A block `background` of every prompt."}, func(f *file) any { return &f.context }},
		{key{Name: "skills", Form: formAny, Of: "skill",
			Doc: "`skills`, groups that nodes name. What is not here is read from SKILL.md beside the file."}, func(f *file) any { return &f.skills }},
		{key{Name: "model", Form: spec.FormText, Doc: "`model` of the graph; with `judge_model`, of every prompt that has none."},
			func(f *file) any { return &f.model }},
		{key{Name: "judge_model", Form: spec.FormText, Doc: "Left out, with a note: the model of judges is an option of the machine."},
			func(f *file) any { return &f.judgeModel }},
		{key{Name: "judge_budget", Form: formAny, Doc: "Left out, with a warning: `limits: {max_model_calls: N}` bounds all calls of models."},
			func(f *file) any { return &f.judgeBudget }},
		{key{Name: "nodes", Form: spec.FormNodes, Of: "node", Required: true,
			Doc: "Nodes of kind prompt. Each writes its answer to a state field of its name, and is shown the input and the " +
				"answers of all nodes that may have run before it."}, func(f *file) any { return &f.nodes }},
		{key{Name: "edges", Form: spec.FormEdges, Of: "edge", Required: true, Doc: "Edges, in their order."}, func(f *file) any { return &f.edges }},
		{key{Name: "workflow_type", Form: formAny, Doc: "Left out: it selects how runs are shown."}, func(f *file) any { return &f.workflowType }},
		{key{Name: "author", Form: formAny, Doc: shown}, func(f *file) any { return &f.shown }},
		{key{Name: "category", Form: formAny, Doc: shown}, func(f *file) any { return &f.shown }},
		{key{Name: "tags", Form: formAny, Doc: shown}, func(f *file) any { return &f.shown }},
		{key{Name: "icon", Form: formAny, Doc: shown}, func(f *file) any { return &f.shown }},
		{key{Name: "color", Form: formAny, Doc: shown}, func(f *file) any { return &f.shown }},
		{key{Name: "version", Form: formAny, Doc: shown}, func(f *file) any { return &f.shown }},
		{key{Name: "sweny_version", Form: formAny, Doc: shown}, func(f *file) any { return &f.shown }},
		{key{Name: "variables", Form: formAny, Doc: shown}, func(f *file) any { return &f.shown }},
		{key{Name: "sample_output", Form: formAny, Doc: shown}, func(f *file) any { return &f.shown }},
		{key{Name: "verify", Form: formAny, Doc: "Refused, as by the format itself: it was replaced by `eval` and `requires`."},
			func(f *file) any { return &f.verify }},
	}),
}

// shown is what becomes of keys for catalogs.
const shown = "Left out: it is for catalogs."

var nodeTable = table[node]{
	Name: "node", Noun: "a node",
	Doc: "An entry of `nodes`.",
	Rows: yamlread.Rows([]row[node]{
		{key{Name: "name", Form: spec.FormText, Required: true, Doc: "`doc`."}, func(n *node) any { return &n.title }},
		{key{Name: "instruction", Form: formSource, Required: true,
			Doc: "`instructions`. A file is read and becomes part of the spec; an address is refused."}, func(n *node) any { return &n.instruction }},
		{key{Name: "skills", Form: spec.FormNameList,
			Doc: "`skills`, for those with an instruction or a server. A skill that is not in the file is the flag `inject_tools`: " +
				"its tools are given to the machine at run time."}, func(n *node) any { return &n.skills }},
		{key{Name: "tools", Form: formAny, Doc: "`allow_tools` and `deny_tools`."}, func(n *node) any { return &n.tools }},
		{key{Name: "output", Form: formAny,
			Doc: "A type under `types`, the `output` of the node. Properties that are not required become optional, `?T`. Types, " +
				"enums and limits are checked here, which the format leaves to the model."}, func(n *node) any { return &n.output }},
		{key{Name: "max_turns", Form: spec.FormInt,
			Doc: "`max_visits`, for every round of tool calls is a visit. In a cycle it is multiplied by how often the cycle can lead to the node."},
			func(n *node) any { return &n.maxTurns }},
		{key{Name: "model", Form: spec.FormText, Doc: "`model`."}, func(n *node) any { return &n.model }},
		{key{Name: "rules", Form: formAny, Doc: "The block `rules`, after the rules of the workflow; with `only: true` instead of them."},
			func(n *node) any { return &n.rules }},
		{key{Name: "context", Form: formAny, Doc: "The block `background`, likewise."}, func(n *node) any { return &n.context }},
		{key{Name: "eval", Form: formAny, Of: "evaluator", Doc: "`evals`. A failed eval does not fail the node: edges and judges see it."},
			func(n *node) any { return &n.eval }},
		{key{Name: "eval_policy", Form: spec.FormText, Doc: "`all_pass` alone is known."}, func(n *node) any { return &n.evalPolicy }},
		{key{Name: "judge_model", Form: spec.FormText, Doc: "Left out, with a note."}, func(n *node) any { return &n.judgeModel }},
		{key{Name: "requires", Form: formAny, Doc: "Left out, with a warning: what a node reads has been written, or its type is optional."},
			func(n *node) any { return &n.requires }},
		{key{Name: "retry", Form: formAny,
			Doc: "An edge of the node to itself, taken while an eval fails, with `max_iterations`; and `revisit_feedback`."},
			func(n *node) any { return &n.retry }},
		{key{Name: "disallowed_tools", Form: formAny,
			Doc: "Left out, with a note: a model has only the tools of the spec and the tools that the machine is given."},
			func(n *node) any { return &n.disallowed }},
		{key{Name: "fail_soft", Form: spec.FormBool, Doc: "`fail_soft`."}, func(n *node) any { return &n.failSoft }},
		{key{Name: "verify", Form: formAny, Doc: "Refused, as by the format itself: it was replaced by `eval` and `requires`."},
			func(n *node) any { return &n.verify }},
	}),
}

var edgeTable = table[edge]{
	Name: "edge", Noun: "an edge",
	Doc: "An entry of `edges`.",
	Rows: yamlread.Rows([]row[edge]{
		{key{Name: "from", Form: spec.FormName, Required: true, Doc: "`from`."}, func(e *edge) any { return &e.from }},
		{key{Name: "to", Form: spec.FormName, Required: true, Doc: "`to`."}, func(e *edge) any { return &e.to }},
		{key{Name: "when", Form: spec.FormText, Empty: true, Doc: "`when`. An empty text is an edge without a condition."},
			func(e *edge) any { return &e.when }},
		{key{Name: "max_iterations", Form: spec.FormInt, Doc: "`max_iterations`."}, func(e *edge) any { return &e.most }},
	}),
}

var skillTable = table[skill]{
	Name: "skill", Noun: "a skill",
	Doc: "An entry of `skills`, or the head of a SKILL.md.",
	Rows: yamlread.Rows([]row[skill]{
		{key{Name: "name", Form: spec.FormText, Doc: "Left out: the group has the name of the skill's key."}, func(s *skill) any { return &s.name }},
		{key{Name: "description", Form: spec.FormText, Doc: "Left out."}, func(s *skill) any { return &s.description }},
		{key{Name: "instruction", Form: formSource, Doc: "`instructions` of the group."}, func(s *skill) any { return &s.instruction }},
		{key{Name: "mcp", Form: formAny,
			Doc: "A server under `mcp`, with the names of its variables, and `mcp` of the group, unless a node allows some of its " +
				"tools alone. Headers are left out, with a warning."}, func(s *skill) any { return &s.mcp }},
	}),
}

var inputTable = table[input]{
	Name: "input", Noun: "an input",
	Doc: "An entry of `inputs`.",
	Rows: yamlread.Rows([]row[input]{
		{key{Name: "type", Form: spec.FormWord, Words: words("string", "number", "boolean", "string[]"), Required: true,
			Doc: "The type of a state field: string, float, bool or []string."}, func(i *input) any { return &i.typ }},
		{key{Name: "description", Form: spec.FormText, Doc: "`doc` of the field."}, func(i *input) any { return &i.description }},
		{key{Name: "required", Form: spec.FormBool, Doc: "Without it, and without a default, the type is optional."},
			func(i *input) any { return &i.required }},
		{key{Name: "default", Form: formAny, Doc: "`default` of the field. The default of a list is left out, with a note."},
			func(i *input) any { return &i.value }},
		{key{Name: "enum", Form: formAny, Doc: "An enum, where the values are texts."}, func(i *input) any { return &i.enum }},
	}),
}

var evaluatorTable = table[evaluator]{
	Name: "evaluator", Noun: "an evaluator",
	Doc: "An entry of `eval`.",
	Rows: yamlread.Rows([]row[evaluator]{
		{key{Name: "name", Form: spec.FormName, Required: true,
			Doc: "The name of the eval. One that asks for any of several tools becomes an eval for each of them."}, func(e *evaluator) any { return &e.name }},
		{key{Name: "kind", Form: spec.FormWord, Words: words("value", "function", "judge"), Required: true,
			Doc: "`if`, `called` and `not_called`, or `judge`."}, func(e *evaluator) any { return &e.kind }},
		{key{Name: "rule", Form: formAny,
			Doc: "Paths with [*] and regular expressions that are more than a prefix, a suffix or a part are left out, with a warning."},
			func(e *evaluator) any { return &e.rule }},
		{key{Name: "rubric", Form: spec.FormText, Doc: "`judge`."}, func(e *evaluator) any { return &e.rubric }},
		{key{Name: "pass_when", Form: formAny, Doc: "Where it is not yes, the question names it."}, func(e *evaluator) any { return &e.pass }},
		{key{Name: "model", Form: spec.FormText, Doc: "Left out, with a note."}, func(e *evaluator) any { return &e.model }},
	}),
}

func words(names ...string) []yamlread.Word {
	list := make([]yamlread.Word, len(names))
	for i, n := range names {
		list[i] = yamlread.Word{Name: n}
	}
	return list
}

// own reads values to places of this package.
func own(r *yamlread.Reader, v *tree, k *yamlread.Key, to any) bool {
	switch to := to.(type) {
	case *[]*node:
		*to = yamlread.Entries(r, v, k, &nodeTable, func(n *node) *text { return &n.name })
	case *[]*edge:
		*to = yamlread.Items(r, v, k, &edgeTable)
	case *[]*skill:
		*to = yamlread.Entries(r, v, k, &skillTable, func(s *skill) *text { return &s.id })
	case *[]*input:
		*to = yamlread.Entries(r, v, k, &inputTable, func(i *input) *text { return &i.name })
	case *[]*evaluator:
		*to = yamlread.Items(r, v, k, &evaluatorTable)
	default:
		return false
	}
	return true
}
