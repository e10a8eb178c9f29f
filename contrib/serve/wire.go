package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/api"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// A Wire is a protocol that clients speak, over the graphs and threads of a Handler. The packages below this one have wires; they know nothing that
// another package could not.
type Wire struct {
	Routes []WireRoute

	// Headers are names of headers of requests that pages of other origins may send, besides those of the handler.
	Headers []string

	// Refuse answers a request with a problem, in the wire's own form. It is not called when an answer has begun.
	Refuse func(http.ResponseWriter, *Problem)
}

// A WireRoute is what a method does at a path, which is a pattern of http.ServeMux. Do has answered the request when it returns nil.
type WireRoute struct {
	Method, Path string
	Do           func(*Call) error
}

// A below is what a handler serves at a path and below it.
type below struct {
	path string
	http.Handler
}

func (b *below) serves(path string) bool {
	rest, ok := strings.CutPrefix(path, b.path)
	return ok && (rest == "" || rest[0] == '/')
}

// Handle serves a wire at a path, such as /ai, and below it, besides the handler's own routes. It is called before the handler serves.
func (h *Handler) Handle(path string, wire http.Handler) {
	path = strings.TrimSuffix(path, "/")
	h.wires = append(h.wires, below{path, http.StripPrefix(path, wire)})
}

// Mount returns a handler that speaks a wire, for Handle or a server of the program, below any path. It shares everything with h: who may do what, the
// tenants, the limits, the runs and their end. What h recovers and drains are the runs of its wires, too.
func (h *Handler) Mount(w Wire) http.Handler {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, rt := range w.Routes {
		mux.HandleFunc(rt.Method+" "+rt.Path, func(to http.ResponseWriter, r *http.Request) { h.handleWire(to, r, &w, &rt) })
		methods[rt.Path] = append(methods[rt.Path], rt.Method)
	}
	for path, list := range methods {
		slices.Sort(list)
		mux.HandleFunc(path, func(to http.ResponseWriter, _ *http.Request) {
			to.Header().Set("Allow", strings.Join(list, ", "))
			w.Refuse(to, &Problem{Status: http.StatusMethodNotAllowed, Code: "method", Detail: "This path has other methods."})
		})
	}
	mux.HandleFunc("/", func(to http.ResponseWriter, _ *http.Request) {
		w.Refuse(to, &Problem{Status: http.StatusNotFound, Code: "no_route", Detail: "There is no such path."})
	})
	headers := ""
	for _, name := range w.Headers {
		headers += ", " + name
	}
	return http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		if !h.admits(to, r, headers, w.Refuse) {
			return
		}
		if r.URL.Path == "" { // the path of the wire itself, without a slash: the mux would redirect
			r = r.Clone(r.Context())
			r.URL.Path = "/"
		}
		mux.ServeHTTP(to, r)
	})
}

// handleWire answers a request at a route of a wire.
func (h *Handler) handleWire(to http.ResponseWriter, r *http.Request, w *Wire, rt *WireRoute) {
	c := &Call{call: &call{h: h, w: to, r: r, wire: w, rt: &route{Route: api.Route{Method: rt.Method, Path: rt.Path}}, order: new(order)}}
	defer func() {
		for _, end := range slices.Backward(c.ends) {
			end()
		}
	}()
	var err error
	if c.call.access.Caller, err = h.identify(r); err == nil {
		err = rt.Do(c)
	}
	if err != nil {
		c.call.refuse(err, w.Refuse)
	}
}

// A Call is one request at a route of a wire. Its methods may be called by one goroutine at a time, until Do returns. Those that read or change something
// ask whether the caller may: the errors that they return are for the client, who gets them where Do returns them.
type Call struct {
	call *call
	ends []func()
}

// may returns the problem of a caller who may not do this.
func (c *Call) may(v Verb) error {
	c.call.access.Verb = v
	return c.call.authorized()
}

// Request returns the request. Body reads its body.
func (c *Call) Request() *http.Request { return c.call.r }

// Header returns the header of the answer.
func (c *Call) Header() http.Header { return c.call.w.Header() }

// Caller returns who makes the request.
func (c *Call) Caller() Caller { return c.call.access.Caller }

// Body reads the body of the request, which is JSON, as far as the limits allow.
func (c *Call) Body() ([]byte, error) { return c.call.readBody() }

// Reply answers the request with JSON, or what else the kind has, unless an answer has begun.
func (c *Call) Reply(status int, kind string, data []byte) error {
	if c.call.wrote {
		return nil
	}
	return c.call.bytes(status, kind, data)
}

// NoContent answers that there is nothing.
func (c *Call) NoContent() error {
	c.call.wrote = true
	c.call.w.WriteHeader(http.StatusNoContent)
	return nil
}

// Report gives an error that clients are not sent to the handler's Report.
func (c *Call) Report(err error) { c.call.h.o.Report(c.call.access, err) }

// Details reports whether clients are sent what helps developers.
func (c *Call) Details() bool { return c.call.h.o.Details }

// Now returns the time by the handler's clock.
func (c *Call) Now() time.Time { return c.call.h.o.Clock.Now() }

// A Served is a graph that is served.
type Served struct {
	Name     string
	Durable  bool
	Messages bool // it takes messages
	Description
}

// A Description is what a graph with serve: true says of itself.
type Description struct {
	Doc    string
	Input  json.RawMessage // the JSON Schema of its input
	Output json.RawMessage // and of its output
}

// Graphs returns what is served, with the descriptions that the caller may read.
func (c *Call) Graphs() (list []Served, _ error) {
	if err := c.may(Graphs); err != nil {
		return nil, err
	}
	for _, g := range c.call.h.graphs {
		s := g.served()
		s.Description = c.describe(g)
		list = append(list, s)
	}
	return list, nil
}

// OpenGraph finds the graph that the call is about.
func (c *Call) OpenGraph(name string) error { return c.call.openNamed(name) }

// Graph returns what the call is about, without its description. A graph must be open.
func (c *Call) Graph() Served { return c.call.graph.served() }

func (g *Graph) served() Served {
	return Served{Name: g.name, Durable: g.durable != nil, Messages: g.messaging.Input != nil}
}

// Describe returns the description of the graph that is open; empty if the caller may not read it.
func (c *Call) Describe() Description { return c.describe(c.call.graph) }

func (c *Call) describe(g *Graph) Description {
	if g.description == nil || !c.call.mayAlso(Describe, g.name, "") {
		return Description{}
	}
	return Description{g.description.Doc, g.description.Input, g.description.Output}
}

// Speaks reports whether the answers of a node of the outermost run are sent piece by piece.
func (c *Call) Speaks(e *graphgen.Event) bool {
	return e.Run != nil && e.Run.Within == "" && e.Run.Branch == "" && c.call.graph.speaks(e.Node)
}

// OpenThread finds the thread that the call is about, among the threads of the tenant. Where a graph is open, the thread is of this one. A thread of which
// there is none is an error with the status 404.
func (c *Call) OpenThread(name string) error {
	g := c.call.graph
	if err := c.call.openNamedThread(name); err != nil {
		return err
	}
	if g != nil && g != c.call.graph {
		p := noThread
		return &p
	}
	return nil
}

// Thread returns the name of the thread that the call is about.
func (c *Call) Thread() string { return c.call.access.Thread }

// Status returns the status of the thread that is open.
func (c *Call) Status() (thread.Status, error) {
	if err := c.may(Read); err != nil {
		return 0, err
	}
	return c.call.head.Status, nil
}

// Requests returns the open requests of the thread, for a caller who may answer them.
func (c *Call) Requests() ([]graphgen.Request, error) {
	if err := c.may(Answer); err != nil {
		return nil, err
	}
	info, err := c.call.graph.durable.info(c.call.r.Context(), c.call.name)
	return info.Requests, err
}

// Shown returns those requests of the thread that the caller may see, without what is for developers.
func (c *Call) Shown(requests []graphgen.Request) []graphgen.Request {
	if !c.call.mayAsk(c.call.graph.name, c.call.access.Thread) {
		return nil
	}
	return c.call.shownRequests(requests)
}

// CurrentRun returns the ID of the run of the thread, as clients see it, for a caller who may answer its requests. A request has the same ID in each run.
func (c *Call) CurrentRun() (string, error) {
	if err := c.may(Answer); err != nil {
		return "", err
	}
	s, err := durable.StateAt(c.call.r.Context(), c.call.graph.durable.store(), c.call.name, 0)
	if err != nil {
		return "", err
	}
	return renamed(s.Run, c.call.name, c.call.access.Thread), nil
}

// Stop stops the run of the thread: within its step in this process, elsewhere before its next node.
func (c *Call) Stop() error {
	if err := c.may(Stop); err != nil {
		return err
	}
	here := c.call.h.here(c.call.name)
	if here != nil && here.graph != c.call.graph {
		here = nil
	}
	return c.call.interrupt(here)
}

// A Beginning is what begins a run.
type Beginning struct {
	Thread       string        // its name; empty: a new one. Of a graph that is not durable there is none
	Conversation *Conversation // what the input is made of; nil: Input
	Input        []byte        // in JSON, as a client gives it
	Stream       bool          // the client is sent its events
	Leave        bool          // the run is stopped when its client goes
}

// Start begins a run of the graph that is open. A header Idempotency-Key names it.
func (c *Call) Start(s Beginning) (*Exchange, error) {
	g, given := c.call.graph, false
	if s.Conversation != nil {
		in, err := g.inputOf(c.call.access.Caller, *s.Conversation)
		if err != nil {
			return nil, err
		}
		s.Input, given = in, g.given
	}
	c.call.order = c.orderOf(s.Stream, s.Leave)
	if g.durable == nil {
		return c.startPlain(&s, given)
	}
	if err := c.call.nameRun(c.call.order, s.Thread); err != nil {
		return nil, err
	}
	var err error
	c.call.order.begin, err = g.durable.start(c.call.access.Caller, c.call.name, c.call.order.runID, s.Input, given)
	if err == nil {
		err = c.may(Start)
	}
	if err != nil {
		return nil, err
	}
	return c.begun()
}

// orderOf returns how a run is begun.
func (c *Call) orderOf(stream, leave bool) *order {
	o := &order{answered: answerNow, onGone: goneContinue, multi: multiReject}
	if stream {
		o.answered = answerEvents
	}
	if leave {
		o.onGone = goneCancel
	}
	return o
}

// begun begins the run of the order.
func (c *Call) begun() (*Exchange, error) {
	if err := c.watches(); err != nil {
		return nil, err
	}
	r, err := c.call.begun()
	if err != nil {
		return nil, err
	}
	c.ends = append(c.ends, r.watch)
	return &Exchange{of: c, run: r, after: uint64(max(0, r.after.Load()))}, nil
}

// watches takes the slot of a stream, or of a request that waits, until the call ends.
func (c *Call) watches() error {
	give, err := c.call.takeStream()
	if err == nil {
		c.ends = append(c.ends, give)
	}
	return err
}

// startPlain begins a run that is in no thread. It ends with the call.
func (c *Call) startPlain(s *Beginning, given bool) (*Exchange, error) {
	p, err := c.call.graph.plain.begin(c.call.access.Caller, s.Input, given)
	if err != nil {
		return nil, err
	}
	if err := c.may(Run); err != nil {
		return nil, err
	}
	if s.Stream {
		if err := c.watches(); err != nil {
			return nil, err
		}
	}
	ctx, end, err := c.call.plainContext()
	if err != nil {
		return nil, err
	}
	c.ends = append(c.ends, end)
	return &Exchange{of: c, plain: p, ctx: ctx}, nil
}

// A Reply is an answer to a request of a thread.
type Reply struct {
	Request string // its ID
	JSON    []byte
}

// Answer answers requests of the thread that is open, one after the other, and continues its run. If one of them is not open, or an
// answer is not valid, none is answered.
func (c *Call) Answer(replies []Reply, stream, leave bool) (*Exchange, error) {
	requests, err := c.Requests()
	if err != nil {
		return nil, err
	}
	if len(replies) == 0 {
		return nil, &Problem{Status: http.StatusUnprocessableEntity, Code: "invalid", Field: "answer", Detail: "There is no answer."}
	}
	var turns []beginning
	seen := map[string]bool{}
	for _, r := range replies {
		open := slices.ContainsFunc(requests, func(q graphgen.Request) bool { return q.ID == r.Request })
		if !open || seen[r.Request] {
			return nil, &Problem{Status: http.StatusConflict, Code: "closed", Detail: "No open request has that ID."}
		}
		seen[r.Request] = true
		turns = append(turns, c.call.graph.durable.resume(c.call.name, r.Request, r.JSON, c.call.access.Name))
	}
	if len(replies) > 1 {
		if err := c.call.graph.durable.fits(c.call.r.Context(), c.call.name, replies); err != nil {
			return nil, err
		}
	}
	c.call.order = c.orderOf(stream, leave)
	c.call.order.begin = inTurn(turns, func() func() { return c.call.graph.durable.works(c.call.name) })
	return c.begun()
}

// inTurn returns what continues a run by several answers, as long as it waits for the next one. Who watches it is not told that it waits meanwhile.
func inTurn(turns []beginning, works func() func()) beginning {
	return func(ctx context.Context, events graphgen.Option) (out []byte, err error) {
		defer works()()
		for i, turn := range turns {
			if out, err = turn(ctx, events); i+1 < len(turns) && graphgen.AsPause(err) == nil {
				break
			}
		}
		return out, err
	}
}

// Join follows the run of the thread that is open, from its step in progress on.
func (c *Call) Join() (*Exchange, error) {
	if err := c.may(Watch); err != nil {
		return nil, err
	}
	if err := c.watches(); err != nil {
		return nil, err
	}
	return &Exchange{of: c, after: c.call.head.Seq}, nil
}
