package randomgraph

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tier"
)

// TestDurableRunsFuncsWithin holds that a durable graph which another one runs has no transform: a player could take a call of one in
// a run within another for the same call in an earlier run.
func TestDurableRunsFuncsWithin(t *testing.T) {
	had := 0
	for d := range tier.Draws(t, 400) {
		r := d.Rand()
		_, within := Nested(r, "outer", "inner")
		had += strings.Count(within, "kind: transform")
		if text := Durable(r, within); strings.Contains(text, "kind: transform") {
			t.Fatalf("a transform is left:\n%s", text)
		}
	}
	if had == 0 {
		t.Error("no graph had a transform")
	}
}

// TestDurableRunsGraphsOnce holds that no node of a durable graph which runs another graph is retryable: a player could take the
// calls of one attempt for those of another.
func TestDurableRunsGraphsOnce(t *testing.T) {
	retried := func(text string) (n int) {
		for line := range strings.Lines(text) {
			if strings.Contains(line, "kind: subgraph") && strings.Contains(line, "retryable") {
				n++
			}
		}
		return n
	}
	had := 0
	for d := range tier.Draws(t, 200) {
		r := d.Rand()
		text, _ := Nested(r, "outer", "inner")
		had += retried(text)
		if text := Durable(r, text); retried(text) > 0 {
			t.Fatalf("a node is retryable:\n%s", text)
		}
	}
	if had == 0 {
		t.Error("no graph had such a node")
	}
}
