package scenario

import (
	"strings"

	"github.com/graphgen/graphgen/spec"
)

// askingKeys are the keys of an entry for nodes that a model is asked about.
var askingKeys = []key[Entry]{
	{name: "text", example: "Otters swim.", doc: "The text of the model's answer, as it is; of a node with a typed output, what is to be decoded.",
		read: func(r *reader, v *Value, e *Entry) { e.Text = r.anyText(v) }},
	{name: "tool_calls", example: "[{search: {query: otters}}]", doc: "The tools that the model asks for: a list of mappings of one tool to its arguments. Arguments that are a text stand for themselves, and are not checked: `{search: not json}`.", read: func(r *reader, v *Value, e *Entry) {
		e.Calls = r.calls(v)
	}},
	{name: "malformed", example: "[not json]", doc: "Texts that the model answers before, in the same execution: one for each time that it is asked to mend its answer.",
		read: func(r *reader, v *Value, e *Entry) {
			items := []Value{*v}
			if v.Kind == List {
				items = v.Items
			}
			for i := range items {
				if text := r.anyText(&items[i]); text != nil {
					e.Malformed = append(e.Malformed, *text)
				}
			}
		}},
	{name: "reject", example: "three typos", doc: "Of a node of kind guard: the message with which it rejects.",
		read: func(r *reader, v *Value, e *Entry) { e.Reject = r.text(v, "a message") }},
	{name: "usage", example: "{input: 10, output: 5, cost: 0.01}", doc: "What every call of the model in this execution uses: tokens, and US dollars.",
		read: func(r *reader, v *Value, e *Entry) { e.Usage = r.usage(v) }},
	{name: "summary", example: "otters, in short", doc: "What the model makes of a text that it is to make short.",
		read: func(r *reader, v *Value, e *Entry) { e.Summary = r.text(v, "a text") }},
	{name: "choose", example: "publish", doc: "What the model answers that judges the `when` edges of the node: the target of one of them, or its text, `none`, or any other text, which is no choice. `{error: offline}`: it fails.",
		read: func(r *reader, v *Value, e *Entry) {
			e.Choose = new(Choose)
			if v.Kind == Map {
				readKeys(r, v, &chooseKeys, e.Choose)
			} else {
				e.Choose.Answer = r.text(v, "a node, none, or any text")
			}
		}},
	{name: "evals", example: "{polite: true}", doc: "What the model answers that judges the node's output, by eval: `true`, `false`, or `{error: offline}`.", read: readOpinions},
}

var chooseKeys = table[Choose]{"the answer of a judge", []key[Choose]{
	{name: "error", example: "offline", required: true, read: func(r *reader, v *Value, c *Choose) { c.Error = r.text(v, "a text") }},
}}

var opinionKeys = table[Opinion]{"the answer of an eval", []key[Opinion]{
	{name: "error", example: "offline", required: true, read: func(r *reader, v *Value, o *Opinion) { o.Error = r.text(v, "a text") }},
}}

func readOpinions(r *reader, v *Value, e *Entry) {
	r.pairs(v, "a mapping of evals to answers", "write it as in {polite: true}", func(name spec.String, v *Value) {
		o := Opinion{Eval: name}
		if v.Kind == Map {
			readKeys(r, v, &opinionKeys, &o)
		} else {
			o.Pass = r.bool(v).V
		}
		e.Evals = append(e.Evals, o)
	})
}

// anyText reads a text that may be empty.
func (r *reader) anyText(v *Value) *spec.String {
	if v.Kind != Text {
		r.mismatch(v, "a text", "put quotes around it")
		return nil
	}
	return &spec.String{V: v.Text, Pos: v.Pos}
}

// calls reads a list of calls: names, and mappings of one name to arguments.
func (r *reader) calls(v *Value) []Call {
	const help = "write it as in [{search: {query: otters}}]"
	if v.Kind != List {
		r.mismatch(v, "a list of calls", help)
		return nil
	}
	calls := []Call{}
	for i := range v.Items {
		item := &v.Items[i]
		switch {
		case item.Kind == Text:
			calls = append(calls, Call{Tool: r.text(item, "the name of a tool")})
		case item.Kind == Map && len(item.Items) == 2:
			name := &item.Items[0]
			calls = append(calls, Call{Tool: spec.String{V: name.Text, Pos: name.Pos}, Arguments: &item.Items[1]})
		default:
			r.mismatch(item, "a tool, or a mapping of one to its arguments", help)
		}
	}
	return calls
}

func (r *reader) usage(v *Value) *Usage {
	u := &Usage{Pos: v.Pos}
	readKeys(r, v, &usageKeys, u)
	return u
}

var usageKeys = table[Usage]{"usage", []key[Usage]{
	{name: "input", example: "10", doc: "Tokens that went in.", read: func(r *reader, v *Value, u *Usage) { u.Input = r.count(v) }},
	{name: "output", example: "5", doc: "Tokens that came out.", read: func(r *reader, v *Value, u *Usage) { u.Output = r.count(v) }},
	{name: "cost", example: "0.01", doc: "US dollars.", read: func(r *reader, v *Value, u *Usage) { u.Cost = r.amount(v) }},
}}

// readTools reads the calls of tools that the spec declares.
func readTools(r *reader, v *Value, s *Scenario) {
	r.pairs(v, "a mapping of tools to lists of calls", "write it as in {search: [{result: [otters]}]}", func(name spec.String, v *Value) {
		s.Tools = append(s.Tools, ToolSteps{Tool: name, Steps: readSteps(r, v, toolSteps)})
	})
}

var toolKeys = table[ToolEntry]{"a call of a tool", []key[ToolEntry]{
	{name: "result", example: "[otters]", doc: "What the tool returns. Fields left out are zero.",
		read: func(r *reader, v *Value, e *ToolEntry) { e.Result = v }},
	{name: "error", example: "offline", doc: "The text of an error that it returns, or `{text: offline, fatal: true}`: one that is the failure of the node.", read: readToolError},
	{name: "panic", example: "oops", doc: "The text with which it panics.", read: func(r *reader, v *Value, e *ToolEntry) { e.Panic = r.text(v, "a text") }},
	{name: "takes", example: "3s", doc: "How long it takes, whatever happens to its context.", read: func(r *reader, v *Value, e *ToolEntry) { e.Takes = r.duration(v) }},
	{name: "hang", example: "true", doc: "It waits until its context ends.", read: func(r *reader, v *Value, e *ToolEntry) { e.Hang = r.yes(v) }},
}}

func readToolError(r *reader, v *Value, e *ToolEntry) {
	if v.Kind != Map {
		e.Error = r.text(v, "the text of an error")
		return
	}
	readKeys(r, v, &table[ToolEntry]{"the error of a tool", []key[ToolEntry]{
		{name: "text", example: "offline", required: true, read: func(r *reader, v *Value, e *ToolEntry) { e.Error = r.text(v, "a text") }},
		{name: "fatal", example: "true", read: func(r *reader, v *Value, e *ToolEntry) { e.Fatal = r.bool(v).V }},
	}}, e)
}

// readInject reads tools that are known only at run time.
func readInject(r *reader, v *Value, s *Scenario) {
	r.pairs(v, "a mapping of tools to what they are", "write it as in {lookup: {doc: looks things up, calls: [{result: otters}]}}", func(name spec.String, v *Value) {
		t := ToolSteps{Tool: name, Steps: new(Steps[*ToolEntry])}
		readKeys(r, v, &injectKeys, &t)
		s.Inject = append(s.Inject, t)
	})
}

var injectKeys = table[ToolSteps]{"an injected tool", []key[ToolSteps]{
	{name: "doc", example: "looks things up", doc: "What models are told of it.", read: func(r *reader, v *Value, t *ToolSteps) { t.Doc = r.text(v, "a text") }},
	{name: "schema", example: "{type: object}", doc: "The JSON Schema of its arguments; left out: any object.", read: func(r *reader, v *Value, t *ToolSteps) {
		if v.Kind != Map {
			r.mismatch(v, "a JSON Schema", "write it as in {type: object, properties: {query: {type: string}}}")
			return
		}
		t.Schema = v
	}},
	{name: "calls", example: "[{result: otters}]", doc: "Its calls, as those of other tools. A result that is no text is given as JSON.", read: func(r *reader, v *Value, t *ToolSteps) { t.Steps = readSteps(r, v, toolSteps) }},
}}

var budgetKeys = table[Budget]{"a budget", []key[Budget]{
	{name: "tokens", example: "1000", doc: "In and out.", read: func(r *reader, v *Value, b *Budget) { b.Tokens = r.count(v) }},
	{name: "cost", example: "0.5", doc: "US dollars.", read: func(r *reader, v *Value, b *Budget) { b.Cost = r.amount(v) }},
	{name: "model_calls", example: "10", doc: "Calls of models.", read: func(r *reader, v *Value, b *Budget) { b.ModelCalls = r.count(v) }},
	{name: "tool_calls", example: "10", doc: "Calls of tools.", read: func(r *reader, v *Value, b *Budget) { b.ToolCalls = r.count(v) }},
}}

// spentKeys are the expectations of what models and tools did.
var spentKeys = []key[Expect]{
	{name: "asked", example: "[[it is thin, it is done, none]]", doc: "By call of the model that judges edges, the choices it was shown: the texts of the `when` edges in order, and `none` where it could be chosen.", read: readAsked},
	{name: "judge", example: "{contains: [otters], lacks: [beavers]}", doc: "What the model that judges edges was shown the last time: texts that it contains, and lacks.",
		read: func(r *reader, v *Value, e *Expect) {
			m := &PromptMatch{TextMatch: TextMatch{Pos: v.Pos}}
			readKeys(r, v, &textMatchKeys, m)
			e.Judge = &m.TextMatch
		}},
	{name: "tools_called", example: "[search, {lookup: {id: 3}}]", doc: "The calls of tools that were made, in order: names, or mappings of a name to the arguments to compare. Those that were answered from an earlier call are not among them.",
		read: func(r *reader, v *Value, e *Expect) { e.Called, e.CalledPos = r.calls(v), v.Pos }},
	{name: "prompt", example: "{draft: {contains: [otters]}}", doc: "By node, what its last request says: the system prompt and the messages.",
		read: func(r *reader, v *Value, e *Expect) {
			r.pairs(v, "a mapping of nodes to what their prompts contain", "write it as in {draft: {contains: [otters]}}", func(name spec.String, v *Value) {
				m := &PromptMatch{Node: name, TextMatch: TextMatch{Pos: v.Pos}}
				readKeys(r, v, &promptKeys, m)
				e.Prompts = append(e.Prompts, m)
			})
		}},
	{name: "usage", example: "{input: 30, output: 12}", doc: "What the models of the run used.",
		read: func(r *reader, v *Value, e *Expect) { e.Usage = r.usage(v) }},
	countKey("model_calls", "How often models were asked, judges among them."),
	countKey("tool_calls", "How many calls of tools were made."),
	countKey("tool_failures", "How many of these failed."),
	countKey("deduplicated", "How many calls of pure tools were answered from an earlier one."),
}

func readAsked(r *reader, v *Value, e *Expect) {
	lists := [][]spec.String{}
	if v.Kind != List {
		r.mismatch(v, "a list of lists of choices", "write it as in [[it is thin, none]]")
		return
	}
	for i := range v.Items {
		lists = append(lists, r.names(&v.Items[i]))
	}
	e.Asked, e.AskedPos = &lists, v.Pos
}

var textMatchKeys = table[PromptMatch]{"an expected text", []key[PromptMatch]{
	{name: "contains", example: "[otters]", doc: "Texts that stand in it.", read: func(r *reader, v *Value, m *PromptMatch) { m.Contains = r.textOrTexts(v) }},
	{name: "lacks", example: "[beavers]", doc: "Texts that do not stand in it.", read: func(r *reader, v *Value, m *PromptMatch) { m.Lacks = r.textOrTexts(v) }},
}}

// Models of requests, besides those that nodes name.
const (
	mainModel  = "main"
	lightModel = "light"
)

var promptKeys = table[PromptMatch]{"an expected prompt", append([]key[PromptMatch]{
	{name: "tools", example: "[search]", doc: "The tools that the model is offered, in order.", read: func(r *reader, v *Value, m *PromptMatch) {
		names := r.names(v)
		m.Tools, m.ToolsPos = &names, v.Pos
	}},
	{name: "model", example: "light", doc: "The model that is asked: " + strings.Join([]string{mainModel, lightModel}, ", ") + ", or the one that the node names.", read: func(r *reader, v *Value, m *PromptMatch) {
		m.Model = r.text(v, "the name of a model")
	}},
}, textMatchKeys.keys...)}

// textOrTexts reads a list of texts, or one.
func (r *reader) textOrTexts(v *Value) []spec.String {
	if v.Kind == List {
		return r.names(v)
	}
	return []spec.String{r.text(v, "a text")}
}
