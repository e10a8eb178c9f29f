package gemini_test

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/gemini"
	"github.com/graphgen/graphgen/contrib/providertest"
)

func TestHostileServers(t *testing.T) { providertest.Hostile(t, provider()) }

func TestOddServers(t *testing.T) { providertest.Odd(t, provider()) }

func provider() *providertest.Provider {
	return &providertest.Provider{
		New: func(url string, client *http.Client) (chat.Model, error) {
			return gemini.New("gemini-test", gemini.BaseURL(url), gemini.Key(key), gemini.HTTPClient(client))
		},
		Key:     key,
		Fault:   providertest.Event{Data: `{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}`},
		Unended: true,
		Whole:   func(a providertest.Answer) string { return candidates(a, "STOP") },
		Events: func(a providertest.Answer) []providertest.Event {
			if a.None {
				return []providertest.Event{{Data: candidates(a, "")}}
			}
			return []providertest.Event{
				{Data: candidates(a, "")},
				{Data: candidates(providertest.Answer{Tokens: a.Tokens}, "STOP")},
			}
		},
	}
}

// candidates returns an answer that ends for a reason; empty is a chunk, after which others follow.
func candidates(a providertest.Answer, finish string) string {
	n := cmp.Or(a.Tokens, "1")
	count := `"usageMetadata":{"promptTokenCount":` + n + `,"candidatesTokenCount":` + n + `,"thoughtsTokenCount":` + n +
		`,"cachedContentTokenCount":` + n + `,"toolUsePromptTokenCount":` + n + `,"totalTokenCount":` + n + `}`
	if a.None {
		return `{"candidates":[],` + count + `}`
	}
	var parts []string
	if a.Text != "" {
		parts = append(parts, `{"text":"`+a.Text+`"}`)
	}
	for i := range a.Calls {
		parts = append(parts, fmt.Sprintf(`{"functionCall":{"id":"call_%d","name":"look","args":{}}}`, i))
	}
	if finish != "" {
		finish = `,"finishReason":"` + finish + `"`
	}
	return `{"candidates":[{"index":0,"content":{"role":"model","parts":[` + strings.Join(parts, ",") + `]}` + finish + `}],` +
		count + `,"modelVersion":"m","responseId":"r1"}`
}
