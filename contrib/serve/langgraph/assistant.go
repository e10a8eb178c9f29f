package langgraph

import (
	"encoding/json"
	"time"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

// An assistant is a graph. Its ID is the name of the graph.
type assistant struct {
	ID          string         `json:"assistant_id"`
	Graph       string         `json:"graph_id"`
	Name        string         `json:"name"`
	Description *string        `json:"description"`
	Version     int            `json:"version"`
	Config      map[string]any `json:"config"`
	Context     map[string]any `json:"context"`
	Metadata    map[string]any `json:"metadata"`
	Created     string         `json:"created_at"`
	Updated     string         `json:"updated_at"`
}

func assistantOf(g *serve.Served) assistant {
	none, since := map[string]any{}, stamp(time.Unix(0, 0)) // a graph is as old as its program
	a := assistant{
		ID: g.Name, Graph: g.Name, Name: g.Name, Version: 1, Config: none, Context: none, Metadata: map[string]any{"created_by": "system"},
		Created: since, Updated: since,
	}
	if g.Doc != "" {
		a.Description = &g.Doc
	}
	return a
}

// stamp returns a time as clients have it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// selected returns the graphs that a search is about.
func selected(c *serve.Call) (list []assistant, _ error) {
	var r struct {
		Graph    string          `json:"graph_id"`
		Name     string          `json:"name"`
		Metadata json.RawMessage `json:"metadata"`
		Limit    *int            `json:"limit"`
		Offset   int             `json:"offset"`
	}
	if err := speech.Read(c, &r); err != nil {
		return nil, err
	}
	if isGiven(r.Metadata) {
		return nil, unsupported("metadata", "Assistants have no metadata.")
	}
	graphs, err := c.Graphs()
	if err != nil {
		return nil, err
	}
	list = []assistant{}
	for i := range graphs {
		if g := &graphs[i]; (r.Graph == "" || r.Graph == g.Name) && (r.Name == "" || r.Name == g.Name) {
			list = append(list, assistantOf(g))
		}
	}
	list = list[min(max(0, r.Offset), len(list)):]
	if r.Limit != nil {
		list = list[:min(max(0, *r.Limit), len(list))]
	}
	return list, nil
}

func searchAssistants(c *serve.Call) error {
	list, err := selected(c)
	if err != nil {
		return err
	}
	return reply(c, list)
}

func countAssistants(c *serve.Call) error {
	list, err := selected(c)
	if err != nil {
		return err
	}
	return reply(c, len(list))
}

// readAssistant sends a graph.
func readAssistant(c *serve.Call) error {
	if _, err := c.Graphs(); err != nil {
		return err
	}
	if err := c.OpenGraph(c.Request().PathValue("assistant")); err != nil {
		return err
	}
	g := c.Graph()
	g.Description = c.Describe()
	return reply(c, assistantOf(&g))
}

// schemas sends the JSON Schemas of a graph with serve: true.
func schemas(c *serve.Call) error {
	if _, err := c.Graphs(); err != nil {
		return err
	}
	if err := c.OpenGraph(c.Request().PathValue("assistant")); err != nil {
		return err
	}
	d := c.Describe()
	of := func(schema json.RawMessage) any {
		if len(schema) == 0 {
			return nil
		}
		return schema
	}
	return reply(c, map[string]any{
		"graph_id": c.Graph().Name, "input_schema": of(d.Input), "output_schema": of(d.Output), "state_schema": of(d.State),
		"config_schema": nil, "context_schema": nil,
	})
}
