package api

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Clients are sent server-sent events, whose data are objects. The schema of an event describes an object that has the data under the name of the event.

// The values of members of events.
var (
	eventKinds = []string{"run_start", "node_start", "node_end", "node_error", "route", "route_rejected", "retry", "progress", "token", "model_start",
		"model_end", "tool_start", "tool_end", "cache_hit", "budget", "mutation", "say", "interrupt", "run_end"}
	rules = []string{"entry", "tool loop", "route", "goto", "edge", "transition", "next", "no match", "error", "guard fail", "terminal", "branch",
		"mutation", "human", "budget"}
	errorKinds = []string{"rate_limited", "context_too_long", "refused", "request", "transport", "malformed", "unknown_tool", "arguments", "panic",
		"result_too_large", "client", "denied"}
	reasons      = []string{"completed", "exhausted", "no_route", "max_steps", "budget", "stopped", "failed", "interrupted"}
	endStatuses  = append([]string{"new"}, Statuses...)
	requestKinds = []string{"decision", "reply", "tool_approval", "client_tool", "interrupt"}
)

var (
	text   = typed("string")
	truth  = typed("boolean")
	number = object{"type": "integer", "minimum": 0}
	span   = object{"type": "number", "minimum": 0, "description": "in milliseconds"}
	moment = object{"type": "string", "format": "date-time"}
	base64 = object{"type": "string", "contentEncoding": "base64"}
)

func oneOf(values []string) object { return object{"type": "string", "enum": values} }

// closed returns the schema of an object that has no other members.
func closed(properties object, required ...string) object {
	o := members(properties, required...)
	o["additionalProperties"] = false
	return o
}

// liveEvent describes an event of a run.
var liveEvent = closed(object{
	"kind": oneOf(eventKinds), "n": number, "record": number, "time": moment,
	"run": text, "thread": text, "graph": text, "shape": text, "within": text, "branch": text,
	"node": text, "node_kind": text, "step": number, "visit": number, "skipped": truth, "dynamic": truth, "resumed": truth,
	"file": text, "line": number, "col": number,
	"text": text, "text_base64": base64, "reasoning": text, "reasoning_base64": base64, "reason": text,
	"attempt": number, "wait_ms": span, "took_ms": span, "error": text, "error_kind": oneOf(errorKinds),
	"payload": typed("object"),
	"route":   closed(object{"to": text, "rule": oneOf(rules), "reason": text, "label": text, "transition": number}),
	"model": closed(object{
		"call": number, "name": text, "purpose": text, "prompt": text, "attempt": number, "id": text, "finish": text, "usage": usage, "latency_ms": span,
	}),
	"tool": closed(object{
		"id": text, "by": number, "name": text, "arguments": text, "arguments_base64": base64, "result": text, "result_base64": base64,
		"latency_ms": span, "again": truth,
	}),
	"sent": closed(object{
		"continues": number, "same": number, "system": text, "choice": text, "output": object{}, "temperature": typed("number"), "max_tokens": number,
		"tools": listOf(closed(object{"name": text, "doc": text, "schema": object{}}, "name")), "messages": listOf(message),
	}),
	"received": message,
	"written":  listOf(closed(object{"name": text, "value": object{}, "added": truth}, "name", "value")),
	"request":  ref("Request"), "requests": listOf(ref("Request")),
	"report": closed(object{
		"reason": oneOf(reasons), "ending": text, "steps": number, "failures": number, "refusals": number, "retries": number, "cache_hits": number,
		"skips": number, "rejected": number, "hook_failures": number, "model_calls": number, "usage": usage, "tool_calls": number,
		"tool_failures": number, "tool_repeats": number,
	}),
}, "kind")

var usage = closed(object{
	"input": number, "output": number, "reasoning": number, "cache_read": number, "cache_write": number, "cost": typed("number"),
})

// message describes a message of a conversation, as recordings have them.
var message = members(object{"role": text, "text": text}, "role")

// savedStep describes what a record of a thread saves.
var savedStep = closed(object{
	"seq": number, "time": moment, "run": text, "forked_from": text, "forked_after": number, "takes_back": number,
	"changes": listOf(closed(object{
		"at": text, "node": text, "ended": truth, "transition": text, "next": text, "failed": text, "written": typed("object"), "added": typed("object"),
	})),
	"calls":   listOf(closed(object{"at": text, "key": text, "result": object{}})),
	"answers": listOf(closed(object{"id": text, "decision": text, "late": moment})),
	"open":    listOf(text), "paused": truth, "ended": text, "failure": text,
}, "seq", "time")

// endOfEvents describes how a run has ended, or what it waits for.
var endOfEvents = closed(object{
	"status": oneOf(endStatuses), "output": typed("object"), "requests": listOf(ref("Request")), "problem": ref("Problem"),
}, "status")

// events are the schemas of events and of their data, for graphs of which nothing is known.
var events = object{
	"Event.live": liveEvent, "Event.step": savedStep, "Event.end": endOfEvents, "Event.reset": closed(object{}),
	"Event": eventOf(object{
		"live": ref("Event.live"), "step": ref("Event.step"), "end": ref("Event.end"), "reset": ref("Event.reset"), "problem": ref("Problem"),
	}),
}

// eventOf describes an event by the schemas of its data.
func eventOf(data object) object {
	o := closed(data)
	o["minProperties"], o["maxProperties"] = 1, 1
	return o
}

// Events returns the JSON Schema of the server-sent events of a graph: of an object that has the data of an event under its name. Nil: of any graph.
func Events(g *Graph) ([]byte, error) {
	schemas, name := maps.Clone(events), "Event"
	for _, of := range []string{"Problem", "Request"} {
		schemas[of] = common[of]
	}
	if g != nil {
		c := newComponents(schemas, g)
		if err := c.addEvents(g); err != nil {
			return nil, err
		}
		if err := c.add("Output", g.Description.Output); err != nil {
			return nil, err
		}
		name = c.own + name
	}
	return json.Marshal(within(object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A server-sent event of contrib/serve: its data, under its name.",
		"$ref": ref(name)["$ref"], "$defs": schemas,
	}))
}

// within returns schemas of a document of OpenAPI as definitions of one schema.
func within(v any) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for key, of := range v {
			if text, ok := of.(string); ok && key == "$ref" {
				out[key] = strings.Replace(text, componentsPath, "#/$defs/", 1)
			} else {
				out[key] = within(of)
			}
		}
		return out
	case []object:
		out := make([]any, len(v))
		for k, of := range v {
			out[k] = within(of)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for k, of := range v {
			out[k] = within(of)
		}
		return out
	}
	return v
}

// addEvents adds the schemas of the events of a graph, with what is known of its nodes, its fields and its messages.
func (c *components) addEvents(g *Graph) error {
	if err := c.add("State", g.Description.State); err != nil {
		return err
	}
	state, _ := c.schemas[c.own+"State"].(object)
	delete(c.schemas, c.own+"State") // a run need not have every field yet
	fields, _ := state["properties"].(object)
	live := []any{ref("Event.live"), outermost("within", liveOf(g, fields))}
	for _, m := range g.Description.Messages {
		payload := "Payload." + component(m.Node)
		if err := c.add(payload, m.Payload); err != nil {
			return err
		}
		live = append(live, outermost("within", object{
			"if":   members(object{"kind": object{"const": "say"}, "node": object{"const": m.Node}}, "node"),
			"then": object{"properties": object{"payload": ref(c.own + payload)}},
		}))
	}
	c.schemas[c.own+"Event.live"] = object{"allOf": live}
	c.schemas[c.own+"Event.end"] = object{"allOf": []any{ref("Event.end"), object{"properties": object{"output": ref(c.own + "Output")}}}}
	data := object{"live": ref(c.own + "Event.live"), "end": ref(c.own + "Event.end")}
	if g.Durable {
		step := object{"properties": object{"changes": object{"items": outermost("at", stepOf(g, fields))}}}
		c.schemas[c.own+"Event.step"] = object{"allOf": []any{ref("Event.step"), step}}
		data["step"], data["reset"], data["problem"] = ref(c.own+"Event.step"), ref("Event.reset"), ref("Problem")
	}
	c.schemas[c.own+"Event"] = eventOf(data)
	return nil
}

// outermost has a schema apply to objects of the outermost run alone, which do not have a member.
func outermost(member string, schema object) object {
	return object{"if": object{"not": object{"required": []any{member}}}, "then": schema}
}

// liveOf describes what is known of an event of the outermost run. Nodes that the run has added are not in the spec.
func liveOf(g *Graph, fields object) object {
	written := []any{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		written = append(written, object{"properties": object{"name": object{"const": name}, "value": valueOf(fields[name])}})
	}
	nodes := []any{"end"} // where the run has ended
	for _, n := range g.Description.Nodes {
		nodes = append(nodes, n.Name)
	}
	known := object{"node": object{"enum": nodes}}
	if len(written) > 0 {
		known["written"] = object{"items": object{"anyOf": written}}
	}
	return object{"if": object{"not": object{"required": []any{"dynamic"}}}, "then": object{"properties": known}}
}

// stepOf describes what is known of a change of the outermost run. An earlier version of the graph may have had other nodes.
func stepOf(g *Graph, fields object) object {
	written := object{}
	for name, of := range fields {
		written[name] = valueOf(of)
	}
	known := object{}
	for _, name := range []string{"written", "added"} {
		known[name] = object{"properties": written, "additionalProperties": false}
	}
	return object{"properties": known}
}

// valueOf describes a value of a field. Of a list, it may have only elements that were added.
func valueOf(field any) any {
	if of, ok := field.(object); ok && of["items"] != nil {
		return object{"type": of["type"], "items": of["items"]}
	}
	return field
}
