package schema_test

import (
	"os"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/schema"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// TestSchemaInDocs holds the example of docs/reference/types.md.
func TestSchemaInDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/types.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(language string) string {
		_, rest, ok := strings.Cut(string(page), "```"+language+"\n")
		text, _, closed := strings.Cut(rest, "\n```")
		if !ok || !closed {
			t.Fatalf("there is no block of %s", language)
		}
		return text
	}
	g, found := spec.Load("order.graph.yaml", []byte(block("yaml")))
	if len(found) > 0 {
		t.Fatal(found)
	}
	if want := string(schema.Of(resolve.Resolve(g).Type("Offer"))); block("json") != want {
		t.Errorf("the page has\n%s\nbut the schema is\n%s", block("json"), want)
	}
}
