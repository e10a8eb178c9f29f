package openai_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/openai"
	"github.com/graphgen/graphgen/contrib/providertest"
	"github.com/graphgen/graphgen/internal/testing/dynamictools"
)

// TestDynamicTools holds what requests have of tools that are known at run time alone.
func TestDynamicTools(t *testing.T) {
	dynamictools.Test(t, &dynamictools.Provider{
		New: func(url string, client *http.Client) (chat.Model, error) {
			return openai.New("test-model", openai.BaseURL(url+"/v1"), openai.Key(key), openai.HTTPClient(client))
		},
		Answer: func(text string) string {
			return `{"id":"c1","object":"chat.completion","model":"m","choices":[` + choice("message", providertest.Answer{Text: text}) + `]}`
		},
		Tools: func(body []byte) (list []dynamictools.Tool, err error) {
			var sent struct {
				Tools []struct {
					Function struct {
						Name, Description string
						Parameters        json.RawMessage
					}
				}
			}
			err = json.Unmarshal(body, &sent)
			for _, t := range sent.Tools {
				list = append(list, dynamictools.Tool{Name: t.Function.Name, Doc: t.Function.Description, Schema: t.Function.Parameters})
			}
			return list, err
		},
	})
}
