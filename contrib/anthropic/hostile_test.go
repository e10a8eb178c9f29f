package anthropic_test

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/anthropic"
	"github.com/graphgen/graphgen/contrib/providertest"
)

func TestHostileServers(t *testing.T) { providertest.Hostile(t, provider()) }

func TestOddServers(t *testing.T) { providertest.Odd(t, provider()) }

func provider() *providertest.Provider {
	return &providertest.Provider{
		New: func(url string, client *http.Client) (chat.Model, error) {
			return anthropic.New("claude-test", anthropic.BaseURL(url), anthropic.Key(key), anthropic.HTTPClient(client))
		},
		Key:    key,
		Fault:  providertest.Event{Type: "error", Data: `{"type":"error","error":{"type":"overloaded_error","message":"overloaded"}}`},
		Whole:  wholeMessage,
		Events: eventsOfMessage,
	}
}

func wholeMessage(a providertest.Answer) string {
	var content []string
	stop := "end_turn"
	if a.Text != "" {
		content = append(content, `{"type":"text","text":"`+a.Text+`"}`)
	}
	for i := range a.Calls {
		stop = "tool_use"
		content = append(content, fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"look","input":{}}`, i))
	}
	list := `"content":[` + strings.Join(content, ",") + `],`
	if a.None {
		list = ""
	}
	return fmt.Sprintf(`{"id":"msg_1","type":"message","role":"assistant","model":"m",%s"stop_reason":"%s","usage":%s}`, list, stop, usageOf(a))
}

func eventsOfMessage(a providertest.Answer) []providertest.Event {
	var list []providertest.Event
	add := func(kind, rest string) {
		list = append(list, providertest.Event{Type: kind, Data: `{"type":"` + kind + `"` + rest + `}`})
	}
	if a.None {
		add("message_stop", "")
		return list
	}
	stop, index := "end_turn", 0
	add("message_start", `,"message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":`+usageOf(a)+`}`)
	if a.Text != "" {
		add("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`)
		add("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":"`+a.Text+`"}`)
		add("content_block_stop", `,"index":0`)
		index++
	}
	for i := range a.Calls {
		stop = "tool_use"
		add("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":{"type":"tool_use","id":"toolu_%d","name":"look","input":{}}`, index+i, i))
		add("content_block_stop", fmt.Sprintf(`,"index":%d`, index+i))
	}
	add("message_delta", `,"delta":{"stop_reason":"`+stop+`"},"usage":`+usageOf(a))
	add("message_stop", "")
	return list
}

func usageOf(a providertest.Answer) string {
	n := cmp.Or(a.Tokens, "1")
	return `{"input_tokens":` + n + `,"output_tokens":` + n + `,"cache_read_input_tokens":` + n + `,"cache_creation_input_tokens":` + n +
		`,"output_tokens_details":{"thinking_tokens":` + n + `}}`
}
