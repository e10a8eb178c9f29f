package scenario

import (
	"slices"
	"strings"
	"time"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// Ends are the reasons for which a run ends. The kernel's Reason gives these names.
var Ends = []string{"completed", "exhausted", "no_route", "max_steps", "budget", "stopped", "failed", "interrupted"}

// ErrorTypes are the kernel's errors that an expectation may name.
var ErrorTypes = []string{
	"RunError", "NodeError", "LimitError", "CancelledError", "StopError",
	"PanicError", "GuardsError", "InvalidChoiceError", "NoEdgeMatchedError", "HookError",
	"ModelError", "ToolError", "EmptyInputError",
	"BranchesError", "OutputError", "InputError",
	"InterruptedError", "DeniedError", "LateError", "ResumeError", "AnswerError",
}

// Limits are what a LimitError may be about. The kernel's Limit gives these names.
var Limits = []string{"max_steps", "max_visits", "max_depth", "max_length", "budget", "timeout"}

// ErrorKinds are the kinds of a ModelError and of a ToolError. Their String methods give these names.
var ErrorKinds = []string{
	"rate_limited", "context_too_long", "refused", "request", "transport", "malformed",
	"unknown_tool", "arguments", "panic", "result_too_large", "client", "denied",
}

// EventKinds are the kinds of events. The kernel's EventKind gives these names.
var EventKinds = []string{
	"run_start", "node_start", "node_end", "node_error", "route", "route_rejected", "retry", "progress",
	"token", "model_start", "model_end", "tool_start", "tool_end", "cache_hit", "budget", "mutation", "say", "interrupt", "run_end",
}

var expectKeys = table[Expect]{Noun: "an expectation", Pos: func(e *Expect) *spec.Pos { return &e.Pos }, Rows: yamlread.Rows(slices.Concat([]row[Expect]{
	{Key{Name: "path", Form: formNames, Example: "[draft, critic, publish]",
		Doc: "The nodes visited, in order. A skipped node is on the path; the attempts of a retry are one visit."},
		func(e *Expect) any { return namesAt{&e.Path, &e.PathPos} }},
	{Key{Name: "end", Form: form("a reason for which a run ends"), Example: "completed", Doc: "Why the run ended: " + strings.Join(Ends, ", ") + "."},
		func(e *Expect) any { return word(&e.End, Ends) }},
	{Key{Name: "ending", Form: form("the name of an end"), Example: "refused",
		Doc: "Which of the `ends` of the graph the run has reached; `none`: it has reached none of them."},
		func(e *Expect) any { return &e.Ending }},
	{Key{Name: "error", Form: form("a text, or false for none"), Example: "offline",
		Doc: "A part of the text of the error that Run returned, a mapping with more keys, or `false`: it returned none."}, func(e *Expect) any {
		return reads(func(r *reader, v *Value, k *Key) {
			var text spec.String
			m := &ErrorMatch{Pos: v.Pos}
			r.Read(v, k, orMapping(orFalse(&text, &e.NoError), m, &errorKeys))
			if text.V != "" {
				m.Texts = []spec.String{text}
			}
			if text.V != "" || v.Kind == yamlread.Map {
				e.Error = m
			}
		})
	}},
	{Key{Name: "state", Form: formAny, Example: "{article: v2}", Doc: "The state at the end, of a failed run too: the fields to compare."},
		func(e *Expect) any { return &e.State }},
	{Key{Name: "output", Form: formAny, Example: "{article: v2}", Doc: "The run's output: the fields to compare."}, func(e *Expect) any { return &e.Output }},
	{Key{Name: "max_steps_reached", Form: formBool, Example: "true",
		Doc: "The value of that field in the output of a graph with `on_max_steps: flag`."}, func(e *Expect) any { return &e.Cut }},
	{Key{Name: "events", Form: formEvents, Example: "[retry search, route critic draft]",
		Doc: "Events that must happen in this order, others in between: `KIND`, `KIND NODE`, or `KIND NODE TO` for where a route " +
			"leads, what a rejected one named, or which tool it is. A mapping compares more. Kinds: " + strings.Join(EventKinds, ", ") + "."},
		func(e *Expect) any {
			return reads(func(r *reader, v *Value, k *Key) { e.Events = events(r, v, k) })
		}},
	{Key{Name: "all_events", Form: formEvents, Example: "[run_start, node_start, node_end, route, run_end]",
		Doc: "Every event of the run. Events of concurrent branches are in the order of the branches in the spec, one branch " +
			"after the other, in `events`, too."}, func(e *Expect) any {
		return reads(func(r *reader, v *Value, k *Key) {
			all := events(r, v, k)
			e.All, e.AllPos = &all, v.Pos
		})
	}},
	{Key{Name: "failures", Form: form("a list of failures"), Example: "[{node: search, cleared: true}]", Doc: "The failed steps, in order."},
		func(e *Expect) any {
			return reads(func(r *reader, v *Value, k *Key) {
				matches := []*ErrorMatch{}
				for _, item := range r.List(v, k) {
					m := &ErrorMatch{Pos: item.Pos}
					text := reads(func(r *reader, v *Value, k *Key) { m.Texts = []spec.String{r.Text(v, k)} })
					r.Read(&item, failureKey, orMapping(text, m, &errorKeys))
					matches = append(matches, m)
				}
				e.Failures, e.FailPos = &matches, v.Pos
			})
		}},
	{Key{Name: "skipped", Form: formNames, Example: "[summary]", Doc: "The nodes that were skipped, in order."},
		func(e *Expect) any { return namesAt{&e.Skipped, &e.SkipPos} }},
	{Key{Name: "executed", Form: form("a mapping of nodes to numbers"), Example: "{search: 3}",
		Doc: "How often handlers were called: retries count, skips and cache hits do not."}, func(e *Expect) any {
		return each(func(r *reader, name spec.String, v *Value) { e.Executed = appendCount(r, v, e.Executed, name) })
	}},
	{Key{Name: "cancelled", Form: formNames, Example: "[slow, search 2]",
		Doc: "The executions that were cancelled while they waited (`after`, `hang`), in order: nodes; of a node in a map, with the branch."},
		func(e *Expect) any { return namesAt{&e.Cancelled, &e.CancelPos} }},
	{Key{Name: "followed", Form: form("a mapping of transitions to numbers"), Example: "{critic draft: 2}",
		Doc: "By FROM TO, how often the transitions from one node to another were followed."}, func(e *Expect) any { return pairs(&e.Followed, "two nodes") }},
	{Key{Name: "takes", Form: formDuration, Example: "3s",
		Doc: "How long the run takes, in its own time, or the least and the most: `[250ms, 500ms]`."}, func(e *Expect) any {
		return reads(func(r *reader, v *Value, k *Key) {
			span := []Value{*v, *v}
			if v.Kind == yamlread.List && len(v.Items) == 2 {
				span = v.Items
			}
			var low, high spec.Value[time.Duration]
			positive(&low)(r, &span[0], k)
			positive(&high)(r, &span[1], k)
			e.Takes = &Span{v.Pos, low.V, high.V}
		})
	}},
	countKey("max_at_once", "How many executions of nodes ran at the same time, at most: of those that took time."),
	countKey("steps", "How many steps the run made."),
	countKey("retries", "How many executions followed a first one of the same step."),
	countKey("cache_hits", "How many outputs came from the cache."),
	countKey("rejected", "How many outputs named a node that the run could not go to."),
	countKey("refused", "How many outputs guards refused."),
	{Key{Name: "passed", Form: form("a mapping of nodes and guards to numbers"), Example: "{draft short: 2}",
		Doc: "By NODE GUARD, how often a guard accepted an output of the node. The guard of a node that judges has the name of the node."},
		func(e *Expect) any { return pairs(&e.Passed, "a node and a guard") }},
	{Key{Name: "left_out", Form: form("a list of nodes with blocks"), Example: "[draft facts]",
		Doc: "The blocks that prompts had no room for, in order: NODE BLOCK."}, func(e *Expect) any { return namesAt{&e.LeftOut, &e.LeftOutPos} }},
	countKey("hook_failures", "How many hooks failed without ending the run."),
	mutationsKey,
}, spentKeys, questionKeys, sayKeys))}

func countKey(name, doc string) row[Expect] {
	return row[Expect]{Key{Name: name, Form: formCount, Example: "2", Doc: doc}, func(e *Expect) any {
		return reads(func(r *reader, v *Value, k *Key) {
			e.Counts = appendCount(r, v, e.Counts, spec.String{V: name, Pos: v.Pos})
		})
	}}
}

var errorKeys = table[ErrorMatch]{Noun: "an expected error", Rows: yamlread.Rows([]row[ErrorMatch]{
	{Key{Name: "type", Form: form("an error of the kernel"), Example: "NodeError",
		Doc: "The type of the error or of one it wraps: " + strings.Join(ErrorTypes, ", ") + "."},
		func(m *ErrorMatch) any { return word(&m.Type, ErrorTypes) }},
	{Key{Name: "limit", Form: form("a limit"), Example: "max_visits",
		Doc: "The limit that was reached, of a LimitError of the chain: " + strings.Join(Limits, ", ") + "."},
		func(m *ErrorMatch) any { return word(&m.Limit, Limits) }},
	{Key{Name: "kind", Form: form("a kind of error"), Example: "malformed",
		Doc: "The kind of a ModelError or a ToolError of the chain: " + strings.Join(ErrorKinds, ", ") + "."},
		func(m *ErrorMatch) any { return word(&m.Kind, ErrorKinds) }},
	{Key{Name: "text", Form: formTexts, Example: "offline", Doc: "A part of its text, or a list of parts."}, func(m *ErrorMatch) any { return &m.Texts }},
	{Key{Name: "node", Form: formNode, Example: "search", Doc: "The node it happened at."}, func(m *ErrorMatch) any { return &m.Node }},
	{Key{Name: "branch", Form: formBranch, Example: "views",
		Doc: "The branch in which it happened: the names of branches, and the numbers of elements from 0, from the outside inwards, as in `each/3`."},
		func(m *ErrorMatch) any { return branch(&m.Branch) }},
	{Key{Name: "visit", Form: formCount, Example: "2", Doc: "The visit at which it happened."}, func(m *ErrorMatch) any { return count(&m.Visit) }},
	{Key{Name: "line", Form: formCount, Example: "12", Doc: "The line of the spec that it names."}, func(m *ErrorMatch) any { return count(&m.Line) }},
	{Key{Name: "soft", Form: formBool, Example: "true", Doc: "Of a failure: the node is fail_soft."}, func(m *ErrorMatch) any { return &m.Soft }},
	{Key{Name: "cleared", Form: formBool, Example: "true", Doc: "Of a failure: a failure route led on to a success."},
		func(m *ErrorMatch) any { return &m.Cleared }},
})}

var eventKeys = table[EventMatch]{Noun: "an expected event", Rows: yamlread.Rows([]row[EventMatch]{
	{Key{Name: "kind", Form: form("a kind of event"), Example: "route", Required: true, Doc: "The kind of event."},
		func(m *EventMatch) any { return word(&m.Kind, EventKinds) }},
	{Key{Name: "node", Form: formNode, Example: "critic", Doc: "The node it happened at."}, func(m *EventMatch) any { return &m.Node }},
	{Key{Name: "to", Form: form("the name of a node or a tool"), Example: "publish",
		Doc: "Where a route leads, or what a rejected one named; of tools, which."}, func(m *EventMatch) any { return &m.To }},
	{Key{Name: "text", Form: formText, Example: "otters", Doc: "A part of its text: of a piece of an answer, of a tool's arguments or result."},
		func(m *EventMatch) any { return &m.Text }},
	{Key{Name: "rule", Form: form("a rule of choosing the next node"), Example: "edge",
		Doc: "The rule by which a route was chosen: " + strings.Join(RouteRules, ", ") + "."}, func(m *EventMatch) any { return word(&m.Rule, RouteRules) }},
	{Key{Name: "reason", Form: formText, Example: "out.Score >= 4", Doc: "A part of the reason for a route."}, func(m *EventMatch) any { return &m.Reason }},
	{Key{Name: "error", Form: formText, Example: "offline", Doc: "A part of the text of its error."}, func(m *EventMatch) any { return &m.Error }},
	{Key{Name: "branch", Form: formBranch, Example: "views", Doc: "The branch in which it happened, as of errors."},
		func(m *EventMatch) any { return branch(&m.Branch) }},
	{Key{Name: "step", Form: formCount, Example: "3", Doc: "The number of the step."}, func(m *EventMatch) any { return count(&m.Step) }},
	{Key{Name: "visit", Form: formCount, Example: "2", Doc: "The number of the visit."}, func(m *EventMatch) any { return count(&m.Visit) }},
	{Key{Name: "attempt", Form: formCount, Example: "1", Doc: "Of a retry, the execution that failed."}, func(m *EventMatch) any { return count(&m.Attempt) }},
	{Key{Name: "line", Form: formCount, Example: "12", Doc: "The line of the spec: of the transition taken, else of the node."},
		func(m *EventMatch) any { return count(&m.Line) }},
})}

// RouteRules are the rules of choosing the next node.
var RouteRules = spec.RuleNames()

// events reads a list of events: texts of one to three words, and mappings.
func events(r *reader, v *Value, k *Key) []EventMatch {
	events := []EventMatch{}
	for _, item := range r.List(v, k) {
		m := EventMatch{Pos: item.Pos}
		r.Read(&item, eventKey, orMapping(reads(m.read), &m, &eventKeys))
		if m.Kind.V != "" {
			events = append(events, m)
		}
	}
	return events
}

// read reads an event that is a text.
func (m *EventMatch) read(r *reader, v *Value, k *Key) {
	text := r.Text(v, k)
	words := strings.Fields(text.V)
	switch {
	case len(words) == 0:
		return
	case len(words) > 3:
		r.Report(r.Wrong, text.Pos, "an event is a kind, a node, and where it leads: "+quote(text.V)+" is more", "write it as in route critic draft")
		return
	}
	for i, to := range []*spec.String{&m.Kind, &m.Node, &m.To} {
		if i < len(words) {
			*to = spec.String{V: words[i], Pos: v.Pos}
		}
	}
	m.Kind = oneOf(r, m.Kind, "a kind of event", EventKinds)
}

// pairs reads numbers by two names.
func pairs(list *[]Followed, names string) any {
	return reads(func(r *reader, v *Value, k *Key) {
		r.Each(v, k, func(name spec.String, v *Value) {
			ends := strings.Fields(name.V)
			if len(ends) != 2 {
				r.Report(r.Wrong, name.Pos, "expected "+names+", found "+quote(name.V), "write it as in "+k.Example)
				return
			}
			var n spec.Value[int]
			if count(&n)(r, v, k); n.IsSet() {
				from, to := spec.String{V: ends[0], Pos: name.Pos}, spec.String{V: ends[1], Pos: name.Pos}
				*list = append(*list, Followed{name.Pos, from, to, n.V})
			}
		})
	})
}
