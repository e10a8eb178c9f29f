package serve_test

import (
	"context"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/a2a"
	"github.com/graphgen/graphgen/contrib/serve/agui"
	"github.com/graphgen/graphgen/contrib/serve/aisdk"
	"github.com/graphgen/graphgen/contrib/serve/langgraph"
	"github.com/graphgen/graphgen/contrib/serve/mcp"
	"github.com/graphgen/graphgen/contrib/serve/openai"
	"github.com/graphgen/graphgen/contrib/serve/servetest"
	"github.com/graphgen/graphgen/thread"
)

// speaks returns a handler with wires, as the guide shows it.
func speaks(m *servetest.Desk, orders *servetest.Order, key []byte) (*serve.Handler, error) {
	h, err := serve.New(serve.Options{Shared: true}, serve.Durable("desk", m), serve.Durable("orders", orders).Messages(serve.Messaging{
		Input:  serve.InputOf(orderOf),
		Output: serve.OutputOf(func(out servetest.OrderOutput) string { return "Paid: " + out.Receipt }),
	}))
	if err != nil {
		return nil, err
	}
	h.Handle("/ai", aisdk.New(h))
	h.Handle("/agui", agui.New(h))
	h.Handle("/openai/v1", openai.New(h))
	h.Handle("/mcp", mcp.New(h, mcp.Options{Key: key}))
	h.Handle("/a2a", a2a.New(h, a2a.Options{}))
	h.Handle("/langgraph", langgraph.New(h))
	return h, nil
}

// orderOf returns the order that a message is about, for the caller who has sent it.
func orderOf(c serve.Caller, turns serve.Conversation) (servetest.OrderInput, error) {
	return servetest.OrderInput{Order: strings.TrimPrefix(turns.Text, "order "), Owner: &c.Name}, nil
}

// TestWires holds that the wires of the guide are served beside the handler's own routes.
func TestWires(t *testing.T) {
	store := thread.With(thread.Settings{Store: thread.NewMemory()})
	desk, err := servetest.NewDesk(new(servetest.Staff), new(servetest.Staff), chat.ModelFunc(new(servetest.Clerk).Generate), store)
	if err != nil {
		t.Fatal(err)
	}
	orders, err := servetest.NewOrder(newShop(), store)
	if err != nil {
		t.Fatal(err)
	}
	h, err := speaks(desk, orders, []byte("a key"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	defer server.Close()
	s := &site{t: t, url: server.URL, handler: h}
	s.want(s.do("GET", "/graphs", ""), 200, `"name":"desk"`)
	s.want(s.do("POST", "/ai/desk", `{"id":"a","messages":[{"role":"user","parts":[{"type":"text","text":"hi"}]}]}`), 200, `"delta":"You wrote: hi"`)
	s.want(s.do("POST", "/agui/desk", `{"threadId":"b","runId":"r","messages":[{"role":"user","content":"hi"}]}`), 200, `"delta":"You wrote: hi"`)
	body := `{"model":"orders","messages":[{"role":"user","content":"order cheap"}]}`
	s.want(s.do("POST", "/openai/v1/chat/completions", body), 200, `"content":"Paid: receipt of cheap"`)
	s.want(s.do("POST", "/mcp/", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), 200, `"name":"desk"`, `"maxLength":40`)
	s.want(s.do("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`), 200, `"result":{}`)
	if r := s.want(s.do("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`), 202); r.body != "" {
		t.Errorf("the answer to a notification is %s", r.body)
	}
	s.want(s.do("POST", "/mcp", `{"jsonrpc":"2.0","id":null,"method":"ping"}`), 400, `"code":-32600`)
	s.want(s.do("POST", "/mcp/other", `{"jsonrpc":"2.0","id":1,"method":"ping"}`), 404, `"code":"no_route"`)
	s.want(s.do("GET", "/mcp", ""), 405, `"code":"method"`)
	s.want(s.do("POST", "/mcpx", `{"jsonrpc":"2.0","id":1,"method":"ping"}`), 404, `urn:graphgen:no_route`)
	s.want(s.do("GET", "/a2a/orders/.well-known/agent-card.json", ""), 200, `"url":"`+server.URL+`/a2a/orders"`, `"name":"orders"`)
	s.want(s.do("POST", "/langgraph/runs/wait", `{"assistant_id":"desk","input":{"message":"hi"}}`), 200, `"reply":"You wrote: hi"`)
	s.want(s.do("GET", "/langgraph/assistants/orders/schemas", ""), 200, `"maxLength":40`)
	s.want(s.do("GET", "/langgraph/threads/search", ""), 404, `"error":"not_found"`) // it is a name
	s.want(s.do("PUT", "/langgraph/threads/search", ""), 405, `"error":"method"`)
	s.want(s.do("GET", "/openai/v1", ""), 404, `"code":"no_route"`)
	s.want(s.do("GET", "/ai/", ""), 404, "no_route: ")
	s.want(s.do("DELETE", "/agui/desk", ""), 405, `"code":"method"`)
	rebound := s.request("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	rebound.Host = "evil.example" // which leads to this machine
	s.want(s.send(rebound), 403, `"code":"host"`)
	if err := h.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.want(s.do("POST", "/openai/v1/chat/completions", body), 503, `"code":"draining"`)
	s.want(s.do("POST", "/ai/desk", `{"id":"a","messages":[{"role":"user","parts":[{"type":"text","text":"hi"}]}]}`), 503, "draining: ")
}

// A bookkeeper has the handlers of the graph order, and saves many calls when it pays.
type bookkeeper struct{ *shop }

func (b bookkeeper) Pay(ctx context.Context, in servetest.OrderPayIn) (out servetest.OrderPayOut, err error) {
	for i := range 300 {
		if _, err := thread.Once(ctx, strconv.Itoa(i), func(context.Context) ([]byte, error) { return []byte("1"), nil }); err != nil {
			return out, err
		}
	}
	return b.shop.Pay(ctx, in)
}

// A readings is a store that counts how often it is read.
type readings struct {
	thread.Store
	n atomic.Int64
}

func (r *readings) History(ctx context.Context, name string, after uint64, limit int) ([]thread.Record, error) {
	r.n.Add(1)
	return r.Store.History(ctx, name, after, limit)
}

// TestSmallPages holds that a client which wants few checkpoints of LangGraph does not have a thread read more often than one that wants many.
func TestSmallPages(t *testing.T) {
	store := &readings{Store: thread.NewMemory()}
	orders, err := servetest.NewOrder(bookkeeper{newShop()}, thread.In(store))
	if err != nil {
		t.Fatal(err)
	}
	s := serves(t, shared(), serve.Durable("orders", orders))
	s.handler.Handle("/langgraph", langgraph.New(s.handler))
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "cheap"}}`, "Prefer", "wait"), 200)
	read := func(limit string) int64 {
		before := store.n.Load()
		s.want(s.do("GET", "/langgraph/threads/a/history?limit="+limit, ""), 200, `"receipt of cheap"`)
		return store.n.Load() - before
	}
	if few, many := read("3"), read("100"); few > many {
		t.Errorf("for 3 checkpoints the thread is read %d times, for 100 %d times", few, many)
	}
}

// TestJoinedRun holds that a client which has joined a run gets the output of that run, also where the next one has begun before the client has seen the end.
func TestJoinedRun(t *testing.T) {
	shop := cashier{newShop(), make(chan struct{}), make(chan struct{})}
	m, err := servetest.NewOrder(shop, thread.In(thread.NewMemory()))
	if err != nil {
		t.Fatal(err)
	}
	s := serves(t, shared(), serve.Durable("orders", m))
	s.handler.Handle("/ai", aisdk.New(s.handler))
	s.handler.Handle("/a2a", a2a.New(s.handler, a2a.Options{}))
	const path = "/graphs/orders/threads"
	s.want(s.do("POST", path, `{"thread": "a", "input": {"order": "cheap"}}`), 202)
	<-shop.begins
	task := `{"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":{"id":"call_WyJhIiwiYS4xIiwiIl0"}}` // of the run a.1
	joined := []*reader{
		s.open(s.request("GET", "/ai/orders/a/stream", "")), s.open(s.request("POST", "/a2a/orders", task, "A2A-Version", "1.0")),
	}
	next := s.later(s.request("POST", path, `{"thread": "a", "input": {"order": "wait"}, "multitask": "enqueue"}`))
	close(shop.goes)
	shop.started(t, "wait")
	s.want(<-next, 202)
	for _, r := range joined {
		text := ""
		for _, e := range r.all() {
			text += e.data + "\n"
		}
		if !strings.Contains(text, "receipt of cheap") || strings.Contains(text, "wait") {
			t.Errorf("the stream has %s", text)
		}
	}
	shop.release("wait")
}
