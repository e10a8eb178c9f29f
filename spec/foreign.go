package spec

import (
	"maps"
	"slices"

	"github.com/graphgen/graphgen/spec/diag"
)

// A foreign word is a key of another format of flows (LangGraph, CrewAI, the agents of OpenAI, n8n,
// GitHub Actions …), with what to write in a spec instead.
type foreign map[string]string

// remedies returns several words with one remedy.
func remedies(remedy string, words ...string) foreign {
	f := foreign{}
	for _, w := range words {
		f[w] = remedy
	}
	return f
}

// instead is a remedy that is a key of the mapping.
func instead(key, value string) string { return "write " + diag.Instead(key, value) }

// oneEdge suggests an edge of the graph.
func oneEdge(edge string) string { return diag.Either("an entry of ", "") + diag.Set("edges", edge) }

func all(of ...foreign) foreign {
	whole := foreign{}
	for _, f := range of {
		maps.Copy(whole, f)
	}
	return whole
}

// foreignKeys are the remedies for keys of other formats for which the mapping has no key. Those for which
// it has one are in the row of the key.
var foreignKeys = map[string]foreign{
	"graph": all(
		remedies("the name of a graph is "+diag.Either("its key graph: write graph: NAME", "in its comment: //graphgen:graph NAME"), "name", "id", "title",
			"workflow", "workflow_name", "kind"),
		remedies("a run ends at a node with "+diag.Set("next", "end"), "finish", "finish_point", "end", "exit", "terminal"),
		remedies(instead("instructions", "TEXT")+" at a node of kind prompt", "prompt", "instructions", "system", "system_prompt", "prompts", "system_message"),
		remedies(instead("types", "{NAME: TYPE}"), "schema", "schemas", "definitions", "models", "$defs", "structs", "enums"),
		remedies(instead("use", "{NAME: FILE}"), "imports", "import", "include", "includes"),
		remedies(instead("interrupt_before", "[NODE]")+", or put a node of kind human where the run has to wait", "interrupts", "interrupt", "human_input",
			"approval"),
		remedies("nodes are run one after another along the edges; "+diag.Set("mode", "autonomous")+" lets the model choose", "process", "strategy",
			"orchestration"),
		remedies("a spec has no version: leave it out", "version", "apiVersion", "schema_version"),
	),
	"node": all(
		remedies("say it in "+diag.Set("instructions", "TEXT"), "role", "goal", "backstory", "persona", "expected_output"),
		remedies("the name of a node is "+diag.Either("its key under nodes: NAME: {…}", "the name of its field, or name=other in the tag"), "name", "id",
			"title"),
		remedies("write it at the node before: "+diag.Set("next", "NODE"), "depends_on", "needs", "dependencies", "after_node", "requires", "from"),
		remedies("write "+oneEdge("{from: NODE, to: NODE, if: 'out.Score > 3'}"), "if", "when", "condition", "conditions",
			"switch", "cases", "choices", "rules"),
		remedies("write "+oneEdge("{from: NODE, branch: {LABEL: NODE}}"), "branch", "path_map", "conditional_edges"),
		remedies("let a node of kind router choose: "+diag.Set("routes", "[NODE]"), "handoffs", "handoff", "transfer", "delegate", "allow_delegation",
			"agents", "candidates"),
		remedies("put a node of kind human where the run has to wait", "human_input", "interrupt", "interrupt_before",
			"interrupt_after", "approval", "require_approval", "ask_human"),
		remedies("the code of a node is the Go method of its name", "function", "func", "handler", "code", "run", "script", "uses",
			"action", "exec", "command", "callable"),
		remedies(instead("flags", "[cacheable]"), "cache", "memoize", "cache_policy"),
		remedies(instead("kind", "map")+" with "+diag.Set("over", "FIELD")+" and "+diag.Set("body", "NODE"), "foreach", "for_each", "items", "map", "each"),
		remedies(instead("kind", "loop")+" with "+diag.Set("body", "NODE")+" and "+diag.Set("until", "'out.Done'"), "loop", "while", "repeat", "do"),
		remedies(instead("kind", "parallel")+" with "+diag.Set("branches", "{LABEL: NODE}"), "parallel", "fork", "concurrent", "fan_out", "async",
			"async_execution"),
		remedies(instead("kind", "subgraph")+" with "+diag.Set("graph", "FILE"), "subgraph", "workflow", "flow", "crew"),
		remedies(instead("next", "end"), "end", "is_end", "final", "finish", "stop_after"),
		remedies("settings of a provider are made in Go, where the model is", "top_p", "top_k", "seed", "stop", "api_key", "base_url", "endpoint"),
	),
	"edge": remedies(instead("branch", "{LABEL: NODE}"), "path_map", "mapping", "map", "cases", "switch", "routes", "conditional", "paths"),
	"tool": all(
		remedies("the name of a tool is its key"+diag.Either(" under tools: NAME: {…}", ", as in tools={NAME: {doc: TEXT}}"), "name", "id", "title"),
		remedies("the code of a tool is the Go method of its name", "function", "func", "handler", "code", "url", "endpoint", "command", "server", "type"),
	),
}

// foreignNodeKeys are the remedies for keys of nodes of one kind, where they differ from the remedies of all nodes. The key may be one of
// other kinds.
var foreignNodeKeys = map[string]foreign{
	"say": remedies(instead("say", "TEXT")+", with {{field}} for the value of a state field", "text", "content", "message", "template", "value",
		"instructions", "body"),
	"set": remedies(instead("set", "{FIELD: 'state.Count + 1'}"), "values", "value", "assign", "assignments", "assignment", "fields", "writes", "updates"),
	"human": all(
		remedies(instead("instructions", "TEXT")+", the question to the person", "question", "text", "message", "content", "prompt", "ask", "say"),
		remedies(instead("next", "NODE")+", where the run goes when the person approves", "on_approve", "on_approved", "on_approval", "on_accept",
			"on_yes", "on_confirm", "on_success", "approved", "on_pass"),
		remedies(instead("output", "TYPE")+", what the person answers", "fields", "form", "options", "choices", "answer", "schema"),
	),
	"map": all(
		remedies(instead("item", "FIELD")+", the field of the state that holds the element in its branch", "as", "item_name", "item_key", "item_var",
			"var", "variable", "element", "each", "iterator", "loop_var"),
		remedies(instead("over", "FIELD")+", a list in the state", "items", "list", "in", "foreach", "for_each", "collection", "iterate_over", "source"),
	),
	"loop": all(
		remedies(instead("until", "'out.Done'")+", the condition that ends the loop", "condition", "while", "if", "when", "break_if", "exit_when", "exit_if"),
		remedies(instead("body", "NODE"), "nodes", "steps", "do", "node", "repeat"),
		remedies(instead("max_iterations", "N"), "max", "times", "count", "max_loops", "max_rounds"),
	),
	"retry": all(
		remedies(instead("body", "NODE"), "nodes", "steps", "do", "node"),
		remedies(instead("attempts", "N")+"; the first attempt counts", "max_attempts", "retries", "max_retries", "times", "count"),
	),
	"parallel":   remedies(instead("branches", "{LABEL: NODE}"), "nodes", "steps", "tasks", "children", "body"),
	"autonomous": remedies(instead("pool", "[NODE]"), "nodes", "agents", "members", "team", "steps", "body"),
	"router":     remedies(instead("routes", "[NODE]"), "choices", "options", "cases", "targets", "destinations", "candidates"),
	"guard": all(
		remedies(instead("on_pass", "NODE"), "on_success", "on_approve", "then", "pass"),
		remedies(instead("on_fail", "NODE"), "on_failure", "on_reject", "else", "fail"),
	),
	"subgraph": all(
		remedies(instead("graph", "NAME")+", and its file in "+diag.Set("use", "{NAME: FILE}"), "workflow", "subgraph", "flow", "file", "path", "spec"),
		remedies(instead("in", "{INPUT: FIELD}"), "inputs", "input", "with", "args", "params", "parameters", "reads"),
		remedies(instead("out", "{FIELD: OUTPUT}"), "outputs", "output", "result", "returns", "writes"),
	),
	"tool": remedies(instead("args", "{ARGUMENT: FIELD}"), "with", "params", "parameters", "input", "inputs", "arguments", "reads"),
}

// ForeignNodeKey returns the remedy for a key that nodes of a kind do not have, or "".
func ForeignNodeKey(kind, key string) string {
	if remedy := foreignNodeKeys[kind][key]; remedy != "" {
		return remedy
	}
	return remedyOf(nodeTable.Name, key)
}

// noKinds are names that other formats have for nodes that a graph does not have.
var noKinds = remedies("a graph has no such node: write "+diag.Set("entry", "NODE")+", and "+diag.Set("next", "end"), "start", "end", "begin", "finish",
	"trigger", "entry", "exit")

// ForeignKind returns the remedy for a kind of nodes of other formats, or "".
func ForeignKind(name string) string {
	for _, k := range Kinds {
		if remedy := k.Foreign[name]; remedy != "" {
			return remedy
		}
	}
	return noKinds[name]
}

// mappingRemedies are for keys with one word for which other formats have a mapping.
var mappingRemedies = map[string]string{
	"model": "write " + diag.Set("model", "NAME") + "; temperature and max_tokens are keys of their own, and the rest is set in Go",
	"next":  "write " + diag.Set("next", "NODE") + "; conditions belong in " + diag.Set("edges", "{from: NODE, to: NODE, if: 'out.Score > 3'}"),
	"kind":  "write " + diag.Set("kind", "WORD") + "; its settings are keys of the node",
	"tool":  "write " + diag.Set("tool", "NAME") + ", of the graph's tools",
	"entry": "write " + diag.Set("entry", "NODE"),
}

// boolRemedies are for keys with words for which other formats, or other mappings, have a bool.
var boolRemedies = map[string]string{
	"approve": "write " + diag.Set("approve", "[TOOL]") + ", of the tools that the node has, or " + diag.Set("approve", "true") +
		" at a tool of the graph",
	"tools":            "write " + diag.Set("tools", "[TOOL]") + ", of the graph's tools",
	"history":          "write " + diag.Set("history", "FIELD") + ", a field of type messages",
	"record":           "write " + diag.Set("record", "FIELD") + ", a field of the state",
	"entry":            "write " + diag.Set("entry", "NODE") + " at the graph, or " + diag.Set("flags", "[entry]") + " at the node",
	"terminal":         "write " + diag.Set("flags", "[terminal]"),
	"interrupt_before": "write " + diag.Set("interrupt_before", "[NODE]"),
	"interrupt_after":  "write " + diag.Set("interrupt_after", "[NODE]"),
	"next":             "write " + diag.Set("next", "NODE"),
	"on_error":         "write " + diag.Set("on_error", "NODE"),
	"on_deny":          "write " + diag.Set("on_deny", "NODE"),
	"on_timeout":       "write " + diag.Set("on_timeout", "NODE"),
}

// remedyOf returns the remedy for a key of another format, or "".
func remedyOf(mapping, key string) string {
	if slices.Contains([]string{"branch edge", "sequential edge", "loop edge"}, mapping) {
		mapping = "edge"
	}
	if mapping == "node" && slices.ContainsFunc(Flags, func(f FlagRow) bool { return f.Name == key }) {
		return instead("flags", "["+key+"]")
	}
	for _, m := range Reference() {
		if m.Name != mapping {
			continue
		}
		for _, k := range m.Keys {
			if remedy := k.Foreign[key]; remedy != "" {
				return remedy
			}
		}
	}
	return foreignKeys[mapping][key]
}
