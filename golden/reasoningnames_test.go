package golden_test

// A brick is a name of the reasoning graph that graphs of Promptise are made of, with its proof.
type brick struct {
	name     string // there
	here     string // what it is in graphgen, in Markdown
	spec     string // the golden spec that uses it, without its ending
	has      string // a key of the spec, or a key and its value, as in "kind: think"
	scenario string // of the spec
	test     string // in place of a scenario: the file of a test, from the root, and the name of the test
	differs  string // how it differs, and why
}

// A chapter is what the documentation of the reasoning graph lists under one heading.
type chapter struct {
	title  string
	count  int // of its names
	bricks []brick
}

const (
	inquiry    = "plans, acts, observes, thinks, reflects, splits, answers, judges and justifies"
	priorities = "the edge of the highest priority is tried first"
)

var reasoningGraph = []chapter{
	{"Modes", 3, []brick{
		{name: "autonomous", here: "`mode: autonomous`", spec: "autonomous/autonomous", has: "mode: autonomous", scenario: "runs start at the entry, and end after a node with the flag terminal", differs: "It is not the default: a graph without edges is more often a mistake than a pool."},
		{name: "static", here: "`mode: static`, the default", spec: "loops/loops", has: "edges", scenario: "sequential makes edges without conditions, and the loop ends when its condition holds"},
		{name: "node_pool", here: "`pool` of a node of kind autonomous", spec: "pool/pool_terminal", has: "pool", scenario: "the entry runs first, without a model call"},
	}},
	{"Nodes", 20, []brick{
		{name: "PromptNode", here: "`kind: prompt`", spec: "prompts/prompts", has: "kind: prompt", scenario: "placeholders are replaced by state values, a text as it is and the rest as JSON"},
		{name: "ToolNode", here: "`kind: tool`", spec: "toolcalls/toolcalls", has: "kind: tool", scenario: "the calls go to the node at the end of the on: tool_calls edge"},
		{name: "TransformNode", here: "`kind: transform`", spec: "mapping/map_transform", has: "kind: transform", scenario: "a transform runs for every element"},
		{name: "RouterNode", here: "`kind: router`", spec: "modelroute/modelroute", has: "kind: router", scenario: "a router that has instructions asks the model for one of its routes"},
		{name: "GuardNode", here: "`kind: guard`", spec: "guards/guards", has: "kind: guard", scenario: "a guard node that refuses takes on_fail, and one that passes takes on_pass"},
		{name: "LoopNode", here: "`kind: loop`", spec: "loopretry/loopretry", has: "kind: loop", scenario: "a loop ends when its condition holds"},
		{name: "HumanNode", here: "`kind: human`", spec: "human/human", has: "kind: human", scenario: "a run pauses at a human node, with its question", differs: "Without an answer it is a denial, not an approval: an approval fails closed."},
		{name: "ParallelNode", here: "`kind: parallel`", spec: "parallel/parallel", has: "kind: parallel", scenario: "all branches run at the same time, and the path lists them one after the other in the order of the spec"},
		{name: "SubgraphNode", here: "`kind: subgraph`", spec: "subgraph/article", has: "kind: subgraph", scenario: "the graphs of subgraph nodes have their own scripts"},
		{name: "AutonomousNode", here: "`kind: autonomous`", spec: "pool/pool", has: "kind: autonomous", scenario: "the model picks node after node, and ends the pool"},
		{name: "ThinkNode", here: "`kind: think`", spec: "reasoning/inquiry", has: "kind: think", scenario: inquiry},
		{name: "ObserveNode", here: "`kind: observe`", spec: "reasoning/inquiry", has: "kind: observe", scenario: inquiry},
		{name: "CritiqueNode", here: "`kind: critique`", spec: "reasoning/inquiry", has: "kind: critique", scenario: inquiry},
		{name: "PlanNode", here: "`kind: plan`", spec: "reasoning/inquiry", has: "kind: plan", scenario: "plans three times at most for want of quality, and goes on with the plan there is"},
		{name: "ReflectNode", here: "`kind: reflect`", spec: "reasoning/inquiry", has: "kind: reflect", scenario: "keeps the newest five reflections, and answers when the rounds are used up"},
		{name: "JustifyNode", here: "`kind: justify`", spec: "reasoning/inquiry", has: "kind: justify", scenario: inquiry},
		{name: "SynthesizeNode", here: "`kind: synthesize`", spec: "reasoning/inquiry", has: "kind: synthesize", scenario: inquiry},
		{name: "ValidateNode", here: "`kind: validate`", spec: "reasoning/inquiry", has: "kind: validate", scenario: inquiry},
		{name: "RetryNode", here: "`kind: retry`", spec: "loopretry/loopretry", has: "kind: retry", scenario: "a retry runs its body again, with waits that grow by its factor, within one visit", differs: "Errors that are not transient need `retry_on: any`: a mistake in an input fails again."},
		{name: "FanOutNode", here: "`kind: fan_out`", spec: "reasoning/inquiry", has: "kind: fan_out", scenario: "plans anew when a reflection wants that, and answers parts with tools"},
	}},
	{"Nodes in code", 2, []brick{
		{name: "@node", here: "`kind: func`: a method of the handlers", spec: "gotonode/gotonode", has: "goto", scenario: "the handler names the next node", differs: "The method has the types of what it reads and writes, in place of a dictionary."},
		{name: "BaseNode", here: "`kind: func`: a method of the handlers", spec: "state/state", has: "nodes", scenario: "a node that declares neither reads nor writes changes the state itself", differs: "There is no class to derive from: the compiler writes what surrounds the handler."},
	}},
	{"Edges", 12, []brick{
		{name: "always()", here: "an edge without a condition", spec: "priority/priority", has: "to", scenario: "an edge without a condition is always taken"},
		{name: "sequential()", here: "`sequential`", spec: "loops/loops", has: "sequential", scenario: "sequential makes edges without conditions, and the loop ends when its condition holds"},
		{name: "when()", here: "`if`, a Go expression", spec: "outputs/outputs", has: "if", scenario: "a condition sees the output and the result", differs: "`when` is a condition in natural language. An `if` that panics is a failure of the node, not false."},
		{name: "on_tool_call()", here: "`on: tool_call`", spec: "toolcalls/toolcalls", has: "on: tool_call", scenario: "the calls go to the node at the end of the on: tool_calls edge", differs: "It needs `tool_loop: false`: the first rule takes every other call, so that the edge could never be taken."},
		{name: "on_no_tool_call()", here: "`on: no_tool_call`", spec: "toolreads/pending", has: "on: no_tool_call", scenario: "the call has what was written since"},
		{name: "on_output()", here: "`on_output`", spec: "outputs/on_output", has: "on_output", scenario: "on_output compares a text"},
		{name: "on_error()", here: "`on: error`", spec: "failures/error_edges", has: "on: error", scenario: "the first open error edge is taken"},
		{name: "on_confidence()", here: "`on_confidence`", spec: "outputs/on_confidence", has: "on_confidence: 0.7", scenario: "a confidence above the threshold matches"},
		{name: "on_guard_fail()", here: "`on: guard_fail`", spec: "guards/guards", has: "on: guard_fail", scenario: "the guard_fail edge goes before the retry, and the refused output is not written"},
		{name: "loop_until()", here: "`loop_until`", spec: "loops/loops", has: "loop_until", scenario: "the exit is taken when the bound of the loop is exhausted"},
		{name: "output.route", here: "`route` in the output", spec: "route/route", has: "route", scenario: "any other value is the name of a node"},
		{name: "add_edge()", here: "an entry of `edges`", spec: "priority/priority", has: "from", scenario: priorities},
	}},
	{"An edge", 5, []brick{
		{name: "from_node", here: "`from`", spec: "priority/priority", has: "from", scenario: priorities},
		{name: "to_node", here: "`to`", spec: "priority/priority", has: "to", scenario: priorities},
		{name: "condition", here: "`if`", spec: "priority/priority", has: "if", scenario: "a condition that does not hold leaves the choice to the next edge"},
		{name: "label", here: "`label`", spec: "review/review", has: "label", scenario: "publishes when the critic is satisfied"},
		{name: "priority", here: "`priority`", spec: "priority/priority", has: "priority", scenario: priorities},
	}},
	{"The seven rules", 7, []brick{
		{name: "tool loop", here: "rule `tool loop`", spec: "toolloop/toolloop", has: "tools", scenario: "the tools run and the node is entered again, and each round is a step and a visit"},
		{name: "LLM routing", here: "rule `route`", spec: "rules/rules", has: "route", scenario: "a route in the output comes before every other rule"},
		{name: "NodeResult.next_node", here: "rule `goto`", spec: "rules/rules", has: "goto", scenario: "the node that the handler names comes before the edges"},
		{name: "graph edges", here: "rule `edge`", spec: "rules/rules", has: "edges", scenario: "the edges come before the transitions"},
		{name: "node transitions", here: "rule `transition`", spec: "rules/rules", has: "transitions", scenario: "the first transition in order comes before next"},
		{name: "default_next", here: "rule `next`", spec: "rules/rules", has: "next", scenario: "next is what is left"},
		{name: "end", here: "rule `no match`: `no_match`", spec: "nomatch/nomatch", has: "no_match", scenario: "no_match of the graph applies to a node without its own, and the run ends without an error", differs: "`no_match: error` is the default, and a node whose conditions may all be false names one: no run ends in silence."},
	}},
	{"Routing by the model", 6, []brick{
		{name: "route", here: "`route`", spec: "rules/rules", has: "route", scenario: "the first present field of those that may hold a route decides"},
		{name: "_next", here: "`_next`", spec: "rules/rules", has: "_next", scenario: "the first present field of those that may hold a route decides"},
		{name: "next_step", here: "`next_step`", spec: "rules/rules", has: "next_step", scenario: "next_step is the third of these fields"},
		{name: "goto", here: "`goto`", spec: "rules/rules", has: "goto", scenario: "goto is the last of these fields"},
		{name: "`__end__`", here: "`end`, also written `__end__` and `END`", spec: "route/route", has: "route", scenario: "end has three spellings"},
		{name: "routes in the prompt", here: "lines of the system prompt", spec: "modelroute/modelroute", has: "transitions", scenario: "the prompt lists the choices with their docs"},
	}},
	{"Mutations", 6, []brick{
		{name: "add_node, _node_config", here: "`allow: add_node`", spec: "mutationmodel/mutationmodel", has: "allow: add_node", test: "golden/mutationmodel/schema_test.go TestNodeConfig", differs: "The spec names the kinds, templates, fields and tools that an added node may have."},
		{name: "skip_to, _target", here: "`allow: skip_to`", spec: "mutationmodel/mutationmodel", has: "allow: skip_to", scenario: "skip_to goes to its node at once, and the answer counts"},
		{name: "add_edge, _from, _to", here: "`allow: add_edge`", spec: "mutation/mutation", has: "allow: add_edge", scenario: "an added edge is tried before those of the spec"},
		{name: "retry_with, _context_update", here: "`allow: retry_with`", spec: "mutationmodel/mutationmodel", has: "allow: retry_with", scenario: "retry_with sets fields and asks the model again with a new prompt"},
		{name: "max_mutations_per_run", here: "`max` of `mutations`", spec: "mutationmodel/mutationmodel", has: "max: 3", scenario: "a run makes at most the changes that the spec allows"},
		{name: "a copy for each invocation", here: "an overlay of the run", spec: "mutation/mutation", has: "mutations", test: "golden/mutation/concurrent_test.go TestConcurrentMutations"},
	}},
	{"Flags", 18, []brick{
		{name: "ENTRY", here: "`entry`", spec: "flags/stateful", has: "flags: entry", scenario: "parallel_safe nodes write one field at the same time by its merge rule"},
		{name: "TERMINAL", here: "`terminal`", spec: "autonomous/autonomous", has: "flags: terminal", scenario: "runs start at the entry, and end after a node with the flag terminal"},
		{name: "CRITICAL", here: "`critical`", spec: "failures/critical", has: "flags: critical", scenario: "a critical node fails the run at once"},
		{name: "SKIP_ON_ERROR", here: "`skip_on_error`", spec: "failures/error_edges", has: "flags: skip_on_error", scenario: "a failure that is routed to a skipped node is not cleared by a later success", differs: "A skip is no success: the failure before it stays one."},
		{name: "RETRYABLE", here: "`retryable`", spec: "policy/policy", has: "flags: retryable", scenario: "a retryable node without settings has three attempts", differs: "Errors that are not transient need `on: any`."},
		{name: "REQUIRES_HUMAN", here: "`requires_human`", spec: "interrupts/interrupts", has: "flags: requires_human", scenario: "a person approves before a node runs, and it runs once"},
		{name: "NO_HISTORY", here: "`no_history`", spec: "history/no_history", has: "flags: no_history", scenario: "with no_history, a node sees nothing of the conversation"},
		{name: "ISOLATED_CONTEXT", here: "`isolated_context`", spec: "history/isolated_context", has: "flags: isolated_context", scenario: "with isolated_context, a node sees only the fields that it reads"},
		{name: "CACHEABLE", here: "`cacheable`", spec: "cache/cache_prompt", has: "flags: cacheable", scenario: "a cacheable node does not repeat a request to its model", differs: "The cache is one of the run: a machine that is shared keeps nothing of its runs."},
		{name: "INJECT_TOOLS", here: "`inject_tools`", spec: "injecttools/inject_tools", has: "flags: inject_tools", scenario: "tools known only at run time are listed after those of the spec"},
		{name: "LIGHTWEIGHT", here: "`lightweight`", spec: "flags/lightweight", has: "flags: lightweight", scenario: "a lightweight node asks the smaller model"},
		{name: "OBSERVABLE", here: "`observable`", spec: "flags/observable", has: "flags: observable", scenario: "prompts and answers of an observable node are events"},
		{name: "VERBOSE", here: "`verbose`", spec: "flags/verbose", has: "flags: verbose", scenario: "the step_end event of a verbose node has its answer"},
		{name: "SUMMARIZE_OUTPUT", here: "`summarize_output`", spec: "flags/summarize_output", has: "flags: summarize_output", scenario: "a long answer is summarized before it is written"},
		{name: "VALIDATE_OUTPUT", here: "`validate_output`", spec: "flags/validate_output", has: "flags: validate_output", scenario: "validate_output checks the output of a handler", differs: "The answer of a model has to fit its type with and without it."},
		{name: "READONLY", here: "`readonly`", spec: "state/state", has: "flags: readonly", scenario: "a readonly node changes nothing"},
		{name: "STATEFUL", here: "`stateful`", spec: "flags/stateful", has: "flags: stateful", scenario: "parallel_safe nodes write one field at the same time by its merge rule", differs: "It is a promise that is checked when the graph is built."},
		{name: "PARALLEL_SAFE", here: "`parallel_safe`", spec: "flags/stateful", has: "flags: parallel_safe", scenario: "parallel_safe nodes write one field at the same time by its merge rule", differs: "Likewise."},
	}},
	{"The pipeline of a prompt", 12, []brick{
		{name: "input keys", here: "`reads`", spec: "prompts/prompt_reads", has: "reads", scenario: "fields that are read and have no placeholder are shown under their names"},
		{name: "preprocessor", here: "`before`", spec: "processors/handler_processors", has: "before", scenario: "processors that are handler methods may be anywhere in the chain"},
		{name: "blocks", here: "`blocks`", spec: "prompts/prompt_blocks", has: "blocks", scenario: "the blocks of the lowest priority are left out until the rest fits the budget, with an event"},
		{name: "strategy", here: "`strategy`", spec: "prompts/prompt_strategy", has: "strategy", scenario: "a strategy adds its instructions"},
		{name: "perspective", here: "`perspective`", spec: "prompts/prompt_blocks", has: "perspective", scenario: "a perspective is the first block"},
		{name: "context layers", here: "`context`", spec: "history/context_ledger", has: "context: ledger", scenario: "a ledger has the answers of the nodes and each fact of a tool once"},
		{name: "data flow ports", here: "`inherits`", spec: "prompts/prompt_inherits", has: "inherits", scenario: "outputs that the node inherits are shown when they exist"},
		{name: "LLM call with bound tools", here: "`tools`", spec: "toolloop/toolloop", has: "tools", scenario: "the tools run and the node is entered again, and each round is a step and a visit"},
		{name: "tool execution", here: "`max_parallel`", spec: "toolloop/tool_parallel", has: "max_parallel", scenario: "the calls of one turn run at the same time"},
		{name: "postprocessor", here: "`after`", spec: "processors/handler_processors", has: "after", scenario: "processors that are handler methods may be anywhere in the chain"},
		{name: "guards", here: "`guards`", spec: "answers/answer_guards", has: "guards", scenario: "guards check the decoded answer, and their messages go back to the model"},
		{name: "output key", here: "`writes`", spec: "answers/answer_writes", has: "writes", scenario: "a prompt that writes several fields answers with a struct of them"},
	}},
	{"Processors", 9, []brick{
		{name: "context_enricher", here: "`before: context_enricher`", spec: "processors/context_enricher", has: "before: context_enricher", scenario: "context_enricher adds the date, the time and the visit"},
		{name: "state_summarizer", here: "`before: state_summarizer`", spec: "processors/state_summarizer", has: "before: state_summarizer", scenario: "state_summarizer summarizes long values with the smaller model", differs: "It summarizes what is long, and does not cut it."},
		{name: "input_validator", here: "`before: input_validator`", spec: "processors/input_validator", has: "before: input_validator", scenario: "input_validator fails when a field that the node reads is empty"},
		{name: "json_extractor", here: "`after: json_extractor`", spec: "processors/json_extractor", has: "after: json_extractor", scenario: "json_extractor extracts the JSON of an answer that is a text"},
		{name: "confidence_scorer", here: "`after: confidence_scorer`", spec: "processors/confidence_scorer", has: "after: confidence_scorer", scenario: "confidence_scorer scores how certain an answer reads"},
		{name: "state_writer", here: "`after: state_writer`", spec: "processors/state_writer", has: "after: state_writer", scenario: "state_writer writes the fields that the answer and the state share"},
		{name: "output_truncator", here: "`after: output_truncator`", spec: "processors/output_truncator", has: "after: output_truncator", scenario: "output_truncator cuts an answer, with an event"},
		{name: "chain_preprocessors()", here: "the list `before`", spec: "processors/handler_processors", has: "before", scenario: "processors that are handler methods may be anywhere in the chain"},
		{name: "chain_postprocessors()", here: "the list `after`", spec: "processors/handler_processors", has: "after", scenario: "processors that are handler methods may be anywhere in the chain"},
	}},
	{"Hooks", 5, []brick{
		{name: "LoggingHook", here: "`hooks.Log`", spec: "visits/visits", has: "max_visits", test: "runtime/hooks/hooks_test.go TestLog"},
		{name: "CycleDetectionHook", here: "`hooks.Cycles`, `hooks.States`", spec: "visits/visits", has: "max_visits", test: "runtime/hooks/hooks_test.go TestCycles"},
		{name: "TimingHook", here: "`hooks.Timing`", spec: "visits/visits", has: "max_visits", test: "runtime/hooks/hooks_test.go TestTiming"},
		{name: "MetricsHook", here: "the report, and the metrics of contrib/otel", spec: "subgraph/article", has: "graph", test: "golden/report_test.go TestReportOfChildRuns", differs: "Each report has the numbers of its run: a hook that sums over runs would be a state of the machine."},
		{name: "BudgetHook", here: "`limits`, `graphrt.WithBudgets`, `hooks.Budget`", spec: "budget/budget", has: "max_tokens", scenario: "a run with exhausted tokens ends before the next call, whatever failure routes there are", differs: "It is part of the kernel, so that a step cannot exceed it."},
	}},
	{"Reports", 14, []brick{
		{name: "ExecutionReport", here: "`graphrt.Report`", spec: "subgraph/article", has: "graph", test: "golden/report_test.go TestReportOfChildRuns"},
		{name: "iterations", here: "`Report.Steps`", spec: "review/review", has: "nodes", scenario: "publishes when the critic is satisfied"},
		{name: "tokens", here: "`Report.Usage`", spec: "budget/budget", has: "max_tokens", scenario: "the usage of models is summed"},
		{name: "path", here: "`Report.Path`", spec: "review/review", has: "nodes", scenario: "publishes when the critic is satisfied"},
		{name: "NodeResult", here: "`Steps` of `Report.Detail`, the events of a step", spec: "patterns/helper", has: "pattern: react", test: "golden/steps_test.go TestReportOfVisits", differs: "The report has numbers and times of each visit that its path has; texts are in events."},
		{name: "output", here: "`Output` of an observable or verbose node's event, `state`", spec: "flags/verbose", has: "flags: verbose", scenario: "the step_end event of a verbose node has its answer"},
		{name: "tool calls", here: "`Report.Tools`, events of tools", spec: "toolloop/toolloop", has: "tools", scenario: "conditions see the calls of the last turns"},
		{name: "route", here: "the event `route`", spec: "rules/rules", has: "route", scenario: "a rejected route has an event within its step, and the step has one end and one transition"},
		{name: "error", here: "`Report.Failures`", spec: "failures/error_transition", has: "transitions", scenario: "a failure with a failure route has these events"},
		{name: "guards failed", here: "`Report.Refusals`", spec: "guardfail/guardfail", has: "guards", scenario: "a refusal that has an edge is no failure, and the next node sees its message"},
		{name: "confidence", here: "`res.Confidence`", spec: "processors/confidence_scorer", has: "if", scenario: "an answer without doubts has the highest score"},
		{name: "latency", here: "`Report.Detail`, `graphrt.WithTimings`", spec: "human/human", has: "kind: human", test: "golden/report_test.go TestReportOfPauses"},
		{name: "mutations", here: "`Report.Mutations`", spec: "mutation/mutation", has: "mutations", scenario: "a refusal is an event, and the run continues unchanged"},
		{name: "reason of the end", here: "`Report.Reason`", spec: "nomatch/nomatch", has: "no_match", scenario: "an edge that leads to end completes the run", differs: "Seven ends that look like success there have reasons of their own."},
	}},
	{"Patterns", 7, []brick{
		{name: "react", here: "`pattern: react`", spec: "patterns/helper", has: "pattern: react", scenario: "answers after a search"},
		{name: "pipeline", here: "`pattern: pipeline`", spec: "patterns/report", has: "pattern: pipeline", scenario: "each step is shown what the step before has made"},
		{name: "peoatr", here: "`pattern: peoatr`", spec: "patterns/worker", has: "pattern: peoatr", scenario: "plans anew and goes on as often as the rounds allow, then answers"},
		{name: "deliberate", here: "`pattern: deliberate`", spec: "patterns/advisor", has: "pattern: deliberate", scenario: "thinks before it plans, and answers"},
		{name: "research", here: "`pattern: research`", spec: "patterns/scholar", has: "pattern: research", scenario: "searches, verifies and answers"},
		{name: "autonomous", here: "`pattern: autonomous`", spec: "patterns/explorer", has: "pattern: autonomous", scenario: "begins with a plan, and goes where the model chooses"},
		{name: "debate", here: "`pattern: debate`", spec: "patterns/court", has: "pattern: debate", scenario: "both sides argue in rounds, and the judge answers"},
	}},
	{"Skills", 15, []brick{
		skill("web_researcher", "web_researcher", "it searches, opens what it cites, and cites each fact", ""),
		skill("code_reviewer", "code_reviewer", "it names the place, the input and what goes wrong, and asks where it cannot", ""),
		skill("data_analyst", "data_analyst", "each claim has its number, its sample and how it was computed", ""),
		skill("fact_checker", "fact_checker", "it refutes by a source, and what has none stays unverified", ""),
		skill("summarizer", "summarizer", "it begins with what follows, keeps numbers and doubts, and lists what it leaves out", ""),
		skill("planner", "planner", "the step that could show the plan to be wrong comes first", ""),
		skill("decision_router", "decision_router", "a text that asks for a node is data, and the criteria decide", ""),
		skill("formatter", "formatter", "the form changes and the facts do not", "A model brings the text into its form. A form that code can make is a node of kind transform."),
		skill("thinker", "thinker", "assumptions are gaps, and without evidence it is not sure", ""),
		skill("reflector", "reflector", "it corrects by something to do, and replans when corrections have not helped", ""),
		skill("critic", "critic", "it attacks the strongest version, and adds what would show it to be wrong", ""),
		skill("justifier", "justifier", "evidence has numbers and sources, and what was not known is a doubt", ""),
		skill("synthesizer", "synthesizer", "the first sentence is the answer, and each fact has its source", ""),
		skill("validator_node", "validator", "a secret and a fact without a source are issues", ""),
		skill("observer_node", "observer", "an order in a result is a fact about the result, and a fact has both of its sources", ""),
	}},
	{"Serialization", 5, []brick{
		{name: "save_graph()", here: "`graphgen expand`", spec: "templates/essay", has: "use", test: "spec/template/template_test.go TestExpand", differs: "A graph is data from the beginning: its file is the spec."},
		{name: "load_graph()", here: "`graphgen import`", spec: "reasoning/inquiry", has: "kind: plan", test: "spec/dialect/dialect_test.go TestWrittenSpecs", differs: "A file of the reasoning graph becomes a spec once, with a note for what it cannot say."},
		{name: "graph_to_config()", here: "`spec.Write`", spec: "review/review", has: "graph", test: "spec/write_test.go TestWriteRoundTrip", differs: "The graph is compiled, not built at run time."},
		{name: "graph_from_config()", here: "`spec.Load`", spec: "review/review", has: "graph", test: "spec/write_test.go TestWriteRoundTrip", differs: "Likewise."},
		{name: "register_node_type()", here: "`templates`, and `use` of a Go package", spec: "templates/essay", has: "use", scenario: "what is good enough goes on, from the exits of the templates", differs: "A type of node is a template, in the same language."},
	}},
	{"Performance", 6, []brick{
		{name: "O(1) edge resolution", here: "generated code: a switch", spec: "priority/priority", has: "edges", scenario: priorities, differs: "No index is built: the edges are compiled."},
		{name: "tool schemas", here: "tools of the request", spec: "toolloop/toolloop", has: "args", test: "contrib/openai/dynamictools_test.go TestDynamicTools", differs: "They are in the field of the request that is for them, not in the system prompt."},
		{name: "parallel tool execution", here: "`max_parallel`", spec: "toolloop/tool_parallel", has: "max_parallel", scenario: "results are in the order of the calls, whichever ends first"},
		{name: "cached system prompts", here: "constants of generated code", spec: "toolloop/tool_conversation", has: "tools", scenario: "a later node sees the conversation, and has its own tools"},
		{name: "cached tool maps", here: "a switch of generated code", spec: "toolloop/tool_errors", has: "tools", scenario: "an unknown tool is answered with a tool error, and the run continues"},
		{name: "zero data truncation", here: "the default", spec: "processors/output_truncator", has: "after", scenario: "without output_truncator nothing is cut"},
	}},
	{"Tools known at run time", 2, []brick{
		{name: "inject_tools=True", here: "the flag `inject_tools`", spec: "injecttools/inject_tools", has: "flags: inject_tools", scenario: "tools known only at run time are listed after those of the spec"},
		{name: "nodes without it", here: "the same", spec: "injecttools/inject_tools", has: "nodes", scenario: "other nodes are not offered run-time tools"},
	}},
}

// skill is the row of a skill, which has a graph of its own: its scenarios hold the skill to its instructions.
func skill(name, kind, scenario, differs string) brick {
	return brick{name: name, here: "`kind: " + kind + "`", spec: "../spec/prelude/skills/" + kind, has: "kind: " + kind, scenario: scenario, differs: differs}
}
