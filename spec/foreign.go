package spec

import (
	"maps"
	"slices"
)

// A foreign word is a key of another format of flows (LangGraph, CrewAI, the agents of OpenAI, n8n,
// GitHub Actions …), with what to write in a spec instead.
type foreign map[string]string

// remedy returns several words with one remedy.
func remedies(remedy string, words ...string) foreign {
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

// foreignKeys are the remedies for keys of other formats, by mapping.
var foreignKeys = map[string]foreign{
	"graph": all(
		remedies("the name of a graph is its key graph: write graph: NAME", "name", "id", "title", "workflow", "workflow_name", "kind"),
		remedies("write doc: TEXT", "description", "desc", "about", "summary"),
		remedies("write entry: NODE", "entry_point", "entrypoint", "entry_node", "start", "start_at", "start_node", "initial", "initial_state", "begin", "root"),
		remedies("a run ends at a node with next: end", "finish", "finish_point", "end", "exit", "terminal"),
		remedies("write nodes: {NAME: {…}}", "agents", "tasks", "steps", "states", "jobs", "stages", "actions", "vertices"),
		remedies("write edges: [{from: NODE, to: NODE}]", "connections", "links", "flow", "flows", "transitions", "conditional_edges", "sequence", "routes"),
		remedies("write state: {FIELD: TYPE}", "variables", "vars", "data", "channels", "state_schema", "context", "memory", "fields"),
		remedies("write input: [FIELD], of fields of the state", "inputs", "input_schema", "parameters", "params", "args"),
		remedies("write output: [FIELD], of fields of the state", "outputs", "output_schema", "result", "returns"),
		remedies("write limits: {max_steps: N}", "recursion_limit", "max_iterations", "max_iter", "max_turns", "max_loops"),
		remedies("a model is given to the constructor in Go, and model: NAME of a node names another", "model", "llm", "default_model", "provider", "engine"),
		remedies("write instructions: TEXT at a node of kind prompt", "prompt", "instructions", "system", "system_prompt", "prompts", "system_message"),
		remedies("write types: {NAME: TYPE}", "schema", "schemas", "definitions", "models", "$defs", "structs", "enums"),
		remedies("write tools: {NAME: {doc: TEXT, args: {…}}}", "functions", "tool", "plugins", "skills"),
		remedies("write use: {NAME: FILE}", "imports", "import", "include", "includes"),
		remedies("put a node of kind human where the run has to wait", "interrupt_before", "interrupt_after", "interrupts", "human_input", "approval"),
		remedies("nodes are run one after another along the edges; mode: autonomous lets the model choose", "process", "strategy", "orchestration"),
		remedies("write on_error: NODE", "error_handler", "on_failure", "catch", "fallback"),
		remedies("a spec has no version: leave it out", "version", "apiVersion", "schema_version"),
	),
	"node": all(
		remedies("write instructions: TEXT, at a node of kind prompt", "prompt", "prompts", "prompt_template", "template", "instruction", "system", "system_prompt",
			"system_message", "user_prompt", "messages", "message", "text", "question", "query"),
		remedies("say it in instructions: TEXT", "role", "goal", "backstory", "persona", "expected_output"),
		remedies("write doc: TEXT", "description", "desc", "comment", "about", "summary"),
		remedies("the name of a node is its key under nodes: NAME: {…}", "name", "id", "title"),
		remedies("write kind: WORD", "type", "node_type", "kind_of"),
		remedies("write flags: [{retryable: {attempts: 4}}]; the first attempt counts", "retries", "retry", "max_retries", "num_retries", "retry_policy", "max_attempts", "retry_count"),
		remedies("write model: NAME; what the name means is set in Go", "llm", "model_name", "engine", "provider", "models", "llm_config"),
		remedies("write reads: FIELD, a field of the state", "input", "inputs", "input_variables", "input_keys", "with", "params", "parameters", "variables"),
		remedies("write writes: FIELD, a field of the state", "outputs", "output_key", "output_keys", "output_variable", "save_as", "result", "set", "assign", "updates"),
		remedies("write output: TYPE", "output_schema", "schema", "response_format", "output_type", "output_json", "output_pydantic", "response_model", "structured_output", "returns"),
		remedies("write next: NODE, or an entry of edges: {from: NODE, to: NODE}", "to", "then", "goto_node", "edges", "on_success", "successors", "target", "targets", "next_step", "next_node"),
		remedies("write it at the node before: next: NODE", "depends_on", "needs", "dependencies", "after_node", "requires", "from"),
		remedies("write transitions: {error: NODE}", "on_error", "on_failure", "catch", "fallback", "error"),
		remedies("write an entry of edges: {from: NODE, to: NODE, if: 'out.Score > 3'}", "if", "when", "condition", "conditions", "switch", "cases", "choices", "rules"),
		remedies("write an entry of edges: {from: NODE, branch: {LABEL: NODE}}", "branch", "path_map", "conditional_edges"),
		remedies("let a node of kind router choose: routes: [NODE]", "handoffs", "handoff", "transfer", "delegate", "allow_delegation", "agents", "candidates"),
		remedies("write guards: [NAME], or put a node of kind guard before it", "guardrails", "guardrail", "input_guardrails", "output_guardrails", "validators", "validate", "checks"),
		remedies("put a node of kind human where the run has to wait", "human_input", "interrupt", "interrupt_before", "interrupt_after", "approval", "require_approval", "ask_human"),
		remedies("write tools: [NAME], of the graph's tools", "functions", "function_call", "plugins", "skills"),
		remedies("the code of a node is the Go method of its name", "function", "func", "handler", "code", "run", "script", "uses", "action", "exec", "command", "callable"),
		remedies("write max_visits: N", "max_iter", "max_turns", "recursion_limit", "max_loops", "max_rounds"),
		remedies("write flags: [cacheable]", "cache", "memoize", "cache_policy"),
		remedies("write context: WORD", "memory", "history", "chat_history", "include_history"),
		remedies("write kind: map with over: FIELD and body: NODE", "foreach", "for_each", "items", "map", "each"),
		remedies("write kind: loop with body: NODE and until: 'out.Done'", "loop", "while", "repeat", "do"),
		remedies("write kind: parallel with branches: {LABEL: NODE}", "parallel", "fork", "concurrent", "fan_out", "async", "async_execution"),
		remedies("write kind: subgraph with graph: FILE", "subgraph", "workflow", "flow", "crew"),
		remedies("write next: end", "end", "is_end", "final", "finish", "stop_after"),
		remedies("write entry: NODE at the graph", "start", "is_start", "entrypoint", "initial"),
		remedies("write timeout: 30s", "timeout_seconds", "timeout_ms", "time_limit", "max_execution_time", "deadline"),
		remedies("settings of a provider are made in Go, where the model is", "top_p", "top_k", "seed", "stop", "api_key", "base_url", "endpoint"),
	),
	"edge": all(
		remedies("write from: NODE", "source", "src", "from_node", "start", "start_key", "tail"),
		remedies("write to: NODE", "target", "dest", "destination", "dst", "to_node", "end", "end_key", "next", "goto", "head", "then"),
		remedies("write if: 'out.Score > 3', a Go expression", "condition", "cond", "conditions", "expr", "expression", "predicate", "guard", "unless", "filter"),
		remedies("write branch: {LABEL: NODE}", "path_map", "mapping", "map", "cases", "switch", "routes", "conditional", "paths"),
		remedies("write priority: N; the highest is tried first", "order", "weight", "rank"),
		remedies("write label: TEXT", "name", "description", "doc", "id", "title"),
		remedies("write max_iterations: N", "max", "limit", "max_loops", "max_visits", "times"),
	),
	"tool": all(
		remedies("write args: {NAME: TYPE}", "parameters", "params", "input_schema", "inputSchema", "inputs", "input", "arguments", "properties", "schema", "args_schema"),
		remedies("write doc: TEXT", "description", "desc", "about"),
		remedies("write returns: TYPE", "output", "outputs", "result", "output_schema", "return", "return_type", "response"),
		remedies("the name of a tool is its key under tools: NAME: {…}", "name", "id", "title"),
		remedies("the code of a tool is the Go method of its name", "function", "func", "handler", "code", "url", "endpoint", "command", "server", "type"),
	),
	"limits": all(
		remedies("write max_steps: N", "recursion_limit", "max_iterations", "max_iter", "max_turns", "steps", "max_loops"),
		remedies("write timeout: 30s", "max_execution_time", "time", "deadline", "max_time", "timeout_seconds"),
		remedies("write max_tokens: N", "tokens", "token_limit", "total_tokens"),
		remedies("write max_cost: N, in US dollars", "cost", "budget", "max_budget", "price"),
		remedies("write max_model_calls: N", "calls", "max_calls", "max_llm_calls", "max_rpm", "requests"),
	),
}

// ForeignKinds are the remedies for kinds of nodes of other formats.
var ForeignKinds = all(
	remedies("write kind: prompt, which asks a model", "llm", "model", "chat", "completion", "ai", "lm", "assistant", "openai", "gpt", "llm_node", "generate"),
	remedies("write kind: prompt with tools: [NAME]: it asks the model until it calls no tool", "agent", "react", "react_agent", "tool_agent", "tool_calling_agent"),
	remedies("write kind: func, whose code is a Go method", "task", "step", "action", "function", "code", "python", "script", "node", "process", "handler", "lambda", "activity", "job"),
	remedies("write kind: router with routes: [NODE], or an edge with if", "condition", "conditional", "if", "if_else", "switch", "choice", "branch", "decision", "gateway", "classifier", "supervisor", "handoff", "selector"),
	remedies("write kind: autonomous with pool: [NODE]", "manager", "orchestrator", "planner", "swarm", "team", "group_chat"),
	remedies("write kind: human, which waits for a person", "input", "user", "user_input", "approval", "interrupt", "wait", "form", "pause", "human_in_the_loop", "review"),
	remedies("write kind: map with over: FIELD and body: NODE", "foreach", "for_each", "iterator", "iteration", "each", "send", "distribute", "batch"),
	remedies("write kind: loop with body: NODE and until: 'out.Done'", "while", "repeat", "until", "do_while", "cycle"),
	remedies("write kind: parallel with branches: {LABEL: NODE}", "fork", "fan_out", "fanout", "concurrent", "gather", "all", "join", "merge", "aggregate"),
	remedies("write kind: subgraph with graph: FILE", "workflow", "graph", "flow", "crew", "subworkflow", "sub_workflow", "child"),
	remedies("write kind: tool with tool: NAME", "tools", "tool_node", "http", "api", "mcp", "function_call", "request"),
	remedies("write kind: guard with on_pass: NODE and on_fail: NODE", "validator", "validation", "check", "guardrail", "filter", "moderation", "assert"),
	remedies("write kind: transform", "set", "assign", "template", "format", "mapper"),
	remedies("write kind: pass, which does nothing and leads on by its edges", "passthrough", "noop", "dummy", "empty", "junction"),
	remedies("a graph has no such node: write entry: NODE, and next: end", "start", "end", "begin", "finish", "trigger", "entry", "exit"),
)

// mappingRemedies are for keys with one word for which other formats have a mapping.
var mappingRemedies = map[string]string{
	"model": "write model: NAME; temperature and max_tokens are keys of the node, and the rest is set in Go",
	"next":  "write next: NODE; conditions belong in edges: {from: NODE, to: NODE, if: 'out.Score > 3'}",
	"kind":  "write kind: WORD; its settings are keys of the node",
	"tool":  "write tool: NAME, of the graph's tools",
	"entry": "write entry: NODE",
}

// remedyOf returns the remedy for a key of another format, or "".
func remedyOf(mapping, key string) string {
	if slices.Contains([]string{"branch edge", "sequential edge", "loop edge"}, mapping) {
		mapping = "edge"
	}
	return foreignKeys[mapping][key]
}
