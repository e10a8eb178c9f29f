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
