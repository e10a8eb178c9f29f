package randomgraph

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestDurableRunsFuncsWithin holds that a durable graph which another one runs has no transform: a player could take a call of one in
// a run within another for the same call in an earlier run.
func TestDurableRunsFuncsWithin(t *testing.T) {
	had := 0
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(1, seed))
		_, within := Nested(r, "outer", "inner")
		had += strings.Count(within, "kind: transform")
		if text := Durable(r, within); strings.Contains(text, "kind: transform") {
			t.Fatalf("seed %d: a transform is left:\n%s", seed, text)
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
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(1, seed))
		text, _ := Nested(r, "outer", "inner")
		had += retried(text)
		if text := Durable(r, text); retried(text) > 0 {
			t.Fatalf("seed %d: a node is retryable:\n%s", seed, text)
		}
	}
	if had == 0 {
		t.Error("no graph had such a node")
	}
}
