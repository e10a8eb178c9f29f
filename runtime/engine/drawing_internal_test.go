package engine

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/internal/testing/hostile"
	"github.com/graphgen/graphgen/spec/escape"
)

func TestDrawnTextStaysInItsQuotes(t *testing.T) {
	for _, h := range hostile.Texts {
		t.Run(h.Name, func(t *testing.T) {
			r := &graphgen.Report{Origin: origin.To(&Graph{
				Transitions: make([]TransitionInfo, 1), Nodes: make([]NodeInfo, 1), dynamicNodes: []NodeInfo{{Name: h.Text}},
			})}
			got := r.Diagram()
			lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
			if len(lines) != 9 {
				t.Fatalf("%d lines:\n%s", len(lines), got)
			}
			for _, line := range lines {
				if n := strings.Count(line, `"`); n != 0 && n != 2 {
					t.Errorf("%d quotes in %s", n, line)
				}
				if strings.ContainsFunc(line, func(c rune) bool { return !escape.Harmless(c) }) {
					t.Errorf("a terminal obeys %q", line)
				}
				if strings.ContainsAny(line, "`%\\") || strings.Contains(line, "<") {
					t.Errorf("%s means something to Mermaid", line)
				}
			}
		})
	}
}
