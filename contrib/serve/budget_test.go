package serve_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/servetest"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/thread"
)

// A bank is a model that counts its calls, each of which costs the same.
type bank struct {
	calls atomic.Int64
	begun chan struct{} // gets a value when the guest "slow" is greeted; nil: no guest is
	goes  chan struct{} // that guest waits for its end
}

func (b *bank) Generate(ctx context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	b.calls.Add(1)
	if req.Messages[0].Text == "slow" {
		b.begun <- struct{}{}
		select {
		case <-b.goes:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return &chat.Response{
		Message: chat.Message{Role: chat.RoleAssistant, Text: "Hello."}, Finish: chat.Stop, Usage: chat.Usage{Input: 7, Output: 3},
	}, nil
}

// A passage is a clock that a test sets. It begins at noon: a test ends before the period does.
type passage struct{ ahead atomic.Int64 }

func (p *passage) Now() time.Time {
	return time.Date(2100, time.January, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(p.ahead.Load()))
}

func (p *passage) After(d time.Duration) <-chan time.Time { return time.After(d) }

// banking starts a server whose tenants have budgets, with a graph that is durable and one that asks a model.
func banking(t *testing.T, store thread.Store, b *bank, clock thread.Clock, budgets *serve.TenantBudgets) *site {
	t.Helper()
	order, err := servetest.NewOrder(newShop(), thread.With(thread.Settings{Store: store, Feed: new(thread.Feed)}))
	if err != nil {
		t.Fatal(err)
	}
	greet, err := servetest.NewGreet(chat.Priced(b, chat.Price{Input: 10_000, Output: 10_000}))
	if err != nil {
		t.Fatal(err)
	}
	clerk, err := durable.NewClerk(office{}, office{}, office{}, thread.With(thread.Settings{Store: store}))
	if err != nil {
		t.Fatal(err)
	}
	o := serve.Options{Identify: byHeader, Budgets: budgets, Clock: clock}
	return serves(t, o, serve.Durable("orders", order), serve.Durable("clerks", clerk), serve.Plain("greetings", greet))
}

// greet makes a run that asks the model.
func (s *site) greet(tenant, name string) reply {
	s.t.Helper()
	return s.do("POST", "/graphs/greetings/runs", `{"input": {"name": "`+name+`"}}`, "Tenant", tenant)
}

// each gives each tenant the same budget.
func each(b graphgen.Budgets) *serve.TenantBudgets {
	return &serve.TenantBudgets{Of: func(string) graphgen.Budgets { return b }}
}

// TestTenantBudgets holds that a tenant which has used its budget up begins no run, and answers no request, until the next period, at every process of the
// store, also after a restart; that other tenants have their own budgets; and that a run whose request waits keeps waiting.
func TestTenantBudgets(t *testing.T) {
	store, b, clock := thread.NewMemory(), new(bank), new(passage)
	budgets := each(graphgen.Budgets{ModelCalls: 2})
	s := banking(t, store, b, clock, budgets)
	const start, order = "/graphs/orders/threads", `{"thread": "a", "input": {"order": "A-7"}}`
	s.want(s.do("POST", start, order, "Tenant", "t", "Prefer", "wait", "Idempotency-Key", "k"), http.StatusOK, `"status":"paused"`)
	s.want(s.greet("t", "Ann"), http.StatusOK, "Hello.")
	s.want(s.greet("t", "Ann"), http.StatusOK, "Hello.")
	other := banking(t, store, b, clock, budgets)
	for name, s := range map[string]*site{"the same process": s, "another one": other} {
		r := s.want(s.greet("t", "Ann"), http.StatusTooManyRequests, `"code":"budget"`, `"field":"model_calls"`)
		if seconds, err := strconv.Atoi(r.header.Get("Retry-After")); err != nil || seconds < 1 || seconds > 24*60*60 {
			t.Errorf("%s: Retry-After is %q", name, r.header.Get("Retry-After"))
		}
		s.want(s.do("POST", start, `{"input": {"order": "cheap"}}`, "Tenant", "t"), http.StatusTooManyRequests, `"code":"budget"`)
		s.want(s.do("POST", start, order, "Tenant", "t", "Prefer", "wait", "Idempotency-Key", "k"), http.StatusOK, `"status":"paused"`) // it has begun
		s.want(s.do("POST", "/threads/a/requests/approve.1", `"approve"`, "Tenant", "t"), http.StatusTooManyRequests, `"code":"budget"`)
		s.want(s.do("GET", "/threads/a", "", "Tenant", "t"), http.StatusOK, `"status":"paused"`)
	}
	other.want(other.greet("u", "Bob"), http.StatusOK, "Hello.")
	s.want(s.greet("u", "Bob"), http.StatusOK, "Hello.")
	if r := s.do("GET", "/threads", "", "Tenant", "t"); strings.Count(r.body, `"thread"`) != 1 || strings.Contains(r.body, "budget") {
		t.Errorf("the tenant sees %s", r.body)
	}
	clock.ahead.Store(int64(24 * time.Hour))
	s.want(s.greet("t", "Ann"), http.StatusOK, "Hello.")
	s.want(s.do("POST", "/threads/a/requests/approve.1", `"approve"`, "Tenant", "t", "Prefer", "wait"), http.StatusOK, `"status":"completed"`)
	if n := b.calls.Load(); n != 5 {
		t.Errorf("the model is asked %d times", n)
	}
}

// TestBudgetFields holds that a budget of each kind refuses a run with its name, and a budget without a period with no time.
func TestBudgetFields(t *testing.T) {
	for field, budget := range map[string]graphgen.Budgets{
		"tokens": {Tokens: 20, ToolCalls: 100}, "cost": {Cost: 0.15}, "model_calls": {ModelCalls: 2}, "tool_calls": {ToolCalls: -1},
	} {
		s := banking(t, thread.NewMemory(), new(bank), new(passage), &serve.TenantBudgets{Of: each(budget).Of, Period: -1})
		if field != "tool_calls" {
			s.want(s.greet("t", "Ann"), http.StatusOK)
			s.want(s.greet("t", "Ann"), http.StatusOK)
		}
		r := s.want(s.greet("t", "Ann"), http.StatusTooManyRequests, `"field":"`+field+`"`)
		if r.header.Get("Retry-After") != "" {
			t.Errorf("%s: Retry-After is %q", field, r.header.Get("Retry-After"))
		}
	}
	if _, err := serve.New(serve.Options{Shared: true, Budgets: &serve.TenantBudgets{}}, serve.Plain("greetings", new(servetest.Greet))); err == nil {
		t.Error("a handler has budgets of no tenant")
	}
}

// TestBudgetOfLongName holds that tenants with names too long for a store have their own budgets, at every process.
func TestBudgetOfLongName(t *testing.T) {
	store, clock, budgets := thread.NewMemory(), new(passage), each(graphgen.Budgets{ModelCalls: 1})
	one, two := banking(t, store, new(bank), clock, budgets), banking(t, store, new(bank), clock, budgets)
	long := strings.Repeat("ü", 40)
	for _, tenant := range []string{long, long + "x"} {
		one.want(one.greet(tenant, "Ann"), http.StatusOK, "Hello.")
		two.want(two.greet(tenant, "Ann"), http.StatusTooManyRequests, `"field":"model_calls"`)
	}
}

// TestBudgetWithoutPrice holds that a run whose model has no price fails, where its tenant has a budget of money, and that the budget is not called used up.
func TestBudgetWithoutPrice(t *testing.T) {
	b := new(bank)
	m, err := servetest.NewGreet(b)
	if err != nil {
		t.Fatal(err)
	}
	s := serves(t, serve.Options{Identify: byHeader, Budgets: each(graphgen.Budgets{Cost: 1})}, serve.Plain("greetings", m))
	s.want(s.greet("t", "Ann"), http.StatusOK, `"status":"failed"`, `"code":"failed"`, `"status":500`)
	if n := b.calls.Load(); n != 0 {
		t.Errorf("the model is asked %d times", n)
	}
}

// TestBudgetOfRuns holds that runs of a process at the same time never make more calls than the budget of their tenant has: the others end with the reason.
func TestBudgetOfRuns(t *testing.T) {
	const most, runs = 3, 12
	b := &bank{begun: make(chan struct{}, runs), goes: make(chan struct{})}
	s := banking(t, thread.NewMemory(), b, new(passage), each(graphgen.Budgets{ModelCalls: most}))
	replies := make([]<-chan reply, runs)
	for i := range replies {
		replies[i] = s.later(s.request("POST", "/graphs/greetings/runs", `{"input": {"name": "slow"}}`, "Tenant", "t"))
	}
	for range most {
		<-b.begun
	}
	s.want(s.greet("u", "Ann"), http.StatusOK, "Hello.")
	close(b.goes)
	made := 0
	for _, r := range replies {
		switch r := <-r; {
		case r.status == http.StatusOK && strings.Contains(r.body, `"status":"completed"`):
			made++
		case !strings.Contains(r.body, `"code":"budget"`) || !strings.Contains(r.body, `"field":"model_calls"`):
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	if n := b.calls.Load(); made != most || n != most+1 {
		t.Errorf("%d runs are made, by %d calls", made, n)
	}
}

// TestBudgetOfResumedRuns holds that calls of a run which waits for a person, and is continued by another process, count once.
func TestBudgetOfResumedRuns(t *testing.T) {
	store, b := thread.NewMemory(), new(bank)
	budgets := each(graphgen.Budgets{ModelCalls: 3, ToolCalls: 2})
	one, two := banking(t, store, b, new(passage), budgets), banking(t, store, b, new(passage), budgets)
	caller := []string{"Tenant", "t", "Prefer", "wait"}
	r := one.want(one.do("POST", "/graphs/clerks/threads", `{"thread": "a", "input": {"message": "Help."}}`, caller...), http.StatusOK, `"status":"paused"`)
	var paused struct{ Requests []struct{ ID string } }
	if err := json.Unmarshal([]byte(r.body), &paused); err != nil || len(paused.Requests) != 1 {
		t.Fatal(r.body, err)
	}
	path := "/threads/a/requests/" + url.PathEscape(paused.Requests[0].ID)
	two.want(two.do("POST", path, `"approve"`, caller...), http.StatusOK, `"status":"completed"`) // the model has made two calls, and each tool one
	two.want(two.greet("t", "Ann"), http.StatusTooManyRequests, `"field":"tool_calls"`)
	budgets.Of = each(graphgen.Budgets{ModelCalls: 3, ToolCalls: 3}).Of
	three := banking(t, store, b, new(passage), budgets)
	three.want(three.greet("t", "Ann"), http.StatusOK)
	three.want(three.greet("t", "Ann"), http.StatusTooManyRequests, `"field":"model_calls"`)
}

// TestBudgetOfProcesses holds that processes which write at the same time lose nothing of what a tenant has used, and that a store whose answer is an error
// loses nothing either.
func TestBudgetOfProcesses(t *testing.T) {
	const runs = 20
	store, b := thread.NewMemory(), new(bank)
	failing := &brokenAppends{Store: store}
	budgets := each(graphgen.Budgets{Tokens: 10*2*runs + 5})
	budgets.Store = failing
	sites := []*site{banking(t, store, b, new(passage), budgets), banking(t, store, b, new(passage), budgets)}
	var all sync.WaitGroup
	for _, s := range sites {
		for range runs {
			all.Go(func() {
				if r := s.greet("t", "Ann"); r.status != http.StatusOK {
					t.Errorf("%d %s", r.status, r.body)
				}
			})
		}
	}
	all.Wait()
	third := banking(t, store, b, new(passage), budgets)
	third.want(third.greet("t", "Ann"), http.StatusOK) // 5 tokens are left
	third.want(third.greet("t", "Ann"), http.StatusTooManyRequests, `"field":"tokens"`)
	if failing.n.Load() < 2 {
		t.Error("no write has failed")
	}
}

// TestBudgetWrittenWithErrors holds that what a store has written counts once, although it has returned an error for the write and for its repetition.
func TestBudgetWrittenWithErrors(t *testing.T) {
	store, clock := &deafAppends{Store: thread.NewMemory()}, new(passage)
	s := banking(t, store, new(bank), clock, each(graphgen.Budgets{ModelCalls: 3}))
	for range 3 {
		s.want(s.greet("t", "Ann"), http.StatusOK, "Hello.")
		clock.ahead.Add(int64(2 * time.Second))
	}
	s.want(s.greet("t", "Ann"), http.StatusTooManyRequests, `"field":"model_calls"`)
	if n := store.n.Load(); n < 2*3 {
		t.Errorf("%d writes have failed", n)
	}
}

// A deafAppends is a store whose writes take effect and return errors.
type deafAppends struct {
	thread.Store
	n atomic.Int64
}

func (d *deafAppends) Append(ctx context.Context, l thread.Lease, h thread.Head, records []thread.Record) (thread.Ack, error) {
	if _, err := d.Store.Append(ctx, l, h, records); err != nil {
		return thread.Ack{}, err
	}
	d.n.Add(1)
	return thread.Ack{}, context.DeadlineExceeded
}

// TestBudgetInSlowStore holds that a store which does not answer keeps no run of a tenant from beginning, once the tenant is known, and that some time
// passes before a store that has failed is asked again.
func TestBudgetInSlowStore(t *testing.T) {
	store, clock := &slowAcquires{Store: thread.NewMemory(), asked: make(chan struct{}, 9), answers: make(chan struct{})}, new(passage)
	budgets := each(graphgen.Budgets{ModelCalls: 3})
	budgets.Store = store
	s := banking(t, thread.NewMemory(), new(bank), clock, budgets)
	first := s.later(s.request("POST", "/graphs/greetings/runs", `{"input": {"name": "Ann"}}`, "Tenant", "t"))
	<-store.asked
	clock.ahead.Add(int64(2 * time.Second))
	second := s.later(s.request("POST", "/graphs/orders/threads", `{"input": {"order": "A-7"}}`, "Tenant", "t"))
	select {
	case r := <-second:
		s.want(r, http.StatusAccepted)
	case <-time.After(5 * time.Second): // before the first run gives up
		t.Error("the second run waits for the first one to be written")
	}
	close(store.answers)
	s.want(<-first, http.StatusOK, "Hello.")
	s.want(s.greet("t", "Ann"), http.StatusOK, "Hello.")
	if n := len(store.asked); n != 0 {
		t.Errorf("the store is asked again %d times", n)
	}
	clock.ahead.Add(int64(2 * time.Second))
	s.want(s.greet("t", "Ann"), http.StatusOK, "Hello.")
	if n := len(store.asked); n == 0 {
		t.Error("the store is not asked again, later")
	}
}

// A slowAcquires is a store that gives no lease, and says so late.
type slowAcquires struct {
	thread.Store
	asked   chan struct{} // gets a value for each call
	answers chan struct{} // closed when they return
}

func (s *slowAcquires) Acquire(ctx context.Context, _ string, _ time.Duration) (thread.Lease, thread.Head, error) {
	s.asked <- struct{}{}
	select {
	case <-s.answers:
		return thread.Lease{}, thread.Head{}, context.DeadlineExceeded
	case <-ctx.Done():
		return thread.Lease{}, thread.Head{}, context.Cause(ctx)
	}
}

// A brokenAppends is a store of which every third write has an error, before or after it takes effect.
type brokenAppends struct {
	thread.Store
	n atomic.Int64
}

func (b *brokenAppends) Append(ctx context.Context, l thread.Lease, h thread.Head, records []thread.Record) (thread.Ack, error) {
	switch b.n.Add(1) % 6 {
	case 3:
		return thread.Ack{}, context.DeadlineExceeded
	case 0:
		if _, err := b.Store.Append(ctx, l, h, records); err != nil {
			return thread.Ack{}, err
		}
		return thread.Ack{}, context.DeadlineExceeded
	}
	return b.Store.Append(ctx, l, h, records)
}
