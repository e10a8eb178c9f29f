package gemini

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/graphgen/graphgen/chat"
)

func TestTheGenerationOfAModel(t *testing.T) {
	for name, want := range map[string]int{
		"gemini-3.1-pro-preview": 3, "models/gemini-2.5-flash": 2, "gemini-10-pro": 10, "gemini-flash-latest": 3, "gemini-1.5-flash-latest": 1,
		"gemini-": 0, "gemini-pro": 0, "gemma-3-27b-it": 0, "tunedModels/mine": 0, "-latest": 0, "gemini--latest": 3,
	} {
		if got := generation(name); got != want {
			t.Errorf("the generation of %q is %d, want %d", name, got, want)
		}
	}
}

func TestAlteredRequest(t *testing.T) {
	x := &exchange{}
	c := &call{patches: []patch{{jsontext.Value("{}"), []any{"tools", 0, "functionDeclarations", 1, "parametersJsonSchema"}}}}
	c.exact(x)(map[string]any{"tools": []map[string]any{{"functionDeclarations": []any{map[string]any{}}}}})
	req, err := http.NewRequestWithContext(context.WithValue(context.Background(), exchangeKey{}, x), http.MethodPost, "http://127.0.0.1:1", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = (&transport{}).RoundTrip(req)
	if wrong := (*chat.ModelError)(nil); !errors.As(err, &wrong) || wrong.Kind != chat.BadRequest || x.sent {
		t.Errorf("got %v, sent %t", err, x.sent)
	}
}
