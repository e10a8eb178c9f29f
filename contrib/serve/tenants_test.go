package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/langgraph"
	"github.com/graphgen/graphgen/contrib/serve/openai"
	"github.com/graphgen/graphgen/thread"
)

// byHeader identifies callers by headers, as a test may.
func byHeader(r *http.Request) (serve.Caller, error) {
	if r.Header.Get("Tenant") == "nobody" {
		return serve.Caller{}, errors.New("the token sesame has expired")
	}
	return serve.Caller{Tenant: r.Header.Get("Tenant"), Name: r.Header.Get("Name")}, nil
}

// A path is a route that the server names.
type path struct{ method, path, verb string }

// paths returns the routes of the OpenAPI document of a server: so a route that is added is tested.
func (s *site) paths() (list []path) {
	s.t.Helper()
	var document struct {
		OpenAPI string
		Paths   map[string]map[string]struct{ OperationID, Summary string }
	}
	if err := json.Unmarshal([]byte(s.want(s.do("GET", "/openapi.json", ""), http.StatusOK).body), &document); err != nil || document.OpenAPI != "3.1.0" {
		s.t.Fatal(document.OpenAPI, err)
	}
	for at, methods := range document.Paths {
		for method, o := range methods {
			list = append(list, path{strings.ToUpper(method), at, o.OperationID})
		}
	}
	if len(list) < 17 {
		s.t.Fatalf("there are %d routes", len(list))
	}
	return list
}

// open are the routes that need no caller.
var open = map[string]bool{"/healthz": true, "/readyz": true, "/openapi.json": true}

// ask makes a request at a route, about a thread.
func (s *site) ask(p path, name string, headers ...string) reply {
	s.t.Helper()
	at := strings.NewReplacer("{graph}", "orders", "{thread}", name, "{request}", "approve.1").Replace(p.path)
	body := ""
	switch p.verb {
	case "start", "run":
		body = `{"thread": "` + name + `", "input": {"order": "cheap"}}`
		if p.verb == "run" {
			at, body = "/graphs/greetings/runs", `{"input": {"name": "Ann"}}`
		}
	case "answer":
		body = `"approve"`
	case "fork":
		body = `{"to": "copy"}`
	}
	return s.do(p.method, at, body, headers...)
}

// TestTenants holds that no route shows a tenant what is of another one, or changes it: for each route, and names that could be confused.
func TestTenants(t *testing.T) {
	s := serving(t, serve.Options{Identify: byHeader}, thread.NewMemory())
	mine := []string{"Tenant", "mine", "Name", "ann"}
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "secret", "input": {"order": "A-7"}}`, append(mine, "Prefer", "wait")...), http.StatusOK)
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "deep/secret", "input": {"order": "A-7"}}`, append(mine, "Prefer", "wait")...), http.StatusOK)
	before := s.want(s.do("GET", "/threads/secret", "", mine...), http.StatusOK)
	for _, tenant := range []string{"yours", "min", "mine/", "mine/deep", "mine%2Fdeep", "mine%2F", "*", "..", "MINE"} {
		for _, name := range []string{"secret", "mine%2Fsecret", "..%2Fmine%2Fsecret", "%2Fsecret", "%2E%2E%2Fmine%2Fsecret"} {
			for _, p := range s.paths() {
				if open[p.path] || p.verb == "start" || p.verb == "run" || p.verb == "graphs" || p.verb == "describe" {
					continue
				}
				r := s.ask(p, name, "Tenant", tenant)
				if p.verb == "list" {
					s.want(r, http.StatusOK, `{"threads":[]}`)
				} else if r.status != http.StatusNotFound || strings.Contains(r.body, "A-7") {
					t.Errorf("tenant %s, %s %s, thread %s: %d\n%s", tenant, p.method, p.path, name, r.status, r.body)
				}
			}
		}
	}
	if after := s.want(s.do("GET", "/threads/secret", "", mine...), http.StatusOK); after.body != before.body {
		t.Errorf("the thread was\n%s, and is\n%s", before.body, after.body)
	}
	// A thread of the same name is another one, and no client is sent the name that it has in the store.
	stream := s.do("POST", "/graphs/orders/threads", `{"thread": "secret", "input": {"order": "cheap"}}`, "Tenant", "yours", "Accept", "text/event-stream")
	if s.want(stream, http.StatusOK, `"kind":"node_start"`, `"thread":"secret"`); strings.Contains(stream.body, "yours") {
		t.Errorf("a client is sent names of the store\n%s", stream.body)
	}
	for _, at := range []string{"/threads", "/threads/secret", "/threads/secret/events", "/threads/secret/history", "/threads/secret/state"} {
		if r := s.do("GET", at, "", "Tenant", "yours"); strings.Contains(r.body, "yours") || strings.Contains(r.body, "A-7") {
			t.Errorf("%s:\n%s", at, r.body)
		}
	}
	if r := s.do("GET", "/threads?prefix=../mine/&after=../mine/", "", "Tenant", "yours"); r.status != http.StatusOK || strings.Contains(r.body, "A-7") {
		t.Errorf("%d\n%s", r.status, r.body)
	}
	if n := s.shop.count("A-7"); n != 2 {
		t.Errorf("the runs of the tenant were made %d times", n)
	}
}

// TestCallers holds that every route but three needs a caller, with a tenant, who may do what the route does.
func TestCallers(t *testing.T) {
	var mu sync.Mutex
	seen := map[serve.Verb]serve.Access{}
	allow := false
	o := serve.Options{Identify: byHeader, Authorize: func(_ context.Context, a serve.Access) error {
		mu.Lock()
		defer mu.Unlock()
		if seen[a.Verb] = a; allow {
			return nil
		}
		return errors.New("the policy sesame refuses it")
	}}
	s := serving(t, o, thread.NewMemory())
	allow = true
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "A-7"}}`, "Tenant", "t", "Prefer", "wait"), http.StatusOK)
	allow = false
	for _, p := range s.paths() {
		if open[p.path] {
			s.want(s.do(p.method, p.path, "", "Tenant", "nobody"), http.StatusOK)
			continue
		}
		for _, row := range []struct {
			tenant, code string
			status       int
		}{{"nobody", "unauthenticated", http.StatusUnauthorized}, {"", "forbidden", http.StatusForbidden}, {"t", "forbidden", http.StatusForbidden}} {
			r := s.want(s.ask(p, "a", "Tenant", row.tenant, "Name", "ann"), row.status, `"code":"`+row.code+`"`)
			if strings.Contains(r.body, "sesame") || r.header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s %s: %s", p.method, p.path, r.body)
			}
		}
		got := seen[serve.Verb(p.verb)]
		want := serve.Access{Caller: serve.Caller{Tenant: "t", Name: "ann"}, Verb: serve.Verb(p.verb)}
		switch {
		case p.verb == "run":
			want.Graph = "greetings"
		case p.verb == "describe" || p.verb == "picture":
			want.Graph = "orders"
		case strings.Contains(p.path, "{"):
			want.Graph, want.Thread = "orders", "a"
		}
		if got != want {
			t.Errorf("%s %s: the policy sees %+v, want %+v", p.method, p.path, got, want)
		}
	}
	if r := s.do("GET", "/threads?graph=orders", "", "Tenant", "t"); r.status != http.StatusForbidden {
		t.Errorf("a list is %d", r.status)
	}
	if n := s.shop.count("cheap"); n != 0 {
		t.Errorf("%d runs were begun", n)
	}
	if _, err := serve.New(serve.Options{}); err == nil {
		t.Error("a handler without Identify is made")
	}
}

// TestForkOfOwn holds that a caller makes no fork of a name that the policy does not let it touch, over the own routes and a wire.
func TestForkOfOwn(t *testing.T) {
	s := serving(t, serve.Options{Identify: byHeader, Authorize: func(_ context.Context, a serve.Access) error {
		if a.Thread != "" && !strings.HasPrefix(a.Thread, a.Name+"/") {
			return errors.New("it is of another caller")
		}
		return nil
	}}, thread.NewMemory())
	s.handler.Handle("/langgraph", langgraph.New(s.handler))
	alice := []string{"Tenant", "t", "Name", "alice"}
	begin := `{"thread": "alice/1", "input": {"order": "A-7"}}`
	s.want(s.do("POST", "/graphs/orders/threads", begin, append(alice, "Prefer", "wait")...), http.StatusOK)
	s.want(s.do("POST", "/threads/alice%2F1/fork", `{"to": "bob/9"}`, alice...), http.StatusForbidden)
	s.want(s.do("POST", "/langgraph/threads/alice%2F1/copy", "", alice...), http.StatusForbidden) // its name is the server's
	s.want(s.do("POST", "/threads/alice%2F1/fork", `{"to": "alice/2"}`, alice...), http.StatusCreated)
	list := s.want(s.do("GET", "/threads", "", alice...), http.StatusOK, `"thread":"alice/1"`, `"thread":"alice/2"`)
	if strings.Count(list.body, `"thread":`) != 2 {
		t.Errorf("the threads are %s", list.body)
	}
}

// TestLimits holds how many runs, streams and waiting requests there may be.
func TestLimits(t *testing.T) {
	o := serve.Options{Identify: byHeader, Limits: serve.Limits{Runs: 3, TenantRuns: 2, Streams: 3, TenantWatch: 2, Queue: 1}}
	const path = "/graphs/orders/threads"
	t.Run("runs", func(t *testing.T) {
		s := serving(t, o, thread.NewMemory())
		first := s.later(s.request("POST", path, `{"thread": "a", "input": {"order": "wait-a"}}`, "Tenant", "t", "Prefer", "wait"))
		s.shop.started(t, "wait-a")
		s.begin("b", "wait-b", "Tenant", "t")
		r := s.want(s.do("POST", path, `{"input": {"order": "cheap"}}`, "Tenant", "t"), http.StatusTooManyRequests, `"code":"busy"`)
		if r.header.Get("Retry-After") != "1" {
			t.Errorf("Retry-After is %q", r.header.Get("Retry-After"))
		}
		s.want(s.do("POST", "/graphs/greetings/runs", `{"input": {"name": "Ann"}}`, "Tenant", "t"), http.StatusTooManyRequests)
		s.begin("c", "wait-c", "Tenant", "u")
		s.want(s.do("POST", path, `{"input": {"order": "cheap"}}`, "Tenant", "v"), http.StatusTooManyRequests)
		s.shop.release("wait-a")
		s.want(<-first, http.StatusOK)
		s.want(s.do("POST", path, `{"input": {"order": "cheap"}}`, "Tenant", "t", "Prefer", "wait"), http.StatusOK)
	})
	t.Run("streams", func(t *testing.T) {
		s := serving(t, o, thread.NewMemory())
		for _, tenant := range []string{"t", "u"} {
			s.want(s.do("POST", path, `{"thread": "a", "input": {"order": "cheap"}}`, "Tenant", tenant, "Prefer", "wait"), http.StatusOK)
		}
		stay := func(tenant string) *http.Request {
			return s.request("GET", "/threads/a/events?stay=1", "", "Tenant", tenant)
		}
		s.open(stay("t"))
		s.open(stay("t"))
		s.want(s.send(stay("t")), http.StatusTooManyRequests, `"code":"busy"`)
		s.open(stay("u"))
		s.want(s.send(stay("u")), http.StatusTooManyRequests, `"code":"busy"`)
		before := s.shop.count("cheap")
		s.want(s.do("POST", path, `{"input": {"order": "cheap"}}`, "Tenant", "v", "Accept", "text/event-stream"), http.StatusTooManyRequests)
		if s.shop.count("cheap") != before {
			t.Error("a run was begun whose events no stream has")
		}
	})
	t.Run("queue", func(t *testing.T) {
		s := serving(t, o, thread.NewMemory())
		s.begin("a", "wait", "Tenant", "t")
		next := func() *http.Request {
			return s.request("POST", path, `{"thread": "a", "input": {"order": "cheap"}, "multitask": "enqueue"}`, "Tenant", "t")
		}
		one, two := s.later(next()), s.later(next())
		var refused reply
		waiting := one
		select { // the second one to arrive is refused, while the first one waits
		case refused = <-one:
			waiting = two
		case refused = <-two:
		}
		s.want(refused, http.StatusTooManyRequests, `"code":"busy"`)
		s.shop.release("wait")
		s.want(<-waiting, http.StatusConflict) // the run asks a person
	})
}

// TestRequestsOfOthers holds that a caller who may not see requests sees them at no other route, also where clients are developers.
func TestRequestsOfOthers(t *testing.T) {
	for _, details := range []bool{false, true} {
		s := serving(t, serve.Options{Shared: true, Details: details, Identify: byHeader, Authorize: func(_ context.Context, a serve.Access) error {
			if a.Verb == serve.Requests && a.Name != "ann" {
				return errors.New("no")
			}
			return nil
		}}, thread.NewMemory())
		for _, name := range []string{"ann", "eve"} {
			replies := []reply{
				s.do("POST", "/graphs/orders/threads", `{"thread": "`+name+`", "input": {"order": "A-7"}}`, "Name", name, "Accept", "text/event-stream"),
				s.do("POST", "/graphs/orders/threads", `{"input": {"order": "A-7"}}`, "Name", name, "Prefer", "wait"),
				s.do("GET", "/threads", "", "Name", name),
				s.do("GET", "/threads/"+name, "", "Name", name),
				s.do("GET", "/threads/"+name+"/events", "", "Name", name),
			}
			if details {
				replies = append(replies, s.do("GET", "/threads/"+name+"/run", "", "Name", name))
			}
			for i, r := range replies {
				if asked := strings.Contains(r.body, "Pay 12.5 back"); r.status != http.StatusOK || asked != (name == "ann") {
					t.Errorf("%s, request %d: %d, and the question is sent: %v\n%s", name, i, r.status, asked, r.body)
				}
			}
		}
	}
}

// TestHosts holds that a page whose name leads to this machine is refused, unless callers are identified.
func TestHosts(t *testing.T) {
	o := shared()
	o.Hosts = []string{"shop.local"}
	s := serving(t, o, thread.NewMemory())
	identified := serving(t, serve.Options{Identify: byHeader}, thread.NewMemory())
	for host, status := range map[string]int{
		"evil.example": 403, "evil.example:8080": 403, "localhost.evil.example": 403, "10.0.0.7": 403, "127.0.0.1.evil.example": 403,
		"localhost": 200, "localhost:8080": 200, "127.0.0.1:80": 200, "[::1]:80": 200, "shop.local:80": 200,
	} {
		r := s.request("GET", "/threads", "")
		r.Host = host
		if got := s.send(r); got.status != status {
			t.Errorf("%s: %d", host, got.status)
		}
		r = identified.request("GET", "/threads", "", "Tenant", "t")
		r.Host = host
		identified.want(identified.send(r), http.StatusOK)
	}
}

func TestOrigins(t *testing.T) {
	const shopOrigin, evil = "https://shop.example", "https://evil.example"
	o := shared()
	o.Origins = []string{shopOrigin}
	s := serving(t, o, thread.NewMemory())
	preflight := []string{"Access-Control-Request-Method", "POST", "Origin"}
	r := s.want(s.do("OPTIONS", "/graphs/orders/threads", "", append(preflight, shopOrigin)...), http.StatusNoContent)
	if r.header.Get("Access-Control-Allow-Origin") != shopOrigin || !strings.Contains(r.header.Get("Access-Control-Allow-Headers"), "Last-Event-ID") {
		t.Errorf("%v", r.header)
	}
	if r := s.do("OPTIONS", "/graphs/orders/threads", "", append(preflight, evil)...); r.header.Get("Access-Control-Allow-Origin") != "" || r.status < 400 {
		t.Errorf("%d %v", r.status, r.header)
	}
	body := `{"input": {"order": "cheap"}}`
	s.want(s.do("POST", "/graphs/orders/threads", body, "Origin", shopOrigin, "Sec-Fetch-Site", "cross-site"), http.StatusAccepted)
	for _, origin := range []string{evil, "null", shopOrigin + ".evil.example", "http://shop.example"} {
		r := s.want(s.do("POST", "/graphs/orders/threads", body, "Origin", origin, "Sec-Fetch-Site", "cross-site"), http.StatusForbidden, `"code":"origin"`)
		if r.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s is allowed", origin)
		}
	}
	if r := s.do("GET", "/graphs", "", "Origin", evil); r.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("a page of another origin may read")
	}
	s.handler.Handle("/openai/v1", openai.New(s.handler))
	r = s.want(s.do("GET", "/openai/v1/models/none", "", "Origin", shopOrigin), http.StatusNotFound)
	if name := "X-Should-Retry"; r.header.Get(name) != "false" || !strings.Contains(r.header.Get("Access-Control-Expose-Headers"), name) {
		t.Errorf("a page does not see whether to repeat a request: %v", r.header)
	}
	o.Origins = []string{"shop.example"}
	if _, err := serve.New(o); err == nil {
		t.Error("an origin without a scheme is accepted")
	}
}
