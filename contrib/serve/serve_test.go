package serve_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/langgraph"
	"github.com/graphgen/graphgen/contrib/serve/mcp"
	"github.com/graphgen/graphgen/contrib/serve/servetest"
	"github.com/graphgen/graphgen/golden/conversation"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/thread"
)

// TestOrder holds the life of a thread over HTTP: it starts, is followed, asks, is answered, and ends.
func TestOrder(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	begun := s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "A/7", "input": {"order": "A-7"}}`), http.StatusAccepted, `"thread":"A/7"`, `"run":"A/7.1"`)
	path := "/threads/A%2F7"
	if at := begun.header.Get("Location"); at != "../.."+path {
		t.Fatalf("the thread is at %s", at)
	}
	seen := s.open(s.request("GET", path+"/events", "")).all()
	last := seen[len(seen)-1]
	if last.name != "end" || !strings.Contains(last.data, `"status":"paused"`) || !strings.Contains(last.data, "Pay 12.5 back for order A-7?") {
		t.Errorf("the stream ends with %v", last)
	}
	s.want(s.do("GET", path, ""), http.StatusOK, `"status":"paused"`, `"seq":`, `"requests":[{"id":"approve.1"`)
	requests := s.want(s.do("GET", path+"/requests", ""), http.StatusOK, `"answer":{"enum":["approve","deny"]}`)
	if strings.Contains(requests.body, "order.graph.yaml") {
		t.Errorf("clients are sent a file in\n%s", requests.body)
	}
	answer := path + "/requests/approve%2E1"
	s.want(s.do("POST", answer, `"maybe"`), http.StatusUnprocessableEntity, `"code":"invalid"`, `"field":"answer"`)
	s.want(s.do("POST", path+"/requests/nothing", `"approve"`), http.StatusConflict, `"code":"closed"`)
	s.want(s.do("POST", answer, `"approve"`, "Prefer", "wait"), http.StatusOK, `"status":"completed"`, `"output":{"amount":12.5,"receipt":"receipt of A-7"}`)
	s.want(s.do("POST", answer, `"approve"`), http.StatusConflict, `"code":"closed"`)
	if want := []string{":A-7"}; !slices.Equal(s.shop.paid, want) {
		t.Errorf("paid %v, want %v", s.shop.paid, want)
	}
	s.want(s.do("POST", path+"/recover", "", "Prefer", "wait"), http.StatusOK, `"output":{"amount":12.5`)
	s.want(s.do("GET", path+"/state", ""), http.StatusOK, `"fields":{"amount":12.5,"order":"A-7","receipt":"receipt of A-7"}`)
	s.want(s.do("GET", path+"/state?at=1", ""), http.StatusOK, `"fields":{"amount":0,"order":"A-7","receipt":""}`)
	s.want(s.do("GET", path+"/history", ""), http.StatusOK, `"answers":[{"id":"approve.1","decision":"approve"}]`, `"ended":"completed"`)
	s.want(s.do("GET", "/threads", ""), http.StatusOK, `"threads":[{"thread":"A/7","graph":"orders","status":"completed"`)
	s.want(s.do("DELETE", path, ""), http.StatusNoContent)
	s.want(s.do("GET", path, ""), http.StatusNotFound, `"code":"not_found"`)
}

// TestEvents holds that a stream has each step once with its number, that live events have none and name the step before them, and that a client
// continues after the last number that it has.
func TestEvents(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	seen := s.open(s.request("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "cheap"}}`, "Accept", "text/event-stream")).all()
	var numbers []string
	kinds := map[string]bool{}
	record := 0
	for _, e := range seen {
		if strings.Contains(e.data, "graph.yaml") || strings.Contains(e.data, "state.") {
			t.Errorf("clients are sent the spec: %s", e.data)
		}
		switch e.name {
		case "step":
			numbers = append(numbers, e.id)
			record, _ = strconv.Atoi(e.id) // else the next comparison fails
		case "live":
			if e.id != "" {
				t.Errorf("a live event has the number %s", e.id)
			}
			if record > 0 && !strings.Contains(e.data, `"record":`+strconv.Itoa(record)+`,`) {
				t.Errorf("after record %d: %s", record, e.data)
			}
			kinds[reply{body: e.data}.get("kind")] = true
		}
	}
	if want := []string{"1", "2", "3", "4", "5"}; !slices.Equal(numbers, want) {
		t.Errorf("the numbers are %v, want %v", numbers, want)
	}
	for _, kind := range []string{"node_start", "node_end", "route", "say"} {
		if !kinds[kind] {
			t.Errorf("there is no event %s among %v", kind, kinds)
		}
	}
	for _, row := range []struct {
		path, last string
		want       []string
	}{
		{"/threads/a/events", "", numbers},
		{"/threads/a/events", "4", numbers[4:]},
		{"/threads/a/events?after=4", "", numbers[4:]},
		{"/threads/a/events?after=1", "3", numbers[3:]},
		{"/threads/a/events", "5", nil},
	} {
		var got []string
		for _, e := range s.open(s.request("GET", row.path, "", "Last-Event-ID", row.last)).all() {
			if e.id != "" {
				got = append(got, e.id)
			}
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s after %q: %v, want %v", row.path, row.last, got, row.want)
		}
	}
	if e := s.open(s.request("GET", "/threads/a/events", "", "Last-Event-ID", "99")).all(); len(e) != 1 || e[0].name != "reset" {
		t.Errorf("after a step that the thread never had: %v", e)
	}
}

// TestMounted holds that the handler can be below another path.
func TestMounted(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	server := httptest.NewServer(http.StripPrefix("/api/v1", s.handler))
	defer server.Close()
	s.url = server.URL
	response, err := http.DefaultClient.Do(s.request("POST", "/api/v1/graphs/orders/threads", `{"thread": "a/b", "input": {"order": "A-7"}}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	at, err := response.Location()
	if err != nil || at.EscapedPath() != "/api/v1/threads/a%2Fb" {
		t.Fatal(at, err)
	}
	s.want(s.do("GET", at.EscapedPath(), ""), http.StatusOK)
}

// TestAnswerEvents holds that an answer gets the events of what follows, with the name of who has given it.
func TestAnswerEvents(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "A-7"}}`, "Prefer", "wait"), http.StatusOK)
	var steps, kinds []string
	for _, e := range s.open(s.request("POST", "/threads/a/requests/approve.1", `"approve"`, "Accept", "text/event-stream")).all() {
		switch e.name {
		case "step":
			steps = append(steps, e.id)
		case "live":
			kinds = append(kinds, reply{body: e.data}.get("kind")+" "+reply{body: e.data}.get("node"))
		case "end":
			steps = append(steps, reply{body: e.data}.get("status"))
		}
	}
	if want := []string{"6", "7", "completed"}; !slices.Equal(steps, want) || !slices.Contains(kinds, "node_end pay") {
		t.Errorf("the steps are %v, want %v, with %v", steps, want, kinds)
	}
}

// TestPatience holds that a client which waits for some seconds then gets the place of the run.
func TestPatience(t *testing.T) {
	o := shared()
	c := &clock{make(chan time.Time)}
	o.Clock = c
	s := serving(t, o, thread.NewMemory())
	waiting := s.later(s.request("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "wait"}}`, "Prefer", "respond-async, wait=5"))
	s.shop.started(t, "wait")
	c.beats <- time.Time{}
	s.want(<-waiting, http.StatusAccepted, `"thread":"a"`, `"status":"running"`)
	s.shop.release("wait")
}

// A brokenStore is a store that lists nothing.
type brokenStore struct{ thread.Store }

func (brokenStore) List(context.Context, thread.Filter) ([]thread.Head, error) {
	return nil, errors.New("dial tcp 10.0.0.7: the password is sesame")
}

// TestBrokenStore holds that errors of stores are reported, and not sent.
func TestBrokenStore(t *testing.T) {
	s := serving(t, shared(), brokenStore{thread.NewMemory()})
	replies := []reply{
		s.want(s.do("GET", "/readyz", ""), http.StatusServiceUnavailable, `"code":"store"`),
		s.want(s.do("GET", "/threads", ""), http.StatusInternalServerError, `"code":"internal"`),
		s.want(s.do("GET", "/threads/a", ""), http.StatusInternalServerError, `"code":"internal"`),
	}
	for _, r := range replies {
		if strings.Contains(r.body, "sesame") || strings.Contains(r.body, "10.0.0.7") {
			t.Errorf("a client is sent %s", r.body)
		}
	}
	if n := len(s.reports()); n != 3 {
		t.Errorf("%d errors are reported", n)
	}
	s.want(s.do("GET", "/healthz", ""), http.StatusOK)
}

// TestLeftProbe holds that a client of /readyz which goes does not make the server unready for others.
func TestLeftProbe(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	ctx, leave := context.WithCancel(t.Context())
	leave()
	s.handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/readyz", nil))
	s.want(s.do("GET", "/readyz", ""), http.StatusOK, `"status":"ready"`)
}

// TestTwoAnswers holds that one of several answers that come at the same time continues the run, and that the others are refused.
func TestTwoAnswers(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "A-7"}}`, "Prefer", "wait"), http.StatusOK)
	var got [8]<-chan reply
	for i := range got {
		got[i] = s.later(s.request("POST", "/threads/a/requests/approve.1", `"approve"`))
	}
	accepted := 0
	for _, answer := range got {
		switch r := <-answer; r.status {
		case http.StatusAccepted:
			accepted++
		case http.StatusConflict:
		default:
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	if status := s.ends("a"); accepted != 1 || len(s.shop.paid) != 1 || status != "completed" {
		t.Errorf("%d answers are accepted, %v is paid, the run is %s", accepted, s.shop.paid, status)
	}
}

// A clock is one whose times a test makes pass.
type clock struct{ beats chan time.Time }

func (c *clock) Now() time.Time                       { return time.Now() }
func (c *clock) After(time.Duration) <-chan time.Time { return c.beats }

// TestHeartbeat holds that a stream without events has comments, which clients do not take for events.
func TestHeartbeat(t *testing.T) {
	o := shared()
	c := &clock{make(chan time.Time)}
	o.Clock = c
	s := serving(t, o, thread.NewMemory())
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "A-7"}}`, "Prefer", "wait"), http.StatusOK)
	stream := s.open(s.request("GET", "/threads/a/events?after=5&stay=1", ""))
	for range 3 {
		c.beats <- time.Time{}
	}
	comments := 0
	for comments < 3 && stream.lines.Scan() {
		if text := stream.lines.Text(); text == ":" {
			comments++
		} else if text != "" && !strings.HasPrefix(text, "retry:") {
			t.Errorf("the stream has %q", text)
		}
	}
	if comments != 3 {
		t.Errorf("the stream has %d comments", comments)
	}
}

// TestStay holds that a stream with stay=1 also has the steps of the next run.
func TestStay(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "cheap"}}`, "Prefer", "wait"), http.StatusOK)
	stream := s.open(s.request("GET", "/threads/a/events?after=5&stay=1", ""))
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "cheap"}}`), http.StatusAccepted)
	for {
		e, ok := stream.next()
		if !ok {
			t.Fatal("the stream ends")
		}
		if e.id != "" {
			if e.id != "6" || !strings.Contains(e.data, `"run":"a.6"`) {
				t.Errorf("the next step is %v", e)
			}
			return
		}
	}
}

// TestPrivate holds that clients neither give private fields nor are sent them, and that a reader of inputs sets them.
func TestPrivate(t *testing.T) {
	s := serving(t, serve.Options{Identify: byHeader}, thread.NewMemory(), func(c serve.Caller, body []byte) (in servetest.OrderInput, err error) {
		if err := in.UnmarshalJSON(body); err != nil {
			return in, err
		}
		in.Owner = &c.Name
		return in, nil
	})
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "cheap"}}`, "Prefer", "wait", "Tenant", "t", "Name", "ann"), http.StatusOK)
	if want := []string{"ann:cheap"}; !slices.Equal(s.shop.paid, want) {
		t.Errorf("paid %v, want %v", s.shop.paid, want)
	}
	for _, path := range []string{"", "/state", "/history", "/events"} {
		r := s.do("GET", "/threads/a"+path, "", "Tenant", "t", "Name", "ann")
		if r.status != http.StatusOK || strings.Contains(r.body, "owner") || strings.Contains(r.body, "ann") {
			t.Errorf("%s: %d\n%s", path, r.status, r.body)
		}
	}
	open := serving(t, shared(), thread.NewMemory())
	open.want(open.do("POST", "/graphs/orders/threads", `{"input": {"order": "a", "owner": "eve"}}`), http.StatusUnprocessableEntity, `"field":"input.owner"`)
	open.want(open.do("POST", "/threads/a/fork", `{"to": "b", "set": {"owner": "eve"}}`), http.StatusNotFound)
	open.want(open.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "a"}}`), http.StatusAccepted)
	open.want(open.do("POST", "/threads/a/fork", `{"to": "b", "set": {"owner": "eve"}}`), http.StatusUnprocessableEntity, `"field":"set.owner"`)
}

// TestResultsOfCalls holds that clients are shown the results of calls only with Details: a tool or a model may have given anything.
func TestResultsOfCalls(t *testing.T) {
	for _, details := range []bool{false, true} {
		s := serving(t, serve.Options{Shared: true, Details: details}, thread.NewMemory())
		s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "quoted"}}`, "Prefer", "wait"), http.StatusOK)
		for _, path := range []string{"/history", "/events"} {
			if r := s.do("GET", "/threads/a"+path, ""); strings.Contains(r.body, `"calls"`) != details || !strings.Contains(r.body, `"receipt"`) {
				t.Errorf("%s with details %t: %d\n%s", path, details, r.status, r.body)
			}
		}
	}
}

// TestForkOfAnother holds that a tenant does not learn the name of another tenant's thread from which a program has forked its own.
func TestForkOfAnother(t *testing.T) {
	store := thread.NewMemory()
	s := serving(t, serve.Options{Identify: byHeader}, store)
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "sesame", "input": {"order": "A-7"}}`, "Prefer", "wait", "Tenant", "t"), http.StatusOK)
	m, err := servetest.NewOrder(s.shop, thread.In(store))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Thread("t/sesame").Fork(t.Context(), 2, "other/b", nil); err != nil {
		t.Fatal(err)
	}
	s.want(s.do("GET", "/threads/b/history", "", "Tenant", "other"), http.StatusOK, `"forked_from":"another"`, `"run":"another.1"`)
	s.want(s.do("POST", "/threads/sesame/fork", `{"to": "b", "at": 2}`, "Tenant", "t"), http.StatusCreated)
	s.want(s.do("GET", "/threads/b/history", "", "Tenant", "t"), http.StatusOK, `"forked_from":"sesame"`, `"run":"sesame.1"`)
	for _, tenant := range []string{"other", "t"} {
		s.want(s.do("POST", "/threads/b/recover", "", "Tenant", tenant, "Prefer", "wait"), http.StatusOK, `"status":"paused"`)
		for _, path := range []string{"/history", "/state", "/state?at=1", "/events"} {
			r := s.want(s.do("GET", "/threads/b"+path, "", "Tenant", tenant), http.StatusOK)
			if strings.Contains(r.body, "t/sesame") || tenant == "other" && strings.Contains(r.body, "sesame") {
				t.Errorf("tenant %s, %s: %s", tenant, path, r.body)
			}
		}
	}
	whole := s.do("POST", "/graphs/orders/threads", `{"thread": "whole", "input": {"order": "cheap"}}`, "Prefer", "wait", "Tenant", "t")
	s.want(whole, http.StatusOK, `"status":"completed"`)
	head, _, err := store.Load(t.Context(), "t/whole", 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Thread("t/whole").Fork(t.Context(), head.Seq, "other/c", nil); err != nil {
		t.Fatal(err)
	}
	s.want(s.do("GET", "/threads/c/history", "", "Tenant", "other"), http.StatusOK, `"run":"another.1"`)
}

// TestNamedRuns holds that clients know the runs that a program has named by these names, also where a name is as one of a thread.
func TestNamedRuns(t *testing.T) {
	store := thread.NewMemory()
	s := serving(t, serve.Options{Identify: byHeader}, store)
	m, err := servetest.NewOrder(s.shop, thread.In(store))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"invoice-2023.10", "acme/invoice-2024.10"} {
		if _, err := m.Thread("t/a").Start(t.Context(), servetest.OrderInput{Order: "cheap"}, graphgen.WithRunID(id)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"/history", "/events"} {
		s.want(s.do("GET", "/threads/a"+path, "", "Tenant", "t"), http.StatusOK, `"run":"invoice-2023.10"`, `"run":"acme/invoice-2024.10"`)
	}
}

// TestFork holds that a fork continues after a step with fields that are set, and that values of other types make none.
func TestFork(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "A-7"}}`, "Prefer", "wait"), http.StatusOK, `"status":"paused"`)
	s.want(s.do("POST", "/threads/a/fork", `{"at": 2, "to": "b", "set": {"amount": "much"}}`), http.StatusUnprocessableEntity, `"field":"set`)
	s.want(s.do("GET", "/threads/b", ""), http.StatusNotFound)
	s.want(s.do("POST", "/threads/a/fork", `{"at": 2, "to": "b", "set": {"amount": 7}}`), http.StatusCreated, `"thread":"b"`)
	s.want(s.do("POST", "/threads/a/fork", `{"at": 2, "to": "b"}`), http.StatusConflict, `"code":"exists"`)
	s.want(s.do("POST", "/threads/b/recover", "", "Prefer", "wait"), http.StatusOK, `"output":{"amount":7,"receipt":"receipt of A-7"}`)
	s.want(s.do("GET", "/threads/b/history", ""), http.StatusOK, `"forked_from":"a","forked_after":2`)
	s.want(s.do("POST", "/threads/a/fork", `{"at": 99, "to": "c"}`), http.StatusNotFound)
	s.want(s.do("POST", "/threads/a/fork", `{"to": ""}`), http.StatusBadRequest, `"field":"to"`)
}

// TestKeptFork holds that forks expire as other threads of the machine do, also where fields are set.
func TestKeptFork(t *testing.T) {
	store := thread.NewMemory()
	order, err := servetest.NewOrder(newShop(), thread.With(thread.Settings{Store: store, Keep: time.Hour}))
	if err != nil {
		t.Fatal(err)
	}
	s := serves(t, shared(), serve.Durable("orders", order))
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "A-7"}}`, "Prefer", "wait"), http.StatusOK, `"status":"paused"`)
	s.want(s.do("POST", "/threads/a/fork", `{"at": 2, "to": "plain"}`), http.StatusCreated)
	s.want(s.do("POST", "/threads/a/fork", `{"at": 2, "to": "edited", "set": {"amount": 7}}`), http.StatusCreated)
	for _, name := range []string{"plain", "edited"} {
		if head, _, err := store.Load(t.Context(), name, 0); err != nil || head.Expires.IsZero() {
			t.Errorf("the fork %s has no end, %v", name, err)
		}
	}
}

// TestStores holds that a thread of a graph does not hide one of the same name that another graph has in its own store.
func TestStores(t *testing.T) {
	order, err := servetest.NewOrder(newShop(), thread.In(thread.NewMemory()))
	if err != nil {
		t.Fatal(err)
	}
	journal, err := durable.NewJournal(pager{}, thread.In(thread.NewMemory()))
	if err != nil {
		t.Fatal(err)
	}
	s := serves(t, shared(), serve.Durable("orders", order), serve.Durable("journal", journal))
	s.handler.Handle("/langgraph", langgraph.New(s.handler))
	for _, name := range []string{"a", "b"} {
		s.want(s.do("POST", "/graphs/journal/threads", `{"thread": "`+name+`", "input": {"basis": "b", "most": 1}}`, "Prefer", "wait"), http.StatusOK)
	}
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "c", "input": {"order": "cheap"}}`, "Prefer", "wait"), http.StatusOK)
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "cheap"}}`), http.StatusConflict, `"code":"state"`)
	s.want(s.do("POST", "/langgraph/threads/a/runs/wait", `{"assistant_id": "orders", "input": {"order": "cheap"}}`), 422, `"error":"state"`)
	s.want(s.do("POST", "/threads/c/fork", `{"to": "b"}`), http.StatusConflict, `"code":"state"`)
	s.want(s.do("GET", "/threads/a", ""), http.StatusOK, `"graph":"journal"`)
}

// A listings is a store that counts how often it is listed.
type listings struct {
	*thread.Memory
	n   atomic.Int64
	err error
}

func (l *listings) List(ctx context.Context, f thread.Filter) ([]thread.Head, error) {
	if l.n.Add(1); l.err != nil {
		return nil, l.err
	}
	return l.Memory.List(ctx, f)
}

// TestOtherStore holds that a start looks for its name in the store of another graph only where that is another store, and the client has chosen the name.
// An error of that store is reported, and the run begins, unless the client has gone.
func TestOtherStore(t *testing.T) {
	own := &listings{Memory: thread.NewMemory()}
	other := &listings{Memory: thread.NewMemory(), err: errors.New("the store is away")}
	reported := make(chan string, 1)
	o := shared()
	o.Report = func(a serve.Access, err error) { reported <- a.Graph + ": " + err.Error() }
	handler := func(of thread.Store) *serve.Handler {
		orders, err := servetest.NewOrder(newShop(), thread.In(own))
		if err != nil {
			t.Fatal(err)
		}
		journal, err := durable.NewJournal(pager{}, thread.In(of))
		if err != nil {
			t.Fatal(err)
		}
		h, err := serve.New(o, serve.Durable("orders", orders), serve.Durable("journal", journal))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	for _, row := range []struct {
		of     thread.Store
		thread string
		asked  int64
	}{{own, `"thread": "a", `, 0}, {other, "", 0}, {other, `"thread": "b", `, 1}} {
		server := httptest.NewServer(handler(row.of))
		t.Cleanup(server.Close)
		s, before := &site{t: t, url: server.URL}, own.n.Load()+other.n.Load()
		s.want(s.do("POST", "/graphs/orders/threads", `{`+row.thread+`"input": {"order": "cheap"}}`, "Prefer", "wait"), http.StatusOK)
		if n := own.n.Load() + other.n.Load() - before; n != row.asked {
			t.Errorf("for {%s…} stores are listed %d times, want %d", row.thread, n, row.asked)
		}
	}
	if text := <-reported; text != "journal: the store is away" {
		t.Errorf("reported is %q", text)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	r := httptest.NewRequestWithContext(gone, "POST", "/graphs/orders/threads", strings.NewReader(`{"thread": "c", "input": {"order": "cheap"}}`))
	r.Header.Set("Content-Type", "application/json")
	h := handler(other)
	h.ServeHTTP(httptest.NewRecorder(), r)
	if err := h.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if head, _, err := own.Load(t.Context(), "c", 0); err == nil {
		t.Errorf("a run begins for a client that has gone: %+v", head)
	}
}

// TestThoughts holds that the reasoning of models in an output is for developers.
func TestThoughts(t *testing.T) {
	thinks := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		thought := []chat.Reasoning{{Text: "think of " + mark, Opaque: mark}}
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "Hello", Reasoning: thought}, Finish: chat.Stop}, nil
	})
	m, err := conversation.NewEmptyTurn(thinks)
	if err != nil {
		t.Fatal(err)
	}
	for _, details := range []bool{false, true} {
		s := serves(t, serve.Options{Shared: true, Details: details}, serve.Plain("talk", m))
		s.handler.Handle("/mcp", mcp.New(s.handler, mcp.Options{}))
		const input = `{"chat": [{"role": "user", "text": "Hi"}]}`
		for _, r := range []reply{
			s.do("POST", "/graphs/talk/runs", `{"input": `+input+`}`),
			s.do("POST", "/graphs/talk/runs", `{"input": `+input+`}`, "Accept", "text/event-stream"),
			s.do("POST", "/mcp", `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "talk", "arguments": `+input+`}}`),
		} {
			s.want(r, http.StatusOK, `"text":"Hello"`)
			if strings.Contains(r.body, mark) != details {
				t.Errorf("with Details %t: %s", details, r.body)
			}
		}
	}
}

// TestPlain holds runs that are in no thread.
func TestPlain(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	s.want(s.do("POST", "/graphs/greetings/runs", `{"input": {"name": "Ann"}}`), http.StatusOK, `{"status":"completed","output":{"reply":"Hello Ann"}}`)
	text := ""
	seen := s.open(s.request("POST", "/graphs/greetings/runs", `{"input": {"name": "Ann"}}`, "Accept", "text/event-stream")).all()
	for _, e := range seen {
		if strings.Contains(e.data, "sesame") {
			t.Errorf("clients are sent a prompt: %s", e.data)
		}
		if e.name == "live" && (reply{body: e.data}).get("kind") == "token" {
			text += reply{body: e.data}.get("text")
		}
	}
	if text != "Hello Ann" {
		t.Errorf("the pieces are %q", text)
	}
	if last := seen[len(seen)-1]; last.name != "end" || last.data != `{"status":"completed","output":{"reply":"Hello Ann"}}` {
		t.Errorf("the stream ends with %v", last)
	}
	s.want(s.do("POST", "/graphs/greetings/threads", `{"input": {"name": "Ann"}}`), http.StatusNotFound, `"code":"not_durable"`)
	s.want(s.do("POST", "/graphs/orders/runs", `{"input": {"order": "A"}}`), http.StatusNotFound, `"code":"durable"`)
	s.want(s.do("GET", "/graphs", ""), http.StatusOK, `{"name":"greetings","durable":false}`, `{"name":"orders","graph":"order","shape":"`)
}

// TestLists holds the pages of lists and histories.
func TestLists(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	for _, name := range []string{"b/1", "a/2", "a/1", "a/3"} {
		order := "cheap"
		if name == "a/2" {
			order = "A-7"
		}
		s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "`+name+`", "input": {"order": "`+order+`"}}`, "Prefer", "wait"), http.StatusOK)
	}
	for _, row := range []struct{ query, names, next string }{
		{"", "a/1 a/2 a/3 b/1", ""},
		{"?prefix=a/", "a/1 a/2 a/3", ""},
		{"?limit=2", "a/1 a/2", "a/2"},
		{"?limit=2&after=a/2", "a/3 b/1", "b/1"},
		{"?after=b/1", "", ""},
		{"?status=paused", "a/2", ""},
		{"?status=paused&status=completed&graph=orders", "a/1 a/2 a/3 b/1", ""},
		{"?graph=greetings", "", ""},
	} {
		r := s.want(s.do("GET", "/threads"+row.query, ""), http.StatusOK)
		var names []string
		for part := range strings.SplitSeq(r.body, `{"thread":"`) {
			if name, _, ok := strings.Cut(part, `","graph"`); ok {
				names = append(names, name)
			}
		}
		if strings.Join(names, " ") != row.names || r.get("next") != row.next {
			t.Errorf("%s: %v, next %q", row.query, names, r.get("next"))
		}
	}
	first := s.want(s.do("GET", "/threads/b%2F1/history?limit=2", ""), http.StatusOK, `"seq":1`, `"seq":2`)
	if first.get("next") != "2" {
		t.Errorf("the next page is after %s", first.get("next"))
	}
	rest := s.want(s.do("GET", "/threads/b%2F1/history?after=2", ""), http.StatusOK, `"seq":3`, `"ended":"completed"`)
	if strings.Contains(rest.body, `"seq":2,`) || rest.get("next") != "" {
		t.Errorf("the rest is\n%s", rest.body)
	}
}
