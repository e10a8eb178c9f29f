package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphgen/graphgen/contrib/mcp"
)

// spoilt has the test server answer a call itself: with what, and how.
func spoilt(t *testing.T, s *mcp.Server, how, what string) (string, error) {
	t.Helper()
	result, err := call(t.Context(), t, s, "echo", fmt.Sprintf(`{"text":%q}`, how+"|"+what))
	return result.Text, err
}

const (
	asJSON   = "application/json"
	asEvents = "text/event-stream"
	result   = `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"yes"}]}}`
)

func TestAnAnswerOverHTTPThatIsOne(t *testing.T) {
	cases := []struct{ name, how, what string }{
		{"in one piece", asJSON, result},
		{"with a parameter of the type", asJSON + "; charset=utf-8", result},
		{"as an event", asEvents, "data: " + result + "\n\n"},
		{"as an event with a name and an ID", asEvents, "event: message\nid: 7\nretry: 10\ndata: " + result + "\n\n"},
		{"as an event whose lines end as those of HTTP", asEvents, "event: message\r\ndata:" + result + "\r\n\r\n"},
		{"as an event of several lines", asEvents, "data: " + strings.Replace(result, ",", ",\ndata: ", 1) + "\n\n"},
		{"behind comments and fields that mean nothing", asEvents, ": hello\n\nfield\nother: field\n\n" + "data: " + result + "\n\n"},
		{"behind an event of another name", asEvents, "event: otter\ndata: {\n\ndata: " + result + "\n\n"},
		{"behind notifications, of use and of none", asEvents,
			`data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n\n" +
				`data: {"jsonrpc":"2.0","method":"notifications/otters"}` + "\n\ndata: " + result + "\n\n"},
		{"behind a notification that is too long", asEvents,
			`data: {"jsonrpc":"2.0","method":"notifications/message","params":"` + strings.Repeat("x", 50_000) + `"}` + "\n\ndata: " + result + "\n\n"},
		{"behind a comment that is too long", asEvents, ":" + strings.Repeat("x", 50_000) + "\n\ndata: " + result + "\n\n"},
	}
	s := listen(t, "127.0.0.1:0").connect(t, mcp.Limit(32<<10))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if text, err := spoilt(t, s, c.how, c.what); text != "yes" || err != nil {
				t.Errorf("got %q, %v", text, err)
			}
		})
	}
}

func TestAnAnswerOverHTTPThatIsNone(t *testing.T) {
	long := strings.Replace(result, "yes", strings.Repeat("x", 50_000), 1)
	cases := []struct {
		name, how, what string
		says            string
	}{
		{"JSON that is cut off", asJSON, `{"jsonrpc":"2.0","id":ID`, "not a message of JSON-RPC"},
		{"JSON that is no message", asJSON, `{"error":"no"}`, "not a message of JSON-RPC"},
		{"nothing", asJSON, ``, "not a message of JSON-RPC"},
		{"a page", "text/html", `<h1>Welcome</h1>`, `unsupported content type "text/html"`},
		{"the answer to a call that was never made", asJSON, strings.Replace(result, "ID", "4711", 1), "answered call 4711, which was not made"},
		{"the answer to another call", asJSON, strings.Replace(result, "ID", "1", 1), "answered something else than the call"},
		{"a question", asJSON, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "answered something else than the call"},
		{"an event that is cut off", asEvents, "data: " + result, "cut off"},
		{"a stream without the answer", asEvents, ": hello\n\n", "cut off"},
		{"an event that is no message", asEvents, "data: {\"a\":1}\n\n", "not a message of JSON-RPC"},
		{"an event that answers a call that was never made", asEvents, "data: " + strings.Replace(result, "ID", `"x"`, 1) + "\n\n",
			"answered call x, which was not made"},
		{"what is too long", asJSON, long, "larger than 32768 bytes"},
		{"an event that is too long", asEvents, "data: " + long + "\n\n", "larger than 32768 bytes"},
		{"an event of many lines that is too long", asEvents, strings.Repeat("data:           \n", 5000) + "data: " + result + "\n\n",
			"larger than 32768 bytes"},
		{"what has no end", "endless", asJSON, "larger than 32768 bytes"},
		{"an event that has no end", "endless", asEvents, "larger than 32768 bytes"},
		{"a kind of content that does not exist", asJSON, strings.Replace(result, `"text","text"`, `"otter","text"`, 1), `unrecognized content type "otter"`},
		{"an error of the protocol", asJSON, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"out of otters"}}`, "out of otters"},
		{"401", "401", "no", "Unauthorized"},
		{"500", "500", "no", "Internal Server Error"},
		{"503", "503", "no", "Service Unavailable"},
	}
	s := listen(t, "127.0.0.1:0").connect(t, mcp.Limit(32<<10), mcp.WithClock(atOnce()))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if text, err := spoilt(t, s, c.how, c.what); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %q, %v", text, err)
			}
			answers(t, s)
		})
	}
}

// TestCodesOfServerByStatus holds the same for answers whose status is not a success.
func TestCodesOfServerByStatus(t *testing.T) {
	for _, code := range []int64{-32000, -32003, -32004, -32005} {
		l := &legacy{act: func(w http.ResponseWriter, id, _ int) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"error":{"code":%d,"message":"no","data":{"a":1}}}`, id, code)
		}}
		_, err := call(t.Context(), t, l.connect(t), "act", "{}")
		if want := (&mcp.CallError{Tool: "act", Code: code, Message: "no"}); !reflect.DeepEqual(anonymous(err), error(want)) || l.acted.Load() != 1 {
			t.Errorf("the tool was called %d times, with %#v", l.acted.Load(), err)
		}
	}
}

func TestATokenIsInNoError(t *testing.T) {
	const token = "tok-verysecret"
	r := listen(t, "127.0.0.1:0")
	open := func(address string) *mcp.Server {
		s, err := mcp.HTTP(address, mcp.Bearer(token), mcp.Header("X-Key", "key-verysecret"), mcp.WithClock(atOnce()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	s := open("http://" + r.addr + "?api_key=query-verysecret")
	message := strings.Replace(result, "yes", "KEY", 1)
	if text, err := spoilt(t, s, asJSON, message); text != "Bearer [redacted]" {
		t.Errorf("got %q, %v", text, err)
	}
	for how, what := range map[string]string{
		"401":    `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"KEY is wrong"}}`,
		"500":    "KEY",
		asJSON:   `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"KEY is wrong"}}`,
		asEvents: `data: KEY` + "\n\n",
		"KEY":    "KEY",
	} {
		_, err := spoilt(t, s, how, what)
		if err == nil || strings.Contains(err.Error(), "verysecret") {
			t.Errorf("%s: got %v", how, err)
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			if strings.Contains(fmt.Sprintf("%+v", e), "verysecret") {
				t.Errorf("%s: within it is %+v", how, e)
			}
		}
	}
	r.kill()
	for _, address := range []string{r.addr + "?api_key=query-verysecret", "me:password-verysecret@" + r.addr} {
		_, err := open("http://" + address).Tools(t.Context())
		if e := down(t, err); strings.Contains(e.Error(), "verysecret") || !strings.Contains(e.Error(), "refused") {
			t.Errorf("got %v", err)
		}
	}
	if _, err := mcp.HTTP("http//me:password-verysecret@host"); err == nil || strings.Contains(err.Error(), "verysecret") {
		t.Errorf("got %v", err)
	}
}

func TestTokenOnRedirect(t *testing.T) {
	var reached atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		if r.Header.Get("Authorization") != "" {
			t.Errorf("the other host got %q", r.Header.Get("Authorization"))
		}
		http.Error(w, "no", http.StatusBadRequest)
	}))
	defer other.Close()
	first := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer first.Close()
	s, err := mcp.HTTP(first.URL, mcp.Bearer("tok-verysecret"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = s.Tools(t.Context())
	down(t, err)
	if reached.Load() == 0 {
		t.Error("the other host was not asked")
	}
}

func TestHTTPServerDies(t *testing.T) {
	for _, args := range [][]string{nil, {"-stateless"}, {"-json"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			r := listen(t, "127.0.0.1:0", args...)
			s := r.connect(t, mcp.WithClock(atOnce()))
			wait := find(t, s, "wait")
			done := make(chan error)
			go func() {
				_, err := wait.Call(t.Context(), "")
				done <- err
			}()
			r.stderr.until(t, "waiting")
			r.kill()
			if e := down(t, <-done); e.Tool != "wait" || e.Server != r.addr {
				t.Errorf("got %v", e)
			}
			if _, err := wait.Call(t.Context(), ""); down(t, err).Tool != "wait" {
				t.Errorf("got %v", err)
			}
			listen(t, r.addr, args...)
			answers(t, s)
		})
	}
}

func TestForgottenSession(t *testing.T) {
	for _, args := range [][]string{nil, {"-stateless"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			r := listen(t, "127.0.0.1:0", args...)
			s := r.connect(t, mcp.WithClock(atOnce()))
			echo := find(t, s, "echo")
			r.kill()
			listen(t, r.addr, args...)
			if result, err := echo.Call(t.Context(), `{"text":"again"}`); err != nil || result.Text != "again" {
				t.Errorf("got %q, %v", result.Text, err)
			}
		})
	}
}

// A legacy is a server of version 2025-11-25 with sessions and the tool act. The sessions are numbered from 1, in the order of their begin.
type legacy struct {
	act    func(w http.ResponseWriter, id, session int) // answers a call of the tool; nil: with "done"
	resume http.HandlerFunc                             // answers a GET that resumes a stream; nil: 405
	refuse func(w http.ResponseWriter, session int) bool

	began, listed, acted atomic.Int64 // sessions, requests for the list, and calls of the tool
}

// ServeHTTP answers a request.
func (l *legacy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var session int
	_, _ = fmt.Sscan(r.Header.Get("Mcp-Session-Id"), &session)
	switch {
	case r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") != "" && l.resume != nil:
		l.resume(w, r)
		return
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case session > 0 && l.refuse != nil && l.refuse(w, session):
		return
	}
	var call struct {
		ID     int    `json:"id"`
		Method string `json:"method"`
	}
	_ = json.NewDecoder(r.Body).Decode(&call)
	result := `{}`
	switch call.Method {
	case "initialize":
		w.Header().Set("Mcp-Session-Id", fmt.Sprint(l.began.Add(1)))
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"legacy","version":"1"}}`
	case "tools/list":
		l.listed.Add(1)
		result = `{"tools":[{"name":"act","inputSchema":{"type":"object"}}]}`
	case "tools/call":
		if l.acted.Add(1); l.act != nil {
			l.act(w, call.ID, session)
			return
		}
		result = `{"content":[{"type":"text","text":"done"}]}`
	}
	if call.ID == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", asJSON)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"result":%s}`, call.ID, result)
}

// connect returns a server that is reached at it, closed with the test.
func (l *legacy) connect(t *testing.T, opts ...mcp.HTTPOption) *mcp.Server {
	t.Helper()
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	s, err := mcp.HTTP(server.URL, append(opts, mcp.Protocol("2025-11-25"), mcp.WithClock(atOnce()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // before the server is closed, which waits for its connections
	return s
}

// TestForgottenSessionInWords holds that a server may report that it has forgotten a session in any words, also in an error of JSON-RPC.
func TestForgottenSessionInWords(t *testing.T) {
	for _, body := range []string{
		"404 page not found",
		`{"jsonrpc":"2.0","id":"","error":{"code":-32001,"message":"Session not found"}}`,
		`{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`,
	} {
		t.Run(body, func(t *testing.T) {
			var forgets atomic.Bool
			l := &legacy{refuse: func(w http.ResponseWriter, session int) bool {
				if session > 1 || !forgets.Load() {
					return false
				}
				w.Header().Set("Content-Type", asJSON)
				w.WriteHeader(http.StatusNotFound)
				fmt.Fprint(w, body)
				return true
			}}
			act := find(t, l.connect(t), "act")
			forgets.Store(true)
			for range 2 {
				if result, err := act.Call(t.Context(), "{}"); err != nil || result.Text != "done" {
					t.Errorf("got %q, %v", result.Text, err)
				}
			}
			if began, acted := l.began.Load(), l.acted.Load(); began != 2 || acted != 2 {
				t.Errorf("%d sessions began, and the tool was called %d times", began, acted)
			}
		})
	}
}

// TestTakenCallIsNotRepeated holds that a call which a server has taken is not made again where the server has forgotten the session when
// the answer is asked for.
func TestTakenCallIsNotRepeated(t *testing.T) {
	for _, body := range []string{"404 page not found", `{"jsonrpc":"2.0","id":"","error":{"code":-32001,"message":"Session not found"}}`} {
		t.Run(body, func(t *testing.T) {
			l := &legacy{
				act: cut,
				resume: func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", asJSON)
					w.WriteHeader(http.StatusNotFound)
					fmt.Fprint(w, body)
				},
			}
			_, err := call(t.Context(), t, l.connect(t), "act", "{}")
			if e := down(t, err); e.Tool != "act" || l.acted.Load() != 1 {
				t.Errorf("the tool was called %d times, with %v", l.acted.Load(), err)
			}
		})
	}
}

// cut answers a call with a stream that ends before the answer, and can be resumed.
func cut(w http.ResponseWriter, _, _ int) {
	w.Header().Set("Content-Type", asEvents)
	fmt.Fprint(w, "id: 1\nretry: 1\ndata: \n\n")
}

// TestAnswerOfResumedStream holds that an answer is held to the same where it is on a stream that is resumed.
func TestAnswerOfResumedStream(t *testing.T) {
	for _, c := range []struct {
		name, what string
		says       string // empty: it is an answer
	}{
		{"an answer", result, ""},
		{"what is too long", strings.Replace(result, "yes", strings.Repeat("x", 50_000), 1), "larger than 32768 bytes"},
		{"no message", `{"a":1}`, "not a message of JSON-RPC"},
		{"the answer to a call that was never made", strings.Replace(result, "ID", "4711", 1), "answered call 4711, which was not made"},
		{"nothing", "", "cut off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var id atomic.Int64
			l := &legacy{
				act: func(w http.ResponseWriter, call, session int) {
					id.Store(int64(call))
					cut(w, call, session)
				},
				resume: func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", asEvents)
					fmt.Fprint(w, "data: "+strings.ReplaceAll(c.what, "ID", fmt.Sprint(id.Load()))+"\n\n")
				},
			}
			s := l.connect(t, mcp.Limit(32<<10))
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			for range 2 {
				got, err := call(ctx, t, s, "act", "{}")
				if c.says == "" && (err != nil || got.Text != "yes") || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
					t.Fatalf("got %q, %v", got.Text, err)
				}
			}
			if began := l.began.Load(); began != 1 {
				t.Errorf("it took %d sessions", began)
			}
		})
	}
}

// TestResumedStreamAnnouncesNothing holds that a list is fetched each time while a call's stream is resumed, where no stream announces changes.
func TestResumedStreamAnnouncesNothing(t *testing.T) {
	resumed := make(chan struct{})
	l := &legacy{act: cut, resume: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", asEvents)
		fmt.Fprint(w, "id: 2\ndata: \n\n")
		_ = http.NewResponseController(w).Flush()
		close(resumed)
		<-r.Context().Done()
	}}
	s := l.connect(t)
	act := find(t, s, "act")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := act.Call(ctx, "{}")
		done <- err
	}()
	<-resumed
	for range 5 {
		names(t, s)
	}
	if listed := l.listed.Load(); listed != 6 {
		t.Errorf("the list was fetched %d times", listed)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestHTTPServerHangs(t *testing.T) {
	asked := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or the end of the connection is not noticed
		asked <- r.Method
		<-r.Context().Done()
	}))
	defer server.Close()
	s, err := mcp.HTTP(server.URL, mcp.Grace(10*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	if _, err := s.Tools(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// counting counts the requests for a page of the list of tools.
type counting struct{ pages atomic.Int64 }

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Mcp-Method") == "tools/list" {
		c.pages.Add(1)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func TestHTTPListWithStream(t *testing.T) {
	r := listen(t, "127.0.0.1:0", "-stateless")
	var count counting
	s := r.connect(t, mcp.HTTPClient(&http.Client{Transport: &count}))
	pages := int64(len(names(t, s))+1) / 2
	for range 5 {
		names(t, s)
	}
	if got := count.pages.Load(); got != pages {
		t.Errorf("it asked for %d pages, of which there are %d", got, pages)
	}
}

func TestHTTPListWithoutStream(t *testing.T) {
	r := listen(t, "127.0.0.1:0", "-stateless", "-trace")
	s := r.connect(t, mcp.Protocol("2025-11-25")) // without a session there is no stream in this version
	environment := find(t, s, "environment")
	pages := (len(names(t, s)) + 1) / 2
	if _, err := environment.Call(t.Context(), `{"text":"last"}`); err != nil {
		t.Fatal(err)
	}
	if before := r.stderr.until(t, "last is "); len(before) != 2*pages {
		t.Errorf("the server was asked for %d pages, twice %d are there", len(before), pages)
	}
}

// answering starts a server that answers with results, by their methods. A result that is no object is an answer in plain text.
func answering(t *testing.T, results map[string]string) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ID     int    `json:"id"`
			Method string `json:"method"`
		}
		_ = json.NewDecoder(r.Body).Decode(&call)
		w.Header().Set("Content-Type", "application/json")
		switch result, known := results[call.Method]; {
		case known && !strings.HasPrefix(result, "{"):
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, result)
		case known:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"result":%s}`, call.ID, result)
		case call.ID != 0:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"error":{"code":-32601,"message":"unknown"}}`, call.ID)
		case r.Method == http.MethodPost:
			w.WriteHeader(http.StatusAccepted)
		default:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func TestRepeatedListPages(t *testing.T) {
	results := map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"round","version":"1"}}`,
		"tools/list": `{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"again"}`,
	}
	server := answering(t, results)
	s, err := mcp.HTTP(server.URL, mcp.Name("round"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = s.Tools(t.Context())
	if want := (&mcp.CallError{Server: "round", Message: "the list of tools has no end after 2 pages"}); !reflect.DeepEqual(err, want) {
		t.Errorf("got %v", err)
	}
}

// TestServerOfAnEarlierVersion connects to a server that answers what it does not know in plain text, and ends its list of tools with
// an empty cursor. The text of its result is not the structured one: the model gets both.
func TestServerOfAnEarlierVersion(t *testing.T) {
	server := answering(t, map[string]string{
		"server/discover": "unknown method",
		"initialize":      `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`,
		"tools/list":      `{"tools":[{"name":"count","inputSchema":{"type":"object"}}],"nextCursor":""}`,
		"tools/call":      `{"content":[{"type":"text","text":"three"}],"structuredContent":{"n":3}}`,
	})
	s, err := mcp.HTTP(server.URL, mcp.Name("old"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := call(t.Context(), t, s, "count", "{}")
	if want := "three\n{\"n\":3}"; err != nil || got.Text != want {
		t.Errorf("got %q, %v, want %q", got.Text, err, want)
	}
}

func TestAnAddressHasToBeOneOfHTTP(t *testing.T) {
	for _, address := range []string{"", "host", "ftp://host", "http://", "://"} {
		if _, err := mcp.HTTP(address); err == nil {
			t.Errorf("%q is taken", address)
		}
	}
	if _, err := mcp.Command(nil); err == nil {
		t.Error("a command without a program is taken")
	}
	if _, err := mcp.Command([]string{program}, mcp.Limit(0)); err == nil {
		t.Error("a limit of 0 is taken")
	}
}
