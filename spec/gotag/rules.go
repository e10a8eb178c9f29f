package gotag

import (
	"embed"

	"github.com/graphgen/graphgen/spec/diag"
)

// top is the beginning of the examples of the rules.
const top = "package g\n\nimport \"github.com/graphgen/graphgen/graph\"\n\n"

//go:embed rules/*.md
var pages embed.FS

// Rules returns the rules of graphs in Go. Load also reports the rules of the YAML reader.
func Rules() []diag.Rule { return diag.ReadRules(pages) }
