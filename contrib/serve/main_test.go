package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/servetest"
	"github.com/graphgen/graphgen/thread"
)

// A shop has the handlers of the graph order. The node check of an order whose name begins with "wait" lasts until the test lets it go.
type shop struct {
	mu     sync.Mutex
	gates  map[string]chan struct{}
	began  map[string]chan struct{} // closed when the node check of an order begins
	checks map[string]int
	paid   []string // the owners and orders
}

func newShop() *shop {
	return &shop{gates: map[string]chan struct{}{}, began: map[string]chan struct{}{}, checks: map[string]int{}}
}

// gate returns a channel of an order, and makes it.
func (s *shop) gate(of map[string]chan struct{}, order string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of[order] == nil {
		of[order] = make(chan struct{})
	}
	return of[order]
}

// release lets the node check of an order end.
func (s *shop) release(order string) { close(s.gate(s.gates, order)) }

// started waits until the node check of an order begins.
func (s *shop) started(t *testing.T, order string) {
	t.Helper()
	select {
	case <-s.gate(s.began, order):
	case <-time.After(time.Minute):
		t.Fatalf("the node check of %s does not begin", order)
	}
}

// count returns how often the node check of an order was executed.
func (s *shop) count(order string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.checks[order]
}

func (s *shop) Check(ctx context.Context, in servetest.OrderCheckIn) (servetest.OrderCheckOut, error) {
	s.mu.Lock()
	first := s.checks[in.Order] == 0
	s.checks[in.Order]++
	s.mu.Unlock()
	if first {
		close(s.gate(s.began, in.Order))
	}
	switch {
	case strings.HasPrefix(in.Order, "wait"):
		select {
		case <-s.gate(s.gates, in.Order):
		case <-ctx.Done():
			return servetest.OrderCheckOut{}, context.Cause(ctx)
		}
	case in.Order == "broken":
		return servetest.OrderCheckOut{}, errors.New("the password of /etc/shop.key is sesame")
	case in.Order == "quoted":
		_, err := thread.Once(ctx, "quote", func(context.Context) ([]byte, error) { return []byte("the supplier asks 3.20"), nil })
		return servetest.OrderCheckOut{Amount: 5}, err
	case in.Order == "cheap":
		return servetest.OrderCheckOut{Amount: 5}, nil
	}
	return servetest.OrderCheckOut{Amount: 12.5}, nil
}

func (s *shop) Pay(_ context.Context, in servetest.OrderPayIn) (servetest.OrderPayOut, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paid = append(s.paid, in.Owner+":"+in.Order)
	return servetest.OrderPayOut{Receipt: "receipt of " + in.Order}, nil
}

// A site is a handler on a server.
type site struct {
	t       *testing.T
	url     string
	handler *serve.Handler
	shop    *shop
	store   thread.Store

	mu       sync.Mutex
	reported []string
}

// shared are options for one tenant.
func shared() serve.Options { return serve.Options{Shared: true} }

// serving starts a server for the graphs order and greet on a store.
func serving(t *testing.T, o serve.Options, store thread.Store, readers ...serve.Reader[servetest.OrderInput]) *site {
	t.Helper()
	s := &site{t: t, shop: newShop(), store: store}
	m, err := servetest.NewOrder(s.shop, thread.With(thread.Settings{Store: store, Feed: new(thread.Feed), Lease: time.Second}))
	if err != nil {
		t.Fatal(err)
	}
	g, err := servetest.NewGreet(greeter)
	if err != nil {
		t.Fatal(err)
	}
	if o.Report == nil {
		o.Report = func(a serve.Access, err error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.reported = append(s.reported, string(a.Verb)+": "+err.Error())
		}
	}
	if s.handler, err = serve.New(o, serve.Durable("orders", m, readers...), serve.Plain("greetings", g)); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.handler)
	s.url = server.URL
	t.Cleanup(func() {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		_ = s.handler.Drain(ended) // what the test has left
		server.Close()
	})
	return s
}

// greeter is a model that greets in two pieces. A guest of the name "wait" is never greeted.
var greeter = chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	name := req.Messages[0].Text
	if name == "wait" {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	if stream != nil {
		stream(chat.Delta{Text: "Hello "})
		stream(chat.Delta{Text: name})
	}
	return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "Hello " + name}, Finish: chat.Stop}, nil
})

// A reply is what a server has answered.
type reply struct {
	status int
	header http.Header
	body   string
}

// get returns a member of the body.
func (r reply) get(name string) string {
	var members map[string]any
	if json.Unmarshal([]byte(r.body), &members) != nil {
		return "no JSON: " + r.body
	}
	text, ok := members[name].(string)
	if !ok && members[name] != nil {
		data, _ := json.Marshal(members[name]) // it was decoded
		return string(data)
	}
	return text
}

// request makes a request with headers, as names and values.
func (s *site) request(method, path, body string, headers ...string) *http.Request {
	s.t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, reader)
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func (s *site) do(method, path, body string, headers ...string) reply {
	s.t.Helper()
	return s.send(s.request(method, path, body, headers...))
}

func (s *site) send(r *http.Request) reply {
	s.t.Helper()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(body)}
}

// want compares a reply with a status and parts of its body.
func (s *site) want(r reply, status int, parts ...string) reply {
	s.t.Helper()
	if r.status != status {
		s.t.Fatalf("the status is %d, want %d\n%s", r.status, status, r.body)
	}
	for _, part := range parts {
		if !strings.Contains(r.body, part) {
			s.t.Fatalf("no %s in\n%s", part, r.body)
		}
	}
	return r
}

// An event is a server-sent event.
type event struct{ id, name, data string }

// A reader reads server-sent events.
type reader struct {
	t     *testing.T
	body  io.ReadCloser
	lines *bufio.Scanner
}

// open begins a stream.
func (s *site) open(r *http.Request) *reader {
	s.t.Helper()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || kind != "text/event-stream" {
		body, _ := io.ReadAll(response.Body) // for the message
		s.t.Fatalf("the status is %d of %s\n%s", response.StatusCode, kind, body)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	s.t.Cleanup(func() { _ = response.Body.Close() }) // a stream that a test has left
	return &reader{s.t, response.Body, lines}
}

// next returns the next event; ok is false at the end of the stream.
func (r *reader) next() (e event, ok bool) {
	for r.lines.Scan() {
		name, value, _ := strings.Cut(r.lines.Text(), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			if e != (event{}) {
				return e, true
			}
		}
	}
	return e, false
}

// all returns the events up to the end of the stream.
func (r *reader) all() (list []event) {
	for {
		e, ok := r.next()
		if !ok {
			return list
		}
		list = append(list, e)
	}
}

// listener returns a listener of this machine, and its URL.
func listener(t *testing.T) (net.Listener, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l, "http://" + l.Addr().String()
}
