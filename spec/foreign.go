package spec

import (
	"maps"
	"slices"
)

// A foreign word is one that people bring along from other formats of flows (LangGraph,
// CrewAI, the agents of OpenAI, n8n, GitHub Actions …), and what to write for it here.
type foreign map[string]string

// said gives several words one remedy.
func said(remedy string, words ...string) foreign {
	f := foreign{}
	for _, w := range words {
		f[w] = remedy
	}
	return f
}

func all(of ...foreign) foreign {
	whole := foreign{}
	for _, f := range of {
		maps.Copy(whole, f)
	}
	return whole
}

// foreignKeys are the remedies for keys of other formats, by the mapping they stand in.
var foreignKeys = map[string]foreign{
	"graph": all(
		said("the name of a graph is its key graph: write graph: NAME", "name", "id", "title", "workflow", "workflow_name", "kind"),
		said("write doc: TEXT", "description", "desc", "about", "summary"),
		said("write entry: NODE", "entry_point", "entrypoint", "entry_node", "start", "start_at", "start_node", "initial", "initial_state", "begin", "root"),
		said("a run ends at a node with next: end", "finish", "finish_point", "end", "exit", "terminal"),
		said("write nodes: {NAME: {…}}", "agents", "tasks", "steps", "states", "jobs", "stages", "actions", "vertices"),
		said("write edges: [{from: NODE, to: NODE}]", "connections", "links", "flow", "flows", "transitions", "conditional_edges", "sequence", "routes"),
		said("write state: {FIELD: TYPE}", "variables", "vars", "data", "channels", "state_schema", "context", "memory", "fields"),
		said("write input: [FIELD], of fields of the state", "inputs", "input_schema", "parameters", "params", "args"),
		said("write output: [FIELD], of fields of the state", "outputs", "output_schema", "result", "returns"),
		said("write limits: {max_steps: N}", "recursion_limit", "max_iterations", "max_iter", "max_turns", "max_loops"),
		said("a model is given to the constructor in Go, and model: NAME of a node names another", "model", "llm", "default_model", "provider", "engine"),
		said("write instructions: TEXT at a node of kind prompt", "prompt", "instructions", "system", "system_prompt", "prompts", "system_message"),
		said("write types: {NAME: TYPE}", "schema", "schemas", "definitions", "models", "$defs", "structs", "enums"),
		said("write tools: {NAME: {doc: TEXT, args: {…}}}", "functions", "tool", "plugins", "skills"),
		said("write use: {NAME: FILE}", "imports", "import", "include", "includes"),
		said("put a node of kind human where the run has to wait", "interrupt_before", "interrupt_after", "interrupts", "human_input", "approval"),
		said("nodes are run one after another along the edges; mode: autonomous lets the model choose", "process", "strategy", "orchestration"),
		said("write on_error: NODE", "error_handler", "on_failure", "catch", "fallback"),
		said("a spec has no version: leave it out", "version", "apiVersion", "schema_version"),
	),
	"node": all(
		said("write instructions: TEXT, at a node of kind prompt", "prompt", "prompts", "prompt_template", "template", "instruction", "system", "system_prompt",
			"system_message", "user_prompt", "messages", "message", "text", "question", "query"),
		said("say it in instructions: TEXT", "role", "goal", "backstory", "persona", "expected_output"),
		said("write doc: TEXT", "description", "desc", "comment", "about", "summary"),
		said("the name of a node is its key under nodes: NAME: {…}", "name", "id", "title"),
		said("write kind: WORD", "type", "node_type", "kind_of"),
		said("write flags: [{retryable: {attempts: 4}}]; the first attempt counts", "retries", "retry", "max_retries", "num_retries", "retry_policy", "max_attempts", "retry_count"),
		said("write model: NAME; what the name means is set in Go", "llm", "model_name", "engine", "provider", "models", "llm_config"),
		said("write reads: FIELD, a field of the state", "input", "inputs", "input_variables", "input_keys", "with", "params", "parameters", "variables"),
		said("write writes: FIELD, a field of the state", "outputs", "output_key", "output_keys", "output_variable", "save_as", "result", "assign", "updates"),
		said("write output: TYPE", "output_schema", "schema", "response_format", "output_type", "output_json", "output_pydantic", "response_model", "structured_output", "returns"),
		said("write next: NODE, or an entry of edges: {from: NODE, to: NODE}", "to", "then", "goto_node", "edges", "on_success", "successors", "target", "targets", "next_step", "next_node"),
		said("write it at the node before: next: NODE", "depends_on", "needs", "dependencies", "after_node", "requires", "from"),
		said("write transitions: {error: NODE}", "on_error", "on_failure", "catch", "fallback", "error"),
		said("write an entry of edges: {from: NODE, to: NODE, if: 'out.Score > 3'}", "if", "when", "condition", "conditions", "switch", "cases", "choices", "rules"),
		said("write an entry of edges: {from: NODE, branch: {LABEL: NODE}}", "branch", "path_map", "conditional_edges"),
		said("let a node of kind router choose: routes: [NODE]", "handoffs", "handoff", "transfer", "delegate", "allow_delegation", "agents", "candidates"),
		said("write guards: [NAME], or put a node of kind guard before it", "guardrails", "guardrail", "input_guardrails", "output_guardrails", "validators", "validate", "checks"),
		said("put a node of kind human where the run has to wait", "human_input", "interrupt", "interrupt_before", "interrupt_after", "approval", "require_approval", "ask_human"),
		said("write tools: [NAME], of the graph's tools", "functions", "function_call", "plugins", "skills"),
		said("the code of a node is the Go method of its name", "function", "func", "handler", "code", "run", "script", "uses", "action", "exec", "command", "callable"),
		said("write max_visits: N", "max_iter", "max_turns", "recursion_limit", "max_loops", "max_rounds"),
		said("write flags: [cacheable]", "cache", "memoize", "cache_policy"),
		said("write context: WORD", "memory", "history", "chat_history", "include_history"),
		said("write kind: map with over: FIELD and body: NODE", "foreach", "for_each", "items", "map", "each"),
		said("write kind: loop with body: NODE and until: 'out.Done'", "loop", "while", "repeat", "do"),
		said("write kind: parallel with branches: {LABEL: NODE}", "parallel", "fork", "concurrent", "fan_out", "async", "async_execution"),
		said("write kind: subgraph with graph: FILE", "subgraph", "workflow", "flow", "crew"),
		said("write next: end", "end", "is_end", "final", "finish", "stop_after"),
		said("write entry: NODE at the graph", "start", "is_start", "entrypoint", "initial"),
		said("write timeout: 30s", "timeout_seconds", "timeout_ms", "time_limit", "max_execution_time", "deadline"),
		said("settings of a provider are made in Go, where the model is", "top_p", "top_k", "seed", "stop", "api_key", "base_url", "endpoint"),
	),
	"edge": all(
		said("write from: NODE", "source", "src", "from_node", "start", "start_key", "tail"),
		said("write to: NODE", "target", "dest", "destination", "dst", "to_node", "end", "end_key", "next", "goto", "head", "then"),
		said("write if: 'out.Score > 3', a Go expression", "condition", "cond", "conditions", "expr", "expression", "predicate", "guard", "unless", "filter"),
		said("write branch: {LABEL: NODE}", "path_map", "mapping", "map", "cases", "switch", "routes", "conditional", "paths"),
		said("write priority: N; the highest is tried first", "order", "weight", "rank"),
		said("write label: TEXT", "name", "description", "doc", "id", "title"),
		said("write max_iterations: N", "max", "limit", "max_loops", "max_visits", "times"),
	),
	"tool": all(
		said("write args: {NAME: TYPE}", "parameters", "params", "input_schema", "inputSchema", "inputs", "input", "arguments", "properties", "schema", "args_schema"),
		said("write doc: TEXT", "description", "desc", "about"),
		said("write returns: TYPE", "output", "outputs", "result", "output_schema", "return", "return_type", "response"),
		said("the name of a tool is its key under tools: NAME: {…}", "name", "id", "title"),
		said("the code of a tool is the Go method of its name", "function", "func", "handler", "code", "url", "endpoint", "command", "server", "type"),
	),
	"limits": all(
		said("write max_steps: N", "recursion_limit", "max_iterations", "max_iter", "max_turns", "steps", "max_loops"),
		said("write timeout: 30s", "max_execution_time", "time", "deadline", "max_time", "timeout_seconds"),
		said("write max_tokens: N", "tokens", "token_limit", "total_tokens"),
		said("write max_cost: N, in US dollars", "cost", "budget", "max_budget", "price"),
		said("write max_model_calls: N", "calls", "max_calls", "max_llm_calls", "max_rpm", "requests"),
	),
}

// ForeignKinds are the remedies for kinds of nodes of other formats.
var ForeignKinds = all(
	said("write kind: prompt, which asks a model", "llm", "model", "chat", "completion", "ai", "lm", "assistant", "openai", "gpt", "llm_node", "generate"),
	said("write kind: prompt with tools: [NAME]: it asks the model until it calls no tool", "agent", "react", "react_agent", "tool_agent", "tool_calling_agent"),
	said("write kind: func, whose code is a Go method", "task", "step", "action", "function", "code", "python", "script", "node", "process", "handler", "lambda", "activity", "job"),
	said("write kind: router with routes: [NODE], or an edge with if", "condition", "conditional", "if", "if_else", "switch", "choice", "branch", "decision", "gateway", "classifier", "supervisor", "handoff", "selector"),
	said("write kind: autonomous with pool: [NODE]", "manager", "orchestrator", "planner", "swarm", "team", "group_chat"),
	said("write kind: human, which waits for a person", "input", "user", "user_input", "approval", "interrupt", "wait", "form", "pause", "human_in_the_loop", "review"),
	said("write kind: map with over: FIELD and body: NODE", "foreach", "for_each", "iterator", "iteration", "each", "send", "distribute", "batch"),
	said("write kind: loop with body: NODE and until: 'out.Done'", "while", "repeat", "until", "do_while", "cycle"),
	said("write kind: parallel with branches: {LABEL: NODE}", "fork", "fan_out", "fanout", "concurrent", "gather", "all", "join", "merge", "aggregate"),
	said("write kind: subgraph with graph: FILE", "workflow", "graph", "flow", "crew", "subworkflow", "sub_workflow", "child"),
	said("write kind: tool with tool: NAME", "tools", "tool_node", "http", "api", "mcp", "function_call", "request"),
	said("write kind: guard with on_pass: NODE and on_fail: NODE", "validator", "validation", "check", "guardrail", "filter", "moderation", "assert"),
	said("write kind: set with set: {FIELD: 'state.Count + 1'}", "assign", "assignment", "set_state"),
	said("write kind: transform", "template", "format", "mapper"),
	said("write kind: pass, which does nothing and leads on by its edges", "passthrough", "noop", "dummy", "empty", "junction"),
	said("a graph has no such node: write entry: NODE, and next: end", "start", "end", "begin", "finish", "trigger", "entry", "exit"),
)

// mappingRemedies are for keys of one word for which people write a mapping.
var mappingRemedies = map[string]string{
	"model": "write model: NAME; temperature and max_tokens are keys of the node, and the rest is set in Go",
	"next":  "write next: NODE; conditions belong in edges: {from: NODE, to: NODE, if: 'out.Score > 3'}",
	"kind":  "write kind: WORD; its settings are keys of the node",
	"tool":  "write tool: NAME, of the graph's tools",
	"entry": "write entry: NODE",
}

// remedyOf returns what to write for a key of another format, "" if it is none.
func remedyOf(mapping, key string) string {
	if slices.Contains([]string{"branch edge", "sequential edge", "loop edge"}, mapping) {
		mapping = "edge"
	}
	return foreignKeys[mapping][key]
}
