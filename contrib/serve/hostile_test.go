package serve_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/thread"
)

// TestRequests holds what is answered to requests that are wrong. Each answer is a problem in JSON that names the field and repeats no value.
func TestRequests(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "A-7"}}`, "Prefer", "wait"), http.StatusOK)
	const threads, events, last = "/graphs/orders/threads", "/threads/a/events", "Last-Event-ID"
	deep := strings.Repeat("[", 20000) + strings.Repeat("]", 20000)
	for _, row := range []struct {
		method, path, body string
		header             []string
		status             int
		code, field        string
	}{
		{method: "POST", path: threads, body: `{"input": {"order": "sesame", "ordr": 1}}`, status: 422, code: "invalid", field: "input"},
		{method: "POST", path: threads, body: `{"input": {}}`, status: 422, code: "invalid", field: "input"},
		{method: "POST", path: threads, body: `{"input": {"order": 7}}`, status: 422, code: "invalid", field: "input.order"},
		{method: "POST", path: threads, body: `{"input": {"order": "sesame` + strings.Repeat("x", 40) + `"}}`, status: 422, code: "invalid", field: "input.order"},
		{method: "POST", path: threads, body: `{"input": "sesame"}`, status: 422, code: "invalid", field: "input"},
		{method: "POST", path: threads, body: `{}`, status: 422, code: "invalid", field: "input"},
		{method: "POST", path: threads, body: `{"inputt": {"order": "sesame"}}`, status: 400, code: "unknown_field", field: "inputt"},
		{method: "POST", path: threads, body: `{"input": {"order": "sesame"}`, status: 400, code: "json"},
		{method: "POST", path: threads, body: `{"input": {"order": "a"}, "input": {"order": "sesame"}}`, status: 400, code: "json"},
		{method: "POST", path: threads, body: `["sesame"]`, status: 400, code: "json"},
		{method: "POST", path: threads, body: `{"input": ` + deep + `}`, status: 400, code: "json"},
		{method: "POST", path: threads, body: "{\"input\": {\"order\": \"\xff sesame\"}}", status: 400, code: "json"},
		{method: "POST", path: threads, body: `{"input": {"order": "a"}, "thread": 7}`, status: 400, code: "type", field: "thread"},
		{method: "POST", path: threads, body: `{"input": {"order": "a"}, "thread": "a\r\nSet-Cookie: b"}`, status: 400, code: "name", field: "thread"},
		{method: "POST", path: threads, body: `{"input": {"order": "a"}, "thread": "a\u0000b"}`, status: 400, code: "name", field: "thread"},
		{method: "POST", path: threads, body: `{"input": {"order": "a"}, "thread": "` + strings.Repeat("x", 129) + `"}`, status: 400, code: "name", field: "thread"},
		{method: "POST", path: threads, body: `{"input": {"order": "a"}, "on_disconnect": "sesame"}`, status: 400, code: "choice", field: "on_disconnect"},
		{
			method: "POST", path: threads, body: `{"input": {"order": "a"}}`, header: []string{"Content-Type", "text/plain"},
			status: 415, code: "media_type", field: "Content-Type",
		},
		{method: "POST", path: threads, body: `{"input": {"order": "a"}, "thread": "a"}`, status: 409, code: "state"},
		{method: "POST", path: "/graphs/sesame/threads", body: `{"input": {"order": "a"}}`, status: 404, code: "no_graph", field: "graph"},
		{method: "GET", path: events, header: []string{last, "twelve sesame"}, status: 400, code: "number", field: last},
		{method: "GET", path: events, header: []string{last, "-1"}, status: 400, code: "number", field: last},
		{method: "GET", path: events, header: []string{last, strings.Repeat("9", 4000)}, status: 400, code: "number", field: last},
		{method: "GET", path: events, header: []string{last, "18446744073709551615"}, status: 400, code: "number", field: last},
		{method: "GET", path: "/threads/a/events?after=1;drop", status: 400, code: "query"},
		{method: "GET", path: "/threads/a/events?stay=sesame", status: 400, code: "choice", field: "stay"},
		{method: "GET", path: "/threads/a/events?sesame=1", status: 400, code: "unknown_parameter", field: "sesame"},
		{method: "GET", path: "/threads/a/history?after=99", status: 404, code: "not_found"},
		{method: "GET", path: "/threads/a/state?at=99", status: 404, code: "not_found"},
		{method: "GET", path: "/threads/a/state?at=1e3", status: 400, code: "number", field: "at"},
		{method: "GET", path: "/threads?limit=-1", status: 400, code: "number", field: "limit"},
		{method: "GET", path: "/threads?status=sesame", status: 400, code: "choice", field: "status"},
		{method: "GET", path: "/threads?graph=sesame", status: 404, code: "no_graph", field: "graph"},
		{method: "GET", path: "/threads/%0d%0aSet-Cookie:%20b", status: 400, code: "name", field: "thread"},
		{method: "GET", path: "/threads/%ff", status: 400, code: "name", field: "thread"},
		{method: "GET", path: "/threads/%3Cscript%3Ealert(1)%3C%2Fscript%3E", status: 404, code: "not_found", field: "thread"},
		{method: "POST", path: "/threads/a/requests/%3Cscript%3E%0d%0a", body: `"approve"`, status: 409, code: "closed"},
		{method: "POST", path: "/threads/a/requests/approve.1", body: `{"sesame": 1}`, status: 422, code: "invalid", field: "answer"},
		{method: "POST", path: "/threads/a/requests/approve.1", body: `sesame`, status: 422, code: "invalid", field: "answer"},
		{method: "POST", path: "/threads/a/fork", body: `{"to": "b", "at": "sesame"}`, status: 400, code: "number", field: "at"},
		{method: "POST", path: "/threads/a/fork", body: `{"to": "b", "set": {"` + strings.Repeat("s", 900) + `": 1}}`, status: 422, code: "invalid"},
		{method: "POST", path: "/threads/a/stop?now=1", status: 400, code: "unknown_parameter", field: "now"},
		{method: "PUT", path: "/threads/a", status: 405, code: "method"},
		{method: "GET", path: "/sesame", status: 404, code: "no_route"},
	} {
		t.Run(row.method+" "+row.path+" "+row.body[:min(len(row.body), 40)], func(t *testing.T) {
			r := s.send(s.request(row.method, row.path, row.body, row.header...))
			if r.status != row.status || r.get("code") != row.code || row.field != "" && r.get("field") != row.field {
				t.Fatalf("%d %s, want %d %s %s", r.status, r.body, row.status, row.code, row.field)
			}
			field := strings.Contains(row.body+row.path, "inputt") || strings.Contains(row.path, "?sesame=") // the names of fields are the client's
			if !field && strings.Contains(r.body, "sesame") || strings.Contains(r.body, ".graph.yaml") || len(r.body) > 600 {
				t.Errorf("the problem repeats a value: %s", r.body)
			}
			for name, want := range map[string]string{
				"Content-Type": "application/problem+json", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Set-Cookie": "",
			} {
				if got := r.header.Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		})
	}
	s.want(s.do("GET", "/threads/a", ""), http.StatusOK, `"status":"paused"`)
}

// An endless reader is a body of any length, and counts what is read of it.
type endless struct {
	left int64
	read atomic.Int64
}

func (e *endless) Read(b []byte) (int, error) {
	n := min(int64(len(b)), e.left-e.read.Load())
	if n == 0 {
		return 0, io.EOF
	}
	for i := range b[:n] {
		b[i] = ' '
	}
	e.read.Add(n)
	return int(n), nil
}

// TestLargeBody holds that the handler reads little more of a body of 1 GB than a request may have.
func TestLargeBody(t *testing.T) {
	o := shared()
	o.Limits.Body = 64 << 10
	s := serving(t, o, thread.NewMemory())
	for _, path := range []string{"/graphs/orders/threads", "/graphs/greetings/runs"} {
		for _, announced := range []bool{true, false} {
			body := &endless{left: 1 << 30}
			r := s.request("POST", path, "x")
			r.Body, r.ContentLength = io.NopCloser(body), -1
			if announced {
				r.ContentLength = 1 << 30
			}
			response, err := http.DefaultClient.Do(r)
			if err == nil { // else the server has closed the connection before the client had read its answer
				text, _ := io.ReadAll(response.Body) // as far as it got
				_ = response.Body.Close()
				if response.StatusCode != http.StatusRequestEntityTooLarge {
					t.Errorf("%d %s", response.StatusCode, text)
				}
			}
			const most = 16 << 20 // what sockets hold
			if n := body.read.Load(); n > most {
				t.Errorf("%s: %d bytes were sent", path, n)
			}
		}
	}
	w := httptest.NewRecorder()
	body := &endless{left: 1 << 30}
	r := httptest.NewRequest("POST", "/graphs/orders/threads", body)
	r.Header.Set("Content-Type", "application/json")
	if s.handler.ServeHTTP(w, r); w.Code != http.StatusRequestEntityTooLarge || body.read.Load() > 2*o.Limits.Body {
		t.Errorf("%d after %d bytes", w.Code, body.read.Load())
	}
}

// TestSlowBody holds that a body which does not come ends its request.
func TestSlowBody(t *testing.T) {
	o := shared()
	o.Limits.Read = 50 * time.Millisecond
	s := serving(t, o, thread.NewMemory())
	for _, row := range []struct{ path, host, kind, code string }{
		{"/graphs/orders/threads", "localhost", "application/json", "too_slow"},
		{"/graphs/orders/threads", "evil.example", "application/json", "host"}, // the rest is refused before a body is read
		{"/graphs/orders/threads", "localhost", "text/plain", "media_type"},
		{"/graphs/sesame/threads", "localhost", "application/json", "no_graph"},
		{"/threads/a/stop", "localhost", "application/json", "not_found"},
		{"/sesame", "localhost", "application/json", "no_route"},
		{"/graphs", "localhost", "application/json", "method"},
	} {
		conn := s.dial()
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: 100\r\n\r\n{\"inp", row.path, row.host, row.kind)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body) // as far as it got
		if !strings.Contains(string(body), `"code":"`+row.code+`"`) || !response.Close {
			t.Errorf("%s: %d %s, closed: %v", row.path, response.StatusCode, body, response.Close)
		}
	}
}

// dial returns a connection to the server.
func (s *site) dial() net.Conn {
	s.t.Helper()
	conn, err := new(net.Dialer).DialContext(s.t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() }) // it may have been closed
	return conn
}

// A sink is a writer of responses whose client reads nothing: each write fails when its deadline has passed.
type sink struct {
	header   http.Header
	deadline atomic.Int64
	writes   atomic.Int64
}

func (s *sink) Header() http.Header { return s.header }
func (s *sink) WriteHeader(int)     {}
func (s *sink) FlushError() error   { return nil }
func (s *sink) Write(b []byte) (int, error) {
	if s.writes.Add(1) > 2 && s.deadline.Load() > 0 {
		return 0, errors.New("i/o timeout")
	}
	return len(b), nil
}

func (s *sink) SetWriteDeadline(at time.Time) error {
	if !at.IsZero() {
		s.deadline.Store(at.UnixNano())
	}
	return nil
}

// TestSlowReader holds that a stream whose client does not read ends at its deadline, and the run does not.
func TestSlowReader(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	w := &sink{header: http.Header{}}
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/graphs/orders/threads", strings.NewReader(`{"thread": "a", "input": {"order": "A-7"}}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	s.handler.ServeHTTP(w, r) // it returns
	if w.deadline.Load() == 0 {
		t.Error("a write has no deadline")
	}
	if status := s.ends("a"); status != "paused" {
		t.Errorf("the run is %s", status)
	}
}

// An opened writer calls begun when the header of an answer is written.
type opened struct {
	*httptest.ResponseRecorder
	begun func()
}

func (o *opened) WriteHeader(status int) {
	o.ResponseRecorder.WriteHeader(status)
	o.begun()
}

// TestManyStreams holds that a tenant which asks for 10,000 streams gets as many as its limit allows, that the others are refused, and that another
// tenant has its own.
func TestManyStreams(t *testing.T) {
	s := serving(t, serve.Options{Identify: byHeader}, thread.NewMemory())
	for _, tenant := range []string{"t", "u"} {
		s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "cheap"}}`, "Tenant", tenant, "Prefer", "wait"), http.StatusOK)
	}
	ctx, leave := context.WithCancel(t.Context())
	var all sync.WaitGroup
	statuses := map[int]int{}
	stay := func(tenant string) {
		begun := make(chan int, 1)
		w := &opened{ResponseRecorder: httptest.NewRecorder()}
		w.begun = func() { begun <- w.Code }
		r := httptest.NewRequestWithContext(ctx, "GET", "/threads/a/events?stay=1", nil)
		r.Header.Set("Tenant", tenant)
		all.Go(func() { s.handler.ServeHTTP(w, r) })
		statuses[<-begun]++
	}
	for range 10_000 {
		stay("t")
	}
	if most := 256; statuses[http.StatusOK] != most || statuses[http.StatusTooManyRequests] != 10_000-most {
		t.Errorf("the streams get %v", statuses)
	}
	if stay("u"); statuses[http.StatusOK] != 257 {
		t.Errorf("another tenant gets no stream: %v", statuses)
	}
	leave()
	all.Wait()
}

// TestTexts holds that texts of clients and models cannot end an event, begin another one, or be HTML.
func TestTexts(t *testing.T) {
	s := serving(t, serve.Options{Identify: byHeader, Details: true}, thread.NewMemory())
	const evil = "a\r\n\r\nid: 99\r\nevent: end\r\ndata: x"
	body := strings.NewReplacer("\r", `\r`, "\n", `\n`).Replace(`{"thread": "<b>a</b>", "input": {"order": "` + evil + `"}}`)
	for _, e := range s.open(s.request("POST", "/graphs/orders/threads", body, "Accept", "text/event-stream", "Tenant", "t", "Name", evil[:1])).all() {
		if e.id == "99" || e.data == "x" || e.name != "step" && e.name != "live" && e.name != "end" {
			t.Errorf("%+v", e)
		}
	}
	r := s.want(s.do("GET", "/threads", "", "Tenant", "t"), http.StatusOK, `"thread":"<b>a</b>"`)
	if r.header.Get("Content-Type") != "application/json" || r.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%v", r.header)
	}
	greeting := s.do("POST", "/graphs/greetings/runs", `{"input": {"name": "x\r\n\r\nevent: end"}}`, "Accept", "text/event-stream", "Tenant", "t")
	s.want(greeting, http.StatusOK)
	if n := strings.Count(greeting.body, "\nevent: end\n"); n != 1 {
		t.Errorf("the stream has %d ends\n%s", n, greeting.body)
	}
}
