package scenario

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
)

// Ends are the reasons for which a run ends. The kernel's Reason gives these names.
var Ends = []string{"completed", "exhausted", "no_route", "max_steps", "budget", "stopped", "failed", "interrupted"}

// ErrorTypes are the kernel's errors that an expectation may name.
var ErrorTypes = []string{
	"RunError", "NodeError", "VisitsError", "StepsError", "CancelledError", "StopError", "TimeoutError",
	"PanicError", "GuardsError", "InvalidChoiceError", "NoEdgeMatchedError", "BudgetExceeded", "HookError",
	"MalformedError", "EmptyInputError", "ResultTooLargeError", "UnknownToolError", "ArgumentsError",
	"BranchesError", "LengthError", "DepthError", "OutputError",
	"Interrupted", "DeniedError", "LateError", "ResumeError", "AnswerError",
}

// EventKinds are the kinds of events. The kernel's EventKind gives these names.
var EventKinds = []string{
	"run_start", "node_start", "node_end", "node_error", "route", "route_rejected", "retry", "progress",
	"token", "tool_start", "tool_end", "cache_hit", "budget", "mutation", "interrupt", "run_end",
}

var expectKeys = table[Expect]{"an expectation", slices.Concat([]key[Expect]{
	{name: "path", example: "[draft, critic, publish]", doc: "The nodes visited, in order. A skipped node is on the path; the attempts of a retry are one visit.",
		read: func(r *reader, v *Value, e *Expect) { names := r.names(v); e.Path, e.PathPos = &names, v.Pos }},
	{name: "end", example: "completed", doc: "Why the run ended: " + strings.Join(Ends, ", ") + ".",
		read: func(r *reader, v *Value, e *Expect) { e.End = r.word(v, "a reason for which a run ends", Ends) }},
	{name: "error", example: "offline", doc: "A part of the text of the error that Run returned, a mapping that says more, or `false`: it returned none.",
		read: func(r *reader, v *Value, e *Expect) {
			if v.Kind == Map {
				e.Error = r.errorMatch(v)
			} else if text, none := r.textOrNone(v); none.IsSet() {
				e.NoError = none
			} else if text.V != "" {
				e.Error = &ErrorMatch{Pos: v.Pos, Texts: []spec.String{text}}
			}
		}},
	{name: "state", example: "{article: v2}", doc: "The state at the end, of a failed run too: the fields to compare.",
		read: func(r *reader, v *Value, e *Expect) { e.State = v }},
	{name: "output", example: "{article: v2}", doc: "The run's output: the fields to compare.",
		read: func(r *reader, v *Value, e *Expect) { e.Output = v }},
	{name: "max_steps_reached", example: "true", doc: "What the output of a graph with `on_max_steps: flag` says.",
		read: func(r *reader, v *Value, e *Expect) { e.Cut = r.bool(v) }},
	{name: "events", example: "[retry search, route critic draft]", doc: "Events that must happen in this order, others in between: `KIND`, `KIND NODE`, or `KIND NODE TO` for where a route leads, what a rejected one named, or which tool it is. A mapping says more. Kinds: " + strings.Join(EventKinds, ", ") + ".",
		read: func(r *reader, v *Value, e *Expect) { e.Events = r.events(v) }},
	{name: "all_events", example: "[run_start, node_start, node_end, route, run_end]", doc: "Every event of the run. Those of branches that ran at once stand in the order of the branches in the spec, one branch after the other, in `events`, too.",
		read: func(r *reader, v *Value, e *Expect) {
			events := r.events(v)
			e.All, e.AllPos = &events, v.Pos
		}},
	{name: "failures", example: "[{node: search, cleared: true}]", doc: "The failed steps, in order.",
		read: func(r *reader, v *Value, e *Expect) {
			matches := []*ErrorMatch{}
			if v.Kind != List {
				r.mismatch(v, "a list of failures", "write it as in [{node: search}]")
				return
			}
			for i := range v.Items {
				matches = append(matches, r.errorMatch(&v.Items[i]))
			}
			e.Failures, e.FailPos = &matches, v.Pos
		}},
	{name: "skipped", example: "[summary]", doc: "The nodes that were skipped, in order.",
		read: func(r *reader, v *Value, e *Expect) { names := r.names(v); e.Skipped, e.SkipPos = &names, v.Pos }},
	{name: "executed", example: "{search: 3}", doc: "How often handlers were called: retries count, skips and cache hits do not.",
		read: func(r *reader, v *Value, e *Expect) {
			r.pairs(v, "a mapping of nodes to numbers", "write it as in {search: 3}", func(name spec.String, v *Value) {
				if n := r.count(v); n.IsSet() {
					e.Executed = append(e.Executed, Count{name, n.V})
				}
			})
		}},
	{name: "cancelled", example: "[slow, search 2]", doc: "The executions that were cancelled while they waited (`after`, `hang`), in order: nodes; of a node in a map, with the branch.",
		read: func(r *reader, v *Value, e *Expect) { names := r.names(v); e.Cancelled, e.CancelPos = &names, v.Pos }},
	{name: "followed", example: "{critic draft: 2}", doc: "By FROM TO, how often the transitions from one node to another were followed.", read: readFollowed},
	{name: "takes", example: "3s", doc: "How long the run takes, in its own time, or the least and the most: `[250ms, 500ms]`.",
		read: func(r *reader, v *Value, e *Expect) {
			span := []Value{*v, *v}
			if v.Kind == List && len(v.Items) == 2 {
				span = v.Items
			}
			low, high := r.duration(&span[0]), r.duration(&span[1])
			e.Takes = &Span{v.Pos, low.V, high.V}
		}},
	countKey("max_at_once", "How many executions of nodes ran at the same time, at most: of those that took time."),
	countKey("steps", "How many steps the run made."),
	countKey("retries", "How many executions followed a first one of the same step."),
	countKey("cache_hits", "How many outputs came from the cache."),
	countKey("rejected", "How many outputs named a node that the run could not go to."),
	countKey("refused", "How many outputs guards refused."),
	countKey("hook_failures", "How many hooks failed without ending the run."),
	mutationsKey,
}, spentKeys, questionKeys)}

func countKey(name, doc string) key[Expect] {
	return key[Expect]{name: name, example: "2", doc: doc, read: func(r *reader, v *Value, e *Expect) {
		if n := r.count(v); n.IsSet() {
			e.Counts = append(e.Counts, Count{spec.String{V: name, Pos: v.Pos}, n.V})
		}
	}}
}

func (r *reader) errorMatch(v *Value) *ErrorMatch {
	m := &ErrorMatch{Pos: v.Pos}
	if v.Kind != Map {
		m.Texts = []spec.String{r.text(v, "a part of an error's text")}
		return m
	}
	readKeys(r, v, &errorKeys, m)
	return m
}

var errorKeys = table[ErrorMatch]{"an expected error", []key[ErrorMatch]{
	{name: "type", example: "NodeError", doc: "The type of the error or of one it wraps: " + strings.Join(ErrorTypes, ", ") + ".",
		read: func(r *reader, v *Value, m *ErrorMatch) { m.Type = r.word(v, "an error of the kernel", ErrorTypes) }},
	{name: "text", example: "offline", doc: "A part of its text, or a list of parts.",
		read: func(r *reader, v *Value, m *ErrorMatch) {
			if v.Kind == List {
				m.Texts = r.names(v)
			} else {
				m.Texts = []spec.String{r.text(v, "a text")}
			}
		}},
	{name: "node", example: "search", doc: "The node it happened at.", read: func(r *reader, v *Value, m *ErrorMatch) { m.Node = r.text(v, "the name of a node") }},
	{name: "branch", example: "views", doc: "The branch in which it happened: the names of branches, and the numbers of elements from 0, from the outside inwards, as in `each/3`.",
		read: func(r *reader, v *Value, m *ErrorMatch) { m.Branch = r.branch(v) }},
	{name: "visit", example: "2", doc: "The visit at which it happened.", read: func(r *reader, v *Value, m *ErrorMatch) { m.Visit = r.count(v) }},
	{name: "line", example: "12", doc: "The line of the spec that it names.", read: func(r *reader, v *Value, m *ErrorMatch) { m.Line = r.count(v) }},
	{name: "soft", example: "true", doc: "Of a failure: the node is fail_soft.", read: func(r *reader, v *Value, m *ErrorMatch) { m.Soft = r.bool(v) }},
	{name: "cleared", example: "true", doc: "Of a failure: a failure route led to a success.", read: func(r *reader, v *Value, m *ErrorMatch) { m.Cleared = r.bool(v) }},
}}

var eventKeys = table[EventMatch]{"an expected event", []key[EventMatch]{
	{name: "kind", example: "route", required: true, doc: "The kind of event.",
		read: func(r *reader, v *Value, m *EventMatch) { m.Kind = r.word(v, "a kind of event", EventKinds) }},
	{name: "node", example: "critic", doc: "The node it happened at.", read: func(r *reader, v *Value, m *EventMatch) { m.Node = r.text(v, "the name of a node") }},
	{name: "to", example: "publish", doc: "Where a route leads, or what a rejected one named; of tools, which.",
		read: func(r *reader, v *Value, m *EventMatch) { m.To = r.text(v, "the name of a node or a tool") }},
	{name: "text", example: "otters", doc: "A part of its text: of a piece of an answer, of a tool's arguments or result.", read: func(r *reader, v *Value, m *EventMatch) { m.Text = r.text(v, "a text") }},
	{name: "rule", example: "edge", doc: "The rule by which a route was chosen: " + strings.Join(RouteRules, ", ") + ".",
		read: func(r *reader, v *Value, m *EventMatch) {
			m.Rule = r.word(v, "a rule of choosing the next node", RouteRules)
		}},
	{name: "reason", example: "out.Score >= 4", doc: "A part of the reason for a route.", read: func(r *reader, v *Value, m *EventMatch) { m.Reason = r.text(v, "a text") }},
	{name: "error", example: "offline", doc: "A part of the text of its error.", read: func(r *reader, v *Value, m *EventMatch) { m.Error = r.text(v, "a text") }},
	{name: "branch", example: "views", doc: "The branch in which it happened, as of errors.", read: func(r *reader, v *Value, m *EventMatch) { m.Branch = r.branch(v) }},
	{name: "step", example: "3", doc: "The number of the step.", read: func(r *reader, v *Value, m *EventMatch) { m.Step = r.count(v) }},
	{name: "visit", example: "2", doc: "The number of the visit.", read: func(r *reader, v *Value, m *EventMatch) { m.Visit = r.count(v) }},
	{name: "attempt", example: "1", doc: "Of a retry, the execution that failed.", read: func(r *reader, v *Value, m *EventMatch) { m.Attempt = r.count(v) }},
	{name: "line", example: "12", doc: "The line of the spec: of the transition taken, else of the node.", read: func(r *reader, v *Value, m *EventMatch) { m.Line = r.count(v) }},
}}

// branch reads a branch: a name, the number of an element, or several of them.
func (r *reader) branch(v *Value) spec.String {
	if v.Kind == Int {
		return spec.String{V: v.Text, Pos: v.Pos}
	}
	return r.text(v, "a branch")
}

// RouteRules are the rules of choosing the next node.
var RouteRules = spec.RuleNames()

// events reads a list of events: texts of one to three words, and mappings.
func (r *reader) events(v *Value) []EventMatch {
	events := []EventMatch{}
	if v.Kind != List {
		r.mismatch(v, "a list of events", "write it as in [retry search, cache_hit]")
		return events
	}
	for i := range v.Items {
		m := EventMatch{Pos: v.Items[i].Pos}
		if v.Items[i].Kind == Map {
			readKeys(r, &v.Items[i], &eventKeys, &m)
		} else {
			r.event(&v.Items[i], &m)
		}
		if m.Kind.V != "" {
			events = append(events, m)
		}
	}
	return events
}

func (r *reader) event(v *Value, m *EventMatch) {
	text := r.text(v, "an event")
	words := strings.Fields(text.V)
	switch {
	case len(words) == 0:
		return
	case len(words) > 3:
		r.report("GG203", text.Pos, "an event is a kind, a node, and where it leads: "+quote(text.V)+" is more", "write it as in route critic draft")
		return
	}
	for i, to := range []*spec.String{&m.Kind, &m.Node, &m.To} {
		if i < len(words) {
			*to = spec.String{V: words[i], Pos: v.Pos}
		}
	}
	kind := *v
	kind.Text = words[0]
	m.Kind = r.word(&kind, "a kind of event", EventKinds)
}

func readFollowed(r *reader, v *Value, e *Expect) {
	const help = "write it as in {critic draft: 2}"
	r.pairs(v, "a mapping of ways to numbers", help, func(name spec.String, v *Value) {
		ends := strings.Fields(name.V)
		if len(ends) != 2 {
			r.report("GG203", name.Pos, "expected two nodes, found "+quote(name.V), help)
			return
		}
		if n := r.count(v); n.IsSet() {
			from, to := spec.String{V: ends[0], Pos: name.Pos}, spec.String{V: ends[1], Pos: name.Pos}
			e.Followed = append(e.Followed, Followed{name.Pos, from, to, n.V})
		}
	})
}
