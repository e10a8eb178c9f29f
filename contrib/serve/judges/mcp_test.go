package judges_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/contrib/serve"
)

// TestMCP holds what the MCP server answers to messages that no client sends: an error of JSON-RPC that repeats no secret, and no run.
func TestMCP(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	h := newHouse(t, serve.Options{Limits: serve.Limits{Body: 64 << 10}})
	call := func(params string) string { return toolCall(params) }
	for name, row := range map[string]struct {
		body         string
		status, code int
	}{
		"no JSON":                    {"sesame", 400, -32700},
		"a message that ends early":  {`{"jsonrpc":"2.0"`, 400, -32700},
		"a list":                     {`[` + call(`"arguments":{}`) + `]`, 400, -32600},
		"another version of the RPC": {`{"jsonrpc":"1.0","id":1,"method":"tools/call"}`, 400, -32600},
		"an ID that is an object":    {`{"jsonrpc":"2.0","id":{"sesame":1},"method":"tools/call"}`, 400, -32600},
		"parameters that are a list": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["sesame"]}`, 400, -32602},
		"no capabilities":            {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"desk","_meta":{}}}`, 400, -32602},
		"deep JSON":                  {call(`"arguments":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000)), 400, -32700},
		"a body that is too large":   {call(`"arguments":{"message":"` + strings.Repeat("x", 70<<10) + `"}`), 413, -32602},
		"an unknown argument":        {call(`"arguments":{"message":"a","sesam":1}`), 422, -32602},
		"a private field":            {call(`"arguments":{"message":"a","tenant":"sesame"}`), 422, -32602},
		"an argument of a type":      {call(`"arguments":{"message":7}`), 422, -32602},
		"a state of another":         {call(`"arguments":{},"requestState":"c2VzYW1l"`), 409, -32602},
		"responses of another type":  {call(`"arguments":{},"inputResponses":7`), 400, -32602},
		"a client that cannot ask": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"desk",` + meta + `,"arguments":{"message":"sign"}}}`, 400, -32021,
		},
	} {
		t.Run(name, func(t *testing.T) {
			h.t = t
			status, text, header := h.ask("t", "POST", "/live/mcp/", row.body)
			code := `"error":{"code":` + strconv.Itoa(row.code)
			if status != row.status || !strings.Contains(text, code) || !strings.HasPrefix(text, `{"jsonrpc":"2.0","id":`) {
				t.Errorf("%d %s", status, text)
			}
			if strings.Contains(text, "sesame") || header.Get("Content-Type") != "application/json" {
				t.Errorf("the answer is %s %s", header.Get("Content-Type"), text)
			}
		})
	}
	h.t = t
	if _, list, _ := h.ask("t", "GET", "/threads", ""); strings.Count(list, `"thread":`) != 1 { // of the client that cannot ask
		t.Errorf("the threads are %s", list)
	}
	for method, status := range map[string]int{"GET": http.StatusMethodNotAllowed, "DELETE": http.StatusMethodNotAllowed} {
		if got, text, _ := h.ask("t", method, "/live/mcp/", ""); got != status || !strings.Contains(text, `"jsonrpc"`) {
			t.Errorf("%s: %d %s", method, got, text)
		}
	}
	evil := "a\r\n\r\nevent: x\ndata: y"
	status, text, _ := h.ask("t", "POST", "/live/mcp/", call(`"arguments":{"message":`+quoted(evil)+`}`))
	if status != http.StatusOK || !strings.Contains(text, `event: x\ndata: y`) {
		t.Errorf("%d %s", status, text)
	}
}
