package serve

import (
	"encoding/json"
	"net/http"

	"github.com/graphgen/graphgen/internal/api"
	"github.com/graphgen/graphgen/internal/members"
	"github.com/graphgen/graphgen/runtime/codec"
)

// openAPI sends the routes as a document of OpenAPI 3.1, with the types of the graphs that the caller may have described.
func (c *call) openAPI() error {
	caller, err := c.h.identify(c.r)
	var graphs []api.Graph
	for _, g := range c.h.graphs {
		c.access = Access{Caller: caller, Verb: Describe, Graph: g.name}
		if err == nil && g.description != nil && c.authorized() == nil {
			graphs = append(graphs, g.typed())
		}
	}
	document, err := api.OpenAPI(graphs)
	if err != nil {
		return err
	}
	return c.bytes(http.StatusOK, "application/json", document)
}

// typed returns the graph with its types.
func (g *Graph) typed() api.Graph {
	return api.Graph{Name: g.name, Durable: g.durable != nil, Description: g.description}
}

// describe sends what a client has to know of a graph. What developers may see besides has the member view.
func (c *call) describe() error {
	g := c.graph
	return c.object200(http.StatusOK, func(e *codec.Encoder) {
		g.writeNames(e)
		d := g.description
		if d == nil {
			return
		}
		members.Text("doc", d.Doc, e)
		for _, s := range []struct {
			name   string
			schema json.RawMessage
		}{{"input", d.Input}, {"output", d.Output}} {
			e.Name(s.name)
			codec.WriteAny(s.schema, e)
		}
		if len(d.Requests) > 0 {
			e.Name("requests")
			codec.WriteAny(d.Requests, e)
		}
		e.Name("events")
		codec.WriteAny(g.events, e)
		if c.h.o.Details {
			e.Name("view")
			codec.WriteAny([]byte(g.view), e)
		}
	})
}

// picture sends the picture of a graph.
func (c *call) picture() error {
	if c.graph.description == nil || !c.h.o.Details {
		detail := "There is no picture: it is for developers, and of graphs with serve: true."
		return &Problem{Status: http.StatusNotFound, Code: "no_picture", Field: "graph", Detail: detail}
	}
	return c.bytes(http.StatusOK, "image/svg+xml", []byte(c.graph.description.Picture))
}
