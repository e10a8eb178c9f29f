package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

type object = map[string]any

// OpenAPI returns the routes as a document of OpenAPI 3.1. A graph with a description has paths of its own, with its types.
func OpenAPI(graphs []Graph) ([]byte, error) {
	schemas := maps.Clone(common)
	maps.Copy(schemas, events)
	paths := object{}
	for _, rt := range Routes {
		at(paths, rt.Path)[strings.ToLower(rt.Method)] = operation(&rt, nil)
	}
	for _, g := range graphs {
		if g.Description == nil {
			continue
		}
		c := newComponents(schemas, &g)
		if err := c.addGraph(&g); err != nil {
			return nil, fmt.Errorf("graph %q: %w", g.Name, err)
		}
		for _, rt := range Routes {
			if rt.Verb == "start" && g.Durable || rt.Verb == "run" && !g.Durable {
				at(paths, strings.ReplaceAll(rt.Path, "{graph}", url.PathEscape(g.Name)))["post"] = operation(&rt, &g)
			}
		}
	}
	return json.MarshalIndent(object{
		"openapi": "3.1.0", "info": object{"title": "graphgen", "version": "1"}, "paths": paths, "components": object{"schemas": schemas},
	}, "", "  ")
}

// at returns the object of a path.
func at(paths object, path string) object {
	if paths[path] == nil {
		paths[path] = object{}
	}
	return paths[path].(object)
}

func ref(name string) object { return object{"$ref": componentsPath + name} }

func typed(name string) object { return object{"type": name} }

// operation describes what a method does at a path, for one graph or, with nil, for all.
func operation(rt *Route, g *Graph) object {
	o := object{"operationId": operationID(rt, g), "summary": rt.Doc, "parameters": parameters(rt, g)}
	switch {
	case rt.Verb == "answer":
		o["requestBody"] = body(object{"description": "the answer: a choice, a text, or what the request's schema describes"})
	case rt.Body != nil:
		o["requestBody"] = body(bodySchema(rt, g))
	}
	content := object{}
	if rt.Result != "" {
		content["application/json"] = object{"schema": resultSchema(rt, g)}
	}
	if rt.Events {
		event := "Event"
		if g != nil {
			event = component(g.Name) + "." + event
		}
		content["text/event-stream"] = object{"schema": typed("string"), "x-event": ref(event)} // OpenAPI 3.1 describes no parts of a stream
	}
	done := object{"description": "done, or begun"}
	if len(content) > 0 {
		done["content"] = content
	}
	o["responses"] = object{"2XX": done, "default": object{
		"description": "a problem of RFC 9457", "content": object{"application/problem+json": object{"schema": ref("Problem")}},
	}}
	return o
}

func operationID(rt *Route, g *Graph) string {
	id := rt.Verb
	switch {
	case g != nil:
		id += "_" + component(g.Name)
	case id == "":
		id = strings.Trim(strings.TrimSuffix(rt.Path, ".json"), "/")
	}
	return id
}

// parameters returns what a request has besides its body.
func parameters(rt *Route, g *Graph) []object {
	list := []object{}
	add := func(in, name, kind string) {
		list = append(list, object{"name": name, "in": in, "required": in == "path", "schema": typed(kind)})
	}
	for segment := range strings.SplitSeq(rt.Path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok && (g == nil || segment != "{graph}") {
			add("path", strings.TrimSuffix(name, "}"), "string")
		}
	}
	for _, name := range rt.Query {
		kind := "string"
		if name == "limit" || name == "at" || name == "after" && rt.Verb != "list" {
			kind = "integer"
		}
		add("query", name, kind)
	}
	switch rt.Verb {
	case "watch":
		add("header", "Last-Event-ID", "integer")
	case "start":
		add("header", "Idempotency-Key", "string")
		add("header", "Prefer", "string")
	case "answer", "recover":
		add("header", "Prefer", "string")
	}
	return list
}

func body(schema object) object {
	return object{"required": true, "content": object{"application/json": object{"schema": schema}}}
}

// bodySchema describes the body of a request.
func bodySchema(rt *Route, g *Graph) object {
	members := object{}
	for _, name := range rt.Body {
		of := typed("string")
		switch name {
		case "input":
			of = typed("object")
			if g != nil {
				of = ref(component(g.Name) + ".Input")
			}
		case "set":
			of = typed("object")
		case "at":
			of = typed("integer")
		case "multitask":
			of["enum"] = Multitasks
		case "on_disconnect":
			of["enum"] = Disconnects
		}
		members[name] = of
	}
	return object{"type": "object", "properties": members, "required": rt.Body[:1], "additionalProperties": false}
}

// resultSchema describes an answer.
func resultSchema(rt *Route, g *Graph) object {
	if g == nil {
		return ref(rt.Result)
	}
	return object{"allOf": []any{ref(rt.Result), object{"properties": object{"output": ref(component(g.Name) + ".Output")}}}}
}

// component returns a name that components of OpenAPI may have.
func component(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_') {
			return r
		}
		return '_'
	}, name)
}

// componentsPath is where a document of OpenAPI has its schemas.
const componentsPath = "#/components/schemas/"

// types is what the names of an author's types begin with: a type may have the name of a schema of the server, such as Event or Input.
const types = "Type."

// components are the schemas of a document. Names of schemas of a graph begin with the graph's name.
type components struct {
	schemas object
	own     string
	named   Namer // the graph's types
}

// newComponents returns the components of a graph in a document.
func newComponents(schemas object, g *Graph) *components {
	return &components{schemas, component(g.Name) + ".", Namer{}}
}

// add adds a schema of the graph, with its definitions.
func (c *components) add(name string, schema json.RawMessage) error {
	if len(schema) == 0 {
		return nil
	}
	var s object
	if err := json.Unmarshal(schema, &s); err != nil {
		return err
	}
	defs, _ := s["$defs"].(object)
	delete(s, "$defs")
	delete(s, "$schema")
	texts, err := Definitions(schema)
	if err != nil {
		return err
	}
	names := map[string]string{}
	for _, def := range slices.Sorted(maps.Keys(texts)) {
		names[def], _ = c.named.Name(c.own+types+def, texts[def])
	}
	moved := func(v any) any {
		return referring(v, func(to string) string {
			if def, ok := strings.CutPrefix(to, definitionsPath); ok {
				return componentsPath + names[def]
			}
			return componentsPath + c.own + name
		})
	}
	for def, of := range defs {
		c.schemas[names[def]] = moved(of)
	}
	c.schemas[c.own+name] = moved(s)
	return nil
}

// addGraph adds the schemas of a graph.
func (c *components) addGraph(g *Graph) error {
	d := g.Description
	for _, s := range []struct {
		name   string
		schema json.RawMessage
	}{{"Input", d.Input}, {"Output", d.Output}} {
		if err := c.add(s.name, s.schema); err != nil {
			return err
		}
	}
	var requests []Request
	if err := json.Unmarshal(d.Requests, &requests); err != nil && d.Requests != nil {
		return err
	}
	for _, q := range requests {
		name := component(strings.ReplaceAll(strings.Trim(q.Node+"."+q.Tool, "."), "/", "."))
		if err := c.add("Answer."+name, q.Answer); err != nil {
			return err
		}
		if err := c.add("Arguments."+name, q.Arguments); err != nil {
			return err
		}
	}
	return c.addEvents(g)
}

// common are the schemas that no graph changes.
var common = object{
	"Problem": members(object{
		"type": typed("string"), "title": typed("string"), "status": typed("integer"), "code": typed("string"), "detail": typed("string"),
		"field": typed("string"),
	}, "type", "status", "code"),
	"Graphs": members(object{"graphs": listOf(members(object{
		"name": typed("string"), "graph": typed("string"), "shape": typed("string"), "durable": typed("boolean"), "described": typed("boolean"),
	}, "name", "durable"))}, "graphs"),
	"Description": members(object{
		"name": typed("string"), "durable": typed("boolean"), "doc": typed("string"), "input": typed("object"), "output": typed("object"),
		"requests": listOf(typed("object")),
		"events":   object{"type": "object", "description": "the JSON Schema of an event: an object with its data under its name"},
	}, "name", "durable"),
	"Request": members(object{
		"id": text, "kind": oneOf(requestKinds), "graph": text, "within": text, "branch": text, "node": text, "step": number, "visit": number,
		"file": text, "line": number, "col": number, "question": text, "shown": listOf(typed("object")), "tool": text, "arguments": typed("object"),
		"choices": listOf(text), "answer": object{"type": "object", "description": "the JSON Schema of the answer"}, "deadline": moment,
	}, "id", "kind", "node", "answer"),
	"Outcome": members(object{
		"thread": typed("string"), "run": typed("string"), "status": object{"type": "string", "enum": Statuses}, "output": typed("object"),
		"requests": listOf(ref("Request")), "problem": ref("Problem"),
	}, "status"),
	"Thread":   thread,
	"Threads":  members(object{"threads": listOf(ref("Thread")), "next": typed("string")}, "threads"),
	"Steps":    members(object{"steps": listOf(ref("Event.step")), "next": typed("integer")}, "steps"),
	"Run":      members(object{"seq": typed("integer"), "begin": typed("integer"), "next": typed("integer"), "events": listOf(typed("object"))}, "events"),
	"State":    members(object{"thread": typed("string"), "seq": typed("integer"), "run": typed("string"), "runs": listOf(typed("object"))}, "thread", "seq"),
	"Requests": members(object{"requests": listOf(ref("Request"))}, "requests"),
	"Named":    members(object{"thread": typed("string")}, "thread"),
}

var thread = members(object{
	"thread": typed("string"), "graph": typed("string"), "status": typed("string"), "updated": object{"type": "string", "format": "date-time"},
	"failure": typed("string"), "seq": typed("integer"), "requests": listOf(ref("Request")),
}, "thread", "graph", "status")

func members(properties object, required ...string) object {
	o := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

func listOf(items object) object { return object{"type": "array", "items": items} }
