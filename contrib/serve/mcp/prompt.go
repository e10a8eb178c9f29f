package mcp

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/jsonrpc"
)

// A prompt is a node that asks a model, as clients see it. Its name is GRAPH/NODE.
type prompt struct {
	Name        string           `json:"name"`
	Description string           `json:"description,omitempty"`
	Arguments   []promptArgument `json:"arguments,omitempty"`
}

// A promptArgument is a field of a prompt. The protocol has texts alone: values of other types are JSON, which the description says.
type promptArgument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// listPrompts sends the prompts of the graphs that the caller may read.
func listPrompts(c *serve.Call, r *request) (any, error) {
	graphs, err := c.Graphs()
	if err != nil {
		return nil, err
	}
	list := []prompt{}
	for _, g := range graphs {
		for i := range g.Prompts {
			p := &g.Prompts[i]
			out := prompt{Name: g.Name + "/" + p.Node, Description: p.Doc}
			for _, a := range p.Arguments {
				doc := a.Doc
				if !a.Text {
					doc = strings.TrimSpace(doc + " JSON with the schema " + string(a.Schema))
				}
				out.Arguments = append(out.Arguments, promptArgument{a.Name, doc, a.Required})
			}
			list = append(list, out)
		}
	}
	return r.listed("prompts", list), nil
}

// getPrompt sends a prompt that is filled in. The protocol has no system prompt: it is the first message of the user.
func getPrompt(c *serve.Call, r *request) (any, error) {
	var p struct {
		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments"`
	}
	if json.Unmarshal(r.Params, &p) != nil {
		return nil, &jsonrpc.Fault{Code: jsonrpc.Params, Message: "the parameters are not of a prompt, whose arguments are texts"}
	}
	missing := &jsonrpc.Fault{Code: jsonrpc.Params, Message: "there is no such prompt", Status: http.StatusOK}
	graph, node, _ := strings.Cut(p.Name, "/")
	if err := c.OpenGraph(graph); err != nil {
		if serve.IsNotFound(err) {
			return nil, missing
		}
		return nil, err
	}
	for _, of := range c.Describe().Prompts {
		if of.Node != node {
			continue
		}
		system, user, err := of.Fill(p.Arguments)
		if err != nil {
			return nil, err
		}
		messages := []any{}
		for _, text := range []string{system, user} {
			if text != "" {
				messages = append(messages, map[string]any{"role": "user", "content": map[string]string{"type": "text", "text": text}})
			}
		}
		result := map[string]any{"messages": messages}
		if of.Doc != "" {
			result["description"] = of.Doc
		}
		if r.current {
			result["resultType"] = "complete"
		}
		return result, nil
	}
	return nil, missing
}
