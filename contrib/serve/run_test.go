package serve_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/servetest"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/thread"
)

// begin starts a run whose first node lasts until the test lets it go.
func (s *site) begin(name, order string, headers ...string) reply {
	s.t.Helper()
	r := s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "`+name+`", "input": {"order": "`+order+`"}}`, headers...), http.StatusAccepted)
	s.shop.started(s.t, order)
	return r
}

// ends waits until the run of a thread ends or waits, and returns its status.
func (s *site) ends(name string, headers ...string) string {
	s.t.Helper()
	list := s.open(s.request("GET", "/threads/"+name+"/events", "", headers...)).all()
	return reply{body: list[len(list)-1].data}.get("status")
}

// later makes a request on a goroutine of its own.
func (s *site) later(r *http.Request) <-chan reply {
	got := make(chan reply, 1)
	go func() { got <- s.send(r) }()
	return got
}

func TestMultitask(t *testing.T) {
	next := func(multitask string) string {
		return `{"thread": "a", "input": {"order": "cheap"}, "multitask": "` + multitask + `"}`
	}
	const path = "/graphs/orders/threads"
	t.Run("reject", func(t *testing.T) {
		s := serving(t, shared(), thread.NewMemory())
		s.begin("a", "wait")
		if r := s.want(s.do("POST", path, next("reject")), http.StatusConflict, `"code":"held"`); r.header.Get("Retry-After") != "1" {
			t.Errorf("Retry-After is %q", r.header.Get("Retry-After"))
		}
		s.shop.release("wait")
		s.ends("a")
	})
	t.Run("enqueue", func(t *testing.T) {
		s := serving(t, shared(), thread.NewMemory())
		s.begin("a", "wait")
		second := s.later(s.request("POST", path, next("enqueue"), "Prefer", "wait"))
		third := s.later(s.request("POST", path, next("enqueue"), "Prefer", "wait"))
		s.shop.release("wait")
		if status := s.ends("a"); status != "paused" {
			t.Fatalf("the first run is %s", status)
		}
		s.want(<-second, http.StatusConflict, `"code":"state"`) // it cannot begin before a person has answered
		s.want(<-third, http.StatusConflict)
		s.want(s.do("POST", "/threads/a/requests/approve.1", `"deny"`, "Prefer", "wait"), http.StatusOK)
		s.want(s.do("POST", path, next("enqueue"), "Prefer", "wait"), http.StatusOK, `"status":"completed"`)
	})
	t.Run("enqueue after a run that completes", func(t *testing.T) {
		s := serving(t, shared(), thread.NewMemory())
		first := s.later(s.request("POST", path, `{"thread": "a", "input": {"order": "wait"}}`, "Prefer", "wait"))
		s.shop.started(t, "wait")
		s.want(s.do("POST", "/threads/a/stop", ""), http.StatusAccepted)
		second := s.later(s.request("POST", path, next("enqueue"), "Prefer", "wait"))
		s.shop.release("wait")
		s.want(<-first, http.StatusOK, `"status":"stopped"`)
		s.want(<-second, http.StatusOK, `"status":"completed"`)
	})
	for _, multitask := range []string{"interrupt", "rollback"} {
		back := func(s *site, want bool) { // whether the run that was stopped still counts
			t.Helper()
			history := s.want(s.do("GET", "/threads/a/history", ""), http.StatusOK, `"ended":"stopped"`)
			if got := strings.Contains(history.body, `"takes_back":1`); got != want {
				t.Errorf("the run is taken back (%t): %s", want, history.body)
			}
		}
		t.Run(multitask, func(t *testing.T) {
			s := serving(t, shared(), thread.NewMemory())
			first := s.later(s.request("POST", path, `{"thread": "a", "input": {"order": "wait"}}`, "Prefer", "wait"))
			s.shop.started(t, "wait")
			s.want(s.do("POST", path, next(multitask), "Prefer", "wait"), http.StatusOK, `"status":"completed"`)
			s.want(<-first, http.StatusOK, `"status":"stopped"`)
			back(s, multitask == "rollback")
		})
		t.Run(multitask+" a run of another process", func(t *testing.T) {
			store := &servetest.Stoppable{Store: thread.NewMemory(), Asked: make(chan struct{}, 9)}
			one, two := serving(t, shared(), store), serving(t, shared(), store)
			first := one.later(one.request("POST", path, `{"thread": "a", "input": {"order": "wait"}}`, "Prefer", "wait"))
			one.shop.started(t, "wait")
			second := two.later(two.request("POST", path, next(multitask), "Prefer", "wait"))
			<-store.Asked // it takes effect when the node ends
			one.shop.release("wait")
			one.want(<-first, http.StatusOK)
			two.want(<-second, http.StatusOK, `"status":"completed"`)
			back(two, multitask == "rollback")
		})
		t.Run(multitask+" a run whose process has ended", func(t *testing.T) {
			store := thread.NewMemory()
			one, two := serving(t, shared(), store), serving(t, shared(), store)
			one.begin("a", "wait")
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			_ = one.handler.Drain(ended)
			two.want(two.do("POST", path, next(multitask), "Prefer", "wait"), http.StatusOK, `"status":"completed"`)
			back(two, multitask == "rollback")
		})
		t.Run(multitask+" where no run works", func(t *testing.T) {
			s := serving(t, shared(), thread.NewMemory())
			first := s.later(s.request("POST", path, `{"thread": "a", "input": {"order": "wait"}}`, "Prefer", "wait"))
			s.shop.started(t, "wait")
			s.want(s.do("POST", "/threads/a/stop", ""), http.StatusAccepted)
			s.shop.release("wait")
			s.want(<-first, http.StatusOK, `"status":"stopped"`)
			s.want(s.do("POST", path, next(multitask), "Prefer", "wait"), http.StatusOK, `"status":"completed"`)
			back(s, false)
			s.want(s.do("POST", path, `{"thread": "a", "input": {"order": "A-7"}}`, "Prefer", "wait"), http.StatusOK, `"status":"paused"`)
			s.want(s.do("POST", path, next(multitask)), http.StatusConflict, `"code":"state"`)
		})
	}
	t.Run("a thread of another graph is not waited for", func(t *testing.T) {
		store := thread.NewMemory()
		m, err := durable.NewJournal(&journalist{}, thread.In(store))
		if err != nil {
			t.Fatal(err)
		}
		other := serves(t, shared(), serve.Durable("journal", m))
		other.want(other.do("POST", "/graphs/journal/threads", `{"thread": "a", "input": {"basis": "b", "most": 1}}`, "Prefer", "wait"), http.StatusOK)
		s := serving(t, shared(), store)
		stalled, err := durable.NewJournal(&journalist{stall: 1}, thread.In(store))
		if err != nil {
			t.Fatal(err)
		}
		working := serves(t, shared(), serve.Durable("journal", stalled)) // a run that works is not stopped
		working.want(working.do("POST", "/graphs/journal/threads", `{"thread": "b", "input": {"basis": "b", "most": 1}}`), http.StatusAccepted)
		ctx, cancel := context.WithCancel(t.Context())
		c, o := &clock{make(chan time.Time)}, shared()
		o.Clock = c
		waiting := serving(t, o, store)
		gone := make(chan error, 1)
		go func() {
			body := strings.ReplaceAll(next("interrupt"), `"a"`, `"b"`)
			_, err := http.DefaultClient.Do(waiting.request("POST", path, body).WithContext(ctx))
			gone <- err
		}()
		for range 2 { // it has seen that the lease is held, and waits
			c.beats <- time.Time{}
		}
		cancel()
		<-gone
		for head, err := range thread.All(t.Context(), store, thread.Filter{Prefix: "b"}) {
			if err != nil || head.Stop || head.Status != thread.Running {
				t.Errorf("%+v, %v", head, err)
			}
		}
		for _, multitask := range []string{"reject", "enqueue", "interrupt", "rollback"} {
			s.want(s.do("POST", path, next(multitask)), http.StatusConflict, `"code":"state"`)
		}
		s.want(s.do("GET", "/threads/a", ""), http.StatusNotFound)
	})
}

// TestNextRun holds that the stream of a run ends with that run, also where the next one of the thread begins before the client has seen the end.
func TestNextRun(t *testing.T) {
	for name, set := range map[string]thread.Settings{"steps alone": {}, "live events": {Feed: new(thread.Feed)}} {
		for _, multitask := range []string{"interrupt", "enqueue"} {
			t.Run(name+", "+multitask, func(t *testing.T) {
				shop := newShop()
				set.Store = thread.NewMemory()
				m, err := servetest.NewOrder(shop, thread.With(set))
				if err != nil {
					t.Fatal(err)
				}
				s := serves(t, shared(), serve.Durable("orders", m))
				const path, stopped = "/graphs/orders/threads", `{"status":"stopped"}`
				first := s.open(s.request("POST", path, `{"thread": "a", "input": {"order": "wait"}}`, "Accept", "text/event-stream"))
				shop.started(t, "wait")
				body := `{"thread": "a", "input": {"order": "cheap"}, "multitask": "` + multitask + `"}`
				next := s.later(s.request("POST", path, body, "Accept", "text/event-stream"))
				if multitask == "enqueue" {
					s.want(s.do("POST", "/threads/a/stop", ""), http.StatusAccepted)
					shop.release("wait")
				}
				s.want(<-next, http.StatusOK, `"receipt":"receipt of cheap"`, `{"status":"completed"}`)
				all := first.all()
				for _, e := range all {
					if strings.Contains(e.data, "cheap") || e.id != "" && e.id != "1" && strings.Contains(e.data, `"run":`) {
						t.Errorf("the stream of the first run has %v", e)
					}
				}
				if last := all[len(all)-1]; last.name != "end" || last.data != stopped {
					t.Errorf("the stream of the first run ends with %v", last)
				}
			})
		}
	}
}

// TestDisconnect holds what happens to a run when its client goes.
func TestDisconnect(t *testing.T) {
	for _, row := range []struct{ name, onGone, header, value, want string }{
		{"wait, continue", "continue", "Prefer", "wait", "paused"},
		{"wait, cancel", "cancel", "Prefer", "wait=60", "stopped"},
		{"events, continue", "continue", "Accept", "text/event-stream", "paused"},
		{"events, cancel", "cancel", "Accept", "text/event-stream", "stopped"},
		{"background, continue", "continue", "Accept", "application/json", "paused"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := serving(t, shared(), thread.NewMemory())
			ctx, leave := context.WithCancel(t.Context())
			body := `{"thread": "a", "input": {"order": "wait"}, "on_disconnect": "` + row.onGone + `"}`
			r := s.request("POST", "/graphs/orders/threads", body, row.header, row.value).WithContext(ctx)
			gone := make(chan error, 1)
			go func() {
				response, err := http.DefaultClient.Do(r)
				if err == nil {
					<-ctx.Done()
					err = response.Body.Close()
				}
				gone <- err
			}()
			s.shop.started(t, "wait")
			leave()
			<-gone
			if row.onGone == "continue" {
				s.shop.release("wait")
			}
			if status := s.ends("a"); status != row.want {
				t.Errorf("the run is %s, want %s", status, row.want)
			}
			if n := s.shop.count("wait"); n != 1 {
				t.Errorf("the node was executed %d times", n)
			}
		})
	}
}

// A cashier is a shop that pays when the test lets it.
type cashier struct {
	*shop
	begins, goes chan struct{}
}

func (c cashier) Pay(ctx context.Context, in servetest.OrderPayIn) (servetest.OrderPayOut, error) {
	close(c.begins)
	<-c.goes
	return c.shop.Pay(ctx, in)
}

// A lateStops is a store that counts the stops that are requested, which take effect when the test lets them.
type lateStops struct {
	thread.Store
	n    atomic.Int64
	goes chan struct{}
}

func (s *lateStops) Stop(ctx context.Context, name string) error {
	s.n.Add(1)
	<-s.goes
	return s.Store.Stop(ctx, name)
}

// TestDisconnectAtEnd holds that a client which goes stops its own run alone: not the next one of the thread, if its own has ended meanwhile.
func TestDisconnectAtEnd(t *testing.T) {
	shop := cashier{newShop(), make(chan struct{}), make(chan struct{})}
	store := &lateStops{Store: thread.NewMemory(), goes: make(chan struct{})}
	m, err := servetest.NewOrder(shop, thread.In(store))
	if err != nil {
		t.Fatal(err)
	}
	s := serves(t, shared(), serve.Durable("orders", m))
	const path = "/graphs/orders/threads"
	ctx, leave := context.WithCancel(t.Context())
	r := s.request("POST", path, `{"thread": "a", "input": {"order": "cheap"}, "on_disconnect": "cancel"}`, "Prefer", "wait").WithContext(ctx)
	left := make(chan struct{})
	go func() {
		defer close(left)
		s.handler.ServeHTTP(httptest.NewRecorder(), r)
	}()
	<-shop.begins
	leave()
	<-left
	close(shop.goes) // its run completes
	s.want(s.do("POST", path, `{"thread": "a", "input": {"order": "wait"}, "multitask": "enqueue"}`), http.StatusAccepted)
	shop.started(t, "wait")
	close(store.goes)
	shop.release("wait")
	if status := s.ends("a"); status != "paused" || store.n.Load() > 0 {
		t.Errorf("the next run is %s, and %d stops were requested", status, store.n.Load())
	}
}

// TestKeys holds that a request with a key begins one run, however often it comes.
func TestKeys(t *testing.T) {
	const path, body = "/graphs/orders/threads", `{"input": {"order": "wait"}}`
	store := thread.NewMemory()
	s, other := serving(t, serve.Options{Identify: byHeader}, store), serving(t, serve.Options{Identify: byHeader}, store)
	key := []string{"Idempotency-Key", "k-1", "Tenant", "t"}
	begun := s.want(s.do("POST", path, body, key...), http.StatusAccepted)
	s.shop.started(t, "wait")
	same := func(r reply) {
		t.Helper()
		if r.get("thread") != begun.get("thread") || r.get("run") != begun.get("run") || r.get("run") == "" {
			t.Errorf("%s is not %s", r.body, begun.body)
		}
	}
	same(s.want(s.do("POST", path, body, key...), http.StatusAccepted))
	same(other.want(other.do("POST", path, body, key...), http.StatusAccepted)) // of another process
	for _, multitask := range []string{"enqueue", "interrupt", "rollback"} {
		repeated := strings.TrimSuffix(body, "}") + `, "multitask": "` + multitask + `"}`
		same(other.want(other.do("POST", path, repeated, key...), http.StatusAccepted))
		differs := strings.ReplaceAll(repeated, `"wait"`, `"cheap"`)
		for _, header := range []string{"application/json", "text/event-stream"} {
			s.want(s.do("POST", path, differs, append(key, "Accept", header)...), http.StatusUnprocessableEntity, `"code":"other_input"`)
			other.want(other.do("POST", path, differs, append(key, "Accept", header)...), http.StatusUnprocessableEntity, `"code":"other_input"`)
		}
	}
	for _, of := range []*site{s, other} {
		of.want(of.do("POST", path, `{"input": {"order": "cheap"}}`, key...), http.StatusUnprocessableEntity, `"code":"other_input"`)
	}
	waiting := s.later(s.request("POST", path, body, append(key, "Prefer", "wait")...))
	s.shop.release("wait")
	if status := s.ends(begun.get("thread"), "Tenant", "t"); status != "paused" {
		t.Errorf("the run is %s", status)
	}
	same(s.want(<-waiting, http.StatusOK, `"status":"paused"`))
	same(other.want(other.do("POST", path, body, key...), http.StatusOK, `"status":"paused"`))
	s.want(s.do("POST", path, `{"input": {"order": "cheap"}}`, key...), http.StatusUnprocessableEntity, `"code":"other_input"`)
	if n := s.shop.count("wait") + other.shop.count("wait"); n != 1 {
		t.Errorf("the node was executed %d times", n)
	}
	elsewhere := s.want(s.do("POST", path, `{"input": {"order": "cheap"}}`, "Idempotency-Key", "k-1", "Tenant", "u"), http.StatusAccepted)
	if elsewhere.get("thread") == begun.get("thread") {
		t.Error("another tenant gets the same name by the same key")
	}
	named := s.want(s.do("POST", path, `{"thread": "a", "input": {"order": "cheap"}}`, key...), http.StatusAccepted)
	if named.get("thread") != "a" { // which is a part of what the key is for
		t.Errorf("the key begins %s", named.body)
	}
	s.want(s.do("POST", path, body, "Idempotency-Key", strings.Repeat("k", 256), "Tenant", "t"), http.StatusBadRequest, `"field":"Idempotency-Key"`)
}

// TestEventsOfEnded holds that a client which asks again for a run that has ended, or waits, gets the events of this run, and of no other one of the thread.
func TestEventsOfEnded(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	begin := func(order string, headers ...string) reply {
		t.Helper()
		return s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "`+order+`"}}`, headers...)
	}
	key, events := []string{"Idempotency-Key", "k"}, []string{"Accept", "text/event-stream"}
	gets := func(r reply, first, last, end string) {
		t.Helper()
		s.want(r, http.StatusOK, "\nid: "+first+"\n", "\nid: "+last+"\n", "event: end\ndata: "+end)
		if n := strings.Count(r.body, `"run":"`); n != 1 {
			t.Errorf("the stream has %d runs\n%s", n, r.body)
		}
	}
	s.want(begin("cheap", "Prefer", "wait"), http.StatusOK)
	s.want(begin("cheap", append(key, "Prefer", "wait")...), http.StatusOK)
	gets(begin("cheap", append(key, events...)...), "6", "10", `{"status":"completed"}`)
	gets(s.do("POST", "/threads/a/recover", "", events...), "6", "10", `{"status":"completed"}`)
	s.want(begin("broken", "Idempotency-Key", "k-2", "Prefer", "wait"), http.StatusOK, `"status":"failed"`)
	gets(begin("broken", append(events, "Idempotency-Key", "k-2")...), "11", "12", `{"status":"failed"}`)
	s.want(begin("A-7", "Idempotency-Key", "k-3", "Prefer", "wait"), http.StatusOK, `"status":"paused"`)
	gets(begin("A-7", append(events, "Idempotency-Key", "k-3")...), "13", "17", `{"status":"paused","requests"`)
	gets(begin("cheap", append(key, events...)...), "6", "10", `{"status":"completed"}`) // it has later ones
}

// TestKeyOfEnded holds that a client which repeats the key of a run that has ended gets nothing of another run that works in the thread, and that this one is
// not stopped for it: it gets its own result once the thread is free.
func TestKeyOfEnded(t *testing.T) {
	store := thread.NewMemory()
	s, other := serving(t, shared(), store), serving(t, shared(), store)
	again := func(multitask string, headers ...string) *http.Request {
		body := `{"thread": "a", "input": {"order": "cheap"}, "multitask": "` + multitask + `"}`
		return s.request("POST", "/graphs/orders/threads", body, append(headers, "Idempotency-Key", "k")...)
	}
	s.want(s.send(again("reject", "Prefer", "wait")), http.StatusOK, `"status":"completed"`)
	s.begin("a", "wait")
	for _, of := range []*site{s, other} {
		s.url, of.url = of.url, s.url // the request is for this one
		for _, header := range []string{"Prefer: wait", "Accept: text/event-stream", "Accept: application/json"} {
			name, value, _ := strings.Cut(header, ": ")
			s.want(s.send(again("reject", name, value)), http.StatusConflict, `"code":"held"`)
		}
		s.url, of.url = of.url, s.url
	}
	waiting := []<-chan reply{s.later(again("interrupt", "Prefer", "wait")), s.later(again("enqueue", "Prefer", "wait"))}
	s.shop.release("wait")
	for _, r := range waiting {
		s.want(<-r, http.StatusOK, `"status":"completed"`, "receipt of cheap")
	}
	if status := s.ends("a"); status != "paused" {
		t.Errorf("the run that worked is %s", status)
	}
}

// A ticker is a clock whose waits end when a test says so.
type ticker struct {
	waits chan struct{} // gets a value when a wait begins
	ends  chan time.Time
}

func (*ticker) Now() time.Time { return time.Now() }
func (c *ticker) After(time.Duration) <-chan time.Time {
	c.waits <- struct{}{}
	return c.ends
}

// TestKeyOfBusyTenant holds that a client which waits for the run of another process waits on while this process has no room for one more.
func TestKeyOfBusyTenant(t *testing.T) {
	const path, body = "/graphs/orders/threads", `{"input": {"order": "wait"}}`
	store, clock := thread.NewMemory(), &ticker{waits: make(chan struct{}, 1), ends: make(chan time.Time)}
	s := serving(t, serve.Options{Identify: byHeader}, store)
	other := serving(t, serve.Options{Identify: byHeader, Clock: clock, Limits: serve.Limits{TenantRuns: 1}}, store)
	key := []string{"Idempotency-Key", "k", "Tenant", "t", "Prefer", "wait"}
	first := s.later(s.request("POST", path, body, key...))
	s.shop.started(t, "wait")
	waiting := other.later(other.request("POST", path, body, key...))
	<-clock.waits
	other.want(other.do("POST", path, `{"input": {"order": "wait-2"}}`, "Tenant", "t"), http.StatusAccepted)
	s.shop.release("wait")
	s.want(<-first, http.StatusOK, `"status":"paused"`)
	clock.ends <- time.Now()
	select {
	case <-clock.waits:
	case r := <-waiting:
		t.Fatalf("%d %s", r.status, r.body)
	}
	other.shop.release("wait-2")
	clock.ends <- time.Now()
	for {
		select {
		case <-clock.waits: // the other run has its place for a moment longer
			clock.ends <- time.Now()
		case r := <-waiting:
			other.want(r, http.StatusOK, `"status":"paused"`)
			return
		}
	}
}

// TestKilledStart holds that a client which repeats its start with the same key gets the same thread from another process, in each form of answer, when the
// first process was killed before it had answered, and that the run is made there.
func TestKilledStart(t *testing.T) {
	for name, row := range map[string]struct {
		kill, multitask string
		headers         []string
		status          int
	}{
		"later":           {"Append", "reject", nil, http.StatusAccepted},
		"waits":           {"Append", "reject", []string{"Prefer", "wait"}, http.StatusOK},
		"events":          {"Append", "reject", []string{"Accept", "text/event-stream"}, http.StatusOK},
		"interrupt":       {"Append", "interrupt", nil, http.StatusAccepted},
		"rollback":        {"Append", "rollback", nil, http.StatusAccepted},
		"enqueue":         {"Append", "enqueue", nil, http.StatusAccepted},
		"nothing is kept": {"Acquire", "enqueue", []string{"Prefer", "wait"}, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			store := thread.NewMemory()
			o := serve.Options{Identify: byHeader, Recovery: 50 * time.Millisecond}
			one, two := serving(t, o, &servetest.Mortal{Store: store, Kill: row.kill}), serving(t, o, store)
			key := []string{"Idempotency-Key", "k", "Tenant", "t"}
			body := `{"input": {"order": "cheap"}, "multitask": "` + row.multitask + `"}`
			one.do("POST", "/graphs/orders/threads", body, key...) // its answer is lost
			heads, err := store.List(t.Context(), thread.Filter{})
			if err != nil || row.kill == "Append" && (len(heads) != 1 || heads[0].Status != thread.Running || !heads[0].Held(time.Now())) {
				t.Fatalf("the process leaves %+v, %v", heads, err)
			}
			if name != "waits" { // which makes the run itself
				ctx, end := context.WithCancel(t.Context())
				recovered := make(chan error)
				go func() { recovered <- two.handler.Recover(ctx) }()
				defer func() { end(); <-recovered }()
			}
			two.want(two.do("POST", "/graphs/orders/threads", body, append(key, row.headers...)...), row.status)
			if heads, err = store.List(t.Context(), thread.Filter{}); err != nil || len(heads) != 1 {
				t.Fatalf("the store has %+v, %v", heads, err)
			}
			status := two.ends(strings.TrimPrefix(heads[0].Thread, "t/"), "Tenant", "t")
			if status != "completed" || two.shop.count("cheap") != 1 || len(two.shop.paid) != 1 {
				t.Errorf("the run is %s; checked %d times, paid %q", status, two.shop.count("cheap"), two.shop.paid)
			}
		})
	}
}

// TestKeysAtOnce holds the same for requests that come at the same time.
func TestKeysAtOnce(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	var all sync.WaitGroup
	replies := make([]reply, 20)
	for i := range replies {
		all.Go(func() {
			replies[i] = s.send(s.request("POST", "/graphs/orders/threads", `{"input": {"order": "cheap"}}`, "Idempotency-Key", "one", "Prefer", "wait"))
		})
	}
	all.Wait()
	for _, r := range replies {
		if r.status != http.StatusOK && r.status != http.StatusConflict { // between the end of the run and its release
			t.Errorf("%d\n%s", r.status, r.body)
		}
	}
	if n := s.shop.count("cheap"); n != 1 {
		t.Errorf("the node was executed %d times", n)
	}
}

// TestFailure holds that a client learns that a run has failed, and at which node, and not why.
func TestFailure(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	replies := []reply{
		s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "broken"}}`, "Prefer", "wait"), http.StatusOK,
			`"status":"failed"`, `"problem":{"type":"urn:graphgen:failed"`, `"field":"check"`),
		s.do("GET", "/threads/a", ""), s.do("GET", "/threads/a/events", ""), s.do("GET", "/threads/a/history", ""), s.do("GET", "/threads/a/state", ""),
		s.do("GET", "/threads", ""), s.do("POST", "/threads/a/recover", "", "Accept", "text/event-stream"),
	}
	for _, r := range replies {
		if r.status != http.StatusOK || strings.Contains(r.body, "sesame") || strings.Contains(r.body, "shop.key") || strings.Contains(r.body, "graph.yaml") {
			t.Errorf("%d\n%s", r.status, r.body)
		}
	}
	if reported := strings.Join(s.reports(), "\n"); !strings.Contains(reported, "sesame") {
		t.Errorf("the server is not told why: %s", reported)
	}
	o := shared()
	o.Details = true
	open := serving(t, o, thread.NewMemory())
	open.want(open.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "broken"}}`, "Prefer", "wait"), http.StatusOK, "sesame")
	open.want(open.do("GET", "/threads/a/events", ""), http.StatusOK, "sesame")
}

func (s *site) reports() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reported
}

// TestDrain holds that a server which ends begins no run, ends streams, finishes steps, and leaves its threads to another server.
func TestDrain(t *testing.T) {
	store := thread.NewMemory()
	one, two := serving(t, shared(), store), serving(t, shared(), store)
	first := one.later(one.request("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "wait"}}`, "Prefer", "wait"))
	one.shop.started(t, "wait")
	stream := one.open(one.request("GET", "/threads/a/events?stay=1", ""))
	one.want(one.do("GET", "/readyz", ""), http.StatusOK)
	drained := make(chan error, 1)
	go func() { drained <- one.handler.Drain(t.Context()) }()
	seen := stream.all() // it ends
	one.want(one.do("GET", "/readyz", ""), http.StatusServiceUnavailable, `"code":"draining"`)
	one.want(one.do("GET", "/healthz", ""), http.StatusOK)
	one.want(one.do("POST", "/graphs/orders/threads", `{"input": {"order": "cheap"}}`), http.StatusServiceUnavailable, `"code":"draining"`)
	one.want(one.do("POST", "/graphs/greetings/runs", `{"input": {"name": "Ann"}}`), http.StatusServiceUnavailable)
	one.want(one.do("GET", "/threads/a/events", ""), http.StatusServiceUnavailable)
	one.shop.release("wait")
	if err := <-drained; err != nil {
		t.Errorf("the step was not finished: %v", err)
	}
	one.want(<-first, http.StatusAccepted, `"status":"running"`)
	last := ""
	for _, e := range seen {
		if e.id != "" {
			last = e.id
		}
	}
	recovering, cancel := context.WithCancel(t.Context())
	defer cancel()
	recovered := make(chan error, 1)
	go func() { recovered <- two.handler.Recover(recovering) }()
	rest := two.open(two.request("GET", "/threads/a/events", "", "Last-Event-ID", last)).all()
	if end := rest[len(rest)-1]; end.name != "end" || !strings.Contains(end.data, `"status":"paused"`) {
		t.Errorf("the stream of the other server ends with %v", end)
	}
	if n := one.shop.count("wait"); n != 1 || two.shop.count("wait") != 0 {
		t.Errorf("the step was executed %d and %d times", n, two.shop.count("wait"))
	}
	cancel()
	if err := <-recovered; err != context.Canceled {
		t.Errorf("Recover returns %v", err)
	}
}

// TestDrainCancels holds that steps that last too long are cancelled, and executed again elsewhere.
func TestDrainCancels(t *testing.T) {
	store := thread.NewMemory()
	one, two := serving(t, shared(), store), serving(t, shared(), store)
	one.begin("a", "wait")
	plain := one.later(one.request("POST", "/graphs/greetings/runs", `{"input": {"name": "wait"}}`))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(context.DeadlineExceeded)
	if err := one.handler.Drain(ctx); err != context.DeadlineExceeded {
		t.Errorf("Drain returns %v", err)
	}
	one.want(<-plain, http.StatusServiceUnavailable, `"code":"draining"`)
	two.shop.release("wait")
	two.want(two.do("POST", "/threads/a/recover", "", "Prefer", "wait"), http.StatusOK, `"status":"paused"`)
	if n := two.shop.count("wait"); n != 1 {
		t.Errorf("the step was executed %d times", n)
	}
}

// TestServe holds that a server ends with its context, and leaves its threads.
func TestServe(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	ctx, cancel := context.WithCancel(t.Context())
	l, url := listener(t)
	ended := make(chan error, 1)
	go func() { ended <- s.handler.Serve(ctx, l, time.Minute) }()
	s.url = url
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "cheap"}}`, "Prefer", "wait"), http.StatusOK)
	r := s.request("GET", "/graphs", "", "Long", strings.Repeat("x", 64<<10))
	s.want(s.send(r), http.StatusRequestHeaderFieldsTooLarge)
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Serve returns %v", err)
	}
}

// A journalist writes a page with each call, up to the one that stalls.
type journalist struct {
	stall int64
	calls atomic.Int64
}

func (j *journalist) Write(ctx context.Context, _ durable.JournalWriteIn) (durable.JournalWriteOut, error) {
	if j.calls.Add(1) == j.stall {
		<-ctx.Done()
		return durable.JournalWriteOut{}, context.Cause(ctx)
	}
	return durable.JournalWriteOut{Entries: []string{"page"}, Pages: 1}, nil
}
