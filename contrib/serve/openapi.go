package serve

import (
	"net/http"
	"strings"

	"github.com/graphgen/graphgen/internal/members"
	"github.com/graphgen/graphgen/runtime/codec"
)

// openAPI sends the routes as a document of OpenAPI 3.1.
func (c *call) openAPI() error {
	return c.object200(http.StatusOK, func(e *codec.Encoder) {
		members.Text("openapi", "3.1.0", e)
		nested(e, "info", func() {
			members.Text("title", "graphgen", e)
			members.Text("version", "1", e)
		})
		nested(e, "paths", func() {
			all := routes()
			for i, rt := range all {
				if i > 0 && all[i-1].path == rt.path {
					continue
				}
				nested(e, rt.path, func() {
					for _, other := range all {
						if other.path == rt.path {
							nested(e, strings.ToLower(other.method), func() { writeOperation(e, &other) })
						}
					}
				})
			}
		})
		nested(e, "components", func() { nested(e, "schemas", func() { writeSchemas(e) }) })
	})
}

// nested writes a member that is an object.
func nested(e *codec.Encoder, name string, write func()) {
	if e.Name(name); e.Begin() {
		write()
		e.End()
	}
}

// A parameter is what a request has besides its body.
type parameter struct{ name, in, kind string }

// parametersOf returns the parameters of a route.
func parametersOf(rt *route) (list []parameter) {
	for segment := range strings.SplitSeq(rt.path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			list = append(list, parameter{strings.TrimSuffix(name, "}"), "path", "string"})
		}
	}
	for _, name := range rt.query {
		kind := "string"
		if name == "limit" || name == "at" || name == "after" && rt.verb != List {
			kind = "integer"
		}
		list = append(list, parameter{name, "query", kind})
	}
	switch rt.verb {
	case Watch:
		list = append(list, parameter{"Last-Event-ID", "header", "integer"})
	case Start:
		list = append(list, parameter{"Idempotency-Key", "header", "string"}, parameter{"Prefer", "header", "string"})
	case Answer, Recover:
		list = append(list, parameter{"Prefer", "header", "string"})
	}
	return list
}

// writeOperation writes what a method does at a path.
func writeOperation(e *codec.Encoder, rt *route) {
	id := string(rt.verb)
	if id == "" {
		id = strings.Trim(strings.TrimSuffix(rt.path, ".json"), "/")
	}
	members.Text("operationId", id, e)
	members.Text("summary", rt.doc, e)
	e.Name("parameters")
	codec.WriteList(parametersOf(rt), e, func(p parameter, e *codec.Encoder) {
		if !e.Begin() {
			return
		}
		members.Text("name", p.name, e)
		members.Text("in", p.in, e)
		e.Name("required")
		codec.WriteBool(p.in == "path", e)
		nested(e, "schema", func() { members.Text("type", p.kind, e) })
		e.End()
	})
	switch {
	case rt.verb == Answer:
		writeBody(e, func() {})
	case rt.body != nil:
		writeBody(e, func() { writeObject(e, rt.body) })
	}
	nested(e, "responses", func() {
		nested(e, "2XX", func() {
			members.Text("description", "done, or begun", e)
			nested(e, "content", func() {
				if rt.verb != Watch {
					nested(e, "application/json", func() {})
				}
				switch rt.verb {
				case Watch, Start, Run, Answer, Recover:
					nested(e, "text/event-stream", func() {})
				}
			})
		})
		nested(e, "default", func() {
			members.Text("description", "a problem of RFC 9457", e)
			nested(e, "content", func() {
				nested(e, "application/problem+json", func() {
					nested(e, "schema", func() { members.Text("$ref", "#/components/schemas/Problem", e) })
				})
			})
		})
	})
}

// writeBody writes the body of a request, of a schema.
func writeBody(e *codec.Encoder, schema func()) {
	nested(e, "requestBody", func() {
		e.Name("required")
		codec.WriteBool(true, e)
		nested(e, "content", func() { nested(e, "application/json", func() { nested(e, "schema", schema) }) })
	})
}

// choices are the values of members that have few.
var choices = map[string][]string{
	"multitask":     {multiReject, multiEnqueue, multiInterrupt},
	"on_disconnect": {goneContinue, goneCancel},
}

// writeObject writes the schema of a body. The first member is required. The graph has the types of its input.
func writeObject(e *codec.Encoder, names []string) {
	members.Text("type", "object", e)
	nested(e, "properties", func() {
		for _, name := range names {
			nested(e, name, func() {
				switch name {
				case "input", "set":
					members.Text("type", "object", e)
				case "at":
					members.Text("type", "integer", e)
				default:
					members.Text("type", "string", e)
				}
				if of := choices[name]; of != nil {
					e.Name("enum")
					codec.WriteList(of, e, codec.WriteString)
				}
			})
		}
	})
	e.Name("required")
	codec.WriteList(names[:1], e, codec.WriteString)
	e.Name("additionalProperties")
	codec.WriteBool(false, e)
}

// writeSchemas writes the schema of a problem.
func writeSchemas(e *codec.Encoder) {
	nested(e, "Problem", func() {
		members.Text("type", "object", e)
		nested(e, "properties", func() {
			for _, name := range []string{"type", "title", "code", "detail", "field"} {
				nested(e, name, func() { members.Text("type", "string", e) })
			}
			nested(e, "status", func() { members.Text("type", "integer", e) })
		})
		e.Name("required")
		codec.WriteList([]string{"type", "status", "code"}, e, codec.WriteString)
	})
}
