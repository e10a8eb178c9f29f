package scenario

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/yamlread"
)

var fileKeys = table[File]{Noun: "a scenario file", Rows: yamlread.Rows([]row[File]{
	{Key{Name: "graph", Form: form("the name of a spec file"), Example: "review.graph.yaml", Required: true,
		Doc: "The spec's file name, in the same directory."}, func(f *File) any { return &f.Graph }},
	{Key{Name: "merges", Form: form("a mapping of state fields to merge rules"), Example: "{tags: union}",
		Doc: "For every state field with `merge: custom`, the rule that replaces its Go function: last, append, union, sum, max or min."}, func(f *File) any {
		return each(func(r *reader, name spec.String, v *Value) {
			f.Merges = append(f.Merges, Pair{name, r.Text(v, ruleKey)})
		})
	}},
	{Key{Name: "scenarios", Form: form("a list of scenarios"), Example: "[{name: …, expect: {path: […]}}]", Required: true,
		Doc: "The scenarios, a list."}, func(f *File) any { return items(&f.Scenarios, &scenarioKeys) }},
})}

var scenarioKeys = table[Scenario]{Noun: "a scenario", Pos: func(s *Scenario) *spec.Pos { return &s.Pos }, Rows: yamlread.Rows([]row[Scenario]{
	{Key{Name: "name", Form: formText, Example: "publishes once the critic is content", Required: true,
		Doc: "What the scenario shows, a sentence. Names are unique in a file."}, func(s *Scenario) any { return &s.Name }},
	{Key{Name: "input", Form: formAny, Example: "{topic: otters}", Doc: "The graph's input. Fields left out are zero."},
		func(s *Scenario) any { return &s.Input }},
	{Key{Name: "script", Form: form("a mapping of nodes to lists of entries"), Example: "{draft: [{out: v1}]}",
		Doc: "By node, a list of entries. Each is one execution of the node; the last one repeats. A node without a script returns " +
			"nothing. A single entry needs no list. `{each: [[…], […]]}` are the entries by element of the map around the node. " +
			"Nodes of a graph that a subgraph runs have the name of that before their own, as in `details/search`; so have its " +
			"tools, and the fields of its state under `merges`."}, func(s *Scenario) any {
		return each(func(r *reader, name spec.String, v *Value) {
			s.Script = append(s.Script, Script{name, readSteps(r, v, nodeSteps)})
		})
	}},
	{Key{Name: "tools", Form: form("a mapping of tools to lists of calls"), Example: "{search: [{result: [otters]}, {error: offline}]}",
		Doc: "By tool, a list of entries. Each is one call of the tool; the last one repeats. A tool without entries returns the " +
			"zero value. A single entry needs no list."}, func(s *Scenario) any {
		return each(func(r *reader, name spec.String, v *Value) {
			s.Tools = append(s.Tools, ToolSteps{Tool: name, Steps: readSteps(r, v, toolSteps)})
		})
	}},
	{Key{Name: "inject", Form: form("a mapping of tools to what they are"),
		Example: "{lookup: {doc: looks things up, calls: [{result: otters}]}}", Doc: "Tools that are known only at run time, by name."}, func(s *Scenario) any {
		return reads(func(r *reader, v *Value, k *Key) {
			for _, t := range yamlread.Entries(r, v, k, &injectKeys, func(t *ToolSteps) *spec.String { return &t.Tool }) {
				if t.Steps == nil {
					t.Steps = new(Steps[*ToolEntry])
				}
				s.Inject = append(s.Inject, *t)
			}
		})
	}},
	{Key{Name: "answers", Form: form("a list of answers"), Example: "[{to: refund, answer: approve}]",
		Doc: "Answers to the requests of a paused run, in JSON: approvals of tool calls and of nodes, interrupts, and the " +
			"questions of human nodes, which a script can answer too. The first that names an open request is given next, each once."},
		func(s *Scenario) any { return items(&s.Answers, &replyKeys) }},
	{Key{Name: "recording", Form: form("the name of a file"), Example: "otters.jsonl",
		Doc: "A file in the same directory that package record has written. Models and tools answer from it, instead of scripts. " +
			"Handlers and guards have their scripts. A run that sends anything else fails, and the error names the place."},
		func(s *Scenario) any { return &s.Recording }},
	{Key{Name: "options", Form: formMapping, Example: "{deadline: 3s}", Doc: "Circumstances of the run."},
		func(s *Scenario) any { return mapping(&s.Options, &optionKeys) }},
	{Key{Name: "expect", Form: formMapping, Example: "{path: [draft], end: completed}", Required: true,
		Doc: "The result of the run. What is not written is not compared. A run that returns an error needs `error`, or an `end` that is an error."},
		func(s *Scenario) any { return mapping(&s.Expect, &expectKeys) }},
})}

var entryKeys = table[Entry]{Noun: "an entry of a script", Pos: func(e *Entry) *spec.Pos { return &e.Pos }, Rows: yamlread.Rows(slices.Concat([]row[Entry]{
	{Key{Name: "out", Form: formAny, Example: "{score: 5}",
		Doc: "The node's output; of a node that asks a model, what this answers. Fields left out are zero. Of a node that takes " +
			"the state: the state fields it sets."}, func(e *Entry) any { return &e.Out }},
	{Key{Name: "goto", Form: formNode, Example: "publish",
		Doc: "The node that the handler names: one of the node's `goto`, or of a router's `routes`."}, func(e *Entry) any { return &e.Goto }},
	{Key{Name: "branch", Form: form("a label"), Example: "approved",
		Doc: "The label that the handler returns, of the branch table that leaves the node. A table with `by` looks at `out`."},
		func(e *Entry) any { return &e.Branch }},
	{Key{Name: "error", Form: form("the text of an error"), Example: "offline",
		Doc: "The text of an error that the handler returns, or `{text: offline, transient: true}`."},
		func(e *Entry) any { return orMapping(&e.Error, e, &errorOfEntry) }},
	{Key{Name: "panic", Form: formText, Example: "out of cheese", Doc: "The text with which the handler panics."}, func(e *Entry) any { return &e.Panic }},
	{Key{Name: "guards_failed", Form: form("true, a message, a list of guards or their messages"), Example: "{spelling: three typos}",
		Doc: "Of a node of kind guard: `true`, or the message of its rejection. Of a node with guards: `true` (all reject), a " +
			"list of those that reject, or a mapping of guards to messages; `{spelling: {error: offline}}` and `{panic: …}` are " +
			"guards that fail themselves. A model that judges for a guard answers by the same, but does not panic."},
		func(e *Entry) any { return reads(e.readGuards) }},
	{Key{Name: "takes", Form: formDuration, Example: "3s",
		Doc: "How long the execution takes, in the time of the run, whatever happens to its context."}, func(e *Entry) any { return positive(&e.Takes) }},
	{Key{Name: "after", Form: formDuration, Example: "30ms",
		Doc: "How long the execution waits before anything else. Its context ends the wait: then it returns the context's error."},
		func(e *Entry) any { return positive(&e.After) }},
	{Key{Name: "hang", Form: formYes, Example: "true",
		Doc: "The handler waits until its context ends, and returns the context's error, or the entry's `error` or `panic`."},
		func(e *Entry) any { return yes(&e.Hang) }},
	{Key{Name: "cancel", Form: formYes, Example: "true",
		Doc: "The run's context is cancelled during the execution, which then continues as the other keys say."}, func(e *Entry) any { return yes(&e.Cancel) }},
	{Key{Name: "stop", Form: formYes, Example: "true",
		Doc: "A stop of the run is requested during the execution, which then continues as the other keys say."}, func(e *Entry) any { return yes(&e.Stop) }},
	{Key{Name: "given", Form: formMapping, Example: "{in: {topic: otters}}", Doc: "What the handler must be given, whenever the entry is used."},
		func(e *Entry) any { return pointer(&e.Given, &givenKeys) }},
	graphActionKey,
}, askingKeys, answeringKeys))}

var errorOfEntry = table[Entry]{Noun: "the error of an entry", Rows: yamlread.Rows([]row[Entry]{
	{Key{Name: "text", Form: formText, Example: "offline", Required: true}, func(e *Entry) any { return &e.Error }},
	{Key{Name: "transient", Form: formBool, Example: "true"}, func(e *Entry) any { return flag(&e.Transient) }},
})}

// readGuards reads the verdicts of guards.
func (e *Entry) readGuards(r *reader, v *Value, k *Key) {
	reject := spec.String{V: "rejected by the script", Pos: v.Pos}
	switch v.Kind {
	case yamlread.Bool:
		var all bool
		if yes(&all)(r, v, k); all {
			e.GuardsFailed = append(e.GuardsFailed, Verdict{Reject: reject})
		}
	case yamlread.List:
		for _, name := range names(r, v, namesKey) {
			e.GuardsFailed = append(e.GuardsFailed, Verdict{Guard: name, Reject: spec.String{V: reject.V, Pos: name.Pos}})
		}
	case yamlread.Map:
		r.Each(v, k, func(name spec.String, v *Value) {
			verdict := Verdict{Guard: name}
			r.Read(v, messageKey, orMapping(&verdict.Reject, &verdict, &verdictKeys))
			e.GuardsFailed = append(e.GuardsFailed, verdict)
		})
	default:
		e.GuardsFailed = append(e.GuardsFailed, Verdict{Reject: r.Text(v, k)})
	}
}

var verdictKeys = table[Verdict]{Noun: "a guard's verdict", Rows: yamlread.Rows([]row[Verdict]{
	{Key{Name: "error", Form: formText, Example: "offline"}, func(g *Verdict) any { return &g.Error }},
	{Key{Name: "panic", Form: formText, Example: "offline"}, func(g *Verdict) any { return &g.Panic }},
})}

var givenKeys = table[Given]{Noun: "given", Rows: yamlread.Rows([]row[Given]{
	{Key{Name: "in", Form: formAny, Example: "{topic: otters}", Doc: "What the node reads, or the state: the fields to compare."},
		func(g *Given) any { return &g.In }},
	{Key{Name: "feedback", Form: formNames, Example: "[three typos]", Doc: "The messages of guards that the handler gets by `graphgen.Info`."},
		func(g *Given) any { return namesAt{&g.Feedback, nil} }},
	{Key{Name: "failure", Form: form("a text, or false for none"), Example: "offline",
		Doc: "A part of the text of the failure that brought the run here, or `false`: none did."},
		func(g *Given) any { return orFalse(&g.Failure, &g.NoFailure) }},
	{Key{Name: "step", Form: formCount, Example: "3", Doc: "The number of the step."}, func(g *Given) any { return count(&g.Step) }},
	{Key{Name: "visit", Form: formCount, Example: "2", Doc: "The number of the visit to the node."}, func(g *Given) any { return count(&g.Visit) }},
	{Key{Name: "attempt", Form: formCount, Example: "2", Doc: "The number of the execution in its step."}, func(g *Given) any { return count(&g.Attempt) }},
	{Key{Name: "prompt", Form: formMapping, Example: "{contains: [otters]}", Doc: "Of a node that asks a model: the text of its first request."},
		func(g *Given) any { return pointer(&g.Prompt, &promptKeys) }},
	{Key{Name: "guards", Form: form("a mapping of guards to what they read"), Example: "{own_order: {customer: c1}}",
		Doc: "Of a node with guards that read the state: by guard, the fields to compare."}, func(g *Given) any {
		return each(func(r *reader, name spec.String, v *Value) {
			g.Guards = append(g.Guards, GuardGiven{name, v})
		})
	}},
})}

var optionKeys = table[Options]{Noun: "the options", Rows: yamlread.Rows([]row[Options]{
	{Key{Name: "cancelled", Form: formYes, Example: "true", Doc: "The run's context is cancelled before it starts."},
		func(o *Options) any { return yes(&o.Cancelled) }},
	{Key{Name: "stopped", Form: formYes, Example: "true", Doc: "A stop is requested before the run starts."}, func(o *Options) any { return yes(&o.Stopped) }},
	{Key{Name: "deadline", Form: formDuration, Example: "3s", Doc: "The caller's context ends this long after the run starts."},
		func(o *Options) any { return positive(&o.Deadline) }},
	{Key{Name: "hooks", Form: form("a list of hooks"), Example: "[{after: critic, error: too long}]", Doc: "Hooks that fail."},
		func(o *Options) any { return items(&o.Hooks, &hookKeys) }},
	{Key{Name: "dry_run", Form: formYes, Example: "true", Doc: "The run stops before it leaves the first node whose edges have conditions."},
		func(o *Options) any { return yes(&o.DryRun) }},
	{Key{Name: "budget", Form: formMapping, Example: "{tokens: 1000}",
		Doc: "What models and tools may use. The lower of this and the spec's budget holds."}, func(o *Options) any { return mapping(&o.Budget, &budgetKeys) }},
})}

var hookKeys = table[Hook]{Noun: "a hook", Pos: func(h *Hook) *spec.Pos { return &h.Pos }, Rows: yamlread.Rows([]row[Hook]{
	{Key{Name: "before", Form: formNode, Example: "critic", Doc: "The node before whose steps the hook fails."}, func(h *Hook) any { return &h.Before }},
	{Key{Name: "after", Form: formNode, Example: "critic", Doc: "The node after whose steps the hook fails."}, func(h *Hook) any { return &h.After }},
	{Key{Name: "visit", Form: formCount, Example: "2", Doc: "The only visit at which it fails."}, func(h *Hook) any { return count(&h.Visit) }},
	{Key{Name: "governing", Form: formBool, Example: "true", Doc: "Its verdict ends the run."}, func(h *Hook) any { return flag(&h.Governing) }},
	{Key{Name: "error", Form: formText, Example: "too long", Doc: "The text of the error it returns."}, func(h *Hook) any { return &h.Error }},
	{Key{Name: "panic", Form: formText, Example: "oops", Doc: "The text with which it panics."}, func(h *Hook) any { return &h.Panic }},
	{Key{Name: "budget", Form: formText, Example: "tokens", Doc: "What there is no budget of: the hook returns a LimitError."},
		func(h *Hook) any { return &h.Budget }},
})}
