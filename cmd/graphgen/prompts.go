package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

type promptsVerb struct {
	File  string `arg:"" help:"A spec file, or a Go file with a graph."`
	Node  string `placeholder:"NAME" help:"Print the request of this node."`
	Input string `placeholder:"FILE" help:"Values of state fields, a mapping in YAML or JSON (default: the values of the spec)."`
	Graph string `placeholder:"NAME" help:"Name of the graph in the file."`
	JSON  bool   `name:"json" help:"Print the request as JSON."`
}

func (promptsVerb) Help() string {
	return `With -node it prints what the model is asked when a run enters the node in the given state: the system prompt, the
messages, the tools and the schema of the answer. The compiled machine makes the request, as in graphgen test, and no model
is asked. Fields that the file leaves out have their defaults, or are empty. The request has nothing from other nodes: no
earlier turns, and no inherited outputs. Handler methods that change prompts are not called.

Without -node it lists the nodes that ask a model, with the versions and the files of their prompts.

The version is a hash of what the author wrote. Reports and events have it too.

Examples:

  graphgen prompts desk.graph.yaml
  graphgen prompts desk.graph.yaml -node answer -input message.yaml
  graphgen prompts desk.graph.yaml -node answer -input state.json -json
`
}

// Run prints the request of a node, or lists the nodes that ask a model.
func (v *promptsVerb) Run(ctx context.Context, t *terminal) error {
	folders, err := t.checked(ctx, paths{Paths: []string{v.File}})
	if err != nil {
		return err
	}
	s, err := oneGraph(folders, v.File, v.Graph)
	if err != nil {
		return err
	}
	if v.Node == "" {
		return listPrompts(t.out, plan.Lower(s.flow, "prompts"), s.graph)
	}
	file := v.File
	if s.inGo {
		file += "#" + s.graph.Name.V
	}
	shown, err := scenario.Show(ctx, file, v.Node, v.Input)
	if err != nil {
		return err
	}
	if shown.Request == nil {
		err := diag.Render(t.marked, diag.Sort(shown.Diagnostics),
			diag.Options{Color: t.color, Source: func(file string) []byte { return shown.Sources[file] }})
		if err != nil {
			return err
		}
		return errFound
	}
	if v.JSON {
		return diag.EncodeJSON(t.out, shown.Request)
	}
	return writeRequest(t.out, shown.Request)
}

// listPrompts writes a line for each node that asks a model.
func listPrompts(w io.Writer, m *plan.Machine, g *spec.Graph) error {
	files := map[string][]string{}
	for _, n := range g.Nodes {
		for t := range n.Texts() {
			if t.File.V != "" {
				files[n.Name.V] = append(files[n.Name.V], t.File.V)
			}
		}
	}
	for n, p := range m.Prompts() {
		line := fmt.Sprintf("%-20s %s  %s", n.Name, p.Texts.Version(), strings.Join(files[n.Name], " "))
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}

// writeRequest writes a request for people to read.
func writeRequest(w io.Writer, r *scenario.Request) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "node %s, prompt version %s\nmodel %s", r.Node, r.Version, r.Model)
	if r.Temperature != nil {
		fmt.Fprintf(&b, ", temperature %g", *r.Temperature)
	}
	if r.MaxTokens > 0 {
		fmt.Fprintf(&b, ", max_tokens %d", r.MaxTokens)
	}
	if r.Choice != "" {
		fmt.Fprintf(&b, ", tool_choice %s", r.Choice)
	}
	b.WriteString("\n")
	part := func(title, text string) { fmt.Fprintf(&b, "\n== %s\n%s\n", title, strings.TrimRight(text, "\n")) }
	if r.System != "" {
		part("system", r.System)
	}
	for _, m := range r.Messages {
		part(m.Role, strings.Join(append(append([]string{m.Text}, m.Media...), m.Calls...), "\n"))
	}
	for _, t := range r.Tools {
		part("tool "+t.Name, strings.TrimLeft(t.Doc+"\n"+indented(t.Schema), "\n"))
	}
	if r.Output != nil {
		part("answer "+r.Output.Name, indented(r.Output.JSON))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// indented formats a JSON Schema.
func indented(schema []byte) string {
	var b bytes.Buffer
	if err := json.Indent(&b, schema, "", "  "); err != nil {
		return string(schema)
	}
	return b.String()
}
