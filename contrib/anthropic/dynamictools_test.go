package anthropic_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/anthropic"
	"github.com/graphgen/graphgen/contrib/providertest"
	"github.com/graphgen/graphgen/internal/testing/dynamictools"
)

// TestDynamicTools holds what requests have of tools that are known at run time alone.
func TestDynamicTools(t *testing.T) {
	dynamictools.Test(t, &dynamictools.Provider{
		New: func(url string, client *http.Client) (chat.Model, error) {
			return anthropic.New("claude-test", anthropic.BaseURL(url), anthropic.Key(key), anthropic.HTTPClient(client))
		},
		Answer: func(text string) string { return wholeMessage(providertest.Answer{Text: text}) },
		Tools: func(body []byte) (list []dynamictools.Tool, err error) {
			var sent struct {
				Tools []struct {
					Name, Description string
					Schema            json.RawMessage `json:"input_schema"`
				}
			}
			err = json.Unmarshal(body, &sent)
			for _, t := range sent.Tools {
				list = append(list, dynamictools.Tool{Name: t.Name, Doc: t.Description, Schema: t.Schema})
			}
			return list, err
		},
	})
}
