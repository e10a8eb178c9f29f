package scenario

import (
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// askingKeys are the keys of an entry for nodes that a model is asked about.
var askingKeys = []row[Entry]{
	{Key{Name: "text", Form: formFree, Example: "Otters swim.",
		Doc: "The text of the model's answer, as it is; of a node with a typed output, what is to be decoded."},
		func(e *Entry) any { return reads(func(r *reader, v *Value, k *Key) { e.Text = anyText(r, v, k) }) }},
	{Key{Name: "tool_calls", Form: formCalls, Example: "[{search: {query: otters}}]",
		Doc: "The tools that the model asks for: a list of mappings of one tool to its arguments. Arguments that are a text are " +
			"sent as they are, and are not checked: `{search: not json}`."}, func(e *Entry) any { return reads(callsAt{&e.Calls, nil}.read) }},
	{Key{Name: "malformed", Form: formFree, Example: "[not json]",
		Doc: "Texts that the model answers before, in the same execution: one for each time that it is asked to mend its answer."}, func(e *Entry) any {
		return reads(func(r *reader, v *Value, k *Key) {
			for _, item := range v.AsList() {
				if text := anyText(r, &item, k); text != nil {
					e.Malformed = append(e.Malformed, *text)
				}
			}
		})
	}},
	{Key{Name: "reject", Form: form("a message"), Example: "three typos", Doc: "Of a node of kind guard: the message with which it rejects."},
		func(e *Entry) any { return &e.Reject }},
	{Key{Name: "usage", Form: formMapping, Example: "{input: 10, output: 5, cost: 0.01}",
		Doc: "What every call of the model in this execution uses: tokens, and US dollars."}, func(e *Entry) any { return pointer(&e.Usage, &usageKeys) }},
	{Key{Name: "summary", Form: formText, Example: "otters, in short", Doc: "What the model makes of a text that it is to make short."},
		func(e *Entry) any { return &e.Summary }},
	{Key{Name: "choose", Form: form("a node, none, or any text"), Example: "publish",
		Doc: "What the model answers that judges the `when` edges of the node: the target of one of them, or its text, `none`, or " +
			"any other text, which is not a choice. `{error: offline}`: it fails."}, func(e *Entry) any {
		return reads(func(r *reader, v *Value, k *Key) {
			e.Choose = new(Choose)
			r.Read(v, k, orMapping(&e.Choose.Answer, e.Choose, &chooseKeys))
		})
	}},
	{Key{Name: "evals", Form: form("a mapping of evals to answers"), Example: "{polite: true}",
		Doc: "What the model answers that judges the node's output, by eval: `true`, `false`, or `{error: offline}`."}, func(e *Entry) any {
		return each(func(r *reader, name spec.String, v *Value) {
			o := Opinion{Eval: name}
			r.Read(v, verdictKey, orMapping(flag(&o.Pass), &o, &opinionKeys))
			e.Evals = append(e.Evals, o)
		})
	}},
}

var chooseKeys = table[Choose]{Noun: "the answer of a judge", Rows: yamlread.Rows([]row[Choose]{
	{Key{Name: "error", Form: formText, Example: "offline", Required: true}, func(c *Choose) any { return &c.Error }},
})}

var opinionKeys = table[Opinion]{Noun: "the answer of an eval", Rows: yamlread.Rows([]row[Opinion]{
	{Key{Name: "error", Form: formText, Example: "offline", Required: true}, func(o *Opinion) any { return &o.Error }},
})}

// A callsAt is where a list of calls goes: names, and mappings of one name to arguments.
type callsAt struct {
	calls *[]Call
	pos   *spec.Pos // nil: nowhere
}

func (to callsAt) read(r *reader, v *Value, k *Key) {
	if to.pos != nil {
		*to.pos = v.Pos
	}
	if v.Kind != yamlread.List {
		r.Mismatch(v, k)
		return
	}
	*to.calls = []Call{}
	for i := range v.Items {
		item := &v.Items[i]
		switch {
		case item.Kind == yamlread.Text:
			*to.calls = append(*to.calls, Call{Tool: r.Text(item, toolKey)})
		case item.Kind == yamlread.Map && len(item.Items) == 2:
			name, arguments := item.Key(0)
			*to.calls = append(*to.calls, Call{Tool: name, Arguments: arguments})
		default:
			r.Mismatch(item, &Key{Form: formCall, Example: k.Example})
		}
	}
}

var usageKeys = table[Usage]{Noun: "usage", Pos: func(u *Usage) *spec.Pos { return &u.Pos }, Rows: yamlread.Rows([]row[Usage]{
	{Key{Name: "input", Form: formCount, Example: "10", Doc: "Tokens that went in."}, func(u *Usage) any { return count(&u.Input) }},
	{Key{Name: "output", Form: formCount, Example: "5", Doc: "Tokens that came out."}, func(u *Usage) any { return count(&u.Output) }},
	{Key{Name: "cost", Form: formAmount, Example: "0.01", Doc: "US dollars."}, func(u *Usage) any { return amount(&u.Cost) }},
})}

var toolKeys = table[ToolEntry]{Noun: "a call of a tool", Pos: func(e *ToolEntry) *spec.Pos { return &e.Pos }, Rows: yamlread.Rows([]row[ToolEntry]{
	{Key{Name: "given", Form: formAny, Example: "{tenant: acme}",
		Doc: "What the tool must be given of the state, whenever the entry is used: the fields of its `reads` to compare."},
		func(e *ToolEntry) any { return &e.Given }},
	{Key{Name: "result", Form: formAny, Example: "[otters]", Doc: "What the tool returns. Fields left out are zero."},
		func(e *ToolEntry) any { return &e.Result }},
	{Key{Name: "error", Form: form("the text of an error"), Example: "offline",
		Doc: "The text of an error that it returns, or `{text: offline, fatal: true}`: one that is the failure of the node."},
		func(e *ToolEntry) any { return orMapping(&e.Error, e, &errorOfTool) }},
	{Key{Name: "panic", Form: formText, Example: "oops", Doc: "The text with which it panics."}, func(e *ToolEntry) any { return &e.Panic }},
	{Key{Name: "takes", Form: formDuration, Example: "3s", Doc: "How long it takes, whatever happens to its context."},
		func(e *ToolEntry) any { return positive(&e.Takes) }},
	{Key{Name: "hang", Form: formYes, Example: "true", Doc: "It waits until its context ends."}, func(e *ToolEntry) any { return yes(&e.Hang) }},
})}

var errorOfTool = table[ToolEntry]{Noun: "the error of a tool", Rows: yamlread.Rows([]row[ToolEntry]{
	{Key{Name: "text", Form: formText, Example: "offline", Required: true}, func(e *ToolEntry) any { return &e.Error }},
	{Key{Name: "fatal", Form: formBool, Example: "true"}, func(e *ToolEntry) any { return flag(&e.Fatal) }},
})}

var injectKeys = table[ToolSteps]{Noun: "an injected tool", Rows: yamlread.Rows([]row[ToolSteps]{
	{Key{Name: "doc", Form: formText, Example: "looks things up", Doc: "Its description for models."}, func(t *ToolSteps) any { return &t.Doc }},
	{Key{Name: "schema", Form: form("a JSON Schema"), Example: "{type: object, properties: {query: {type: string}}}",
		Doc: "The JSON Schema of its arguments; left out: any object."}, func(t *ToolSteps) any {
		return reads(func(r *reader, v *Value, k *Key) {
			if t.Schema = v; v.Kind != yamlread.Map {
				t.Schema = nil
				r.Mismatch(v, k)
			}
		})
	}},
	{Key{Name: "calls", Form: form("a list of calls"), Example: "[{result: otters}]",
		Doc: "Its calls, as for other tools. A result that is not a text is given as JSON."}, func(t *ToolSteps) any {
		return reads(func(r *reader, v *Value, _ *Key) { t.Steps = readSteps(r, v, toolSteps) })
	}},
})}

var budgetKeys = table[Budget]{Noun: "a budget", Rows: yamlread.Rows([]row[Budget]{
	{Key{Name: "tokens", Form: formCount, Example: "1000", Doc: "In and out."}, func(b *Budget) any { return count(&b.Tokens) }},
	{Key{Name: "cost", Form: formAmount, Example: "0.5", Doc: "US dollars."}, func(b *Budget) any { return amount(&b.Cost) }},
	{Key{Name: "model_calls", Form: formCount, Example: "10", Doc: "Calls of models."}, func(b *Budget) any { return count(&b.ModelCalls) }},
	{Key{Name: "tool_calls", Form: formCount, Example: "10", Doc: "Calls of tools."}, func(b *Budget) any { return count(&b.ToolCalls) }},
})}

// spentKeys are the expectations of what models and tools did.
var spentKeys = []row[Expect]{
	{Key{Name: "asked", Form: form("a list of lists of choices"), Example: "[[it is thin, it is done, none]]",
		Doc: "By call of the model that judges edges, the choices it was shown: the texts of the `when` edges in order, and `none` " +
			"where it could be chosen."}, func(e *Expect) any {
		return reads(func(r *reader, v *Value, k *Key) {
			lists := [][]spec.String{}
			for _, item := range r.List(v, k) {
				lists = append(lists, names(r, &item, namesKey))
			}
			e.Asked, e.AskedPos = &lists, v.Pos
		})
	}},
	{Key{Name: "judge", Form: formMapping, Example: "{contains: [otters], lacks: [beavers]}",
		Doc: "What the model that judges edges was shown the last time: texts that it contains, and lacks."}, func(e *Expect) any {
		return reads(func(r *reader, v *Value, _ *Key) {
			m := new(PromptMatch)
			yamlread.Read(r, v, &textMatchKeys, m)
			e.Judge = &m.TextMatch
		})
	}},
	{Key{Name: "tools_called", Form: formCalls, Example: "[search, {lookup: {id: 3}}]",
		Doc: "The calls of tools that were made, in order: names, or mappings of a name to the arguments to compare. Those that " +
			"were answered from an earlier call, and those of the caller's tools, are not among them."},
		func(e *Expect) any { return reads(callsAt{&e.Called, &e.CalledPos}.read) }},
	{Key{Name: "prompt", Form: form("a mapping of nodes to what their prompts contain"), Example: "{draft: {contains: [otters]}}",
		Doc: "By node, the text of its last request: the system prompt and the messages."}, func(e *Expect) any {
		return reads(func(r *reader, v *Value, k *Key) {
			e.Prompts = yamlread.Entries(r, v, k, &promptKeys, func(m *PromptMatch) *spec.String { return &m.Node })
		})
	}},
	{Key{Name: "usage", Form: formMapping, Example: "{input: 30, output: 12}", Doc: "What the models of the run used."},
		func(e *Expect) any { return pointer(&e.Usage, &usageKeys) }},
	countKey("model_calls", "How often models were asked, judges among them."),
	countKey("tool_calls", "How many calls of tools were made."),
	countKey("tool_failures", "How many of these failed."),
	countKey("deduplicated", "How many calls of pure tools were answered from an earlier one."),
}

var textMatchKeys = table[PromptMatch]{Noun: "an expected text", Pos: promptPos, Rows: yamlread.Rows(textMatchRows)}

func promptPos(m *PromptMatch) *spec.Pos { return &m.Pos }

var textMatchRows = []row[PromptMatch]{
	{Key{Name: "contains", Form: formTexts, Example: "[otters]", Doc: "Texts that it contains."}, func(m *PromptMatch) any { return &m.Contains }},
	{Key{Name: "lacks", Form: formTexts, Example: "[beavers]", Doc: "Texts that it does not contain."}, func(m *PromptMatch) any { return &m.Lacks }},
}

// Models of requests, besides those that nodes name.
const (
	mainModel  = "main"
	lightModel = "light"
)

var promptKeys = table[PromptMatch]{Noun: "an expected prompt", Pos: promptPos, Rows: yamlread.Rows(append([]row[PromptMatch]{
	{Key{Name: "tools", Form: formNames, Example: "[search]", Doc: "The tools that the model is offered, in order."},
		func(m *PromptMatch) any { return namesAt{&m.Tools, &m.ToolsPos} }},
	{Key{Name: "model", Form: form("the name of a model"), Example: "light",
		Doc: "The model that is asked: " + strings.Join([]string{mainModel, lightModel}, ", ") + ", or the one that the node names."},
		func(m *PromptMatch) any { return &m.Model }},
}, textMatchRows...))}
