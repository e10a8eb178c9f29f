package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

var fileKeys = table[File]{"a scenario file", []key[File]{
	{name: "graph", example: "review.graph.yaml", required: true, doc: "The spec's file name, in the same directory.",
		read: func(r *reader, v *Value, f *File) { f.Graph = r.text(v, "the name of a spec file") }},
	{name: "merges", example: "{tags: union}", doc: "For every state field with `merge: custom`, the rule that stands in for its Go function: last, append, union, sum, max or min.",
		read: func(r *reader, v *Value, f *File) {
			r.pairs(v, "a mapping of state fields to merge rules", "write it as in {tags: union}", func(name spec.String, v *Value) {
				f.Merges = append(f.Merges, Pair{name, r.text(v, "a merge rule")})
			})
		}},
	{name: "scenarios", example: "[{name: …, expect: {path: […]}}]", required: true, doc: "The scenarios, a list.", read: readScenarios},
}}

func readScenarios(r *reader, v *Value, f *File) {
	if v.Kind != List {
		r.mismatch(v, "a list of scenarios", "begin each with \"- name: \"")
		return
	}
	for i := range v.Items {
		s := &Scenario{Pos: v.Items[i].Pos}
		readKeys(r, &v.Items[i], &scenarioKeys, s)
		if s.Name.V != "" {
			f.Scenarios = append(f.Scenarios, s)
		}
	}
}

var scenarioKeys = table[Scenario]{"a scenario", []key[Scenario]{
	{name: "name", example: "publishes once the critic is content", required: true, doc: "What the scenario shows, a sentence. Names are unique in a file.",
		read: func(r *reader, v *Value, s *Scenario) { s.Name = r.text(v, "a text") }},
	{name: "input", example: "{topic: otters}", doc: "The graph's input. Fields left out are zero.",
		read: func(r *reader, v *Value, s *Scenario) { s.Input = v }},
	{name: "script", example: "{draft: [{out: v1}]}", doc: "By node, a list of entries. Each is one execution of the node; the last one repeats. A node without a script returns nothing. A single entry needs no list. `{each: [[…], […]]}` are the entries by element of the map around the node. Nodes of a graph that a subgraph runs have the name of that before their own, as in `details/search`; so have its tools, and the fields of its state under `merges`.", read: readScript},
	{name: "tools", example: "{search: [{result: [otters]}, {error: offline}]}", doc: "By tool, a list of entries. Each is one call of the tool; the last one repeats. A tool without entries returns the zero value. A single entry needs no list.", read: readTools},
	{name: "inject", example: "{lookup: {doc: looks things up, calls: [{result: otters}]}}", doc: "Tools that are known only at run time, by name.", read: readInject},
	{name: "recording", example: "otters.jsonl", doc: "A file in the same directory that package record has written: what models and tools say is played from it, in place of scripts. Handlers and guards have their scripts. A run that says something else fails, and is told where.",
		read: func(r *reader, v *Value, s *Scenario) { s.Recording = r.text(v, "the name of a file") }},
	{name: "options", example: "{deadline: 3s}", doc: "Circumstances of the run.",
		read: func(r *reader, v *Value, s *Scenario) { readKeys(r, v, &optionKeys, &s.Options) }},
	{name: "expect", example: "{path: [draft], end: completed}", required: true, doc: "What the run must come to. What is not written is not compared; a run that returns an error must say so, by `error` or by an `end` that is one.",
		read: func(r *reader, v *Value, s *Scenario) {
			s.Expect.Pos = v.Pos
			readKeys(r, v, &expectKeys, &s.Expect)
		}},
}}

func readScript(r *reader, v *Value, s *Scenario) {
	r.pairs(v, "a mapping of nodes to lists of entries", "write it as in {draft: [{}]}", func(name spec.String, v *Value) {
		s.Script = append(s.Script, Script{name, readSteps(r, v, nodeSteps)})
	})
}

var entryKeys = table[Entry]{"an entry of a script", slices.Concat([]key[Entry]{
	{name: "out", example: "{score: 5}", doc: "The node's output; of a node that asks a model, what this answers. Fields left out are zero. Of a node that takes the state: the state fields it sets.",
		read: func(r *reader, v *Value, e *Entry) { e.Out = v }},
	{name: "goto", example: "publish", doc: "The node that the handler names: one of the node's `goto`, or of a router's `routes`.",
		read: func(r *reader, v *Value, e *Entry) { e.Goto = r.text(v, "the name of a node") }},
	{name: "branch", example: "approved", doc: "The label that the handler returns, of the branch table that leaves the node. A table with `by` looks at `out`.",
		read: func(r *reader, v *Value, e *Entry) { e.Branch = r.text(v, "a label") }},
	{name: "error", example: "offline", doc: "The text of an error that the handler returns, or `{text: offline, transient: true}`.", read: readEntryError},
	{name: "panic", example: "out of cheese", doc: "The text with which the handler panics.",
		read: func(r *reader, v *Value, e *Entry) { e.Panic = r.text(v, "a text") }},
	{name: "guards_failed", example: "{spelling: three typos}", doc: "Of a node of kind guard: `true`, or the message of its rejection. Of a node with guards: `true` (all reject), a list of those that reject, or a mapping of guards to messages; `{spelling: {error: offline}}` and `{panic: …}` are guards that fail themselves.", read: readGuards},
	{name: "takes", example: "3s", doc: "How long the execution takes, in the time of the run, whatever happens to its context.",
		read: func(r *reader, v *Value, e *Entry) { e.Takes = r.duration(v) }},
	{name: "after", example: "30ms", doc: "How long the execution waits before anything else. Its context ends the wait: then it returns the context's error.",
		read: func(r *reader, v *Value, e *Entry) { e.After = r.duration(v) }},
	{name: "hang", example: "true", doc: "The handler waits until its context ends, and returns the context's error, or the entry's `error` or `panic`.",
		read: func(r *reader, v *Value, e *Entry) { e.Hang = r.yes(v) }},
	{name: "cancel", example: "true", doc: "The run's context is cancelled during the execution, which then goes on as the other keys say.",
		read: func(r *reader, v *Value, e *Entry) { e.Cancel = r.yes(v) }},
	{name: "stop", example: "true", doc: "A stop of the run is requested during the execution, which then goes on as the other keys say.",
		read: func(r *reader, v *Value, e *Entry) { e.Stop = r.yes(v) }},
	{name: "given", example: "{in: {topic: otters}}", doc: "What the handler must be given, whenever the entry is used.",
		read: func(r *reader, v *Value, e *Entry) {
			e.Given = new(Given)
			readKeys(r, v, &givenKeys, e.Given)
		}},
	graphActionKey,
}, askingKeys, answeringKeys)}

func readEntryError(r *reader, v *Value, e *Entry) {
	if v.Kind != Map {
		e.Error = r.text(v, "the text of an error")
		return
	}
	readKeys(r, v, &table[Entry]{"the error of an entry", []key[Entry]{
		{name: "text", example: "offline", required: true, read: func(r *reader, v *Value, e *Entry) { e.Error = r.text(v, "a text") }},
		{name: "transient", example: "true", read: func(r *reader, v *Value, e *Entry) { e.Transient = r.bool(v).V }},
	}}, e)
}

func readGuards(r *reader, v *Value, e *Entry) {
	const rejected = "rejected by the script"
	switch v.Kind {
	case Bool:
		if r.yes(v) {
			e.GuardsFailed = append(e.GuardsFailed, Verdict{Reject: spec.String{V: rejected, Pos: v.Pos}})
		}
	case List:
		for _, name := range r.names(v) {
			e.GuardsFailed = append(e.GuardsFailed, Verdict{Guard: name, Reject: spec.String{V: rejected, Pos: name.Pos}})
		}
	case Map:
		r.pairs(v, "", "", func(name spec.String, v *Value) {
			verdict := Verdict{Guard: name}
			if v.Kind == Map {
				readKeys(r, v, &verdictKeys, &verdict)
			} else {
				verdict.Reject = r.text(v, "the message of a rejection")
			}
			e.GuardsFailed = append(e.GuardsFailed, verdict)
		})
	default:
		e.GuardsFailed = append(e.GuardsFailed, Verdict{Reject: r.text(v, "true, a message, a list of guards or their messages")})
	}
}

var verdictKeys = table[Verdict]{"a guard's verdict", []key[Verdict]{
	{name: "error", example: "offline", read: func(r *reader, v *Value, g *Verdict) { g.Error = r.text(v, "a text") }},
	{name: "panic", example: "offline", read: func(r *reader, v *Value, g *Verdict) { g.Panic = r.text(v, "a text") }},
}}

var givenKeys = table[Given]{"given", []key[Given]{
	{name: "in", example: "{topic: otters}", doc: "What the node reads, or the state: the fields to compare.",
		read: func(r *reader, v *Value, g *Given) { g.In = v }},
	{name: "feedback", example: "[three typos]", doc: "The messages of guards that `graphrt.Info` tells the handler.",
		read: func(r *reader, v *Value, g *Given) { names := r.names(v); g.Feedback = &names }},
	{name: "failure", example: "offline", doc: "A part of the text of the failure that brought the run here, or `false`: none did.",
		read: func(r *reader, v *Value, g *Given) { g.Failure, g.NoFailure = r.textOrNone(v) }},
	{name: "step", example: "3", doc: "The number of the step.", read: func(r *reader, v *Value, g *Given) { g.Step = r.count(v) }},
	{name: "visit", example: "2", doc: "The number of the visit to the node.", read: func(r *reader, v *Value, g *Given) { g.Visit = r.count(v) }},
	{name: "attempt", example: "2", doc: "The number of the execution in its step.", read: func(r *reader, v *Value, g *Given) { g.Attempt = r.count(v) }},
	{name: "prompt", example: "{contains: [otters]}", doc: "Of a node that asks a model: what its first request says.",
		read: func(r *reader, v *Value, g *Given) {
			g.Prompt = &PromptMatch{TextMatch: TextMatch{Pos: v.Pos}}
			readKeys(r, v, &promptKeys, g.Prompt)
		}},
}}

// textOrNone reads a text, or false for none.
func (r *reader) textOrNone(v *Value) (text spec.String, none spec.Pos) {
	if v.Kind == Bool && strings.EqualFold(v.Text, "false") {
		return text, v.Pos
	}
	return r.text(v, "a text, or false for none"), none
}

var optionKeys = table[Options]{"the options", []key[Options]{
	{name: "cancelled", example: "true", doc: "The run's context is cancelled before it starts.",
		read: func(r *reader, v *Value, o *Options) { o.Cancelled = r.yes(v) }},
	{name: "stopped", example: "true", doc: "A stop is requested before the run starts.",
		read: func(r *reader, v *Value, o *Options) { o.Stopped = r.yes(v) }},
	{name: "deadline", example: "3s", doc: "The caller's context ends this long after the run starts.",
		read: func(r *reader, v *Value, o *Options) { o.Deadline = r.duration(v) }},
	{name: "hooks", example: "[{after: critic, error: too long}]", doc: "Hooks that fail.",
		read: func(r *reader, v *Value, o *Options) {
			if v.Kind != List {
				r.mismatch(v, "a list of hooks", "write it as in [{after: critic, error: too long}]")
			}
			for i := 0; v.Kind == List && i < len(v.Items); i++ {
				h := &Hook{Pos: v.Items[i].Pos}
				readKeys(r, &v.Items[i], &hookKeys, h)
				o.Hooks = append(o.Hooks, h)
			}
		}},
	{name: "dry_run", example: "true", doc: "The run stops before it leaves the first node whose edges have conditions.",
		read: func(r *reader, v *Value, o *Options) { o.DryRun = r.yes(v) }},
	{name: "budget", example: "{tokens: 1000}", doc: "What models and tools may use. Of this and of what the spec says the lower holds.",
		read: func(r *reader, v *Value, o *Options) { readKeys(r, v, &budgetKeys, &o.Budget) }},
}}

var hookKeys = table[Hook]{"a hook", []key[Hook]{
	{name: "before", example: "critic", doc: "The node before whose steps the hook fails.",
		read: func(r *reader, v *Value, h *Hook) { h.Before = r.text(v, "the name of a node") }},
	{name: "after", example: "critic", doc: "The node after whose steps the hook fails.",
		read: func(r *reader, v *Value, h *Hook) { h.After = r.text(v, "the name of a node") }},
	{name: "visit", example: "2", doc: "The only visit at which it fails.", read: func(r *reader, v *Value, h *Hook) { h.Visit = r.count(v) }},
	{name: "governing", example: "true", doc: "Its verdict ends the run.", read: func(r *reader, v *Value, h *Hook) { h.Governing = r.bool(v).V }},
	{name: "error", example: "too long", doc: "The text of the error it returns.", read: func(r *reader, v *Value, h *Hook) { h.Error = r.text(v, "a text") }},
	{name: "panic", example: "oops", doc: "The text with which it panics.", read: func(r *reader, v *Value, h *Hook) { h.Panic = r.text(v, "a text") }},
	{name: "budget", example: "tokens", doc: "What there is no budget of: the hook returns a BudgetExceeded.",
		read: func(r *reader, v *Value, h *Hook) { h.Budget = r.text(v, "a text") }},
}}

// word reads one of some words.
func (r *reader) word(v *Value, what string, words []string) spec.String {
	s := r.text(v, what)
	if s.V != "" && !slices.Contains(words, s.V) {
		help := "it is one of " + strings.Join(words, ", ")
		if near, ok := diag.Suggest(s.V, words); ok {
			help = fmt.Sprintf("did you mean %q?", near)
		}
		r.report("GG212", s.Pos, fmt.Sprintf("%s is not %s", quote(s.V), what), help)
		return spec.String{}
	}
	return s
}
