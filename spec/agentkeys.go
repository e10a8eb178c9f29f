package spec

import (
	"strconv"

	"github.com/graphgen/graphgen/spec/yamlread"
)

// asking are the kinds of nodes that ask a model; a router and a guard only with instructions.
var asking = []string{"prompt", "router", "guard"}

// timed are the kinds of nodes that have a timeout.
var timed = []string{"func", "guard", "router", "prompt", "tool", "parallel", "map", "loop", "retry", "subgraph", "autonomous", "human"}

// agentRows are the keys of nodes that ask a model or call tools.
var agentRows = []row[Node]{
	{Key{Name: "instructions", Form: FormPrompt, Of: "text file", Kinds: []string{"prompt", "router", "guard", "autonomous", "human"},
		Doc: "What the model is to do: the system prompt, which the author writes. Data belongs in `message` or `reads`. " +
			"`{{field}}` is replaced by the value of a state field, `{{{{` by the braces themselves. For a human node they are " +
			"the question. A router or guard that has instructions asks the model instead of a handler.",
		Foreign: remedies(instead("instructions", "TEXT")+", at a node of kind prompt", "prompt", "prompts", "prompt_template", "template",
			"instruction", "system", "system_prompt", "system_message")}, func(n *Node) any { return &n.Prompt.Instructions }},
	{Key{Name: "message", Form: FormPrompt, Of: "text file", Kinds: []string{"prompt", "router", "guard", "autonomous"},
		Doc: "The user's message to the model, with `{{field}}` for the value of a state field. What the node reads and no " +
			"placeholder names is shown before it, each field in a fence. With neither, the message is a neutral sentence.", Default: "none",
		Foreign: remedies(instead("message", "TEXT")+", at a node of kind prompt", "user", "user_prompt", "user_message", "human_message",
			"messages", "text", "question", "query")}, func(n *Node) any { return &n.Prompt.Message }},
	{Key{Name: "perspective", Form: FormPrompt, Of: "text file", Kinds: asking, Doc: "Who the model is."}, func(n *Node) any { return &n.Prompt.Perspective }},
	{Key{Name: "strategy", Form: FormWord, Words: Strategies, Default: "direct", Kinds: asking, Doc: "How the model should proceed."},
		func(n *Node) any { return &n.Prompt.Strategy }},
	{Key{Name: "blocks", Form: FormBlocks, Of: "block", Kinds: asking,
		Doc: "Parts of the prompt, in the order in which they are shown, that are left out if there is not enough room. A block with a placeholder " +
			"belongs to the user's turn, one without to the system prompt."}, func(n *Node) any { return &n.Prompt.Blocks }},
	{Key{Name: "token_budget", Form: FormInt, Kinds: asking,
		Doc: "The most tokens that instructions, message and blocks may have together; the blocks of the lowest priority are left out first."},
		func(n *Node) any { return &n.Prompt.TokenBudget }},
	{Key{Name: "inherits", Form: FormNames, Names: "node", Kinds: asking, Doc: "Nodes whose last output is shown to the model, in the user's turn."},
		func(n *Node) any { return &n.Prompt.Inherits }},
	{Key{Name: "history", Form: FormName, Names: "state field", Kinds: asking,
		Doc: "The conversation that the node continues: a state field of type `messages`. The model is shown its messages " +
			"with their roles, instead of the run's messages, and then the user's turn. A prompt appends the turn to it; a router and a guard do not.",
		Foreign: remedies(instead("history", "FIELD")+", a field of type messages", "conversation", "chat_history", "thread", "dialog", "chat")},
		func(n *Node) any { return &n.Prompt.History }},
	{Key{Name: "context", Form: FormWord, Words: Contexts, Default: "full", Kinds: asking, Doc: "Which earlier messages the model is shown.",
		Foreign: remedies(instead("context", "WORD"), "memory", "include_history")}, func(n *Node) any { return &n.Prompt.Context }},
	{Key{Name: "max_messages", Form: FormInt, Kinds: asking,
		Doc: "The most earlier messages that the model is shown. A tool's result is never shown without its call."},
		func(n *Node) any { return &n.Prompt.MaxMessages }},
	{Key{Name: "max_history", Form: FormInt, Kinds: asking, Doc: "The most tokens of the earlier messages that the model is shown."},
		func(n *Node) any { return &n.Prompt.MaxHistory }},
	{Key{Name: "skills", Form: FormNames, Names: "skill group", Kinds: []string{"prompt"},
		Doc: "Skill groups: the node gets their instructions, as blocks after its own, and their tools besides its own. The " +
			"name of a group of a used file follows the name of the use and a dot.",
		Foreign: remedies(instead("skills", "[NAME]")+", of the graph's skills", "skill", "skill_groups", "skillsets", "capabilities")},
		func(n *Node) any { return &n.Prompt.Skills }},
	{Key{Name: "tools", Form: FormNames, Names: "tool", Kinds: []string{"prompt"}, Doc: "Tools of the graph that the model may call.",
		Foreign: remedies(instead("tools", "[NAME]")+", of the graph's tools", "functions", "function_call", "plugins")},
		func(n *Node) any { return namesAt{&n.Prompt.Tools, &n.Prompt.ToolsPos} }},
	{Key{Name: "approve", Form: FormNames, Names: "tool", Kinds: []string{"prompt"},
		Doc: "Tools whose calls a person approves before they are made: tools of the node, or tools that its `allow_tools` may name, also with a `*` at " +
			"the end. " +
			"The run pauses with a request for each call; the other calls of the turn are made immediately. The model gets a denial, " +
			"and its reason, as the result of the call.",
		Foreign: remedies(instead("approve", "[TOOL]"), "needs_approval", "approvals", "interrupt_on", "human_in_the_loop")},
		func(n *Node) any { return namesAt{&n.Prompt.Approve, &n.Prompt.ApprovePos} }},
	{Key{Name: "approve_timeout", Form: FormDuration, Kinds: []string{"prompt"}, Default: "none",
		Doc: "How long the run waits for an approval of a tool call. A later one does not count: the call is not made, and its result reports that."},
		func(n *Node) any { return &n.Prompt.ApproveTimeout }},
	{Key{Name: "allow_tools", Form: FormNames, Kinds: []string{"prompt"}, Default: "all",
		Doc: "The tools that may be injected, by name; for the flag `inject_tools`. A `*` at the end is for the rest of the name: " +
			"`github_*` are all tools of the MCP server `github`."}, func(n *Node) any { return &n.Prompt.AllowTools }},
	{Key{Name: "deny_tools", Form: FormNames, Kinds: []string{"prompt"},
		Doc: "The tools that may not be injected, by name, or as `allow_tools` names them; for the flag `inject_tools`."},
		func(n *Node) any { return &n.Prompt.DenyTools }},
	{Key{Name: "tool_choice", Form: FormName, Names: "tool", Kinds: []string{"prompt"}, Default: "auto",
		Doc: "Whether the model may call tools (`auto`), must not (`none`), must call one (`required`), or must call the one of " +
			"the name. Once it has, it may answer."}, func(n *Node) any { return &n.Prompt.ToolChoice }},
	{Key{Name: "tool_loop", Form: FormBool, Kinds: []string{"prompt"}, Default: "true",
		Doc: "Run the tools that the model calls, and ask it again, until it answers without a call; each round is a step. `false` " +
			"leaves the calls to the edges `on: tool_call`."}, func(n *Node) any { return &n.Prompt.ToolLoop }},
	{Key{Name: "max_parallel", Form: FormInt, Kinds: []string{"prompt", "tool", "parallel", "map"},
		Default: strconv.Itoa(DefaultMaxParallel), Doc: "How many tool calls of one turn, or branches, run concurrently."},
		func(n *Node) any { return &n.Prompt.MaxParallel }},
	{Key{Name: "repair", Form: FormInt, Kinds: asking, Default: strconv.Itoa(DefaultRepair),
		Doc: "How many times an answer that does not fit is sent back to the model with the reason."}, func(n *Node) any { return &n.Prompt.Repair }},
	{Key{Name: "model", Form: FormName, Kinds: []string{"prompt", "router", "guard", "autonomous"},
		Doc: "The model, by the name its provider has for it.", Default: "as in the graph",
		Foreign: remedies(instead("model", "NAME")+"; what the name means is set in Go", "llm", "model_name", "engine", "provider", "models", "llm_config")},
		func(n *Node) any { return &n.Prompt.Model }},
	{Key{Name: "temperature", Form: FormNumber, Kinds: asking, Doc: "How freely the model chooses its words, 0 to 2.", Default: "as in the graph"},
		func(n *Node) any { return &n.Prompt.Temperature }},
	{Key{Name: "max_tokens", Form: FormInt, Kinds: asking, Doc: "The most tokens of one answer.", Default: "the model's"},
		func(n *Node) any { return &n.Prompt.MaxTokens }},
	{Key{Name: "before", Form: FormProcessors, Words: Before, Kinds: asking,
		Doc: "Processors of the prompt, in order: words of the table below, or methods of the handlers."}, func(n *Node) any { return &n.Prompt.Before }},
	{Key{Name: "after", Form: FormProcessors, Words: After, Kinds: asking,
		Doc: "Processors of the answer, in order: words of the table below, or methods of the handlers."}, func(n *Node) any { return &n.Prompt.After }},
	{Key{Name: "revisit_feedback", Form: FormBool, Kinds: asking, Default: "as in the graph",
		Doc: "On later visits the request has the number of the visit and the output of the visit before."},
		func(n *Node) any { return &n.Prompt.RevisitFeedback }},
	{Key{Name: "tool", Form: FormName, Names: "tool", Kinds: []string{"tool"},
		Doc: "The tool that the node calls. Without it, the node runs the calls that a prompt with `tool_loop: false` left."},
		func(n *Node) any { return &n.Tool }},
	{Key{Name: "args", Form: FormNameTable, Names: "state field", Kinds: []string{"tool"},
		Doc: "For each argument of the tool, the state field that it is taken from."},
		func(n *Node) any { return &n.Args }},
	{Key{Name: "evals", Form: FormEvals, Of: "eval", Kinds: []string{"func", "transform", "prompt"},
		Doc: "Verdicts on what the node did, by the names that conditions use."}, func(n *Node) any { return &n.Evals }},
}

var toolTable = table[ToolDecl]{
	Name: "tool", Noun: "a tool",
	Doc: "An entry of `tools`: something that models may call, and nodes of kind tool. It becomes a method of the generated interface of tools.",
	Rows: yamlread.Rows([]row[ToolDecl]{
		{Key{Name: "doc", Form: FormText, Doc: "What the tool does; the model decides by it whether to call the tool.",
			Foreign: remedies(instead("doc", "TEXT"), "description", "desc", "about")}, func(t *ToolDecl) any { return &t.Doc }},
		{Key{Name: "args", Form: FormStruct, Of: "field",
			Doc: "The arguments by name; each is a type text or a field. One that has a default, or is optional, may be left out.",
			Foreign: remedies(instead("args", "{NAME: TYPE}"), "parameters", "params", "input_schema", "inputSchema", "inputs", "input",
				"arguments", "properties", "schema", "args_schema")}, func(t *ToolDecl) any { return &t.Args }},
		{Key{Name: "returns", Form: FormType, Default: "string", Doc: "Type of the result. A model is shown a text as it is, and everything else as JSON.",
			Foreign: remedies(instead("returns", "TYPE"), "output", "outputs", "result", "output_schema", "return", "return_type", "response")},
			func(t *ToolDecl) any { return &t.Returns }},
		{Key{Name: "reads", Form: FormNames, Names: "state field",
			Doc: "State fields that the method gets in a struct before the arguments, from the state or the branch in which the call is made. No model " +
				"is shown them, and no event, report or transcript has them."}, func(t *ToolDecl) any { return &t.Reads }},
		{Key{Name: "pure", Form: FormBool, Default: "false",
			Doc: "The same arguments and values of `reads` always give the same result, so a call that repeats an earlier one of the run is answered " +
				"without the tool."}, func(t *ToolDecl) any { return &t.Pure }},
		{Key{Name: "approve", Form: FormBool, Default: "false",
			Doc: "A person approves each call of a model before it is made, as if every prompt with the tool named it under `approve`."},
			func(t *ToolDecl) any { return &t.Approve }},
		{Key{Name: "client", Form: FormBool, Default: "false",
			Doc: "The caller of the machine runs the tool, which is not a method. The run pauses with a request for each call, " +
				"and continues with the results; other calls of the turn are made immediately.",
			Foreign: remedies(instead("client", "true"), "client_side", "frontend", "external", "remote")}, func(t *ToolDecl) any { return &t.Client }},
		{Key{Name: "timeout", Form: FormDuration, Doc: "The longest that one call may take. With `client: true`, how long the run waits for the result."},
			func(t *ToolDecl) any { return &t.Timeout }},
		{Key{Name: "max_result", Form: FormInt, Doc: "The most bytes a result may have; a larger one is an error that the model receives."},
			func(t *ToolDecl) any { return &t.MaxResult }},
	}),
	Unread: func(t *ToolDecl) *bool { return &t.Unread },
	Bare:   true,
}

// The settings of processors.
var (
	summarizerTable = table[Processor]{
		Name: "state_summarizer", Noun: "state_summarizer",
		Doc: "Settings of the processor `state_summarizer`, as in `before: [{state_summarizer: {max_length: 500}}]`.",
		Rows: yamlread.Rows([]row[Processor]{
			{Key{Name: "max_length", Form: FormInt, Default: strconv.Itoa(DefaultLongValue),
				Doc: "The most characters of a value that is shown as it is."}, func(p *Processor) any { return &p.MaxLength }},
		}),
		Unread: unreadProcessor,
	}
	extractorTable = table[Processor]{
		Name: "json_extractor", Noun: "json_extractor",
		Doc: "Settings of the processor `json_extractor`, as in `after: [{json_extractor: {keys: [title, text]}}]`.",
		Rows: yamlread.Rows([]row[Processor]{
			{Key{Name: "keys", Form: FormNames, Default: "all",
				Doc: "The members of the object that are kept, in this order, where the object has them."}, func(p *Processor) any { return &p.Keys }},
		}),
		Unread: unreadProcessor,
	}
	writerTable = table[Processor]{
		Name: "state_writer", Noun: "state_writer",
		Doc: "Settings of the processor `state_writer`, as in `after: [{state_writer: {fields: {title: heading}}}]`.",
		Rows: yamlread.Rows([]row[Processor]{
			{Key{Name: "fields", Form: FormNameTable, Keyed: "state field", Default: "members with the names of fields",
				Doc: "By state field the member of the answer that is written to it, by its merge rule. Members that are not named are not written."},
				func(p *Processor) any { return &p.Fields }},
		}),
		Unread: unreadProcessor,
	}
	truncatorTable = table[Processor]{
		Name: "output_truncator", Noun: "output_truncator",
		Doc: "Settings of the processor `output_truncator`, as in `after: [{output_truncator: {max_length: 200}}]`.",
		Rows: yamlread.Rows([]row[Processor]{
			{Key{Name: "max_length", Form: FormInt, Default: strconv.Itoa(DefaultMostOutput), Doc: "The characters after which a text is cut."},
				func(p *Processor) any { return &p.MaxLength }},
		}),
		Unread: unreadProcessor,
	}
	processorTables = []*table[Processor]{&summarizerTable, &extractorTable, &writerTable, &truncatorTable}
)

func unreadProcessor(p *Processor) *bool { return &p.Unread }

var blockTable = table[Block]{
	Name: "block", Noun: "a block",
	Doc: "An entry of a node's `blocks`: a part of the prompt that is left out when the `token_budget` is used up.",
	Rows: yamlread.Rows([]row[Block]{
		{Key{Name: "name", Form: FormName, Required: true, Doc: "What the block is called, its heading in the prompt."}, func(b *Block) any { return &b.Name }},
		{Key{Name: "text", Form: FormPrompt, Of: "text file", Required: true, Doc: "The text, with `{{field}}` for the value of a state field."},
			func(b *Block) any { return &b.Text }},
		{Key{Name: "priority", Form: FormInt, Default: "0", Doc: "Blocks of the lowest priority are left out first."},
			func(b *Block) any { return &b.Priority }},
	}),
	Unread: func(b *Block) *bool { return &b.Unread },
}

// evalRules are the keys of an eval of which it has exactly one.
var evalRules = []string{"called", "not_called", "if", "judge"}

var evalTable = table[Eval]{
	Name: "eval", Noun: "an eval", Exactly: evalRules,
	Doc: "An entry of a node's `evals`: a verdict that conditions see as `evals.Name`. Exactly one of `called`, `not_called`, `if` and `judge` gives it.",
	Rows: yamlread.Rows([]row[Eval]{
		{Key{Name: "doc", Form: FormText, Doc: "What is judged."}, func(e *Eval) any { return &e.Doc }},
		{Key{Name: "called", Form: FormNames, Names: "tool",
			Doc: "True if each of these tools was called in the visit: tools of the node, or tools that its `allow_tools` names."},
			func(e *Eval) any { return &e.Called }},
		{Key{Name: "not_called", Form: FormNames, Names: "tool", Doc: "True if none of these tools was called in the visit."},
			func(e *Eval) any { return &e.NotCalled }},
		{Key{Name: "if", Form: FormCondition,
			Doc: "A Go expression over `out`, `state` and `res`. It sees the state before the node writes its output, or, if the handler gets the whole " +
				"state, as the handler left it."}, func(e *Eval) any { return &e.If }},
		{Key{Name: "judge", Form: FormText, Doc: "What the model has to judge about the output: its yes or no is the verdict."},
			func(e *Eval) any { return &e.Judge }},
		{Key{Name: "reads", Form: FormNames, Names: "state field",
			Doc: "State fields that the judging model is shown besides the output; an `if` sees `state` anyway."},
			func(e *Eval) any { return &e.Reads }},
	}),
	Unread: func(e *Eval) *bool { return &e.Unread },
}

// Rules returns the rules that the eval has, with their positions.
func (e *Eval) Rules() []String {
	var rules []String
	for _, s := range e.Settings() {
		if s.Key.Name != "doc" && s.Key.Name != "reads" {
			rules = append(rules, String{V: s.Key.Name, Pos: s.Pos})
		}
	}
	return rules
}
