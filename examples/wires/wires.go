// Package wires serves one graph to the clients of six protocols at the same time, and holds the same conversation over each: a guest wants money back,
// and the run waits until a person has approved that. The requests are those that the clients of the protocols send.
package wires

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/a2a"
	"github.com/graphgen/graphgen/contrib/serve/agui"
	"github.com/graphgen/graphgen/contrib/serve/aisdk"
	"github.com/graphgen/graphgen/contrib/serve/langgraph"
	"github.com/graphgen/graphgen/contrib/serve/mcp"
	"github.com/graphgen/graphgen/contrib/serve/openai"
	"github.com/graphgen/graphgen/thread"
)

//go:generate go tool graphgen

type shop struct{}

func (shop) LookUp(_ context.Context, in RefundLookUpIn) (RefundLookUpOut, error) {
	words := strings.Fields(in.Message)
	return RefundLookUpOut{Order: words[len(words)-1], Price: 20}, nil
}

func (shop) Pay(_ context.Context, in RefundPayIn) (RefundPayOut, error) {
	return RefundPayOut{Reply: fmt.Sprintf("%d were paid back for order %s.", in.Price, in.Order)}, nil
}

// handler serves the graph over every wire.
func handler() (http.Handler, error) {
	m, err := NewRefund(shop{}, thread.With(thread.Settings{Store: thread.NewMemory(), Feed: new(thread.Feed)}))
	if err != nil {
		return nil, err
	}
	h, err := serve.New(serve.Options{Shared: true}, serve.Durable("refund", m))
	if err != nil {
		return nil, err
	}
	h.Handle("/ai", aisdk.New(h))
	h.Handle("/agui", agui.New(h))
	h.Handle("/openai/v1", openai.New(h))
	h.Handle("/mcp", mcp.New(h, mcp.Options{Key: []byte("of this demonstration")}))
	h.Handle("/a2a", a2a.New(h, a2a.Options{}))
	h.Handle("/langgraph", langgraph.New(h))
	return h, nil
}

// A client is how a protocol says what a guest wants, and that a person approves. In what it sends, SAID is the text of the guest, and CALL what the server
// has named the request.
type client struct {
	name         string
	path         string
	say, approve string
	call         string // matches the name of the request
	shows        string // matches the texts of an answer
}

var clients = []client{
	{
		"AI SDK", "/ai/refund",
		`{"id":"chat","messages":[{"id":"1","role":"user","parts":[{"type":"text","text":"SAID"}]}]}`,
		`{"id":"chat","messages":[{"id":"2","role":"assistant","parts":[{"type":"tool-approve","toolCallId":"CALL",
			"state":"approval-responded","approval":{"id":"CALL","approved":true}}]}]}`,
		`"toolCallId":"([^"]+)"`, `"question":"([^"]+)"|"text-delta","id":"[^"]+","delta":"([^"]+)"`,
	}, {
		"AG-UI", "/agui/refund",
		`{"threadId":"page","runId":"1","messages":[{"id":"1","role":"user","content":"SAID"}]}`,
		`{"threadId":"page","runId":"2","messages":[],"resume":[{"interruptId":"CALL","status":"resolved","payload":"approve"}]}`,
		`"interrupts":\[\{"id":"([^"]+)"`, `"message":"([^"]+)"|"TEXT_MESSAGE_CONTENT","messageId":"[^"]+","delta":"([^"]+)"`,
	}, {
		"OpenAI responses", "/openai/v1/responses",
		`{"model":"refund","input":"SAID"}`,
		`{"model":"refund","input":[{"type":"function_call_output","call_id":"CALL","output":"approve"}]}`,
		`"call_id":"([^"]+)"`, `\\"question\\":\\"([^"\\]+)|"output_text","text":"([^"]+)"`,
	}, {
		"MCP", "/mcp",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"refund","arguments":{"message":"SAID"},META}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"refund","arguments":{},"requestState":"CALL",
			"inputResponses":{"approve":{"action":"accept","content":{"approve":true}}},META}}`,
		`"requestState":"([^"]+)"`, `"message":"([^"]+)"|"structuredContent":\{"reply":"([^"]+)"`,
	}, {
		"A2A", "/a2a/refund",
		`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"SAID"}]}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"SendMessage","params":{"message":
			{"messageId":"2","taskId":"CALL","role":"ROLE_USER","parts":[{"text":"approve"}]}}}`,
		`"task":\{"id":"([^"]+)"`, `"parts":\[\{"text":"([^"]+)"`,
	}, {
		"LangGraph", "/langgraph/threads/a/runs/wait",
		`{"assistant_id":"refund","input":{"messages":[{"type":"human","content":"SAID"}]}}`,
		`{"assistant_id":"refund","command":{"resume":{"CALL":"approve"}}}`,
		`"__interrupt__":\[\{"id":"([^"]+)"`, `"question":"([^"]+)"|"reply":"([^"]+)"`,
	},
}

// mcpMeta is what each request of MCP has about the client.
const mcpMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

// Talk holds the conversation over each wire of a server, and writes it.
func Talk(w io.Writer) error {
	h, err := handler()
	if err != nil {
		return err
	}
	server := httptest.NewServer(h)
	defer server.Close()
	const said = "Please refund order A-7"
	for _, c := range clients {
		fmt.Fprintf(w, "%s\n  guest:  %s\n", c.name, said)
		asked, err := c.post(server.URL, strings.ReplaceAll(c.say, "SAID", said))
		if err != nil {
			return err
		}
		call := regexp.MustCompile(c.call).FindStringSubmatch(asked)
		if call == nil {
			return fmt.Errorf("%s: nothing is asked: %s", c.name, asked)
		}
		fmt.Fprintf(w, "  asks:   %s\n  person: approve\n", c.text(asked))
		answered, err := c.post(server.URL, strings.ReplaceAll(c.approve, "CALL", call[1]))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "  says:   %s\n", c.text(answered))
	}
	return nil
}

// post makes a request, and returns what is answered: JSON, or server-sent events.
func (c *client) post(url, body string) (string, error) {
	body = strings.ReplaceAll(body, "META", mcpMeta)
	r, err := http.NewRequest(http.MethodPost, url+c.path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "A2A-Version": "1.0",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "refund",
	} {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(response.Body); err != nil {
		return "", err
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s: %s", c.name, response.Status, text.String())
	}
	return text.String(), nil
}

// text returns the last text that an answer shows to a person.
func (c *client) text(answer string) (text string) {
	for _, found := range regexp.MustCompile(c.shows).FindAllStringSubmatch(answer, -1) {
		for _, group := range found[1:] {
			if group != "" {
				_ = json.Unmarshal([]byte(`"`+group+`"`), &text) // it is from JSON
			}
		}
	}
	return text
}
