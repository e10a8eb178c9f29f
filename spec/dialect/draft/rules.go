package draft

import (
	"embed"

	"github.com/graphgen/graphgen/spec/diag"
)

//go:embed rules/*.md
var pages embed.FS

// Rules returns the rules of foreign files. An import also reports mistakes of YAML, and mistakes of the graph that the
// file is, with the codes of specs. The examples are of the dialect workflow.
func Rules() []diag.Rule { return diag.ReadRules(pages) }
