package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/graphgen/graphgen/gen/schema"
)

type schemaVerb struct {
	Output string `short:"o" placeholder:"FILE" help:"Write to a file, instead of standard output, and print the line that a spec needs to use it."`
}

// schemaFile is the usual name of a schema beside specs.
const schemaFile = "graph.schema.json"

func (schemaVerb) Help() string {
	return `Editors that support JSON Schema use it to complete, explain and check keys. Those with the YAML language server (VS Code,
Neovim, Helix, Emacs …) read the path or the URL of the schema from the first line of a spec:

  ` + schema.HeaderComment(schemaFile) + `

The schema covers the form of a spec, but not its names: graphgen check finds the rest.

Examples:

  graphgen schema -o ` + schemaFile + `
  graphgen schema | jq '.["$defs"].node.properties | keys'
`
}

// Run prints the schema, or writes it to a file.
func (v *schemaVerb) Run(ctx context.Context, t *terminal) error {
	if v.Output == "" {
		_, err := t.out.Write(schema.Language())
		return err
	}
	if err := writeOutput(ctx, v.Output, schema.Language()); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "wrote %s\n\nthe first line of a spec beside it:\n\n%s\n", v.Output, schema.HeaderComment(filepath.Base(v.Output)))
	return nil
}
