package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/gen/tsclient"
	"github.com/graphgen/graphgen/gen/view"
	"github.com/graphgen/graphgen/internal/api"
)

// served are the flags of verbs that are about graphs as contrib/serve serves them.
type served struct {
	paths
	As     []string `placeholder:"GRAPH=NAME" sep:"none" help:"Name under which a graph is served, if it is not its own name. Repeatable."`
	Output string   `short:"o" placeholder:"FILE" help:"Write to a file, instead of standard output."`
}

type openAPIVerb struct{ served }

func (openAPIVerb) Help() string {
	return `The document has the routes of contrib/serve, and paths with the types of the selected graphs. A server of contrib/serve sends the same at
/openapi.json, if its graphs have serve: true.

Examples:

  graphgen openapi ./... -o api.json
  graphgen openapi refund.graph.yaml -as refund=refunds
`
}

// Run writes the document.
func (v *openAPIVerb) Run(ctx context.Context, t *terminal) error {
	return v.write(ctx, t, api.OpenAPI)
}

type clientVerb struct {
	TS clientTS `cmd:"" name:"ts" help:"Write a client in TypeScript, which needs only fetch."`
}

type clientTS struct{ served }

func (clientTS) Help() string {
	return `The file has the types of the selected graphs and a client for browsers, Node, Deno and Bun, which needs no package. It starts runs, waits for
them or follows their events, answers requests, and reads threads. A stream that breaks off continues after its last step.

Examples:

  graphgen client ts ./... -o client.ts

  const client = new Client('https://shop.example', { Authorization: token })
  for await (const e of client.stream('refunds', { order: 'A-7' })) console.log(e)
`
}

// Run writes the client.
func (v *clientTS) Run(ctx context.Context, t *terminal) error {
	return v.write(ctx, t, tsclient.Client)
}

// write writes what is made of the selected graphs.
func (v *served) write(ctx context.Context, t *terminal, of func([]api.Graph) ([]byte, error)) error {
	folders, err := t.checked(ctx, v.paths)
	if err != nil {
		return err
	}
	graphs, err := v.graphs(folders)
	if err != nil {
		return err
	}
	text, err := of(graphs)
	if err != nil {
		return err
	}
	if v.Output != "" {
		return writeOutput(ctx, v.Output, text)
	}
	_, err = t.out.Write(text)
	return err
}

// graphs returns the selected graphs, by the names under which they are served.
func (v *served) graphs(folders []*folder) ([]api.Graph, error) {
	names := map[string]string{}
	for _, as := range v.As {
		graph, name, ok := strings.Cut(as, "=")
		if !ok || graph == "" || name == "" {
			return nil, fmt.Errorf("-as %s: it is GRAPH=NAME", as)
		}
		names[graph] = name
	}
	var graphs []api.Graph
	for _, f := range folders {
		for _, s := range f.selected() {
			if s.graph.TypesOnly() {
				continue
			}
			m := plan.Lower(s.flow, "main")
			description, err := api.Describe(string(view.Of(m).JSON()))
			if err != nil {
				return nil, err
			}
			g := api.Graph{Name: m.Name, Durable: m.Threads.Durable, Description: description}
			if name := names[m.Name]; name != "" {
				g.Name = name
			}
			delete(names, m.Name)
			if slices.ContainsFunc(graphs, func(other api.Graph) bool { return other.Name == g.Name }) {
				return nil, fmt.Errorf("two graphs have the name %s: select one, or give it another name by -as", g.Name)
			}
			graphs = append(graphs, g)
		}
	}
	for graph := range names {
		return nil, fmt.Errorf("-as: graph %s is not selected", graph)
	}
	if len(graphs) == 0 {
		return nil, errors.New("no graph is selected")
	}
	return graphs, nil
}
