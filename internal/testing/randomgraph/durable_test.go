package randomgraph

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
)

// TestDurableRunsFuncsWithin holds that a durable graph which another one runs has no transform: a player could take a call of one in
// a run within another for the same call in an earlier run.
func TestDurableRunsFuncsWithin(t *testing.T) {
	had := 0
	for d := range tier.Draws(t, 400) {
		_, within := Nested(d.Rand(), "outer", "inner", Options{})
		had += strings.Count(within, "kind: transform")
		if _, within := Nested(d.Rand(), "outer", "inner", Options{Durable: true}); strings.Contains(within, "kind: transform") {
			t.Fatalf("it has a transform:\n%s", within)
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
		text, _ := Nested(d.Rand(), "outer", "inner", Options{})
		had += retried(text)
		if text, _ := Nested(d.Rand(), "outer", "inner", Options{Durable: true}); retried(text) > 0 {
			t.Fatalf("a node is retryable:\n%s", text)
		}
	}
	if had == 0 {
		t.Error("no graph had such a node")
	}
}

// TestDurableIsRead holds that durable graphs can be read, with secret fields that have a merge rule and with such that have none.
func TestDurableIsRead(t *testing.T) {
	plain, merged := 0, 0
	for d := range tier.Draws(t, 100) {
		text := Make(d.Rand(), "g", Options{Models: true, Durable: true})
		g, found := spec.Load("g.graph.yaml", []byte(text))
		if len(found) > 0 {
			t.Fatalf("%v\n%s", found, text)
		}
		for _, f := range g.State {
			if f.Secret.V && f.Merge.V == "" {
				plain++
			} else if f.Secret.V {
				merged++
			}
		}
	}
	if !tier.Alone() && (plain == 0 || merged == 0) {
		t.Errorf("%d secret fields have no merge rule, %d have one", plain, merged)
	}
}
