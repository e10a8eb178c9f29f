package graphrt

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/hostile"
	"github.com/graphgen/graphgen/spec/escape"
)

func TestDrawnTextStaysInItsQuotes(t *testing.T) {
	for _, h := range hostile.Texts {
		t.Run(h.Name, func(t *testing.T) {
			r := &Report{drawing: drawing{graph: &Graph{
				Nodes: make([]NodeInfo, 2), addedNodes: []NodeInfo{{Name: h.Text}}, // what the graph itself draws is escaped by gen/diagram
				Drawing: "flowchart TD\n    start((\"start\"))\n",
			}}}
			got := r.Diagram()
			lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
			if len(lines) != 4 {
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

func TestObeyedIsWhatIsNotHarmless(t *testing.T) {
	for c := rune(0); c <= 0x10ffff; c++ {
		if isObeyed(c) == escape.Harmless(c) {
			t.Errorf("%U: obeyed is %t", c, isObeyed(c))
		}
	}
}
