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
			routes := c.h.routes()
			for i, rt := range routes {
				if i == 0 || routes[i-1].path != rt.path {
					nested(e, rt.path, func() {
						for _, other := range routes {
							if other.path == rt.path {
								nested(e, strings.ToLower(other.method), func() { writeOperation(e, &other) })
							}
						}
					})
				}
			}
		})
	})
}

// nested writes a member that is an object.
func nested(e *codec.Encoder, name string, write func()) {
	if e.Name(name); e.Begin() {
		write()
		e.End()
	}
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
	codec.WriteList(parametersOf(rt.path), e, func(name string, e *codec.Encoder) {
		if !e.Begin() {
			return
		}
		members.Text("name", name, e)
		members.Text("in", "path", e)
		e.Name("required")
		codec.WriteBool(true, e)
		nested(e, "schema", func() { members.Text("type", "string", e) })
		e.End()
	})
	if rt.method == http.MethodPost && rt.verb != Stop && rt.verb != Recover {
		nested(e, "requestBody", func() {
			nested(e, "content", func() { nested(e, "application/json", func() {}) })
		})
	}
	nested(e, "responses", func() {
		nested(e, "2XX", func() {
			members.Text("description", "done, or begun", e)
			nested(e, "content", func() {
				switch rt.verb {
				case Watch:
					nested(e, "text/event-stream", func() {})
				case Start, Run, Answer, Recover:
					nested(e, "application/json", func() {})
					nested(e, "text/event-stream", func() {})
				default:
					nested(e, "application/json", func() {})
				}
			})
		})
		nested(e, "default", func() {
			members.Text("description", "a problem of RFC 9457", e)
			nested(e, "content", func() { nested(e, "application/problem+json", func() {}) })
		})
	})
}

// parametersOf returns the names of the segments of a path that stand for others.
func parametersOf(path string) (names []string) {
	for segment := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}
