package gemini_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/gemini"
	"github.com/graphgen/graphgen/contrib/providertest"
	"github.com/graphgen/graphgen/internal/testing/dynamictools"
)

// TestDynamicTools holds what requests have of tools that are known at run time alone.
func TestDynamicTools(t *testing.T) {
	dynamictools.Test(t, &dynamictools.Provider{
		New: func(url string, client *http.Client) (chat.Model, error) {
			return gemini.New("gemini-3-test", gemini.BaseURL(url), gemini.Key(key), gemini.HTTPClient(client))
		},
		Answer: func(text string) string { return candidates(providertest.Answer{Text: text}, "STOP") },
		Tools: func(body []byte) (list []dynamictools.Tool, err error) {
			var sent struct {
				Tools []struct {
					Functions []struct {
						Name, Description string
						Schema            json.RawMessage `json:"parametersJsonSchema"`
					} `json:"functionDeclarations"`
				}
			}
			err = json.Unmarshal(body, &sent)
			for _, t := range sent.Tools {
				for _, f := range t.Functions {
					list = append(list, dynamictools.Tool{Name: f.Name, Doc: f.Description, Schema: f.Schema})
				}
			}
			return list, err
		},
	})
}
