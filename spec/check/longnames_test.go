package check_test

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
)

// TestLongNames holds that a name which generated code, schemas and tables repeat is not longer than spec.MaxName. YAML
// itself has no longer keys.
func TestLongNames(t *testing.T) {
	const head = "graph: g\nentry: a\nstate: {s: string, how: {enum: [fast, slow]}}\ninput: [s, how]\noutput: s\n"
	for name, text := range map[string]string{
		"a value":   strings.Replace(head, "slow", "NAME", 1) + "nodes: {a: {}}\n",
		"the graph": strings.Replace(head, "graph: g", "graph: NAME", 1) + "nodes: {a: {}}\n",
		"a guard":   head + "nodes: {a: {reads: s, writes: s, guards: NAME}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			for length, long := range map[int]bool{spec.MaxName: false, spec.MaxName + 1: true} {
				g, found := spec.Load("g.graph.yaml", []byte(strings.ReplaceAll(text, "NAME", strings.Repeat("n", length))))
				found = append(found, check.Run(cfg.Of(g))...)
				got := 0
				for _, d := range found {
					if strings.Contains(d.Message, "bytes: it has at most 1024") && d.Code == "GG020" {
						got++
					}
				}
				if got > 1 || got == 1 != long {
					t.Errorf("%d findings for %d bytes: %v", got, length, found)
				}
			}
		})
	}
}
