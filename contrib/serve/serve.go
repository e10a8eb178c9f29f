package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/thread"
)

// Options configure a Handler. What is zero is the default.
type Options struct {
	// Identify returns who makes a request, by a token or a session. An error is answered with the status 401, and its text is not sent. It is
	// required, unless Shared is set.
	Identify func(*http.Request) (Caller, error)

	// Shared: there is one tenant, and a thread has the name in the store that clients use. Otherwise its name in the store begins with the tenant
	// of the caller, and a caller without a tenant is refused.
	Shared bool

	// Authorize returns an error if the caller may not do this: it is answered with the status 403, and its text is not sent. Nil: a caller may
	// do everything with the threads of its tenant.
	Authorize func(context.Context, Access) error

	// Details sends clients what helps developers: texts of errors, places in specs, results of calls of models and tools, and every event with
	// its arguments, answers and prompts. Do not set it for clients that are not trusted with these.
	Details bool

	// Show reports whether clients are sent a live event. Nil: Shown, or every event with Details.
	Show func(*graphgen.Event) bool

	// Origins are the web pages of other origins that may use the handler, such as https://shop.example. A page of another origin can change nothing.
	Origins []string

	// Hosts are names by which clients of this machine reach a handler without Identify, besides localhost and addresses of the loopback. A page whose
	// name leads to this machine, and that a browser takes for one of the handler's own, is refused by its name.
	Hosts []string

	Limits Limits

	// Budgets bound what the runs of a tenant use together. Nil: nothing does.
	Budgets *TenantBudgets

	// Report is called with what clients are not sent: errors of stores, of Identify and of Authorize, failures of runs. It may be called concurrently.
	Report func(Access, error)

	// Recovery is the time between two looks for threads whose processes have ended, on average, of Recover and Serve. 0: 10 seconds.
	Recovery time.Duration

	Clock thread.Clock // for tests
}

// Limits bound what clients can use. What is zero is the default; there is no value for no limit.
type Limits struct {
	Body        int64         // bytes of a request; 1 MiB
	Read        time.Duration // for the body of a request; 10 seconds
	Write       time.Duration // for an answer, or one event of a stream, before its client is dropped; 30 seconds
	Runs        int           // at a time; 256
	TenantRuns  int           // of one tenant; 64
	Streams     int           // and requests that wait for the end of a run, at a time; 4,096
	TenantWatch int           // the same of one tenant; 256
	Queue       int           // requests that wait for one thread; 16
	Page        int           // threads or steps of one page; 100
	Heartbeat   time.Duration // between two comments of a stream without events; 15 seconds
}

func (l *Limits) defaults() {
	for _, n := range []struct {
		of *int
		is int
	}{{&l.Runs, 256}, {&l.TenantRuns, 64}, {&l.Streams, 4096}, {&l.TenantWatch, 256}, {&l.Queue, 16}, {&l.Page, 100}} {
		if *n.of <= 0 {
			*n.of = n.is
		}
	}
	for _, d := range []struct {
		of *time.Duration
		is time.Duration
	}{{&l.Read, 10 * time.Second}, {&l.Write, 30 * time.Second}, {&l.Heartbeat, 15 * time.Second}} {
		if *d.of <= 0 {
			*d.of = d.is
		}
	}
	if l.Body <= 0 {
		l.Body = 1 << 20
	}
}

// A Handler serves machines, and the threads of those that are durable. It is an http.Handler, and safe for concurrent use.
type Handler struct {
	o      Options
	graphs []*Graph // by name
	mux    *http.ServeMux
	wires  []below
	cross  *http.CrossOriginProtection
	ready  probe

	life     context.Context // of the runs, which outlive the requests that begin them
	end      context.CancelCauseFunc
	draining chan struct{}
	drain    sync.Once
	working  sync.WaitGroup // runs, and what settles them
	runs     running
	streams  slots
	turns    turns
	brought  names // threads that clients keep, while a call has them
	series   runSeries
	accounts *accounts // nil: tenants have no budgets
}

// New returns a handler for graphs, each by Durable or Plain.
func New(o Options, graphs ...*Graph) (*Handler, error) {
	if o.Identify == nil && !o.Shared {
		return nil, errors.New("serve: who makes a request is not known: set Identify, or Shared if all callers may use the same threads")
	}
	o.Limits.defaults()
	if o.Clock == nil {
		o.Clock = wallClock{}
	}
	if o.Report == nil {
		o.Report = func(Access, error) {}
	}
	h := &Handler{o: o, graphs: slices.Clone(graphs), cross: http.NewCrossOriginProtection(), draining: make(chan struct{})}
	h.life, h.end = context.WithCancelCause(context.Background())
	h.runs.slots = slots{most: o.Limits.Runs, tenant: o.Limits.TenantRuns}
	h.streams = slots{most: o.Limits.Streams, tenant: o.Limits.TenantWatch}
	for _, origin := range o.Origins {
		if err := h.cross.AddTrustedOrigin(origin); err != nil {
			return nil, errors.New("serve: " + err.Error())
		}
	}
	if err := h.checkGraphs(); err != nil {
		return nil, err
	}
	var err error
	if h.accounts, err = newAccounts(h); err != nil {
		return nil, err
	}
	h.mux = h.newMux()
	return h, nil
}

// checkGraphs sorts the graphs, and refuses those that it cannot serve side by side.
func (h *Handler) checkGraphs() error {
	if len(h.graphs) == 0 {
		return errors.New("serve: there is no graph to serve")
	}
	seen := map[string]bool{}
	for _, g := range h.graphs {
		switch {
		case g == nil:
			return errors.New("serve: a graph is nil")
		case g.err != nil:
			return errors.New("serve: graph " + strconv.Quote(g.name) + ": " + g.err.Error())
		case g.name == "" || strings.ContainsAny(g.name, "/?#%\x00"):
			return errors.New("serve: " + strconv.Quote(g.name) + " is not a segment of a path")
		case seen["name "+g.name]:
			return errors.New("serve: two graphs have the name " + strconv.Quote(g.name))
		case g.durable != nil && seen["graph "+g.durable.graph()]:
			return errors.New("serve: two machines are of the graph " + strconv.Quote(g.durable.graph()) + ": serve each by a handler of its own")
		}
		seen["name "+g.name] = true
		if g.durable != nil {
			seen["graph "+g.durable.graph()] = true
		}
	}
	slices.SortFunc(h.graphs, func(a, b *Graph) int { return strings.Compare(a.name, b.name) })
	return nil
}

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for i := range h.wires {
		if wire := &h.wires[i]; wire.serves(r.URL.Path) {
			wire.ServeHTTP(w, r)
			return
		}
	}
	if h.admits(w, r, "", writeProblem) {
		h.mux.ServeHTTP(w, r)
	}
}

// admits answers a request that comes from where none may, and one by which a browser asks for that.
func (h *Handler) admits(w http.ResponseWriter, r *http.Request, headers string, refuse func(http.ResponseWriter, *Problem)) bool {
	head := w.Header()
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cache-Control", "no-store")
	if r.ContentLength != 0 { // the server would read a body before it answers, however slowly that comes
		head.Set("Connection", "close")
	}
	if !h.allowsHost(r) {
		refuse(w, &Problem{Status: http.StatusForbidden, Code: "host", Detail: "The handler is not reached by this name."})
		return false
	}
	if h.allowsOrigin(w, r, headers) {
		return false
	}
	if err := h.cross.Check(r); err != nil {
		refuse(w, &Problem{Status: http.StatusForbidden, Code: "origin", Detail: "A page of this origin may not change anything here."})
		return false
	}
	return true
}

// allowsHost reports whether a request has a name of the handler. Where callers are identified, a page that has got another name for it has no session.
func (h *Handler) allowsHost(r *http.Request) bool {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if h.o.Identify != nil || !ok || !isLoopback(at.String()) {
		return true
	}
	host := hostOf(r.Host)
	return strings.EqualFold(host, "localhost") || isLoopback(host) || slices.Contains(h.o.Hosts, host)
}

// hostOf returns a host without its port.
func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return strings.Trim(address, "[]")
}

// isLoopback reports whether an address, with or without a port, is of this machine alone.
func isLoopback(address string) bool {
	ip, err := netip.ParseAddr(hostOf(address))
	return err == nil && ip.Unmap().IsLoopback()
}

// allowsOrigin sets the headers for a page of another origin that may use the handler. A wire has more headers. It reports
// whether it has answered the request.
func (h *Handler) allowsOrigin(w http.ResponseWriter, r *http.Request, headers string) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || len(h.o.Origins) == 0 {
		return false
	}
	head := w.Header()
	head.Add("Vary", "Origin")
	if !slices.Contains(h.o.Origins, origin) {
		return false
	}
	head.Set("Access-Control-Allow-Origin", origin)
	head.Set("Access-Control-Allow-Credentials", "true")
	head.Set("Access-Control-Expose-Headers", "Content-Location, Location, Retry-After, X-Should-Retry")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	head.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	head.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Prefer"+headers)
	head.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

type wallClock struct{}

func (wallClock) Now() time.Time                         { return time.Now() }
func (wallClock) After(d time.Duration) <-chan time.Time { return time.After(d) }
