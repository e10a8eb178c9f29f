package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/hooks"
	"github.com/graphgen/graphgen/thread"
)

// TenantBudgets bound what the runs of a tenant use together in a period, besides the budgets of each run. A tenant that has used one up begins no run and
// answers no request until the period ends. Its runs under way take the on: budget edges of their nodes, or end, with the reason budget.
//
// In a process, calls are reserved before they are made: there are never more than the budget has. What the tenant has used is written to a store when a
// run ends or waits, and about every second while a run in a thread calls models and tools. A process does not know what others have used since, and a
// process that is killed has not written it: by this a tenant may exceed its budget.
type TenantBudgets struct {
	// Of returns what a tenant may use in a period. A field that is 0 has no bound; below 0, nothing is left. A change of what it
	// returns takes effect when no run of the tenant works in the process; without a store, in the next period. Of is called concurrently. What runs outside of
	// the handler is not counted.
	Of func(tenant string) graphgen.Budgets

	// Period is how long a period is, in UTC: 24 hours are a day, and seven times that is a week from Monday. A run counts in the period in which a call has
	// begun or continued it. 0: 24 hours; below 0: the period does not end.
	Period time.Duration

	// Store has what was used: all processes with the same store count together. Nil: the store of the first graph, by name, that is durable. Without one,
	// each process counts by itself until it ends.
	Store thread.Store
}

// accounts are what tenants have used.
type accounts struct {
	TenantBudgets
	clock  thread.Clock
	report func(Access, error)

	mu sync.Mutex
	of map[string]*account // by name
}

// An account is what the runs of a tenant have used in a period. Nil is the account of a tenant without a budget.
type account struct {
	all    *accounts
	name   string // of the thread in the store
	tenant string
	until  time.Time // the end of the period; zero: it has none
	limits graphgen.Budgets
	budget *hooks.Budget

	runs    int // that use it, by accounts.mu
	writing atomic.Bool
	known   atomic.Bool // the store was read

	mu   sync.Mutex
	seen graphgen.Budgets // what the store has, as far as is known: budget has this and what it does not have yet
	at   time.Time        // when the store was read or written; zero: never

	tried   graphgen.Budgets // what was written last, which may have taken effect although the store returned an error
	triedAt time.Time        // when, as the store has it
	failed  time.Time        // when a write failed; zero: never
}

// fresh is how long what is known of a store is good.
const fresh = time.Second

// newAccounts returns the accounts of a handler, nil if its tenants have no budgets.
func newAccounts(h *Handler) (*accounts, error) {
	b := h.o.Budgets
	if b == nil {
		return nil, nil
	}
	a := &accounts{TenantBudgets: *b, clock: h.o.Clock, report: h.o.Report, of: map[string]*account{}}
	if a.Of == nil {
		return nil, errors.New("serve: Budgets.Of is nil: it returns the budgets of a tenant")
	}
	if a.Period == 0 {
		a.Period = 24 * time.Hour
	}
	for _, g := range h.graphs {
		if a.Store == nil && g.durable != nil {
			a.Store = g.durable.store()
		}
	}
	if a.Store != nil {
		a.Store = thread.Guard(a.Store)
	}
	return a, nil
}

// open returns the account of a tenant in the period, for a run.
func (a *accounts) open(ctx context.Context, tenant string) (*account, error) {
	if a == nil {
		return nil, nil
	}
	limits := a.Of(tenant)
	if limits == (graphgen.Budgets{}) {
		return nil, nil
	}
	at := a.take(tenant, limits)
	if err := at.refresh(ctx); err != nil {
		at.leave()
		return nil, err
	}
	return at, nil
}

// take returns the account of a tenant, and makes it. Accounts of periods that have ended are dropped.
func (a *accounts) take(tenant string, limits graphgen.Budgets) *account {
	now := a.clock.Now()
	at := &account{all: a, tenant: tenant, limits: limits, budget: hooks.NewBudget(limits)}
	period := ""
	if a.Period > 0 {
		start := now.UTC().Truncate(a.Period)
		period = "/" + start.Format(time.RFC3339Nano)
		at.until = start.Add(a.Period)
	}
	const budget = "\x1fbudget/" // no client names a thread so
	if at.name = budget + url.PathEscape(tenant) + period; len(at.name) > thread.MaxName {
		hash := sha256.Sum256([]byte(tenant))
		at.name = budget + "/" + hex.EncodeToString(hash[:]) + period // no other tenant has a slash there
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if known := a.of[at.name]; known != nil {
		at = known
	} else {
		for name, old := range a.of {
			if old.runs == 0 && !old.until.IsZero() && !now.Before(old.until) {
				delete(a.of, name)
			}
		}
		a.of[at.name] = at
	}
	at.runs++
	return at
}

// leave notes that a run does not use the account any more. What the store has is not kept.
func (at *account) leave() {
	if at == nil {
		return
	}
	at.all.mu.Lock()
	defer at.all.mu.Unlock()
	if at.runs--; at.runs > 0 || at.all.Store == nil || !at.mu.TryLock() {
		return
	}
	defer at.mu.Unlock()
	if isNothing(minus(at.budget.Used(), at.seen)) {
		delete(at.all.of, at.name)
	}
}

// end writes what a run has used, and leaves the account.
func (at *account) end() {
	if at == nil {
		return
	}
	at.settle()
	at.leave()
}

// options returns the options of a run that uses the account.
func (at *account) options() []graphgen.RunOption {
	if at == nil {
		return nil
	}
	return []graphgen.RunOption{at.budget.Option()}
}

// with adds the account to an option.
func (at *account) with(o graphgen.Option) graphgen.Option {
	if at == nil {
		return o
	}
	return graphgen.Options(o, at.budget.Option())
}

// spent returns the problem of a tenant that has used a budget up.
func (at *account) spent() error {
	if at == nil {
		return nil
	}
	used, field := at.budget.Used(), ""
	switch l := at.limits; {
	case l.Tokens != 0 && used.Tokens >= l.Tokens:
		field = "tokens"
	case l.Cost != 0 && used.Cost >= l.Cost:
		field = "cost"
	case l.ModelCalls != 0 && used.ModelCalls >= l.ModelCalls:
		field = "model_calls"
	case l.ToolCalls != 0 && used.ToolCalls >= l.ToolCalls:
		field = "tool_calls"
	default:
		return nil
	}
	p := &Problem{Status: http.StatusTooManyRequests, Code: "budget", Field: field, Detail: "The budget of the tenant is used up."}
	if !at.until.IsZero() {
		p.Retry = max(time.Second, at.until.Sub(at.all.clock.Now()))
	}
	return p
}

// budgetFields are the fields of budgets, by how errors of runs name them.
var budgetFields = map[string]string{"tokens": "tokens", "US dollars": "cost", "model calls": "model_calls", "tool calls": "tool_calls"}

// refresh reads what other processes have written, unless it was read or written a moment ago. What is known is good enough while a run writes: a tenant does
// not wait for a slow store.
func (at *account) refresh(ctx context.Context) error {
	if !at.mu.TryLock() {
		if at.known.Load() {
			return nil
		}
		at.mu.Lock()
	}
	defer at.mu.Unlock()
	store, now := at.all.Store, at.all.clock.Now()
	if store == nil || !at.at.IsZero() && now.Sub(at.at) < fresh {
		return nil
	}
	head, _, err := store.Load(ctx, at.name, 0)
	if err != nil && !is[*thread.NotFoundError](err) {
		return err
	}
	return at.sees(&head, now)
}

// sees counts what other processes have written since the store was read or written last.
func (at *account) sees(head *thread.Head, now time.Time) error {
	var stored graphgen.Budgets
	if len(head.Summary) > 0 {
		if err := json.Unmarshal(head.Summary, &stored); err != nil {
			return err
		}
	}
	if stored == at.tried && head.Updated.Equal(at.triedAt) { // this process wrote it
		at.seen = stored
	}
	at.budget.Count(minus(stored, at.seen))
	at.seen, at.at = stored, now
	at.known.Store(true)
	return nil
}

// settle writes what the store does not have yet. What an error leaves is written later: a store that has just failed is not asked again.
func (at *account) settle() {
	if at == nil || at.all.Store == nil {
		return
	}
	const longest = 10 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	at.mu.Lock()
	defer at.mu.Unlock()
	clock := at.all.clock
	if isNothing(minus(at.budget.Used(), at.seen)) || !at.failed.IsZero() && clock.Now().Sub(at.failed) < fresh {
		return
	}
	if err := at.write(ctx); err != nil {
		at.failed = clock.Now()
		at.all.report(Access{Caller: Caller{Tenant: at.tenant}}, err)
	}
}

// write adds what was used to what the store has.
func (at *account) write(ctx context.Context) error {
	const lease = 5 * time.Second
	store := at.all.Store
	l, head, err := store.Acquire(ctx, at.name, lease)
	for is[*thread.HeldError](err) { // another process writes
		select {
		case <-at.all.clock.After(time.Millisecond + rand.N(20*time.Millisecond)):
		case <-ctx.Done():
			return err
		}
		l, head, err = store.Acquire(ctx, at.name, lease)
	}
	if err != nil {
		return err
	}
	defer func() { _ = store.Release(ctx, l) }() // else it ends by itself
	now := at.all.clock.Now()
	if err := at.sees(&head, now); err != nil {
		return err
	}
	used := at.budget.Used()
	next := thread.Head{Thread: at.name, Graph: "graphgen budget", Status: thread.Stopped, Seq: head.Seq, Created: head.Created, Updated: now}
	at.tried, at.triedAt = used, thread.Moment(now)
	if next.Summary, err = json.Marshal(used); err != nil {
		return err
	}
	if !at.until.IsZero() {
		next.Expires = at.until.Add(at.all.Period)
	}
	var first []thread.Record
	if head.Seq == 0 { // later, the head alone is replaced
		next.Seq, next.Created = 1, now
		first = []thread.Record{{Seq: 1, Time: now, Snapshot: true}}
	}
	if _, err = store.Append(ctx, l, next, first); err != nil {
		_, err = store.Append(ctx, l, next, first) // what is repeated under a lease takes effect once
	}
	if err == nil {
		at.seen = used
	}
	return err
}

// observe has what runs use written while they work.
func (at *account) observe(h *Handler, e *graphgen.Event) {
	if at == nil || at.all.Store == nil || e.Kind != graphgen.ModelEnd && e.Kind != graphgen.ToolEnd || !at.writing.CompareAndSwap(false, true) {
		return
	}
	h.working.Go(func() { // a run works, too
		defer at.writing.Store(false)
		at.mu.Lock()
		old := at.all.clock.Now().Sub(at.at) >= fresh
		at.mu.Unlock()
		if old {
			at.settle()
		}
	})
}

// minus returns what one has more than another.
func minus(a, b graphgen.Budgets) graphgen.Budgets {
	return graphgen.Budgets{
		Tokens: a.Tokens - b.Tokens, Cost: a.Cost - b.Cost, ModelCalls: a.ModelCalls - b.ModelCalls, ToolCalls: a.ToolCalls - b.ToolCalls,
	}
}

// isNothing reports whether nothing is used. It ignores rounding errors of sums.
func isNothing(b graphgen.Budgets) bool {
	const least = 1e-9
	return b.Tokens == 0 && b.ModelCalls == 0 && b.ToolCalls == 0 && math.Abs(b.Cost) < least
}

// tenantOf returns the tenant of a thread, by its name in the store. A thread that no handler has made may have none.
func (h *Handler) tenantOf(name string) (tenant string, ok bool) {
	if h.o.Shared {
		return "", true
	}
	space, _, found := strings.Cut(name, "/")
	tenant, err := url.PathUnescape(space)
	return tenant, found && err == nil
}

// account opens the account of the caller, for what begins or continues a run. A tenant that has used its budget up may only get what a run of the same key
// has given, and recover a run.
func (c *call) account() (*account, error) {
	at, err := c.h.accounts.open(c.r.Context(), c.access.Tenant)
	if err != nil || at == nil || c.access.Verb == Recover {
		return at, err
	}
	if err = at.spent(); err != nil && c.keyed().begin == 0 {
		at.leave()
		return nil, err
	}
	return at, nil
}
