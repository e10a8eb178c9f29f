package openai_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/openai"
	"github.com/graphgen/graphgen/contrib/providertest"
)

func TestHostileServers(t *testing.T) { providertest.Hostile(t, provider()) }

func TestOddServers(t *testing.T) { providertest.Odd(t, provider()) }

func provider() *providertest.Provider {
	return &providertest.Provider{
		New: func(url string, client *http.Client) (chat.Model, error) {
			return openai.New("test-model", openai.BaseURL(url+"/v1"), openai.Key(key), openai.HTTPClient(client))
		},
		Key:   key,
		Fault: providertest.Event{Data: `{"error":{"message":"overloaded","type":"server_error","code":503}}`},
		Whole: func(a providertest.Answer) string {
			return fmt.Sprintf(`{"id":"c1","object":"chat.completion","model":"m","choices":[%s],"usage":%s}`, choice("message", a), counts(a))
		},
		Events: func(a providertest.Answer) []providertest.Event {
			chunk := `{"id":"c1","object":"chat.completion.chunk","model":"m","choices":[%s],"usage":%s}`
			return []providertest.Event{
				{Data: fmt.Sprintf(chunk, choice("delta", a), "null")},
				{Data: fmt.Sprintf(chunk, "", counts(a))},
				{Data: "[DONE]"},
			}
		},
	}
}

// choice returns the choices of an answer, whole or a chunk.
func choice(field string, a providertest.Answer) string {
	if a.None {
		return ""
	}
	finish := "stop"
	var calls strings.Builder
	for i := range a.Calls {
		finish = "tool_calls"
		if i > 0 {
			calls.WriteByte(',')
		}
		fmt.Fprintf(&calls, `{"index":%d,"id":"call_%d","type":"function","function":{"name":"look","arguments":"{}"}}`, i, i)
	}
	return fmt.Sprintf(`{"index":0,"%s":{"role":"assistant","content":"%s","tool_calls":[%s]},"finish_reason":"%s"}`,
		field, a.Text, calls.String(), finish)
}

func counts(a providertest.Answer) json.RawMessage {
	n := cmp.Or(a.Tokens, "1")
	return json.RawMessage(`{"prompt_tokens":` + n + `,"completion_tokens":` + n + `,"total_tokens":` + n +
		`,"prompt_tokens_details":{"cached_tokens":` + n + `},"completion_tokens_details":{"reasoning_tokens":` + n + `},"cost":` + n + `}`)
}
